"""One walk for every model: values become JSON and arrays, and come back checked against the hints of their fields.

A `where` is the place of a value in the file, names and numbers joined by dots; it names the arrays, and the faults.
"""

import inspect
import math
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from reprlib import repr as short
from types import NoneType, UnionType
from typing import Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from refrank.cocr.m5p.linear_models import LinearModel
from refrank.cocr.reduction import COCRModel, Constant
from refrank.estimators.cocr import SoftClassifier
from refrank.model_file import scikit
from refrank.model_file.archive import DTYPES, require
from refrank.model_file.learned import TABLES, check_features, check_own_learned, list_own_learned
from refrank.registry import KINDS
from refrank.trees.tree import Tree

LENGTHS = {Tree: "n_nodes", LinearModel: "n_terms", scikit.Nodes: "n_nodes"}  # records that are written as columns
OPEN_HINTS = {  # what these hints leave open, a file says
    (COCRModel, "soft_classifiers"): tuple[Constant | SoftClassifier, ...],
    (SoftClassifier, "regressor"): BaseEstimator,
}
NOT_WRITTEN = ("n_threads", "verbose")  # they change no bit, and belong to the machine and the person
MOST_JOBS = 256  # of the n_jobs in a file, so that no file starts more processes
WHAT_IS_HELD = (
    "a model file holds estimators of refrank and, as bases of COCR, linear models, trees, forests and bags of "
    "scikit-learn (refrank/model_file/scikit.py); choose one of these, or train in Python and keep the model there"
)


