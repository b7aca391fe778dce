"""A finished model tree: where rows go, and that no tree from a file or by hand loops or reads out of bounds."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from refrank.cocr.m5p import M5Tree, check_model_tree
from refrank.cocr.m5p.tree import LinearModel


def line(features=(), intercept=0.0) -> LinearModel:
    return LinearModel(np.array(features, int), np.ones(len(features)), intercept)


TREE = M5Tree(  # x0 <= 0.5 to leaf 1; else x1 <= 1.5 to leaf 3 or 4
    feature=np.array([0, -1, 1, -1, -1]),
    threshold=np.array([0.5, np.nan, 1.5, np.nan, np.nan]),
    left=np.array([1, -1, 3, -1, -1]),
    right=np.array([2, -1, 4, -1, -1]),
    weight=np.ones(5),
    models=(line(), line([], 1.0), line(), line([], 3.0), line([0, 1], 4.0)),
)


def test_a_value_at_the_threshold_goes_left():
    X = np.array([[0.5, 9.0], [np.nextafter(0.5, 1), 1.5], [-9.0, 0.0], [1.0, 2.0]])
    assert_array_equal(TREE.apply(X), [1, 3, 1, 4])
    assert_array_equal(TREE.predict(X), [1.0, 3.0, 1.0, 7.0])


def test_the_repr_is_short():
    assert repr(TREE) == "M5Tree(5 nodes, 3 leaves)"
    leaf = M5Tree(*(np.array([value]) for value in (-1, np.nan, -1, -1, 1.0)), models=(line(),))
    assert repr(leaf) == "M5Tree(1 node, 1 leaf)"
    models = [repr(model) for model in (line(), line([3]), line([0, 1]))]
    assert models == ["LinearModel(0 terms)", "LinearModel(1 term)", "LinearModel(2 terms)"]


def put(name: str, place: int, value: float) -> M5Tree:
    """The tree with one entry of one array replaced."""
    changed = getattr(TREE, name).copy()
    changed[place] = value
    return replace(TREE, **{name: changed})


def put_model(model: LinearModel) -> M5Tree:
    return replace(TREE, models=(*TREE.models[:4], model))


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (put("left", 0, 0), "left at row 0 is 0: a child must be a later node"),
        (put("right", 2, 0), "right at row 2 is 0: a child must be a later node"),  # a cycle
        (put("left", 2, 1), "left at row 2 is 1: a child must be a later node"),  # a child before its parent
        (put("right", 2, 5), "right at row 2 is 5"),
        (put("left", 2, -1), "left at row 2 is -1"),
        (put("left", 2, 6), "left at row 2 is 6"),
        (put("left", 1, 3), "left at row 1 is 3: a child must be a later node, and -1 in a leaf"),
        (put("feature", 2, 2), "feature at row 2 is 2: features must be integers from 0 to 1, and -1 in a leaf"),
        (put("feature", 4, -2), "feature at row 4 is -2"),
        (put("threshold", 2, np.nan), "threshold at row 2 is nan: thresholds must be finite"),
        (put("weight", 2, np.inf), "weight at row 2 is inf: weights must be finite"),
        (put("weight", 4, np.nan), "weight at row 4 is nan: weights must be finite"),
        (put_model(line([0], np.nan)), r"models\[4\] must have a finite intercept and finite coefficients"),
        (put_model(replace(line([0]), coefficients=np.array([np.inf]))), r"models\[4\] must have a finite intercept"),
        (replace(TREE, weight=np.ones(4)), r"weight has shape \(4,\): it must have shape \(n_nodes,\).* here \(5,\)"),
        (replace(TREE, threshold=np.ones(4)), r"threshold has shape \(4,\)"),
        (replace(TREE, right=TREE.right[:4]), r"right has shape \(4,\)"),
        (replace(TREE, feature=TREE.feature.astype(float)), "feature has type float64: .* integer"),
        (replace(TREE, right=TREE.right.astype(float)), "right has type float64: .* integer"),
        (replace(TREE, models=TREE.models[:4]), r"feature has shape \(5,\): .* here \(4,\)"),
        (replace(TREE, left=TREE.left[:, np.newaxis]), r"left has shape \(5, 1\)"),
        (replace(TREE, left=TREE.left.astype(float)), "left has type float64: .* integer"),
        (M5Tree(*(np.empty(0, int) for _ in range(5)), models=()), "models is .*at least one node"),
        (put_model(line([0, 2])), r"models\[4\].features at row 1 is 2: features must be integers from 0 to 1"),
        (put_model(line([-1])), r"models\[4\].features at row 0 is -1"),
        (put_model(replace(line([0, 1]), coefficients=np.ones(1))), r"models\[4\].coefficients has shape \(1,\)"),
        (put_model(replace(line([0]), features=np.array([True]))), r"models\[4\].features is .* a row of integers"),
        (put_model(replace(line(), features=np.array(0))), r"models\[4\].features is .* a row of integers"),
    ],
)
def test_hostile_trees_are_refused(tree, message):
    for use in (lambda: check_model_tree(tree, 2), lambda: tree.predict(np.ones((3, 2)))):
        with pytest.raises(ValueError, match=message):
            use()


@given(st.lists(st.tuples(*3 * [st.integers(-2, 5)]), min_size=5, max_size=5))
def test_any_tree_predicts_or_is_refused(nodes):
    """Whatever the numbers: no endless loop, no IndexError."""
    feature, left, right = np.array(nodes).T
    tree = replace(TREE, feature=feature, left=left, right=right, threshold=np.zeros(5))
    try:
        leaves = tree.apply(np.array([[-1.0, 1.0], [1.0, -1.0]]))
    except ValueError:
        return
    assert_array_equal(feature[leaves], -1)
