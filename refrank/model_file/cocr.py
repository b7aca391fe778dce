"""COCR in a model file: the bases that `refrank train --algorithm cocr` trains, each answer h_k as an object.

    {
      "format": "refrank model", "version": 1, "algorithm": "cocr",
      "base": "linear" | "m5p" | "bagging-m5p" | "gbrt",
      "n_features": int, "n_classes": int, "feature_names": [...] or null,
      "cost": [[...], ...],         row y, column k: the cost of predicting k where y is true
      "answers": [...]              h_1 .. h_K, of which the score is the sum:
    }
    {"constant": 0 or 1}                                           a one-sided problem
    {"linear": {"intercept", "coefficients"}}                      intercept + sum of coefficients times features
    {"m5p": [tree, ...]}                                           the mean of one model tree, or of bagged ones
    {"gbrt": {"initial", "learning_rate", "rounds"}}               as Algorithm 2 of McRank in `layout`

`model_tree` says what a model tree is.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import BaggingRegressor
from sklearn.linear_model import LinearRegression

from refrank.cocr.m5p.tree import M5Tree
from refrank.cocr.reduction import COCRModel, Constant
from refrank.cocr.user_costs import cost_table
from refrank.estimators import COCRRanker, GBRTRanker, M5PRegressor
from refrank.estimators.cocr import SoftClassifier
from refrank.igbrt.gbrt import GBRTModel
from refrank.model_file.boosted_tree import read_tree, written_tree
from refrank.model_file.fields import (
    check_fitted,
    entry,
    is_number,
    read_array,
    read_features,
    read_list,
    read_number,
    read_rate,
    read_whole,
    written_names,
)
from refrank.model_file.layout import FORMAT, VERSION
from refrank.model_file.model_tree import read_model_tree, written_model_tree

BASES: dict[str, Callable[[], BaseEstimator]] = {
    "linear": LinearRegression,
    "m5p": M5PRegressor,
    # COCR Sec. 5.5: "a bootstrapped 10 % of the training data set"
    "bagging-m5p": partial(BaggingRegressor, M5PRegressor(), max_samples=0.1, random_state=0),
    "gbrt": GBRTRanker,
}


def cocr_document(ranker: COCRRanker) -> dict[str, Any]:
    """Describe a trained COCRRanker over one of the bases above.

    Raises
    ------
    ValueError
        Where the ranker is not fitted, or its base is another.
    """
    check_fitted(ranker, "model_")
    return {
        "format": FORMAT,
        "version": VERSION,
        "algorithm": "cocr",
        "base": base_name(ranker.base),
        "n_features": ranker.n_features_in_,
        "n_classes": ranker.n_classes_,
        "feature_names": written_names(ranker),
        "cost": ranker.cost_table_.astype(np.float64).tolist(),
        "answers": [written_answer(h) for h in ranker.model_.soft_classifiers],
    }


def base_name(base: Any) -> str:
    """Name a base that a file can hold."""
    kinds = {LinearRegression: "linear", M5PRegressor: "m5p", GBRTRanker: "gbrt"}
    if (
        type(base) in kinds
        and getattr(base, "missing", None) is None
        and getattr(base, "setting", "") != "classification"
    ):
        return kinds[type(base)]
    if type(base) is BaggingRegressor and type(base.estimator) is M5PRegressor and base.max_features == 1.0:
        return "bagging-m5p"
    raise ValueError(f"base is {base!r}: a model file holds COCR over {', '.join(BASES)}, without missing values")


def written_answer(h: Any) -> dict[str, Any]:
    """Describe one answer h_k."""
    if isinstance(h, Constant):
        return {"constant": h.value}
    regressor = h.regressor
    if isinstance(regressor, LinearRegression):
        return {"linear": {"intercept": float(regressor.intercept_), "coefficients": regressor.coef_.tolist()}}
    if isinstance(regressor, GBRTRanker):
        (model,) = regressor.models_
        rounds = [written_tree(tree) for tree in model.rounds]
        return {"gbrt": {"initial": model.initial, "learning_rate": model.learning_rate, "rounds": rounds}}
    trees = regressor.estimators_ if isinstance(regressor, BaggingRegressor) else [regressor]
    return {"m5p": [written_model_tree(tree.tree_) for tree in trees]}


def read_cocr(document: dict[str, Any]) -> COCRRanker:
    """Make the ranker that a document describes; a fault is a ValueError that names the field."""
    name = entry(document, "base")
    if not isinstance(name, str) or name not in BASES:
        raise ValueError(f'"base" must be one of {", ".join(BASES)}')
    n_classes = read_whole(entry(document, "n_classes"), '"n_classes"', at_least=2)
    rows = read_list(entry(document, "cost"), '"cost"', n_classes)
    table = [read_array(row, f'"cost[{y}]"', np.float64) for y, row in enumerate(rows)]
    if any(len(row) != n_classes for row in table):
        raise ValueError(f'"cost" must have {n_classes} rows of {n_classes} numbers')
    ranker = COCRRanker(BASES[name](), cost=np.array(table), n_classes=n_classes)
    ranker.cost_table_ = cost_table(ranker.cost, n_classes)
    ranker.n_classes_ = n_classes
    n_features = read_features(document, ranker)
    answers = read_list(entry(document, "answers"), '"answers"', n_classes - 1)
    ranker.model_ = COCRModel(tuple(read_answer(h, f"answers[{k}]", n_features) for k, h in enumerate(answers)))
    return ranker


def read_answer(value: Any, where: str, n_features: int) -> Any:
    """Read one answer h_k; a fault is a ValueError that names the field, which stands at `where`."""
    if not isinstance(value, dict) or len(value) != 1 or next(iter(value)) not in ANSWERS:
        raise ValueError(f'"{where}" must be an object with one field, {", ".join(ANSWERS)}')
    ((kind, held),) = value.items()
    return ANSWERS[kind](held, f"{where}.{kind}", n_features)


def read_constant(held: Any, where: str, n_features: int) -> Constant:
    """Read the answer of a one-sided problem."""
    if not is_number(held) or held not in (0, 1):
        raise ValueError(f'"{where}" must be 0 or 1')
    return Constant(float(held))


def read_linear(held: Any, where: str, n_features: int) -> SoftClassifier:
    """Read a linear regression."""
    check_object(held, where)
    regressor = LinearRegression()
    regressor.intercept_ = read_number(held, "intercept", f"{where}.")
    regressor.coef_ = read_array(entry(held, "coefficients", f"{where}."), f'"{where}.coefficients"', np.float64)
    if len(regressor.coef_) != n_features:
        raise ValueError(f'"{where}.coefficients" must have {n_features} entries, one a feature')
    regressor.n_features_in_ = n_features
    return SoftClassifier(regressor)


def read_m5p(held: Any, where: str, n_features: int) -> SoftClassifier:
    """Read one model tree, or several that were bagged."""
    if not isinstance(held, list) or not held:
        raise ValueError(f'"{where}" must be a list of at least one model tree')
    trees = [read_model_tree(tree, f"{where}[{t}]", n_features) for t, tree in enumerate(held)]
    return SoftClassifier(regressor_of(trees, n_features))


def read_gbrt(held: Any, where: str, n_features: int) -> SoftClassifier:
    """Read boosted trees, at least one."""
    check_object(held, where)
    initial = read_number(held, "initial", f"{where}.")
    rounds = entry(held, "rounds", f"{where}.")
    if not isinstance(rounds, list) or not rounds:
        raise ValueError(f'"{where}.rounds" must be a list of at least one tree')
    trees = tuple(read_tree(tree, f"{where}.rounds[{t}]", n_features) for t, tree in enumerate(rounds))
    ranker = GBRTRanker()
    ranker.models_ = (GBRTModel(initial, trees, read_rate(held, f"{where}.")),)
    ranker.n_features_in_, ranker.fill_ = n_features, None
    return SoftClassifier(ranker)


ANSWERS: dict[str, Callable[[Any, str, int], Any]] = {
    "constant": read_constant,
    "linear": read_linear,
    "m5p": read_m5p,
    "gbrt": read_gbrt,
}


def check_object(held: Any, where: str) -> None:
    """Check that JSON gave an object."""
    if not isinstance(held, dict):
        raise ValueError(f'"{where}" must be an object')


def regressor_of(trees: list[M5Tree], n_features: int) -> Any:
    """Make the regressor that predicts the mean of the trees."""
    fitted = []
    for tree in trees:
        regressor = M5PRegressor()
        regressor.tree_, regressor.n_features_in_ = tree, n_features
        fitted.append(regressor)
    if len(fitted) == 1:
        return fitted[0]
    bag = BaggingRegressor(M5PRegressor(), n_estimators=len(fitted))
    bag.estimators_, bag.n_features_in_ = fitted, n_features
    bag.estimators_features_ = [np.arange(n_features)] * len(fitted)
    return bag
