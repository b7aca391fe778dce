"""A case of the vectors: a function, its input, and the answers that a port may or must not give (README.md)."""

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
    formula: str = ""  # the paper's line, of a function that a student may code


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


def thaw(given: Mapping[str, Value]) -> dict[str, Any]:
    """Turn inputs into arguments: an array without dimensions becomes a Python number, any other is copied."""
    arrays = {name: value for name, value in given.items() if isinstance(value, np.ndarray)}
    return {**given, **{name: array.copy() if array.ndim else array.item() for name, array in arrays.items()}}


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
    """Return integers and truth values as int64, uint64 unchanged, and floats as float64."""
    if array.dtype.kind not in "biuf":
        raise ValueError(f"array has type {array.dtype}: it must hold integers or floats")
    wide = np.float64 if array.dtype.kind == "f" else np.uint64 if array.dtype == np.uint64 else np.int64
    return array.astype(wide, copy=False)
