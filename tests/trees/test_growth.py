"""`refrank.trees.growth`: trees equal to the oracle that tries every cut, and to themselves however they are computed."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees import growth, splitting
from refrank.trees.binning import BinnedFeatures, bin_features
from refrank.trees.engine import DEFAULT_SPLITTER
from refrank.trees.growth import grow_best_first, grow_to_depth
from refrank.trees.tree import Leaves, Tree
from tests.oracles import trees as naive
from tests.strategies import SEEDS, THREADS, TreeCase, columns_of, rng_of, tree_cases

pytestmark = pytest.mark.kernel

FIELDS = tuple(Tree.__dataclass_fields__)


def binned_of(case: TreeCase, splitter=DEFAULT_SPLITTER) -> BinnedFeatures:
    return bin_features(case.X, case.n_bins, splitter=splitter)


def best_first(case: TreeCase, splitter=DEFAULT_SPLITTER, **changed) -> tuple[Tree, Leaves]:
    arguments = {"n_leaves": case.n_leaves, "min_samples_leaf": case.min_samples_leaf, **changed}
    return grow_best_first(binned_of(case, splitter), case.residual, case.weight, splitter=splitter, **arguments)


def to_depth(case: TreeCase, max_depth: int | None, splitter=DEFAULT_SPLITTER, **changed) -> tuple[Tree, Leaves]:
    every = np.arange(case.X.shape[1], dtype=np.int32)
    arguments = {"candidates": lambda place: every, "min_samples_leaf": case.min_samples_leaf, **changed}
    return grow_to_depth(
        binned_of(case, splitter), case.residual, case.weight, max_depth=max_depth, splitter=splitter, **arguments
    )


def same_tree(one: Tree, other: Tree, fields: tuple[str, ...] = FIELDS) -> None:
    """Every field, its type and every bit: -0.0 is not 0.0."""
    for name in fields:
        ours, theirs = getattr(one, name), getattr(other, name)
        np.testing.assert_array_equal(ours, theirs, strict=True, err_msg=name)
        assert ours.tobytes() == theirs.tobytes(), name


def without(*names: str) -> tuple[str, ...]:
    return tuple(name for name in FIELDS if name not in names)


def equals_oracle(case: TreeCase, tree: Tree, leaves: Leaves, oracle: naive.Growth) -> None:
    """Nodes, gains and values of the tree; rows and sums of the leaves."""
    cuts = binned_of(case).cuts
    gain_exponent = oracle.weight_exponent - 2 * oracle.product_exponent
    assert len(tree.feature) == len(oracle.nodes)
    for number, node in enumerate(oracle.nodes):
        is_leaf = node.feature == -1
        assert int(tree.feature[number]) == node.feature
        assert (tree.bin[number], tree.left[number], tree.right[number]) == (node.bin, node.left, node.right)
        assert tree.cut[number] == (0.0 if is_leaf else cuts[node.feature][node.bin])
        with np.errstate(over="ignore"):
            assert tree.split_gain[number] == np.ldexp(node.gain, gain_exponent)
        assert tree.n_node_samples[number] == len(node.rows)
        assert tree.value[number] == (oracle.mean(number) if is_leaf else 0.0)
    rows_of_leaves = {
        int(node): sorted(leaves.rows[a:b].tolist())
        for node, a, b in zip(leaves.nodes, leaves.starts, leaves.starts[1:], strict=False)
    }
    assert rows_of_leaves == {n: sorted(node.rows) for n, node in enumerate(oracle.nodes) if node.feature == -1}
    for place, number in enumerate(leaves.nodes.tolist()):
        rows = oracle.nodes[number].rows
        exponents = oracle.product_exponent, oracle.weight_exponent
        product, weight = ([units[i] for i in rows] for units in (oracle.product, oracle.weight))
        assert leaves.residual_sum[place] == naive.grid_sum(product, exponents[0])
        assert leaves.weight_sum[place] == naive.grid_sum(weight, exponents[1])


def listed(case: TreeCase) -> tuple[list[list[int]], list[float], list[float] | None]:
    weight = None if case.weight is None else case.weight.tolist()
    return columns_of(binned_of(case)), case.residual.tolist(), weight


@given(tree_cases(max_samples=25))
def test_best_first_equals_the_oracle(case):
    oracle = naive.best_first_tree(*listed(case), n_leaves=case.n_leaves, min_samples_leaf=case.min_samples_leaf)
    equals_oracle(case, *best_first(case), oracle)


@given(tree_cases(max_samples=25), st.sampled_from([0, 1, 2, 3, None]), st.booleans())
def test_to_depth_equals_the_oracle(case, max_depth, subsets):
    n_features = case.X.shape[1]

    def candidates(place: int) -> np.ndarray:
        """Features that depend on the place alone: what a forest draws."""
        some = [f for f in range(n_features) if not subsets or (place + f) % 3 < 2]
        return np.array(some or [0], np.int32)

    oracle = naive.depth_first_tree(
        *listed(case),
        max_depth=max_depth,
        candidates=lambda place: candidates(place).tolist(),
        min_samples_leaf=case.min_samples_leaf,
    )
    equals_oracle(case, *to_depth(case, max_depth, candidates=candidates), oracle)


# --- what changes no bit ---------------------------------------------------------------------------------------------


@given(tree_cases(), THREADS)
def test_kernel_and_specification_grow_the_same_trees(kernel, case, n_threads):
    for grow in (best_first, lambda *args, **kwargs: to_depth(*args, 3, **kwargs)):
        (ours, our_leaves), (theirs, their_leaves) = (
            grow(case, splitter=splitting), grow(case, splitter=kernel, n_threads=n_threads)
        )  # fmt: skip
        same_tree(ours, theirs)
        for name in ("nodes", "rows", "starts", "residual_sum", "weight_sum"):
            np.testing.assert_array_equal(getattr(our_leaves, name), getattr(their_leaves, name), strict=True)


@given(tree_cases(), SEEDS)
def test_the_order_of_rows_changes_no_bit(case, seed):
    rows = rng_of(seed).permutation(len(case.X))
    weight = None if case.weight is None else case.weight[rows]
    other = TreeCase(case.X[rows], case.n_bins, case.residual[rows], weight, case.min_samples_leaf, case.n_leaves)
    same_tree(best_first(case)[0], best_first(other)[0])
    same_tree(to_depth(case, None)[0], to_depth(other, None)[0])


@given(tree_cases())
def test_sibling_subtraction_changes_no_bit(case):
    def count_all(self, children, parent):
        return [(child, self.histogram(self.nodes[child])) for child in children]

    subtracted = best_first(case)[0], to_depth(case, None)[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(growth.Growing, "child_histograms", count_all)
        counted = best_first(case)[0], to_depth(case, None)[0]
    for one, other in zip(subtracted, counted, strict=True):
        same_tree(one, other)


@given(tree_cases(), st.integers(1, 4))
def test_sharding_and_blocking_of_rows_change_no_bit(case, n_shards):
    """Every node's histogram is the sum of those of shards, as machines that hold some rows each would send them."""

    def histogram(codes, offsets, rows, integers, weights, n_threads):
        shards = [rows[rows % n_shards == shard] for shard in range(n_shards)]
        parts = (DEFAULT_SPLITTER.histogram(codes, offsets, s, integers, weights, n_threads) for s in shards if len(s))
        return sum(parts)

    names = ("bin_starts", "quantize", "best_split", "partition", "leaf_sums", "add_to_leaves")
    sharded = SimpleNamespace(histogram=histogram, **{name: getattr(DEFAULT_SPLITTER, name) for name in names})
    same_tree(best_first(case)[0], best_first(case, splitter=sharded)[0])


