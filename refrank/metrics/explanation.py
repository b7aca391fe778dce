"""An NDCG explained: one ranking position by position (McRank Eq. 1-3), and under every preset, rule by rule.

symbol       in code       shape
1/c_[i]      discount      one per position
y_sigma_i    label         one per position
DCG_g        ideal_dcg     scalar
N_Q          n_counted     one per preset, without the skipped queries
"""

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from refrank.checks import check_labels
from refrank.metrics.averaging import mean_of_queries
from refrank.metrics.cumulative_gain import gather_gains, ndcg
from refrank.metrics.discounts import tabulate_discounts
from refrank.metrics.ordering import rank_blocks
from refrank.metrics.presets import PRESETS, resolve_spec
from refrank.metrics.queries import check_cutoff, check_documents
from refrank.metrics.reciprocal_rank import err
from refrank.metrics.spec import HIGHEST_LABEL, MetricSpec, tabulate_gains

# The fields of a spec that decide an NDCG; `max_grade` decides ERR alone.
NDCG_RULES = ("gain", "discount", "ties", "no_relevant", "short")


@dataclass(frozen=True)
class ExplainedPosition:
    """One position of a ranking and what it adds to DCG.

    Parameters
    ----------
    position, row : int
        Counted from 1. Row number of the document; with averaged ties, of one of the documents that share its score.
    score, label : float, int
        Of that document.
    gain, discount : float
        Gain expected at the position: with averaged ties, the mean over the documents of that score. Its divisor.
    contribution, running_sum : float
        c_[i] times the gain, and DCG up to this position.
    ideal_label, ideal_running_sum : int, float
        Label of the best ranking at this position, and its DCG up to it.
    """

    position: int
    row: int
    score: float
    label: int
    gain: float
    discount: float
    contribution: float
    running_sum: float
    ideal_label: int
    ideal_running_sum: float


@dataclass(frozen=True)
class Explanation:
    """The positions that count, and the value they add up to; `str()` is a table.

    Parameters
    ----------
    spec : MetricSpec
    k : int or None
        Truncation level; None: all documents.
    n_documents : int
    positions : tuple of ExplainedPosition
    dcg, ideal_dcg, ndcg : float
        `ndcg` is NaN if the spec skips the query.
    rule : str
        How `ndcg` follows from the two sums.
    """

    spec: MetricSpec
    k: int | None
    n_documents: int
    positions: tuple[ExplainedPosition, ...]
    dcg: float
    ideal_dcg: float
    ndcg: float
    rule: str

    def __str__(self) -> str:
        """Return the convention, one line per position, and the result."""
        head = "position   row     score  label    gain  /discount  =contribution        sum | ideal label  ideal sum"
        lines = [
            f"{p.position:8d} {p.row:5d} {p.score:9.4g} {p.label:6d} {p.gain:7.4g} {p.discount:10.6f} "
            f"{p.contribution:14.6f} {p.running_sum:10.6f} | {p.ideal_label:11d} {p.ideal_running_sum:10.6f}"
            for p in self.positions
        ]
        where = "all documents" if self.k is None else f"k={self.k}"
        return "\n".join([str(self.spec), head, *lines, f"NDCG ({where}) = {self.ndcg:.6f}: {self.rule}"])


