"""Homework: run the cases of a task on a student's function, and name the first wrong number.

The student's file is executed: it is the user's own, like any program that a user starts. It runs in its own process
under limits of time, memory and file size; what it prints goes to stderr, and what it starts ends with it. The process
describes each case when it begins, and finally sends the outcome:

    {"running": ["case metrics/ndcg/cut-off: ...", ...]}
    {"is_right": false, "lines": [...]}
    {"unusable": "ndcg.py has no function ndcg: ..."}
"""

import linecache
import os
import runpy
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from refrank.checks import check_number, print_text
from refrank.datasets.foreign_file import check_file
from yardstick.homework.tasks import ULPS, find_task, list_cases
from yardstick.processes import Channel, Message, Worker
from yardstick.vectors.case import Case, Signature
from yardstick.vectors.reading import load_vectors
from yardstick.vectors.running import run_vectors

TIME_LIMIT = 20.0  # seconds
MOST_MEMORY, LARGEST_FILE = 2**32, 2**26  # bytes of the process, and of each file that it writes
MOST_ENTRIES = 60  # entries of an array that is printed whole


def check_homework(
    file: str | os.PathLike[str], task: str, time_limit: float = TIME_LIMIT, ulps: int = ULPS
) -> tuple[bool, list[str]]:
    """Run the cases of a task on the function of that name in a student's file of Python, which is executed.

    Returns whether all are right, and lines for people.
    Floats are right within `ulps` units in the last place of the largest entry; 0: every bit. A ValueError refuses a
    file that cannot be used: its text is not Python, its import fails, or it has no such function.
    """
    find_task(task)
    seconds = check_number("--time-limit", time_limit, above=0, at_most=3600)
    check_file(file, "homework")
    shown, running, began = print_text(str(file), 200), list[str](), time.monotonic()
    limits: dict[str, Any] = {"memory": MOST_MEMORY, "file_size": LARGEST_FILE}
    at_once = {"PYTHONUNBUFFERED": "1"}  # the process may be ended at any time
    with Worker(run_file, str(file), task, str(ulps), name=shown, environment=at_once, **limits) as worker:
        try:
            while "lines" not in (said := worker.receive(seconds, began)):
                if "unusable" in said:
                    raise ValueError(said["unusable"])
                running = said["running"]
            return said["is_right"], said["lines"]
        except TimeoutError as fault:
            ended = f"{fault} (--time-limit)"
        except ChildProcessError as fault:
            ended = str(fault)
    if not running:
        raise ValueError(f"{shown} {ended} while it was imported: it must define functions")
    return False, [f"{task}: it {ended}", *running]


def run_file(channel: Channel, file: str, task: str, ulps: str) -> None:
    """Run the cases of a task in the file's process, until one is wrong; each is described before it is run."""
    try:
        function = load_function(Path(file), task)
    except ValueError as fault:
        channel.send({"unusable": str(fault)})
        return
    for message in run_cases(find_task(task), function, Path(file), int(ulps)):
        channel.send(message)


def load_function(file: Path, name: str) -> Callable[..., Any]:
    """Execute a file, and return its function of this name; raise a ValueError of one line if there is none."""
    shown = print_text(str(file), 200)
    sys.path.append(str(file.resolve().parent))  # its own modules, after those of Python and of installed packages
    try:
        function = runpy.run_path(str(file.absolute())).get(name)
    except (Exception, SystemExit) as fault:
        raise ValueError(f"{shown} cannot be imported: {describe_error(fault, file)}") from None
    if not callable(function):
        raise ValueError(f"{shown} has no function {name}: it must define one of this name")
    return function


def run_cases(task: Signature, function: Callable[..., Any], file: Path, ulps: int) -> Iterator[Message]:
    """Run cases until one is wrong; yield the messages."""
    errors, lawful, cases = [""], list[str](), list_cases(task)

    def watch(**input: Any) -> Any:
        try:
            return function(**input)
        except (Exception, SystemExit) as fault:
            errors[0] = describe_error(fault, file)
            raise

    outcomes, n_right = run_vectors({task.name: watch}, cases, ulps), 0
    for case in (case for case in cases if not case.of):
        yield {"running": describe_case(task, case)}
        outcome = next(outcome for outcome in outcomes if outcome.case == case.id)
        note = load_vectors().notes[case.id.partition("/")[0]].get(outcome.flag)
        if outcome.verdict not in ("passed", "acceptable"):
            head = f"{task.name}: wrong after {n_right} right case{'s' * (n_right != 1)}"
            said = {"not offered": f"it is not written yet: {errors[0]}", "raised": errors[0]}
            wrong = print_text(said.get(outcome.verdict, str(outcome.difference or outcome.message)), 300)
            fault = [f"this is what {outcome.flag} gives: {note}"] if note else []
            yield {"is_right": False, "lines": [head, wrong, *fault, *describe_case(task, case)]}
            return
        n_right += 1
        lawful += [f"{case.id}: {note}"] if note else []
    yield {"is_right": True, "lines": [f"{task.name}: right in all {n_right} cases", *lawful]}


def describe_error(fault: BaseException, file: Path) -> str:
    """Describe an error by the last line of the student's file in its traceback."""
    name = str(file.absolute())  # as its frames have it
    error = print_text(f"{type(fault).__name__}: {fault}" if str(fault) else type(fault).__name__, 200)
    lines = [frame.lineno or 0 for frame in traceback.extract_tb(fault.__traceback__) if frame.filename == name]
    return f"line {lines[-1]}: {linecache.getline(name, lines[-1]).strip()[:100]}: {error}" if lines else error


def describe_case(task: Signature, case: Case) -> list[str]:
    """Describe a case: its purpose, its input, and the paper's formula; floats have all digits that name them."""
    inputs = list[str]()
    with np.printoptions(precision=17, floatmode="unique", threshold=MOST_ENTRIES, linewidth=100):
        for name, value in case.input.items():
            text = np.array2string(value, prefix=f"{name} = ") if isinstance(value, np.ndarray) else repr(value)
            inputs += [f"    {line}" for line in f"{name} = {text}".splitlines()]
    return [f"case {case.id}: {case.comment}", *inputs, f"{task.paper}: {task.formula}"]
