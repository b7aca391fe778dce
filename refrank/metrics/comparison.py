"""One ranking under every preset, and the rules that make each value differ from the papers' convention.

symbol    in code      shape
NDCG_F    ndcg         one per preset
N_Q       n_counted    one per preset, without the skipped queries
"""

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from refrank.checks import check_labels
from refrank.metrics.averaging import mean_of_queries
from refrank.metrics.cumulative_gain import ndcg
from refrank.metrics.presets import PRESETS
from refrank.metrics.reciprocal_rank import err
from refrank.metrics.spec import HIGHEST_LABEL, MetricSpec

# The fields of a spec that decide an NDCG; `max_grade` decides ERR alone.
NDCG_RULES = ("gain", "discount", "ties", "no_relevant", "short")


@dataclass(frozen=True)
class RuleEffect:
    """One rule of a preset that differs from the papers' rule, and its effect on its own.

    Parameters
    ----------
    rule : str
        Name of the field of `MetricSpec`.
    paper_choice, preset_choice : object
        Value of the field in the preset `paper`, and in this one.
    ndcg : float
        NDCG under the preset `paper` with only this rule exchanged.
    """

    rule: str
    paper_choice: object
    preset_choice: object
    ndcg: float


@dataclass(frozen=True)
class PresetValue:
    """Value of a ranking under one convention.

    Parameters
    ----------
    spec : MetricSpec
    ndcg : float
        NaN where there is no value.
    err : float or None
        None: the preset states no highest grade.
    n_counted : int
        Number of queries in the mean.
    effects : tuple of RuleEffect
        Empty for `paper` and for conventions that equal it.
    problem : str or None
        Why there is no value.
    """

    spec: MetricSpec
    ndcg: float
    err: float | None
    n_counted: int
    effects: tuple[RuleEffect, ...]
    problem: str | None


def compare_presets(
    y: ArrayLike,
    score: ArrayLike,
    qid: ArrayLike | None = None,
    k: int | None = 10,
    max_grade: int | None = None,
    doc_id: ArrayLike | None = None,
) -> list[PresetValue]:
    """Compute NDCG@k and ERR (over all documents) of one ranking under every preset, `paper` first.

    Parameters
    ----------
    y, score : array-like of shape (n_samples,)
        Labels: integers from 0 to 53, or floats without a fraction. Scores; the highest is ranked first.
    qid, doc_id : array-like of shape (n_samples,), optional
        Query of each row, in any order; None: one query. Document ids, read for the tie rule "document id descending"
        only; None: the row numbers.
    k : int or None, default 10
        Truncation level of NDCG; None: all documents.
    max_grade : int or None, default None
        Highest grade for the ERR of the presets that have one; None: the grade that the preset states.

    Returns
    -------
    list of PresetValue
        One per convention: a second name of the same one (`mslr` for `letor`) is not repeated.

    Examples
    --------
    >>> values = compare_presets([1, 2, 0, 0], [3, 2, 1, 1], qid=[1, 1, 1, 2], k=3)
    >>> lightgbm = next(value for value in values if value.spec.name == "lightgbm")
    >>> round(lightgbm.ndcg, 4), [effect.rule for effect in lightgbm.effects]
    (0.8984, ['no_relevant'])
    """
    paper = PRESETS["paper"]
    highest = int(check_labels(y, HIGHEST_LABEL).max())

    @cache  # the same exchange of one rule serves several presets
    def measure_ndcg(spec: MetricSpec) -> tuple[float, int, str | None]:
        if isinstance(spec.gain, tuple) and highest >= len(spec.gain):
            return math.nan, 0, f"label {highest} is beyond its table of gains"
        values = np.asarray(ndcg(y, score, qid, k, spec, per_query=True, doc_id=doc_id))
        n_counted = int((~np.isnan(values)).sum())
        if n_counted == 0:
            return math.nan, 0, "it skips every query"
        return mean_of_queries(values), n_counted, None

    def measure_err(spec: MetricSpec, n_counted: int) -> float | None:
        if spec.max_grade is None:
            return None
        return math.nan if n_counted == 0 else float(err(y, score, qid, None, spec, max_grade, doc_id=doc_id))

    found = []
    for spec in dict.fromkeys(PRESETS.values()):
        value, n_counted, problem = measure_ndcg(spec)
        differing = {rule: getattr(spec, rule) for rule in NDCG_RULES if getattr(spec, rule) != getattr(paper, rule)}
        effects = tuple(
            RuleEffect(rule, getattr(paper, rule), choice, measure_ndcg(replace(paper, **{rule: choice}))[0])
            for rule, choice in differing.items()
        )
        found.append(PresetValue(spec, value, measure_err(spec, n_counted), n_counted, effects, problem))
    return found
