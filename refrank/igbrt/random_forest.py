"""iGBRT Algorithm 1: random forests.

    symbol    in code         shape
    D_t       counts          (n_samples,): how often tree t drew each row
    K         n_candidates    int
    M_RF      n_trees         int
    h_t       tree            -
    T         scores          (n_samples,): the sum of the trees (`refrank.trees.model.ensemble.Ensemble`) over their
    number

    iGBRT Alg. 1    in our words
    line 1          for each tree t of M_RF
    line 2              draw n of the n rows with replacement: D_t
    line 3              grow a full tree on D_t; the cut of a node is the best on K features drawn for it
    line 5          T: the mean of the trees, in `refrank/estimators/igbrt.py`

The paper prints no line numbers: they count from 1 below "Input" (docs/reference/papers.md). docs/learn/by_hand.md
grows one tree.

The draws of tree t depend only on (seed, t): trees can be grown in any order, by any number of workers, or alone.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from refrank.arrays import Floats, Ints, Matrix
from refrank.trees.engine import Engine
from refrank.trees.model.tree import Tree, add_predictions
from refrank.trees.numbers.draws import FEATURES, bootstrap_rows, tree_key

GrowForestTree = Callable[..., Tree]  # (residual, weight, counts, key=...) -> tree
Each = Callable[[Callable[[int], Tree], Iterable[int]], Iterable[Tree]]


@dataclass(frozen=True)
class ForestTree:
    """One turn of the loop over trees."""

    number: int  # t, from 0
    tree: Tree  # the leaves hold the mean targets of their rows


def random_forest(
    target: Floats,
    grow: GrowForestTree,
    n_trees: int,
    seed: int,
    weight: Floats | None = None,
    each: Each = map,
    first: int = 0,
) -> Iterator[ForestTree]:
    """Run Algorithm 1, one tree at a time.

    Parameters
    ----------
    target : float64 array of shape (n_samples,)
        y, or the labels of one binary problem.
    grow : function
        `refrank.trees.growth.forest_growth.grow_forest_tree` with the binned features and K bound: takes residual,
        weight, counts and the key of the tree.
    n_trees : int
        M_RF.
    seed : int
        At least 0.
    weight : float64 array of shape (n_samples,), optional
        A row of weight w counts w times in every sum.
    each : function, default map
        Applies a function to the numbers of the trees, in order: `map`, or a parallel version.
    first : int, default 0
        Number of the first tree; an earlier run grew those before it.

    Yields
    ------
    ForestTree

    Examples
    --------
    >>> from refrank.trees.bins.binning import bin_features
    >>> from refrank.trees.engine import default_engine
    >>> from refrank.trees.growth.forest_growth import grow_forest_tree
    >>> binned = bin_features(np.arange(8.0)[:, np.newaxis], 256, engine=default_engine())
    >>> grow = partial(grow_forest_tree, binned, n_candidates=1)
    >>> [turn.tree.n_node_samples[0] for turn in random_forest(np.arange(8.0), grow, n_trees=2, seed=0)]
    [np.int64(8), np.int64(8)]
    """
    grow_one = partial(grow_numbered_tree, target, weight, grow, seed)
    # iGBRT Alg. 1, line 1
    for t, tree in enumerate(each(grow_one, range(first, n_trees)), start=first):
        yield ForestTree(t, tree)


def grow_numbered_tree(target: Floats, weight: Floats | None, grow: GrowForestTree, seed: int, t: int) -> Tree:
    """Grow tree t, independently of the others."""
    # iGBRT Alg. 1, line 2
    counts = bootstrap_counts(seed, t, len(target))
    # iGBRT Alg. 1, line 3
    return grow(target, weight, counts, key=tree_key(seed, t, FEATURES))


def bootstrap_counts(seed: int, t: int, n_samples: int) -> Ints:
    """Count how often tree t draws each row, (n_samples,); 0 where the row is out of its bag."""
    return np.bincount(bootstrap_rows(seed, t, n_samples), minlength=n_samples)


def predict_out_of_bag(trees: Sequence[Tree], X: Matrix, seed: int, engine: Engine) -> Floats:
    """Predict each training row by the trees that did not draw it, (n_samples,); NaN where every tree drew it.

    Tree t was grown on the rows of X, (n_samples, n_features), that it draws from `seed`.
    """
    scores, votes = np.zeros(len(X)), np.zeros(len(X), np.int64)
    for t, tree in enumerate(trees):
        out = np.flatnonzero(bootstrap_counts(seed, t, len(X)) == 0)
        part = np.zeros(len(out))
        add_predictions([tree], X[out], 1.0, part, engine)
        scores[out] += part
        votes[out] += 1
    return np.divide(scores, votes, out=np.full(len(X), np.nan), where=votes > 0)
