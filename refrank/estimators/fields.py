"""Estimators as dataclasses whose fields say what they are: the docstring, and the flags' help, are written from them.

A parameter or a learned attribute is described once, where it is declared; `estimator` writes the sections
"Parameters" and "Attributes" of each class, with those of its bases.
"""

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from textwrap import fill
from types import UnionType
from typing import Any, Literal, TypeVar, Union, dataclass_transform, get_args, get_origin, get_type_hints

Kind = TypeVar("Kind", bound=type)
BELOW = ("\n    Notes\n", "\n    Examples\n")  # what stands below the written sections
OF_SKLEARN = [
    ("n_features_in_ : int", "Features seen in fit."),
    ("feature_names_in_ : array of shape (n_features_in_,)", "Their names, if X has names."),
]


def parameter(*, default: Any = MISSING, doc: str, kind: str = "") -> Any:
    """Declare a parameter; `kind` says what it may be, where its type does not."""
    return field(default=default, metadata={"doc": doc, "kind": kind})


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


def write_docstring(kind: Any) -> str:
    """Put the sections "Parameters" and "Attributes" of a class into its docstring."""
    text = kind.__doc__
    place = min([text.index(section) for section in BELOW if section in text], default=len(text))
    hints = get_type_hints(kind)
    parameters: list[tuple[str, str]] = []
    attributes: list[tuple[str, str]] = []
    for one in sorted(fields(kind), key=lambda one: one.name == "verbose"):  # of no reader's first interest
        what = one.metadata["kind"] or name_type(hints[one.name])
        if one.init and one.default is not MISSING:
            what += ", optional" if one.default is None else f", default {quote(one.default)}"
        (parameters if one.init else attributes).append((f"{one.name} : {what}", one.metadata["doc"]))
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
    """Write a type as a docstring does.

    Examples
    --------
    >>> name_type(int | None), name_type(Literal["zero", "mean"])
    ('int', '"zero" or "mean"')
    """
    if get_origin(hint) is Literal:
        *most, last = (quote(choice) for choice in get_args(hint))
        return f"{', '.join(most)} or {last}" if most else last
    if get_origin(hint) in (Union, UnionType):
        return " or ".join(name_type(part) for part in get_args(hint) if part is not type(None))
    return getattr(hint, "__name__", str(hint))


def quote(value: Any) -> str:
    """Write a value as a docstring does."""
    return f'"{value}"' if isinstance(value, str) else repr(value)
