"""What estimators accept. Bad input is one ValueError that names the argument, the value, where it is, and the rule."""

from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

BLOCK = 16384  # rows looked at in one go: no temporary is as large as X


def check_whole(name: str, value: object, at_least: int) -> int:
    """Return a whole number of at least so much.

    Examples
    --------
    >>> check_whole("n_leaves", 1, at_least=2)
    Traceback (most recent call last):
    ValueError: n_leaves is 1: it must be a whole number of at least 2
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < at_least:
        raise ValueError(f"{name} is {value!r}: it must be a whole number of at least {at_least}")
    return int(value)


def check_learning_rate(value: object) -> float:
    """Return a learning rate.

    Examples
    --------
    >>> check_learning_rate(1.5)
    Traceback (most recent call last):
    ValueError: learning_rate is 1.5: it must lie above 0 and be at most 1
    """
    if not isinstance(value, Real) or isinstance(value, bool) or not 0.0 < float(value) <= 1.0:
        raise ValueError(f"learning_rate is {value!r}: it must lie above 0 and be at most 1")
    return float(value)


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> str:
    """Return one of the choices.

    Examples
    --------
    >>> check_choice("update", "parallel", ("sequential", "simultaneous"))
    Traceback (most recent call last):
    ValueError: update is 'parallel': it must be one of 'sequential', 'simultaneous'
    """
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} is {value!r}: it must be one of {', '.join(map(repr, choices))}")
    return value


def check_finite(X: NDArray[np.floating], names: ArrayLike | None = None) -> None:
    """Raise a ValueError that names row and column where X, (n_samples, n_features), is NaN or infinite.

    Examples
    --------
    >>> check_finite(np.array([[0.0, 1.0], [2.0, np.nan]]))
    Traceback (most recent call last):
    ValueError: X at row 1, column 1 is NaN: every feature must be finite
    """
    for start in range(0, len(X), BLOCK):
        finite = np.isfinite(X[start : start + BLOCK])
        if not finite.all():
            row, column = (int(at) for at in np.argwhere(~finite)[0])
            value = "NaN" if np.isnan(X[start + row, column]) else str(float(X[start + row, column]))
            name = "" if names is None else f" ({np.asarray(names)[column]})"
            raise ValueError(f"X at row {start + row}, column {column}{name} is {value}: every feature must be finite")


def check_grades(y: ArrayLike, n_classes: int | None) -> tuple[NDArray[np.int64], int]:
    """Return the labels as int64, and the number of classes.

    Parameters
    ----------
    y : array of shape (n_samples,)
        Integers, or floats without a fraction, from 0 to n_classes - 1; a class may be empty.
    n_classes : int or None
        K; None: the highest label plus 1.

    Raises
    ------
    ValueError
        Where a label breaks the rule, or all labels are equal: there is nothing to rank by.

    Examples
    --------
    >>> check_grades([0.0, 2.0, 1.0], None)
    (array([0, 2, 1]), 3)
    >>> check_grades([0, 5], 5)
    Traceback (most recent call last):
    ValueError: y at row 1 is 5: labels must be integers from 0 to n_classes - 1 = 4
    """
    labels = np.asarray(y)
    top = None if n_classes is None else check_whole("n_classes", n_classes, at_least=2) - 1
    rule = "labels must be integers " + ("of at least 0" if top is None else f"from 0 to n_classes - 1 = {top}")
    if labels.dtype.kind not in "iufb":
        raise ValueError(f"y has the type {labels.dtype}: {rule}; Unknown label type")
    with np.errstate(invalid="ignore"):
        grades = labels.astype(np.int64)
    wrong = (grades != labels) | (grades < 0) | (grades > (np.iinfo(np.int32).max if top is None else top))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(f"y at row {row} is {labels[row]}: {rule}")
    if grades.min() == grades.max():
        raise ValueError(
            f"y is {grades[0]} in every row ({len(grades)} sample(s)): a ranker needs labels of at least two classes"
        )
    return grades, int(grades.max()) + 1 if top is None else top + 1


def check_target(y: ArrayLike) -> NDArray[np.float64]:
    """Return what is regressed on as float64, (n_samples,).

    Examples
    --------
    >>> check_target([0.5, np.inf])
    Traceback (most recent call last):
    ValueError: y at row 1 is inf: a target of regression must be finite
    """
    if np.asarray(y).dtype.kind not in "iufb":
        raise ValueError(
            f"y has the type {np.asarray(y).dtype}: a target of regression must be a number; Unknown label type"
        )
    target = np.asarray(y, np.float64)
    wrong = ~np.isfinite(target)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(f"y at row {row} is {target[row]}: a target of regression must be finite")
    return target


def check_weights(sample_weight: ArrayLike | None, n_samples: int) -> NDArray[np.float64] | None:
    """Return the weights, (n_samples,): finite, none negative, not all 0; None where there are none.

    Examples
    --------
    >>> check_weights([1.0, -1.0], 2)
    Traceback (most recent call last):
    ValueError: sample_weight at row 1 is -1.0: weights must be finite and not negative
    """
    if sample_weight is None:
        return None
    weight = np.asarray(sample_weight, np.float64)
    if weight.shape != (n_samples,):
        raise ValueError(f"sample_weight has shape {weight.shape}: X has {n_samples} rows, and each needs one weight")
    wrong = ~(np.isfinite(weight) & (weight >= 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(f"sample_weight at row {row} is {weight[row]}: weights must be finite and not negative")
    if not weight.any():
        raise ValueError("sample_weight is zero in every row: some row must count")
    with np.errstate(over="ignore"):
        if not np.isfinite(weight.sum()):
            raise ValueError("sample_weight adds up to more than the largest float64: the sum must be finite")
    return weight
