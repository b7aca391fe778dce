"""`refrank.trees.growth.grower`: trees equal to the oracle that tries every cut, however they are computed."""

from collections import defaultdict
from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees import splitting
from refrank.trees.bins.binning import bin_features
from refrank.trees.engine import DEFAULT_SPLITTER, Engine
from refrank.trees.events import (
    CutFound,
    CutMade,
    LeavesSummed,
    LeavesValued,
    RootMade,
    ScoresRaised,
    StepTaken,
    TreeGrown,
)
from refrank.trees.growth import grower as growth
from refrank.trees.growth.grower import Grower
from refrank.trees.growth.roots import Root
from refrank.trees.model.tree import Tree
from refrank.trees.numbers.grid import to_grid, weigh
from tests.oracles import igbrt as naive_igbrt
from tests.oracles import trees as naive
from tests.strategies import ENGINE, SEEDS, THREADS, TreeCase, listed, rng_of, tree_cases
from tests.trees.compare import equals_oracle, same_tree
from tests.trees.shards import shard

pytestmark = pytest.mark.kernel

DEPTHS = st.sampled_from([0, 1, 2, 3, None])
WATCHED = replace(ENGINE, watch=lambda event: None)  # the kernel's own loop, which nobody can watch, is not taken
TO_THE_END, TO_DEPTH_3 = {"max_depth": None}, {"max_depth": 3}  # left before right, instead of best first


@pytest.mark.paper("McRank Alg. 1, line 5", at="grow_in_steps")
@given(tree_cases(max_samples=25), DEPTHS)
def test_best_first_equals_the_oracle(case, max_depth):
    """`n_leaves`, alone and with `max_depth`."""
    same_as(naive.best_first_tree, case, n_leaves=case.n_leaves, max_depth=max_depth)


@given(tree_cases(max_samples=12, residual_kinds=("dyadic",), weight_kinds=("none",)))
def test_ties_between_nodes_equal_the_oracle(case):
    """All rows twice, told apart by one more feature and a large step: below the first cut, each gain occurs twice."""
    X = np.vstack([np.column_stack([case.X, np.full(len(case.X), copy)]) for copy in (0, 1)]).astype(case.X.dtype)
    twice = replace(case, X=X, residual=np.concatenate([case.residual, case.residual + 64]), n_bins=256)
    same_as(naive.best_first_tree, twice, n_leaves=case.n_leaves)


@pytest.mark.paper("iGBRT Eq. 1", at="grow_in_steps")
@given(tree_cases(max_samples=25), DEPTHS)
def test_to_depth_equals_the_oracle(case, max_depth):
    """`max_depth` alone, or no limit: left before right."""
    same_as(naive_igbrt.deep_tree, case, max_depth=max_depth)


def same_as(oracle, case: TreeCase, **limits) -> None:
    binned, (tree, leaves) = case.binned(), case.grow(**limits)
    grown = oracle(*listed(binned, case), min_samples_leaf=case.min_samples_leaf, **limits)
    equals_oracle(binned, tree, grown, leaves)


# --- what changes no bit ---------------------------------------------------------------------------------------------


@given(tree_cases(), THREADS)
def test_kernel_and_specification_grow_the_same_trees(kernel, case, n_threads):
    for limits in ({}, TO_DEPTH_3, {"n_leaves": case.n_leaves, "max_depth": 2}):
        ours, our_leaves = case.grow(Engine(splitting), **limits)
        theirs, their_leaves = case.grow(Engine(kernel, n_threads), **limits)
        same_tree(ours, theirs)
        for name in ("nodes", "rows", "starts", "residual_sum", "weight_sum"):
            np.testing.assert_array_equal(getattr(our_leaves, name), getattr(their_leaves, name), strict=True)


@given(tree_cases(), SEEDS)
def test_the_order_of_rows_and_weights_of_one_change_no_bit(case, seed):
    rows = rng_of(seed).permutation(len(case.X))
    weight = np.ones(len(rows)) if case.weight is None else case.weight[rows]
    other = replace(case, X=case.X[rows], residual=case.residual[rows], weight=weight)
    for limits in ({}, TO_THE_END):
        (ours, our_leaves), (theirs, their_leaves) = case.grow(**limits), other.grow(**limits)
        same_tree(ours, theirs)
        np.testing.assert_array_equal(our_leaves.weight_sum, their_leaves.weight_sum, strict=True)


