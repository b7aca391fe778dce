"""A case of the vectors: a function, its input, and what a port may or must not answer.

    result        answers
    valid         one: the answer, in every bit, or within `ulps`
    acceptable    two or more, each with a flag: the lawful ones, refrank's own first
    invalid       one, with a flag: what a port with that fault answers, to an input whose right answer is another
    invalid       none: the input must be refused, by any error

No answer is typed in. `Function.compute` is refrank's own function, on its specification; a fault is a function beside
it, with the same arguments.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from yardstick.vectors.cases.notes import NOTES

Value = NDArray[Any] | str | tuple[str, ...] | None  # an input: an array, a text, texts, or nothing
Output = Mapping[str, NDArray[Any]]
Compute = Callable[..., Any]
Named = dict[str, Compute]  # flag -> what computes the answer under it: a fault, or a lawful choice
Result = Literal["valid", "invalid", "acceptable"]


@dataclass(frozen=True, eq=False)
class Function:
    """A function that a port may offer: the name, what it computes, and its arguments."""

    name: str
    text: str  # one sentence
    paper: str  # where it is defined
    inputs: Mapping[str, str]  # name -> what it is, with type and shape
    outputs: Mapping[str, str]
    compute: Compute  # keyword arguments -> one array, a tuple of them in the order of `outputs`, or a dict


@dataclass(frozen=True, eq=False)
class Answer:
    """One answer to a case."""

    output: Output
    flag: str = ""  # the lawful choice, or the fault; "" in a valid case


@dataclass(frozen=True, eq=False)
class Case:
    """One case."""

    id: str  # family, slash, name; a stable text
    function: str
    input: Mapping[str, Value]
    result: Result
    answers: tuple[Answer, ...]
    paper: str
    comment: str  # one line
    flags: tuple[str, ...] = ()
    ulps: int = 0  # floats may be this far away, in units in the last place of the answer's largest entry
    of: str = ""  # of an invalid case with an answer: the case whose input this is


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


def thaw(given: Mapping[str, Value]) -> dict[str, Any]:
    """Turn inputs into arguments: an array of no dimension becomes a number of Python, any other a copy.

    >>> thaw({"k": np.array(3), "y": np.array([1, 0]), "ties": "stable"})
    {'k': 3, 'y': array([1, 0]), 'ties': 'stable'}
    """
    arguments: dict[str, Any] = {}
    for name, value in given.items():
        if isinstance(value, np.ndarray):
            arguments[name] = value.copy() if value.ndim else value.item()
        else:
            arguments[name] = value
    return arguments


def name_outputs(outputs: Mapping[str, str], found: Any) -> Output:
    """Name the arrays that a function returned: one alone, a tuple in the order of `outputs`, or a dict of them."""
    if not isinstance(found, Mapping):
        parts = found if isinstance(found, tuple) else (found,)
        if len(parts) != len(outputs):
            raise ValueError(f"answer has {len(parts)} parts: it must have {len(outputs)}, {', '.join(outputs)}")
        found = dict(zip(outputs, parts, strict=True))
    if set(found) != set(outputs):
        raise ValueError(f"answer has {', '.join(map(str, found)) or 'no parts'}: it must have {', '.join(outputs)}")
    return {name: widen(np.asarray(found[name])) for name in outputs}


def widen(array: NDArray[Any]) -> NDArray[Any]:
    """Return integers and truth values as int64, or uint64 as they are, and floats as float64.

    >>> widen(np.array([True, False]))
    array([1, 0])
    """
    if array.dtype.kind in "bi" or (array.dtype.kind == "u" and array.dtype != np.uint64):
        return array.astype(np.int64)
    if array.dtype == np.uint64:
        return array
    if array.dtype.kind != "f":
        raise ValueError(f"array has type {array.dtype}: it must hold integers or floats")
    return array.astype(np.float64)
