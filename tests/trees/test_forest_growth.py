"""Deep trees and cuts three ways: specification == kernel == oracle == `Grower`."""

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.igbrt.random_forest import bootstrap_counts
from refrank.trees import splitting
from refrank.trees.bins.binning import bin_features
from refrank.trees.engine import Engine
from refrank.trees.growth.forest_growth import grow_forest_tree
from refrank.trees.growth.grower import Grower
from refrank.trees.numbers.grid import to_grid
from refrank.trees.splitting import GROUP
from tests.strategies import ENGINE, SEEDS, TreeCase, binned_cases, residuals, rng_of, weights
from tests.strategies.igbrt import DeepCase, deep_cases
from tests.trees.compare import equals_oracle, same_tree

pytestmark = pytest.mark.kernel


@given(deep_cases())
def test_the_tree_equals_the_oracle_under_replayed_draws(case):
    """Rows and features drawn once more by the naive generator; cuts found by trying every one."""
    equals_oracle(case.binned(), case.grow(), case.drawn(case.tree, case.max_depth))


@given(binned_cases(), st.data())
def test_grow_deep_equals_the_kernel_on_labels_that_no_binning_made(kernel, case, data):
    """Empty bins, one bin, 65,536 bins; any counts, any flags."""
    rng, n_features = rng_of(data.draw(SEEDS)), case.n_features
    weight = data.draw(weights(case.n_samples))
    residual = data.draw(residuals(case.n_samples))
    columns = [case.codes[f // GROUP, :, f % GROUP] for f in range(n_features)]
    counts = np.zeros(case.n_samples, np.int64)
    counts[case.rows] = rng.integers(1, 4, len(case.rows))
    flags = data.draw(st.sampled_from([None, np.ones(n_features, np.int8), rng.integers(0, 3, n_features, np.int8)]))
    arguments = (
        np.ascontiguousarray(np.column_stack(columns)),
        case.offsets,
        np.sort(case.rows),
        to_grid(residual if weight is None else weight * residual).integers // 4,  # room for up to 3 copies per row
        counts,
        None if weight is None else to_grid(weight).integers // 4,
        flags,
        data.draw(st.sampled_from([-1, 0, 1, 4])),
        data.draw(st.sampled_from([1, 1, 2, 5])),
        data.draw(st.integers(1, n_features)),
        data.draw(st.integers(0, 2**64 - 1)),
    )
    for ours, theirs in zip(splitting.grow_deep(*arguments), kernel.grow_deep(*arguments), strict=True):
        np.testing.assert_array_equal(ours, theirs, strict=True)


@pytest.mark.parametrize("n_bins", [256, 300])
@pytest.mark.parametrize("weighted", [False, True])
def test_nodes_too_large_for_the_kernels_copy_and_below(kernel, n_bins, weighted):
    """The kernel copies the rows of a node of half a megabyte of codes: here it has several, below some larger ones."""
    rng = rng_of(7)
    X = rng.integers(0, 400, (4000, 400)).astype(np.float64)
    y = rng.integers(0, 5, 4000) + (X[:, :40] @ rng.normal(size=40) > 0)
    binned = replace(bin_features(X, n_bins, engine=Engine(kernel)), missing=np.ones(400, np.int8))
    weight = rng.integers(1, 4, 4000) / 2 if weighted else None
    ours, theirs = (
        grow_forest_tree(
            replace(binned, engine=Engine(splitter)), y.astype(np.float64), weight, bootstrap_counts(2, 0, 4000),
            n_candidates=3, key=11, min_samples_leaf=3,
        )
        for splitter in (splitting, kernel)
    )  # fmt: skip
    same_tree(ours, theirs)
    n_bytes = theirs.n_node_samples * 400 * binned.codes.itemsize
    assert sum(n_bytes > 2**20) > 1  # copies of rows included: at least 2 nodes are too large
    assert sum((n_bytes > 2**15) & (n_bytes < 2**19)) > 10


@pytest.mark.parametrize("n_candidates", [1, 7, 8, 21, 130])
@pytest.mark.parametrize("largest", [1, 2**30, 2**41 - 1])
@pytest.mark.parametrize("sign", [1, -1, 0])
def test_sums_that_fit_into_one_integer_with_a_count_and_sums_that_do_not(kernel, n_candidates, largest, sign):
    """The kernel packs a sum and a count where both fit: at 2**41 - 1, in nodes of up to about a thousand rows only."""
    rng, n_samples, n_features = rng_of(3), 4000, 130
    signs = np.full(n_samples, sign) if sign else rng.choice([-1, 1], n_samples)
    integers = signs * (largest - rng.integers(0, 2, n_samples))  # odd and even
    codes = np.where(rng.random((n_samples, n_features)) < 0.5, 0, rng.integers(0, 9, (n_samples, n_features)))
    arguments = (
        codes.astype(np.uint8), np.arange(n_features + 1) * 9, np.arange(n_samples, dtype=np.int32), integers,
        np.ones(n_samples, np.int64), None, None, 3, 20, n_candidates, 5,
    )  # fmt: skip
    for ours, theirs in zip(splitting.grow_deep(*arguments), kernel.grow_deep(*arguments), strict=True):
        np.testing.assert_array_equal(ours, theirs, strict=True)


@pytest.mark.parametrize("missing", [None, np.array([1, 0, 2, 1], np.int8)])
def test_small_nodes_of_few_residuals(kernel, missing):
    """The kernel tries no feature after a cut whose sides have equal residuals: sums of 0, 1, 2 often look so."""
    rng, offsets = rng_of(4), np.arange(5) * 3
    for case in range(1000):
        n_samples = int(rng.integers(2, 9))
        arguments = (
            rng.integers(0, 3, (n_samples, 4)).astype(np.uint8), offsets, np.arange(n_samples, dtype=np.int32),
            rng.integers(0, 2 + case % 2, n_samples), rng.integers(1, 3, n_samples), None, missing, -1, 1, 4, case,
        )  # fmt: skip
        for ours, theirs in zip(splitting.grow_deep(*arguments), kernel.grow_deep(*arguments), strict=True):
            np.testing.assert_array_equal(ours, theirs, strict=True)


@given(deep_cases(), st.sampled_from([0, 1, 2, 3, None]))
def test_all_features_on_every_row_once_is_the_tree_of_growth_and_of_the_oracle(case, max_depth):
    """Two writings of one tree: histograms by feature groups and by subtraction, or rows of codes and small nodes."""
    binned, small, ones = case.binned(), case.small, np.ones(len(case.X), np.int64)
    limits = {"max_depth": max_depth, "min_samples_leaf": small.min_samples_leaf}
    tree, leaves = Grower(binned, **limits)(small.residual, small.weight)
    limits |= {"n_candidates": binned.n_features, "key": 0}
    same_tree(grow_forest_tree(binned, small.residual, small.weight, ones, **limits), tree)
    oracle = case.all_features(small.residual.tolist(), max_depth)
    equals_oracle(binned, tree, oracle, leaves)


# --- what a tree of a forest is --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_candidates", [0, 2])
def test_as_many_features_are_drawn_as_there_are(n_candidates):
    binned = bin_features(np.zeros((2, 1)), 256, engine=ENGINE)
    with pytest.raises(ValueError, match=f"n_candidates is {n_candidates}: it must be an integer from 1 to 1"):
        grow_forest_tree(binned, np.zeros(2), None, np.ones(2, np.int64), n_candidates=n_candidates, key=0)


def test_a_cut_three_ways_by_hand():
    """X = 0, 1, missing; r = 0, 6, 12: parting takes off 54 = 2/3 * 81, the cut among the others 18 more."""
    binned = bin_features(np.array([[0.0], [1.0], [np.inf]]), 256, engine=ENGINE)
    binned, residual = replace(binned, missing=np.ones(1, np.int8)), np.array([0.0, 6.0, 12.0])
    tree, leaves = Grower(binned, max_depth=1)(residual)
    same_tree(grow_forest_tree(binned, residual, None, np.ones(3, np.int64), n_candidates=1, key=0, max_depth=1), tree)
    assert tree.feature.tolist() == [0, 0, -1, -1, -1]
    assert tree.cut.tolist()[0] == np.inf
    assert tree.split_gain.tolist() == [54.0, 18.0, 0.0, 0.0, 0.0]
    assert tree.value.tolist() == [0.0, 0.0, 12.0, 0.0, 6.0]
    assert list(chain(tree.left[:2], tree.right[:2])) == [1, 3, 2, 4]
    assert leaves.nodes.tolist() == [3, 4, 2]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n_candidates", "max_depth"), [(1, None), (2, None), (5, None), (5, 4)])
def test_three_ways_at_every_depth(weighted, n_candidates, max_depth):
    """Specification, kernel where there is one, and the oracle: one tree of many such cuts."""
    rng = rng_of(2)
    X = rng.normal(size=(600, 5))
    holes = rng.random(X.shape) < 0.3
    y = np.where(holes[:, 0], 2.0 * (X[:, 1] > 0), X[:, 0] > 0) + np.where(holes[:, 1], X[:, 2] > 0.3, X[:, 1]) ** 2
    small = TreeCase(X, 256, y, rng.integers(1, 4, 600) / 2 if weighted else None, min_samples_leaf=1, n_leaves=2)
    case = DeepCase(small, holes, True, seed=1, tree=1, n_candidates=n_candidates, max_depth=max_depth)
    tree = case.grow()
    same_tree(case.grow(Engine(splitting)), tree)
    equals_oracle(case.binned(), tree, case.drawn(1, max_depth))
    inner = np.flatnonzero(tree.feature >= 0)
    parting = [v for v in inner if tree.cut[v] == np.inf and tree.feature[tree.left[v]] == tree.feature[v]]
    assert len(parting) > 3
    assert sum(tree.feature[tree.right[v]] >= 0 for v in parting) > 1  # those that miss it are cut further
