"""McRank Eq. 7, the loss that no code computes: beta of Alg. 1, line 6 is (K-1)/K of a Newton step on it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.mcrank.softmax_boosting import compute_residual, softmax, take_step
from tests.strategies import RankingCase

pytestmark = pytest.mark.kernel

STEP = 1e-4


def equation_7(scores, y):
    """sum_i sum_k -log(p_{i,k}) 1[y_i = k], with p by line 4, from the definitions."""
    return math.fsum(
        math.log(math.fsum(math.exp(F) for F in row)) - row[grade]
        for row, grade in zip(scores.tolist(), y, strict=True)
    )


@pytest.mark.paper("McRank Eq. 7")
@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_beta_is_a_newton_step_on_equation_7(seed, n_classes):
    """With one leaf per row, each beta belongs to one F_{i,k}."""
    rng = np.random.default_rng(seed)
    y, scores = rng.integers(0, n_classes, 4), rng.normal(size=(4, n_classes))
    grow = RankingCase(np.arange(4.0)[:, None], y, n_classes, n_leaves=4, n_bins=256).grower()
    for k in range(n_classes):
        column = scores[:, k].copy()
        proba = softmax(scores)[:, k]
        tree, leaves = grow(compute_residual(y, k, proba))
        take_step(tree, leaves, column, proba, n_classes, 1.0, None)
        for i in range(4):
            unit = np.zeros_like(scores)
            unit[i, k] = STEP
            lower, middle, upper = (equation_7(scores + sign * unit, y) for sign in (-1, 0, 1))
            slope, curvature = (upper - lower) / (2 * STEP), (upper - 2 * middle + lower) / STEP**2
            newton = -(n_classes - 1) / n_classes * slope / curvature
            # The loss is rounded to 1e-15 or so, over STEP**2 1e-7; curvatures are above 1e-3 or so. STEP**2 is less.
            assert column[i] - scores[i, k] == pytest.approx(newton, rel=1e-3)
