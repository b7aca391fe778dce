"""The level of a port: how near everything that it offers is to refrank's (docs/port/conformance.md has the table)."""

from collections.abc import Sequence

import numpy as np

from yardstick.divergence.comparing import compare_traces
from yardstick.divergence.comparison import Mode, TraceComparison
from yardstick.numbers.arithmetic import Arithmetic
from yardstick.traces.reader import Trace
from yardstick.vectors.case import thaw
from yardstick.vectors.reading import load_own
from yardstick.vectors.running import Outcome

MODES = Mode("float32"), Mode("float32"), Mode("float64"), Mode()  # of each level
MEANINGS = "metrics", "trees within float32", "trees within float64", "every bit"
HIGHEST = len(MODES) - 1
WRONG = "failed", "raised"  # of the verdicts on a case


def hold_level(level: int, golden: Trace, theirs: Trace, comparison: TraceComparison) -> int:
    """Return the highest level up to one that a training holds; `comparison` is the one that is already made."""
    for possible in range(level, 0, -1):
        is_made = comparison.mode == MODES[possible]
        if (comparison if is_made else compare_traces(golden, theirs, MODES[possible])).passes:
            return possible
    return 0


def choose_level(level: int, has_trained: bool, outcomes: Sequence[Outcome]) -> int | None:
    """Return the level of a port, given the one that its trainings hold, and the outcomes of the vectors."""
    offered = [outcome for outcome in outcomes if outcome.verdict != "not offered"]
    metrics = [outcome for outcome in offered if outcome.case.startswith("metrics/")]
    highest = level if has_trained else 0
    if any(outcome.verdict in WRONG for outcome in offered):
        highest = min(highest, HIGHEST - 1)
    for possible in range(highest, -1 if metrics else 0, -1):
        if all(is_near(outcome, MODES[possible].arithmetic) for outcome in metrics):
            return possible
    return None


def is_near(outcome: Outcome, arithmetic: Arithmetic) -> bool:
    """Return whether a metric is right, or its first wrong number one that an honest arithmetic may give."""
    wrong = outcome.difference
    if wrong is None or isinstance(wrong.expected, tuple):  # which are shapes
        return outcome.verdict not in WRONG
    size = next(thaw(case.input)["y"].size for case in load_own().cases if case.id == outcome.case)
    return bool(abs(wrong.actual - wrong.expected) <= arithmetic.bound_metric(np.abs(wrong.expected), size))


def describe_level(level: int | None) -> str:
    """Describe a level in words.

    >>> describe_level(1), describe_level(None)
    ('L1, trees within float32', 'none')
    """
    return "none" if level is None else f"L{level}, {MEANINGS[level]}"
