r"""Bounds on the ERR error of COCR's ranker by its binary answers, for one query.

The error is ERR_g - ERR_pi, as in `refrank.bounds`. proofs_check/new/end_to_end.py settles which bound holds for which
answers; docs/prove/bounds.md, From binary errors to ERR, has the proofs.

    symbol            in code      shape
    y_i               y            (n,), labels 0..max_grade, in any order
    g_{ik}, h_{ik}    answers      (n, max_grade), to "is the label k or higher?", k = 1..K
    b_{ik}            right        (n, max_grade), the right answers
    K                 max_grade    the number of columns, from 1 to 31
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Bools, Floats, Ints
from refrank.checks import check_entries, check_labels, check_numbers, check_shape
from refrank.cocr.costs import LARGEST_MAX_GRADE, encode_answers, oerr
from refrank.cocr.reduction import weights


def err_binary_errors(y: ArrayLike, answers: ArrayLike) -> float:
    r"""Compute the weighted binary errors of hard, rank-monotone answers with the oERR cost (`new.end_to_end`).

    :math:`(K_n / 2^K) (\sum_i \sum_k w_{ik} [b_{ik} \ne g_{ik}])^{1/2}` with :math:`b_{ik} = [y_i \ge k]`
    (COCR Eq. 1), :math:`w_{ik} = |c_i[k] - c_i[k-1]|` (Eq. 5), c the costs of Eq. 13, and
    :math:`K_n^2 = \sum_i (1/i - 1/(n+1-i))^2`. pi sorts by :math:`\sum_k g_{ik}` (Eq. 2), ties in any order.

    Answers are 0 or 1 and must not rise with k: for others the bound is false. Sort each row in descending order to get
    valid answers; this does not change the ranking.

    Examples
    --------
    >>> err_binary_errors([0, 4], [[1, 1, 1, 0], [1, 1, 1, 0]])  # the error of a tie broken wrong is 15/32
    0.46979051...
    """
    labels, h, right = _check_labels_and_answers(y, answers)
    check_entries("answers", h, (h != 0) & (h != 1), "hard answers must be 0 or 1")
    rising = np.diff(h, axis=1, prepend=1.0) > 0
    check_entries("answers", h, rising, "answers must not rise with k; sort each row in descending order")
    costs = oerr(labels, h.shape[1]).astype(np.float64)  # COCR Eq. 13, (n, K + 1)
    w = weights(costs)  # COCR Eq. 5, (n, K)
    return _compute_factor(h) * math.sqrt(math.fsum((w * abs(h - right)).ravel()))


def err_expected_gain(y: ArrayLike, answers: ArrayLike) -> float:
    r"""Compute the error of the expected gain, for any real answers (`new.end_to_end.variant-expected-gain`).

    :math:`(K_n / 2^K) (\sum_i (\sum_k 2^{k-1} (b_{ik} - h_{ik}))^2)^{1/2}`. pi sorts by the expected gain
    :math:`\sum_k 2^{k-1} h_{ik}` instead of COCR's :math:`\sum_k h_{ik}`, ties in any order.

    Answers must be finite, but need not be in [0, 1] or rank-monotone.

    Examples
    --------
    >>> err_expected_gain([0, 4], [[1.0, 1.0, 0.5, 0.3], [1.0, 1.0, 0.5, 0.3]])  # the error is 15/32
    0.46879...
    """
    _, h, right = _check_labels_and_answers(y, answers)
    off = np.ldexp(right - h, np.arange(h.shape[1])).tolist()
    return _compute_factor(h) * math.sqrt(math.fsum(math.fsum(row) ** 2 for row in off))


def _compute_factor(answers: Floats) -> float:
    """Return K_n / 2^K for answers (n, K)."""
    reciprocal = 1.0 / np.arange(1.0, len(answers) + 1.0)
    return math.sqrt(math.fsum((reciprocal - reciprocal[::-1]) ** 2)) / 2.0 ** answers.shape[1]


def _check_labels_and_answers(y: ArrayLike, answers: ArrayLike) -> tuple[Ints, Floats, Bools]:
    """Return labels, (n,), answers, (n, K), and the right answers, (n, K)."""
    h = check_numbers("answers", answers, "answers must be finite")
    if h.ndim != 2 or not 1 <= h.shape[1] <= LARGEST_MAX_GRADE:
        rule = f"(n, max_grade), max_grade from 1 to {LARGEST_MAX_GRADE}"
        raise ValueError(f"answers has shape {h.shape}: it must have shape {rule}")
    labels = check_labels(y, highest=h.shape[1])
    check_shape("y", labels, h.shape[:1], "(n,), one label per row of answers")
    check_entries("answers", h, ~np.isfinite(h), "answers must be finite")
    return labels, h, encode_answers(labels, np.empty((len(h), h.shape[1] + 1)))
