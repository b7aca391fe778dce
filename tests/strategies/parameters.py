"""Estimators of the registry with any parameters: what their declarations allow, and what is just beside it.

The sizes of a training stay small; everything else comes from the hints and bounds of refrank/estimators/fields.py.
"""

import math
from dataclasses import fields
from enum import Enum
from fractions import Fraction
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
from hypothesis import strategies as st
from numpy.random import RandomState
from sklearn.ensemble import BaggingRegressor
from sklearn.linear_model import LinearRegression, Ridge, RidgeCV

from refrank.estimators.fields import list_types
from refrank.estimators.registry import KINDS

SIZES = {"n_rounds": 2, "n_trees": 2, "n_epochs": 2, "hidden": 2}  # of the work in a training
MOST = {"n_classes": 9}  # of what takes memory without an upper bound of its own
Word = Enum("Word", {word: word for word in ("exact", "k", "sequential", "classification", "mean", "ndcg")}, type=str)
Number = Enum("Number", {"two": 2, "three": 3}, type=int)
K = 4  # classes of the rows that these are tried on
SCALES = [0.0, 1.0, 0.1, -1.0, 5e-324, -0.0, 1e155, 1.7e308, math.inf, math.nan, 10**400, Fraction(1, 3), True, "1"]
CONTAINERS = [list, tuple, np.array, lambda values: np.array(values, ">f4"), lambda values: np.array(values, np.int16)]
CONTAINERS += [lambda values: np.array(values, bool), lambda values: lambda *_: values]
BASES = [LinearRegression(), Ridge(alpha=np.float32(0.5), fit_intercept=False), RidgeCV(alphas=(0.1, 1))]


def mostly(lawful: list[Any], others: list[Any]) -> st.SearchStrategy[Any]:
    return st.sampled_from(lawful) | st.sampled_from(lawful) | st.sampled_from(others)


def integers(name: str, at_least: int = 0, at_most: int | None = None) -> st.SearchStrategy[Any]:
    most = min(SIZES.get(name) or MOST.get(name) or 2**31 - 1, 2**31 - 1 if at_most is None else at_most)
    kinds = (np.int8, np.int32, np.int64, np.uint64, np.uint8)
    inside = [at_least, min(at_least + 1, most), most]
    inside += [kind(value) for value in inside if value < 100 for kind in kinds]
    outside = [at_least - 1, -(10**400), *([] if at_most is None else [at_most + 1]), True, 2.0, "2", np.array(2), None]
    return mostly([*inside, Number.two], outside)


def floats(above: float = -math.inf, at_least: float = -math.inf, at_most: float = math.inf) -> st.SearchStrategy[Any]:
    ends = [end for bound in (above, at_least, at_most) if math.isfinite(bound) for end in (bound, *neighbours(bound))]
    kinds = (float, np.float16, np.float32, np.longdouble, Fraction)
    inside = [kind(value) for value in (0.5, 4.0) if above < value <= at_most and value >= at_least for kind in kinds]
    return mostly([*inside, *ends], [*SCALES, 1, 2, 4, np.int64(1), np.array(0.5), None])


def neighbours(bound: float) -> list[float]:
    with np.errstate(over="ignore"):
        return [float(np.nextafter(bound, end)) for end in (-math.inf, math.inf)]


@st.composite
def tables(draw, names: tuple[str, ...], rows: bool):
    """A transform of K classes, or K rows of costs."""
    if draw(st.booleans()):
        return draw(st.sampled_from([*names, "k^2", Word.k, np.str_(names[0]), None, 1]))
    values: Any = [*range(draw(st.sampled_from([K, K, K, K - 1])))]
    if draw(st.booleans()):
        values[-1] = draw(st.sampled_from(SCALES))
    if rows:
        values = [[abs(k - y) if k != len(values) - 1 or not y else values[-1] for k in range(K)] for y in range(K)]
        np.fill_diagonal(table := np.array(values, object), 0)
        values = table.tolist()
    try:
        with np.errstate(all="ignore"):
            return draw(st.sampled_from(CONTAINERS))(values)
    except (OverflowError, TypeError, ValueError):
        return values


def seeds() -> st.SearchStrategy[Any]:
    whole = [0, 7, 2**31 - 1, 2**31, 2**32, 2**64, 2**70, np.int64(3), np.uint64(2**63), Number.two]
    return mostly([*whole, None, RandomState(3)], [-1, True, 1.0, "1", np.random.default_rng(0), 10**999, 10**1000])


def values_of(kind: Any, field: Any, hint: Any) -> st.SearchStrategy[Any]:
    """Values of a parameter: lawful values, and their neighbours."""
    arms, bounds, name = list_types(hint), field.metadata["bounds"], field.name
    words = tuple(word for arm in arms if get_origin(arm) is Literal for word in get_args(arm))
    if name == "base":
        return st.sampled_from([*BASES, None, LinearRegression, 1]) | estimators() | estimators().map(bag)
    if name in ("relevance", "target", "cost"):
        return tables(words, name == "cost")
    if RandomState in arms:
        return seeds()
    if name == "n_jobs":  # more than one starts processes
        return st.sampled_from([None, 1, np.int64(1), np.uint64(1), True, 0, 1.0, "1"])
    if int in arms:
        return integers(name, **bounds)
    if float in arms:
        return floats(**bounds)
    flags = [True, False, np.True_, np.False_]
    return mostly([*words, *map(np.str_, words)] or flags, ["", *Word, *flags, 0, 1, None])


def bag(estimator: Any) -> BaggingRegressor:
    return BaggingRegressor(estimator, n_estimators=1, random_state=0)


@st.composite
def estimators(draw, names=tuple(KINDS)):
    """An estimator of which up to three parameters are drawn."""
    kind = KINDS[draw(st.sampled_from(names))]
    hints = get_type_hints(kind)
    known = {field.name: field for field in fields(kind) if field.init and field.name not in ("verbose", "n_threads")}
    given = {name: size for name, size in SIZES.items() if name in known}
    given |= {"n_threads": 1} if "n_threads" in hints else {}
    if "base" in known:
        given["base"] = LinearRegression()
    for name in draw(st.lists(st.sampled_from(sorted(known)), unique=True, max_size=3)):
        given[name] = draw(values_of(kind, known[name], hints[name]))
    return kind(**given)
