"""Finding a hint.

A hint is a guess from the numbers alone. Each rule compares the expected and the found entries of one record. The rules
are tried in the order of `RULES`; the first that fits all entries gives the hint.
"""

from collections.abc import Callable

from yardstick.divergence.consequences.evidence import MISFITS, Evidence
from yardstick.divergence.hints.numbers import find_factor, find_float_sums, find_other_length, find_shift
from yardstick.divergence.hints.training import (
    find_other_convention,
    find_other_cut,
    find_other_draws,
    find_other_tree,
    find_rows_on_cuts,
    find_stale,
)
from yardstick.divergence.judging import Judgement

Rule = Callable[[Judgement, Evidence], str | None]
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
    find_float_sums,
)


def find_hint(judgement: Judgement, evidence: Evidence) -> str | None:
    """Name the mistake that explains a difference; None if no pattern fits."""
    if judgement.expected is None or judgement.actual is None:
        return None
    for rule in RULES:
        try:
            hint = rule(judgement, evidence)
        except MISFITS:
            continue
        if hint is not None:
            return hint
    return None
