"""A measure by name: a metric, its cut-off and its convention in one word or two, such as "ndcg@10 lightgbm"."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from reprlib import repr as short
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats
from refrank.checks import check_choice
from refrank.metrics.binary import mean_average_precision, mean_reciprocal_rank, precision, recall
from refrank.metrics.cumulative_gain import dcg, ndcg
from refrank.metrics.presets import resolve_spec
from refrank.metrics.queries import check_cutoff
from refrank.metrics.reciprocal_rank import err
from refrank.metrics.spec import MetricSpec

METRICS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "ndcg": ndcg,
        "dcg": dcg,
        "err": err,
        "map": mean_average_precision,
        "mrr": mean_reciprocal_rank,
        "p": precision,
        "r": recall,
    }
)
SPELLINGS = {"ap": "map", "rr": "mrr", "precision": "p", "recall": "r"}  # of other programs, in any case of the letters
GRADED = ("gain", "discount", "ties", "no_relevant", "short")
BINARY = ("ties", "no_relevant", "short")
# The fields in which conventions of a metric differ; `unranked` is one more where a document has no rank.
RULES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "ndcg": GRADED,
        "dcg": GRADED,
        "err": ("max_grade", "ties", "no_relevant", "short"),
        "map": (*BINARY, "map_divisor", "map_no_relevant"),
        "mrr": BINARY,
        "p": (*BINARY, "precision_divisor"),
        "r": BINARY,
    }
)
RULE = 'it must be a metric, "@" and a cut-off if only the first documents count, and a convention if it is not "paper"'


@dataclass(frozen=True)
class Measure:
    """A metric at a cut-off, under a convention; called as a function, it measures each query.

    Parameters
    ----------
    metric : str
        "ndcg", "dcg", "err", "map", "mrr", "p" (precision) or "r" (recall).
    k : int or None
        How many documents count; None: all.
    spec : MetricSpec
        The convention.

    Examples
    --------
    >>> measure = parse_measure("ndcg@3")
    >>> measure([1, 2, 0, 0, 0], [3, 2, 1, 2, 1], qid=["a", "a", "a", "b", "b"])
    array([0.79670758, 0.        ])
    >>> print(measure, "and", parse_measure("dcg  lightgbm"))
    ndcg@3 and dcg lightgbm
    """

    metric: str
    k: int | None
    spec: MetricSpec

    def __call__(
        self, y: ArrayLike, score: ArrayLike, qid: ArrayLike | None = None, doc_id: ArrayLike | None = None
    ) -> Floats:
        """Measure each query, (n_queries,), by first appearance in `qid`; NaN where the convention skips it."""
        return np.asarray(METRICS[self.metric](y, score, qid, self.k, self.spec, per_query=True, doc_id=doc_id))

    def __str__(self) -> str:
        """Return the name, as `parse_measure` reads it."""
        cutoff = "" if self.k is None else f"@{self.k}"
        return f"{self.metric}{cutoff}" + ("" if self.spec.name == "paper" else f" {self.spec.name}")


def parse_measure(text: str) -> Measure:
    """Read a measure, such as "ndcg@10", "err" or "dcg@5 lightgbm".

    The spellings of ir_measures are read, too: "nDCG@10", "AP", "RR", "P@5", "Recall@10".

    Parameters
    ----------
    text : str
        A metric, in letters of any case; "@" and a cut-off, by default all documents; a space and a convention, by
        default "paper".

    Returns
    -------
    Measure

    Raises
    ------
    ValueError
        If the text names no metric, cut-off or convention.

    Examples
    --------
    >>> parse_measure("err@20 lightgbm")
    Traceback (most recent call last):
    ValueError: measure is 'err@20 lightgbm': the convention lightgbm has no ERR
    """
    parts = re.fullmatch(r"(\w+)(?:@(\d+))?(?: +(\S+))?", text)
    if parts is None:
        raise ValueError(f"measure is {short(text)}: {RULE}, such as 'ndcg@10' or 'err@5 yahoo'")
    metric, cutoff, convention = parts.groups()
    metric = SPELLINGS.get(metric.lower(), metric.lower())
    check_choice("measure", metric, METRICS)
    if cutoff is not None and int(cutoff) == 0:
        raise ValueError(f"measure is {short(text)}: its cut-off must be at least 1")
    spec = resolve_spec(convention or "paper")
    if metric == "err" and spec.max_grade is None:
        raise ValueError(f"measure is {short(text)}: the convention {spec.name} has no ERR")
    return Measure(metric, check_cutoff(int(cutoff) if cutoff else None), spec)
