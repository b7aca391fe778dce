"""iGBRT Section 6: ranking by classification, as four binary problems "is this less relevant than c?".

    symbol        in code             shape
    b^c           binary_target       (n_samples,), 1 where y < c, else 0; c = 1..max_grade
    T^c           cumulative_proba    (n_samples, max_grade), column c - 1: P(rel < c) = P(rel <= c - 1)
    P(rel = r)    class_proba         (n_samples, max_grade + 1)

T^0 = 0 and T^{max_grade + 1} = 1. The trees of a forest predict means of labels 0 and 1, which lie in [0, 1]; a boosted
sum can leave it (footnote 2), and since the problems are learned apart, T^c can fall as c rises: then a class
probability is negative. `violations` counts both; `clipped` holds T^c within [0, 1], which mends the first only.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Violations(NamedTuple):
    """How many values of T^c leave [0, 1], and how many class probabilities are negative."""

    outside: int
    negative: int


def binary_target(y: NDArray[np.int64], c: int) -> NDArray[np.float64]:
    """Label one binary problem, b^c = [y < c].

    Examples
    --------
    >>> binary_target(np.array([0, 1, 2]), 1)
    array([1., 0., 0.])
    """
    # iGBRT Sec. 6: "predicts if the document is less relevant than c"
    return (y < c).astype(np.float64)


def class_proba(cumulative_proba: NDArray[np.float64]) -> NDArray[np.float64]:
    """Combine the problems: P(rel = r) = T^{r+1} - T^r.

    Parameters
    ----------
    cumulative_proba : float64 array of shape (n_samples, max_grade)
        T^1, ..., T^max_grade.

    Returns
    -------
    float64 array of shape (n_samples, max_grade + 1)

    Examples
    --------
    >>> class_proba(np.array([[0.25, 0.75], [0.75, 0.5]]))
    array([[ 0.25,  0.5 ,  0.25],
           [ 0.75, -0.25,  0.5 ]])
    """
    n_samples = len(cumulative_proba)
    # iGBRT Sec. 6: "T^0 = 0 and T^5 = 1"
    bounded = np.hstack([np.zeros((n_samples, 1)), cumulative_proba, np.ones((n_samples, 1))])
    return np.diff(bounded, axis=1)


def clipped(cumulative_proba: NDArray[np.float64]) -> NDArray[np.float64]:
    """Hold T^c within [0, 1]."""
    return np.clip(cumulative_proba, 0.0, 1.0)


def violations(cumulative_proba: NDArray[np.float64]) -> Violations:
    """Count what footnote 2 calls "small violations of the probability assumptions".

    Examples
    --------
    >>> violations(np.array([[0.25, 1.25], [0.75, 0.5]]))
    Violations(outside=1, negative=2)
    """
    outside = (cumulative_proba < 0) | (cumulative_proba > 1)
    return Violations(int(outside.sum()), int((class_proba(cumulative_proba) < 0).sum()))
