"""Gains, DCG and ERR as integers over one common denominator.

    symbol           in code             shape     times
    2^y - 1          relevance_gain      (m, n)    1
    P_i              looks               (m, n)    scale^(n-1)
    F_i = R_i P_i    stops               (m, n)    scale^n
    C_i = P_i / i    discounted_looks    (m, n)    err_unit(n, scale)
    ERR              err                 (m,)      unit(n, scale)

R_i = (2^y - 1)/scale is the relevance at position i of a ranking, with scale = 2^K for grades 0..K (16 in the papers).
P_i = prod_{j<i} (1 - R_j) is the probability that the user looks at position i. COCR Sec. 4.2 defines F_i, and Mohan et
al. App. A, Eq. 5 define C_i.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from proofs_check.engine.discounts import at, reciprocal
from proofs_check.engine.instances import Rankings

UNIT = 2.0**-53  # relative error of one rounding


def relevance_gain(y: np.ndarray) -> np.ndarray:
    """Compute 2^y - 1."""
    return (1 << y) - 1


def gain_difference(r: Rankings) -> np.ndarray:
    """Compute 2^y_i - 2^yhat_i, (m, n)."""
    return relevance_gain(r.y) - relevance_gain(r.y_hat)


# ---- orders of labels ----


def ideal(y: np.ndarray) -> np.ndarray:
    """Sort each line in non-increasing order: the labels in the order of g."""
    return -np.sort(-y, axis=1)


def exchanged(y: np.ndarray, k: int) -> np.ndarray:
    """Exchange the documents at positions k and k + 1, counted from 0."""
    order = np.arange(y.shape[1])
    order[[k, k + 1]] = k + 1, k
    return y[:, order]


def by_document(
    quantity: Callable[[np.ndarray, int], np.ndarray], y: np.ndarray, position: np.ndarray, scale: int
) -> np.ndarray:
    """Compute a quantity of labels in the order of a ranking, and return it per document, (m, n).

    Parameters
    ----------
    quantity : function
        Labels in the order of a ranking, (m, n), and `scale` to one value per position, (m, n).
    y : integer array of shape (m, n)
        Label of each document.
    position : integer array of shape (m, n)
        Position of each document in the ranking, from 1.
    scale : int
        2^K.
    """
    place = np.broadcast_to(position, y.shape).astype(np.int64) - 1
    in_order = np.empty_like(y)
    np.put_along_axis(in_order, place, y, axis=1)
    return np.take_along_axis(quantity(in_order, scale), place, axis=1)


# ---- DCG ----


def dcg_error(y: np.ndarray, discount: np.ndarray) -> np.ndarray:
    """Compute DCG_g - DCG_pi, (m,), for labels in the order of pi."""
    return ((relevance_gain(ideal(y)) - relevance_gain(y)) * discount).sum(axis=1)


# ---- ERR ----


def looks_by_relevance(r: np.ndarray, scale: int) -> np.ndarray:
    """Compute P at each position, times scale^(n-1), for relevances in units of 1/scale, (m, n)."""
    n = r.shape[1]
    looks, not_stopped = np.empty_like(r), np.ones(len(r), dtype=r.dtype)
    for i in range(n):
        looks[:, i] = not_stopped * scale ** (n - 1 - i)
        not_stopped = not_stopped * (scale - r[:, i])
    return looks


def stops_by_relevance(r: np.ndarray, scale: int) -> np.ndarray:
    """Compute F at each position, times scale^n, for relevances in units of 1/scale, (m, n)."""
    return r * looks_by_relevance(r, scale)


def looks(y_in_order: np.ndarray, scale: int) -> np.ndarray:
    """Compute P at each position, times scale^(n-1), (m, n)."""
    return looks_by_relevance(relevance_gain(y_in_order), scale)


def stops(y_in_order: np.ndarray, scale: int) -> np.ndarray:
    """Compute F at each position, times scale^n, (m, n).

    >>> stops(np.array([[4, 4]]), 16).tolist()  # 15/16, and 1/16 * 15/16, in units of 1/256
    [[240, 15]]
    """
    return stops_by_relevance(relevance_gain(y_in_order), scale)


def discounted_looks(y_in_order: np.ndarray, scale: int) -> np.ndarray:
    """Compute C at each position, times err_unit(n, scale), (m, n).

    >>> discounted_looks(np.array([[4, 0]]), 16).tolist(), err_unit(2, 16)
    ([[32, 1]], 32)
    """
    return looks(y_in_order, scale) * reciprocal(y_in_order.shape[1])


def err_unit(n: int, scale: int) -> int:
    """Compute the common denominator of C: scale^(n-1) lcm(1..n)."""
    return int(scale ** (n - 1)) * math.lcm(*range(1, n + 1))


def unit(n: int, scale: int) -> int:
    """Compute the common denominator of ERR."""
    return scale * err_unit(n, scale)


def err(y_in_order: np.ndarray, scale: int) -> np.ndarray:
    """Compute ERR of labels in the order of a ranking, times unit(n, scale), (m,)."""
    return (reciprocal(y_in_order.shape[1]) * stops(y_in_order, scale)).sum(axis=1)


def err_at(y: np.ndarray, position: np.ndarray, scale: int) -> np.ndarray:
    """Compute ERR of any ranking, given by the positions of the documents, times unit(n, scale), (m,)."""
    return (at(reciprocal(y.shape[1]), position) * by_document(stops, y, position, scale)).sum(axis=1)


def err_error(y: np.ndarray, scale: int) -> np.ndarray:
    """Compute ERR_g - ERR_pi for labels in the order of pi, times unit(n, scale), (m,)."""
    return err(ideal(y), scale) - err(y, scale)


# ---- roots of integers ----


def root_ceiling(value: int, n: int) -> int:
    """Find the smallest integer r with r^n >= value, for value >= 0, n >= 1.

    >>> root_ceiling(27, 3), root_ceiling(28, 3), root_ceiling(0, 5)
    (3, 4, 0)
    """
    low, high = -1, 1 << (value.bit_length() // n + 1)  # low^n < value <= high^n
    while high - low > 1:
        middle = (low + high) // 2
        if middle >= 0 and middle**n >= value:
            high = middle
        else:
            low = middle
    return high


def floor_minus_root(a: int, b: int, product: int, n: int) -> int:
    """Find the largest integer not above a - b product^(1/n).

    Comparing an integer with it gives the same result as with the irrational number itself.
    """
    return a - root_ceiling(b**n * product, n)
