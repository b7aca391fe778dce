"""Root mean squared error between labels and scores, over documents: Mohan et al. Sec. 2."""

import math

import numpy as np
from numpy.typing import ArrayLike

from refrank.metrics.queries import check_labels, check_scores


def rmse(y: ArrayLike, score: ArrayLike) -> float:
    """Return sqrt(1/n sum_i (score_i - y_i)^2), in units of the label.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels 0, 1, 2, ...
    score : array-like of shape (n_samples,)
        Scores on the scale of the labels.

    Returns
    -------
    float
        The sum over documents is exact before it is rounded (`math.fsum`), so row order changes no bit.

    Raises
    ------
    ValueError
        On a NaN or infinite score, a label that is no integer from 0 to 53, empty input, lengths that differ.

    Examples
    --------
    >>> rmse([0, 2], [1.0, 1.0])
    1.0
    """
    labels = check_labels(y)
    scores = check_scores(score, len(labels))
    infinite = np.isinf(scores)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise ValueError(f"score[{row}] is {scores[row].item()!r}: an infinite score has no squared error")
    return math.sqrt(math.fsum(np.square(scores - labels).tolist()) / len(labels))
