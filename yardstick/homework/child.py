"""The process in which a student's file runs: `python -m yardstick.homework.child FILE TASK ULPS TOLD`.

It writes lines of JSON to the file TOLD: the case that is running, and last what there is to say.

    {"running": "metrics/ndcg/cut-off"}
    {"is_right": false, "lines": [...]}
    {"unusable": "ndcg.py has no function ndcg: ..."}
"""

import contextlib
import io
import json
import linecache
import sys
import traceback
from collections.abc import Callable
from importlib import import_module, util
from pathlib import Path
from typing import Any

from refrank.checks import print_text
from yardstick.homework.checking import describe_case
from yardstick.homework.tasks import Task, find_task
from yardstick.vectors.case import Case
from yardstick.vectors.reading import explain_flag
from yardstick.vectors.running import Outcome, run_vectors

MOST_MEMORY = 2**32  # bytes of addresses
MOST_PRINTED = 2000  # characters that are kept of what the file prints
Tell = Callable[..., None]


def main(file: str, task: str, ulps: str, told: str) -> None:
    """Run the cases of a task, and tell what is wrong first."""
    limit_memory()
    with open(told, "w", encoding="utf-8") as out:

        def tell(**fields: Any) -> None:
            out.write(json.dumps(fields) + "\n")
            out.flush()

        printed = Printed()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                function = load_function(Path(file), task)
            except ValueError as fault:
                tell(unusable=str(fault))
                return
            is_right, lines = run_cases(find_task(task), function, Path(file), int(ulps), tell)
        tell(is_right=is_right, lines=lines + printed.lines())


def limit_memory() -> None:
    """Limit the memory, where the system can, so that a function that fills it fails by itself."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        resource: Any = import_module("resource")
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


class Printed(io.TextIOBase):
    """Output of a student's file: its first characters."""

    def __init__(self) -> None:
        self.text, self.n_left_out = "", 0

    def write(self, text: str) -> int:
        """Keep the beginning."""
        kept = text[: MOST_PRINTED - len(self.text)]
        self.text, self.n_left_out = self.text + kept, self.n_left_out + len(text) - len(kept)
        return len(text)

    def lines(self) -> list[str]:
        """Return what was printed, for people."""
        more = [f"    ... and {self.n_left_out} characters more"] if self.n_left_out else []
        shown = [f"    {print_text(line, 200)}" for line in self.text.splitlines()]
        return ["it printed:", *shown, *more] if shown else []


def load_function(file: Path, name: str) -> Callable[..., Any]:
    """Execute a file, and return its function of this name; a ValueError says in one line why there is none."""
    shown = print_text(str(file), 200)
    sys.path.insert(0, str(file.resolve().parent))  # its own modules
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


def run_cases(task: Task, function: Callable[..., Any], file: Path, ulps: int, tell: Tell) -> tuple[bool, list[str]]:
    """Run cases until one is wrong; return whether none is, and what to say."""
    places: list[str] = []  # of the last error

    def watched(**input: Any) -> Any:
        try:
            return function(**input)
        except (Exception, SystemExit) as fault:
            places[:] = [describe_error(fault, file)]
            raise

    cases = task.cases()
    n_right, lawful = 0, []
    for case in (one for one in cases if not one.of):
        tell(running=case.id)
        outcome = next(run_vectors({task.name: watched}, [case, *(one for one in cases if one.of == case.id)], ulps))
        if outcome.verdict not in ("passed", "acceptable"):
            return False, describe_fault(task, case, outcome, places, n_right)
        n_right += 1
        if outcome.flag:
            lawful.append(f"{case.id}: {explain_flag(case, outcome.flag)}")
    return True, [f"{task.name}: right in all {n_right} cases", *lawful]


def describe_fault(task: Task, case: Case, outcome: Outcome, places: list[str], n_right: int) -> list[str]:
    """Describe what is wrong: the number, the fault if it is known, the case, and the paper's line."""
    if outcome.verdict == "raised":
        told = places[0]
        if outcome.message.startswith("NotImplementedError"):
            told = f"it is not written yet: {told}"
    else:
        told = str(outcome.difference or outcome.message)
    known = [f"this is what {outcome.flag} gives: {explain_flag(case, outcome.flag)}"] if outcome.flag else []
    head = f"{task.name}: wrong after {n_right} right case{'s' * (n_right != 1)}"
    return [head, print_text(told, 300), *known, *describe_case(task, case)]


def describe_error(fault: BaseException, file: Path) -> str:
    """Describe an error by the last line of the student's file that it came through."""
    frames = [frame for frame in traceback.extract_tb(fault.__traceback__) if frame.filename == str(file)]
    error = print_text(f"{type(fault).__name__}: {fault}" if str(fault) else type(fault).__name__, 200)
    if not frames:
        return error
    number = frames[-1].lineno or 0
    return f"line {number}: {linecache.getline(str(file), number).strip()[:100]}: {error}"


if __name__ == "__main__":
    main(*sys.argv[1:])
