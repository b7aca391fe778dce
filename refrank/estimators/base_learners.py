"""A_r of COCR: how a base learns one binary problem, with weights or from rows drawn by them.

symbol    in code    shape
w         weight     (n_samples,), scaled to mean one
h_k       SoftClassifier, or a `refrank.cocr.reduction.Constant`
"""

from dataclasses import dataclass
from math import fsum
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from refrank.arrays import Floats, Ints, Matrix
from refrank.cluster.communicator import is_any
from refrank.cocr.reduction import Learn, Predict
from refrank.estimators.counted_bags import BLOCK, can_count, count_bag, fit_bags

MOST_LISTED = 2**26  # largest number of rows of a listed bag: scikit-learn needs about 24 bytes each
MOST_ANSWERED = 256  # rows whose answers are checked: an infinite coefficient makes nearly every answer infinite or NaN
MOST_COUNTED = 2**40  # largest number of rows of a counted bag: about 10 ns each, three hours


@dataclass(frozen=True)
class SoftClassifier:
    """h_k: a fitted regressor."""

    regressor: BaseEstimator

    def __call__(self, X: Any) -> Floats:
        """Predict h_k(x), shape (n_samples,)."""
        return np.asarray(self.regressor.predict(X), np.float64)


def check_bags(base: Any, row_weight: Floats | None) -> None:
    """Refuse weights, (n_samples,), that give a bag of scikit-learn more rows than memory or time allows.

    The weights of a problem have the same sum as these (`refrank.cocr.reduction.to_mean_one`).
    """
    share = getattr(base, "max_samples", None)
    if row_weight is None or share is None or isinstance(share, Integral):
        return
    total, counted = fsum(row_weight), can_count(base)
    most, done = (MOST_COUNTED, "drawn") if counted else (MOST_LISTED, "listed")
    if share * total > most:
        rule = f"max_samples={share:g} of that are {done} one by one for a bag, and may be at most {most}"
        help = "divide the weights, or give max_samples as a number of rows"
        raise ValueError(f"sample_weight adds up to {total:g}: {rule}; {help}")


def learn_weighted(base: Any, X: Matrix, row_weight: Floats | None) -> Learn:
    """Return A_r for a base that takes weights; no rows are drawn.

    Tree rankers bin the rows once for all problems, by the weights of the rows. Costs do not move the bins, unless a
    cost has a step of 0, which leaves rows out (`TreeRanker.fit_prepared`).
    """
    prepares = hasattr(base, "fit_prepared")
    rows, fit = (base.prepare(X, row_weight), "fit_prepared") if prepares else (X, "fit")
    counts = can_count(base)  # bags: scikit-learn would list the rows that they draw

    def learn(answer: Floats, weight: Floats, k: int) -> SoftClassifier:
        # COCR Sec. 3.1: weights of one lead "to the simple weight-less version"
        weighted = {"sample_weight": weight} if is_any((weight != 1.0).any()) else {}
        if weighted and counts and count_bag(base, weight) > BLOCK:
            return SoftClassifier(fit_bags(clone(base), rows, answer, weight))
        return SoftClassifier(getattr(clone(base), fit)(rows, answer, **weighted))

    return learn


def learn_resampled(base: Any, X: Matrix, seed: int) -> Learn:
    """Return A_r for a base that takes no weights, which learns from rows drawn by their weights."""

    def learn(answer: Floats, weight: Floats, k: int) -> SoftClassifier:
        rows = rejection_sample(weight, seed, k)  # all rows, if all have the same weight
        return SoftClassifier(clone(base).fit(X[rows], answer[rows]))

    return learn


def refuse_infinite(learn: Learn, X: Matrix, base: str) -> Learn:
    """Return A_r that refuses a regressor whose answers for some rows of X, (n_samples, n_features), are not finite.

    Least squares divides by features: by those of 1e-310, to coefficients that are infinite.
    """
    rows = X[:: max(1, -(-len(X) // MOST_ANSWERED))]

    def learn_finite(answer: Floats, weight: Floats, k: int) -> Predict:
        h = learn(answer, weight, k)
        answers = h(rows) if len(rows) else np.empty(0)
        if not np.isfinite(answers).all():
            sizes = np.abs(rows[np.isfinite(rows) & (rows != 0)])
            least, largest = (sizes.min(), sizes.max()) if len(sizes) else (0.0, 0.0)
            scale = f"features other than 0 are {least:.3g} to {largest:.3g} in size"
            value = f"base {base} answers {answers[~np.isfinite(answers)][0]} in problem {k}"
            raise ValueError(f"{value}: it must be finite; {scale}: rescale the features")
        return h

    return learn_finite


def rejection_sample(weight: Floats, seed: int, k: int) -> Ints:
    """Draw rows by cost-proportionate rejection sampling (Zadrozny, Langford and Abe 2003).

    Each row is kept at most once, with probability weight / largest weight. So the rows that are kept are distributed
    by the weights, and are fewer than before.

    >>> rejection_sample(np.array([1.0, 4.0, 4.0, 2.0]), seed=0, k=1)
    array([1, 2])
    """
    # COCR Sec. 3.1: "or by sampling (Zadrozny et al. 2003)"
    uniform = np.random.default_rng([seed, k]).random(len(weight))  # [0, 1): a row of the largest weight always stays
    return np.flatnonzero(uniform * weight.max() < weight)
