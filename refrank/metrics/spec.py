"""The convention behind a figure: one frozen record of the choices that differ between tools.

McRank Eq. 1-3 define DCG and NDCG, COCR Eq. 8 defines ERR (iGBRT Eq. 4 and 5 with K = 4); `binary` defines MAP, MRR,
precision and recall. Each choice that the definitions leave open, or that programs make differently, is a field of
`MetricSpec`. The cut-off k is not a field: it is an argument of each metric.
"""

from dataclasses import dataclass
from reprlib import repr as short
from typing import Literal, get_args

import numpy as np

from refrank.arrays import Floats
from refrank.checks import check_choice, check_integer, check_number

Gain = Literal["2^y-1", "y"] | tuple[float, ...]
Discount = Literal["log2(1+i)", "ln(1+i)", "letor"]
Ties = Literal["stable", "worst", "best", "averaged", "document id descending"]
NoRelevant = float | Literal["skip", "error"]
Short = Literal["as is", "zero"]
Unranked = Literal["error", "as is", "skip"]
DivisorOfMap = Literal["relevant", "at most k"]
DivisorOfPrecision = Literal["k", "at most documents"]

HIGHEST_LABEL = 53  # 2**53 - 1 is the last 2^y - 1 that float64 holds exactly


@dataclass(frozen=True)
class MetricSpec:
    """Every choice behind a figure except the cut-off k. The defaults are the preset `paper`.

    Parameters
    ----------
    name : str
        Name to print beside a figure.
    gain : {"2^y-1", "y"} or tuple of float, default "2^y-1"
        Gain of a document with label y in DCG. A tuple lists the gains of y = 0, 1, 2, ...: the first is 0, and they
        never decrease.
    discount : {"log2(1+i)", "ln(1+i)", "letor"}, default "log2(1+i)"
        Divisor of the gain at position i = 1, 2, ...; "letor" divides positions 1 and 2 by 1, and position i >= 3 by
        log2(i).
    max_grade : int or None, default 4
        Highest label K in the stopping probability (2^y-1)/2^K of ERR. None: the tool has no such ERR, and `err`
        requires its argument `max_grade`. It is never taken from the data.
    ties : {"stable", "worst", "best", "averaged", "document id descending"}, default "stable"
        Order of equal scores within a query: row order; lower label first; higher label first; the expected value
        over all orders, computed exactly; larger document id first.
    no_relevant : float, "skip" or "error", default 0.0
        NDCG of a query in which every gain is 0, and MAP and recall of a query without relevant documents. "skip"
        leaves the query out of the mean of every metric, "error" refuses it. With a number, the other metrics of the
        query are 0, as their definitions say.
    short : {"as is", "zero"}, default "as is"
        Value of a query with fewer than k ranked documents: computed as usual, or 0 for every ranking.
    unranked : {"error", "as is", "skip"}, default "error"
        Documents of score NaN: refused; or left out of the ranking, as a document that was judged but is not in a TREC
        run. It has no position, but counts in the ideal DCG, and among the relevant documents of MAP and recall. A
        query without any ranked document is then computed as usual ("as is"), or left out of every mean ("skip").
    relevant : int, default 1
        Lowest label of a relevant document, for MAP, MRR, precision and recall.
    map_divisor : {"relevant", "at most k"}, default "relevant"
        MAP at k divides by the number of relevant documents, or by k if that is less.
    precision_divisor : {"k", "at most documents"}, default "k"
        Precision at k divides by k, or by the number of ranked documents if that is less.
    map_no_relevant : float or None, default None
        MAP of a query without relevant documents, where it differs from `no_relevant`. None: it does not.
    checked_against : str or None, default None
        Program and version whose output `benchmarks/accuracy/metric_vectors.py` compared. None: not compared; the
        record follows a description of the tool.
    note : str, default ""
        Further advice for comparing figures with the tool.

    Examples
    --------
    >>> print(MetricSpec("mine", gain="y", no_relevant=1.0))
    mine: gain y, discount log2(1+i), ties stable, no relevant = 1, short as is, ERR max grade 4
    """

    name: str
    gain: Gain = "2^y-1"
    discount: Discount = "log2(1+i)"
    max_grade: int | None = 4
    ties: Ties = "stable"
    no_relevant: NoRelevant = 0.0
    short: Short = "as is"
    unranked: Unranked = "error"
    relevant: int = 1
    map_divisor: DivisorOfMap = "relevant"
    precision_divisor: DivisorOfPrecision = "k"
    map_no_relevant: float | None = None
    checked_against: str | None = None
    note: str = ""

    def __post_init__(self) -> None:
        """Refuse a field value that names no rule."""
        if isinstance(self.gain, str):
            check_choice("gain", self.gain, ("2^y-1", "y"))
        else:
            self._check_gain_table()
        check_choice("discount", self.discount, get_args(Discount))
        check_choice("ties", self.ties, get_args(Ties))
        check_choice("short", self.short, get_args(Short))
        check_choice("unranked", self.unranked, get_args(Unranked))
        check_choice("map_divisor", self.map_divisor, get_args(DivisorOfMap))
        check_choice("precision_divisor", self.precision_divisor, get_args(DivisorOfPrecision))
        check_integer("relevant", self.relevant, 1, HIGHEST_LABEL)
        if self.max_grade is not None:
            check_integer("max_grade", self.max_grade, 1, HIGHEST_LABEL)
        if isinstance(self.no_relevant, str):
            check_choice("no_relevant", self.no_relevant, ("skip", "error"))
        else:
            check_number("no_relevant", self.no_relevant, at_least=0, at_most=1)
        if self.map_no_relevant is not None:
            check_number("map_no_relevant", self.map_no_relevant, at_least=0, at_most=1)

    def _check_gain_table(self) -> None:
        if not isinstance(self.gain, tuple) or not self.gain:
            raise ValueError(f"gain is {short(self.gain)}: it must be '2^y-1', 'y' or a tuple of numbers")
        gains = np.array(self.gain, dtype=np.float64)
        wrong = ~np.isfinite(gains) | (np.diff(gains, prepend=gains[0]) < 0)
        wrong[0] |= gains[0] != 0
        if wrong.any():
            at, rule = int(np.argmax(wrong)), "gains must be finite, begin with 0 and never decrease"
            raise ValueError(f"gain at label {at} is {gains[at]}: {rule}")

    def __str__(self) -> str:
        """Return the convention in one line, to print beside a figure."""
        gain = self.gain if isinstance(self.gain, str) else "table " + ",".join(f"{g:g}" for g in self.gain)
        none = self.no_relevant if isinstance(self.no_relevant, str) else f"= {self.no_relevant:g}"
        grade = "not set" if self.max_grade is None else self.max_grade
        return (
            f"{self.name}: gain {gain}, discount {self.discount}, ties {self.ties}, no relevant {none}, "
            f"short {self.short}, ERR max grade {grade}"
        )


def tabulate_gains(spec: MetricSpec, highest: int) -> Floats:
    """Return the gain of each label 0..highest, shape (highest + 1,)."""
    labels = np.arange(highest + 1)
    if spec.gain == "2^y-1":
        return np.ldexp(1.0, labels) - 1.0
    if spec.gain == "y":
        return labels.astype(np.float64)
    if highest >= len(spec.gain):
        rule = f"labels must be at most {len(spec.gain) - 1}, where the gain table of spec {spec.name!r} ends"
        raise ValueError(f"y holds label {highest}: {rule}")
    return np.array(spec.gain[: highest + 1], dtype=np.float64)
