"""The conventions of DCG, NDCG and ERR: one frozen record of what tools decide differently.

McRank Eq. 1-3 define DCG and NDCG, COCR Eq. 8 defines ERR (Mohan et al. Sec. 2 the same). What they leave to
the reader, and what programs decide differently, is a field of `MetricSpec`. Only the cut-off k is not a
field: it is an argument of each metric.

    symbol      in code          what it is
    2^y - 1     gain             worth of a document with label y
    c_[i]       discount         weight of position i, counted from 1
    K           max_grade        the highest label there can be (ERR)
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

Gain = Literal["2^y-1", "y"] | tuple[float, ...]
Discount = Literal["log2(1+i)", "ln(1+i)", "letor"]
Ties = Literal["stable", "worst", "best", "averaged", "document id descending"]
NoRelevant = float | Literal["skip", "error"]
Short = Literal["as is", "zero"]

DISCOUNTS = ("log2(1+i)", "ln(1+i)", "letor")
TIES = ("stable", "worst", "best", "averaged", "document id descending")
HIGHEST_LABEL = 53  # 2**53 - 1 is the last 2^y - 1 that float64 holds exactly


@dataclass(frozen=True)
class MetricSpec:
    """Every choice behind a DCG, NDCG or ERR except the cut-off k. The defaults are the preset `paper`.

    Parameters
    ----------
    name : str
        What the figure is called when it is printed.
    gain : {"2^y-1", "y"} or tuple of float
        Worth of a document with label y in DCG; a tuple lists it for y = 0, 1, 2, ...: from 0 on,
        never decreasing.
    discount : {"log2(1+i)", "ln(1+i)", "letor"}
        Divisor of the gain at position i = 1, 2, ...; "letor" divides positions 1 and 2 by 1, position i >= 3
        by log2(i).
    max_grade : int or None
        Highest label K in the stopping probability (2^y-1)/2^K of ERR. None: the tool has no such ERR, and
        `err` asks for its argument `max_grade`. It is never taken from the data.
    ties : {"stable", "worst", "best", "averaged", "document id descending"}
        Order of equal scores within a query: as the rows come; lower label first; higher label first; the
        expected value over all orders, computed exactly; larger document id first.
    no_relevant : float, "skip" or "error"
        NDCG of a query in which every gain is 0. "skip" leaves the query out of the mean of every metric,
        "error" refuses it; with a number, its DCG and ERR are 0, as their definitions say.
    short : {"as is", "zero"}
        A query with fewer than k documents: its own value, or 0 whatever its ranking.
    checked_against : str or None
        The program and version whose output `benchmarks/metric_vectors.py` compared; None: not compared,
        written from the description of the tool alone.
    note : str
        What else to know before comparing figures with the tool.

    Raises
    ------
    ValueError
        If a field holds none of the values above.

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
        """Refuse a field value that no rule stands for."""
        if isinstance(self.gain, str):
            _one_of("gain", self.gain, ("2^y-1", "y"))
        else:
            _check_gain_table(self.gain)
        _one_of("discount", self.discount, DISCOUNTS)
        _one_of("ties", self.ties, TIES)
        _one_of("short", self.short, ("as is", "zero"))
        if self.max_grade is not None:
            check_max_grade(self.max_grade)
        if isinstance(self.no_relevant, str):
            _one_of("no_relevant", self.no_relevant, ("skip", "error"))
        elif not 0 <= self.no_relevant <= 1:
            raise ValueError(
                f"no_relevant={self.no_relevant!r}: must be a number from 0 to 1, 'skip' or 'error'"
            )

    def __str__(self) -> str:
        """Return the convention in one line, to print beside a figure."""
        gain = self.gain if isinstance(self.gain, str) else "table " + ",".join(f"{g:g}" for g in self.gain)
        none = self.no_relevant if isinstance(self.no_relevant, str) else f"= {self.no_relevant:g}"
        grade = "not set" if self.max_grade is None else self.max_grade
        return (
            f"{self.name}: gain {gain}, discount {self.discount}, ties {self.ties}, no relevant {none}, "
            f"short {self.short}, ERR max grade {grade}"
        )


def relevance_gain(spec: MetricSpec, highest: int) -> np.ndarray:
    """Return the gain of each label 0..highest, shape (highest + 1,).

    Raises
    ------
    ValueError
        If the spec's table ends before label `highest`.

    Examples
    --------
    >>> relevance_gain(MetricSpec("paper"), 4)
    array([ 0.,  1.,  3.,  7., 15.])
    """
    labels = np.arange(highest + 1)
    if spec.gain == "2^y-1":
        return np.ldexp(1.0, labels) - 1.0
    if spec.gain == "y":
        return labels.astype(np.float64)
    if highest >= len(spec.gain):
        raise ValueError(
            f"y holds label {highest}, but the gain table of spec {spec.name!r} "
            f"ends at label {len(spec.gain) - 1}"
        )
    return np.array(spec.gain[: highest + 1], dtype=np.float64)


def check_max_grade(max_grade: int) -> int:
    """Return `max_grade` as an int if it is an integer from 1 to 53.

    Raises
    ------
    ValueError
        If it is not.

    Examples
    --------
    >>> check_max_grade(4)
    4
    """
    if not isinstance(max_grade, int | np.integer) or not 1 <= max_grade <= HIGHEST_LABEL:
        raise ValueError(f"max_grade={max_grade!r}: must be an integer from 1 to {HIGHEST_LABEL}")
    return int(max_grade)


def _one_of(field: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{field}={value!r}: must be one of {', '.join(map(repr, allowed))}")


def _check_gain_table(table: object) -> None:
    rule = "a table of gains is a tuple of finite numbers that begins with 0 (label 0) and never decreases"
    if not isinstance(table, tuple) or not table:
        raise ValueError(f"gain={table!r}: must be '2^y-1', 'y' or a table; {rule}")
    gains = np.array(table, dtype=np.float64)
    bad = ~np.isfinite(gains) | (np.diff(gains, prepend=gains[0]) < 0)
    bad[0] |= gains[0] != 0
    if bad.any():
        label = int(np.argmax(bad))
        raise ValueError(f"gain={table!r}: the entry of label {label} is {gains[label]}; {rule}")
