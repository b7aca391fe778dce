"""refrank's trees, boosting and forest as plain functions of data: what the lemmas on trees are asked of.

    tree(X, y, weight, n_leaves)                       predictions of the rows of X, (n,)
    tree_leaves(X, y, weight, n_leaves)                rows of each leaf, by their first row
    ls_boosting(X, y, n_rounds, n_leaves, nu)          predictions after 0, 1, ... rounds, (n_rounds + 1, n)
    random_forest(X, y, n_trees, seed)                 predictions of the rows of X, (n,)

X is (n, n_features) of floats; with 256 bins, values 1e-8 or more apart have a bin each.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from refrank.igbrt import random_forest as forest
from refrank.mcrank import ls_boosting as boosting
from refrank.trees.binning import BinnedFeatures, bin_features
from refrank.trees.engine import DEFAULT_SPLITTER
from refrank.trees.forest_growth import grow_deep_tree
from refrank.trees.growth import grow_best_first
from refrank.trees.tree import Leaves, Tree

N_BINS = 256


def binned(X: ArrayLike, n_bins: int = N_BINS) -> BinnedFeatures:
    return bin_features(np.asarray(X, dtype=float), n_bins, splitter=DEFAULT_SPLITTER)


def grown(X: ArrayLike, y: ArrayLike, weight: ArrayLike | None, n_leaves: int, **options) -> tuple[Tree, Leaves]:
    weights = None if weight is None else np.asarray(weight, dtype=float)
    options.setdefault("n_bins", N_BINS)
    bins = binned(X, options.pop("n_bins"))
    return grow_best_first(
        bins, np.asarray(y, dtype=float), weights, n_leaves=n_leaves, splitter=DEFAULT_SPLITTER, **options
    )


def rows_of(leaves: Leaves) -> list[tuple[int, ...]]:
    """The partition: rows of each leaf, leaves by their first row."""
    bounds = zip(leaves.starts[:-1], leaves.starts[1:], strict=True)
    return sorted(tuple(sorted(leaves.rows[a:b].tolist())) for a, b in bounds)


def tree_leaves(X: ArrayLike, y: ArrayLike, weight: ArrayLike | None, n_leaves: int, **options):
    return rows_of(grown(X, y, weight, n_leaves, **options)[1])


def tree(X: ArrayLike, y: ArrayLike, weight: ArrayLike | None, n_leaves: int) -> NDArray[np.float64]:
    found, leaves = grown(X, y, weight, n_leaves)
    predicted = np.zeros(len(y))
    leaves.add_to(predicted, found.value[leaves.nodes])
    return predicted


def ls_boosting(X: ArrayLike, y: ArrayLike, n_rounds: int, n_leaves: int, nu: float) -> NDArray[np.float64]:
    grow = partial(grow_best_first, binned(X), n_leaves=n_leaves, splitter=DEFAULT_SPLITTER)
    rounds = boosting.ls_boosting(np.asarray(y, dtype=float), grow, n_rounds, nu)
    return np.array([turn.scores.copy() for turn in rounds])


def random_forest(X: ArrayLike, y: ArrayLike, n_trees: int, seed: int) -> NDArray[np.float64]:
    bins = binned(X)
    grow = partial(grow_deep_tree, bins, n_candidates=bins.n_features, splitter=DEFAULT_SPLITTER)
    trees = tuple(turn.tree for turn in forest.random_forest(np.asarray(y, dtype=float), grow, n_trees, seed))
    return forest.ForestModel(trees).scores(np.asarray(X, dtype=float), DEFAULT_SPLITTER, 1)
