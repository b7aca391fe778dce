"""Output of `refrank bounds`: a report of bounds as tables, or as one object for JSON.

A bound is informative for a query if it is below the error of the worst ranking. "informative" is the share of these
queries among those that have an error and rankings of different value.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from refrank.bounds.report import DCG_BOUNDS, ERR_BOUNDS, NDCG_BOUNDS, BoundsReport
from refrank.metrics.averaging import mean_of_queries

BOUNDS = {"dcg": DCG_BOUNDS, "ndcg": NDCG_BOUNDS, "err": ERR_BOUNDS}


def list_tables(k: int | None) -> dict[str, str]:
    """Map the name of each table to its title: one for DCG, one for NDCG@k if k is a number, and one for ERR."""
    places = "all documents" if k is None else f"documents at the places 1 to {k}"
    titles = {"dcg": f"DCG_g - DCG_pi, gain 2^y - 1, discount 1/log2(1+i), {places}"}
    if k is not None:
        titles["ndcg"] = f"1 - NDCG@{k}, the same DCG divided by its largest value"
    return titles | {"err": "ERR_g - ERR_pi, R(y) = (2^y - 1)/2^max_grade, all documents"}


def as_lines(report: BoundsReport, qid: Sequence[object]) -> Iterator[str]:
    """Write the tables: one line per query, then the means and the informative shares."""
    share = compute_informative(report)
    for part, title in list_tables(report.k).items():
        names = BOUNDS[part]
        if part != "dcg":
            yield ""
        columns = [f"{part}_error", f"largest_{part}_error", *names]
        widths = [10, 10, *(max(len(name), 14) + 2 for name in names)]
        yield title
        yield f"{'query':11}{'wrong':>7}" + align(("error", "largest", *names), widths)
        for row, name in enumerate(qid):
            figures = [f"{report.per_query[column][row]:.4f}" for column in columns]
            yield f"{name!s:11}{report.n_errors[row]:7d}" + align(figures, widths)
        means = [f"{report.mean[column]:.4f}" for column in columns]
        yield f"{'mean':11}{mean_of_queries(report.n_errors.astype(np.float64)):7.2f}" + align(means, widths)
        percents = ("-" if share[name] is None else f"{share[name]:.0%}" for name in names)
        yield f"{'informative':18}" + align(("", "", *percents), widths)


def as_document(report: BoundsReport, qid: Sequence[object]) -> dict[str, Any]:
    """Write the report as an object that JSON can hold; `informative` is null where no query has an error."""
    return {
        "n_queries": len(qid),
        "k": report.k,
        "mean": report.mean,
        "informative": compute_informative(report),
        "queries": [
            {"qid": name, "n_errors": int(report.n_errors[row])}
            | {column: float(values[row]) for column, values in report.per_query.items()}
            for row, name in enumerate(qid)
        ],
    }


def compute_informative(report: BoundsReport) -> dict[str, float | None]:
    """Compute, for each bound, the share of queries with an error for which it is informative."""
    share: dict[str, float | None] = {}
    for part, names in BOUNDS.items():
        largest = report.per_query[f"largest_{part}_error"]
        asked = (largest > 0) & (report.n_errors > 0)
        for name in names:
            says = (report.per_query[name] < largest)[asked]
            share[name] = float(says.mean()) if asked.any() else None
    return share


def align(texts: Sequence[str], widths: Sequence[int]) -> str:
    """Align texts to the right in columns of these widths."""
    return "".join(f"{text:>{width}}" for text, width in zip(texts, widths, strict=True))
