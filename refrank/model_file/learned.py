"""What estimators of refrank learned: its types, and its checks, after which nothing is looked up where it is not."""

import warnings
from dataclasses import fields
from typing import Any, get_type_hints

import numpy as np

from refrank.checks import check_entries, check_integer, check_number, check_shape
from refrank.cocr.m5p.tree import M5Tree, check_model_tree
from refrank.cocr.reduction import Constant
from refrank.cocr.user_costs import cost_shape, cost_table
from refrank.estimators import COCRRanker, OrdinalBoostRanker
from refrank.estimators.igbrt import TreeRanker, has_classes
from refrank.estimators.mcrank import ClassBoostRanker
from refrank.mcrank.expected_relevance import check_increasing, transform_table
from refrank.mcrank.two_layer_net import TwoLayerNet
from refrank.model_file.archive import require
from refrank.trees.ensemble import Ensemble
from refrank.trees.tree import Tree, check_trees

LARGEST = 2**31 - 1  # number of features, of classes, of queries
AT_LEAST = {"n_queries_": 1, "n_classes_": 2, "max_grade_": 1, "best_epoch_": 1, "seed_": 0}
TABLES = {"relevance": "relevance_", "target": "target_", "cost": "cost_table_"}  # what becomes of such a parameter


def list_own_learned(estimator: Any) -> dict[str, Any]:
    """Return the type of each learned attribute that a file holds."""
    hints = get_type_hints(type(estimator))
    names = [field.name for field in fields(estimator) if not field.init and field.metadata.get("saved", True)]
    if isinstance(estimator, TreeRanker) and not has_classes(estimator):
        names.remove("n_classes_")
    return {name: hints[name] for name in names}


def check_features(n_features: int, names: Any) -> None:
    """Check the number of the features, and their names if they have any."""
    check_integer("n_features_in_", n_features, 1, LARGEST)
    fault = f"feature_names_in_ has {len(names or ())} entries: it must have {n_features}, one per feature"
    require(names is None or len(names) == n_features, fault)


def check_own_learned(estimator: Any) -> None:
    """Check what an estimator of refrank learned, against its number of features and its parameters."""
    model, n_features, learned = estimator.model_, estimator.n_features_in_, vars(estimator)
    for name, least in AT_LEAST.items():
        if name in learned:
            check_integer(name, learned[name], least, None if name == "seed_" else LARGEST)
    if "seed_" in learned:
        same = estimator.random_state == estimator.seed_
        require(same, f"random_state is {estimator.random_state}: it must be seed_, {estimator.seed_}")
    for parameter in learned.keys() & {"relevance", "target"}:
        transform_table(learned[f"{parameter}_"], estimator.n_classes_, f"{parameter}_")
        transform_table(learned[parameter], estimator.n_classes_, parameter)
    if isinstance(estimator, ClassBoostRanker):
        check_increasing(estimator.relevance_)
    if isinstance(estimator, TreeRanker):
        fill = estimator.fill_
        require(
            (fill is None) == (estimator.missing is None), f"fill_ must be there where missing is: {estimator.missing}"
        )
        if fill is not None:
            check_shape("fill_", fill, (n_features,), "(n_features,)")
            check_entries("fill_", fill, np.isnan(fill), "it must not be NaN")
    if isinstance(model, Ensemble):
        check_ensembles(estimator)
    elif isinstance(model, M5Tree):
        check_model_tree(model, n_features)
        numbers = [np.array([line.intercept, *line.coefficients]) for line in model.models]
        require(np.isfinite(np.concatenate([model.weight, *numbers])).all(), "model_ must hold finite numbers")
    elif isinstance(model, TwoLayerNet):
        hidden = model.hidden_bias.size
        shapes = {"hidden_bias": (hidden,), "output_weights": (hidden,), "input_weights": (n_features, hidden)}
        for name in ("feature_mean", "feature_scale", *shapes):
            shape = shapes.get(name, (n_features,))
            check_shape(f"model_.{name}", getattr(model, name), shape, "of the features and hidden units")
        require(hidden > 0 and model.is_finite(), "model_ must have at least one hidden unit, and finite weights")
    elif isinstance(estimator, COCRRanker):
        check_answers(estimator)


