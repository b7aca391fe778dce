"""`refrank.trees.model.tree`: what trees predict, which is what training added, and the trees that are refused."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees import splitting
from refrank.trees.bins.binning import bin_features
from refrank.trees.engine import DEFAULT_SPLITTER, Engine
from refrank.trees.growth.forest_growth import grow_forest_tree
from refrank.trees.growth.grower import Grower
from refrank.trees.model import tree
from refrank.trees.model.tree import Tree, add_predictions, check_leaves, quotient, with_values
from tests.strategies import ENGINE, THREADS, tree_cases
from tests.trees.compare import FIELDS

pytestmark = pytest.mark.kernel

KINDS = ("zeros", "dyadic", "normal", "one large", "all scales")


def leaf_of(tree: Tree, x: list[float]) -> int:
    """Walk from the root, as the record's field comments say."""
    node = 0
    while tree.feature[node] != -1:
        node = int(tree.left[node] if x[tree.feature[node]] < tree.cut[node] else tree.right[node])
    return node


@given(tree_cases(residual_kinds=KINDS))
def test_every_row_walks_to_the_leaf_that_holds_it(case):
    tree, leaves = case.grow()
    for node, start, stop in zip(leaves.nodes, leaves.starts, leaves.starts[1:], strict=False):
        for i in leaves.rows[start:stop]:
            assert leaf_of(tree, case.X[i].astype(np.float64).tolist()) == node
    assert sorted(leaves.rows.tolist()) == list(range(len(case.X)))


@given(tree_cases(residual_kinds=KINDS), st.integers(1, 4), st.sampled_from([1.0, 0.1, 0.05]), THREADS)
def test_predictions_of_training_rows_are_training_scores_to_the_bit(case, n_trees, learning_rate, n_threads):
    binned, trees = case.binned(), []
    scores = np.zeros(len(case.X))
    for m in range(n_trees):
        tree, leaves = Grower(binned, case.n_leaves)(case.residual * (m + 1) - scores, case.weight)
        values = np.cos(tree.value[leaves.nodes])  # any values
        trees.append(with_values(tree, leaves, values))
        leaves.add_to(scores, learning_rate, values)
    predicted = np.zeros(len(case.X))
    add_predictions(trees, case.X, learning_rate, predicted, Engine(DEFAULT_SPLITTER, n_threads))
    assert predicted.tobytes() == scores.tobytes()
    in_turn = np.zeros(len(case.X))
    for tree in trees:
        add_predictions([tree], case.X, learning_rate, in_turn, Engine(splitting, n_threads))
    assert in_turn.tobytes() == scores.tobytes()


def test_a_tree_says_its_size():
    binned = bin_features(np.array([[0.0], [1.0], [2.0]]), 256, engine=ENGINE)
    trees = [Grower(binned, n_leaves=n)(np.array([0.0, 5.0, 7.0]))[0] for n in (1, 2, 3)]
    assert [*map(repr, trees)] == ["Tree(1 nodes, 1 leaves)", "Tree(3 nodes, 2 leaves)", "Tree(5 nodes, 3 leaves)"]


@given(tree_cases(residual_kinds=KINDS))
def test_new_values_stand_in_the_leaves_and_nowhere_else(case):
    tree, leaves = case.grow()
    before = tree.value.copy()
    values = np.arange(1.0, len(leaves.nodes) + 1)
    other = with_values(tree, leaves, values)
    assert other.value[leaves.nodes].tolist() == values.tolist()
    assert (other.value[tree.feature >= 0] == 0).all()
    assert tree.value.tolist() == before.tolist()
    assert other.feature is tree.feature


def test_a_leaf_without_weight_has_value_zero():
    assert quotient(np.array([1.0, -1.0, 0.0]), np.array([0.0, 2.0, 0.0])).tolist() == [0.0, -0.5, 0.0]


def test_no_trees_add_nothing():
    scores = np.array([1.0, 2.0])
    add_predictions([], np.zeros((2, 1)), 0.1, scores, ENGINE)
    assert scores.tolist() == [1.0, 2.0]


# --- trees that rows cannot be sent down -----------------------------------------------------------------------------

X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [3.0, 1.0]])


def refuse(trees, message, X=X, scores=None) -> None:
    """An error of just this message, before any row is sent: the splitter has no functions."""
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        add_predictions(trees, X, 0.1, np.ones(4) if scores is None else scores, Engine(SimpleNamespace()))


def five_nodes(**changed) -> Tree:
    """Cuts at nodes 0 and 1, leaves 2, 3 and 4; both features are read. `changed`: (node, value) of some fields."""
    tree, _ = Grower(bin_features(X, 9, engine=ENGINE), n_leaves=3)(np.array([-5.0, -3.0, 3.0, 4.0]))
    assert (tree.left.tolist(), tree.right.tolist()) == ([1, 3, 0, 0, 0], [2, 4, 0, 0, 0])
    tree = replace(tree, feature=np.array([0, 1, -1, -1, -1], np.int32))
    for name, (node, value) in changed.items():
        getattr(tree, name)[node] = value
    return tree


