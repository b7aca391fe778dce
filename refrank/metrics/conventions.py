"""One ranking under every preset, and the rules that turn the figure of one convention into that of another.

symbol    in code       shape
N_Q       n_counted     one per preset, without the skipped queries
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, combinations

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats
from refrank.checks import check_labels, check_numbers
from refrank.metrics.averaging import mean_of_queries
from refrank.metrics.measures import RULES, Measure, parse_measure
from refrank.metrics.presets import PRESETS
from refrank.metrics.spec import HIGHEST_LABEL, MetricSpec

SAME = 1e-12  # figures that differ by no more are one: discounts and means round


@dataclass(frozen=True)
class RuleEffect:
    """One rule of a preset that differs from that of the base, the convention that it is compared with.

    Parameters
    ----------
    rule : str
        Name of the field of `MetricSpec`.
    base_choice, preset_choice : object
        Value of the field in the base, and in the preset.
    value : float
        The figure of the base with only this rule replaced; NaN if there is none.
    """

    rule: str
    base_choice: object
    preset_choice: object
    value: float


@dataclass(frozen=True, eq=False)
class PresetValue:
    """The figure of a ranking under one convention.

    Parameters
    ----------
    spec : MetricSpec
    value : float
        NaN where there is no figure.
    values : float64 array of shape (n_queries,)
        Of each query, by first appearance; NaN where it is skipped, and empty where there is no figure at all.
    n_counted : int
        Number of queries in the mean.
    effects : tuple of RuleEffect
        The rules that decide the metric and differ from those of the base.
    needed : tuple of str
        The fewest of these rules that turn the figure of the base into this one; none where they are the same.
    problem : str or None
        Why there is no figure.
    """

    spec: MetricSpec
    value: float
    values: Floats
    n_counted: int
    effects: tuple[RuleEffect, ...]
    needed: tuple[str, ...]
    problem: str | None


def compare_presets(
    y: ArrayLike,
    score: ArrayLike,
    qid: ArrayLike | None = None,
    measure: str | Measure = "ndcg@10",
    max_grade: int | None = None,
    doc_id: ArrayLike | None = None,
) -> list[PresetValue]:
    """Measure one ranking under every preset, and name the rules behind each figure.

    Parameters
    ----------
    y, score, qid, doc_id : as in `ndcg`
        Arrays are (n_samples,). A document of score NaN is not in the ranking, whatever the preset says of it.
    measure : str or Measure, default "ndcg@10"
        The metric, its cut-off, and the base with which each preset is compared, by default "paper". The base says from
        which label on a document is relevant.
    max_grade : int or None, default None
        Highest grade for ERR, for the presets that have one; None: the grade that the preset states.

    Returns
    -------
    list of PresetValue
        One per convention; a second name of a convention (`mslr` for `letor`) is left out.

    Examples
    --------
    >>> values = compare_presets([1, 2, 0, 0], [3, 2, 1, 1], [1, 1, 1, 2], "ndcg@3")
    >>> lightgbm = next(value for value in values if value.spec.name == "lightgbm")
    >>> round(lightgbm.value, 4), [effect.rule for effect in lightgbm.effects], lightgbm.needed
    (0.8984, ['no_relevant'], ('no_relevant',))
    """
    measure = parse_measure(measure) if isinstance(measure, str) else measure
    highest = int(check_labels(y, HIGHEST_LABEL).max())
    incomplete = bool(np.isnan(check_numbers("score", score, "scores must be numbers")).any())
    rules = (*RULES[measure.metric], "unranked") if incomplete else RULES[measure.metric]

    def adjust(spec: MetricSpec) -> MetricSpec:
        grade = spec.max_grade if spec.max_grade is None or max_grade is None else max_grade
        return replace(spec, max_grade=grade, unranked="as is" if spec.unranked == "error" else spec.unranked)

    @cache  # several presets may replace the same rules
    def evaluate(spec: MetricSpec) -> tuple[float, Floats, str | None]:
        if measure.metric == "err" and spec.max_grade is None:
            return math.nan, np.empty(0), "no highest grade is stated for ERR"
        if "gain" in rules and isinstance(spec.gain, tuple) and highest >= len(spec.gain):
            return math.nan, np.empty(0), f"label {highest} is beyond its table of gains"
        values = replace(measure, spec=spec)(y, score, qid, doc_id)
        skipped = np.isnan(values).all()
        return math.nan if skipped else mean_of_queries(values), values, "it skips every query" if skipped else None

    base, of_presets = adjust(measure.spec), []
    for preset, spec in ((preset, adjust(preset)) for preset in dict.fromkeys(PRESETS.values())):
        choices = {rule: getattr(spec, rule) for rule in rules if getattr(spec, rule) != getattr(base, rule)}
        effects = tuple(
            RuleEffect(rule, getattr(base, rule), choice, evaluate(replace(base, **{rule: choice}))[0])
            for rule, choice in choices.items()
        )
        value, values, problem = evaluate(replace(base, **choices))
        needed = next(
            subset
            for subset in list_subsets(choices)
            if problem or abs(evaluate(replace(base, **{rule: choices[rule] for rule in subset}))[0] - value) <= SAME
        )
        n_counted = len(values) - int(np.isnan(values).sum())
        of_presets.append(PresetValue(preset, value, values, n_counted, effects, needed, problem))
    return of_presets


def list_subsets(rules: dict[str, object]) -> Iterator[tuple[str, ...]]:
    """Yield the subsets of some rules, the smallest first."""
    return chain.from_iterable(combinations(rules, size) for size in range(len(rules) + 1))