def check_ensembles(estimator: Any) -> None:
    """Check the trees of a model, and of the forest below it, and that there are as many as the outputs ask for."""
    n_classes, outputs = getattr(estimator, "n_classes_", 2), [1]  # regression: one output
    if isinstance(estimator, OrdinalBoostRanker):
        constants = estimator.constants_
        known = len(constants) == n_classes - 1 and all(proba in (None, 0.0, 1.0) for proba in constants)
        require(known, f"constants_ must have {n_classes - 1} entries, each of them None, 0 or 1")
        outputs = [n_trees * constants.count(None) for n_trees in (1, 2)]  # per problem, mirrored or not
    elif isinstance(estimator, TreeRanker | ClassBoostRanker):
        outputs = [n_classes - isinstance(estimator, TreeRanker)]
    models = {name: vars(estimator)[name] for name in ("forest_", "model_") if name in vars(estimator)}
    # an interrupt may come before the first round of boosting, and there may be no forest, but not neither
    require(any(model.rounds for model in models.values()), "model_.rounds is empty: it must have at least one round")
    for name, model in models.items():
        n_outputs = len(model.initial)
        fits = n_outputs in outputs and n_outputs > 0 and all(len(trees) == n_outputs for trees in model.rounds)
        require(fits, f"{name} has {n_outputs} outputs: it must have {' or '.join(map(str, outputs))} in each round")
        for value in model.initial:
            check_number(f"{name}.initial", value)
        check_number(f"{name}.learning_rate", model.learning_rate, above=0, at_most=1)
        if model.rounds:
            check_nodes(f"{name}.rounds", [tree for trees in model.rounds for tree in trees], estimator.n_features_in_)


def check_nodes(where: str, trees: list[Tree], n_features: int) -> None:
    """Check that every path of these trees ends, and their numbers."""
    try:
        check_trees(trees, n_features)
    except ValueError as fault:
        raise ValueError(f"{where}: {fault}") from None
    for name, rule, holds in (
        ("cut", "not be NaN", lambda cut: ~np.isnan(cut)),
        ("value", "be finite", np.isfinite),
        ("split_gain", "be at least 0", lambda split_gain: split_gain >= 0),
        ("n_node_samples", "be at least 0", lambda counts: counts >= 0),
    ):
        column = np.concatenate([getattr(tree, name) for tree in trees])
        check_entries(f"{where}.{name}", column, ~holds(column), f"it must {rule}")


def check_answers(ranker: COCRRanker) -> None:
    """Check the costs of COCR, and that each of its regressors knows the same features."""
    table, n_answers, answers = ranker.cost_table_, ranker.n_classes_ - 1, ranker.model_.soft_classifiers
    with warnings.catch_warnings():  # of costs that are not V-shaped: fit has warned
        warnings.simplefilter("ignore")
        cost_table(table, ranker.n_classes_)
        cost_table(ranker.cost, ranker.n_classes_)
    require(ranker.cost_shape_ == cost_shape(table), "cost_shape_ must be that of cost_table_")
    fault = f"model_.soft_classifiers has {len(answers)} entries: it must have {n_answers}"
    require(len(answers) == n_answers, fault)
    h: Any
    for k, h in enumerate(answers):
        where = f"model_.soft_classifiers.{k}"
        if isinstance(h, Constant):
            require(h.value in (0.0, 1.0), f"{where}.value is {h.value}: it must be 0 or 1")
        else:
            known = h.regressor.n_features_in_ == ranker.n_features_in_
            require(known, f"{where}.regressor.n_features_in_ must be {ranker.n_features_in_}")
