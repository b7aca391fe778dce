"""`refrank.trees.tree`: what trees predict, which is what training added."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees import splitting
from refrank.trees.binning import bin_features
from refrank.trees.engine import DEFAULT_SPLITTER
from refrank.trees.growth import grow_best_first
from refrank.trees.tree import Tree, add_predictions, with_values
from tests.oracles import trees as naive
from tests.strategies import SEEDS, THREADS, TreeCase, rng_of, tree_cases

pytestmark = pytest.mark.kernel


def grower(case: TreeCase):
    binned = bin_features(case.X, case.n_bins, splitter=DEFAULT_SPLITTER)
    return partial(grow_best_first, binned, n_leaves=case.n_leaves, splitter=DEFAULT_SPLITTER)


def leaf_of(tree: Tree, x: list[float]) -> int:
    """Walk from the root, as the record's field comments say."""
    node = 0
    while tree.feature[node] != -1:
        node = int(tree.left[node] if x[tree.feature[node]] < tree.cut[node] else tree.right[node])
    return node


KINDS = ("zeros", "dyadic", "normal", "one large", "all scales")


@given(tree_cases(residual_kinds=KINDS))
def test_every_row_walks_to_the_leaf_that_holds_it(case):
    tree, leaves = grower(case)(case.residual, case.weight)
    for node, start, stop in zip(leaves.nodes, leaves.starts, leaves.starts[1:], strict=False):
        for i in leaves.rows[start:stop]:
            assert leaf_of(tree, case.X[i].astype(np.float64).tolist()) == node
    assert sorted(leaves.rows.tolist()) == list(range(len(case.X)))


@given(tree_cases(residual_kinds=KINDS), st.integers(1, 4), st.sampled_from([1.0, 0.1, 0.05]), THREADS)
def test_predictions_of_training_rows_are_training_scores_to_the_bit(case, n_trees, learning_rate, n_threads):
    grow, trees = grower(case), []
    scores = np.zeros(len(case.X))
    for m in range(n_trees):
        residual = case.residual * (m + 1) - scores
        tree, leaves = grow(residual, case.weight)
        values = np.cos(tree.value[leaves.nodes])  # any values
        trees.append(with_values(tree, leaves, values))
        leaves.add_to(scores, learning_rate * values)
    predicted = np.zeros(len(case.X))
    add_predictions(trees, case.X, learning_rate, predicted, DEFAULT_SPLITTER, n_threads)
    assert predicted.tobytes() == scores.tobytes()
    in_turn = np.zeros(len(case.X))
    for tree in trees:
        add_predictions([tree], case.X, learning_rate, in_turn, splitting, n_threads)
    assert in_turn.tobytes() == scores.tobytes()


@given(tree_cases(residual_kinds=KINDS), SEEDS)
def test_a_row_is_scored_alike_alone_and_among_others(case, seed):
    rng = rng_of(seed)
    trees = [grower(case)(case.residual * sign, case.weight)[0] for sign in (1, -1, 3)]
    X = (case.X[rng.integers(0, len(case.X), 5)] + rng.normal(size=(5, case.X.shape[1]))).astype(case.X.dtype)
    scores = rng.normal(size=5)
    expected = scores.tolist()
    for i in range(5):
        for tree in trees:
            expected[i] += 0.1 * float(tree.value[leaf_of(tree, X[i].astype(np.float64).tolist())])
    alone = scores.copy()
    for i in range(5):
        add_predictions(trees, X[i : i + 1], 0.1, alone[i : i + 1], DEFAULT_SPLITTER)
    add_predictions(trees, X, 0.1, scores, DEFAULT_SPLITTER)
    assert scores.tolist() == alone.tolist() == expected


@given(tree_cases(), SEEDS)
def test_a_leaf_sums_any_quantity_exactly(case, seed):
    _, leaves = grower(case)(case.residual, case.weight)
    value = rng_of(seed).normal(size=len(case.X))
    found = leaves.sum_of(value)
    for place, (start, stop) in enumerate(zip(leaves.starts, leaves.starts[1:], strict=False)):
        assert found[place] == naive.grid_total(value.tolist(), leaves.rows[start:stop].tolist())


@given(tree_cases(residual_kinds=KINDS))
def test_new_values_stand_in_the_leaves_and_nowhere_else(case):
    tree, leaves = grower(case)(case.residual, case.weight)
    before = tree.value.copy()
    values = np.arange(1.0, len(leaves.nodes) + 1)
    other = with_values(tree, leaves, values)
    assert other.value[leaves.nodes].tolist() == values.tolist()
    assert (other.value[tree.feature >= 0] == 0).all()
    assert tree.value.tolist() == before.tolist()
    assert other.feature is tree.feature


def test_no_trees_add_nothing():
    scores = np.array([1.0, 2.0])
    add_predictions([], np.zeros((2, 1)), 0.1, scores, DEFAULT_SPLITTER)
    assert scores.tolist() == [1.0, 2.0]
