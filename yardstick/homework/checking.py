"""Homework: run the cases of a task on a student's function, and say which number is wrong first.

The student's file is executed: it is the user's own, like any program that a user starts. It runs in a process of its
own (yardstick/homework/child.py), which ends after a number of seconds, so an endless loop ends too; what
that process says is read as data.
"""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from refrank.checks import check_number, print_text
from yardstick.homework.tasks import ULPS, Task, find_task
from yardstick.processes import describe_end, run_apart
from yardstick.vectors.case import Case, Value

CHILD = "yardstick.homework.child"
TIME_LIMIT = 20.0  # seconds
MOST_TOLD = 2**20  # characters that are read of what the child says
MOST_ENTRIES = 60  # of an array that is printed whole


@dataclass(frozen=True)
class Report:
    """Outcome of a file."""

    is_right: bool
    lines: tuple[str, ...]  # for people


def check_homework(file: str | os.PathLike[str], task: str, time_limit: float = TIME_LIMIT, ulps: int = ULPS) -> Report:
    """Run the cases of a task on the function of a student's file that has the task's name.

    Parameters
    ----------
    file : path
        A Python file, which is executed.
    task : str
        One of `yardstick.homework.tasks.TASKS`.
    time_limit : float, default 20
        Seconds.
    ulps : int, default 2**16
        Tolerance of floats, in units in the last place of the largest entry; 0: every bit.

    Returns
    -------
    Report

    Raises
    ------
    ValueError
        If the file cannot be used: its text is not Python, its import fails, or it has no such function.
    OSError
        If it cannot be read.
    """
    chosen = find_task(task)
    seconds = check_number("--time-limit", time_limit, above=0, at_most=3600)
    with open(file, "rb"):  # an OSError that names it
        pass
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder, "told")
        ended = run_child([str(file), task, str(ulps), str(told)], seconds)
        said = read_told(told)
    if "unusable" in said:
        raise ValueError(said["unusable"])
    if "lines" in said:
        return Report(bool(said.get("is_right")), tuple(said["lines"]))
    if "running" not in said:
        raise ValueError(f"{print_text(str(file), 200)} {ended} while it was imported: it must define functions")
    case = next(case for case in chosen.cases() if case.id == said["running"])
    return Report(False, (f"{task}: it {ended}", *describe_case(chosen, case)))


def run_child(arguments: list[str], seconds: float) -> str:
    """Run the child, and end it when its time is up; return how it ended."""
    command = [sys.executable, "-m", CHILD, *arguments]
    silent = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with run_apart(command, **silent) as child:
        try:
            return f"ended the process ({describe_end(child.wait(seconds))})"
        except subprocess.TimeoutExpired:
            return f"took more than {seconds:g} seconds (--time-limit)"


def read_told(path: Path) -> dict[str, Any]:
    """Read the last whole line that the child has written."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read(MOST_TOLD).splitlines(keepends=True)
    except OSError:
        return {}
    whole = [line for line in lines if line.endswith("\n")]
    said = json.loads(whole[-1]) if whole else {}
    return said if isinstance(said, dict) else {}


def describe_case(task: Task, case: Case) -> list[str]:
    """Describe a case: what it is for, its input, and what the paper says.

    >>> for line in describe_case(find_task("binary_target"), find_task("binary_target").cases()[0]):
    ...     print(line)
    case igbrt/binary_target/1: Is the grade below c?
        y = [0 1 2 3 4 1]
        c = 1
    iGBRT Sec. 6: b^c = 1 if y < c, else 0
    """
    inputs = [f"    {line}" for name, value in case.input.items() for line in print_value(name, value)]
    return [f"case {case.id}: {case.comment}", *inputs, f"{task.function.paper}: {task.line}"]


def print_value(name: str, value: Value) -> list[str]:
    """Write an input in lines, with all digits that tell its numbers apart.

    >>> print_value("cuts", np.array([0.1, 0.5]))
    ['cuts = [0.1 0.5]']
    """
    if not isinstance(value, np.ndarray):
        return [f"{name} = {value!r}"]
    exact: dict[str, Any] = {"precision": 17, "floatmode": "unique", "threshold": MOST_ENTRIES, "max_line_width": 100}
    first, *rest = np.array2string(value, **exact).splitlines()
    return [f"{name} = {first}", *(f"{' ' * (len(name) + 3)}{line}" for line in rest)]
