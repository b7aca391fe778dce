"""Conversion of values to JSON and arrays, and back with checks against their class.

A `where` is the place of a value in the file, names and numbers joined by dots; arrays and faults are named by it.
`learned` attributes hold records and fitted estimators, and their sequences are tuples; parameters hold neither.
"""

import inspect
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, fields
from importlib import import_module
from numbers import Integral
from reprlib import repr as short
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from sklearn.base import BaseEstimator

from refrank.arrays import Floats, Ints
from refrank.cocr.m5p.tree import LinearModel
from refrank.cocr.reduction import COCRModel, Constant
from refrank.cocr.user_costs import CostShape
from refrank.datasets.strict_json import MOST_DIGITS
from refrank.estimators.base_learners import SoftClassifier
from refrank.estimators.fields import check_as_fit, name_type, simplify
from refrank.estimators.mcrank import BoostRanker
from refrank.estimators.registry import KINDS
from refrank.models.archive import DTYPES, Arrays
from refrank.models.foreign_bytes import prefix_faults, refuse, require
from refrank.models.learned import CHECKS, SCIKIT, check_learned, list_learned
from refrank.trees.model.tree import Tree

Fields = dict[str, Any]
RECORDS: Fields = {kind.__name__: kind for kind in (*CHECKS, COCRModel, Constant, CostShape, SoftClassifier)}
COLUMNS = {"Tree": (Tree, "n_nodes"), "LinearModel": (LinearModel, "n_terms")}  # and the column of their lengths
NOT_WRITTEN = ("n_threads", "warm_start", "verbose")  # they change no bit; they depend on the machine and the person
# the learned attribute that is written in place of a function, a table or a source of seeds
SOURCES = {"relevance": "relevance_", "target": "target_", "cost": "cost_table_", "random_state": "seed_"}
# what files lack that were written before McRank's rankers took missing entries
ADDED: Fields = {"parameters": {"missing": None, "missing_value": {"float": "nan"}}, "learned": {"fill_": None}}
MOST_JOBS = 256  # largest n_jobs in a file, which limits the processes that it can start
NESTED = ("base", "estimator", "regressor", "estimators_")  # attributes that hold other estimators
DEEPEST = 5  # scikit-learn queries each nested estimator twice, and doubles the queries with each level
WHAT_IS_HELD = (
    "a model file holds estimators of refrank and, as bases of COCR, linear models of scikit-learn and bags of what it "
    "holds; for trees and forests use GBRTRanker and RandomForestRanker, or train in Python and keep the model there"
)


