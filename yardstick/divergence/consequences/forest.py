"""A tree of a forest recomputed from its seed: the rows it draws, and its cuts on the features drawn for each node."""

from dataclasses import fields
from typing import Any

import numpy as np

from refrank.arrays import Floats
from refrank.estimators.igbrt import choose_n_candidates
from refrank.estimators.tree_ranker import has_classes
from refrank.igbrt.classification import binary_target, problem_seeds
from refrank.igbrt.random_forest import bootstrap_counts
from refrank.trees.bins.binning import BinnedFeatures
from refrank.trees.engine import SPECIFICATION
from refrank.trees.growth.midpoints import at_bins, at_midpoints
from refrank.trees.model.tree import Tree, add_predictions
from refrank.trees.numbers.draws import FEATURES, tree_key
from yardstick.divergence.consequences.binning import bin_features
from yardstick.divergence.consequences.evidence import Arrays, Evidence, Unknown
from yardstick.traces.stages import Place


def list_targets(evidence: Evidence) -> list[Floats]:
    """Return the target of each problem, (n_samples,) each."""
    y = evidence.data("y")
    if not has_classes(evidence.ranker):
        return [y]
    ranker: Any = evidence.ranker
    n_classes = ranker.n_classes or int(y.max()) + 1
    return [binary_target(evidence.labels, c) for c in range(1, n_classes)]


def find_seed(evidence: Evidence, output: int) -> int:
    """Return the seed of a problem's forest."""
    ranker: Any = evidence.ranker
    if not isinstance(ranker.random_state, int):
        raise Unknown
    return problem_seeds(ranker.random_state, len(list_targets(evidence)))[output]


def draws(evidence: Evidence, place: Place) -> Arrays:
    """Count how often a tree draws each row."""
    if place.tree is None or place.output is None:
        raise Unknown
    return {"counts": bootstrap_counts(find_seed(evidence, place.output), place.tree, len(evidence.data("y")))}


def tree(evidence: Evidence, place: Place) -> Arrays:
    """Grow a tree on the rows that the port drew."""
    return grow_tree(evidence, place, bin_features(evidence))


def grow_tree(evidence: Evidence, place: Place, binned: BinnedFeatures) -> Arrays:
    """Grow the same tree on binned features, by the engine that they carry."""
    if place.tree is None or place.output is None:
        raise Unknown
    ranker: Any = evidence.ranker
    grown = ranker.three_way_cuts.grow_forest_tree(
        binned,
        list_targets(evidence)[place.output],
        evidence.weight,
        evidence.array("draws", place, "counts").astype(np.int64),
        n_candidates=choose_n_candidates(ranker.max_features, binned.n_features),
        key=tree_key(find_seed(evidence, place.output), place.tree, FEATURES),
        min_samples_leaf=ranker.min_samples_leaf,
        cut_at=at_midpoints(evidence.data("X")) if ranker.cut_at == "midpoint" else at_bins,
    )
    return {field.name: getattr(grown, field.name) for field in fields(Tree)}


def average_forest(evidence: Evidence, output: int) -> Floats:
    """Average the trees of a problem's forest on the training rows, (n_samples,)."""
    ranker: Any = evidence.ranker
    X = evidence.data("X")
    total = np.zeros(len(X))
    for t in range(ranker.n_trees):
        place = Place(tree=t, output=output)
        made = Tree(**{field.name: evidence.array("tree", place, field.name) for field in fields(Tree)})
        add_predictions([made], X, 1.0, total, SPECIFICATION)
    return total / max(1, ranker.n_trees)
