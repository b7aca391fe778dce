"""A node's linear model in M5' trees: least squares, terms dropped one by one, estimates of the error."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from refrank.cocr.m5p import PUBLISHED, VARIANTS, WEIGHTINGS, WEKA, least_squares
from refrank.cocr.m5p.pruning import estimate_model
from refrank.cocr.m5p.variants import Estimate


def regression(X, y, weight=None, weights="counts", features=None) -> least_squares.Regression:
    weighed = WEIGHTINGS[weights](np.ones(len(y)) if weight is None else weight)
    features = np.arange(X.shape[1]) if features is None else features
    return least_squares.set_up_regression(X, y, weighed, features)


def random_regression(seed: int) -> least_squares.Regression:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((30, 6)) @ rng.standard_normal((6, 6)) + 5
    return regression(X, X.sum(axis=1) + rng.standard_normal(30), rng.random(30) + 0.5)


@given(seed=st.integers(0, 999), dropped=st.permutations(range(6)))
def test_dropping_a_term_is_solving_anew(seed, dropped):
    problem = random_regression(seed)
    fit = least_squares.solve(problem, np.ones(6, bool), 0.0)
    for term in dropped[:5]:
        before, rise = fit.compute_residual(), fit.compute_rise(term)
        fit = least_squares.drop_term(fit, term)
        anew = least_squares.solve(problem, fit.used, 0.0)
        assert not fit.coefficients[~fit.used].any()
        assert not fit.inverse[~fit.used].any()
        assert not fit.inverse[:, ~fit.used].any()
        # A drop loses as many digits as the variance inflation has, 4 at most, and there are five drops.
        size = np.abs(anew.inverse).max()
        np.testing.assert_allclose(fit.inverse, anew.inverse, rtol=0, atol=1e-9 * size)
        np.testing.assert_allclose(fit.coefficients, anew.coefficients, rtol=0, atol=1e-8)
        after = anew.compute_residual()
        np.testing.assert_allclose(after @ after - before @ before, rise, rtol=1e-6, atol=1e-9)


def test_standardised_problem_of_counted_rows():
    """Weights are counts: center, scale (divisor n - 1) and normal equations of the repeated rows."""
    rng = np.random.default_rng(4)
    X, y, times = rng.random((9, 3)) + 2, rng.random(9), np.arange(1, 10)
    problem = regression(X, y, times.astype(float), features=np.array([0, 2]))
    Z = X.repeat(times, axis=0)[:, [0, 2]]
    standard = (Z - Z.mean(axis=0)) / Z.std(axis=0, ddof=1)
    np.testing.assert_allclose(problem.scale, Z.std(axis=0, ddof=1), rtol=1e-14)  # a few roundings, as below
    np.testing.assert_allclose(problem.gram, standard.T @ standard, rtol=1e-13)
    assert problem.n_rows == len(Z)


def test_ridge_regression_is_least_squares_with_extra_rows():
    problem = random_regression(5)
    fit = least_squares.solve(problem, np.ones(6, bool), 1.0)
    design, target = np.vstack([problem.design, np.eye(6)]), np.concatenate([problem.target, np.zeros(6)])
    # Two float64 solutions of a well-conditioned problem.
    np.testing.assert_allclose(fit.coefficients, np.linalg.lstsq(design, target, rcond=None)[0], atol=1e-13)


def test_dropping_a_repeated_column_is_solving_anew():
    """The variance inflation is 1e9 here: an update of the inverse would leave nothing of it."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((50, 3))[:, [0, 1, 2, 0, 1]]
    problem = regression(X, X[:, 0] + rng.standard_normal(50))
    fit = least_squares.solve(problem, np.ones(5, bool), 1e-8)
    assert fit.compute_inflation(3) > 1e8
    fit = least_squares.drop_term(least_squares.drop_term(fit, 3), 4)
    anew = least_squares.solve(problem, fit.used, 1e-8)
    # After the drops nothing is inflated: float64 rounding only.
    np.testing.assert_allclose(fit.inverse, anew.inverse, rtol=0, atol=1e-12)
    np.testing.assert_allclose(fit.coefficients, anew.coefficients, rtol=0, atol=1e-12)


@pytest.mark.paper("Weka M5P", at="set_up_regression")
@pytest.mark.parametrize("ridge", [0.0, 1e-8])
def test_dependent_columns_predict_as_least_squares(ridge):
    """Six columns of rank three and constant ones, some with a rounded mean: all solutions have one residual."""
    rng = np.random.default_rng(1)
    base, weight = rng.standard_normal((40, 3)), rng.random(40) + 0.5
    constant = np.tile([0.1, 0.3, 0.7, 1.1, 1.9, 2.3], (40, 1))
    X = np.column_stack([base, base[:, 0], base[:, 1] * 1e6 + 3, base.sum(axis=1), constant])
    y = base @ [1.0, -2.0, 0.5] + rng.standard_normal(40)
    problem = regression(X, y, weight)
    assert_array_equal(problem.features, np.arange(6))
    used = least_squares.choose_independent(problem) if ridge == 0.0 else np.ones(6, bool)
    assert used.sum() == (3 if ridge == 0.0 else 6)
    root = np.sqrt(weight)
    design = np.column_stack([base, np.ones(40)]) * root[:, None]
    expected = y - np.column_stack([base, np.ones(40)]) @ np.linalg.lstsq(design, y * root, rcond=None)[0]
    model = least_squares.solve(problem, used, ridge).to_model()
    # Without ridge both are least squares in float64; the ridge moves the solution by about ridge / n.
    np.testing.assert_allclose(y - model.predict(X), expected, rtol=0, atol=1e-12 if ridge == 0.0 else 1e-6)