@given(tree_cases(weight_kinds=("none",)))
def test_weights_of_one_change_no_bit(case):
    weighed = TreeCase(case.X, case.n_bins, case.residual, np.ones(len(case.X)), case.min_samples_leaf, case.n_leaves)
    one, leaves = best_first(case)
    other, other_leaves = best_first(weighed)
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
    case = TreeCase(case.X, case.n_bins, case.residual, case.weight, 1, case.n_leaves)
    repeated = TreeCase(case.X[rows], case.n_bins, case.residual[rows], None, 1, case.n_leaves)
    same_tree(best_first(case)[0], best_first(repeated)[0], without("n_node_samples"))


@given(tree_cases(residual_kinds=("dyadic",), weight_kinds=("none", "whole", "with zeros")), SEEDS)
def test_rows_of_weight_zero_are_not_there(case, seed):
    """Exact where nothing is rounded, and the rows bring no new values to be binned."""
    rng = rng_of(seed)
    extra = rng.integers(0, len(case.X), 7)
    weight = np.ones(len(case.X)) if case.weight is None else case.weight
    case = TreeCase(case.X, case.n_bins, case.residual, weight, 1, case.n_leaves)
    more = TreeCase(
        np.concatenate([case.X, case.X[extra]]),
        case.n_bins,
        np.concatenate([case.residual, rng.normal(size=7)]),
        np.concatenate([weight, np.zeros(7)]),
        1,
        case.n_leaves,
    )
    same_tree(best_first(case)[0], best_first(more)[0], without("n_node_samples"))


