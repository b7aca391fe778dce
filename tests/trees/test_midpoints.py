"""`refrank.trees.midpoints`: cuts midway between a node's own rows."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees.binning import bin_features
from refrank.trees.forest_growth import grow_forest_tree
from refrank.trees.growth import Grower
from refrank.trees.midpoints import at_midpoints
from refrank.trees.tree import Tree, add_predictions
from tests.strategies import ENGINE, SEEDS, TreeCase, rng_of, tree_cases
from tests.trees.compare import FIELDS, same_tree

OTHERS = tuple(name for name in FIELDS if name != "cut")


def midway(tree: Tree, codes, X, rows, number: int = 0) -> list[tuple[int, float]]:
    """Every node with its cut, from the definition: rows are sent by their bins, and the middle is exact."""
    f = int(tree.feature[number])
    if f == -1:
        return []
    left = [i for i in rows if codes[f // 8, i, f % 8] <= tree.bin[number]]
    right = [i for i in rows if i not in {*left}]
    highest, lowest = max(float(X[i, f]) for i in left), min(float(X[i, f]) for i in right)
    below = midway(tree, codes, X, left, int(tree.left[number])) + midway(
        tree, codes, X, right, int(tree.right[number])
    )
    return [(number, highest, lowest, float((Fraction(highest) + Fraction(lowest)) / 2)), *below]


def check(case: TreeCase, binned, fixed: Tree, moved: Tree, rows) -> None:
    same_tree(fixed, moved, OTHERS)
    found = midway(fixed, binned.codes, case.X, rows)
    assert len(found) == np.count_nonzero(fixed.feature >= 0)
    for number, highest, lowest, middle in found:
        assert moved.cut[number] == (middle if highest < middle else lowest)
        assert highest < moved.cut[number] <= lowest
    assert not moved.cut[fixed.feature == -1].any()


@given(tree_cases(max_samples=25), st.sampled_from([{}, {"max_depth": 3}, {"n_leaves": None}]))
def test_cuts_lie_midway_between_the_rows_of_their_node(case, limits):
    binned, limits = case.binned(), limits or {"n_leaves": case.n_leaves}
    grow = Grower(binned, **limits, min_samples_leaf=case.min_samples_leaf)
    fixed, _ = grow(case.residual, case.weight)
    moved, leaves = replace(grow, cut_at=at_midpoints(case.X))(case.residual, case.weight)
    check(case, binned, fixed, moved, range(len(case.X)))
    # training rows fall on the same sides: into the leaves that their bins led to
    scores, by_leaf = np.zeros(len(case.X)), np.zeros(len(case.X))
    numbered = replace(moved, value=np.arange(len(moved.value), dtype=np.float64))
    add_predictions([numbered], case.X, 1.0, scores, ENGINE)
    leaves.add_to(by_leaf, leaves.nodes.astype(np.float64))
    np.testing.assert_array_equal(scores, by_leaf)


@given(tree_cases(max_samples=25), SEEDS)
def test_cuts_of_a_forest_lie_midway_between_the_drawn_rows(case, seed):
    binned, counts = case.binned(), rng_of(seed).integers(0, 3, len(case.X))
    counts[0] += 1
    args = binned, case.residual, case.weight, counts
    draws = {"n_candidates": 1 + binned.n_features // 2, "key": seed}
    fixed = grow_forest_tree(*args, **draws)
    moved = grow_forest_tree(*args, **draws, cut_at=at_midpoints(case.X))
    check(case, binned, fixed, moved, np.flatnonzero(counts).tolist())


def test_the_cut_below_what_is_missing_stays_infinite():
    """A missing value that is filled with +inf is above all others: no middle lies between."""
    X = np.array([[1.0], [2.0], [np.inf], [np.inf]])
    grow = Grower(bin_features(X, 8, engine=ENGINE), cut_at=at_midpoints(X))
    tree, _ = grow(np.array([0.0, 1.0, 7.0, 7.0]))
    assert tree.cut.tolist() == [np.inf, 1.5, 0.0, 0.0, 0.0]
