"""The estimators of scikit-learn that a model file holds, as bases of COCR.

Held are linear models that predict X @ coef_ + intercept_, trees, forests and bags: what `predict` reads, no more.
skops would write any estimator, but its files hold the clock and addresses of memory, so that two are never equal; and
it gives scikit-learn's compiled trees, or refuses, indices that nobody has checked. Here each index is checked first.
"""

from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from refrank.checks import check_shape

MODULES = {
    **dict.fromkeys(
        (
            *("ARDRegression", "BayesianRidge", "ElasticNet", "ElasticNetCV", "HuberRegressor", "Lars", "LarsCV"),
            *("Lasso", "LassoCV", "LassoLars", "LassoLarsCV", "LassoLarsIC", "LinearRegression"),
            *("OrthogonalMatchingPursuit", "OrthogonalMatchingPursuitCV", "QuantileRegressor", "Ridge", "RidgeCV"),
            *("SGDRegressor", "TheilSenRegressor"),
        ),
        "sklearn.linear_model",
    ),
    **dict.fromkeys(("DecisionTreeRegressor", "ExtraTreeRegressor"), "sklearn.tree"),
    **dict.fromkeys(("BaggingRegressor", "ExtraTreesRegressor", "RandomForestRegressor"), "sklearn.ensemble"),
}
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Nodes:
    """The nodes of a tree of scikit-learn, in its own words; x <= threshold goes left, -1 is the child of a leaf."""

    left_child: Ints
    right_child: Ints
    feature: Ints
    threshold: Floats
    impurity: Floats
    n_node_samples: Ints
    weighted_n_node_samples: Floats
    missing_go_to_left: NDArray[np.uint8]
    value: Floats


def find_scikit(name: str) -> type[BaseEstimator] | None:
    """Return the class of that name, if a model file holds it."""
    return getattr(import_module(MODULES[name]), name) if name in MODULES else None


def list_learned(name: str) -> dict[str, Any]:
    """Return the type of each learned attribute, as the file has it."""
    if name == "BaggingRegressor":
        return {"estimators_": tuple[BaseEstimator, ...], "estimators_features_": Ints}
    if MODULES[name] != "sklearn.linear_model":
        return {"tree_" if MODULES[name] == "sklearn.tree" else "estimators_": tuple[Nodes, ...]}
    return {"coef_": NDArray[np.floating], "intercept_": float | NDArray[np.floating]}


def take_learned(estimator: Any) -> dict[str, Any]:
    """Return the learned attributes in the types of `list_learned`; AttributeError where it is not fitted."""
    hints = list_learned(type(estimator).__name__)
    if "tree_" in hints:
        return {"tree_": (take_nodes(estimator),)}
    if "estimators_features_" in hints:
        features = np.array(estimator.estimators_features_, np.int64)
        return {"estimators_": tuple(estimator.estimators_), "estimators_features_": features}
    if "estimators_" in hints:
        return {"estimators_": tuple(map(take_nodes, estimator.estimators_))}
    return {"coef_": estimator.coef_, "intercept_": estimator.intercept_}


def take_nodes(estimator: Any) -> Nodes:
    """Read the nodes of a fitted tree."""
    tree = estimator.tree_
    nodes = tree.__getstate__()["nodes"]
    return Nodes(*(np.ascontiguousarray(nodes[name]) for name in nodes.dtype.names), value=tree.value.reshape(-1))


def check_layout(name: str) -> None:
    """Refuse the trees of a scikit-learn whose nodes are of another kind."""
    from sklearn.tree._tree import NODE_DTYPE

    if MODULES[name] != "sklearn.linear_model" and NODE_DTYPE.names != tuple(one.name for one in fields(Nodes))[:-1]:
        raise ValueError(f"this scikit-learn keeps the nodes of {name} in another way: a model file cannot hold it")


