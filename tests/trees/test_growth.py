"""`refrank.trees.growth`: trees equal to the oracle that tries every cut, however they are computed."""

import math
import re
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees import growth, splitting
from refrank.trees.binning import bin_features
from refrank.trees.engine import DEFAULT_SPLITTER, Engine
from refrank.trees.growth import grow
from refrank.trees.tree import Tree
from tests.oracles import igbrt as naive_igbrt
from tests.oracles import trees as naive
from tests.strategies import ENGINE, SEEDS, THREADS, TreeCase, listed, rng_of, tree_cases
from tests.trees.compare import FIELDS, equals_oracle, leaves_equal_oracle, same_tree, without

pytestmark = pytest.mark.kernel

DEPTHS = st.sampled_from([0, 1, 2, 3, None])
TO_THE_END, TO_DEPTH_3 = {"max_depth": None}, {"max_depth": 3}  # left before right, instead of best first


@given(tree_cases(max_samples=25), DEPTHS)
def test_best_first_equals_the_oracle(case, max_depth):
    """`n_leaves`, alone and with `max_depth`."""
    best_first_equals_the_oracle(case, n_leaves=case.n_leaves, max_depth=max_depth)


@given(tree_cases(max_samples=12, residual_kinds=("dyadic",), weight_kinds=("none",)))
def test_ties_between_nodes_equal_the_oracle(case):
    """All rows twice, told apart by one more feature and a large step: below the first cut, each gain occurs twice."""
    X = np.vstack([np.column_stack([case.X, np.full(len(case.X), copy)]) for copy in (0, 1)]).astype(case.X.dtype)
    twice = replace(case, X=X, residual=np.concatenate([case.residual, case.residual + 64]), n_bins=256)
    best_first_equals_the_oracle(twice, n_leaves=case.n_leaves)


def best_first_equals_the_oracle(case: TreeCase, **limits) -> None:
    oracle = naive.best_first_tree(*listed(case.binned(), case), min_samples_leaf=case.min_samples_leaf, **limits)
    tree, leaves = case.grow(**limits)
    equals_oracle(case.binned(), tree, oracle)
    leaves_equal_oracle(leaves, oracle)


@given(tree_cases(max_samples=25), DEPTHS)
def test_to_depth_equals_the_oracle(case, max_depth):
    """`max_depth` alone, or no limit: left before right."""
    limits = {"max_depth": max_depth, "min_samples_leaf": case.min_samples_leaf}
    oracle = naive_igbrt.deep_tree(*listed(case.binned(), case), **limits)
    tree, leaves = case.grow(max_depth=max_depth)
    equals_oracle(case.binned(), tree, oracle)
    leaves_equal_oracle(leaves, oracle)


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
def test_the_order_of_rows_changes_no_bit(case, seed):
    rows = rng_of(seed).permutation(len(case.X))
    weight = None if case.weight is None else case.weight[rows]
    other = replace(case, X=case.X[rows], residual=case.residual[rows], weight=weight)
    for limits in ({}, TO_THE_END):
        same_tree(case.grow(**limits)[0], other.grow(**limits)[0])


@given(tree_cases())
def test_sibling_subtraction_changes_no_bit(case):
    def count_all(self, children, parent_sums):
        return [(child, self.histogram(child)) for child in children]

    for limits in ({}, TO_THE_END):
        subtracted = case.grow(**limits)[0]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(growth.Growing, "histograms", count_all)
            same_tree(subtracted, case.grow(**limits)[0])


