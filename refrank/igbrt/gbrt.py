"""iGBRT Algorithm 2: gradient boosted regression trees, with the squared loss.

symbol    in code          shape
r         residual         (n_samples,)
alpha     learning_rate    float
M_B       n_rounds         int
d         inside `grow`    grow(residual, weight) -> tree, leaves: CART of depth d with all features
T_t       tree
T         scores           (n_samples,)
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from refrank.trees.tree import Leaves, Tree, add_predictions

Grow = Callable[[NDArray[np.float64], NDArray[np.float64] | None], tuple[Tree, Leaves]]


@dataclass(frozen=True)
class GBRTRound:
    """One turn of the loop over trees."""

    number: int  # t, from 1
    tree: Tree  # the leaves hold the mean residual, before the step alpha
    residual: NDArray[np.float64]  # (n_samples,) a read-only view, which the next round writes to


def gbrt(
    target: NDArray[np.float64],
    grow: Grow,
    n_rounds: int,
    learning_rate: float,
    weight: NDArray[np.float64] | None = None,
) -> Iterator[GBRTRound]:
    """Algorithm 2, which starts at F = 0: the first tree is fitted to the target itself.

    Parameters
    ----------
    target : float64 array of shape (n_samples,)
        y; for another start F (the mean, a forest), y - F.
    grow : function
        `refrank.trees.growth.grow_to_depth` with the rest of its arguments bound.
    n_rounds : int
        M_B.
    learning_rate : float
        alpha.
    weight : float64 array of shape (n_samples,), optional

    Yields
    ------
    GBRTRound

    Examples
    --------
    >>> from functools import partial
    >>> from refrank.trees import splitting
    >>> from refrank.trees.binning import bin_features
    >>> from refrank.trees.growth import grow_to_depth
    >>> binned = bin_features(np.array([[0.0], [1.0]]), 256, splitter=splitting)
    >>> grow = partial(grow_to_depth, binned, max_depth=4, splitter=splitting)
    >>> [turn.residual.tolist() for turn in gbrt(np.array([0.0, 4.0]), grow, 2, learning_rate=0.5)]
    [[0.0, 2.0], [0.0, 1.0]]
    """
    # iGBRT Alg. 2, line 1
    residual = target.astype(np.float64)
    view = residual.view()
    view.flags.writeable = False
    # iGBRT Alg. 2, line 2
    for t in range(1, n_rounds + 1):
        # iGBRT Alg. 2, line 3
        tree, leaves = grow(residual, weight)
        # iGBRT Alg. 2, line 5
        leaves.add_to(residual, -learning_rate * tree.value[leaves.nodes])
        yield GBRTRound(t, tree, view)


@dataclass(frozen=True)
class GBRTModel:
    """A trained Algorithm 2, from the constant `initial`."""

    initial: float
    rounds: tuple[Tree, ...]
    learning_rate: float

    def staged_scores(
        self, X: NDArray[np.floating], splitter: ModuleType, n_threads: int, every: int = 1
    ) -> Iterator[NDArray[np.float64]]:
        """Yield T, (n_samples,), after each `every` rounds: the same array each time, written to."""
        # iGBRT Alg. 2, line 8
        scores = np.full(len(X), self.initial)
        if not self.rounds:
            yield scores
        for start in range(0, len(self.rounds), every):
            add_predictions(self.rounds[start : start + every], X, self.learning_rate, scores, splitter, n_threads)
            yield scores

    def scores(self, X: NDArray[np.floating], splitter: ModuleType, n_threads: int) -> NDArray[np.float64]:
        """Compute T after the last round, (n_samples,)."""
        return next(self.staged_scores(X, splitter, n_threads, every=max(1, len(self.rounds))))
