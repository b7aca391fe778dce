"""Expected reciprocal rank (ERR): COCR Sec. 4.1, Eq. 8; Mohan et al. Sec. 2.

    symbol                      in code         shape
    R(y) = (2^y - 1)/2^K        stop            (n_block, width): the user stops at the document, once there
    prod_{j<i} (1 - R)          looking         (n_block, width): the user is still looking at position i
    K                           max_grade

The sum and the product run from position 1 on, so a plain loop gives the same bits.
"""

import numpy as np
from numpy.typing import ArrayLike

from refrank.metrics.averaging import finish, query_values
from refrank.metrics.ordering import RankedBlock, check_documents
from refrank.metrics.presets import resolve_spec
from refrank.metrics.queries import check_cutoff
from refrank.metrics.spec import MetricSpec, check_max_grade


def err(
    y: ArrayLike,
    score: ArrayLike,
    qid: ArrayLike | None = None,
    k: int | None = None,
    spec: str | MetricSpec = "paper",
    max_grade: int | None = None,
    per_query: bool = False,
    doc_id: ArrayLike | None = None,
) -> float | np.ndarray:
    """Return the expected reciprocal rank of the position at which a user stops, COCR Eq. 8.

    Parameters
    ----------
    y, score, qid, spec, per_query, doc_id
        As in `ndcg`.
    k : int or None
        Number of positions the user looks at; None: all documents.
    max_grade : int, optional
        The highest label there can be, K; overrides the spec's. It is never taken from the data: the data's
        own maximum may be lower, and every value would change.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        The mean over queries, or one value a query, from 0 to below 1. A query without a relevant document is
        0, unless the spec skips or refuses it.

    Raises
    ------
    ValueError
        As `ndcg` does; if neither the spec nor `max_grade` states the highest grade; if a label is above it.

    Examples
    --------
    >>> err([4, 2, 0], [3.0, 2.0, 1.0])  # 15/16 + (1/2)(1/16)(3/16)
    0.943359375
    """
    spec, k = resolve_spec(spec), check_cutoff(k)
    documents = check_documents(y, score, qid, doc_id, spec)
    stop_of = stop_probability(_highest_grade(spec, max_grade, documents.labels))

    def value_of(block: RankedBlock) -> tuple[np.ndarray, np.ndarray]:
        stop = stop_of[block.labels]  # (n_block, width); 0 in the padding
        # COCR Eq. 8: prod_{j=1}^{i-1} (1 - R(y_sigma(j))), defined to be 1 when i = 1
        looking = np.ones_like(stop)
        np.multiply.accumulate(1.0 - stop[:, :-1], axis=1, out=looking[:, 1:])
        stops_here = looking * stop
        if block.tied is not None:
            _average_over_ties(stops_here, looking, stop, block.tied)
        # COCR Eq. 8: sum_i 1/i R(y_sigma(i)) prod_{j<i} (1 - R(y_sigma(j)))
        position = np.arange(1.0, stop.shape[1] + 1.0)
        running = np.add.accumulate(stops_here[:, :k] / position[:k], axis=1)
        return running[:, -1], np.any(block.labels > 0, axis=1)

    values, relevant = query_values(documents, spec, value_of)
    return finish(values, relevant, documents.queries.lengths, k, spec, per_query)


def stop_probability(max_grade: int) -> np.ndarray:
    """Return R(y) = (2^y - 1)/2^K for y = 0..K, shape (max_grade + 1,); every value is exact.

    Examples
    --------
    >>> stop_probability(2)
    array([0.  , 0.25, 0.75])
    """
    # COCR Eq. 8: R(y) = (2^y - 1) / 2^K
    return (np.ldexp(1.0, np.arange(max_grade + 1)) - 1.0) / 2.0**max_grade


def expected_survival(stop: np.ndarray) -> np.ndarray:
    """Return the expected product of (1 - stop) over the first j documents of a random order, j = 0..m.

    The mean, over all orders, of the product of the first j of m numbers is their elementary symmetric
    polynomial e_j divided by the binomial (m over j). It is built by adding one document at a time: among n +
    1 documents the new one is among the first j with probability j/(n + 1), so

        a_j  <-  ((n + 1 - j) a_j + j (1 - stop) a_{j-1}) / (n + 1).

    Nothing is subtracted, so nothing cancels. Documents that never stop the user come first: they leave every
    a_j at 1.

    Parameters
    ----------
    stop : ndarray of shape (m,)
        Stopping probabilities of the documents of a tied group.

    Returns
    -------
    ndarray of shape (m + 1,)

    Examples
    --------
    >>> expected_survival(np.array([0.0, 0.5]))  # first (1 + 1/2)/2, then both
    array([1.  , 0.75, 0.5 ])
    """
    stopping = stop[stop > 0]
    survival = np.zeros(len(stop) + 1)
    survival[: len(stop) - len(stopping) + 1] = 1.0
    for n, one in enumerate(stopping, start=len(stop) - len(stopping) + 1):
        j = np.arange(1.0, n + 1.0)
        survival[1 : n + 1] = ((n - j) * survival[1 : n + 1] + j * (1.0 - one) * survival[:n]) / n
    return survival


def _average_over_ties(
    stops_here: np.ndarray, looking: np.ndarray, stop: np.ndarray, tied: np.ndarray
) -> None:
    """Replace, in place, the probabilities of stopping within tied groups by their mean over all orders.

    Orders of different groups are independent, and the product over a whole group is the same in every order,
    so `looking` is right at the first position of each group.
    """
    flat = tied.ravel()
    first = np.flatnonzero(~flat & np.append(flat[1:], False))  # a document that the next one ties with
    after = np.flatnonzero(~np.append(flat, False))
    last = after[np.searchsorted(after, first, side="right")]
    for a, b in zip(first.tolist(), last.tolist(), strict=True):
        survival = expected_survival(stop.ravel()[a:b])
        stops_here.ravel()[a:b] = looking.ravel()[a] * (survival[:-1] - survival[1:])


def _highest_grade(spec: MetricSpec, max_grade: int | None, labels: np.ndarray) -> int:
    stated = spec.max_grade if max_grade is None else max_grade
    if stated is None:
        raise ValueError(
            f"max_grade=None: spec {spec.name!r} states no highest grade for ERR, "
            "and it is never taken from the data; pass max_grade"
        )
    grade = check_max_grade(stated)
    above = labels > grade
    if above.any():
        row = int(np.argmax(above))
        raise ValueError(
            f"y[{row}] is {labels[row]}: no label may be above the highest grade, max_grade={grade}"
        )
    return grade