def explain(
    y: ArrayLike,
    score: ArrayLike,
    k: int | None = 10,
    spec: str | MetricSpec = "paper",
    doc_id: ArrayLike | None = None,
) -> Explanation:
    """Explain the ranking of one query, position by position, under a convention.

    Parameters
    ----------
    y, score, k, spec, doc_id : as in `ndcg`
        All rows, (n_samples,), are documents of one query.

    Returns
    -------
    Explanation

    Examples
    --------
    >>> print(explain([1, 2, 0], [3.0, 2.0, 1.0], k=2))
    paper: gain 2^y-1, discount log2(1+i), ties stable, no relevant = 0, short as is, ERR max grade 4
    position   row     score  label    gain  /discount  =contribution        sum | ideal label  ideal sum
           1     0         3      1       1   1.000000       1.000000   1.000000 |           2   3.000000
           2     1         2      2       3   1.584963       1.892789   2.892789 |           1   3.630930
    NDCG (k=2) = 0.796708: 2.892789 / 3.630930
    """
    spec, k = resolve_spec(spec), check_cutoff(k)
    qid = np.zeros(np.shape(y)[:1])  # one query, whatever its length
    documents = check_documents(y, score, qid, doc_id, spec)
    gain_of = tabulate_gains(spec, int(documents.labels.max()))
    (block,) = rank_blocks(documents, k, spec)
    n_documents = len(documents.labels)
    discount = tabulate_discounts(n_documents, k, spec.discount)[:k]  # (n_positions,), like all arrays below
    gains = gather_gains(block, gain_of, len(discount))[0]
    rows, best = block.rows[0, :k], block.best[0, :k]
    running, ideal = np.add.accumulate(gains * discount), np.add.accumulate(gain_of[best] * discount)
    place = np.arange(1, len(rows) + 1), rows, documents.scores[rows], documents.labels[rows]
    columns = *place, gains, 1.0 / discount, gains * discount, running, best, ideal
    positions = tuple(map(ExplainedPosition, *(column.tolist() for column in columns)))
    (value,) = ndcg(y, score, qid, k, spec, per_query=True, doc_id=doc_id).tolist()
    dcg, ideal_dcg = positions[-1].running_sum, positions[-1].ideal_running_sum
    if ideal_dcg == 0 and spec.no_relevant == "skip":
        rule = "no document has a gain, so the query is skipped"
    elif spec.short == "zero" and k is not None and n_documents < k:
        rule = f"{n_documents} documents are fewer than k={k}, so 0"
    elif ideal_dcg == 0:
        rule = f"no document has a gain, so {spec.no_relevant:g} by convention"
    else:
        rule = f"{dcg:.6f} / {ideal_dcg:.6f}"
    return Explanation(spec, k, n_documents, positions, dcg, ideal_dcg, value, rule)


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
        NDCG under the preset `paper` with only this rule replaced.
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
    ndcg, err : float
        NaN where there is no value; `err` is None where the preset states no highest grade.
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
    y, score, qid, k, doc_id : as in `ndcg`
        Arrays are (n_samples,); k is for NDCG alone.
    max_grade : int or None, default None
        Highest grade for the ERR of the presets that have one; None: the grade that the preset states.

    Returns
    -------
    list of PresetValue
        One per convention; a second name of a convention (`mslr` for `letor`) is left out.

    Examples
    --------
    >>> values = compare_presets([1, 2, 0, 0], [3, 2, 1, 1], qid=[1, 1, 1, 2], k=3)
    >>> lightgbm = next(value for value in values if value.spec.name == "lightgbm")
    >>> round(lightgbm.ndcg, 4), [effect.rule for effect in lightgbm.effects]
    (0.8984, ['no_relevant'])
    """
    paper = PRESETS["paper"]
    highest = int(check_labels(y, HIGHEST_LABEL).max())

    @cache  # several presets may replace the same rule
    def measure_ndcg(spec: MetricSpec) -> tuple[float, int, str | None]:
        if isinstance(spec.gain, tuple) and highest >= len(spec.gain):
            return math.nan, 0, f"label {highest} is beyond its table of gains"
        values = ndcg(y, score, qid, k, spec, per_query=True, doc_id=doc_id)
        n_counted = int((~np.isnan(values)).sum())
        if n_counted == 0:
            return math.nan, 0, "it skips every query"
        return mean_of_queries(values), n_counted, None

    values = []
    for spec in dict.fromkeys(PRESETS.values()):
        value, n_counted, problem = measure_ndcg(spec)
        reciprocal_rank = None if spec.max_grade is None else math.nan
        if spec.max_grade is not None and n_counted:
            reciprocal_rank = err(y, score, qid, None, spec, max_grade, doc_id=doc_id)
        effects = tuple(
            RuleEffect(rule, getattr(paper, rule), choice, measure_ndcg(replace(paper, **{rule: choice}))[0])
            for rule in NDCG_RULES
            if (choice := getattr(spec, rule)) != getattr(paper, rule)
        )
        values.append(PresetValue(spec, value, reciprocal_rank, n_counted, effects, problem))
    return values