@dataclass(frozen=True)
class Codec:
    """Converter of estimators and values to JSON and arrays, and back; the ValueError of a fault names the place."""

    arrays: Arrays = field(default_factory=dict)  # writing adds arrays, reading removes them

    def write_estimator(self, estimator: Any, where: str = "", fitted: bool = True, trained: bool = True) -> Any:
        """Write the parameters of an estimator and, if `fitted` and `trained`, what it learned."""
        kind: Any = type(estimator)
        place = where[:-1] or "estimator"
        bags_trees = getattr(estimator, "estimator", 0) is None
        held = find_kind(kind.__name__, where) is kind and not bags_trees
        require(held, f"{place} is {short(estimator)}: {WHAT_IS_HELD}")
        names = list(list_learned(estimator, vars(estimator))) if fitted else []
        if trained and not all(hasattr(estimator, name) for name in names):
            raise ValueError(f"{place} is not fitted: there is no model to write")
        parameters = {}
        for key, default in list_defaults(kind).items():
            value = getattr(estimator, key)
            if SOURCES.get(key) in names and not isinstance(value, str):
                if trained:
                    value = np.asarray(getattr(estimator, SOURCES[key])).tolist()
                elif not isinstance(value, Integral):  # a function, a table or a source: known after training only
                    value = default
            if not (key in NOT_WRITTEN or (kind.__name__ in SCIKIT and repr(value) == repr(default))):
                parameters[key] = self.write(value, where + key, False)
        if not (fitted and trained):
            return {"type": kind.__name__, "parameters": parameters}
        learned = {name: self.write(getattr(estimator, name), where + name, True) for name in names}
        if hasattr(estimator, "feature_names_in_"):
            learned["feature_names_in_"] = list(estimator.feature_names_in_)
        return {"type": kind.__name__, "parameters": parameters, "learned": learned}

    def write(self, value: Any, where: str, learned: bool) -> Any:
        """Write a value so that its type can be read from it."""
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        value = simplify(value)
        if type(value) is int:
            require(abs(value) < 10**MOST_DIGITS, f"{where} has more than {MOST_DIGITS} digits: a file holds no more")
        if type(value) in (NoneType, bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": str(value)}
        if isinstance(value, np.ndarray) and value.dtype.newbyteorder("<").str in DTYPES:
            self.arrays[where] = value
            return {"npy": f"{where}.npy"}
        if isinstance(value, BaseEstimator):
            return self.write_estimator(value, f"{where}.", learned)
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":  # a parameter of another type
            value = (value + 0).tolist()  # flags, as integers
        if isinstance(value, list | tuple):
            first = value[0][0] if value and isinstance(value[0], tuple) and value[0] else [*value, None][0]
            if type(first).__name__ in COLUMNS:
                return self.write_columns(value, type(first).__name__, where)
            items = [self.write(item, f"{where}.{number}", learned) for number, item in enumerate(value)]
            return {"tuple": items} if isinstance(value, tuple) and not learned else items
        rule = f"a model file cannot hold a {type(value).__name__}; give a number, a table or a name, or leave it out"
        require(learned and type(value).__name__ in RECORDS, f"{where} is {short(value)}: {rule}")
        names = [field.name for field in fields(value)]
        held = {name: self.write(getattr(value, name), f"{where}.{name}", learned) for name in names}
        return {"type": type(value).__name__, **held}

    def write_columns(self, value: Any, name: str, where: str) -> Any:
        """Write records field by field: one array per field, record after record, and the length of each record."""
        nested, (kind, length) = isinstance(value[0], tuple), COLUMNS[name]
        records = [record for row in value for record in row] if nested else value
        columns = {}
        for key, hint in get_type_hints(kind).items():
            pieces = [np.atleast_1d(getattr(record, key)) for record in records]
            columns[key] = np.concatenate(pieces)
            if hint is not float:
                columns[length] = np.array([len(piece) for piece in pieces], np.int64)
        written = {key: self.write(column, f"{where}.{key}", True) for key, column in columns.items()}
        return {"records": name, "shape": [len(value), len(value[0])] if nested else [len(value)], **written}

    def read_estimator(self, value: Any, where: str = "", fitted: bool = True) -> Any:
        """Read an estimator: parameters by its own rules, learned attributes by those of `refrank.models.learned`."""
        check_fields(where[:-1] or "model", value, ["type", "parameters", *["learned"] * fitted])
        name = value["type"]
        kind: Any = find_kind(name, where) if isinstance(name, str) else None
        if kind is None:
            refuse(f"{where}type", name, f"one of {', '.join(KINDS)}" + ", or of scikit-learn's bases" * bool(where))
        value = add_missing(value) if issubclass(kind, BoostRanker) else value
        own, types = name in KINDS, get_type_hints(kind) if name in KINDS else {}
        hints = {key: types.get(key, Any) for key in list_defaults(kind) if key not in NOT_WRITTEN}
        estimator = kind(**self.read_fields(value["parameters"], hints, where, "parameters", () if own else hints))
        check_parameters(estimator, where)
        names_base = getattr(estimator, "estimator", 0) is not None
        require(names_base, f"{where}estimator is None: a bag in a file says its own")
        jobs = abs(getattr(estimator, "n_jobs", None) or 0)
        require(jobs <= MOST_JOBS, f"{where}n_jobs is {jobs} in size: it must be at most {MOST_JOBS}")
        if fitted:
            held = value["learned"] if isinstance(value["learned"], dict) else {}
            hints = {**list_learned(estimator, held), "feature_names_in_": tuple[str, ...]}
            learned = self.read_fields(value["learned"], hints, where, "learned", ["feature_names_in_"])
            vars(estimator).update(learned)
            with prefix_faults(where):
                check_learned(estimator)
            if "feature_names_in_" in learned:
                estimator.feature_names_in_ = np.array(learned["feature_names_in_"], dtype=object)
        return estimator

    def read_fields(self, value: Any, hints: Fields, where: str, part: str = "", optional: Any = ()) -> Fields:
        """Read the fields of an object, each of its type; `part` names their part of an estimator."""
        learned = part != "parameters"
        check_fields((where + part).rstrip("."), value, [name for name in hints if name not in optional], hints)
        held = {name: self.read(value[name], where + name, learned) for name in hints if name in value}
        for name, item in held.items():
            if not fits(item, hints[name], learned):
                refuse(where + name, item, f"of type {name_type(hints[name])}")
        return held

    def read(self, value: Any, where: str, learned: bool) -> Any:
        """Read a value, whose type is written with it."""
        if isinstance(value, list):
            items = [self.read(item, f"{where}.{number}", learned) for number, item in enumerate(value)]
            return tuple(items) if learned else items
        if not isinstance(value, dict):
            return value
        if learned and value.get("records") in [*COLUMNS]:
            return self.read_columns(value, where)
        if learned and value.get("type") in [*RECORDS]:
            kind = RECORDS[value["type"]]
            held = self.read_fields(value, {"type": str, **get_type_hints(kind)}, f"{where}.")
            return kind(**{name: item for name, item in held.items() if name != "type"})
        if "type" in value:
            return self.read_estimator(value, f"{where}.", learned)
        if value == {"float": "nan"}:
            return np.nan  # that of the defaults: no other NaN equals it
        if value in ({"float": "inf"}, {"float": "-inf"}):
            return float(value["float"])
        if value.keys() == {"tuple"} and isinstance(value["tuple"], list):
            return tuple(self.read(value["tuple"], where, learned))
        if value != {"npy": f"{where}.npy"} or where not in self.arrays:
            refuse(where, value, f"in a member of the file, {where}.npy")
        return self.arrays.pop(where)

    def read_columns(self, value: Any, where: str) -> Any:
        """Read records, sliced from their columns."""
        kind, length = COLUMNS[value["records"]]
        types = get_type_hints(kind)
        columns = {name: Floats if hint is float else hint for name, hint in types.items()}
        hints = {"records": str, "shape": tuple[int, ...], length: Ints, **columns}
        _, shape, lengths, *held = self.read_fields(value, hints, f"{where}.").values()
        fault = f"{where}.{length} must be a row of integers of at least 0"
        require(lengths.ndim == 1 and (lengths >= 0).all(), fault)
        if len(shape) not in (1, 2) or min(shape) < 1 or math.prod(shape) != len(lengths):
            refuse(f"{where}.shape", shape, f"the numbers of records, in all {len(lengths)}")
        n_entries, cut = sum(lengths.tolist()), []
        for (name, hint), column in zip(types.items(), held, strict=True):
            expected = len(lengths) if hint is float else n_entries
            fault = f"{where}.{name} has shape {column.shape}: by {length}.npy it must have shape ({expected},)"
            require(column.shape == (expected,), fault)
        require(kind is not Tree or lengths.all(), f"{where}.{length} must be a row of integers of at least 1")
        for hint, column in zip(types.values(), held, strict=True):
            cut.append(column.tolist() if hint is float else np.split(column, np.cumsum(lengths))[:-1])
        records = tuple(kind(*fields) for fields in zip(*cut, strict=True))
        row = shape[-1]
        return records if len(shape) == 1 else tuple(records[at : at + row] for at in range(0, len(records), row))


def add_missing(value: Fields) -> Fields:
    """Add to a ranker of McRank, as it is written, what an older file lacks; any other file lacks none of it."""
    parts = {name: held for name, held in value.items() if name in ADDED and isinstance(held, dict)}
    if any(ADDED[name].keys() & held.keys() for name, held in parts.items()):
        return value
    return value | {name: ADDED[name] | held for name, held in parts.items()}


def check_parameters(estimator: Any, where: str) -> None:
    """Refuse parameters that `fit` refuses."""
    if type(estimator).__name__ in KINDS:
        with prefix_faults(where):
            check_as_fit(estimator)
        return
    try:
        getattr(estimator, "_validate_params", lambda: None)()
    except Exception as fault:  # scikit-learn compares values in many ways
        raise ValueError(f"{where}parameters are not those of a {type(estimator).__name__}: {fault}") from None


def find_kind(name: str, where: str) -> type[BaseEstimator] | None:
    """Return the class of estimators of this name if a file may hold it here; those of scikit-learn only as bases."""
    depth = sum(part in NESTED for part in where.split("."))
    require(depth <= DEEPEST, f"{where[:60]} is nested too deeply: an estimator may be in {DEEPEST} others at most")
    if where and name in SCIKIT:
        return getattr(import_module(SCIKIT[name]), name)
    return KINDS.get(name)


def list_defaults(kind: Any) -> dict[str, Any]:
    """Return the parameters of an estimator with their defaults."""
    return {name: parameter.default for name, parameter in inspect.signature(kind).parameters.items()}


def fits(value: Any, hint: Any, learned: bool) -> bool:
    """Return whether a value is of a type; an integer is valid for a float parameter."""
    origin, arms = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(fits(value, arm, learned) for arm in arms)
    if origin is Literal:
        return isinstance(value, str) and value in arms
    if origin is np.ndarray:
        (kind,) = get_args(arms[1])
        return isinstance(value, np.ndarray) and (kind is Any or np.issubdtype(value.dtype, get_origin(kind) or kind))
    if origin in (tuple, Sequence):
        return isinstance(value, list | tuple) and all(fits(item, arms[0], learned) for item in value)
    if origin is Callable:
        return callable(value)
    if hint in (bool, int, float):
        return type(value) is hint or (hint is float and type(value) is int and not learned)
    return hint is Any or isinstance(value, hint)


def check_fields(where: str, value: Any, required: Collection[str], allowed: Any = ()) -> None:
    """Check that a JSON object has every required field and no unknown one."""
    if not isinstance(value, dict):
        refuse(where, value, "an object")
    for name in required:
        require(name in value, f"{where} has no field {name}")
    for name in value:
        require(name in (allowed or required), f"{where} has a field {short(name)}, which is not known")
