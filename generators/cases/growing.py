"""Growers of the cases' trees, whose plain arguments are a table of features, its bins, and the limits of a tree.

X            float64, (n, n_features); with three_way, +inf where a feature is missing
binning      "app-i", "quantile" or "exact"
three_way    null; "parting" or "rt-rank": three-way cuts on features that some row lacks
cut_at       "bins", or "midpoint" of the node's own rows
"""

from dataclasses import replace
from typing import Any

import numpy as np

from generators.cases.binning import METHODS
from refrank.trees.bins.binning import BinnedFeatures, bin_features
from refrank.trees.engine import SPECIFICATION
from refrank.trees.growth.grower import Grow, Grower
from refrank.trees.growth.mean_leaves import THREE_WAY
from refrank.trees.growth.midpoints import CutAt, at_bins, at_midpoints
from refrank.trees.model.ensemble import Ensemble
from refrank.trees.model.tree import Tree

TABLE = {
    "X": "float64, (n, n_features); +inf where a feature is missing, with three_way",
    "n_bins": "B, an integer",
    "binning": '"app-i" (growth 2), "quantile" or "exact"',
}
LIMITS = {
    "n_leaves": "J, an integer, or null: no limit, and nodes are cut depth first, left before right",
    "max_depth": "integer, or null",
    "min_samples_leaf": "integer",
}
WAYS = {
    "cut_at": '"bins", or "midpoint": just above the middle between the rows of the node on both sides',
    "three_way": 'null, "parting" or "rt-rank"',
}
FIELDS = {
    "feature": "int64, (n_nodes,): -1 in a leaf; nodes in the order made, left before right",
    "bin": "int64, (n_nodes,): rows with code <= bin go left",
    "cut": "float64, (n_nodes,): rows with x < cut go left",
    "left": "int64, (n_nodes,)",
    "right": "int64, (n_nodes,)",
    "split_gain": "float64, (n_nodes,)",
    "n_node_samples": "int64, (n_nodes,)",
    "value": "float64, (n_nodes,): 0 except in leaves",
}


def bin_rows(X: Any, n_bins: int, binning: str, weight: Any = None, three_way: str | None = None) -> BinnedFeatures:
    """Bin a table; weights move quantiles."""
    moving = weight if binning == "quantile" else None
    binned = bin_features(X, n_bins, METHODS[binning], moving, engine=SPECIFICATION)
    missed = np.isposinf(X).any(axis=0)
    if three_way is None or not missed.any():
        return binned
    return replace(binned, missing=np.where(missed, THREE_WAY[three_way].flag, 0).astype(np.int8))


def make_grower(X: Any, n_bins: int, binning: str, weight: Any = None, **limits: Any) -> Grower:
    """Make a grower of trees with two-way cuts."""
    return Grower(bin_rows(X, n_bins, binning, weight), **limits)


def make_grow(X: Any, cut_at: str, three_way: str | None, binned: BinnedFeatures, **limits: Any) -> Grow:
    """Make a grower of trees with two-way or three-way cuts."""
    make = THREE_WAY[three_way].make_grower if three_way else Grower
    return make(binned, cut_at=place_cuts(X, cut_at), **limits)


def place_cuts(X: Any, cut_at: str) -> CutAt:
    """Choose the value of a cut."""
    return at_midpoints(X) if cut_at == "midpoint" else at_bins


def list_fields(tree: Tree) -> dict[str, Any]:
    """Return the fields of a tree."""
    return {name: getattr(tree, name) for name in FIELDS}


def concatenate(ensemble: Ensemble) -> dict[str, Any]:
    """Return the fields of all trees, by round and output, and where each tree begins."""
    trees = [tree for turn in ensemble.rounds for tree in turn]
    sizes = [len(tree.feature) for tree in trees]
    named = {name: np.concatenate([getattr(tree, name) for tree in trees]) for name in ALL_TREES if name != "roots"}
    return {"roots": np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64), **named}


ALL_TREES = {
    "roots": "int64, (n_trees,): where each tree begins, round by round, and output by output",
    **{name: FIELDS[name] for name in ("feature", "cut", "left", "right", "value")},
}
