"""Check a student's function: how many cases are right, and the first wrong number with what gives it.

Floats are right within ULPS units in the last place: a student adds floats in any order. The student's file, a page of
Python (yardstick/scorecard/page.py), is executed: it is the user's own, like any program that a user starts. It runs in
its own process under limits of time, memory and file size; what it starts ends with it.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from refrank.checks import check_number, print_text
from refrank.datasets.foreign_file import check_file
from tutor.diagnosis import Diagnosis, diagnose
from tutor.steps import STAGES
from tutor.tasks import find_task, list_cases
from tutor.variants import draw_cases
from yardstick.scorecard.adapters import load_adapter
from yardstick.vectors.case import Case, Output, Signature, name_outputs
from yardstick.vectors.files import load_vectors
from yardstick.vectors.running import Outcome, run_vectors

ULPS = 2**16  # float32 is 2**29 away
TIME_LIMIT = 20.0  # seconds
MOST_MEMORY, LARGEST_FILE = 2**32, 2**26  # bytes of the process, and of each file that it writes
ENDED = "ChildProcessError: ", "TimeoutError: "  # the process is gone: it is not started again for each case
EMPTY = "it defines none of train, "  # what load_adapter says of a page without any function that it asks for

NOTHING = Diagnosis()

Functions = Mapping[str, Callable[..., Any]]


class CheckedStep(NamedTuple):
    """A step of a task that is an exercise itself."""

    step: str
    task: str
    is_right: bool


@dataclass(frozen=True)
class Report:
    """The outcome of a task: all cases are right if there is no wrong one."""

    task: Signature
    n_right: int
    n_cases: int
    lawful: tuple[str, ...] = ()  # the choices that the function made where the papers leave one
    case: Case | None = None  # the first wrong one
    outcome: Outcome | None = None  # of this case
    diagnosis: Diagnosis = NOTHING
    stages: tuple[CheckedStep, ...] = ()  # those whose function the file has

    @property
    def is_right(self) -> bool:
        """Whether all cases are right."""
        return self.case is None


def check_homework(
    file: str | os.PathLike[str],
    task: str,
    time_limit: float = TIME_LIMIT,
    ulps: int = ULPS,
    variant: str | None = None,
    memory: int = MOST_MEMORY,
) -> Report:
    """Run the cases of a task, or those drawn from the key `variant`, on a student's function.

    `ulps` is the tolerance of floats, and `memory` the bytes that the process may use. A ValueError refuses a file
    whose import fails, or that has no such function.
    """
    signature, name = find_task(task), str(file)
    seconds = check_number("--time-limit", time_limit, above=0, at_most=3600)
    check_file(file, "homework")
    if not name.endswith(".py"):
        raise ValueError(f"FILE is {print_text(name, 200)}: it must be a file of Python, *.py")
    try:
        offered = load_adapter(name, seconds, memory=memory, file_size=LARGEST_FILE).functions
    except ValueError as fault:
        if EMPTY not in str(fault):
            raise
        offered = {}
    if task not in offered:
        raise ValueError(f"{print_text(name, 200)} has no function {task}: it must define one of this name")
    report = check_function(signature, offered, ulps, variant)
    return report if report.is_right else replace(report, stages=tuple(check_stages(signature, offered, ulps)))


def check_function(task: Signature, offered: Functions, ulps: int = ULPS, variant: str | None = None) -> Report:
    """Run the cases of a task on the function of its name."""
    cases = list_cases(task) if variant is None else draw_cases(task, variant)
    n_cases, n_right, lawful, wrong = sum(not case.of for case in cases), 0, list[str](), None
    answers: dict[str, Output] = {}
    recorded = {task.name: record_answers(task, offered[task.name], cases, answers)}
    for case, outcome in zip(cases, run_vectors(recorded, cases, ulps), strict=True):
        if case.of:  # a fault of another case
            continue
        if outcome.verdict in ("passed", "acceptable"):
            n_right += 1
            note = load_vectors().notes.get(case.id.partition("/")[0], {}).get(outcome.flag)
            lawful += [f"{case.id}: {note}"] if note and wrong is None else []
            continue
        wrong = wrong or (case, outcome)
        if outcome.message.startswith(ENDED):
            break
    if wrong is None:
        return Report(task, n_right, n_cases, tuple(lawful))
    case, outcome = wrong
    given = answers.get(case.id)
    diagnosis = NOTHING if given is None else diagnose(task, case, given, outcome.flag, ulps)
    return Report(task, n_right, n_cases, tuple(lawful), case, outcome, diagnosis)


def record_answers(
    task: Signature, function: Callable[..., Any], cases: list[Case], answers: dict[str, Output]
) -> Callable[..., Any]:
    """Return a function that keeps its answers by case, if they have the form of an answer."""
    own = (case for case in cases if not case.of)  # the order in which cases are run

    def answer(**given: Any) -> Any:
        case, value = next(own), None
        value = function(**given)
        try:
            answers[case.id] = name_outputs(task.outputs, value)
        except (ValueError, TypeError, OverflowError):  # it is judged where it is compared
            answers.pop(case.id, None)
        return value

    return answer


def check_stages(task: Signature, offered: Functions, ulps: int) -> Iterator[CheckedStep]:
    """Check the steps of a task whose functions the file has; a function with other arguments is not judged."""
    for name, step in STAGES.get(task.name, {}).items():
        if name in offered:
            report = check_function(find_task(name), {name: offered[name]}, ulps)
            if report.outcome is None or report.outcome.verdict == "failed":
                yield CheckedStep(step, name, report.is_right)
