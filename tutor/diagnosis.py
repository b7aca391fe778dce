"""The cause of a wrong number: a known fault, another convention, or a factor.

Each is tried on the input of the case, and recognised where it gives the student's numbers.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from refrank.metrics import PRESETS, dcg, err, ndcg
from tutor.answers.key import list_faulty
from yardstick.numbers.difference import find_difference
from yardstick.vectors.case import Case, Output, Signature, thaw
from yardstick.vectors.files import load_vectors

MEASURES: Mapping[str, Callable[..., Any]] = {"dcg": dcg, "ndcg": ndcg, "err": err}
TITLES = {
    "trec": "TREC's gdeval",
    "letor": "LETOR's scripts",
    "yahoo": "the Yahoo! challenge",
    "sklearn": "scikit-learn",
}
SAME = 1e-9  # relative: factors are quotients of rounded numbers


class Diagnosis(NamedTuple):
    """The cause of a wrong number."""

    fault: str = ""  # its name
    step: str = ""  # the step of the task in which it is made, if it is of a known fault
    sentences: tuple[str, ...] = ()


def diagnose(task: Signature, case: Case, given: Output, flag: str, ulps: int) -> Diagnosis:
    """Find what gives a wrong answer; `flag` is the fault of the vectors that answers the same."""
    fault, step, said = flag, "", list[str]()
    for mistake, faulty in list_faulty(task, dict(case.input)):
        if find_difference(faulty, given, ulps) is None:
            step, name = mistake.find_note("step"), mistake.find_note("fault")
            fault, words = fault or name or "known mistake", mistake.find_note("says")
            said += [words] if words and not flag else []
            break
    notes = load_vectors().notes.values()
    explained = next((notes[fault] for notes in notes if fault in notes), "")
    said = [f"this is what {fault} gives: {explained}"] if explained else said
    if names := [*list_conventions(task.name, case, given, ulps)]:
        said.append(f"this is {task.name.upper()} as {', '.join(names)} compute{'s' * (len(names) == 1)} it")
        fault = fault or "convention"
    if words := "" if said else describe_factor(case, given):
        said, fault = [words], "factor"
    return Diagnosis(fault, step, tuple(said))


def list_conventions(task: str, case: Case, given: Output, ulps: int) -> Iterator[str]:
    """Yield the conventions by which a measure has the given value."""
    for name, spec in PRESETS.items() if task in MEASURES else ():
        if name in ("paper", "mslr"):  # it is the task, and another name of letor
            continue
        try:
            value = MEASURES[task](**thaw(case.input), spec=spec)
        except ValueError:  # a label or a query that the tool refuses
            continue
        if find_difference({task: np.asarray(value)}, given, ulps) is None:
            yield TITLES.get(name, name)


def describe_factor(case: Case, given: Output) -> str:
    """Describe the one factor by which all numbers, or all steps of a round, depart from the right ones; or ""."""
    for name, right in case.answers[0].output.items():
        if given[name].shape != right.shape or right.dtype.kind != "f":
            continue
        start = case.input.get(name, 0.0)  # of a round, the scores before it
        factor = find_factor(given[name] - start, right - start)
        names = [words for words, value in list_factors(case) if math.isclose(factor, value, rel_tol=SAME)]
        if names or (factor and right.size > 1):
            what = "steps" if name in case.input else "values"
            return f"your {what} are {factor:.6g} times the right ones" + (f": {names[0]}" if names else "")
    return ""


def find_factor(given: NDArray[Any], right: NDArray[Any]) -> float:
    """Return the factor between two arrays; 0 if there is none, or if it is 1."""
    is_compared = right != 0
    if not is_compared.any() or given[~is_compared].any():
        return 0.0
    factors = given[is_compared] / right[is_compared]
    factor = float(factors.flat[0])
    is_same = np.allclose(factors, factor, rtol=SAME, atol=0.0) and math.isfinite(factor)
    return factor if is_same and not math.isclose(factor, 1.0, rel_tol=SAME) else 0.0


def list_factors(case: Case) -> Iterator[tuple[str, float]]:
    """Yield the factors that have a name in a case."""
    values = thaw(case.input)
    scores = values.get("scores")
    K = values.get("n_classes") or (scores.shape[1] if isinstance(scores, np.ndarray) and scores.ndim == 2 else 0)
    if K > 1:
        yield "the factor (K-1)/K is missing", K / (K - 1)
        yield "the factor (K-1)/K is there twice", (K - 1) / K
    if nu := values.get("learning_rate", 0.0):
        yield "the factor nu is missing", 1 / nu
        yield "the factor nu is there twice", nu
    yield "the sign is swapped", -1.0
    yield "they are doubled", 2.0
    yield "they are halved", 0.5
    yield "the logarithm has base e, instead of 2", 1 / math.log(2)
