"""The fields of a model file that rankers share, and what a field may hold. A fault is a ValueError that names it."""

import math
from reprlib import repr as shown  # a fault is one line, however long the value
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from refrank.model_file.layout import NOT_WRITTEN


def entry(document: dict[str, Any], name: str, where: str = "") -> Any:
    """Return a field that must be there."""
    if name not in document:
        raise ValueError(f'it has no field "{where}{name}"')
    return document[name]


def check_format(document: Any, file_format: str, version: int) -> None:
    """Check that a document says it is of this format and version."""
    if not isinstance(document, dict) or document.get("format") != file_format:
        raise ValueError(f'"format" must be "{file_format}"')
    if (found := entry(document, "version")) != version:
        raise ValueError(f'"version" is {shown(found)}: this release reads version {version}')


def check_fitted(ranker: BaseEstimator, learned: str) -> None:
    """Check that a ranker has what it learns."""
    if not hasattr(ranker, learned):
        raise ValueError("ranker is not fitted: there is no model to write")


def written_parameters(ranker: BaseEstimator) -> dict[str, Any]:
    """Return what a ranker was made with, but for what a file leaves out."""
    return {name: value for name, value in ranker.get_params().items() if name not in NOT_WRITTEN}


def read_parameters(document: dict[str, Any], kind: type[BaseEstimator]) -> dict[str, Any]:
    """Return the parameters, which must be those of the estimator, but for what a file leaves out."""
    parameters = entry(document, "parameters")
    known = kind().get_params().keys() - NOT_WRITTEN
    if not isinstance(parameters, dict) or parameters.keys() != known:
        raise ValueError(f'"parameters" must be an object with the fields {", ".join(sorted(known))}')
    return parameters


def written_names(ranker: BaseEstimator) -> list[str] | None:
    """Return the names of the features, or None where X had none."""
    names = getattr(ranker, "feature_names_in_", None)
    return None if names is None else list(names)


def read_features(document: dict[str, Any], ranker: Any) -> int:
    """Tell a ranker how many features it was trained on, and their names where they have some; return how many."""
    n_features = read_whole(entry(document, "n_features"), '"n_features"', at_least=1)
    ranker.n_features_in_ = n_features
    names = entry(document, "feature_names")
    if names is not None:
        names = read_list(names, '"feature_names"', n_features)
        if not all(isinstance(name, str) for name in names):
            raise ValueError('"feature_names" must be a list of strings, or null')
        ranker.feature_names_in_ = np.array(names, dtype=object)
    return n_features


def read_list(value: Any, where: str, length: int) -> list[Any]:
    """Return a list of that length."""
    if not isinstance(value, list) or len(value) != length:
        raise ValueError(f"{where} must be a list of {length} entries")
    return value


def read_array(value: Any, where: str, kind: type[np.generic]) -> NDArray[Any]:
    """Return a list of numbers, finite and, for an integer type, whole and within its range, as an array."""
    whole = issubclass(kind, np.integer)
    if not isinstance(value, list) or not all(type(item) is int if whole else is_number(item) for item in value):
        raise ValueError(f"{where} must be a list of {'whole' if whole else 'finite'} numbers")
    try:
        return np.array(value, kind)
    except OverflowError:
        raise ValueError(f"{where} holds a number beyond {kind.__name__}") from None


def read_whole(value: Any, where: str, at_least: int) -> int:
    """Return a whole number, no larger than an array can be."""
    if type(value) is not int or not at_least <= value < 2**31:
        raise ValueError(f"{where} is {shown(value)}: it must be a whole number from {at_least} to {2**31 - 1}")
    return value


def read_number(model: dict[str, Any], name: str, where: str) -> float:
    """Return a finite number: the field `name` of the object at `where`, which ends in a dot."""
    value = entry(model, name, where)
    if not is_number(value):
        raise ValueError(f'"{where}{name}" is {shown(value)}: it must be a finite number')
    return float(value)


def read_rate(model: dict[str, Any], where: str) -> float:
    """Return the learning rate of the object at `where`, which ends in a dot."""
    rate = entry(model, "learning_rate", where)
    if not is_number(rate) or not 0 < rate <= 1:
        raise ValueError(f'"{where}learning_rate" is {shown(rate)}: it must lie above 0 and be at most 1')
    return float(rate)


def is_number(value: Any) -> bool:
    """Tell whether JSON gave a number that float64 holds: no string, no truth value, no NaN."""
    try:
        return type(value) in (int, float) and math.isfinite(value)
    except OverflowError:  # a whole number beyond float64
        return False
