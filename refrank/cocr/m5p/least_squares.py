"""Least squares of a node: the weighted problem, its solution, and the fit after a term is dropped.

Terms are dropped one by one (elimination.py). So the normal equations of a node are set up once, and each drop updates
the inverse of their matrix instead of solving again. All numbers are float64, and the numeric contract does not cover
least squares (docs/reference/numerics.md).

    symbol    in code         shape
    X         design          (n_rows, n_terms): columns minus their mean, over their sd, times sqrt(w)
    y         target          (n_rows,): minus its mean, times sqrt(w)
    X'X       gram            (n_terms, n_terms); every entry of its diagonal is divisor
    b         coefficients    (n_terms,), of the standardised columns; 0 for a dropped term
              divisor         of variances: sum w - 1, or n - 1 (weights.py)
    C         inverse         (n_terms, n_terms): of gram + ridge, over the terms in use; 0 elsewhere

Dropping term j leaves b - C_j b_j / C_jj, and raises the (ridge) residual sum of squares by b_j^2 / C_jj.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np

from refrank.arrays import Bools, Floats, Ints
from refrank.cocr.m5p.tree import LinearModel
from refrank.cocr.m5p.weights import Weights

DEPENDENT = 1e-9  # a column is dropped if the other columns leave less than this share of its variance
TINY = float(np.finfo(np.float64).tiny)  # the smallest positive number of full precision
INFLATED = 1e4  # a drop loses log10 of the variance inflation in digits; beyond this the system is solved again


@dataclass(frozen=True)
class Regression:
    """The standardised least-squares problem of one node, without the columns that are constant there."""

    features: Ints  # (n_terms,) the column of X of each term
    center: Floats  # (n_terms,) weighted mean of these columns
    scale: Floats  # (n_terms,) their standard deviation
    mean: float  # weighted mean of the target
    weight: Floats  # (n_rows,)
    n_rows: float  # the n of the papers
    divisor: float  # of variances
    criterion: Callable[["Fit"], float]  # the sum of squares in Akaike's criterion
    design: Floats  # as in the notation, like the others
    target: Floats
    gram: Floats


def set_up_regression(X: Floats, y: Floats, weights: Weights, features: Ints) -> Regression:
    """Set up the problem of one node from its rows, (n_rows, n_features), and the columns that the model may use.

    `y` and the arrays of `weights` are (n_rows,).
    """
    weight, divisor = weights.models, float(weights.divisor.sum()) - 1.0
    # Weka M5P: where the weights add up to 1 at most, every column is taken for constant
    features = features if divisor > 0.0 else features[:0]
    design = X[:, features]  # (n_rows, n_terms), a copy
    # Weka M5P: a column that is constant in the node is left out.
    varies = design.max(axis=0) > design.min(axis=0)
    if not varies.all():
        features, design = features[varies], design[:, varies]
    n = weight.sum()
    root = np.sqrt(weight)
    center, mean = weight @ design / n, float(weight @ y / n)
    design -= center
    design *= root[:, None]
    gram = design.T @ design
    # so is a column whose variance is too small for float64
    seen = gram.diagonal() > TINY
    if not seen.all():
        features, center, design, gram = features[seen], center[seen], design[:, seen], gram[np.ix_(seen, seen)]
    scale = np.sqrt(gram.diagonal() / divisor)
    design /= scale
    gram /= np.outer(scale, scale)
    target, n_rows = root * (y - mean), weights.n_rows
    criterion = attrgetter("loss") if weights.weighted_criterion else compute_unweighted_loss
    return Regression(features, center, scale, mean, weight, n_rows, divisor, criterion, design, target, gram)


@dataclass(frozen=True)
class Fit:
    """A solution of a `Regression` on some of its terms, with coefficients and inverse as in the notation."""

    problem: Regression
    used: Bools  # (n_terms,)
    coefficients: Floats
    inverse: Floats
    ridge: float  # added to the diagonal of gram
    loss: float = math.nan  # sum of w times squared residuals; `measure` sets it, `drop_term` updates it

    def compute_residual(self) -> Floats:
        """Return target - design b, (n_rows,): the residuals times sqrt(w)."""
        return self.problem.target - self.problem.design @ self.coefficients

    def compute_inflation(self, term: int) -> float:
        """Return the factor by which the other terms inflate the variance of b_term: 1 if it is orthogonal to them."""
        return float(self.inverse[term, term] * (self.problem.gram[term, term] + self.ridge))

    def compute_rise(self, term: int) -> float:
        """Return the rise of the residual sum of squares when the term is dropped."""
        return float(self.coefficients[term] ** 2 / self.inverse[term, term])

    def to_model(self) -> LinearModel:
        """Return the fit in the units of X."""
        problem = self.problem
        slope = self.coefficients[self.used] / problem.scale[self.used]
        intercept = problem.mean - float(slope @ problem.center[self.used])
        return LinearModel(problem.features[self.used], slope, intercept)


def solve(problem: Regression, used: Bools, ridge: float) -> Fit:
    """Solve the normal equations of the used terms, (n_terms,), with one step of refinement.

    The refinement, b + C (X'(y - Xb) - ridge b), takes the residual from the data. So the error is about that of a QR
    solution, unless the columns are so dependent that C itself has no correct digits.

    While the matrix is singular, a ridge above 0 is multiplied by ten; a ridge of 0 raises a LinAlgError.
    """
    from scipy.linalg import cho_factor, cho_solve

    terms = np.flatnonzero(used)
    coefficients, inverse = np.zeros(len(used)), np.zeros_like(problem.gram)
    if len(terms) == 0:
        return Fit(problem, used, coefficients, inverse, ridge)
    gram = problem.gram[np.ix_(terms, terms)].copy()
    gram[np.diag_indices_from(gram)] += ridge
    try:
        factor = cho_factor(gram, lower=True, check_finite=False)
    except np.linalg.LinAlgError:
        if ridge == 0.0:
            raise
        # Weka M5P: where the matrix is singular, ten times the ridge
        return solve(problem, used, 10.0 * ridge)
    C = cho_solve(factor, np.eye(len(terms)), check_finite=False)
    design = problem.design if len(terms) == len(used) else problem.design[:, terms]
    b = C @ (design.T @ problem.target)
    b += C @ (design.T @ (problem.target - design @ b) - ridge * b)
    coefficients[terms] = b
    inverse[np.ix_(terms, terms)] = C
    return Fit(problem, used, coefficients, inverse, ridge)


def drop_term(fit: Fit, term: int) -> Fit:
    """Return the fit that remains when one term is dropped."""
    used, loss = fit.used.copy(), fit.loss + fit.compute_rise(term)
    used[term] = False
    if fit.compute_inflation(term) > INFLATED:
        return replace(solve(fit.problem, used, fit.ridge), loss=loss)
    column = fit.inverse[:, term] / fit.inverse[term, term]  # C_j / C_jj
    coefficients = fit.coefficients - column * fit.coefficients[term]
    inverse = fit.inverse - np.outer(column, fit.inverse[term])
    inverse[:, term] = 0.0  # exactly 0, as its line and b_term are: x - 1 x
    return replace(fit, used=used, coefficients=coefficients, inverse=inverse, loss=loss)


def measure(fit: Fit) -> Fit:
    """Return the fit with its loss, summed over the rows."""
    residual = fit.compute_residual()
    return replace(fit, loss=float(residual @ residual))


def compute_unweighted_loss(fit: Fit) -> float:
    """Return the sum of squared residuals, each row once, whatever its weight."""
    residual = fit.compute_residual()
    return float((residual / fit.problem.weight) @ residual)


def choose_independent(problem: Regression) -> Bools:
    """Choose terms such that none is a linear combination of the others; return a mask, (n_terms,).

    Each step of the pivoted Cholesky factorization takes the column with the most variance unexplained by the earlier
    ones. It ends when less than `DEPENDENT` of every other column's variance is unexplained.
    """
    from scipy.linalg import lapack

    tolerance = DEPENDENT * problem.gram.diagonal().max(initial=0.0)
    _, pivots, rank, _ = lapack.dpstrf(problem.gram, tol=tolerance, lower=1)
    return np.isin(np.arange(len(pivots)), pivots[:rank] - 1)