@given(tree_cases(), st.integers(1, 4))
def test_sharding_and_blocking_of_rows_change_no_bit(case, n_shards):
    """Every node's histogram is the sum of those of shards, as machines that hold some rows each would send them."""
    same_tree(case.grow()[0], case.grow(Engine(shard(n_shards)))[0])


@given(tree_cases(), st.integers(1, 9), THREADS, SEEDS)
def test_trees_from_roots_made_together_are_those_made_alone(case, n_roots, n_threads, seed):
    """One pass over the bins serves four roots; the residuals differ, also in the exponents of their grids."""
    rng = rng_of(seed)
    residuals = [rng.permutation(case.residual) * 2.0 ** rng.integers(-3, 4) for _ in range(n_roots)]
    engine = Engine(DEFAULT_SPLITTER, n_threads)
    grower = Grower(case.binned(engine), case.n_leaves, min_samples_leaf=case.min_samples_leaf)
    roots = grower.make_roots(iter(residuals), case.weight)
    assert len(roots) == n_roots
    for residual, (tree, _) in zip(residuals, grower.grow_all(roots), strict=True):
        same_tree(tree, grower.on(ENGINE)(residual, case.weight)[0])


@pytest.mark.parametrize("limits", [{"n_leaves": 12}, {"max_depth": 3}])
@pytest.mark.parametrize("n_threads", [1, 2, 3])
@pytest.mark.parametrize("n_bins", [256, 65_536])
def test_whole_trees_of_many_rows_are_those_grown_step_by_step(kernel, n_bins, n_threads, limits):
    """Enough rows that threads share out groups of columns, parts of rows, and features; and trees side by side."""
    rng = rng_of(7)
    X, residuals = rng.integers(0, n_bins, (70_000, 17)), rng.normal(size=(4, 70_000))
    residuals += X[:, 3] > n_bins // 3
    weight = rng.integers(1, 4, 70_000) * 1.0
    engine = Engine(kernel, n_threads)
    grower = Grower(bin_features(X.astype(np.float32), n_bins, engine=engine), min_samples_leaf=30, **limits)
    watched = grower.on(replace(engine, watch=lambda event: None))
    for weights in (None, weight):
        whole = grower.grow_all(grower.make_roots(residuals, weights))
        for residual, (tree, leaves) in zip(residuals, whole, strict=True):
            expected, expected_leaves = watched(residual, weights)
            same_tree(tree, expected)
            np.testing.assert_array_equal(leaves.rows, expected_leaves.rows)
            np.testing.assert_array_equal(leaves.residual_sum, expected_leaves.residual_sum)


# --- what growth asks of the splitter --------------------------------------------------------------------------------


def depths_of(tree: Tree) -> list[int]:
    """The cuts above each node; parents come before their children."""
    depths = [0] * len(tree.feature)
    for number in np.flatnonzero(tree.feature >= 0):
        depths[tree.left[number]] = depths[tree.right[number]] = depths[number] + 1
    return depths


class Recorder:
    """A splitter that notes the arguments of each function: any object with the functions is one."""

    def __init__(self, splitter=DEFAULT_SPLITTER) -> None:
        self.splitter, self.calls = splitter, defaultdict(list)

    def __getattr__(self, name):
        return lambda *arguments: self.calls[name].append(arguments) or getattr(self.splitter, name)(*arguments)


def test_the_last_of_an_odd_number_of_rows_may_go_left_alone():
    """The kernel parts rows in memory for the terms of half of them, rounded up: .ci/sanitize sees one too few."""
    binned = bin_features(np.array([[2.0], [1.0], [0.0]]), 256, engine=ENGINE)
    _, leaves = Grower(binned, n_leaves=2)(np.array([5.0, 5.0, 0.0]))
    assert leaves.rows.tolist() == [2, 0, 1]


@given(tree_cases(), st.integers(0, 3), st.sampled_from([{"n_leaves": 9}, TO_DEPTH_3, TO_THE_END]))
def test_histograms_that_do_not_fit_are_summed_again(case, n_held, limits):
    """As many nodes as fit keep theirs; which ones, and whether any, changes no bit."""
    tree, leaves = case.grow(**limits)
    [root] = Grower(case.binned()).make_roots([case.residual], case.weight)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(growth, "MOST_HELD", n_held * root.sums.nbytes)
        same, same_leaves = case.grow(**limits)
    same_tree(same, tree)
    np.testing.assert_array_equal(same_leaves.rows, leaves.rows)


