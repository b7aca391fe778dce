"""The level of a port: how near everything that it offers is to refrank's (docs/port/conformance.md has the table)."""

import numpy as np

from yardstick.divergence.comparing import compare_traces
from yardstick.divergence.comparison import Mode, TraceComparison
from yardstick.traces.reader import Trace
from yardstick.vectors.case import thaw
from yardstick.vectors.reading import load_vectors
from yardstick.vectors.running import Outcome

MODES = Mode("float32"), Mode("float32"), Mode("float64"), Mode()  # of each level
MEANINGS = "metrics", "trees within float32", "trees within float64", "every bit"
HIGHEST = len(MODES) - 1
METRICS = "dcg", "ndcg", "err", "rmse"


def rate_training(golden: Trace, theirs: Trace, comparison: TraceComparison) -> int:
    """Return the highest level that a training holds; `comparison` is the one that is already made."""
    for level in range(HIGHEST, 0, -1):
        is_made = comparison.mode == MODES[level]
        if (comparison if is_made else compare_traces(golden, theirs, MODES[level], has_hints=False)).passes:
            return level
    return 0


def rate_outcome(outcome: Outcome) -> int:
    """Return the highest level that the outcome of a case allows; -1: a metric is beyond the bound of float32."""
    if outcome.verdict not in ("failed", "raised"):
        return HIGHEST
    if not outcome.case.startswith("metrics/"):
        return HIGHEST - 1
    wrong = outcome.difference
    if wrong is None or isinstance(wrong.expected, tuple):  # which are shapes
        return -1
    distance, size = abs(wrong.actual - wrong.expected), np.abs(wrong.expected)
    n = next(thaw(case.input)["y"].size for case in load_vectors().cases if case.id == outcome.case)
    levels = (level for level in range(HIGHEST - 1, 0, -1) if distance <= MODES[level].arithmetic.bound_metric(size, n))
    return next(levels, -1)


def describe_level(level: int | None) -> str:
    """Describe a level in words."""
    return "none" if level is None else f"L{level}, {MEANINGS[level]}"
