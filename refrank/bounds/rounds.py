r"""The least decrease of the training loss in a round of McRank's boosting.

proofs_check/losses/ls_boosting.py and softmax_boosting.py settle the bounds; docs/prove/boosting_rounds.md has the
proofs.

    symbol    in code              unit
    G         residual_sum         sum of y~ - p over the leaf
    H         curvature_sum        sum of p (1 - p) over the leaf
    t         step                 nu beta: the number that line 7 of Alg. 1 adds to the scores
    n         n_values             rows, each with a value of its own
"""

import math
from decimal import Context, Decimal, localcontext

import numpy as np

from refrank.checks import check_integer, check_number

LARGEST_STEP = 709.0  # e to this power is a float64


def newton_decrease(residual_sum: float, curvature_sum: float, step: float) -> float:
    r"""Compute the least decrease of the loss of Eq. 7 by a leaf of Alg. 1 (`losses.softmax_boosting`).

    :math:`G t - H (e^{|t|} - 1 - |t|)`; a negative value promises nothing, and the step may raise the loss. A value
    beyond float64 is inf or -inf. Raises a ValueError if an argument is not finite, or curvature_sum is negative.

    Examples
    --------
    >>> round(newton_decrease(residual_sum=0.5, curvature_sum=0.5, step=0.5), 6)  # K = 2, nu = 1: a = 1/2
    0.175639
    >>> newton_decrease(residual_sum=0.97, curvature_sum=0.03, step=16.0) < 0
    True
    >>> newton_decrease(residual_sum=0.97, curvature_sum=0.03, step=1000.0)
    -inf
    """
    residual = check_number("residual_sum", residual_sum)
    curvature = check_number("curvature_sum", curvature_sum, at_least=0)
    size = abs(check_number("step", step))
    if size < LARGEST_STEP:
        decrease = residual * step - curvature * (math.expm1(size) - size)
        if math.isfinite(decrease):
            return decrease
    with localcontext(Context(prec=40, traps=[])):  # a term exceeds float64, but a small H may keep the sum within it
        t = Decimal(size)
        return float(Decimal(residual) * Decimal(step) - (Decimal(curvature) * (t.exp() - 1 - t) if curvature else 0))


def least_share_of_cut(n_values: int) -> float:
    r"""Compute the least share of the squared residuals that the best cut removes (`losses.ls_boosting`).

    :math:`1 / \sum_{b=1}^n (\sqrt{w_b} + \sqrt{w_{b-1}})^2`, :math:`w_b = b (n - b) / n`, for residuals that add up to
    0 and a feature on which all n rows differ; about :math:`3 / (2 n^2)`. A round of Alg. 2 removes nu (2 - nu) of
    it.

    Examples
    --------
    >>> [round(least_share_of_cut(n), 6) for n in (2, 3, 100)]
    [1.0, 0.25, 0.00015]
    """
    n = check_integer("n_values", n_values, at_least=2)
    b = np.arange(n + 1.0)
    root = np.sqrt(b * (n - b) / n)
    return 1.0 / float(((root[1:] + root[:-1]) ** 2).sum())