@pytest.mark.paper("Weka M5P", at="solve")
def test_a_ridge_that_leaves_the_matrix_singular_grows_tenfold():
    x = np.arange(8.0)
    problem, ridge = regression(np.column_stack([x, x, x]), np.cos(x)), 1e-19

    def is_singular(ridge):
        try:
            return np.linalg.cholesky(problem.gram + ridge * np.eye(3)) is None
        except np.linalg.LinAlgError:
            return True

    while is_singular(ridge):
        ridge = 10.0 * ridge
    assert 1e-17 < least_squares.solve(problem, np.ones(3, bool), 1e-19).ridge == ridge < 1e-13
    with pytest.raises(np.linalg.LinAlgError):
        least_squares.solve(problem, np.ones(3, bool), 0.0)


@pytest.mark.parametrize(("noise", "n_terms"), [(0.044, 1), (0.0449, 2)])
def test_weka_drops_a_standardised_coefficient_above_one_and_a_half(noise, n_terms):
    """With y = z1 - z2 + e and corr(z1, z2) = .8 the coefficients are +-1 / sqrt(.4 + var(e))."""
    orthonormal = np.linalg.qr(np.column_stack([np.ones(200), np.random.default_rng(2).random((200, 3))]))[0]
    z1, other, e = orthonormal[:, 1:].T
    z2 = 0.8 * z1 + 0.6 * other
    problem = regression(np.column_stack([z1, z2]), z1 - z2 + math.sqrt(noise) * e)
    sizes = {name: len(variant.simplify(problem).to_model().features) for name, variant in VARIANTS.items()}
    assert sizes == {"weka": n_terms, "published": 2}


@pytest.mark.parametrize("variant", VARIANTS)
@given(seed=st.integers(0, 999))
def test_remaining_terms_are_solved_anew(variant, seed):
    problem = random_regression(seed)
    fit = VARIANTS[variant].simplify(problem)
    anew = least_squares.solve(problem, fit.used, fit.ridge)
    assert_array_equal(fit.coefficients, anew.coefficients)


def test_terms_are_dropped_while_there_are_as_many_parameters_as_rows():
    """Five rows of weight 1/2, five columns: n = 2.5, v = 5 at first; the estimate is finite from v = 2."""
    rng = np.random.default_rng(6)
    problem = regression(rng.random((5, 5)), rng.random(5), np.full(5, 0.5))
    assert least_squares.choose_independent(problem).sum() == 4
    assert VARIANTS["published"].simplify(problem).used.sum() <= 1


@pytest.mark.paper("Quinlan 1992, error estimates", at="_inflate_published")
@pytest.mark.paper("Wang & Witten 1997, subtreeError")
@pytest.mark.paper("Weka M5P", at="_estimate_subtree_weka")
@pytest.mark.paper("Weka M5P", at="_inflate_weka")
def test_error_estimates_of_four_rows():
    """Residuals 1, -1, 1, -3 of weights 2, 1, 1, 1 and v = 2: n = 5, mean absolute 7/5, mean square 13/5."""
    residual, weight = np.array([1.0, -1.0, 1.0, -3.0]), np.array([2.0, 1.0, 1.0, 1.0])
    counted = WEIGHTINGS["counts"](weight)
    assert estimate_model(residual, counted, 2, PUBLISHED).error == pytest.approx(7 / 5 * 7 / 3, rel=1e-15)
    assert estimate_model(residual, counted, 2, WEKA).error == pytest.approx(math.sqrt(13 / 5) * 9 / 3, rel=1e-15)
    for costs in (WEIGHTINGS["importance"](weight), WEIGHTINGS["weka"](weight)):  # the same means of four rows
        assert estimate_model(residual, costs, 2, PUBLISHED).error == pytest.approx(7 / 5 * 6 / 2, rel=1e-15)
        assert estimate_model(residual, costs, 2, WEKA).error == pytest.approx(math.sqrt(13 / 5) * 8 / 2, rel=1e-15)
    left, right = Estimate(5, 5.0, 7.0, 2, 3.0), Estimate(15, 15.0, 9.0, 3, 1.0)
    assert PUBLISHED.estimate_subtree(left, right).error == 1.5  # (5 * 3 + 15 * 1) / 20
    both_sides = WEKA.estimate_subtree(left, right)
    assert both_sides.n_parameters == 6
    assert both_sides.error == pytest.approx(math.sqrt(16 / 20) * 32 / 14, rel=1e-15)


def test_factors_where_rows_run_out():
    assert [WEKA.estimate_error(1.0, n, 2) for n in (2, 3, 4)] == [10.0, 7.0, 4.0]
    assert [WEKA.estimate_error(4.0, n, 2) for n in (2, 3, 4)] == [20.0, 14.0, 8.0]
    assert [PUBLISHED.estimate_error(1.0, n, 2) for n in (2, 3, 4)] == [math.inf, 5.0, 3.0]
    assert (WEKA.estimate_error(1.0, 2.5, 2), PUBLISHED.estimate_error(1.0, 2.5, 2)) == (13.0, 9.0)  # weights


@pytest.mark.parametrize(
    ("variant", "model", "subtree", "cut"),
    [
        (WEKA, 1.0, 1.0, True),
        (WEKA, 1.0 + 1e-15, 1.0, False),
        (WEKA, 1.9e-5, 0.0, True),  # below 1e-5 of a deviation of 2
        (WEKA, 2.1e-5, 0.0, False),
        (PUBLISHED, 1.0 + 1.9e-9, 1.0, True),  # a tie to 1e-9 of a deviation of 2
        (PUBLISHED, 1.0 + 2.1e-9, 1.0, False),
    ],
)
def test_when_a_model_replaces_its_subtree(variant, model, subtree, cut):
    assert variant.cuts_back(model, subtree, 2.0) is cut
