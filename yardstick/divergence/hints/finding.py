"""Finding a hint.

A hint is a guess from the numbers alone. Each rule looks at the expected and the found entries of one record, and is
asked in the order of `RULES`; the first that fits all entries speaks.
"""

from collections.abc import Callable

from yardstick.divergence.consequences.evidence import MISFITS, Evidence
from yardstick.divergence.hints.numbers import factor, shape, shifted, sums_in_float
from yardstick.divergence.hints.training import (
    by_draws,
    edges,
    lawful_tree,
    other_convention,
    stale,
    wrong_cut,
)
from yardstick.divergence.judging import Judgement

Rule = Callable[[Judgement, Evidence], str | None]
RULES: tuple[Rule, ...] = (
    lawful_tree,
    shape,
    stale,
    by_draws,
    edges,
    wrong_cut,
    other_convention,
    factor,
    shifted,
    sums_in_float,
)


def find_hint(judgement: Judgement, evidence: Evidence) -> str | None:
    """Name the mistake that explains a difference; None where no pattern is known."""
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