@dataclass(frozen=True)
class Writer:
    """Turns estimators and values into JSON.

    Parameters
    ----------
    arrays : dict of arrays
        Gets the arrays, by their places.
    trained : bool, default True
        False to see before training what could not be written after it.
    """

    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    trained: bool = True

    def write_estimator(self, estimator: Any, where: str = "", fitted: bool = True) -> Any:
        """Write the parameters and, of a fitted estimator, what it learned."""
        kind: Any = type(estimator)
        name, own = kind.__name__, kind.__name__ in KINDS
        held = find_kind(name, where) is kind
        require(held, f"{where[:-1] or 'estimator'} is {short(estimator)}: {WHAT_IS_HELD}")
        if not own:
            scikit.check_layout(name)
        hints = list_own_learned(estimator) if own else scikit.list_learned(name)
        learned: dict[str, Any] = {}
        if fitted and self.trained:
            try:
                learned = {key: getattr(estimator, key) for key in hints} if own else scikit.take_learned(estimator)
                learned = {"n_features_in_": estimator.n_features_in_, **learned}
            except AttributeError:
                raise ValueError(f"{where[:-1] or 'estimator'} is not fitted: there is no model to write") from None
        given = {key: value for key, value in estimator.get_params(deep=False).items() if key not in NOT_WRITTEN}
        sources = {key: source for key, source in TABLES.items() if not isinstance(given.get(key, ""), str)}
        for key, source in (sources | ({"random_state": "seed_"} if "seed_" in hints else {})).items():
            if fitted:
                given[key] = np.asarray(learned[source]).tolist() if self.trained else None
        parameters = {key: self.write(value, None, where + key) for key, value in given.items()}
        types = get_type_hints(kind) if own else {}
        for key in given:
            check_parameter(where + key, given[key], Any if key in sources else types.get(key, Any))
        if not own:
            usual = {key: Writer().write(default, None, key) for key, default in list_defaults(kind).items()}
            parameters = {key: value for key, value in parameters.items() if value != usual[key]}
        if not learned:
            return {"type": name, "parameters": parameters}
        attributes = {key: self.write(value, hints.get(key), where + key) for key, value in learned.items()}
        if hasattr(estimator, "feature_names_in_"):
            attributes["feature_names_in_"] = list(estimator.feature_names_in_)
        return {"type": name, "parameters": parameters, "learned": attributes}

    def write(self, value: Any, hint: Any, where: str) -> Any:
        """Write a value of a type; without a hint, so that no hint is needed to read it."""
        if find_column(hint):
            return self.write_columns(value, hint, where)
        if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
            value = value.item()
        if type(value) in (NoneType, bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": str(value)}
        if isinstance(value, np.ndarray) and value.dtype.newbyteorder("<").str in DTYPES:
            self.arrays[where] = value
            return {"npy": f"{where}.npy"}
        if isinstance(value, BaseEstimator):
            return self.write_estimator(value, f"{where}.", fitted=hint is not None)
        if isinstance(value, list | tuple):
            inner = get_args(hint)[0] if hint else None
            items = [self.write(item, inner, f"{where}.{number}") for number, item in enumerate(value)]
            return {"tuple": items} if isinstance(value, tuple) and hint is None else items
        rule = f"a model file cannot hold a {type(value).__name__}; give a number, a table or a name, or leave it out"
        require(hint is not None and is_dataclass(value), f"{where} is {short(value)}: {rule}")
        kind: Any = type(value)
        types = list_fields(kind)
        held = {name: self.write(getattr(value, name), types[name], f"{where}.{name}") for name in types}
        return {"type": kind.__name__, **held}

    def write_columns(self, value: Any, hint: Any, where: str) -> Any:
        """Write records field by field: one array per field, record after record, and how long each record is."""
        kind, nested = find_column(hint), get_origin(get_args(hint)[0]) is tuple
        records = [record for inner in value for record in inner] if nested else list(value)
        columns: dict[str, Any] = {LENGTHS[kind]: np.zeros(len(records), np.int64)}
        for name, of_field in list_fields(kind).items():
            held = [getattr(record, name) for record in records]
            if of_field is float:
                columns[name] = np.array(held, np.float64)
            else:
                columns[name] = np.concatenate([np.zeros(0, get_dtype(of_field)), *held], dtype=get_dtype(of_field))
                columns[LENGTHS[kind]][:] = [len(entries) for entries in held]
        written = {name: self.write(column, None, f"{where}.{name}") for name, column in columns.items()}
        shape = [len(value), len(value[0]) if value else 0] if nested else [len(value)]
        return {"records": kind.__name__, "shape": shape, **written}


@dataclass(frozen=True)
class Reader:
    """Makes estimators and values of JSON, and refuses by a ValueError that names the place.

    Parameters
    ----------
    arrays : dict of arrays
        By their places; those that are read are taken out.
    """

    arrays: dict[str, NDArray[Any]]

    def read_estimator(self, value: Any, where: str = "", fitted: bool = True) -> Any:
        """Read an estimator: parameters by its own rules, what it learned by those of `learned` and `scikit`."""
        check_fields(value, where[:-1] or "model", ["type", "parameters", *["learned"] * fitted])
        name, given = value["type"], value["parameters"]
        kind: Any = find_kind(name, where) if isinstance(name, str) else None
        if kind is None:
            refuse(
                f"{where}type", name, f"one of {', '.join(KINDS)}" + " or, of a base, one of scikit-learn" * bool(where)
            )
        own = name in KINDS
        known = [key for key in list_defaults(kind) if key not in NOT_WRITTEN]
        check_fields(given, f"{where}parameters", known if own else [], known)
        hints = get_type_hints(kind) if own else {}
        parameters = {key: self.read_open(given[key], where + key) for key in given}
        for key in parameters:
            check_parameter(where + key, parameters[key], hints.get(key, Any))
        estimator = kind(**parameters)
        getattr(estimator, "_check_parameters" if own else "_validate_params", lambda: None)()
        if not fitted:
            return estimator
        hints = {"n_features_in_": int, **(list_own_learned(estimator) if own else scikit.list_learned(name))}
        check_fields(value["learned"], f"{where}learned", list(hints), [*hints, "feature_names_in_"])
        hints["feature_names_in_"] = tuple[str, ...]
        learned = {key: self.read(item, hints[key], where + key) for key, item in value["learned"].items()}
        names = learned.pop("feature_names_in_", None)
        estimator.n_features_in_ = learned.pop("n_features_in_")
        try:
            check_features(estimator.n_features_in_, names)
            if own:
                vars(estimator).update(learned)
                check_own_learned(estimator)
            else:
                scikit.give_learned(estimator, learned)
        except ValueError as fault:
            raise ValueError(f"{where}{fault}") from None
        if names is not None:
            estimator.feature_names_in_ = np.array(names, dtype=object)
        return estimator

    def read(self, value: Any, hint: Any, where: str) -> Any:
        """Read a value of a type."""
        origin, arms = get_origin(hint), get_args(hint)
        if find_column(hint):
            return self.read_columns(value, hint, where)
        if origin in (Union, UnionType):
            suits = next((arm for arm in arms if may_be(value, arm)), None)
            return self.read(value, suits, where) if suits else refuse(where, value, "of another type")
        if origin is np.ndarray:
            return self.read_array(value, hint, where)
        if origin is tuple:
            items = value if isinstance(value, list) else refuse(where, value, "a list")
            return tuple(self.read(item, arms[0], f"{where}.{number}") for number, item in enumerate(items))
        if hint is BaseEstimator:
            return self.read_estimator(value, f"{where}.")
        if is_dataclass(hint):
            kind: Any = hint
            types = list_fields(kind)
            check_fields(value, where, ["type", *types])
            require(value["type"] == kind.__name__, f"{where}.type must be {kind.__name__}")
            return kind(**{name: self.read(value[name], types[name], f"{where}.{name}") for name in types})
        read = self.read_open(value, where)
        if type(read) is not hint and not (hint is float and type(read) is int and abs(read) < 2**53):
            refuse(where, read, f"of type {hint.__name__}")
        return float(read) if hint is float else read

    def read_open(self, value: Any, where: str) -> Any:
        """Read a value that says its own type."""
        if isinstance(value, list):
            return [self.read_open(item, f"{where}.{number}") for number, item in enumerate(value)]
        if not isinstance(value, dict):
            return value
        if "type" in value:
            return self.read_estimator(value, f"{where}.", fitted=False)
        if value in ({"float": "nan"}, {"float": "inf"}, {"float": "-inf"}):
            return float(value["float"])
        if value.keys() == {"tuple"} and isinstance(value["tuple"], list):
            return tuple(self.read_open(value["tuple"], where))
        return self.read_array(value, NDArray[Any], where)

    def read_array(self, value: Any, hint: Any, where: str) -> NDArray[Any]:
        """Take the array of a place."""
        if value != {"npy": f"{where}.npy"} or where not in self.arrays:
            refuse(where, value, f"in a member of the file, {where}.npy")
        array, wanted = self.arrays.pop(where), get_dtype(hint)
        fitting = wanted is Any or np.issubdtype(np.dtype(array.dtype.str), wanted)
        require(fitting, f"{where} has type {array.dtype}: it must have type {getattr(wanted, '__name__', '')}")
        return array

    def read_columns(self, value: Any, hint: Any, where: str) -> Any:
        """Read records, cut from their columns."""
        kind, nested = find_column(hint), get_origin(get_args(hint)[0]) is tuple
        length, columns = LENGTHS[kind], []
        check_fields(value, where, ["records", "shape", length, *list_fields(kind)])
        require(value["records"] == kind.__name__, f"{where}.records must be {kind.__name__}")
        lengths = self.read_array(value[length], NDArray[np.int64], f"{where}.{length}")
        require(lengths.ndim == 1 and (lengths >= 0).all(), f"{where}.{length} must be a row of integers of at least 0")
        for name, of_field in list_fields(kind).items():
            per_record = of_field is float
            column = self.read_array(value[name], NDArray[np.float64] if per_record else of_field, f"{where}.{name}")
            expected = len(lengths) if per_record else sum(lengths.tolist())
            fault = f"{where}.{name} has shape {column.shape}: by {length}.npy it must have shape ({expected},)"
            require(column.shape == (expected,), fault)
            columns.append(column.tolist() if per_record else np.split(column, np.cumsum(lengths))[:-1])
        records, shape = [kind(*held) for held in zip(*columns, strict=True)], value["shape"]
        sizes = isinstance(shape, list) and len(shape) == 1 + nested and all(type(n) is int and n >= 0 for n in shape)
        if not sizes or math.prod(shape) != len(records) or (not records and any(shape)):
            refuse(f"{where}.shape", shape, f"the numbers of records, in all {len(records)}")
        row = shape[-1] or 1
        rows = (tuple(records[start : start + row]) for start in range(0, len(records), row))
        return tuple(rows) if nested else tuple(records)


def find_kind(name: str, where: str) -> type[BaseEstimator] | None:
    """Return the class of estimators of this name, if a file holds it in this place: those of scikit-learn as bases."""
    return KINDS.get(name) or (scikit.find_scikit(name) if where else None)


@cache
def list_defaults(kind: Any) -> dict[str, Any]:
    """Return the parameters of an estimator with their defaults."""
    return {name: parameter.default for name, parameter in inspect.signature(kind).parameters.items()}


@cache
def list_fields(kind: Any) -> dict[str, Any]:
    """Return the fields of a record with their types."""
    hints = get_type_hints(kind)
    return {one.name: OPEN_HINTS.get((kind, one.name), hints[one.name]) for one in fields(kind)}


def find_column(hint: Any) -> Any:
    """Return the record of a hint that is a tuple, or tuples, of such records as are written as columns."""
    inner = get_args(hint)[0] if get_origin(hint) is tuple else None
    return inner if inner in LENGTHS else find_column(inner) if inner else None


def get_dtype(hint: Any) -> Any:
    """Return the type of the entries of an array's hint."""
    (scalar,) = get_args(get_args(hint)[1])
    return get_origin(scalar) or scalar


def may_be(value: Any, hint: Any) -> bool:
    """Tell whether JSON can stand for a value of one type of a union."""
    if is_dataclass(hint):
        return isinstance(value, dict) and value.get("type") == getattr(hint, "__name__", None)
    is_array = isinstance(value, dict) and "npy" in value
    return is_array == (get_origin(hint) is np.ndarray) and (value is None) == (hint is NoneType)


def check_parameter(where: str, value: Any, hint: Any) -> None:
    """Check the type of a parameter, and the number of jobs."""
    value = value.item() if isinstance(value, np.generic) else value
    if not fits(value, hint):
        refuse(where, value, f"of type {str(hint).replace('typing.', '')[:80]}")
    jobs = 0 if type(value) is not int else abs(value)
    if where.split(".")[-1] == "n_jobs" and value is not None and not 0 < jobs <= MOST_JOBS:
        refuse(where, value, f"None, or an integer from -{MOST_JOBS} to {MOST_JOBS} other than 0")


def fits(value: Any, hint: Any) -> bool:
    """Tell whether a parameter is of its type; hints of functions, tables and estimators take anything.

    Examples
    --------
    >>> fits(1, float), fits(True, int), fits("a", Literal["a", "b"]), fits(1.5, int | None)
    (True, False, True, False)
    """
    if get_origin(hint) in (Union, UnionType):
        return any(fits(value, arm) for arm in get_args(hint))
    if get_origin(hint) is Literal:
        return isinstance(value, str) and value in get_args(hint)
    if hint is float:
        return type(value) in (int, float)
    return type(value) is hint if hint in (bool, int, str, NoneType) else hint is not RandomState


def check_fields(value: Any, where: str, required: list[str], known: list[str] | None = None) -> None:
    """Check that a JSON object has each field that is required, and none that is not known."""
    if not isinstance(value, dict):
        refuse(where, value, "an object")
    for name in required:
        require(name in value, f"{where} has no field {name}")
    for name in value:
        require(name in (known or required), f"{where} has a field {short(name)}, which is not known")


def refuse(where: str, value: Any, rule: str) -> NoReturn:
    """Raise the ValueError of a value that breaks its rule."""
    told = " ".join(short(value).split())
    raise ValueError(f"{where} is {told if len(told) < 80 else told[:76] + ' ...'}: it must be {rule}")