def give_learned(estimator: Any, learned: dict[str, Any]) -> None:
    """Check learned attributes, and give them to an estimator that knows its number of features."""
    name, n_features = type(estimator).__name__, estimator.n_features_in_
    if "estimators_" in learned and not 0 < len(learned["estimators_"]) == estimator.n_estimators:
        raise ValueError(f"estimators_ has {len(learned['estimators_'])} entries: n_estimators says how many, above 0")
    if name == "BaggingRegressor":
        give_bag(estimator, n_features, **learned)
    elif "tree_" in learned:
        if len(learned["tree_"]) != 1:
            raise ValueError(f"tree_ has {len(learned['tree_'])} entries: it must be one tree")
        give_nodes(estimator, learned["tree_"][0], n_features)
    elif "estimators_" in learned:
        parameters = {name: getattr(estimator, name) for name in estimator.estimator_params}
        trees = [type(estimator.estimator)(**parameters) for _ in learned["estimators_"]]
        for tree, nodes in zip(trees, learned["estimators_"], strict=True):
            give_nodes(tree, nodes, n_features)
        estimator.estimators_, estimator.n_outputs_ = trees, 1
    else:
        check_shape("coef_", learned["coef_"], (n_features,), "(n_features,)")
        if np.shape(learned["intercept_"]) not in ((), (1,)):
            raise ValueError(f"intercept_ has shape {np.shape(learned['intercept_'])}: it must be one number")
        for attribute, value in learned.items():
            if not np.isfinite(value).all():
                raise ValueError(f"{attribute} must be finite")
            setattr(estimator, attribute, value)


def give_bag(
    estimator: Any, n_features: int, estimators_: tuple[BaseEstimator, ...], estimators_features_: Ints
) -> None:
    """Check the features that each estimator of a bag sees, and their number."""
    shape = estimators_features_.shape
    sizes = {one.n_features_in_ for one in estimators_}
    if len(shape) != 2 or shape[0] != len(estimators_) or sizes != {shape[1]}:
        raise ValueError(f"estimators_features_ has shape {shape}: it must have one row per estimator, of its features")
    if estimators_features_.min() < 0 or estimators_features_.max() >= n_features:
        raise ValueError(f"estimators_features_ must be integers from 0 to {n_features - 1}")
    estimator.estimators_, estimator.estimators_features_ = list(estimators_), list(estimators_features_)


def give_nodes(estimator: Any, nodes: Nodes, n_features: int) -> None:
    """Check nodes, and make the compiled tree of them: each but the root is the child of one earlier node."""
    from sklearn.tree._tree import NODE_DTYPE, Tree

    check_layout(type(estimator).__name__)
    left, right, feature, n_nodes = nodes.left_child, nodes.right_child, nodes.feature, len(nodes.feature)
    inner = np.flatnonzero(left != -1)
    children = np.concatenate([left[inner], right[inner]])
    if n_nodes == 0 or (right[left == -1] != -1).any() or not np.array_equal(np.sort(children), np.arange(1, n_nodes)):
        raise ValueError("left_child and right_child must name each node except the root once, and be -1 in leaves")
    if (children <= np.concatenate([inner, inner])).any():
        raise ValueError("left_child and right_child must name later nodes")
    if (feature >= n_features).any() or (feature[inner] < 0).any():
        raise ValueError(f"feature must be an integer from 0 to {n_features - 1} in each node with a cut")
    if np.isnan(nodes.threshold).any() or not np.isfinite(nodes.value).all() or (nodes.missing_go_to_left > 1).any():
        raise ValueError("threshold must not be NaN, value must be finite, and missing_go_to_left 0 or 1")
    state = np.zeros(n_nodes, NODE_DTYPE)
    for name in NODE_DTYPE.names:
        state[name] = getattr(nodes, name)
    depth, level = 0, np.array([0])
    while len(level := level[left[level] != -1]):  # scikit-learn trusts max_depth: it is counted
        depth, level = depth + 1, np.concatenate([left[level], right[level]])
    values = nodes.value.reshape(-1, 1, 1).copy()
    estimator.tree_ = Tree(n_features, np.array([1], np.intp), 1)
    estimator.tree_.__setstate__({"max_depth": depth, "node_count": n_nodes, "nodes": state, "values": values})
    estimator.n_features_in_, estimator.n_outputs_ = n_features, 1
