"""The estimators of scikit-learn that a model file holds, as bases of COCR.

Held are linear models that predict X @ coef_ + intercept_, trees, forests and bags: what `predict` reads, no more.
skops would write any estimator, but its files hold the clock and addresses of memory, so that two are never equal; and
scikit-learn's compiled trees it refuses, or reads with indices that nobody checked. Here each index is checked first.
"""

from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from refrank.checks import check_shape
from refrank.model_file.archive import require

LINEAR, TREE, ENSEMBLE = "sklearn.linear_model", "sklearn.tree", "sklearn.ensemble"
MODULES = {
    **dict.fromkeys(("ARDRegression", "BayesianRidge", "ElasticNet", "ElasticNetCV", "HuberRegressor"), LINEAR),
    **dict.fromkeys(("Lars", "LarsCV", "Lasso", "LassoCV", "LassoLars", "LassoLarsCV", "LassoLarsIC"), LINEAR),
    **dict.fromkeys(("LinearRegression", "OrthogonalMatchingPursuit", "OrthogonalMatchingPursuitCV"), LINEAR),
    **dict.fromkeys(("QuantileRegressor", "Ridge", "RidgeCV", "SGDRegressor", "TheilSenRegressor"), LINEAR),
    **dict.fromkeys(("DecisionTreeRegressor", "ExtraTreeRegressor"), TREE),
    **dict.fromkeys(("BaggingRegressor", "ExtraTreesRegressor", "RandomForestRegressor"), ENSEMBLE),
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


def check_layout(name: str) -> None:
    """Refuse the trees of a scikit-learn whose nodes are of another kind."""
    from sklearn.tree._tree import NODE_DTYPE

    known = MODULES[name] == LINEAR or (*NODE_DTYPE.names, "value") == tuple(field.name for field in fields(Nodes))
    require(known, f"this scikit-learn keeps the nodes of {name} in another way: a model file cannot hold it")


def list_learned(name: str) -> dict[str, Any]:
    """Return the type of each learned attribute, as the file has it."""
    if name == "BaggingRegressor":
        return {"estimators_": tuple[BaseEstimator, ...], "estimators_features_": Ints}
    if MODULES[name] == LINEAR:
        return {"coef_": NDArray[np.floating], "intercept_": float | NDArray[np.floating]}
    return {"tree_" if MODULES[name] == TREE else "estimators_": tuple[Nodes, ...]}


def take_learned(estimator: Any) -> dict[str, Any]:
    """Return the learned attributes in the types of `list_learned`; AttributeError if it is not fitted."""
    name = type(estimator).__name__
    if name == "BaggingRegressor":
        features = np.array(estimator.estimators_features_, np.int64)
        return {"estimators_": tuple(estimator.estimators_), "estimators_features_": features}
    if MODULES[name] == LINEAR:
        return {"coef_": estimator.coef_, "intercept_": estimator.intercept_}
    if MODULES[name] == TREE:
        return {"tree_": (take_nodes(estimator.tree_),)}
    return {"estimators_": tuple(take_nodes(one.tree_) for one in estimator.estimators_)}


def take_nodes(tree: Any) -> Nodes:
    """Read the nodes of a compiled tree."""
    nodes = tree.__getstate__()["nodes"]
    held = {name: np.ascontiguousarray(nodes[name]) for name in nodes.dtype.names}
    return Nodes(**held, value=tree.value.reshape(-1))


def give_learned(estimator: Any, learned: dict[str, Any]) -> None:
    """Check learned attributes, and give them to an estimator that knows its number of features."""
    name, n_features = type(estimator).__name__, estimator.n_features_in_
    inner = learned.get("estimators_", learned.get("tree_", ()))
    n_inner = estimator.n_estimators if MODULES[name] == ENSEMBLE else int(MODULES[name] == TREE)
    require(len(inner) == n_inner, f"{next(iter(learned))} has {len(inner)} entries: it must have {n_inner}")
    if name == "BaggingRegressor":
        features = learned["estimators_features_"]
        rows = features.ndim == 2 and len(features) == n_inner
        require(
            rows and {one.n_features_in_ for one in inner} == {features.shape[1]},
            f"estimators_features_ must have one row per estimator, of its features; its shape is {features.shape}",
        )
        within = features.min() >= 0 and features.max() < n_features
        require(within, f"estimators_features_ must be integers from 0 to {n_features - 1}")
        estimator.estimators_, estimator.estimators_features_ = list(inner), list(features)
    elif MODULES[name] == LINEAR:
        check_shape("coef_", learned["coef_"], (n_features,), "(n_features,)")
        require(
            np.size(learned["intercept_"]) == 1 and np.ndim(learned["intercept_"]) < 2, "intercept_ must be one number"
        )
        for attribute, value in learned.items():
            require(np.isfinite(value).all(), f"{attribute} must be finite")
        vars(estimator).update(learned)
    elif MODULES[name] == TREE:
        give_nodes(estimator, inner[0], n_features)
    else:
        parameters = {parameter: getattr(estimator, parameter) for parameter in estimator.estimator_params}
        estimator.estimators_ = [type(estimator.estimator)(**parameters) for _ in inner]
        for one, nodes in zip(estimator.estimators_, inner, strict=True):
            give_nodes(one, nodes, n_features)
        estimator.n_outputs_ = 1


def give_nodes(estimator: Any, nodes: Nodes, n_features: int) -> None:
    """Check nodes, and make the compiled tree of them: each node except the root is the child of one earlier node."""
    from sklearn.tree._tree import NODE_DTYPE, Tree

    left, right, feature, n_nodes = nodes.left_child, nodes.right_child, nodes.feature, len(nodes.feature)
    inner = np.flatnonzero(left != -1)
    children = np.concatenate([left[inner], right[inner]])
    each_once = n_nodes and np.array_equal(np.sort(children), np.arange(1, n_nodes)) and (right[left == -1] == -1).all()
    later = each_once and (children > np.concatenate([inner, inner])).all()
    require(later, "left_child and right_child must name each node except the root once, later, and be -1 in leaves")
    there = (feature < n_features).all() and (feature[inner] >= 0).all()
    require(there, f"feature must be an integer from 0 to {n_features - 1} in each node with a cut")
    require(
        np.isfinite(nodes.value).all() and not np.isnan(nodes.threshold).any(),
        "value must be finite, threshold not NaN",
    )
    require((nodes.missing_go_to_left <= 1).all(), "missing_go_to_left must be 0 or 1")
    check_layout(type(estimator).__name__)
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
