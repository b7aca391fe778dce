"""A report in words, with hints of three levels, and as JSON (docs/learn/exercises.md has the fields)."""

import json
from typing import Any

import numpy as np

from refrank.checks import print_text
from tutor.checking import Report
from tutor.steps import STEPS, describe_steps
from yardstick.numbers.difference import Difference
from yardstick.vectors.case import Case

MOST_ENTRIES = 60  # entries of an array that is printed whole
HINTS = 3  # levels
FORMAT, VERSION = "refrank-check", 1


def describe_report(report: Report, hint: int = HINTS, exact: bool = False) -> list[str]:
    """Describe a report: 1 says where to look, 2 adds the paper's formula, and 3 what gives the wrong number."""
    task, case = report.task, report.case
    if case is None or report.outcome is None:
        return [f"{task.name}: right in all {report.n_cases} cases", *report.lawful]
    step, head = report.diagnosis.step, f"{task.name}: {report.n_right} of {report.n_cases} cases are right"
    lines = [head, describe_wrong(report, exact), *describe_stages(report)]
    lines += report.diagnosis.sentences if hint >= 3 else ()
    lines += describe_case(case)
    formula = STEPS.get(task.name, {}).get(step, "")
    return [*lines, *([formula] if formula else []), f"{task.paper}: {task.formula}"] if hint >= 2 else lines


def describe_wrong(report: Report, exact: bool = False) -> str:
    """Describe the first wrong number, in plain decimals unless every bit counts."""
    outcome = report.outcome
    assert outcome is not None
    difference = outcome.difference
    if difference is None:
        return outcome.message or "it is not written yet"
    if exact:
        return str(difference)
    place = difference.name + (f"[{', '.join(map(str, difference.index))}]" if difference.index else "")
    actual, expected = print_numbers(difference)
    return f"{place} is {actual}, expected {expected}"


def print_numbers(difference: Difference) -> tuple[str, str]:
    """Print both numbers with six digits, or, if these are the same, with all."""
    numbers = difference.actual, difference.expected
    short = [f"{number:.6g}" if isinstance(number, float) else str(number) for number in numbers]
    return (short[0], short[1]) if short[0] != short[1] else (repr(numbers[0]), repr(numbers[1]))


def describe_stages(report: Report) -> list[str]:
    """Describe the steps: that of the known fault, or those whose functions the file has."""
    if report.diagnosis.step:
        return [describe_steps(report.task.name, report.diagnosis.step)]
    if not report.stages:
        return []
    return [", ".join(f"{of.step} (your {of.task}) is {'right' if of.is_right else 'wrong'}" for of in report.stages)]


def describe_case(case: Case) -> list[str]:
    """Describe a case: its purpose, and its input; floats have all digits that name them."""
    inputs = list[str]()
    with np.printoptions(precision=17, floatmode="unique", threshold=MOST_ENTRIES, linewidth=100):
        for name, value in case.input.items():
            text = np.array2string(value, prefix=f"{name} = ") if isinstance(value, np.ndarray) else repr(value)
            inputs += [f"    {line}" for line in f"{name} = {text}".splitlines()]
    return [f"case {case.id}: {case.comment}", *inputs]


def as_document(report: Report) -> dict[str, Any]:
    """Return a report as JSON."""
    task, step = report.task, report.diagnosis.step
    document: dict[str, Any] = {
        **{"format": FORMAT, "version": VERSION, "task": task.name, "right": report.is_right},
        **{"score": report.n_right, "cases": report.n_cases, "lawful": [*report.lawful]},
    }
    if report.case is None:
        return document
    formula = STEPS.get(task.name, {}).get(step, f"{task.paper}: {task.formula}")
    return document | {
        "case": report.case.id,
        "mistake": describe_wrong(report),
        "fault": report.diagnosis.fault,
        "step": step,
        "stages": [{"step": of.step, "task": of.task, "right": of.is_right} for of in report.stages],
        "hints": [" ".join(describe_stages(report)), formula, " ".join(report.diagnosis.sentences)],
    }


def write_json(report: Report) -> str:
    """Write a report in JSON."""
    return json.dumps(as_document(report), indent=1, allow_nan=False) + "\n"


def describe_in_one_line(report: Report) -> str:
    """Describe the first mistake in one line; "" if all is right."""
    return "" if report.is_right else print_text(describe_wrong(report), 200)
