"""Finding a hint.

A hint is a guess from the numbers alone. Each rule compares the expected and the found entries of one record, and is
tried on all of them: a hint is given only if it makes the numbers that were found. The rules are tried in the order of
`RULES`; the first that fits gives the hint.
"""

from collections.abc import Callable
from typing import Any

from yardstick.divergence.hints.evidence import Evidence
from yardstick.divergence.hints.numbers import find_factor, find_other_length, find_rounding, find_shift
from yardstick.divergence.hints.training import (
    find_other_convention,
    find_other_cut,
    find_other_draws,
    find_other_tree,
    find_rows_on_cuts,
    find_stale,
)
from yardstick.divergence.judging import Judge, Judgement

Rule = Callable[[Evidence], str | None]
RULES: tuple[Rule, ...] = (
    find_other_tree,
    find_other_length,
    find_stale,
    find_other_draws,
    find_rows_on_cuts,
    find_other_cut,
    find_other_convention,
    find_factor,
    find_shift,
    find_rounding,
)


def find_hint(judgement: Judgement, judge: Judge, ranker: Any) -> str | None:
    """Name the mistake that explains a difference; None if no pattern fits."""
    expected, actual = judgement.expected, judgement.actual
    if expected is None or actual is None:
        return None
    where = judgement.stage, judgement.place, judgement.verdict, judgement.field
    evidence = Evidence(*where, expected, actual, judgement.index, judge, ranker)
    for rule in RULES:
        try:
            hint = rule(evidence)
        except (KeyError, ValueError, IndexError, TypeError, OverflowError):  # a port's arrays may not fit together
            continue
        if hint is not None:
            return hint
    return None
