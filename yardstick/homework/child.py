"""A student's file in its own process.

It sends a description of each case when it begins, and finally the outcome:

    {"running": ["case metrics/ndcg/cut-off: ...", ...]}
    {"is_right": false, "lines": [...]}
    {"unusable": "ndcg.py has no function ndcg: ..."}
"""

import contextlib
import io
import linecache
import sys
import traceback
from collections.abc import Callable
from importlib import util
from pathlib import Path
from typing import Any

import numpy as np

from refrank.checks import print_text
from yardstick.homework.tasks import Exercise, find_task
from yardstick.processes import Channel
from yardstick.vectors.case import Case, Value
from yardstick.vectors.reading import explain_flag
from yardstick.vectors.running import run_vectors

MOST_MEMORY, LARGEST_FILE = 2**32, 2**26  # bytes of the process, and of each file that it writes
MOST_PRINTED = 2000  # characters of the file's output that are kept
MOST_ENTRIES = 60  # entries of an array that is printed whole


class Printed(io.TextIOBase):
    """Start of the output of a student's file."""

    text, n_left_out = "", 0

    def write(self, text: str) -> int:
        """Keep the text up to the limit."""
        kept = text[: MOST_PRINTED - len(self.text)]
        self.text, self.n_left_out = self.text + kept, self.n_left_out + len(text) - len(kept)
        return len(text)

    def list_lines(self) -> list[str]:
        """Describe the printed text for people."""
        more = [f"    ... and {self.n_left_out} characters more"] if self.n_left_out else []
        shown = [f"    {print_text(line, 200)}" for line in self.text.splitlines()]
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
        is_right, lines = run_cases(find_task(task), function, Path(file), int(ulps), channel)
    channel.send({"is_right": is_right, "lines": lines + printed.list_lines()})


def load_function(file: Path, name: str) -> Callable[..., Any]:
    """Execute a file, and return its function of this name; raise a ValueError of one line if there is none."""
    shown = print_text(str(file), 200)
    sys.path.append(str(file.resolve().parent))  # its own modules, after those of Python and of installed packages
    spec = util.spec_from_file_location("homework", file)
    if spec is None or spec.loader is None:
        raise ValueError(f"{shown} is not a Python file: its name must end in .py")
    module = util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except SyntaxError as fault:
        raise ValueError(f"{shown} is not Python: line {fault.lineno}: {print_text(str(fault.msg), 200)}") from None
    except (Exception, SystemExit) as fault:
        raise ValueError(f"{shown} cannot be imported: {describe_error(fault, file)}") from None
    function = getattr(module, name, None)
    if not callable(function):
        raise ValueError(f"{shown} has no function {name}: it must define one of this name")
    return function


def run_cases(
    task: Exercise, function: Callable[..., Any], file: Path, ulps: int, channel: Channel
) -> tuple[bool, list[str]]:
    """Run cases until one is wrong; return whether all are right, and the report."""
    places, lawful, n_right = [""], list[str](), 0  # the first: of the last error

    def watch(**input: Any) -> Any:
        try:
            return function(**input)
        except (Exception, SystemExit) as fault:
            places[0] = describe_error(fault, file)
            raise

    cases = task.list_cases()
    for case in (case for case in cases if not case.of):
        channel.send({"running": describe_case(task, case)})
        faults = [fault for fault in cases if fault.of == case.id]
        outcome = next(run_vectors({task.name: watch}, [case, *faults], ulps))
        flag = [explain_flag(case, outcome.flag)] if outcome.flag else []
        if outcome.verdict not in ("passed", "acceptable"):
            head = f"{task.name}: wrong after {n_right} right case{'s' * (n_right != 1)}"
            errors = {"not offered": f"it is not written yet: {places[0]}", "raised": places[0]}
            wrong = errors.get(outcome.verdict, str(outcome.difference or outcome.message))
            named = [f"this is what {outcome.flag} gives: {explained}" for explained in flag]
            return False, [head, print_text(wrong, 300), *named, *describe_case(task, case)]
        n_right += 1
        lawful += [f"{case.id}: {explained}" for explained in flag]
    return True, [f"{task.name}: right in all {n_right} cases", *lawful]


def describe_error(fault: BaseException, file: Path) -> str:
    """Describe an error by the last line of the student's file in its traceback."""
    name = str(file.absolute())  # as its frames have it
    error = print_text(f"{type(fault).__name__}: {fault}" if str(fault) else type(fault).__name__, 200)
    lines = [frame.lineno or 0 for frame in traceback.extract_tb(fault.__traceback__) if frame.filename == name]
    return f"line {lines[-1]}: {linecache.getline(name, lines[-1]).strip()[:100]}: {error}" if lines else error


def describe_case(task: Exercise, case: Case) -> list[str]:
    """Describe a case: its purpose, its input, and the paper's formula.

    >>> for line in describe_case(find_task("binary_target"), find_task("binary_target").list_cases()[0]):
    ...     print(line)
    case igbrt/binary_target/1: Is the grade below c?
        y = [0 1 2 3 4 1]
        c = 1
    iGBRT Sec. 6: b^c = 1 if y < c, else 0
    """
    inputs = [f"    {line}" for name, value in case.input.items() for line in print_value(name, value)]
    return [f"case {case.id}: {case.comment}", *inputs, f"{task.function.paper}: {task.line}"]


def print_value(name: str, value: Value) -> list[str]:
    """Write an input in lines, with all digits needed to distinguish its numbers.

    >>> print_value("cuts", np.array([0.1, 0.5]))
    ['cuts = [0.1 0.5]']
    """
    if not isinstance(value, np.ndarray):
        return [f"{name} = {value!r}"]
    exact: dict[str, Any] = {"precision": 17, "floatmode": "unique", "threshold": MOST_ENTRIES, "max_line_width": 100}
    first, *rest = np.array2string(value, **exact).splitlines()
    return [f"{name} = {first}", *(f"{' ' * (len(name) + 3)}{line}" for line in rest)]
