"""The convention behind a DCG, NDCG or ERR: one frozen record of the choices that differ between tools.

McRank Eq. 1-3 define DCG and NDCG, COCR Eq. 8 defines ERR (iGBRT Eq. 4 and 5 with K = 4). Each choice that they leave
open, or that programs make differently, is a field of `MetricSpec`. The cut-off k is not a field: it is an argument
of each metric.
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

HIGHEST_LABEL = 53  # 2**53 - 1 is the last 2^y - 1 that float64 holds exactly


@dataclass(frozen=True)
class MetricSpec:
    """Every choice behind a DCG, NDCG or ERR except the cut-off k. The defaults are the preset `paper`.

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
        NDCG of a query in which every gain is 0. "skip" leaves the query out of the mean of every metric, "error"
        refuses it. With a number, the DCG and ERR of the query are 0, as their definitions say.
    short : {"as is", "zero"}, default "as is"
        Value of a query with fewer than k documents: computed as usual, or 0 for every ranking.
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
        if self.max_grade is not None:
            check_integer("max_grade", self.max_grade, 1, HIGHEST_LABEL)
        if isinstance(self.no_relevant, str):
            check_choice("no_relevant", self.no_relevant, ("skip", "error"))
        else:
            check_number("no_relevant", self.no_relevant, at_least=0, at_most=1)

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
