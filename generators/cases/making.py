"""Functions and cases of a family, each case with its answers.

No answer is typed in. `Function.compute` is refrank's own function, on its specification; a fault is a function beside
it, with the same arguments.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from generators.cases.notes import NOTES
from yardstick.vectors.case import Answer, Case, Signature, Value, name_outputs, thaw, widen

Compute = Callable[..., Any]
Named = dict[str, Compute]  # flag -> what computes the answer under it: a fault, or a lawful choice


@dataclass(frozen=True, eq=False)
class Function(Signature):
    """A function, and how refrank computes it."""

    compute: Compute  # keyword arguments -> one array, a tuple of them in the order of `outputs`, or a dict


@dataclass(frozen=True, eq=False)
class Family:
    """The cases of one file."""

    name: str
    text: str
    functions: tuple[Function, ...]
    cases: Callable[[], Iterator[Case]]

    def notes(self, cases: Iterable[Case]) -> dict[str, str]:
        """Explain the flags of its cases, in alphabetical order."""
        used = {flag for case in cases for flag in (*case.flags, *(one.flag for one in case.answers if one.flag))}
        return {flag: NOTES[flag] for flag in sorted(used)}


def valid(
    function: Function,
    id: str,
    input: Mapping[str, Any],
    comment: str,
    *,
    faults: Named | None = None,
    flags: tuple[str, ...] = (),
    ulps: int = 0,
    compute: Compute | None = None,
    paper: str = "",
) -> Iterator[Case]:
    """Yield a valid case, and an invalid one for each fault.

    Parameters
    ----------
    function : Function
    id : str
        The valid case's; the others add a slash and the fault.
    input : mapping of str to array-like, text, tuple of texts or None
    comment : str
        One line.
    faults : mapping of str to function, optional
        Each computes what a port with the fault answers.
    flags : tuple of str, default ()
    ulps : int, default 0
        Tolerance of floats.
    compute : function, optional
        Computes the answer, in place of the function's own.
    paper : str, default ""
        The place, where it is not the function's.

    Yields
    ------
    Case
    """
    given = {name: freeze(value) for name, value in input.items()}
    right = answer(function, compute or function.compute, given)
    place = paper or function.paper
    yield Case(id, function.name, given, "valid", (right,), place, comment, flags, ulps)
    yield from wrong(function, id, given, faults, place)


def acceptable(
    function: Function,
    id: str,
    input: Mapping[str, Any],
    comment: str,
    lawful: Named,
    *,
    faults: Named | None = None,
    flags: tuple[str, ...] = (),
    paper: str = "",
) -> Iterator[Case]:
    """Yield a case with several lawful answers, each under a flag, and an invalid one for each fault."""
    given = {name: freeze(value) for name, value in input.items()}
    answers = tuple(answer(function, compute, given, flag) for flag, compute in lawful.items())
    place = paper or function.paper
    yield Case(id, function.name, given, "acceptable", answers, place, comment, flags)
    yield from wrong(function, id, given, faults, place)


def wrong(function: Function, id: str, given: Mapping[str, Value], faults: Named | None, place: str) -> Iterator[Case]:
    """Yield an invalid case for each fault."""
    for flag, compute in (faults or {}).items():
        one = answer(function, compute, given, flag)
        comment = f"A port with the fault {flag} answers this."
        yield Case(f"{id}/{flag}", function.name, given, "invalid", (one,), place, comment, (flag,), of=id)


def refused(
    function: Function, id: str, input: Mapping[str, Any], comment: str, *, flags: tuple[str, ...] = ("refuse",)
) -> Iterator[Case]:
    """Yield an invalid case whose input must be refused; refrank itself must refuse it."""
    given = {name: freeze(value) for name, value in input.items()}
    try:
        function.compute(**thaw(given))
    except ValueError:
        yield Case(id, function.name, given, "invalid", (), function.paper, comment, flags)
        return
    raise ValueError(f"case {id} is answered: refrank must refuse its input")


def answer(function: Function, compute: Compute, given: Mapping[str, Value], flag: str = "") -> Answer:
    """Compute an answer."""
    return Answer(name_outputs(function.outputs, compute(**thaw(given))), flag)


def freeze(value: Any) -> Value:
    """Turn an input into what files hold: an array of 64 bits, a text, texts, or None.

    >>> freeze([1, 2]), freeze(0.5), freeze("stable")
    (array([1, 2]), array(0.5), 'stable')
    """
    if value is None or isinstance(value, str) or (isinstance(value, tuple) and all(isinstance(t, str) for t in value)):
        return value
    return widen(np.asarray(value))
