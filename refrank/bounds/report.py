r"""Every bound of `refrank.bounds` on a real ranking, per query and on average, beside the error itself.

A ranking by real-valued scores is read as predictions in two ways, both of which the ranking sorts by:
grades yhat = clip(rint(score), 0, max_grade) and gains f = 2^clip(score, 0, max_grade) - 1.
"""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from refrank.bounds import dcg_error, err_error
from refrank.metrics import dcg, err
from refrank.metrics.queries import check_cutoff, check_labels, check_scores, group_rows

DCG_BOUNDS = ("mcrank_lemma1", "min_pairing", "dcg_threshold", "cossock_zhang_theorem2", "regression_error")
ERR_BOUNDS = ("igbrt_theorem1", "err_by_errors", "err_rr_dcg", "err_oerr", "err_threshold", "cocr_theorem2")


@dataclass(frozen=True)
class BoundsReport:
    """Errors and bounds of a ranking.

    Attributes
    ----------
    first_row : ndarray of shape (n_queries,)
        The row at which each query first appears; queries stand in this order.
    n_errors : ndarray of shape (n_queries,)
        Documents whose predicted grade is not their label.
    per_query : dict of str to ndarray of shape (n_queries,)
        `dcg_error`, `largest_dcg_error`, the DCG bounds by their name in `refrank.bounds`; `err_error`,
        `largest_err_error` and the ERR bounds.
    mean : dict of str to float
        Over the queries, of each column.
    """

    first_row: np.ndarray
    n_errors: np.ndarray
    per_query: dict[str, np.ndarray]
    mean: dict[str, float]


def report_bounds(
    y: ArrayLike, score: ArrayLike, qid: ArrayLike | None = None, max_grade: int = 4, k: int | None = None
) -> BoundsReport:
    """Compute the DCG and ERR errors of a ranking by descending score, ties in row order, and every bound.

    Parameters
    ----------
    y : array_like of shape (n_samples,)
        Labels 0..max_grade.
    score : array_like of shape (n_samples,)
        On the scale of the labels.
    qid : array_like of shape (n_samples,), optional
        Query of each row; one query by default.
    max_grade : int
        Highest grade, from 1 to 31.
    k : int, optional
        Truncation L of DCG (McRank Eq. 2); all documents by default. ERR is never truncated.

    Returns
    -------
    BoundsReport

    Raises
    ------
    ValueError
        As `refrank.metrics.dcg`; if a label is above max_grade, or max_grade is out of range.

    Examples
    --------
    >>> report = report_bounds([0, 4, 1], [2.9, 2.6, 0.2])
    >>> [round(report.mean[name], 3) for name in ("dcg_error", "dcg_threshold", "mcrank_lemma1")]
    [5.667, 7.5, 18.657]
    """
    labels = check_labels(y)
    scores = check_scores(score, len(labels))
    queries, k = group_rows(qid, len(labels)), check_cutoff(k)
    _check_grades(labels, max_grade)
    dcg_of = partial(dcg, labels, qid=qid, k=k, per_query=True)
    err_of = partial(err, labels, qid=qid, max_grade=max_grade, per_query=True)
    lines, errors = [], []
    for start, length in zip(queries.starts, queries.lengths, strict=True):
        rows = queries.rows[start : start + length]
        rows = rows[np.argsort(-scores[rows], kind="stable")]
        ranked = labels[rows].astype(np.int64)
        clipped = np.clip(scores[rows], 0, max_grade)
        grades = np.rint(clipped).astype(np.int64)
        errors.append(np.count_nonzero(ranked != grades))
        lines.append(_bounds_of(ranked, grades, np.exp2(clipped) - 1.0, max_grade, k))
    per_query = {"dcg_error": np.subtract(dcg_of(labels), dcg_of(scores))}
    per_query["err_error"] = np.subtract(err_of(labels), err_of(scores))
    per_query |= {name: np.array([line[name] for line in lines]) for name in lines[0]}
    mean = {name: math.fsum(column) / len(lines) for name, column in per_query.items()}
    return BoundsReport(queries.rows[queries.starts], np.array(errors), per_query, mean)


def _bounds_of(
    y: np.ndarray, y_hat: np.ndarray, prediction: np.ndarray, max_grade: int, k: int | None
) -> dict[str, float]:
    """Every bound for one query in the order of its ranking."""
    n, n_errors = len(y), int(np.count_nonzero(y != y_hat))
    # McRank Eq. 2
    place = np.arange(1, n + 1)
    discount = np.where(place <= (k or n), 1.0 / np.log2(1.0 + place), 0.0)
    gain = np.exp2(y) - 1.0
    return {
        "largest_dcg_error": dcg_error.largest_dcg_error(discount, y),
        "mcrank_lemma1": dcg_error.mcrank_lemma1(discount, n_errors, max_grade),
        "min_pairing": dcg_error.min_pairing(discount, y, y_hat),
        "dcg_threshold": dcg_error.dcg_threshold(discount, y, y_hat),
        "cossock_zhang_theorem2": dcg_error.cossock_zhang_theorem2(discount, gain, prediction),
        "regression_error": dcg_error.regression_error(discount, gain, prediction),
        "largest_err_error": err_error.largest_err_error(y, max_grade),
        "igbrt_theorem1": err_error.igbrt_theorem1(n_errors, max_grade),
        "err_by_errors": err_error.err_by_errors(n, n_errors, max_grade),
        "err_rr_dcg": err_error.err_rr_dcg(y, max_grade),
        "err_oerr": err_error.err_oerr(y, y_hat, max_grade),
        "err_threshold": err_error.err_threshold(y, y_hat, max_grade),
        "cocr_theorem2": err_error.cocr_theorem2(y, y_hat, max_grade),
    }


def _check_grades(labels: np.ndarray, max_grade: int) -> None:
    if isinstance(max_grade, bool) or not isinstance(max_grade, int | np.integer) or not 1 <= max_grade <= 31:
        raise ValueError(f"max_grade={max_grade!r}: must be an integer from 1 to 31")
    if labels.max() > max_grade:
        row = int(np.argmax(labels > max_grade))
        raise ValueError(f"y[{row}] is {int(labels[row])}: labels must not exceed max_grade={max_grade}")
