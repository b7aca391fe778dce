"""Answers of the key to any input: the right one, and those of its planted faults."""

import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tutor.answers import solutions
from yardstick.planting import Mistake, read_mistakes
from yardstick.vectors.case import Output, Signature, Value, name_outputs, thaw

SOURCE = inspect.getsource(solutions)


@cache
def read_faults() -> tuple[Mistake, ...]:
    """Read the faults, once: changes to solutions.py, with the notes `fault`, `step` and `says`."""
    return tuple(read_mistakes(Path(__file__).with_name("faults.txt").read_text(encoding="utf-8")))


@cache
def compile_solution(task: str, fault: Mistake | None = None) -> Callable[..., Any]:
    """Return the solution of a task, right or with a fault."""
    if fault is None:
        function: Callable[..., Any] = vars(solutions)[task]
        return function
    space: dict[str, Any] = {}
    exec(compile(fault.plant(SOURCE), "solutions.py", "exec"), space)
    planted: Callable[..., Any] = space[task]
    return planted


def answer(task: Signature, given: dict[str, Value], fault: Mistake | None = None) -> Output:
    """Answer a task for an input."""
    with np.errstate(all="ignore"):
        return name_outputs(task.outputs, compile_solution(task.name, fault)(**thaw(given)))


def list_faulty(task: Signature, given: dict[str, Value]) -> Iterator[tuple[Mistake, Output]]:
    """Yield the faults of a task, and their answers to an input."""
    for fault in read_faults():
        if fault.words == task.name:
            yield fault, answer(task, given, fault)


def write_solution(task: str) -> str:
    """Write the source of a solution, with the functions that it calls."""
    names, sources = [task], list[str]()
    for name in names:  # which grows
        sources.append(inspect.getsource(vars(solutions)[name]))
        called = re.findall(r"\b(\w+)\(", sources[-1])
        names += [other for other in called if inspect.isfunction(vars(solutions).get(other)) and other not in names]
    return "import numpy as np\n\n\n" + "\n\n".join(sources)
