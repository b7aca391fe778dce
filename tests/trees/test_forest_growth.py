"""`refrank.trees.forest_growth`, cuts three ways: specification == kernel == oracle == the trees of `refrank.trees.growth`."""

from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.igbrt.random_forest import bootstrap_counts
from refrank.trees import splitting
from refrank.trees.binning import bin_features
from refrank.trees.draws import FEATURES, child_key, feature_subset, tree_key
from refrank.trees.engine import DEFAULT_SPLITTER
from refrank.trees.forest_growth import grow_deep_tree
from refrank.trees.grid import to_grid
from refrank.trees.growth import grow_to_depth
from refrank.trees.splitting import GROUP
from refrank.trees.tree import Tree
from tests.oracles import igbrt as naive_igbrt
from tests.oracles import trees as naive
from tests.strategies import SEEDS, binned_cases, residuals, rng_of, weights
from tests.strategies.igbrt import DeepCase, deep_cases, last_bins, listed

pytestmark = pytest.mark.kernel

FIELDS = tuple(Tree.__dataclass_fields__)


def same_tree(one: Tree, other: Tree, fields: tuple[str, ...] = FIELDS) -> None:
    """Every field, its type and every bit."""
    for name in fields:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), strict=True, err_msg=name)
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name


def counts_of(case: DeepCase) -> np.ndarray:
    return bootstrap_counts(case.seed, case.tree, len(case.small.X))


def grown(case: DeepCase, splitter=DEFAULT_SPLITTER, **changed) -> Tree:
    arguments = {
        "n_candidates": case.n_candidates,
        "key": tree_key(case.seed, case.tree, FEATURES),
        "max_depth": case.max_depth,
        "min_samples_leaf": case.small.min_samples_leaf,
        **changed,
    }
    return grow_deep_tree(
        case.binned(splitter), case.small.residual, case.small.weight, counts_of(case), splitter=splitter, **arguments
    )


def oracle_of(case: DeepCase) -> naive.Growth:
    binned = case.binned()
    n_features = binned.n_features
    return naive_igbrt.deep_tree(
        *listed(binned, case.small),
        naive_igbrt.drawn_rows(case.seed, case.tree, len(case.small.X)),
        features_of=lambda key: naive_igbrt.drawn_features(key, case.n_candidates, n_features),
        key=naive_igbrt.root_key(case.seed, case.tree, 1),
        missing=case.missing,
        last_bin=last_bins(binned),
        max_depth=case.max_depth,
        min_samples_leaf=case.small.min_samples_leaf,
    )


def equals_oracle(case: DeepCase, tree: Tree, oracle: naive.Growth) -> None:
    """The same nodes in the same order, with the same gains and means."""
    cuts, gain_exponent = case.binned().cuts, oracle.weight_exponent - 2 * oracle.product_exponent
    assert len(tree.feature) == len(oracle.nodes)
    for number, node in enumerate(oracle.nodes):
        is_leaf = node.feature == -1
        ours = tree.feature[number], tree.bin[number], tree.left[number], tree.right[number]
        assert ours == (node.feature, node.bin, node.left, node.right)
        assert tree.cut[number] == (0.0 if is_leaf else cuts[node.feature][node.bin])
        with np.errstate(over="ignore"):
            assert tree.split_gain[number] == np.ldexp(node.gain, gain_exponent)
        assert tree.n_node_samples[number] == len(node.rows)
        assert tree.value[number] == (oracle.mean(number) if is_leaf else 0.0)


@given(deep_cases())
def test_the_tree_equals_the_oracle_under_replayed_draws(case):
    """Rows and features drawn once more by the naive generator; cuts found by trying every one."""
    equals_oracle(case, grown(case), oracle_of(case))


@given(deep_cases())
def test_specification_and_kernel_grow_the_same_bits(kernel, case):
    same_tree(grown(case, splitting), grown(case, kernel))