@given(tree_cases(), st.integers(1, 4))
def test_sharding_and_blocking_of_rows_change_no_bit(case, n_shards):
    """Every node's histogram is the sum of those of shards, as machines that hold some rows each would send them."""

    def histogram(codes, offsets, rows, integers, weights, n_threads):
        shards = [rows[rows % n_shards == shard] for shard in range(n_shards)]
        parts = (DEFAULT_SPLITTER.histogram(codes, offsets, s, integers, weights, n_threads) for s in shards if len(s))
        return sum(parts)

    names = ("bin_starts", "quantize", "best_split", "partition", "leaf_sums", "add_to_leaves")
    sharded = SimpleNamespace(histogram=histogram, **{name: getattr(DEFAULT_SPLITTER, name) for name in names})
    same_tree(case.grow()[0], case.grow(Engine(sharded))[0])


@given(tree_cases(weight_kinds=("none",)))
def test_weights_of_one_change_no_bit(case):
    one, leaves = case.grow()
    other, other_leaves = replace(case, weight=np.ones(len(case.X))).grow()
    same_tree(one, other)
    np.testing.assert_array_equal(leaves.weight_sum, other_leaves.weight_sum, strict=True)


# --- what changes the numbers in a known way -------------------------------------------------------------------------


@given(tree_cases(residual_kinds=("dyadic",), weight_kinds=("whole",)))
def test_a_row_of_weight_two_is_that_row_twice(case):
    """Exact where nothing is rounded: residuals of few bits are on both grids, though the grids differ.

    (With other residuals the grids round differently, since n_samples and max |w r| differ: equal up to 2**(L - 53).)
    The least number of rows is a count of rows, not of weight: here it is 1. Bins know distinct values only.
    """
    rows = np.repeat(np.arange(len(case.X)), case.weight.astype(int))
    case = replace(case, min_samples_leaf=1)
    repeated = replace(case, X=case.X[rows], residual=case.residual[rows], weight=None)
    same_tree(case.grow()[0], repeated.grow()[0], without("n_node_samples"))


@given(tree_cases(residual_kinds=("dyadic",), weight_kinds=("none", "whole", "with zeros")), SEEDS)
def test_rows_of_weight_zero_are_not_there(case, seed):
    """Exact where nothing is rounded, and the rows bring no new values to be binned."""
    rng = rng_of(seed)
    rows = np.concatenate([np.arange(len(case.X)), rng.integers(0, len(case.X), 7)])
    weight = np.ones(len(case.X)) if case.weight is None else case.weight
    case = replace(case, weight=weight, min_samples_leaf=1)
    residual, weight = np.append(case.residual, rng.normal(size=7)), np.append(weight, np.zeros(7))
    more = replace(case, X=case.X[rows], residual=residual, weight=weight)
    same_tree(case.grow()[0], more.grow()[0], without("n_node_samples"))


@given(
    tree_cases(
        residual_kinds=("dyadic", "equal", "normal", "one large", "all scales"),
        weight_kinds=("none", "whole", "with zeros", "any", "all scales"),  # no products below the normal floats
    ),
    st.integers(-100, 100),
)
def test_a_power_of_two_scales_values_and_gains_exactly(case, power):
    one, other = case.grow()[0], replace(case, residual=np.ldexp(case.residual, power)).grow()[0]
    same_tree(one, other, without("value", "split_gain"))
    np.testing.assert_array_equal(np.ldexp(one.value, power), other.value)
    np.testing.assert_array_equal(np.ldexp(one.split_gain, 2 * power), other.split_gain)


@given(
    tree_cases(residual_kinds=("dyadic", "normal"), weight_kinds=("whole", "any", "with zeros")), st.integers(-99, 99)
)
def test_a_power_of_two_on_every_weight_changes_no_value(case, power):
    one, other = case.grow()[0], replace(case, weight=np.ldexp(case.weight, power)).grow()[0]
    same_tree(one, other, without("split_gain"))
    np.testing.assert_array_equal(np.ldexp(one.split_gain, power), other.split_gain)


@given(tree_cases())
def test_turning_the_sign_mirrors_the_values(case):
    one, other = case.grow()[0], replace(case, residual=-case.residual).grow()[0]
    same_tree(one, other, without("value"))
    np.testing.assert_array_equal(one.value, -other.value)


