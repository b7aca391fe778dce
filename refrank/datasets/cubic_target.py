"""The function F of McRank's artificial data (Sec. 6.1): three scaled terms, and thresholds that make labels.

T(x) = sum_i c_i x_i x_Q(i) ..., and F(x) = sum over the terms of term_weight * (T(x) - E T) / sqrt(Var T).
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod, sqrt

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Ints, Matrix

CHUNK_ROWS = 8192  # rows held in float64 at a time


@dataclass(frozen=True, eq=False)
class CubicTerm:
    """One term of F: sum_i coefficients[i] * prod_d x[factors[i, d]], less its mean, over its deviation."""

    coefficients: Floats  # c, (n_features,)
    factors: NDArray[np.intp]  # i, Q(i), ...: the features that the i-th product multiplies, (n_features, degree)
    mean: float  # E T, of the unscaled sum for x uniform on [-1, 1]^n_features
    deviation: float  # sqrt(Var T); both are rounded once


@dataclass(frozen=True, eq=False)
class CubicPolynomial:
    """F and the thresholds that turn it into labels."""

    terms: tuple[CubicTerm, CubicTerm, CubicTerm]  # linear, quadratic and cubic
    term_weights: tuple[float, float, float]
    thresholds: Floats  # (n_classes - 1,), not decreasing

    def target(self, X: Matrix) -> Floats:
        """Compute F(x) of each row in float64, each term summed over i = 0, 1, ... and the terms by degree."""
        target = np.zeros(len(X))  # (n_samples,)
        for start in range(0, len(X), CHUNK_ROWS):
            rows = slice(start, start + CHUNK_ROWS)
            columns = np.ascontiguousarray(X[rows].T, np.float64)  # (n_features, rows of the chunk)
            for term_weight, term in zip(self.term_weights, self.terms, strict=True):
                total = np.zeros(columns.shape[1])
                for coefficient, features in zip(term.coefficients, term.factors, strict=True):
                    monomial = coefficient * columns[features[0]]
                    for feature in features[1:]:
                        monomial *= columns[feature]
                    total += monomial
                target[rows] += term_weight * ((total - term.mean) / term.deviation)
        return target

    def labels(self, X: Matrix) -> Ints:
        """Count the thresholds below F(x) of each row: 0, ..., n_classes - 1."""
        return np.searchsorted(self.thresholds, self.target(X), side="left").astype(np.int64)


def scale_term(coefficients: Floats, factors: NDArray[np.intp]) -> CubicTerm:
    """Compute the mean and the deviation of a term under x uniform on [-1, 1]^n_features, in fractions.

    E T = sum_i c_i E m_i and E T^2 = sum_i sum_j c_i c_j E[m_i m_j], where m_i is the product of the factors of i. The
    features are independent, so the mean of a product of powers is the product of E x^p = 1/(p+1) for even p, and 0 for
    odd p. Powers are counted, so a fixed point i = Q(i), which makes x_i^2, i = Q(i) = R(i), which makes x_i^3, and
    products that share features need no special case.
    """
    mean, second = Fraction(0), Fraction(0)
    # m_i m_j has only even powers exactly if m_i and m_j have their odd powers at the same features.
    by_odd_features = defaultdict(list)
    for coefficient, features in zip(coefficients.tolist(), factors.tolist(), strict=True):
        powers = Counter(features)
        mean += Fraction(coefficient) * _compute_mean(powers)
        by_odd_features[frozenset(f for f in powers if powers[f] % 2)].append((Fraction(coefficient), powers))
    for group in by_odd_features.values():
        for (c_i, m_i), (c_j, m_j) in product(group, group):
            second += c_i * c_j * _compute_mean(m_i + m_j)
    return CubicTerm(coefficients, factors, float(mean), sqrt(second - mean * mean))


def _compute_mean(powers: Counter[int]) -> Fraction:
    """Return E of the product of x_f^powers[f], the x_f independent and uniform on [-1, 1]."""
    return prod((Fraction(1 - p % 2, p + 1) for p in powers.values()), start=Fraction(1))