@given(binned_cases(), st.data())
def test_grow_deep_equals_the_kernel_on_labels_that_no_binning_made(kernel, case, data):
    """Empty bins, one bin, 65,536 bins; any counts, any flags."""
    rng, n_features = rng_of(data.draw(SEEDS)), case.n_features
    weight = data.draw(weights(case.n_samples))
    residual = data.draw(residuals(case.n_samples))
    columns = [case.codes[f // GROUP, :, f % GROUP] for f in range(n_features)]
    counts = np.zeros(case.n_samples, np.int64)
    counts[case.rows] = rng.integers(1, 4, len(case.rows))
    flags = data.draw(st.sampled_from([None, np.ones(n_features, np.int8), rng.integers(0, 2, n_features, np.int8)]))
    arguments = (
        np.ascontiguousarray(np.column_stack(columns)),
        case.offsets,
        np.sort(case.rows),
        to_grid(residual if weight is None else weight * residual).integers // 4,  # up to 3 copies a row: room for them
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
    binned = replace(bin_features(X, n_bins, splitter=kernel), missing=np.ones(400, np.int8))
    weight = rng.integers(1, 4, 4000) / 2 if weighted else None
    grow = partial(grow_deep_tree, binned, y.astype(np.float64), weight, bootstrap_counts(2, 0, 4000))
    trees = [grow(n_candidates=3, key=11, min_samples_leaf=3, splitter=splitter) for splitter in (splitting, kernel)]
    same_tree(*trees)
    n_bytes = trees[1].n_node_samples * 400 * binned.codes.itemsize
    assert sum(n_bytes > 2**20) > 1  # copies of rows included: at least 2 nodes are too large
    assert sum((n_bytes > 2**15) & (n_bytes < 2**19)) > 10


def key_of_place(key: int, place: int) -> int:
    """Follow the binary digits of a place, from the root's 1 on: 0 left, 1 right."""
    for digit in bin(place)[3:]:
        key = child_key(key, int(digit))
    return key


@given(deep_cases())
def test_a_deep_tree_on_every_row_once_is_the_tree_of_growth(case):
    """Two writings of one tree: histograms by feature groups and by subtraction, or rows of codes and small nodes."""
    binned, key = case.binned(), tree_key(case.seed, 0, FEATURES)
    n_features, least = binned.n_features, case.small.min_samples_leaf
    common = {"max_depth": case.max_depth, "min_samples_leaf": least, "splitter": DEFAULT_SPLITTER}
    deep = grow_deep_tree(
        binned,
        case.small.residual,
        case.small.weight,
        np.ones(len(case.small.X), np.int64),
        n_candidates=case.n_candidates,
        key=key,
        **common,
    )
    tree, _ = grow_to_depth(
        binned,
        case.small.residual,
        case.small.weight,
        candidates=lambda place: feature_subset(key_of_place(key, place), case.n_candidates, n_features),
        **common,
    )
    same_tree(deep, tree)


@given(deep_cases(), st.sampled_from([1, 2, 3, None]))
def test_to_depth_cuts_three_ways_as_the_oracle(case, max_depth):
    """GBRT's tree: all features at every node."""
    binned = case.binned()
    every = range(binned.n_features)
    oracle = naive_igbrt.deep_tree(
        *listed(binned, case.small),
        range(len(case.small.X)),
        features_of=lambda key: every,
        key=0,
        missing=case.missing,
        last_bin=last_bins(binned),
        max_depth=max_depth,
        min_samples_leaf=case.small.min_samples_leaf,
    )
    tree, leaves = grow_to_depth(
        binned,
        case.small.residual,
        case.small.weight,
        max_depth=max_depth,
        min_samples_leaf=case.small.min_samples_leaf,
        splitter=DEFAULT_SPLITTER,
    )
    equals_oracle(case, tree, oracle)
    for number, start, stop in zip(leaves.nodes, leaves.starts, leaves.starts[1:], strict=False):
        assert sorted(leaves.rows[start:stop].tolist()) == sorted(oracle.nodes[number].rows)


@given(deep_cases())
def test_the_root_is_cut_as_well_as_the_definition_allows(case):
    """The gain of the chosen cut against the most that any takes off the sum of squared errors, as fractions.

    Three roundings of floats of relative error 2**-53 make a gain, a fourth adds two of them, and the difference of
    means may lose bits: 1e-9 of the largest, and 1e-12 of the squares that cancel, leave room for all.
    """
    binned, n_features = case.binned(), case.binned().n_features
    growth = naive.growth_of(*listed(binned, case.small), case.small.min_samples_leaf)
    rows = naive_igbrt.drawn_rows(case.seed, case.tree, len(case.small.X))
    features = naive_igbrt.drawn_features(naive_igbrt.root_key(case.seed, case.tree, 1), case.n_candidates, n_features)
    best = naive_igbrt.largest_reduction(growth, rows, features, case.missing, last_bins(binned))
    found = grown(case, max_depth=1)
    exponent = 2 * growth.product_exponent - growth.weight_exponent
    gains = [found.split_gain[0]]
    if found.feature[0] >= 0 and found.feature[0] == found.feature[found.left[0]]:
        gains.append(found.split_gain[found.left[0]])  # the cut among those that do not miss the feature
    if not np.isfinite(gains).all() or exponent > 1000:  # a gain that no float64 holds
        return
    ours = sum(naive.Fraction(float(gain)) * naive.Fraction(2) ** exponent for gain in gains)
    squares = sum(naive.Fraction(growth.product[i]) ** 2 / max(growth.weight[i], 1) for i in rows)
    slack = best * naive.Fraction(1, 10**9) + squares * naive.Fraction(1, 10**12)
    assert best - slack <= ours <= best + slack


# --- what a tree of a forest is --------------------------------------------------------------------------------------


def plain_data(n_samples=200, n_features=6, seed=0):
    rng = rng_of(seed)
    X = rng.normal(size=(n_samples, n_features))
    binned = bin_features(X, 256, splitter=DEFAULT_SPLITTER)
    return X, binned, np.rint(X[:, 0] + X[:, 1] ** 2), partial(grow_deep_tree, binned, splitter=DEFAULT_SPLITTER)


def test_full_depth_ends_in_leaves_of_one_value():
    """D = infinity and K = f: distinct rows of distinct bins are told apart until their targets are equal."""
    X, binned, y, grow = plain_data(120)
    counts = bootstrap_counts(0, 0, len(y))
    tree = grow(y, None, counts, n_candidates=binned.n_features, key=5)
    predicted = np.zeros(len(y))
    DEFAULT_SPLITTER.add_trees(
        X, np.zeros(1, np.int64), tree.feature, tree.cut, tree.left, tree.right, tree.value, predicted, 1
    )
    drawn = counts > 0
    np.testing.assert_array_equal(predicted[drawn], y[drawn])
    assert tree.n_node_samples[0] == len(y)
    assert tree.n_node_samples[tree.feature == -1].sum() == len(y)


def test_a_row_drawn_twice_is_two_rows():
    """Counts are what repeated rows are: the means and gains of a tree on rows written out."""
    X, _, y, _ = plain_data(60)
    counts = bootstrap_counts(3, 1, len(y))
    written = np.repeat(np.arange(len(y)), counts)
    binned = bin_features(X, 256, splitter=DEFAULT_SPLITTER)
    tree = grow_deep_tree(binned, y, None, counts, n_candidates=2, key=9, splitter=DEFAULT_SPLITTER)
    repeated = type(binned)(np.ascontiguousarray(binned.codes[:, written]), binned.cuts, binned.offsets)
    ones = np.ones(len(written), np.int64)
    same_tree(tree, grow_deep_tree(repeated, y[written], None, ones, n_candidates=2, key=9, splitter=DEFAULT_SPLITTER))


def test_a_node_whose_features_do_not_cut_is_a_leaf():
    """One feature of six varies: with K = 1 a root that draws another stays whole; no further one is looked at."""
    X = np.zeros((20, 6))
    X[:, 4] = np.arange(20)
    binned = bin_features(X, 256, splitter=DEFAULT_SPLITTER)
    ones, y = np.ones(20, np.int64), np.arange(20.0)
    for t in range(40):
        key = tree_key(0, t, FEATURES)
        tree = grow_deep_tree(binned, y, None, ones, n_candidates=1, key=key, splitter=DEFAULT_SPLITTER)
        assert (len(tree.feature) > 1) == (feature_subset(key, 1, 6).tolist() == [4])


def test_a_cut_three_ways_by_hand():
    """X = 0, 1, missing; r = 0, 6, 12: parting takes off 54 = 2/3 * 81, the cut among the others 18 more."""
    binned = bin_features(np.array([[0.0], [1.0], [np.inf]]), 256, splitter=DEFAULT_SPLITTER)
    binned = replace(binned, missing=np.ones(1, np.int8))
    deep = grow_deep_tree(
        binned,
        np.array([0.0, 6.0, 12.0]),
        None,
        np.ones(3, np.int64),
        n_candidates=1,
        key=0,
        max_depth=1,
        splitter=DEFAULT_SPLITTER,
    )
    assert deep.feature.tolist() == [0, 0, -1, -1, -1]
    assert deep.cut.tolist()[0] == np.inf
    assert deep.split_gain.tolist() == [54.0, 18.0, 0.0, 0.0, 0.0]
    assert deep.value.tolist() == [0.0, 0.0, 12.0, 0.0, 6.0]
    assert list(chain(deep.left[:2], deep.right[:2])) == [1, 3, 2, 4]


def holed_data(weighted: bool) -> tuple:
    """Large enough for cuts of three ways at many depths, below a side that misses a feature too."""
    rng = rng_of(2)
    X = rng.normal(size=(600, 5))
    holes = rng.random(X.shape) < 0.3
    y = np.where(holes[:, 0], 2.0 * (X[:, 1] > 0), X[:, 0] > 0) + np.where(holes[:, 1], X[:, 2] > 0.3, X[:, 1]) ** 2
    binned = bin_features(np.where(holes, np.inf, X), 256, splitter=DEFAULT_SPLITTER)
    return replace(binned, missing=np.ones(5, np.int8)), y, rng.integers(1, 4, 600) / 2 if weighted else None


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n_candidates", "max_depth"), [(1, None), (2, None), (5, None), (5, 4)])
def test_three_ways_at_every_depth(weighted, n_candidates, max_depth):
    """Specification, kernel where there is one, and the trees of growth: one tree, with many cuts of three ways."""
    binned, y, weight = holed_data(weighted)
    key = tree_key(1, 1, FEATURES)
    ones = np.ones(600, np.int64)
    trees = [
        grow_deep_tree(
            binned, y, weight, ones, n_candidates=n_candidates, key=key, max_depth=max_depth, splitter=splitter
        )
        for splitter in (splitting, DEFAULT_SPLITTER)
    ]
    tree, _ = grow_to_depth(
        binned,
        y,
        weight,
        max_depth=max_depth,
        candidates=lambda place: feature_subset(key_of_place(key, place), n_candidates, 5),
        splitter=DEFAULT_SPLITTER,
    )
    same_tree(trees[0], tree)
    same_tree(trees[1], tree)
    inner = np.flatnonzero(tree.feature >= 0)
    parting = [v for v in inner if tree.cut[v] == np.inf and tree.feature[tree.left[v]] == tree.feature[v]]
    assert len(parting) > 3
    assert sum(tree.feature[tree.right[v]] >= 0 for v in parting) > 1  # those that miss it are cut further
