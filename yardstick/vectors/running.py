"""Run the vectors on a port: find the cases that pass, the functions it lacks, and its first wrong numbers.

    verdict        meaning
    passed         right; an input that must be refused: it was; a fault: the port does not have it
    acceptable     lawful, but not refrank's own choice: the flag names it
    failed         wrong; if the answer is that of a known fault, the flag names the fault
    raised         the function raised an error
    not offered    the port has no such function, or it raises NotImplementedError for the input

docs/port/vectors.md says what a function gets and returns.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from refrank.checks import print_text
from yardstick.numbers.difference import Difference, find_difference
from yardstick.vectors.case import Case, Output, name_outputs, thaw

Verdict = Literal["passed", "acceptable", "failed", "raised", "not offered"]
Answered = Output | str | Exception  # a function's answer; a sentence if it has another form; its error


@dataclass(frozen=True)
class Outcome:
    """Outcome of one case."""

    case: str  # its id
    function: str
    verdict: Verdict
    flag: str = ""  # acceptable: the lawful choice; failed: the fault, if it is known
    difference: Difference | None = None  # the first wrong number
    message: str = ""  # the same in words; or another form of the answer, or an error

    def __str__(self) -> str:
        """Return the outcome in one line."""
        fault = f": this is what {self.flag} gives" if self.verdict == "failed" and self.flag else ""
        lawful = f" ({self.flag})" if self.verdict == "acceptable" else ""
        return f"{self.case}: {self.verdict}{lawful}" + (f": {self.message}" if self.message else "") + fault


def run_vectors(offered: Mapping[str, Callable[..., Any]], cases: Iterable[Case], ulps: int = 0) -> Iterator[Outcome]:
    """Run cases, from `load_vectors`, on the functions that a port offers by name; yield the outcome of each.

    `ulps` is the tolerance of floats, if a case has none or a smaller one; 0: every bit.
    """
    given = tuple(cases)
    faults: dict[str, list[Case]] = {}
    for case in given:
        faults.setdefault(case.of, []).append(case)
    answers: dict[str, Answered] = {}  # by the case that owns the input: a fault's answer is not computed again
    for case in given:
        key = case.of or case.id
        if key not in answers:
            answers[key] = call(offered.get(case.function), case)
        yield judge(case, answers[key], faults.get(case.id, []), ulps)


def call(function: Callable[..., Any] | None, case: Case) -> Answered:
    """Call a function on the input of a case."""
    if function is None:
        return NotImplementedError()
    try:
        answer = function(**thaw(case.input))
    except (Exception, SystemExit) as fault:
        return fault if isinstance(fault, Exception) else RuntimeError("the function ended the program")
    try:
        return name_outputs(dict.fromkeys(case.answers[0].output, ""), answer) if case.answers else {}
    except (ValueError, TypeError, OverflowError) as fault:
        return print_text(str(fault), 300)


def judge(case: Case, answer: Answered, faults: list[Case], ulps: int) -> Outcome:
    """Compare a function's answer with the answers of a case."""
    conclude, tolerance = partial(Outcome, case.id, case.function), max(ulps, case.ulps)
    if isinstance(answer, NotImplementedError):
        return conclude("not offered")
    if not case.answers:
        refused = isinstance(answer, Exception)
        return conclude("passed") if refused else conclude("failed", message="it answers: it must refuse this input")
    if isinstance(answer, Exception):
        return conclude("raised", message=print_text(f"{type(answer).__name__}: {answer}", 300))
    listed = [*case.answers, *(fault.answers[0] for fault in faults)]
    differences = [
        answer if isinstance(answer, str) else find_difference(right.output, answer, tolerance) for right in listed
    ]
    first, at = differences[0], differences.index(None) if None in differences else -1
    flag = listed[at].flag if at >= 0 else ""
    if (first is None) != (case.result == "invalid"):
        return conclude("passed")
    if 0 < at < len(case.answers):
        return conclude("acceptable", flag=flag)
    return conclude("failed", flag, first if isinstance(first, Difference) else None, str(first or ""))
