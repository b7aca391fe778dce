"""iGBRT Algorithm 1: random forests.

    symbol    in code          shape
    D_t       counts           (n_samples,), how often tree t drew each row
    K         n_candidates     int
    M_RF      n_trees          int
    h_t       tree
    T         scores           (n_samples,)

What tree t draws is a function of (seed, t): trees may be grown in any order, by any number of workers, or alone.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from refrank.trees.draws import FEATURES, bootstrap_rows, tree_key
from refrank.trees.tree import Tree, add_predictions

Grow = Callable[..., Tree]
Each = Callable[[Callable[[int], Tree], Iterable[int]], Iterable[Tree]]


@dataclass(frozen=True)
class ForestTree:
    """One turn of the loop over trees."""

    number: int  # t, from 0
    tree: Tree


def random_forest(
    target: NDArray[np.float64],
    grow: Grow,
    n_trees: int,
    seed: int,
    weight: NDArray[np.float64] | None = None,
    each: Each = map,
) -> Iterator[ForestTree]:
    """Algorithm 1, a tree at a time.

    Parameters
    ----------
    target : float64 array of shape (n_samples,)
        y, or the labels of one binary problem.
    grow : function
        `refrank.trees.forest_growth.grow_deep_tree` with binned features, K and splitter bound: takes residual, weight, counts
        and the key of the tree.
    n_trees : int
        M_RF.
    seed : int
        At least 0.
    weight : float64 array of shape (n_samples,), optional
    each : function
        How a function is applied to the numbers of the trees, in order: `map`, or a parallel one.

    Yields
    ------
    ForestTree

    Examples
    --------
    >>> from refrank.trees import splitting
    >>> from refrank.trees.binning import bin_features
    >>> from refrank.trees.forest_growth import grow_deep_tree
    >>> binned = bin_features(np.arange(8.0)[:, np.newaxis], 256, splitter=splitting)
    >>> grow = partial(grow_deep_tree, binned, n_candidates=1, splitter=splitting)
    >>> [turn.tree.n_node_samples[0] for turn in random_forest(np.arange(8.0), grow, n_trees=2, seed=0)]
    [np.int64(8), np.int64(8)]
    """
    grow_one = partial(forest_tree, target, weight, grow, seed)
    # iGBRT Alg. 1, line 1
    for t, tree in enumerate(each(grow_one, range(n_trees))):
        yield ForestTree(t, tree)


def forest_tree(target: NDArray[np.float64], weight: NDArray[np.float64] | None, grow: Grow, seed: int, t: int) -> Tree:
    """Grow tree t, alone."""
    # iGBRT Alg. 1, line 2
    counts = bootstrap_counts(seed, t, len(target))
    # iGBRT Alg. 1, line 3
    return grow(target, weight, counts, key=tree_key(seed, t, FEATURES))


def bootstrap_counts(seed: int, t: int, n_samples: int) -> NDArray[np.int64]:
    """Count how often tree t draws each row, (n_samples,); 0 where the row is out of its bag."""
    return np.bincount(bootstrap_rows(seed, t, n_samples), minlength=n_samples)


def out_of_bag(
    trees: Sequence[Tree],
    X: NDArray[np.floating],
    seed: int,
    splitter: ModuleType,
    n_threads: int,
) -> NDArray[np.float64]:
    """Predict each training row by the trees that did not draw it, (n_samples,); NaN where all did."""
    scores, votes = np.zeros(len(X)), np.zeros(len(X), np.int64)
    for t, tree in enumerate(trees):
        out = np.flatnonzero(bootstrap_counts(seed, t, len(X)) == 0)
        part = np.zeros(len(out))
        add_predictions([tree], X[out], 1.0, part, splitter, n_threads)
        scores[out] += part
        votes[out] += 1
    return np.divide(scores, votes, out=np.full(len(X), np.nan), where=votes > 0)


@dataclass(frozen=True)
class ForestModel:
    """A trained Algorithm 1."""

    trees: tuple[Tree, ...]

    def staged_scores(
        self, X: NDArray[np.floating], splitter: ModuleType, n_threads: int, every: int = 1
    ) -> Iterator[NDArray[np.float64]]:
        """Yield T, (n_samples,), after each `every` trees: the mean of those so far; 0 for a forest of none."""
        scores = np.zeros(len(X))
        if not self.trees:
            yield scores
        for start in range(0, len(self.trees), every):
            trees = self.trees[start : start + every]
            add_predictions(trees, X, 1.0, scores, splitter, n_threads)
            # iGBRT Alg. 1, line 5
            yield scores / (start + len(trees))

    def scores(self, X: NDArray[np.floating], splitter: ModuleType, n_threads: int) -> NDArray[np.float64]:
        """Compute T, (n_samples,)."""
        return next(self.staged_scores(X, splitter, n_threads, every=max(1, len(self.trees))))
