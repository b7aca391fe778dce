"""Estimators as dataclasses whose fields describe themselves: docstring, help of the flags and checks come from them.

A parameter or a learned attribute is described once, at its declaration. `estimator` writes the sections "Parameters"
and "Attributes" of each class, with those of its bases; `check_parameters` checks values against bounds and choices.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import partial
from numbers import Integral, Real
from reprlib import repr as short
from textwrap import fill
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, dataclass_transform, get_args, get_origin, get_type_hints

import numpy as np

from refrank.checks import check_choice, check_integer, check_number

Kind = TypeVar("Kind", bound=type)
BELOW = ("\n    Notes\n", "\n    Examples\n")  # what follows the written sections
OF_ALL = ("missing", "missing_value", "n_threads", "warm_start", "verbose")  # parameters of nearly all rankers
OF_SKLEARN = [
    ("n_features_in_ : int", "Features seen in fit."),
    ("feature_names_in_ : array of shape (n_features_in_,)", "Their names, if X has names."),
]


def parameter(doc: str, *, default: Any = MISSING, kind: str = "", **bounds: float) -> Any:
    """Declare a parameter; `kind` describes its values where its type does not, and its check uses `bounds`."""
    return field(default=default, metadata={"doc": doc, "kind": kind, "bounds": bounds})


def learned(doc: str, kind: str = "", saved: bool = True, *, init: Literal[False] = False) -> Any:
    """Declare a learned attribute, which `fit` sets; a model file holds it if `saved`."""
    return field(init=init, metadata={"doc": doc, "kind": kind, "saved": saved})


@dataclass_transform(kw_only_default=True, field_specifiers=(parameter, learned))
def estimator(*, kw_only: bool = True) -> Callable[[Kind], Kind]:
    """Make a class a dataclass with the __init__ that scikit-learn reads parameters from, and write its docstring."""

    def make(kind: Kind) -> Kind:
        dataclass(kw_only=kw_only, eq=False, repr=False)(kind)
        kind.__doc__ = write_docstring(kind)
        return kind

    return make


def check_parameters(estimator: Any) -> None:
    """Refuse a number outside its declared bounds, and a flag or word that its type does not list.

    Numbers and words of other types become Python's. NumPy's numbers compute in their own type, so a sum of int8
    overflows and a quotient of uint64 cannot be an index.
    """
    hints = get_type_hints(type(estimator))
    for declared in (declared for declared in fields(estimator) if declared.init):
        value, kinds = getattr(estimator, declared.name), list_types(hints[declared.name])
        words = [word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)]
        others = {kind for kind in kinds if get_origin(kind) is not Literal} - {NoneType}
        if value is None and NoneType in kinds:
            continue
        if declared.metadata["bounds"]:  # bounds belong to the first type: an instance of another has none
            if not isinstance(value, tuple(kind for kind in kinds[1:] if isinstance(kind, type))):
                check = check_integer if kinds[0] is int else check_number
                check(declared.name, value, **declared.metadata["bounds"])
        elif others == {bool}:
            check_flag(declared.name, value, words)
        elif not others:
            check_choice(declared.name, value, words)
        if (plain := simplify(value)) is not value:
            setattr(estimator, declared.name, plain)


def check_as_fit(estimator: Any) -> None:
    """Refuse the parameters of an estimator of refrank that its `fit` refuses."""
    getattr(estimator, "check_parameters", partial(check_parameters, estimator))()


def simplify(value: Any) -> Any:
    """Turn a word, a flag or a number of another type, such as NumPy's, into Python's; leave others unchanged."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    with suppress(OverflowError):  # a fraction beyond the largest float64
        return float(value) if isinstance(value, Real) else value
    return value


def check_flag(name: str, value: object, words: list[str]) -> None:
    """Refuse a value other than True, False and the words.

    >>> check_flag("clip", 1, ["each-round"])
    Traceback (most recent call last):
    ValueError: clip is 1: it must be True, False or 'each-round'
    """
    if not isinstance(value, bool | np.bool_) and not (isinstance(value, str) and value in words):
        *most, last = ["True", "False", *map(repr, words)]
        raise ValueError(f"{name} is {short(value)}: it must be {', '.join(most)} or {last}")


def list_types(hint: Any) -> tuple[Any, ...]:
    """List the types that a hint allows."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def sort_fields(kind: Any) -> list[Field[Any]]:
    """Sort the fields of an estimator for a reader: those of nearly all rankers come last."""
    return sorted(fields(kind), key=lambda declared: declared.name in OF_ALL)


def write_docstring(kind: Any) -> str:
    """Put the sections "Parameters" and "Attributes" of a class into its docstring."""
    text = kind.__doc__
    place = min([text.index(section) for section in BELOW if section in text], default=len(text))
    hints = get_type_hints(kind)
    parameters: list[tuple[str, str]] = []
    attributes: list[tuple[str, str]] = []
    for declared in sort_fields(kind):
        what = declared.metadata["kind"] or name_type(hints[declared.name])
        if declared.init and declared.default is not MISSING:
            what += ", optional" if declared.default is None else f", default {quote(declared.default)}"
        (parameters if declared.init else attributes).append((f"{declared.name} : {what}", declared.metadata["doc"]))
    for name in sorted(name for name in dir(kind) if name.endswith("_") and name[0] != "_" and name not in hints):
        computed = vars(next(base for base in kind.__mro__ if name in vars(base)))[name]
        what = get_type_hints(getattr(computed, "fget", None) or computed.func)["return"]
        attributes.append((f"{name} : {name_type(what)}", computed.__doc__))
    sections = write_section("Parameters", parameters) + write_section("Attributes", attributes + OF_SKLEARN)
    return f"{text[:place].rstrip()}\n{sections}{text[place:]}"


def write_section(title: str, entries: list[tuple[str, str]]) -> str:
    """Write a section of a docstring."""
    lines = [f"\n    {title}", f"    {'-' * len(title)}"]
    for head, doc in entries:
        lines += [f"    {head}", fill(" ".join(doc.split()), 112, initial_indent=" " * 8, subsequent_indent=" " * 8)]
    return "\n".join(lines) + "\n"


def name_type(hint: Any) -> str:
    """Write a type in the style of a docstring."""
    if get_origin(hint) is Literal:
        *most, last = (quote(choice) for choice in get_args(hint))
        return f"{', '.join(most)} or {last}" if most else last
    parts = [part for part in list_types(hint) if part is not NoneType]
    return getattr(hint, "__name__", str(hint)) if parts == [hint] else " or ".join(map(name_type, parts))


def quote(value: Any) -> str:
    """Write a value in the style of a docstring."""
    return f'"{value}"' if isinstance(value, str) else repr(value)