@given(
    tree_cases(
        residual_kinds=("dyadic", "equal", "normal", "one large", "all scales"),
        weight_kinds=("none", "whole", "with zeros", "any", "all scales"),  # no products below the normal floats
    ),
    st.integers(-100, 100),
)
def test_a_power_of_two_scales_values_and_gains_exactly(case, power):
    scaled = TreeCase(
        case.X, case.n_bins, np.ldexp(case.residual, power), case.weight, case.min_samples_leaf, case.n_leaves
    )
    one, other = best_first(case)[0], best_first(scaled)[0]
    same_tree(one, other, without("value", "split_gain"))
    np.testing.assert_array_equal(np.ldexp(one.value, power), other.value)
    np.testing.assert_array_equal(np.ldexp(one.split_gain, 2 * power), other.split_gain)


@given(
    tree_cases(residual_kinds=("dyadic", "normal"), weight_kinds=("whole", "any", "with zeros")), st.integers(-99, 99)
)
def test_a_power_of_two_on_every_weight_changes_no_value(case, power):
    scaled = TreeCase(
        case.X, case.n_bins, case.residual, np.ldexp(case.weight, power), case.min_samples_leaf, case.n_leaves
    )
    one, other = best_first(case)[0], best_first(scaled)[0]
    same_tree(one, other, without("split_gain"))
    np.testing.assert_array_equal(np.ldexp(one.split_gain, power), other.split_gain)


@given(tree_cases())
def test_turning_the_sign_mirrors_the_values(case):
    mirrored = TreeCase(case.X, case.n_bins, -case.residual, case.weight, case.min_samples_leaf, case.n_leaves)
    one, other = best_first(case)[0], best_first(mirrored)[0]
    same_tree(one, other, without("value"))
    np.testing.assert_array_equal(one.value, -other.value)


# --- the shape of a tree ---------------------------------------------------------------------------------------------


def nested(tree: Tree, number: int = 0) -> tuple:
    """A tree without its numbering."""
    own = tuple(getattr(tree, name)[number].item() for name in FIELDS if name not in ("left", "right"))
    if tree.feature[number] == -1:
        return own
    return *own, nested(tree, tree.left[number]), nested(tree, tree.right[number])


@given(tree_cases())
def test_best_first_to_the_end_is_to_depth_to_the_end_up_to_numbering(case):
    one = best_first(case, n_leaves=len(case.X) + 1)[0]
    other = to_depth(case, None)[0]
    assert nested(one) == nested(other)


