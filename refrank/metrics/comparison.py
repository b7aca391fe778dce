"""One ranking under every preset, and which rule makes each value differ from the papers' convention."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from refrank.metrics.averaging import mean_of_queries
from refrank.metrics.cumulative_gain import ndcg
from refrank.metrics.presets import PRESETS
from refrank.metrics.queries import check_labels
from refrank.metrics.reciprocal_rank import err
from refrank.metrics.spec import MetricSpec

# The fields of a spec that decide an NDCG; `max_grade` decides ERR alone.
NDCG_RULES = ("gain", "discount", "ties", "no_relevant", "short")


@dataclass(frozen=True)
class RuleEffect:
    """One rule of a preset that is not the papers' rule, and what it does on its own."""

    rule: str  # name of the field of MetricSpec
    paper_choice: object
    preset_choice: object
    ndcg: float  # under the preset `paper` with this one rule exchanged


@dataclass(frozen=True)
class PresetValue:
    """What one convention makes of a ranking. NaN: there is no value, because `problem`."""

    spec: MetricSpec
    ndcg: float
    err: float | None  # None: the preset states no highest grade
    n_counted: int  # queries in the mean
    effects: tuple[RuleEffect, ...]  # empty for `paper` and for conventions that equal it
    problem: str | None


def compare_presets(
    y: ArrayLike,
    score: ArrayLike,
    qid: ArrayLike | None = None,
    k: int | None = 10,
    max_grade: int | None = None,
    doc_id: ArrayLike | None = None,
) -> list[PresetValue]:
    """Return NDCG@k and ERR (over all documents) of one ranking under every preset, `paper` first.

    Parameters
    ----------
    y, score, qid, k, doc_id
        As in `refrank.metrics.ndcg`.
    max_grade : int, optional
        Highest grade for the ERR of the presets that have one; None: what the preset states.

    Returns
    -------
    list of PresetValue
        One a convention; a second name of the same convention (`mslr` of `letor`) is not repeated.

    Raises
    ------
    ValueError
        As `refrank.metrics.ndcg` and `refrank.metrics.err` do.

    Examples
    --------
    >>> values = compare_presets([1, 2, 0, 0], [3, 2, 1, 1], qid=[1, 1, 1, 2], k=3)
    >>> lightgbm = next(value for value in values if value.spec.name == "lightgbm")
    >>> round(lightgbm.ndcg, 4), [effect.rule for effect in lightgbm.effects]
    (0.8984, ['no_relevant'])
    """
    paper = PRESETS["paper"]
    highest = int(check_labels(y).max())

    def mean_ndcg(spec: MetricSpec) -> tuple[float, int, str | None]:
        if isinstance(spec.gain, tuple) and highest >= len(spec.gain):
            return math.nan, 0, f"label {highest} is beyond its table of gains"
        values = np.asarray(ndcg(y, score, qid, k, spec, per_query=True, doc_id=doc_id))
        n_counted = int((~np.isnan(values)).sum())
        if n_counted == 0:
            return math.nan, 0, "it skips every query"
        return mean_of_queries(values), n_counted, None

    def mean_err(spec: MetricSpec, n_counted: int) -> float | None:
        if spec.max_grade is None:
            return None
        return math.nan if n_counted == 0 else float(err(y, score, qid, None, spec, max_grade, doc_id=doc_id))

    alone: dict[MetricSpec, float] = {}  # the same exchange of one rule serves several presets

    def effect(spec: MetricSpec, rule: str) -> RuleEffect:
        exchanged = replace(paper, **{rule: getattr(spec, rule)})
        if exchanged not in alone:
            alone[exchanged] = mean_ndcg(exchanged)[0]
        return RuleEffect(rule, getattr(paper, rule), getattr(spec, rule), alone[exchanged])

    found = []
    for spec in dict.fromkeys(PRESETS.values()):
        value, n_counted, problem = mean_ndcg(spec)
        differing = [rule for rule in NDCG_RULES if getattr(spec, rule) != getattr(paper, rule)]
        effects = tuple(effect(spec, rule) for rule in differing)
        found.append(PresetValue(spec, value, mean_err(spec, n_counted), n_counted, effects, problem))
    return found
