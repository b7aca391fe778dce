"""Ranks from the answers to "is x ranked higher than or equal to rank k?": COCR Eq. 2, Sec. 3.2 and Eq. 6.

    symbol      in code            shape
    h_k(x)      answers[:, k-1]    (n_samples, max_grade), any real numbers
    r_g, r_h    hard, soft rank    (n_samples,)
    P_k         grade_proba        (n_samples, max_grade + 1)

Answers are not clipped.
"""

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats, Ints


def hard_rank(answers: ArrayLike) -> Ints:
    """Rank by counting the hard answers, COCR Eq. 2: r_g(x) = sum_k g_k(x) with g_k = [h_k >= 0.5]; (n_samples,).

    Examples
    --------
    >>> hard_rank([[0.9, 0.5, 0.1], [0.2, 0.8, -0.3]])
    array([2, 1])
    """
    # COCR Sec. 3.2: g_k(x) = [h_k(x) >= 0.5]
    # COCR Eq. 2
    return np.count_nonzero(np.asarray(answers) >= 0.5, axis=1).astype(np.int64)


def soft_rank(answers: ArrayLike) -> Floats:
    """Rank by adding the soft answers, COCR Eq. 6: r_h(x) = sum_k h_k(x); (n_samples,).

    Examples
    --------
    >>> soft_rank([[1.0, 0.5, 0.25], [1.5, -0.25, 0.0]])
    array([1.75, 1.25])
    """
    table = np.asarray(answers, np.float64)
    total = np.zeros(len(table))
    # COCR Eq. 6
    for k in range(table.shape[1]):
        total += table[:, k]
    return total


def grade_proba(answers: ArrayLike) -> Floats:
    """Solve the equations before Eq. 6 for the probabilities of the grades, (n_samples, max_grade + 1).

    P_k = h_k - h_(k+1), with h_0 = 1 and h_(K+1) = 0. Each h_k is learned separately and is not clipped, so entries can
    be negative. A row adds up to 1, and its expected rank is `soft_rank`.

    Examples
    --------
    >>> grade_proba([[1.0, 0.5, 0.25]])
    array([[0.  , 0.5 , 0.25, 0.25]])
    """
    # COCR Sec. 3.2: P_k + ... + P_K = h_k(x)
    table = np.asarray(answers, np.float64)
    bounded = np.column_stack([np.ones(len(table)), table, np.zeros(len(table))])
    return bounded[:, :-1] - bounded[:, 1:]
