"""Learned attributes of estimators: their types, and the checks that keep every index inside its array.

Of scikit-learn, a file holds linear models and bags of its estimators, with only what `predict` reads. skops writes any
estimator, but its files hold times and memory addresses, so no two are equal. Trees and forests keep their nodes under
private names, which change between releases.
"""

import warnings
from collections.abc import Collection
from dataclasses import fields
from reprlib import repr as short
from typing import Any, get_type_hints

import numpy as np
from sklearn.base import BaseEstimator

from refrank.arrays import Ints, Matrix
from refrank.checks import (
    LARGEST_COUNT,
    LARGEST_SEED,
    MOST_STATED_CLASSES,
    check_choice,
    check_entries,
    check_integer,
    check_shape,
)
from refrank.cocr.m5p.tree import M5Tree, check_model_tree
from refrank.cocr.reduction import Constant
from refrank.cocr.user_costs import cost_shape, cost_table
from refrank.estimators import (
    ABCLogitBoostRanker,
    COCRRanker,
    LambdaRanker,
    OrdinalBoostRanker,
    WekaLinearRegressor,
)
from refrank.estimators.igbrt import choose_n_candidates
from refrank.estimators.imported import RULES, ImportedRanker
from refrank.estimators.mcrank import ClassBoostRanker
from refrank.estimators.tree_ranker import TreeRanker, has_classes
from refrank.mcrank.expected_relevance import check_increasing, transform_table
from refrank.mcrank.two_layer_net import TwoLayerNet, check_net
from refrank.models.foreign_bytes import prefix_faults, refuse, require
from refrank.trees.model.ensemble import Ensemble, check_ensemble

AT_LEAST = {"n_features_in_": 1, "n_queries_": 1, "n_classes_": 2, "max_grade_": 1, "best_round_": 1, "seed_": 0}
LINEAR = (  # those that predict X @ coef_ + intercept_
    *("ARDRegression", "BayesianRidge", "ElasticNet", "ElasticNetCV", "HuberRegressor", "Lars", "LarsCV", "Lasso"),
    *("LassoCV", "LassoLars", "LassoLarsCV", "LassoLarsIC", "LinearRegression", "OrthogonalMatchingPursuit"),
    *("OrthogonalMatchingPursuitCV", "QuantileRegressor", "Ridge", "RidgeCV", "SGDRegressor", "TheilSenRegressor"),
)
# the modules, which are slow to import and seldom needed
SCIKIT = dict.fromkeys(LINEAR, "sklearn.linear_model") | {"BaggingRegressor": "sklearn.ensemble"}
OF_LINEAR = {"coef_": Matrix, "intercept_": float | Matrix}
OF_BAG = {"estimators_": tuple[BaseEstimator, ...], "estimators_features_": tuple[Ints, ...]}


def list_learned(estimator: Any, held: Collection[str]) -> dict[str, Any]:
    """Return the type of each learned attribute that a file holds; `held` are the names present."""
    kind = type(estimator)
    if kind.__name__ in SCIKIT:
        return {"n_features_in_": int, **(OF_LINEAR if kind.__name__ in LINEAR else OF_BAG)}
    hints = get_type_hints(kind)
    names = [field.name for field in fields(kind) if not field.init and field.metadata.get("saved", True)]
    if isinstance(estimator, TreeRanker) and not has_classes(estimator):
        names.remove("n_classes_")
    if isinstance(estimator, COCRRanker):  # one of them holds its answers
        names.remove("model_" if "unfinished_" in held else "unfinished_")
    if "history_" not in held:  # there was no validation set
        names = [name for name in names if name not in ("history_", "best_round_")]
    return {"n_features_in_": int} | {name: hints[name] for name in names}


