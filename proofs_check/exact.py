"""The quantities of the papers as integers: gains, discounts, and ERR over one common denominator.

relevance_gain  2^y - 1                                   (m, n)
discount        c_1 >= ... >= c_n >= 0, integers or floats  (n,)
C_pi(pi_i)      Mohan et al. App. A, Eq. 5, times `err_unit(n, max_grade)`  (m, n)
"""

from __future__ import annotations

import math

import numpy as np

UNIT = 2.0**-53  # relative error of one rounding


def relevance_gain(y: np.ndarray) -> np.ndarray:
    """2^y - 1, exact."""
    return (1 << y) - 1


def steps(n: int) -> np.ndarray:
    """The n discounts (1,..,1,0,..,0), (n, n).

    Every non-increasing, non-negative c is a sum of them with weights c_i - c_{i+1} >= 0: a claim whose two
    sides are linear in c holds for all c when it holds for these.
    """
    return np.tril(np.ones((n, n), dtype=np.int64))


def reciprocal(n: int) -> np.ndarray:
    """1/1, ..., 1/n times lcm(1..n): integers, (n,)."""
    unit = math.lcm(*range(1, n + 1))
    dtype = np.int64 if n <= 6 else object
    return np.array([unit // i for i in range(1, n + 1)], dtype=dtype)


def logarithmic(n: int) -> np.ndarray:
    """McRank Eq. 2 without truncation: 1/log2(1+i), floats, (n,). The base cancels in every statement."""
    return 1.0 / np.log2(1.0 + np.arange(1, n + 1))


def truncated(discount: np.ndarray, level: int) -> np.ndarray:
    """The discount with c_i = 0 for i > level."""
    return np.where(np.arange(1, len(discount) + 1) <= level, discount, 0)


def at(discount: np.ndarray, position: np.ndarray) -> np.ndarray:
    """c_[position_i], same shape as position (positions from 1)."""
    return discount[position.astype(np.int64) - 1]


def dcg_error(y: np.ndarray, discount: np.ndarray) -> np.ndarray:
    """DCG_g - DCG_pi, (m,), for labels in the order of pi."""
    ideal = -np.sort(-y, axis=1)
    return ((relevance_gain(ideal) - relevance_gain(y)) * discount).sum(axis=1)


def err_unit(n: int, max_grade: int = 4) -> int:
    """The common denominator of every C: 2^(max_grade (n-1)) lcm(1..n)."""
    return 2 ** (max_grade * (n - 1)) * math.lcm(*range(1, n + 1))


def stopping(y_in_order: np.ndarray, max_grade: int = 4) -> np.ndarray:
    """C(i) = (1/i) prod_{j<i} (1 - R(y_j)), times err_unit(n), for labels in the order of a ranking, (m, n).

    >>> stopping(np.array([[4, 0]])).tolist(), err_unit(2)
    ([[32, 1]], 32)
    """
    m, n = y_in_order.shape
    c = np.empty((m, n), dtype=y_in_order.dtype)
    not_stopped = np.ones(m, dtype=y_in_order.dtype)  # prod (2^K - gain_j), over 2^(K (i-1))
    for i, share in enumerate(reciprocal(n)):
        c[:, i] = not_stopped * int(share) * 2 ** (max_grade * (n - 1 - i))
        not_stopped = not_stopped * (2**max_grade - relevance_gain(y_in_order[:, i]))
    return c


def stopping_of_document(y: np.ndarray, position: np.ndarray, max_grade: int = 4) -> np.ndarray:
    """C_pi(pi_i) for document i, times err_unit(n), (m, n): Eq. 5 read at the document's own position."""
    place = np.broadcast_to(position, y.shape).astype(np.int64) - 1
    in_order = np.empty_like(y)
    np.put_along_axis(in_order, place, y, axis=1)
    return np.take_along_axis(stopping(in_order, max_grade), place, axis=1)


def err(y_in_order: np.ndarray, max_grade: int = 4) -> np.ndarray:
    """ERR of labels in the order of a ranking, times 2^max_grade err_unit(n), (m,)."""
    return (stopping(y_in_order, max_grade) * relevance_gain(y_in_order)).sum(axis=1)


def err_error(y: np.ndarray, max_grade: int = 4) -> np.ndarray:
    """ERR_g - ERR_pi for labels in the order of pi, times 2^max_grade err_unit(n), (m,)."""
    return err(-np.sort(-y, axis=1), max_grade) - err(y, max_grade)


def root_ceiling(value: int, n: int) -> int:
    """The smallest integer r with r^n >= value, for value >= 0, n >= 1.

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
    """The largest integer not above a - b product^(1/n): an integer left side compared with it is compared
    exactly.
    """
    return a - root_ceiling(b**n * product, n)