def test_no_more_histograms_wait_than_may_be_held(monkeypatch):
    """Of 63 cuts, 62 sum their smaller child; the node itself is summed again where it waited without a histogram."""
    summed, n_again, histogram = [], [], Root.histogram
    monkeypatch.setattr(Root, "histogram", lambda self, rows: summed.append(rows) or histogram(self, rows))
    binned = bin_features(np.arange(64.0)[:, np.newaxis], 256, engine=ENGINE)
    grow, residual = Grower(binned, n_leaves=64).on(WATCHED), np.arange(64.0)
    for n_held in (0, 1, 10, 64):
        monkeypatch.setattr(growth, "MOST_HELD", n_held * 64 * 16)
        grow(residual)
        n_again.append(len(summed) - 62)
        summed.clear()
    assert n_again == [63, 57, 28, 0]


@given(tree_cases(), st.sampled_from([1, 2, 5, None]), st.sampled_from([0, 1, 2, 3, None]))
def test_only_nodes_that_may_be_cut_are_looked_at(case, n_leaves, max_depth):
    """No node at max_depth, nor after the last cut; of two children, only the smaller one is summed."""
    recorder = Recorder()
    tree, leaves = case.grow(Engine(recorder), n_leaves=n_leaves, max_depth=max_depth)
    depths, n_node_samples = depths_of(tree), tree.n_node_samples
    cuts = sorted(np.flatnonzero(tree.feature >= 0).tolist(), key=lambda v: tree.left[v])  # in the order they are made
    if len(leaves.nodes) == n_leaves:  # growth ended with the last cut: nobody asks what its children could gain
        cuts = cuts[:-1]
    looked_at = [v for v in cuts if depths[v] + 1 != max_depth]
    pairs = [(n_node_samples[tree.left[v]], n_node_samples[tree.right[v]]) for v in looked_at]
    # the root's histogram comes with it
    n_rows = [len(rows) for _, _, rows, *_ in recorder.calls["histogram"]]
    assert n_rows == [min(pair) for pair in pairs]
    at_root = int(n_leaves != 1 and max_depth != 0)
    name = "best_split" if case.n_bins <= 256 else "best_split_inside"
    assert len(recorder.calls[name]) == at_root + 2 * len(looked_at)
    assert len(recorder.calls["partition"]) == np.count_nonzero(tree.feature >= 0)


@given(tree_cases(), st.sampled_from([{"n_leaves": 9}, TO_DEPTH_3, TO_THE_END]))
def test_events_tell_a_tree(case, limits):
    """Which node was looked at, cut, and left as a leaf; a copy of the events grows the same tree."""
    seen = []
    engine = Engine(DEFAULT_SPLITTER, watch=lambda event: seen.append((event, copy(getattr(event, "rows", None)))))
    tree, leaves = case.grow(engine, **limits)
    begun, *others = [event for event, _ in seen if hasattr(event, "tree")]
    assert isinstance(begun, RootMade)
    assert all(event.tree is begun.tree for event in others)
    np.testing.assert_array_equal(begun.tree.integers, to_grid(weigh(case.residual, case.weight)).integers)
    looked_at = {event.node: (event.split, rows) for event, rows in seen if isinstance(event, CutFound)}
    cuts = [event for event in others if isinstance(event, CutMade)]
    assert [event.node for event in cuts] == sorted(np.flatnonzero(tree.feature >= 0), key=lambda v: tree.left[v])
    for event in cuts:
        split, rows = looked_at[event.node]
        assert (event.split, event.left, len(rows)) == (split, tree.left[event.node], tree.n_node_samples[event.node])
        assert (tree.feature[event.node], tree.bin[event.node]) == split[:2]
        assert event.n_left == tree.n_node_samples[event.left]
    assert isinstance(others[-1], TreeGrown)
    assert others[-1][1:] == (tree, leaves)
    scores = np.zeros(len(case.X))
    leaves.sum_of(np.ones(len(case.X)))
    leaves.add_to(scores, 1.0, leaves.residual_sum)
    summed, valued, taken, raised = (event for event, _ in seen[-4:])
    assert [type(event) for event in (summed, valued, taken, raised)] == [
        LeavesSummed,
        LeavesValued,
        StepTaken,
        ScoresRaised,
    ]
    np.testing.assert_array_equal(summed.sums, np.diff(leaves.starts))
    assert valued.values is leaves.residual_sum
    np.testing.assert_array_equal(taken.values, leaves.residual_sum)
    assert raised.scores is scores
