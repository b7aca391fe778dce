"""What estimators of refrank learned: its types, and its checks, after which nothing is looked up where it is not."""

import warnings
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints

import numpy as np
from sklearn.base import BaseEstimator

from refrank.checks import check_entries, check_integer, check_number, check_shape
from refrank.cocr.m5p.tree import M5Tree, check_model_tree
from refrank.cocr.reduction import Constant
from refrank.cocr.user_costs import cost_shape, cost_table
from refrank.estimators import COCRRanker, IGBRTRanker, OrdinalBoostRanker
from refrank.estimators.igbrt import TreeRanker, has_classes
from refrank.estimators.mcrank import ClassBoostRanker, LSBoostRanker
from refrank.mcrank.expected_relevance import check_increasing, transform_table
from refrank.mcrank.two_layer_net import TwoLayerNet
from refrank.trees.ensemble import Ensemble
from refrank.trees.tree import LEAF, Tree, check_trees

LARGEST = 2**31 - 1  # features, and classes
AT_LEAST = {"n_queries_": 1, "n_classes_": 2, "max_grade_": 1, "best_epoch_": 1, "seed_": 0}
TABLES = {"relevance": "relevance_", "target": "target_", "cost": "cost_table_"}  # what becomes of such a parameter


def list_own_learned(estimator: BaseEstimator) -> dict[str, Any]:
    """Return the type of each learned attribute that a file holds."""
    hints = get_type_hints(type(estimator))
    assert is_dataclass(estimator)
    names = [field.name for field in fields(estimator) if not field.init and field.metadata.get("saved", True)]
    if isinstance(estimator, TreeRanker) and not has_classes(estimator):
        names.remove("n_classes_")
    return {name: hints[name] for name in names}


def check_features(n_features: int, names: Any) -> None:
    """Check the number of the features, and their names if they have any."""
    check_integer("n_features_in_", n_features, 1, LARGEST)
    if names is not None and (len(names) != n_features or not all(isinstance(name, str) for name in names)):
        raise ValueError(f"feature_names_in_ has {len(names)} entries: it must have {n_features}, each a string")


def check_own_learned(estimator: Any) -> None:
    """Check what an estimator of refrank learned, against its number of features and its parameters."""
    n_features, learned = estimator.n_features_in_, vars(estimator)
    for name, least in AT_LEAST.items():
        if name in learned:
            check_integer(name, learned[name], least, None if name == "seed_" else LARGEST)
    if "seed_" in learned and estimator.random_state != estimator.seed_:
        raise ValueError(f"random_state is {estimator.random_state!r}: it must be seed_, {estimator.seed_}")
    model = estimator.model_
    if isinstance(model, Ensemble):
        check_ensembles(estimator)
    elif isinstance(model, M5Tree):
        check_model_tree(model, n_features)
        numbers = [
            model.weight,
            [line.intercept for line in model.models],
            *(line.coefficients for line in model.models),
        ]
        if not np.isfinite(np.concatenate(numbers)).all():
            raise ValueError("model_ must have finite weights, coefficients and intercepts")
    elif isinstance(model, TwoLayerNet):
        check_net(model, n_features)
    if isinstance(estimator, COCRRanker):
        check_answers(estimator)
    for parameter in ("relevance", "target"):
        if parameter in estimator.get_params(deep=False):
            table, name = learned[f"{parameter}_"], f"{parameter}_"
            transform_table(table, estimator.n_classes_, name)
            transform_table(getattr(estimator, parameter), estimator.n_classes_, parameter)
    if isinstance(estimator, ClassBoostRanker):
        check_increasing(estimator.relevance_)
    if isinstance(estimator, TreeRanker):
        check_fill(estimator)


def check_ensembles(estimator: Any) -> None:
    """Check the trees of a model, and of the forest below it, and that there are as many as the outputs ask for."""
    outputs = [1]
    if isinstance(estimator, OrdinalBoostRanker):
        constants = estimator.constants_
        if len(constants) != estimator.n_classes_ - 1 or any(p not in (None, 0.0, 1.0) for p in constants):
            raise ValueError(f"constants_ must have {estimator.n_classes_ - 1} entries, each of them None, 0 or 1")
        outputs = [
            constants.count(None),
            2 * constants.count(None),
        ]  # one tree per problem, where its second mirrors it
    elif hasattr(estimator, "n_classes_") and not isinstance(estimator, LSBoostRanker):
        outputs = [estimator.n_classes_ - 1 if isinstance(estimator, TreeRanker) else estimator.n_classes_]
    check_ensemble("model_", estimator.model_, estimator.n_features_in_, outputs)
    if isinstance(estimator, IGBRTRanker):
        check_ensemble("forest_", estimator.forest_, estimator.n_features_in_, outputs)
    empty = not estimator.model_.rounds  # an interrupt may come before the first round of boosting, not of all trees
    if empty and not (isinstance(estimator, IGBRTRanker) and estimator.forest_.rounds):
        raise ValueError("model_.rounds is empty: it must have at least one round")


