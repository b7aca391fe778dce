"""Expected reciprocal rank (ERR): COCR Sec. 4.1, Eq. 8; iGBRT App. A, Eq. 4 and 5.

    symbol                  in code        shape
    R(y) = (2^y - 1)/2^K    stop           (n_block, width), probability that the user stops at the document, once there
    prod_{j<i} (1 - R)      examination    (n_block, width), probability that the user examines position i
    K                       max_grade

The sum and the product start at position 1, so a plain loop gives bit-for-bit identical values.
"""

from functools import partial
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Bools, Floats
from refrank.checks import check_entries, check_integer
from refrank.metrics.averaging import evaluate_queries
from refrank.metrics.ordering import RankedBlock
from refrank.metrics.presets import resolve_spec
from refrank.metrics.queries import check_cutoff, check_documents
from refrank.metrics.spec import HIGHEST_LABEL, MetricSpec


@overload
def err(
    y: ArrayLike,
    score: ArrayLike,
    qid: ArrayLike | None = ...,
    k: int | None = ...,
    spec: str | MetricSpec = ...,
    max_grade: int | None = ...,
    per_query: Literal[False] = ...,
    doc_id: ArrayLike | None = ...,
) -> float: ...
@overload
def err(
    y: ArrayLike,
    score: ArrayLike,
    qid: ArrayLike | None = ...,
    k: int | None = ...,
    spec: str | MetricSpec = ...,
    max_grade: int | None = ...,
    *,
    per_query: Literal[True],
    doc_id: ArrayLike | None = ...,
) -> Floats: ...
def err(
    y: ArrayLike,
    score: ArrayLike,
    qid: ArrayLike | None = None,
    k: int | None = None,
    spec: str | MetricSpec = "paper",
    max_grade: int | None = None,
    per_query: bool = False,
    doc_id: ArrayLike | None = None,
) -> float | Floats:
    """Compute the expected reciprocal rank of the position at which a user stops, COCR Eq. 8.

    Parameters
    ----------
    y, score, qid, spec, per_query, doc_id : as in `ndcg`
    k : int or None, default None
        Number of positions that the user examines; None: all documents.
    max_grade : int or None, default None
        The highest possible label, K, which no label may exceed; None: the spec's, if it states one. It is never taken
        from the data, because the data's own maximum may be lower, and every value would change.

    Returns
    -------
    float or float64 array of shape (n_queries,)
        The mean over queries, or the value of each query, from 0 to below 1: 0 without a relevant document, unless the
        spec skips or refuses it.

    Examples
    --------
    >>> err([4, 2, 0], [3.0, 2.0, 1.0])  # 15/16 + (1/2)(1/16)(3/16)
    0.943359375
    """
    spec, k = resolve_spec(spec), check_cutoff(k)
    documents = check_documents(y, score, qid, doc_id, spec)
    stated = spec.max_grade if max_grade is None else max_grade
    if stated is None:
        reason = f"spec {spec.name!r} states no highest grade for ERR, and it is never taken from the data"
        raise ValueError(f"max_grade is None: it must be an integer, because {reason}")
    grade = check_integer("max_grade", stated, 1, HIGHEST_LABEL)
    check_entries("y", documents.labels, documents.labels > grade, f"labels must be at most max_grade, {grade}")
    value_of = partial(expect_reciprocal_ranks, stop_of=tabulate_stop_probability(grade), k=k)
    return evaluate_queries(documents, k, spec, per_query, value_of)


def expect_reciprocal_ranks(block: RankedBlock, stop_of: Floats, k: int | None) -> tuple[Floats, Bools]:
    """Return the ERR of each query, and whether it has a relevant document, (n_block,) each; `stop_of` is R(y)."""
    stop = stop_of.take(block.labels)  # (n_block, width); 0 in the padding
    examination = compute_examination_probability(stop)
    stops_here = examination * stop
    if block.tied is not None:
        _average_over_ties(stops_here, examination, stop, block.tied)
    # COCR Eq. 8: sum_i 1/i R(y_sigma(i)) prod_{j<i} (1 - R(y_sigma(j)))
    # iGBRT Eq. 4: ERR = sum_i C(i) R(y_sigma_i)
    position = np.arange(1.0, stop.shape[1] + 1.0)
    running = np.add.accumulate(stops_here[:, :k] / position[:k], axis=1)
    return running[:, -1], block.best[:, 0] > 0


def tabulate_stop_probability(max_grade: int) -> Floats:
    """Return R(y) = (2^y - 1)/2^K for y = 0..K, shape (max_grade + 1,); every value is exact."""
    # COCR Eq. 8: R(y) = (2^y - 1) / 2^K
    return np.ldexp(np.ldexp(1.0, np.arange(max_grade + 1)) - 1.0, -max_grade)


def compute_examination_probability(stop: Floats) -> Floats:
    """Return the probability that the user examines each position; `stop`, (..., width), is in ranked order."""
    # COCR Eq. 8: prod_{j=1}^{i-1} (1 - R(y_sigma(j))), defined to be 1 when i = 1
    # iGBRT Eq. 5: C(i) = 1/i prod_{j=1}^{i-1} (1 - R(y_sigma_j))
    examination = np.ones_like(stop)
    np.multiply.accumulate(1.0 - stop[..., :-1], axis=-1, out=examination[..., 1:])
    return examination


def average_examination_probability(stop: Floats) -> Floats:
    """Return the mean, over all orders of tied documents, of the probability that the user passes the first j of them.

    From the m stopping probabilities of a tied group, (m,), it makes the m + 1 means a_j, j = 0..m: relative to the
    group's first position, the probability that the user examines its position j + 1. That is the elementary symmetric
    polynomial e_j of the probabilities of not stopping, divided by the binomial (m over j), and is built by adding one
    document at a time: among n + 1 documents the new one is among the first j with probability j/(n + 1), so

        a_j  <-  ((n + 1 - j) a_j + j (1 - stop) a_{j-1}) / (n + 1).

    Nothing is subtracted, so nothing cancels. Documents that never stop the user come first: they leave every a_j at 1.
    """
    stopping = stop[stop > 0]
    average = np.zeros(len(stop) + 1)
    average[: len(stop) - len(stopping) + 1] = 1.0
    for n, probability in enumerate(stopping, start=len(stop) - len(stopping) + 1):
        j = np.arange(1.0, n + 1.0)
        average[1 : n + 1] = ((n - j) * average[1 : n + 1] + j * (1.0 - probability) * average[:n]) / n
    return average


def _average_over_ties(stops_here: Floats, examination: Floats, stop: Floats, tied: Bools) -> None:
    """Replace, in place, the probabilities of stopping within tied groups by their mean over all orders.

    Orders of different groups are independent, and the product over a whole group is the same in every order, so
    `examination` is right at the first position of each group.
    """
    flat = tied.ravel()
    first = np.flatnonzero(~flat & np.append(flat[1:], False))  # a document that ties with the next one
    after = np.flatnonzero(~np.append(flat, False))
    last = after[np.searchsorted(after, first, side="right")]
    for a, b in zip(first.tolist(), last.tolist(), strict=True):
        average = average_examination_probability(stop.ravel()[a:b])
        stops_here.ravel()[a:b] = examination.ravel()[a] * (average[:-1] - average[1:])
