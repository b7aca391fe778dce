r"""COCR Eq. 2, Sec. 3.2 and Eq. 6: ranks from the answers to "is x ranked higher than or equal to rank k?".

==================  ==================  ==========================================================
paper               here                shape
==================  ==================  ==========================================================
:math:`h_k(x)`      `answers[:, k-1]`   (n_samples, max_grade), any real numbers
:math:`r_g, r_h`    hard, soft rank     (n_samples,)
:math:`P_k`         `grade_proba`       (n_samples, max_grade + 1)
==================  ==================  ==========================================================
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def hard_rank(answers: ArrayLike) -> NDArray[np.int64]:
    r"""Rank by counting the hard answers, COCR Eq. 2: :math:`r_g(x) = \sum_k g_k(x)`, :math:`g_k = [h_k \ge .5]`.

    Parameters
    ----------
    answers : array_like, shape (n_samples, max_grade)
        h_k(x), any real numbers.

    Returns
    -------
    ndarray of int64, shape (n_samples,), in 0..max_grade

    Examples
    --------
    >>> hard_rank([[0.9, 0.5, 0.1], [0.2, 0.8, -0.3]])
    array([2, 1])
    """
    # COCR Sec. 3.2: g_k(x) = [h_k(x) >= 0.5]
    # COCR Eq. 2
    return np.count_nonzero(np.asarray(answers) >= 0.5, axis=1).astype(np.int64)


def soft_rank(answers: ArrayLike) -> Floats:
    r"""Rank by adding the soft answers, COCR Eq. 6: :math:`r_h(x) = \sum_k h_k(x)`.

    Parameters
    ----------
    answers : array_like, shape (n_samples, max_grade)
        h_k(x), any real numbers: nothing is clipped.

    Returns
    -------
    ndarray of float64, shape (n_samples,)

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
    r"""Probabilities of the grades that the answers stand for: :math:`P_k = h_k - h_{k+1}`, with h_0 = 1, h_{K+1} = 0.

    The system of equations above Eq. 6, solved. As the h_k are learned one by one and are not clipped, entries can be
    negative; a row adds up to 1, and its expected rank is `soft_rank`.

    Parameters
    ----------
    answers : array_like, shape (n_samples, max_grade)

    Returns
    -------
    ndarray of float64, shape (n_samples, max_grade + 1)

    Examples
    --------
    >>> grade_proba([[1.0, 0.5, 0.25]])
    array([[0.  , 0.5 , 0.25, 0.25]])
    """
    # COCR Sec. 3.2: P_k + ... + P_K = h_k(x)
    table = np.asarray(answers, np.float64)
    bounded = np.column_stack([np.ones(len(table)), table, np.zeros(len(table))])
    return bounded[:, :-1] - bounded[:, 1:]