def check_learned(estimator: Any) -> None:
    """Check what an estimator learned, against its number of features and its parameters."""
    learned, n_features = vars(estimator), estimator.n_features_in_
    for name, least in AT_LEAST.items():
        if name in learned:
            check_integer(name, learned[name], least, LARGEST_SEED if name == "seed_" else LARGEST_COUNT)
    n_names, random_state = len(learned.get("feature_names_in_", range(n_features))), learned.get("random_state")
    require(n_names == n_features, f"feature_names_in_ has {n_names} entries: it must have {n_features}")
    require(random_state == learned.get("seed_", random_state), f"random_state is {random_state}: it must be seed_")
    for name in learned.keys() & {"relevance_", "target_"}:
        # the shape first: the code below tabulates as many classes as the file gives
        check_shape(name, learned[name], (estimator.n_classes_,), "(n_classes_,), one value per class")
        for source in (name, name[:-1]):  # the parameter, too
            table = transform_table(getattr(estimator, source), estimator.n_classes_, source)
            if "relevance_" in learned:
                check_increasing(table, source)
    if "max_features" in learned:
        choose_n_candidates(estimator.max_features, n_features)
    fill, missing = learned.get("fill_"), learned.get("missing")
    require((fill is None) == (missing is None), f"fill_ must be there where missing is: {missing}")
    if fill is not None:
        check_shape("fill_", fill, (n_features,), "(n_features_in_,)")
        check_entries("fill_", fill, np.isnan(fill), "it must not be NaN")
    if type(estimator).__name__ in SCIKIT:
        return check_scikit(estimator)
    if isinstance(estimator, WekaLinearRegressor):
        return check_line(estimator)
    if isinstance(estimator, COCRRanker):
        check_costs(estimator)
        return check_history(estimator)
    if isinstance(estimator, LambdaRanker):
        check_epochs(estimator)
    if isinstance(estimator, ImportedRanker):
        check_imported(estimator)
        n_features *= len(estimator.rules_)
    models = {name: learned[name] for name in ("forest_", "model_", "last_net_") if name in learned}
    for name, model in models.items():
        with prefix_faults(f"{name}."):
            CHECKS[type(model)](model, n_features)
        if isinstance(model, Ensemble):
            n_held, n_outputs = len(model.initial), list_n_outputs(estimator)
            fault = f"{name} has {n_held} outputs: by the classes it must have {n_outputs}"
            require(n_held in n_outputs, fault)
    # no round of boosting after an interrupt, no forest with n_trees=0, but not both
    require(any(getattr(model, "rounds", True) for model in models.values()), "model_.rounds must not be empty")
    check_history(estimator)


def list_n_outputs(ranker: Any) -> list[int]:
    """Return the allowed numbers of outputs of a ranker's ensembles."""
    if isinstance(ranker, OrdinalBoostRanker):
        constants, n_problems = ranker.constants_, ranker.n_classes_ - 1
        lawful = len(constants) == n_problems and all(proba in (None, 0.0, 1.0) for proba in constants)
        require(lawful, f"constants_ must have {n_problems} entries, each of them None, 0 or 1")
        return [constants.count(None), 2 * constants.count(None)]  # trees of each problem, mirrored or not
    if isinstance(ranker, TreeRanker) and has_classes(ranker):
        return [ranker.n_classes_ - 1]
    if isinstance(ranker, ABCLogitBoostRanker):
        return [ranker.n_classes_ * (ranker.n_classes_ - 1)]
    if isinstance(ranker, ImportedRanker):
        return [len(ranker.model_.initial)]
    return [ranker.n_classes_ if isinstance(ranker, ClassBoostRanker) else 1]


def check_imported(ranker: ImportedRanker) -> None:
    """Check how the trees of another program read features."""
    require(ranker.rules_, "rules_ must not be empty")
    require(len({*ranker.rules_}) == len(ranker.rules_), f"rules_ is {short(ranker.rules_)}: each must be there once")
    for rule in ranker.rules_:
        check_choice("rules_", rule, RULES)
    check_integer("model_.initial", len(ranker.model_.initial), 1, MOST_STATED_CLASSES)
    starts = "model_.initial must be 0 where averages_ is true: a mean of trees has no start"
    require(not (ranker.averages_ and any(ranker.model_.initial)), starts)
    require(ranker.model_.learning_rate == 1, "model_.learning_rate must be 1: a leaf holds what is added")


