"""Refrank's trees, boosting and forest as plain functions of data. No other file here uses `refrank.trees`.

    tree(X, y, weight, n_leaves)                       predictions of the rows of X, (n,)
    tree_leaves(X, y, weight, n_leaves)                rows of each leaf, ordered by their first row
    ls_boosting(X, y, n_rounds, n_leaves, nu)          predictions after 0, 1, ... rounds, (n_rounds + 1, n)
    softmax_boosting(X, y, n_classes, n_rounds, n_leaves, nu)     F after 1, 2, ... rounds, (n_rounds, n, n_classes)
    ordinal_boosting(X, y, n_classes, n_rounds, n_leaves, nu)     P(y <= k), (n_rounds, n, n_classes - 1)
    random_forest(X, y, n_trees, seed)                 predictions of the rows of X, (n,)
    best_cut(X, y, n_bins)                             the cut of the root: feature, rows that go left
    best_first, to_depth(X, y, min_rows)               a whole tree, without the numbers of its nodes

X is (n, n_features) of floats. With 256 bins, values that are at least 1e-8 apart have separate bins.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from refrank.igbrt import random_forest as forest
from refrank.mcrank import ls_boosting as boosting
from refrank.mcrank import ordinal_boosting as ordinal
from refrank.mcrank import softmax_boosting as softmax
from refrank.trees import splitting
from refrank.trees.bins.binning import BinnedFeatures, bin_features
from refrank.trees.engine import default_engine
from refrank.trees.growth.forest_growth import grow_forest_tree
from refrank.trees.growth.grower import Grower
from refrank.trees.model.ensemble import Ensemble
from refrank.trees.model.tree import Leaves, Tree

ENGINE = default_engine(n_threads=1)
N_BINS = 256


def binned(X: ArrayLike, n_bins: int = N_BINS) -> BinnedFeatures:
    """Bin the features."""
    return bin_features(np.ascontiguousarray(X, dtype=float), n_bins, engine=ENGINE)


def grown(X: ArrayLike, y: ArrayLike, weight: ArrayLike | None, n_leaves: int, n_bins: int) -> tuple[Tree, Leaves]:
    """Grow a tree best first."""
    weights = None if weight is None else np.ascontiguousarray(weight, dtype=float)
    return Grower(binned(X, n_bins), n_leaves=n_leaves)(np.ascontiguousarray(y, dtype=float), weights)


def tree_leaves(
    X: ArrayLike, y: ArrayLike, weight: ArrayLike | None, n_leaves: int, n_bins: int = N_BINS
) -> list[tuple[int, ...]]:
    """List the rows of each leaf, leaves by their first row."""
    _, leaves = grown(X, y, weight, n_leaves, n_bins)
    bounds = zip(leaves.starts[:-1], leaves.starts[1:], strict=True)
    return sorted(tuple(sorted(leaves.rows[a:b].tolist())) for a, b in bounds)


def tree(X: ArrayLike, y: ArrayLike, weight: ArrayLike | None, n_leaves: int) -> NDArray[np.float64]:
    """Grow a tree and predict the rows of X, (n,)."""
    model, leaves = grown(X, y, weight, n_leaves, N_BINS)
    predicted = np.zeros(len(y))
    leaves.add_to(predicted, 1.0, model.value[leaves.nodes])
    return predicted


def ls_boosting(X: ArrayLike, y: ArrayLike, n_rounds: int, n_leaves: int, nu: float) -> NDArray[np.float64]:
    """Boost and predict the rows of X after each round, (n_rounds + 1, n)."""
    grow_tree = Grower(binned(X), n_leaves=n_leaves)
    rounds = boosting.ls_boosting(np.asarray(y, dtype=float), grow_tree, n_rounds, nu)
    return np.array([turn.scores.copy() for turn in rounds])


def softmax_boosting(
    X: ArrayLike, y: ArrayLike, n_classes: int, n_rounds: int, n_leaves: int, nu: float
) -> NDArray[np.float64]:
    """Boost by Alg. 1 as printed: F of the rows of X after each round, (n_rounds, n, n_classes)."""
    grow_tree = Grower(binned(X), n_leaves=n_leaves)
    rounds = softmax.softmax_boosting_sequential(np.asarray(y), n_classes, grow_tree, n_rounds, nu)
    return np.array([turn.scores.copy() for turn in rounds])


def ordinal_boosting(
    X: ArrayLike, y: ArrayLike, n_classes: int, n_rounds: int, n_leaves: int, nu: float
) -> NDArray[np.float64]:
    """Boost by Sec. 4 as printed: P(y <= k) of the rows of X after each round, (n_rounds, n, n_classes - 1)."""
    grow_tree = Grower(binned(X), n_leaves=n_leaves)
    rounds = ordinal.ordinal_boosting(
        np.asarray(y), n_classes, grow_tree, n_rounds, nu, binary=ordinal.binary_sequential
    )
    return np.array([turn.cumulative_proba.copy() for turn in rounds])


def random_forest(X: ArrayLike, y: ArrayLike, n_trees: int, seed: int) -> NDArray[np.float64]:
    """Grow a forest and predict the rows of X, (n,)."""
    bins = binned(X)
    grow_tree = partial(grow_forest_tree, bins, n_candidates=bins.n_features)
    turns = forest.random_forest(np.asarray(y, dtype=float), grow_tree, n_trees, seed)
    total = Ensemble((0.0,), tuple((turn.tree,) for turn in turns), 1.0)
    return total.scores(np.asarray(X, dtype=float), ENGINE)[:, 0] / n_trees


def best_cut(X: ArrayLike, y: list[int], n_bins: int) -> tuple[int, tuple[int, ...]] | None:
    """Find the first cut: its feature and the rows that go left. Labels are integers, so the sums are exact."""
    bins = binned(X, n_bins)
    feature, bin = best_bin(bins, y)
    if feature < 0:
        return None
    code = bins.codes[feature // splitting.GROUP, :, feature % splitting.GROUP]
    return int(feature), tuple(np.flatnonzero(code <= bin).tolist())


def best_bin(bins: BinnedFeatures, y: list[int]) -> tuple[int, int]:
    """Find the best cut from a histogram of all rows: its feature (or -1) and its last bin to the left."""
    rows, features = np.arange(len(y), dtype=np.int32), np.arange(bins.n_features, dtype=np.int32)
    sums = ENGINE.splitter.histogram(bins.codes, bins.offsets, rows, np.array(y), None, 1)
    feature, bin, *_ = ENGINE.splitter.best_split(sums, bins.offsets, features, 1, 1)
    return feature, bin


def best_first(X: ArrayLike, y: list[int], min_rows: int) -> tuple:
    """Grow a tree best first, with as many leaves as rows."""
    return whole(*Grower(binned(X), n_leaves=len(y), min_samples_leaf=min_rows)(np.asarray(y, dtype=float)))


def to_depth(X: ArrayLike, y: list[int], min_rows: int, max_depth: int | None = None) -> tuple:
    """Grow a tree depth first, left before right."""
    return whole(*Grower(binned(X), max_depth=max_depth, min_samples_leaf=min_rows)(np.asarray(y, dtype=float)))


def whole(tree: Tree, leaves: Leaves, node: int = 0) -> tuple:
    """List all parts of a tree except the numbers of its nodes."""
    if tree.feature[node] < 0:
        (at,) = np.flatnonzero(leaves.nodes == node)
        rows = tuple(sorted(leaves.rows[leaves.starts[at] : leaves.starts[at + 1]].tolist()))
        return rows, float(tree.value[node])
    here = (int(tree.feature[node]), int(tree.bin[node]), float(tree.cut[node]), float(tree.split_gain[node]))
    return *here, *(whole(tree, leaves, int(child[node])) for child in (tree.left, tree.right))