def check_ensemble(name: str, model: Ensemble, n_features: int, outputs: list[int]) -> None:
    """Check the trees of a model, and their number per round."""
    n_outputs = len(model.initial)
    if n_outputs not in outputs or n_outputs == 0 or any(len(trees) != n_outputs for trees in model.rounds):
        raise ValueError(f"{name} has {n_outputs} outputs: it must have {' or '.join(map(str, outputs))} in each round")
    for value in model.initial:
        check_number(f"{name}.initial", value)
    check_number(f"{name}.learning_rate", model.learning_rate, above=0, at_most=1)
    trees = [tree for trees in model.rounds for tree in trees]
    if not trees:
        return
    try:
        check_trees(trees, n_features)
    except ValueError as fault:
        raise ValueError(f"{name}.rounds: {fault}") from None
    columns = {field.name: np.concatenate([getattr(tree, field.name) for tree in trees]) for field in fields(Tree)}
    for field, wrong, rule in (
        ("cut", np.isnan(columns["cut"]), "not NaN"),
        ("split_gain", ~(columns["split_gain"] >= 0), "at least 0"),
        ("value", ~np.isfinite(columns["value"]), "finite"),
        ("n_node_samples", columns["n_node_samples"] < 0, "at least 0"),
        ("bin", (columns["feature"] != LEAF) & (columns["bin"] < 0), "at least 0"),
    ):
        check_entries(f"{name}.rounds.{field}", columns[field], wrong, f"it must be {rule}")


def check_net(net: TwoLayerNet, n_features: int) -> None:
    """Check the shapes and numbers of a net."""
    hidden = net.hidden_bias.size
    shapes = {"hidden_bias": (hidden,), "output_weights": (hidden,), "input_weights": (n_features, hidden)}
    for name in ("feature_mean", "feature_scale", *shapes):
        check_shape(f"model_.{name}", getattr(net, name), shapes.get(name, (n_features,)), "(n_features, hidden)")
    if hidden == 0 or not net.is_finite():
        raise ValueError("model_ must have at least one hidden unit, and finite weights")


def check_answers(ranker: COCRRanker) -> None:
    """Check the costs of COCR, and that each of its regressors knows the same features."""
    table, n_classes = ranker.cost_table_, ranker.n_classes_
    with warnings.catch_warnings():  # of costs that are not V-shaped: fit has warned
        warnings.simplefilter("ignore")
        cost_table(table, n_classes)
        cost_table(ranker.cost, n_classes)
    if ranker.cost_shape_ != cost_shape(table):
        raise ValueError("cost_shape_ must be that of cost_table_")
    answers = ranker.model_.soft_classifiers
    if len(answers) != n_classes - 1:
        raise ValueError(f"model_.soft_classifiers has {len(answers)} entries: it must have {n_classes - 1}")
    for k, h in enumerate(answers):
        if isinstance(h, Constant) and h.value not in (0.0, 1.0):
            raise ValueError(f"model_.soft_classifiers.{k}.value is {h.value}: it must be 0 or 1")
        if not isinstance(h, Constant) and h.regressor.n_features_in_ != ranker.n_features_in_:
            raise ValueError(f"model_.soft_classifiers.{k}.regressor.n_features_in_ must be {ranker.n_features_in_}")


def check_fill(ranker: TreeRanker) -> None:
    """Check what stands in for missing values."""
    if (ranker.fill_ is None) != (ranker.missing is None):
        raise ValueError(f"fill_ must be there where missing is, and missing is {ranker.missing!r}")
    if ranker.fill_ is not None:
        check_shape("fill_", ranker.fill_, (ranker.n_features_in_,), "(n_features,)")
        check_entries("fill_", ranker.fill_, np.isnan(ranker.fill_), "it must not be NaN")
