"""R^2, by which the out-of-bag scores of a forest are measured."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats


def compute_explained_share(y: NDArray[Any], scores: Floats) -> float:
    """Compute R^2 of scores against labels that are not all equal, (n_samples,) each; `math.fsum` adds.

    >>> compute_explained_share(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 1.0]))
    0.5
    """
    exponent = -np.frexp(np.abs(y).max())[1]
    y, scores = np.ldexp(y, exponent), np.ldexp(scores, exponent)  # by a power of two: no square overflows
    mean = math.fsum(y) / len(y)
    return 1.0 - math.fsum(np.square(y - scores)) / math.fsum(np.square(y - mean))
