"""A student's file in its own process.

It sends a description of each case when it begins, and finally the outcome:

    {"running": ["case metrics/ndcg/cut-off: ...", ...]}
    {"is_right": false, "lines": [...]}
    {"unusable": "ndcg.py has no function ndcg: ..."}
"""

import contextlib
import io
import linecache
import runpy
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from refrank.checks import print_text
from yardstick.homework.tasks import find_task, list_cases
from yardstick.processes import Channel, Message
from yardstick.vectors.case import Case, Signature, Value
from yardstick.vectors.reading import load_own
from yardstick.vectors.running import run_vectors

MOST_MEMORY, LARGEST_FILE = 2**32, 2**26  # bytes of the process, and of each file that it writes
MOST_PRINTED = 2000  # characters of the file's output that are kept
MOST_ENTRIES = 60  # entries of an array that is printed whole


class Printed(io.StringIO):
    """The start of what a student's file prints."""

    n_left_out = 0

    def write(self, text: str) -> int:
        """Keep the text up to the limit."""
        n_kept = super().write(text[: MOST_PRINTED - self.tell()])
        self.n_left_out += len(text) - n_kept
        return len(text)

    def list_lines(self) -> list[str]:
        """Describe it for people."""
        more = [f"    ... and {self.n_left_out} characters more"] if self.n_left_out else []
        shown = [f"    {print_text(line, 200)}" for line in self.getvalue().splitlines()]
        return ["it printed:", *shown, *more] if shown else []


def run_file(channel: Channel, file: str, task: str, ulps: str) -> None:
    """Run the cases of a task until one is wrong, and send the outcome."""
    printed = Printed()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            function = load_function(Path(file), task)
        except ValueError as fault:
            channel.send({"unusable": str(fault)})
            return
        for message in run_cases(find_task(task), function, Path(file), int(ulps)):
            channel.send(
                message | {"lines": message["lines"] + printed.list_lines()} if "lines" in message else message
            )


def load_function(file: Path, name: str) -> Callable[..., Any]:
    """Execute a file, and return its function of this name; raise a ValueError of one line if there is none."""
    shown = print_text(str(file), 200)
    sys.path.append(str(file.resolve().parent))  # its own modules, after those of Python and of installed packages
    if file.suffix != ".py":
        raise ValueError(f"{shown} is not a Python file: its name must end in .py")
    try:
        function = runpy.run_path(str(file.absolute())).get(name)
    except SyntaxError as fault:
        raise ValueError(f"{shown} is not Python: line {fault.lineno}: {print_text(str(fault.msg), 200)}") from None
    except (Exception, SystemExit) as fault:
        raise ValueError(f"{shown} cannot be imported: {describe_error(fault, file)}") from None
    if callable(function):
        return function
    raise ValueError(f"{shown} has no function {name}: it must define one of this name")


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
        note = load_own().notes[case.id.partition("/")[0]].get(outcome.flag)
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
    """Describe a case: its purpose, its input, and the paper's formula.

    >>> task = find_task("binary_target")
    >>> for line in describe_case(task, list_cases(task)[0]):
    ...     print(line)
    case igbrt/binary_target/1: Is the grade below c?
        y = [0 1 2 3 4 1]
        c = 1
    iGBRT Sec. 6: b^c = 1 if y < c, else 0
    """
    inputs = [f"    {line}" for name, value in case.input.items() for line in print_value(name, value)]
    return [f"case {case.id}: {case.comment}", *inputs, f"{task.paper}: {task.formula}"]


def print_value(name: str, value: Value) -> list[str]:
    """Write an input in lines, with all digits needed to distinguish its numbers.

    >>> print_value("cuts", np.array([0.1, 0.5]))
    ['cuts = [0.1 0.5]']
    """
    with np.printoptions(precision=17, floatmode="unique", threshold=MOST_ENTRIES, linewidth=100):
        text = np.array2string(value, prefix=f"{name} = ") if isinstance(value, np.ndarray) else repr(value)
    return f"{name} = {text}".splitlines()
