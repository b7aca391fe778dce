"""Root mean squared error between labels and scores, over documents: iGBRT Sec. 2."""

import math

import numpy as np
from numpy.typing import ArrayLike

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
