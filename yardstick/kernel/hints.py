"""Hints: what explains a port's numbers in the cases that do not agree.

mutants     the specification with one planted mistake (yardstick/mutants.txt) computes the port's numbers, bit for
            bit, in most cases that do not agree, and in most that do
rounding    otherwise: the numbers differ by little, in most cases that do not agree
"""

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from refrank.trees import splitting
from refrank.trees.numbers.ulps import find_different
from yardstick.kernel.case import Trial, find_difference, run_case
from yardstick.planting import Mistake, list_mutants, plant

LOOKED_AT = 16  # cases that do not agree, and as many that do
NEAR = 2.0**-20  # of the largest number: rounding may move the others as far, also in float32
ROUNDING = "off by rounding: keep to the operations of rules 3 and 5, in float64 and in order, none of them fused"


def find_hint(wrong: Sequence[Trial], right: Sequence[Trial]) -> str | None:
    """Find a hint for the cases that do not agree; there may be none."""
    wrong, right = (trials[:: max(1, len(trials) // LOOKED_AT)] for trials in (wrong, right))
    with np.errstate(all="ignore"):  # wrong numbers may have any value
        tried = list_mutants("in", wrong[0].case.function) if wrong else []
        counts = {mutant: [count_explained(mutant, trials) for trials in (wrong, right)] for mutant in tried}
        likely = [mutant for mutant, (n, m) in counts.items() if 2 * n > len(wrong) and 2 * m >= len(right)]
        if likely:
            return max(likely, key=lambda mutant: sum(counts[mutant])).words
        return ROUNDING if 2 * sum(map(is_rounding, wrong)) > len(wrong) else None


def count_explained(mutant: Mistake, trials: Sequence[Trial]) -> int:
    """Count the cases in which the specification with a mistake computes the port's numbers."""
    n_explained = 0
    with plant(mutant):
        for trial in trials:
            with suppress(ValueError, IndexError):  # with this mistake, the function does not finish here
                n_explained += find_difference(run_case(splitting, trial.case), trial.theirs) is None
    return n_explained


def is_rounding(trial: Trial) -> bool:
    """Return whether floats alone differ, by little."""
    for name, own in trial.ours.items():
        other = trial.theirs[name]
        if own.shape != other.shape:
            return False
        wrong = find_different(own, other)
        is_near = abs(own - other)[wrong] <= NEAR * abs(own[wrong]).max(initial=0.0)
        if wrong.any() and not (own.dtype.kind == "f" and is_near.all()):
            return False
    return True