# --- the two orders --------------------------------------------------------------------------------------------------


def nested(tree: Tree, number: int = 0) -> tuple:
    """A tree without its numbering."""
    own = tuple(getattr(tree, name)[number].item() for name in FIELDS if name not in ("left", "right"))
    if tree.feature[number] == -1:
        return own
    return *own, nested(tree, tree.left[number]), nested(tree, tree.right[number])


def depths_of(tree: Tree) -> list[int]:
    """The cuts above each node; parents come before their children."""
    depths = [0] * len(tree.feature)
    for number in np.flatnonzero(tree.feature >= 0):
        depths[tree.left[number]] = depths[tree.right[number]] = depths[number] + 1
    return depths


@given(tree_cases(), DEPTHS)
def test_best_first_to_the_end_is_to_depth_to_the_end_up_to_numbering(case, max_depth):
    one, _ = case.grow(n_leaves=len(case.X) + 1, max_depth=max_depth)
    other, _ = case.grow(max_depth=max_depth)
    assert nested(one) == nested(other)
    assert max_depth is None or max(depths_of(other)) <= max_depth


@given(tree_cases(residual_kinds=("signs", "dyadic", "normal")), st.booleans())
def test_nodes_are_numbered_as_they_are_made(case, best_first):
    """Each cut makes two nodes, left then right: best first the cut that gains most, else the leftmost that waits.

    (Of residuals whose squares leave float64, a tree no longer tells which cut gained more.)
    """
    tree, _ = case.grow(**({} if best_first else TO_THE_END))
    inner = np.flatnonzero(tree.feature >= 0)
    assert (tree.right[inner] == tree.left[inner] + 1).all()
    assert sorted(tree.left[inner]) == list(range(1, len(tree.feature), 2))
    waiting = [0]
    for left in range(1, len(tree.feature), 2):
        (number,) = np.flatnonzero((tree.left == left) & (tree.feature >= 0))
        cut_later = [node for node in waiting if tree.feature[node] >= 0]
        assert number == (max(cut_later, key=lambda v: (tree.split_gain[v], -v)) if best_first else cut_later[0])
        at = waiting.index(number)
        waiting[at : at + 1] = [left, left + 1]


@given(tree_cases())
def test_a_larger_tree_begins_with_the_smaller(case):
    small, large = case.grow()[0], case.grow(n_leaves=case.n_leaves + 3)[0]
    was_cut = small.feature >= 0
    n_nodes = len(small.feature)
    for name in ("feature", "bin", "cut", "left", "right", "split_gain"):
        np.testing.assert_array_equal(getattr(small, name)[was_cut], getattr(large, name)[:n_nodes][was_cut])
    np.testing.assert_array_equal(small.n_node_samples, large.n_node_samples[:n_nodes])


@given(tree_cases())
def test_leaves_are_as_many_as_asked_or_no_cut_gains(case):
    tree, leaves = case.grow()
    n_leaves = int((tree.feature == -1).sum())
    assert n_leaves == len(leaves.nodes) <= case.n_leaves
    assert (tree.split_gain[tree.feature >= 0] >= 0).all()  # in units of the grids above 0; here it may underflow
    if len(case.X) > 1:
        assert tree.n_node_samples[leaves.nodes].min() >= min(case.min_samples_leaf, len(case.X))
    if n_leaves < case.n_leaves:
        assert len(case.grow(n_leaves=case.n_leaves + 50)[1].nodes) == n_leaves


class Recorder:
    """A splitter that notes what it is asked: any object with the functions is one."""

    def __init__(self) -> None:
        self.asked, self.n_rows = Counter(), []  # how often each function; of each histogram, the rows

    def __getattr__(self, name):
        def noted(*arguments):
            self.asked[name] += 1
            if name == "histogram":
                self.n_rows.append(len(arguments[2]))
            return getattr(DEFAULT_SPLITTER, name)(*arguments)

        return noted


