"""`refrank.trees.growth.midpoints`: cuts midway between a node's own rows."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from refrank.igbrt.random_forest import bootstrap_counts
from refrank.trees.bins.binning import bin_features
from refrank.trees.bins.cuts import exact
from refrank.trees.growth.forest_growth import grow_forest_tree
from refrank.trees.growth.grower import Grower
from refrank.trees.growth.midpoints import at_midpoints
from refrank.trees.model.tree import Tree
from refrank.trees.numbers.draws import FEATURES, tree_key
from tests.oracles import igbrt as naive
from tests.strategies import ENGINE, SEEDS, TreeCase, rng_of, tree_cases
from tests.trees.compare import FIELDS, predict, same_tree

OTHERS = tuple(name for name in FIELDS if name != "cut")


def check(case: TreeCase, binned, fixed: Tree, moved: Tree, rows) -> None:
    """Every cut is moved as the definition says: rows are sent by their bins, and the middle is exact."""
    same_tree(fixed, moved, OTHERS)
    rows_of = {0: np.array(rows)}
    for number in np.flatnonzero(fixed.feature >= 0).tolist():  # a child comes after its parent
        f, at = fixed.feature[number], rows_of[number]
        goes_left = binned.codes[f // 8, at, f % 8] <= fixed.bin[number]
        rows_of |= {int(fixed.left[number]): at[goes_left], int(fixed.right[number]): at[~goes_left]}
        highest, lowest = float(case.X[at[goes_left], f].max()), float(case.X[at[~goes_left], f].min())
        middle = float((Fraction(highest) + Fraction(lowest)) / 2)
        assert moved.cut[number] == min(math.nextafter(middle, math.inf), lowest)
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
    by_leaf = np.zeros(len(case.X))
    leaves.add_to(by_leaf, 1.0, leaves.nodes.astype(np.float64))
    assert predict(replace(moved, value=np.arange(len(moved.value), dtype=np.float64)), case.X) == by_leaf.tolist()


@given(tree_cases(max_samples=25), SEEDS)
def test_cuts_of_a_forest_lie_midway_between_the_drawn_rows(case, seed):
    binned, counts = case.binned(), rng_of(seed).integers(0, 3, len(case.X))
    counts[0] += 1
    args = binned, case.residual, case.weight, counts
    draws = {"n_candidates": 1 + binned.n_features // 2, "key": seed}
    fixed = grow_forest_tree(*args, **draws)
    moved = grow_forest_tree(*args, **draws, cut_at=at_midpoints(case.X))
    check(case, binned, fixed, moved, np.flatnonzero(counts).tolist())


@st.composite
def rows_between(draw, X):
    """Rows of values that occur, of values in the middle of two that occur, and of the next float64 on either side."""
    some = st.lists(st.integers(0, len(X) - 1), min_size=2 * X.shape[1], max_size=2 * X.shape[1])
    pairs = [np.array(draw(some)).reshape(2, -1) for _ in range(4)]
    columns = np.arange(X.shape[1])
    middles = [X[low, columns] / 2.0 + X[high, columns] / 2.0 for low, high in pairs]
    return np.array([*middles, *(np.nextafter(middle, side) for middle in middles for side in (-np.inf, np.inf)), *X])


@given(tree_cases(max_samples=20), st.sampled_from([1, 2, None]), SEEDS, st.data())
def test_rows_between_fall_as_in_a_naive_tree_with_cuts_midway_between_the_values_of_each_node(case, depth, seed, data):
    """The naive trees know no bins: they are grown on the values themselves."""
    X, least = case.X.astype(np.float64), {"min_samples_leaf": case.min_samples_leaf}
    binned, others = bin_features(X, 65536, exact, engine=ENGINE), data.draw(rows_between(X))
    weight = None if case.weight is None else case.weight.tolist()
    args, limits = (X.T.tolist(), case.residual.tolist(), weight), {"max_depth": depth, **least}
    grown, _ = Grower(binned, **limits, cut_at=at_midpoints(X))(case.residual, case.weight)
    expected = naive.deep_tree(*args, **limits)
    assert predict(grown, others) == [naive.value_midway(expected, X.tolist(), x) for x in others.tolist()]

    counts, n_candidates = bootstrap_counts(seed, 0, len(X)), 1 + binned.n_features // 2
    draws = {"n_candidates": n_candidates, "key": tree_key(seed, 0, FEATURES)}
    of_rows = binned, case.residual, case.weight, counts
    of_forest = grow_forest_tree(*of_rows, **draws, **limits, cut_at=at_midpoints(X))
    drawn = naive.deep_tree(
        *args,
        naive.drawn_rows(seed, 0, len(X)),
        features_of=lambda key: naive.drawn_features(key, n_candidates, binned.n_features),
        key=naive.root_key(seed, 0, 1),
        **limits,
    )
    assert predict(of_forest, others) == [naive.value_midway(drawn, X.tolist(), x) for x in others.tolist()]


def test_neighbours_whose_middle_rounds_to_the_higher_one_are_parted():
    low = math.nextafter(1.0, 2.0)
    X = np.array([[low], [math.nextafter(low, 2.0)]])
    assert low / 2 + X[1, 0] / 2 == X[1, 0]
    tree, _ = Grower(bin_features(X, 65536, exact, engine=ENGINE), cut_at=at_midpoints(X))(np.array([0.0, 7.0]))
    assert predict(tree, X) == [0.0, 7.0]


def test_the_cut_below_what_is_missing_stays_infinite():
    """A missing value that is filled with +inf is above all others: no middle lies between."""
    X = np.array([[1.0], [2.0], [np.inf], [np.inf]])
    grow = Grower(bin_features(X, 8, engine=ENGINE), cut_at=at_midpoints(X))
    tree, _ = grow(np.array([0.0, 1.0, 7.0, 7.0]))
    assert tree.cut.tolist() == [np.inf, math.nextafter(1.5, 2), 0.0, 0.0, 0.0]