A_FEATURE, A_LATER_NODE = "-1, or a feature below 2", "a later node of its tree, which has 5"


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize(
    ("name", "node", "value", "rule"),
    [
        ("feature", 0, 2, A_FEATURE),  # out of range
        ("feature", 4, 2, A_FEATURE),
        ("feature", 1, -2, A_FEATURE),
        ("left", 0, 0, A_LATER_NODE),  # a cycle of one node
        ("right", 1, 0, A_LATER_NODE),  # a cycle of two
        ("left", 1, 1, A_LATER_NODE),
        ("left", 0, -1, A_LATER_NODE),
        ("right", 0, 5, A_LATER_NODE),  # in the tree that follows
        ("left", 1, 2**31 - 1, A_LATER_NODE),
        ("left", 0, 5, A_LATER_NODE),
        ("right", 1, 1, A_LATER_NODE),
    ],
)
def test_a_node_that_sends_rows_astray_is_refused(number, name, node, value, rule):
    trees = [five_nodes(), five_nodes(), five_nodes()]
    trees[number] = five_nodes(**{name: (node, value)})
    refuse(trees, f"{name} of node {node} in tree {number} is {value}: it must be {rule}")


def test_rows_of_fewer_features_than_the_model_reads_are_refused():
    message = "feature of node 1 in tree 1 is 1: it must be -1, or a feature below 1"
    refuse([five_nodes(feature=(1, 0)), five_nodes()], message, X=X[:, :1])


PER_NODE = "it must have shape (n_nodes,), one entry per node"


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("length", [0, 4, 6])
def test_fields_of_another_length_are_refused(name, length):
    tree = five_nodes()
    other = replace(tree, **{name: np.resize(getattr(tree, name), length)})
    named, shape, n_nodes = name, length, 5
    if name == "feature":  # its length is the number of nodes
        named, shape, n_nodes = ("bin", 5, length) if length else (name, 0, 1)
    refuse([tree, other], f"{named} of tree 1 has shape ({shape},): {PER_NODE}, here ({n_nodes},)")


@pytest.mark.parametrize("shape", [(3,), (5,), (4, 1), ()])
def test_scores_of_another_shape_are_refused(shape):
    message = f"scores has shape {shape}: it must have shape (n_samples,), one score per row of X, here (4,)"
    refuse([five_nodes()], message, scores=np.ones(shape))


# --- numbers of nodes
@pytest.mark.parametrize(
    ("limits", "allowed"),
    [
        ({"n_rows": 2**30}, True),
        ({"n_rows": 2**30 + 1}, False),
        ({"n_rows": 2**31 - 1, "min_samples_leaf": 2}, True),
        ({"n_rows": 2**31 - 1, "max_depth": 30}, True),
        ({"n_rows": 2**31 - 1, "max_depth": 31}, False),
        ({"n_rows": 2**31 - 1, "max_depth": 2**31 - 1}, False),
        ({"n_rows": 2**31 - 1, "max_depth": 18, "n_ways": 3}, True),
        ({"n_rows": 2**31 - 1, "max_depth": 19, "n_ways": 3}, False),
        ({"n_rows": 2**31 - 1, "n_leaves": 2**30}, True),
        ({"n_rows": 2**31 - 1, "n_leaves": 2**30 + 1}, False),
    ],
)
def test_a_tree_has_as_many_leaves_as_int32_numbers_its_nodes(limits, allowed):
    given = {"min_samples_leaf": 1, "max_depth": None, "n_leaves": None, "n_ways": 2} | limits
    if allowed:
        return check_leaves(**given)
    message = (
        f"min_samples_leaf is 1: it must be at least 2, or a tree of {limits['n_rows']} rows may have over 2.30 leaves"
    )
    with pytest.raises(ValueError, match=message):
        check_leaves(**given)


def test_both_ways_of_growing_refuse_more_leaves_than_can_be_numbered(monkeypatch):
    monkeypatch.setattr(tree, "MOST_LEAVES", 3)
    binned = bin_features(np.arange(4.0)[:, np.newaxis], 256, engine=Engine(splitting))
    message = "min_samples_leaf is 1: it must be at least 2, or a tree of 4 rows"
    for limits in ({}, {"max_depth": 2}, {"n_leaves": 4}):
        with pytest.raises(ValueError, match=message):
            Grower(binned, **limits)
    for limits in ({"min_samples_leaf": 2}, {"max_depth": 1}, {"n_leaves": 3}):
        Grower(binned, **limits)
    drawn = {"residual": np.arange(4.0), "weight": None, "counts": np.ones(4, np.int64), "n_candidates": 1, "key": 0}
    with pytest.raises(ValueError, match=message):
        grow_forest_tree(binned, **drawn)
    with pytest.raises(ValueError, match=message):
        grow_forest_tree(binned, **drawn, max_depth=2)
    grow_forest_tree(binned, **drawn, max_depth=1)
    grow_forest_tree(binned, **drawn, min_samples_leaf=2)