@given(tree_cases(), st.sampled_from([1, 2, 5, None]), st.sampled_from([0, 1, 2, 3, None]))
def test_only_nodes_that_may_be_cut_are_looked_at(case, n_leaves, max_depth):
    """No histogram at max_depth, nor after the last cut; of two children, only the smaller one is summed."""
    recorder = Recorder()
    tree, leaves = case.grow(Engine(recorder), n_leaves=n_leaves, max_depth=max_depth)
    depths, n_node_samples = depths_of(tree), tree.n_node_samples
    cuts = sorted(np.flatnonzero(tree.feature >= 0).tolist(), key=lambda v: tree.left[v])  # in the order they are made
    if len(leaves.nodes) == n_leaves:  # growth ended with the last cut: nobody asks what its children could gain
        cuts = cuts[:-1]
    looked_at = [v for v in cuts if depths[v] + 1 != max_depth]
    expected = [min(n_node_samples[tree.left[v]], n_node_samples[tree.right[v]]) for v in looked_at]
    root = [] if n_leaves == 1 or max_depth == 0 else [len(case.X)]
    assert recorder.n_rows == root + expected
    assert recorder.asked["best_split"] == len(root) + 2 * len(looked_at)
    assert recorder.asked["partition"] == np.count_nonzero(tree.feature >= 0)


def test_n_leaves_does_not_go_with_cuts_three_ways():
    binned = replace(bin_features(np.arange(3.0)[:, None], 9, engine=ENGINE), missing=np.ones(1, np.int8))
    message = "n_leaves is 2: it must be None where cuts go three ways, since one adds two leaves"
    with pytest.raises(ValueError, match=re.escape(message)):
        grow(binned, np.arange(3.0), n_leaves=2)


# --- by hand ---------------------------------------------------------------------------------------------------------


def test_a_tie_between_nodes_goes_to_the_one_made_first():
    """After the root, both children gain the same: the left one, node 1, is cut."""
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    tree, _ = TreeCase(X, 256, np.array([-5.0, -3.0, 3.0, 5.0]), None, 1, 3).grow()
    assert tree.feature.tolist() == [0, 0, -1, -1, -1]
    assert tree.split_gain.tolist() == [64.0, 2.0, 0.0, 0.0, 0.0]
    assert tree.value.tolist() == [0.0, 0.0, 4.0, -5.0, -3.0]


@pytest.mark.parametrize("n_leaves", [1, 2, 9])
def test_one_row_is_one_leaf(n_leaves):
    tree, leaves = TreeCase(np.array([[1.0, 2.0]]), 256, np.array([0.3]), None, 1, n_leaves).grow()
    assert (tree.feature.tolist(), tree.value.tolist(), leaves.starts.tolist()) == ([-1], [0.3], [0, 1])


def test_a_leaf_without_weight_has_value_zero():
    """A weight so small that the grid has it as 0 beside a large one."""
    case = TreeCase(np.zeros((2, 1)), 256, np.array([1.0, 1.0]), np.array([0.0, 1e-300]), 1, 2)
    assert case.grow()[0].value.tolist() == [1.0]
    quotient = growth.quotient(np.array([1.0, -1.0, 0.0]), np.array([0.0, 2.0, 0.0]))
    assert quotient.tolist() == [0.0, -0.5, 0.0]


def test_a_gain_beyond_float64_is_infinite_and_the_tree_is_grown():
    """The gain is a square: it leaves float64 before the residuals do, and the cut must be made all the same."""
    case = TreeCase(np.array([[0.0], [1.0], [2.0]]), 256, np.array([-1e300, 0.0, 1e300]), None, 1, 3)
    tree, _ = case.grow()
    assert tree.value.tolist() == [0.0, -1e300, 0.0, 0.0, 1e300]
    assert tree.split_gain[0] == math.inf
