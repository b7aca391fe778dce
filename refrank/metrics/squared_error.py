"""Root mean squared error between labels and scores, over documents: iGBRT Sec. 2.

symbol    in code    shape
y_i       labels     (n_samples,)
n         n_samples
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from refrank.checks import check_entries, check_labels, check_scores
from refrank.metrics.spec import HIGHEST_LABEL


def rmse(y: ArrayLike, score: ArrayLike) -> float:
    """Compute sqrt(1/n sum_i (score_i - y_i)^2), in units of the label.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels: integers from 0 to 53, or floats without a fraction.
    score : array-like of shape (n_samples,)
        Finite scores on the scale of the labels.

    Returns
    -------
    float
        The sum over documents is exact before it is rounded (`math.fsum`), so row order changes no bit.

    Raises
    ------
    ValueError
        If an argument has the wrong shape or an entry that breaks its rule.

    Examples
    --------
    >>> rmse([0, 2], [1.0, 1.0])
    1.0
    """
    labels = check_labels(y, HIGHEST_LABEL)
    scores = check_scores(score, len(labels))
    check_entries("score", scores, np.isinf(scores), "an infinite score has no squared error")
    return math.sqrt(math.fsum(np.square(scores - labels).tolist()) / len(labels))