def check_history(ranker: Any) -> None:
    """Check what a validation set measured after each round, if there was one: maybe more rounds than are kept."""
    if not hasattr(ranker, "history_"):
        return
    require(hasattr(ranker, "model_"), "history_ is there: before all answers are learned, nothing is measured")
    history, best_round, n_rounds = ranker.history_, ranker.best_round_, ranker.count_rounds()
    check_shape("history_", history, (len(history),), "(n_rounds,)")
    check_entries("history_", history, ~np.isfinite(history), "means must be finite")
    whole = len(history) == n_rounds or len(history) > n_rounds == best_round
    require(
        whole, f"history_ has {len(history)} entries: it must have {n_rounds}, or more if the best round is the last"
    )
    first = 1 + int(np.argmax(history))
    require(best_round == first, f"best_round_ is {best_round}: it must be {first}, the first of the highest means")


def check_epochs(ranker: Any) -> None:
    """Check the record of a net's epochs, with which training may continue."""
    costs, rates = ranker.costs_, ranker.learning_rates_
    n_epochs = len(costs)
    require(1 <= n_epochs <= ranker.n_epochs, f"costs_ has {n_epochs} entries: it must have 1 to {ranker.n_epochs}")
    for name in {"costs_", "learning_rates_", "history_"} & vars(ranker).keys():
        check_shape(name, getattr(ranker, name), (n_epochs,), "(number of epochs,)")
    check_entries("costs_", costs, ~np.isfinite(costs), "costs must be finite")
    check_entries("learning_rates_", rates, ~(np.isfinite(rates) & (rates > 0)), "rates must be finite and above 0")


def check_costs(ranker: Any) -> None:
    """Check the costs of COCR, and that its answers have the right number and know the features."""
    with warnings.catch_warnings():  # about costs that are not V-shaped: fit warned already
        warnings.simplefilter("ignore")
        cost_table(ranker.cost_table_, ranker.n_classes_)
        cost_table(ranker.cost, ranker.n_classes_)
    require(ranker.cost_shape_ == cost_shape(ranker.cost_table_), "cost_shape_ must be that of cost_table_")
    finished, n_answers = hasattr(ranker, "model_"), ranker.n_classes_ - 1
    where = f"{'model_' if finished else 'unfinished_'}.soft_classifiers"
    answers = (ranker.model_ if finished else ranker.unfinished_).soft_classifiers
    least, most = (n_answers, n_answers) if finished else (1, n_answers - 1)
    rule = f"it must have {most}" if finished else f"it must have {least} to {most}"
    require(least <= len(answers) <= most, f"{where} has {len(answers)} entries: {rule}")
    for k, h in enumerate(answers):
        if isinstance(h, Constant):
            require(h.value in (0.0, 1.0), f"{where}.{k}.value is {h.value}: it must be 0 or 1")
        elif h.regressor.n_features_in_ != ranker.n_features_in_:
            refuse(f"{where}.{k}.regressor.n_features_in_", h.regressor.n_features_in_, "the ranker's")


def check_line(model: Any) -> None:
    """Check the numbers of a linear model."""
    for name, shape in (("coef_", (model.n_features_in_,)), ("intercept_", (1,))):
        values = np.atleast_1d(getattr(model, name))
        check_shape(name, values, shape, "of the features")
        check_entries(name, values, ~np.isfinite(values), "it must be finite")


def check_scikit(model: Any) -> None:
    """Check a linear model, or that a bag is complete and each estimator in it finds its features."""
    n_features = model.n_features_in_
    if type(model).__name__ in LINEAR:
        return check_line(model)
    whole = len(model.estimators_) == len(model.estimators_features_) == model.n_estimators
    require(whole, f"estimators_ and estimators_features_ must have {model.n_estimators} entries, of n_estimators")
    for number, (estimator, features) in enumerate(zip(model.estimators_, model.estimators_features_, strict=True)):
        where = f"estimators_features_.{number}"
        check_shape(where, features, (estimator.n_features_in_,), "(n_features,), of its estimator")
        rule = f"features must be integers from 0 to {n_features - 1}"
        check_entries(where, features, (features < 0) | (features >= n_features), rule)


CHECKS: dict[type, Any] = {Ensemble: check_ensemble, TwoLayerNet: check_net, M5Tree: check_model_tree}
