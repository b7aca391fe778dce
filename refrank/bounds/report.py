r"""Every bound of `refrank.bounds` on a real ranking, per query and on average, beside the error itself.

A ranking by real-valued scores gives two kinds of predictions; the ranking sorts by both.

    symbol    in code       shape
    c_[i]     discount      (n,) of one query
    \hat y    grades        (n,), clip(rint(score), 0, max_grade)
    f         prediction    (n,), 2^clip(score, 0, max_grade) - 1
    K         max_grade
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats, Ints
from refrank.bounds import cross_entropy, dcg_error, err_error
from refrank.bounds.checks import check_loss_scores
from refrank.checks import check_integer, check_labels
from refrank.cocr.costs import LARGEST_MAX_GRADE
from refrank.metrics import dcg, err
from refrank.metrics.averaging import mean_of_queries
from refrank.metrics.discounts import tabulate_discounts
from refrank.metrics.queries import check_cutoff, group_rows

DCG_BOUNDS = (
    "mcrank_lemma1",
    "dcg_by_errors",
    "min_pairing",
    "dcg_threshold",
    "cossock_zhang_theorem2",
    "regression_error",
)
NDCG_BOUNDS = ("ndcg_error_cross_entropy", "ndcg_error_log_rank", *(f"ndcg_{name}" for name in DCG_BOUNDS))
ERR_BOUNDS = ("igbrt_theorem1", "err_by_errors", "err_rr_dcg", "err_oerr", "err_threshold", "cocr_theorem2")


@dataclass(frozen=True)
class BoundsReport:
    """Errors and bounds of a ranking.

    Parameters
    ----------
    first_row, n_errors : int64 array of shape (n_queries,)
        Row at which each query first appears, which gives the order of the queries; and the number of its documents
        whose predicted grade is not their label.
    per_query : dict of str to float64 array of shape (n_queries,)
        `dcg_error`, `largest_dcg_error` and the DCG bounds by their name in `refrank.bounds`; the same for `err`; and
        `ndcg_error`, which is 1 - NDCG@k, `largest_ndcg_error`, the bounds by the cross entropy, and the DCG bounds
        divided by the ideal DCG, with `ndcg_` before their names. The NDCG columns are 0 for a query without a relevant
        document.
    mean : dict of str to float
        Mean of each column over the queries.
    k : int or None
        The number of places that DCG and NDCG look at; None: all.
    """

    first_row: Ints
    n_errors: Ints
    per_query: dict[str, Floats]
    mean: dict[str, float]
    k: int | None = None


def report_bounds(
    y: ArrayLike, score: ArrayLike, qid: ArrayLike | None = None, max_grade: int = 4, k: int | None = None
) -> BoundsReport:
    """Compute the DCG, NDCG and ERR errors of a ranking by descending score, ties in row order, and every bound.

    Parameters
    ----------
    y, score : array-like of shape (n_samples,)
        Labels 0..max_grade, and scores on their scale.
    qid : array-like of shape (n_samples,), optional
        Query of each row; None: one query, with a warning, once, if it has more than 200 rows.
    max_grade : int, default 4
        Highest grade, from 1 to 31.
    k : int or None, default None
        Truncation L of DCG (McRank Eq. 2) and of NDCG, NDCG@k; None: all documents. ERR is never truncated.

    Returns
    -------
    BoundsReport

    Examples
    --------
    >>> report = report_bounds([0, 4, 1], [2.9, 2.6, 0.2])
    >>> [round(report.mean[name], 3) for name in ("dcg_error", "dcg_threshold", "mcrank_lemma1")]
    [5.667, 7.5, 18.657]
    >>> at_10 = report_bounds([0, 4, 1], [2.9, 2.6, 0.2], k=10)
    >>> [round(at_10.mean[name], 3) for name in ("ndcg_error", "ndcg_dcg_threshold", "ndcg_error_cross_entropy")]
    [0.363, 0.48, 0.555]
    """
    max_grade = check_integer("max_grade", max_grade, at_least=1, at_most=LARGEST_MAX_GRADE)
    labels = check_labels(y, highest=max_grade)
    scores = check_loss_scores(score, len(labels))
    queries, k = group_rows(qid, len(labels)), check_cutoff(k)
    dcg_of = partial(dcg, labels, qid=qid, k=k, per_query=True)
    err_of = partial(err, labels, qid=qid, max_grade=max_grade, per_query=True)
    lines = []
    for unranked in np.split(queries.rows, queries.starts[1:]):
        rows = unranked[np.argsort(-scores[unranked], kind="stable")]
        y, s = labels[rows], scores[rows]
        by_loss = {name: getattr(cross_entropy, name)(y, s, k) if y.any() else 0.0 for name in NDCG_BOUNDS[:2]}
        lines.append(_evaluate_bounds(y, np.clip(s, 0, max_grade), max_grade, k) | by_loss)
    columns = {name: np.array([line[name] for line in lines]) for name in lines[0]}
    n_errors = columns.pop("n_errors")
    per_query = {"dcg_error": np.subtract(dcg_of(labels), dcg_of(scores))}
    per_query |= {"err_error": np.subtract(err_of(labels), err_of(scores))} | columns
    per_query |= _divide_by_ideal(per_query, np.asarray(dcg_of(labels)))
    mean = {name: mean_of_queries(column) for name, column in per_query.items()}
    return BoundsReport(queries.rows[queries.starts], n_errors, per_query, mean, k)


def _divide_by_ideal(per_query: dict[str, Floats], ideal: Floats) -> dict[str, Floats]:
    """Return the columns of 1 - NDCG@k that follow from those of DCG: divided by the ideal, 0 where that is 0."""
    columns = {"ndcg_error": "dcg_error", "largest_ndcg_error": "largest_dcg_error"}
    columns |= {f"ndcg_{name}": name for name in DCG_BOUNDS}
    zeros, defined = np.zeros(len(ideal)), ideal > 0
    return {name: np.divide(per_query[of], ideal, out=zeros.copy(), where=defined) for name, of in columns.items()}


def _evaluate_bounds(y: Ints, clipped: Floats, max_grade: int, k: int | None) -> dict[str, float]:
    """Count the errors of one query, and evaluate every bound; labels and clipped scores, (n,), are in ranked order."""
    n, y_hat = len(y), np.rint(clipped).astype(np.int64)
    n_errors = int(np.count_nonzero(y != y_hat))
    # McRank Eq. 2
    discount = tabulate_discounts(n, k)
    gain, prediction = np.ldexp(1.0, y) - 1.0, np.exp2(clipped) - 1.0
    return {
        "n_errors": n_errors,
        "largest_dcg_error": dcg_error.largest_dcg_error(discount, y),
        "mcrank_lemma1": dcg_error.mcrank_lemma1(discount, n_errors, max_grade),
        "dcg_by_errors": dcg_error.dcg_by_errors(discount, n_errors, max_grade),
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
