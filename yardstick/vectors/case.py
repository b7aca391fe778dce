"""A case of the vectors: a function, its input, and the answers that a port may or must not give.

result        answers
valid         one: the answer, in every bit, or within `ulps`
acceptable    two or more, each with a flag: the lawful ones, refrank's own first
invalid       one, with a flag: the answer of a port with that fault; the right answer to the input differs
invalid       none: the input must be refused, by any error
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Value = NDArray[Any] | str | tuple[str, ...] | None  # an input: an array, a text, texts, or nothing
Output = Mapping[str, NDArray[Any]]
Result = Literal["valid", "invalid", "acceptable"]


@dataclass(frozen=True, eq=False)
class Signature:
    """A function that a port may offer: the name, what it computes, and its arguments."""

    name: str
    text: str  # one sentence
    paper: str  # where it is defined
    inputs: Mapping[str, str]  # name -> what it is, with type and shape
    outputs: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Answer:
    """One answer to a case."""

    output: Output
    flag: str = ""  # the lawful choice, or the fault; "" in a valid case


@dataclass(frozen=True, eq=False)
class Case:
    """A case."""

    id: str  # family, slash, name; a stable text
    function: str
    input: Mapping[str, Value]
    result: Result
    answers: tuple[Answer, ...]
    paper: str
    comment: str  # one line
    flags: tuple[str, ...] = ()
    ulps: int = 0  # tolerance of floats, in units in the last place of the answer's largest entry
    of: str = ""  # of an invalid case with an answer: the case whose input this is


def freeze(value: Any) -> Value:
    """Convert an input to its form in files: an array of 64-bit numbers, a text, texts, or None.

    >>> freeze([1, 2]), freeze(0.5), freeze("stable")
    (array([1, 2]), array(0.5), 'stable')
    """
    if value is None or isinstance(value, str) or (isinstance(value, tuple) and all(isinstance(t, str) for t in value)):
        return value
    return widen(np.asarray(value))


def thaw(given: Mapping[str, Value]) -> dict[str, Any]:
    """Turn inputs into arguments: an array without dimensions becomes a Python number, any other is copied.

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


def name_outputs(outputs: Mapping[str, str], answer: Any) -> Output:
    """Name the arrays that a function returned: one alone, a tuple in the order of `outputs`, or a dict of them."""
    if not isinstance(answer, Mapping):
        parts = answer if isinstance(answer, tuple) else (answer,)
        if len(parts) != len(outputs):
            raise ValueError(f"answer has {len(parts)} parts: it must have {len(outputs)}, {', '.join(outputs)}")
        answer = dict(zip(outputs, parts, strict=True))
    if set(answer) != set(outputs):
        raise ValueError(f"answer has {', '.join(map(str, answer)) or 'no parts'}: it must have {', '.join(outputs)}")
    return {name: widen(np.asarray(answer[name])) for name in outputs}


def widen(array: NDArray[Any]) -> NDArray[Any]:
    """Return integers and truth values as int64, uint64 unchanged, and floats as float64.

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
