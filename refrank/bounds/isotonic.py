r"""Bounds by predictions that are too high at the top or too low at the bottom, and by the distance from falling gains.

The error is DCG_g - DCG_pi of one query, whose documents are in the order of the ranking.
proofs_check/new/one_sided.py and proofs_check/new/isotonic.py settle the bounds; docs/prove/bounds.md has the proofs.

    symbol    in code             shape
    c_[i]     discount            (n,), non-increasing, of any sign
    z, f      gain, prediction    (n,) each: gains, and predictions that do not increase
"""

import numpy as np
from numpy.typing import ArrayLike

from refrank.bounds.checks import check_discount, check_predictions, check_values
from refrank.checks import check_entries, check_labels


def dcg_one_sided(discount: ArrayLike, gain: ArrayLike, prediction: ArrayLike) -> float:
    r"""Compute the one-sided bound (`new.one_sided`).

    :math:`\sum_i (c_1 - c_i) (z_i - f_i)_+ + (c_i - c_n) (f_i - z_i)_+`: low predictions cost at the bottom, high
    ones at the top. The bound is at most :math:`(c_1 - c_n) \sum_i |z_i - f_i|`.

    Examples
    --------
    >>> dcg_one_sided([1.0, 0.5, 0.0], [0.0, 3.0, 1.0], [2.0, 2.0, 2.0])  # 1 * 2 + 1/2 * 1
    2.5
    """
    c = check_discount(discount)
    z, f = check_predictions(c, gain, prediction)
    falling = np.diff(f, prepend=f[:1]) <= 0
    check_entries("prediction", f, ~falling, "predictions must not increase, in the order of the ranking")
    return float(((c[0] - c) * np.maximum(z - f, 0.0) + (c - c[-1]) * np.maximum(f - z, 0.0)).sum())


def dcg_isotonic(discount: ArrayLike, gain: ArrayLike) -> float:
    r"""Compute the isotonic bound (`new.isotonic`): the regression error of the best predictions that sort as pi does.

    :math:`(\sum_i (c_i - c_{n+1-i})^2)^{1/2} (\sum_i (z_i - f_i)^2)^{1/2}`, f the non-increasing sequence closest to z.
    If c_1 > c_n, it is 0 for a perfect ranking and for no other.

    Examples
    --------
    >>> round(dcg_isotonic([1.0, 0.5], [0.0, 3.0]), 6)  # attained: sqrt(1/2) sqrt(9/2)
    1.5
    """
    from scipy.optimize import isotonic_regression

    c = check_discount(discount)
    z = check_values("gain", gain, len(c))
    f = isotonic_regression(z, increasing=False).x
    return float(np.linalg.norm(c - c[::-1])) * float(np.linalg.norm(z - f))


def err_isotonic(y: ArrayLike, max_grade: int = 4) -> float:
    r"""Compute `dcg_isotonic` with gain 2^y - 1 and discount 1/i, over 2^K, K = max_grade (`new.isotonic.variant-err`).

    It bounds the ERR error.

    Examples
    --------
    >>> round(err_isotonic([0, 4]), 6)
    0.46875
    """
    labels = check_labels(y, max_grade)
    return dcg_isotonic(1.0 / np.arange(1.0, len(labels) + 1.0), np.ldexp(1.0, labels) - 1.0) / 2.0**max_grade
