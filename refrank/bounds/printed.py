"""What `refrank bounds` prints: a report of bounds as tables, or as one object for JSON.

A bound says something about a query when the query has an error, some ranking of it is worse than another, and the
bound is below the error of the worst. "informative" is the share of such queries for which it is.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from refrank.bounds.report import DCG_BOUNDS, ERR_BOUNDS, BoundsReport

PARTS = (("dcg", DCG_BOUNDS), ("err", ERR_BOUNDS))
ABOUT = {
    "dcg": "DCG_g - DCG_pi, gain 2^y - 1, discount 1/log2(1+i), all documents",
    "err": "ERR_g - ERR_pi, R(y) = (2^y - 1)/2^max_grade, all documents",
}


def as_lines(report: BoundsReport, qid: Sequence[object]) -> Iterator[str]:
    """Write a table for DCG and one for ERR: a line a query, then the means and the share of informative ones.

    Parameters
    ----------
    report : BoundsReport
    qid : sequence of length n_queries
        Id of each query of the report.

    Examples
    --------
    >>> from refrank.bounds import report_bounds
    >>> for line in as_lines(report_bounds([0, 4, 1], [2.9, 2.6, 0.2]), ["a"]):
    ...     print(line[:54].rstrip())
    DCG_g - DCG_pi, gain 2^y - 1, discount 1/log2(1+i), al
    query        wrong     error   largest   mcrank_lemma1
    a                3    5.6670    7.5000         18.6569
    mean          3.00    5.6670    7.5000         18.6569
    informative                                         0%
    <BLANKLINE>
    ERR_g - ERR_pi, R(y) = (2^y - 1)/2^max_grade, all docu
    query        wrong     error   largest  igbrt_theorem1
    a                3    0.4694    0.6152          2.0826
    mean          3.00    0.4694    0.6152          2.0826
    informative                                         0%
    """
    share = informative(report)
    for part, names in PARTS:
        if part != PARTS[0][0]:
            yield ""
        columns = [report.per_query[name] for name in (f"{part}_error", f"largest_{part}_error", *names)]
        widths = [10, 10, *(max(len(name), 14) + 2 for name in names)]
        yield ABOUT[part]
        yield f"{'query':11}{'wrong':>7}" + cells(("error", "largest", *names), widths)
        for row, name in enumerate(qid):
            figures = [f"{column[row]:.4f}" for column in columns]
            yield f"{name!s:11}{report.n_errors[row]:7d}" + cells(figures, widths)
        means = [f"{mean(column):.4f}" for column in columns]
        yield f"{'mean':11}{mean(report.n_errors):7.2f}" + cells(means, widths)
        yield f"{'informative':18}" + cells(("", "", *(percent(share[name]) for name in names)), widths)


def as_document(report: BoundsReport, qid: Sequence[object]) -> dict[str, Any]:
    """Write the report as an object that JSON can hold; `informative` is null where no query has an error."""
    return {
        "n_queries": len(qid),
        "mean": report.mean,
        "informative": informative(report),
        "queries": [
            {"qid": name, "n_errors": int(report.n_errors[row])}
            | {column: float(values[row]) for column, values in report.per_query.items()}
            for row, name in enumerate(qid)
        ],
    }


def informative(report: BoundsReport) -> dict[str, float | None]:
    """Compute, for each bound, the share of queries with an error about which it says something."""
    share: dict[str, float | None] = {}
    for part, names in PARTS:
        largest = report.per_query[f"largest_{part}_error"]
        asked = (largest > 0) & (report.n_errors > 0)
        for name in names:
            says = np.count_nonzero((report.per_query[name] < largest)[asked])
            share[name] = float(says / np.count_nonzero(asked)) if asked.any() else None
    return share


def mean(column: np.ndarray) -> float:
    """Average over queries, rounded once."""
    return math.fsum(column) / len(column)


def cells(texts: Sequence[str], widths: Sequence[int]) -> str:
    """Put texts in columns, to the right."""
    return "".join(f"{text:>{width}}" for text, width in zip(texts, widths, strict=True))


def percent(share: float | None) -> str:
    """Write a share in percent, or "-" where there is none."""
    return "-" if share is None else f"{share:.0%}"