@given(tree_cases())
def test_a_larger_tree_begins_with_the_smaller(case):
    small, large = best_first(case)[0], best_first(case, n_leaves=case.n_leaves + 3)[0]
    was_cut = small.feature >= 0
    n_nodes = len(small.feature)
    for name in ("feature", "bin", "cut", "left", "right", "split_gain"):
        np.testing.assert_array_equal(getattr(small, name)[was_cut], getattr(large, name)[:n_nodes][was_cut])
    np.testing.assert_array_equal(small.n_node_samples, large.n_node_samples[:n_nodes])


@given(tree_cases())
def test_leaves_are_as_many_as_asked_or_no_cut_gains(case):
    tree, leaves = best_first(case)
    n_leaves = int((tree.feature == -1).sum())
    assert n_leaves == len(leaves.nodes) <= case.n_leaves
    assert (tree.split_gain[tree.feature >= 0] >= 0).all()  # in units of the grids above 0; here it may underflow
    if len(case.X) > 1:
        assert tree.n_node_samples[leaves.nodes].min() >= min(case.min_samples_leaf, len(case.X))
    if n_leaves < case.n_leaves:
        assert len(best_first(case, n_leaves=case.n_leaves + 50)[1].nodes) == n_leaves


@given(tree_cases(), st.integers(0, 4))
def test_no_leaf_is_deeper_than_the_limit_and_places_tell_the_way(case, max_depth):
    asked = []

    def candidates(place: int) -> np.ndarray:
        asked.append(place)
        return np.arange(case.X.shape[1], dtype=np.int32)

    tree, _ = to_depth(case, max_depth, candidates=candidates)
    place = {0: 1}
    for number in range(len(tree.feature)):  # parents come before children
        if tree.feature[number] >= 0:
            place[int(tree.left[number])], place[int(tree.right[number])] = 2 * place[number], 2 * place[number] + 1
    depths = [at.bit_length() - 1 for at in place.values()]
    assert max(depths) <= max_depth
    assert sorted(asked) == sorted(at for at in place.values() if at.bit_length() <= max_depth)


def test_a_tie_between_nodes_goes_to_the_one_made_first():
    """After the root, both children gain the same: the left one, node 1, is cut."""
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    case = TreeCase(X, 256, np.array([-5.0, -3.0, 3.0, 5.0]), None, 1, 3)
    tree, _ = best_first(case)
    assert tree.feature.tolist() == [0, 0, -1, -1, -1]
    assert tree.split_gain.tolist() == [64.0, 2.0, 0.0, 0.0, 0.0]
    assert tree.value.tolist() == [0.0, 0.0, 4.0, -5.0, -3.0]


@pytest.mark.parametrize("n_leaves", [1, 2, 9])
def test_one_row_is_one_leaf(n_leaves):
    tree, leaves = best_first(TreeCase(np.array([[1.0, 2.0]]), 256, np.array([0.3]), None, 1, n_leaves))
    assert (tree.feature.tolist(), tree.value.tolist(), leaves.starts.tolist()) == ([-1], [0.3], [0, 1])


def test_a_leaf_without_weight_has_value_zero():
    """A weight so small that the grid has it as 0 beside a large one."""
    case = TreeCase(np.zeros((2, 1)), 256, np.array([1.0, 1.0]), np.array([0.0, 1e-300]), 1, 2)
    assert best_first(case)[0].value.tolist() == [1.0]
    quotient = growth.quotient(np.array([1.0, -1.0, 0.0]), np.array([0.0, 2.0, 0.0]))
    assert quotient.tolist() == [0.0, -0.5, 0.0]


def test_a_gain_beyond_float64_is_infinite_and_the_tree_is_grown():
    """The gain is a square: it leaves float64 before the residuals do, and the cut must be made all the same."""
    case = TreeCase(np.array([[0.0], [1.0], [2.0]]), 256, np.array([-1e300, 0.0, 1e300]), None, 1, 3)
    tree, _ = best_first(case)
    assert tree.value.tolist() == [0.0, -1e300, 0.0, 0.0, 1e300]
    assert tree.split_gain[0] == math.inf
