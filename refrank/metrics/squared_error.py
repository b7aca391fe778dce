"""Squared errors between labels and scores, over documents: iGBRT Sec. 2's RMSE, and R^2."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from refrank.arrays import Floats
from refrank.checks import check_entries, check_labels, check_scores
from refrank.metrics.spec import HIGHEST_LABEL


def rmse(y: ArrayLike, score: ArrayLike) -> float:
    """Compute sqrt(1/n sum_i (score_i - y_i)^2), in units of the label y, an integer from 0 to 53.

    Each score is finite; both are (n_samples,). The sum is exact before it is rounded, so row order changes no bit.

    Examples
    --------
    >>> rmse([0, 2], [1.0, 1.0])
    1.0
    """
    labels = check_labels(y, HIGHEST_LABEL)
    scores = check_scores(score, len(labels))
    check_entries("score", scores, np.isinf(scores), "an infinite score has no squared error")
    return math.sqrt(math.fsum(np.square(scores - labels).tolist()) / len(labels))


def compute_explained_share(y: NDArray[Any], scores: Floats) -> float:
    """Compute R^2 of scores against labels that are not all equal, (n_samples,) each; `math.fsum` adds.

    >>> compute_explained_share(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 1.0]))
    0.5
    """
    exponent = -np.frexp(np.abs(y).max())[1]
    y, scores = np.ldexp(y, exponent), np.ldexp(scores, exponent)  # by a power of two: no square overflows
    mean = math.fsum(y) / len(y)
    return 1.0 - math.fsum(np.square(y - scores)) / math.fsum(np.square(y - mean))
