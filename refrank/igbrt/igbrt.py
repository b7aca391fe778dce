"""iGBRT Algorithm 3: gradient boosted regression trees that start from a random forest.

symbol    in code          shape
F         forest           ForestModel
r         residual         (n_samples,)
T         scores           (n_samples,)
"""

from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from refrank.igbrt.gbrt import GBRTModel, GBRTRound, Grow, gbrt
from refrank.igbrt.random_forest import ForestModel


def igbrt(
    target: NDArray[np.float64],
    forest_scores: NDArray[np.float64],
    grow: Grow,
    n_rounds: int,
    learning_rate: float,
    weight: NDArray[np.float64] | None = None,
) -> Iterator[GBRTRound]:
    """Algorithm 3 once the forest stands: boost the residuals that it leaves.

    Parameters
    ----------
    target : float64 array of shape (n_samples,)
        y.
    forest_scores : float64 array of shape (n_samples,)
        F(x_i) of the training rows; all 0 for a forest of no trees, which makes this Algorithm 2.
    grow, n_rounds, learning_rate, weight
        As in `refrank.igbrt.gbrt.gbrt`.

    Yields
    ------
    GBRTRound
    """
    # iGBRT Alg. 3, line 2: from here on, lines 3 to 8 are lines 2 to 7 of Alg. 2
    yield from gbrt(target - forest_scores, grow, n_rounds, learning_rate, weight)


@dataclass(frozen=True)
class IGBRTModel:
    """A trained Algorithm 3."""

    forest: ForestModel
    boosting: GBRTModel

    def staged_scores(
        self, X: NDArray[np.floating], splitter: ModuleType, n_threads: int, every: int = 1
    ) -> Iterator[NDArray[np.float64]]:
        """Yield T, (n_samples,), after each `every` rounds of boosting: a new array each time."""
        forest_scores = self.forest.scores(X, splitter, n_threads)
        # iGBRT Alg. 3, line 9
        for scores in self.boosting.staged_scores(X, splitter, n_threads, every):
            yield forest_scores + scores

    def scores(self, X: NDArray[np.floating], splitter: ModuleType, n_threads: int) -> NDArray[np.float64]:
        """Compute T after the last round, (n_samples,)."""
        return next(self.staged_scores(X, splitter, n_threads, every=max(1, len(self.boosting.rounds))))
