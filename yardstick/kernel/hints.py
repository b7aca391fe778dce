"""Hints: what explains a port's numbers in the cases that do not agree.

mutants     the specification with one planted mistake (yardstick/mutants.txt) computes the port's numbers, bit for
            bit, in most cases that do not agree, and in most that do
patterns    otherwise: the numbers are alike, in most cases that do not agree
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np

from refrank.trees import splitting
from refrank.trees.foreign.contiguous import UNWRITTEN
from refrank.trees.numbers.ulps import find_different
from yardstick.kernel.case import Trial, find_difference, run_case
from yardstick.planting import Mistake, list_mutants, plant

LOOKED_AT = 16  # cases that do not agree, and as many that do
NEVER_WRITTEN = int.from_bytes(bytes([UNWRITTEN]) * 8, "little")
NEAR = 2.0**-20  # of the largest number: rounding may move the others as far, also in float32


def find_hint(wrong: Sequence[Trial], right: Sequence[Trial]) -> str | None:
    """Find a hint for the cases that do not agree; there may be none."""
    wrong, right = (trials[:: max(1, len(trials) // LOOKED_AT)] for trials in (wrong, right))
    with np.errstate(all="ignore"):  # wrong numbers may have any value
        tried = list_mutants("in", wrong[0].case.function) if wrong else []
        counts = {mutant: [count_explained(mutant, trials) for trials in (wrong, right)] for mutant in tried}
        likely = [mutant for mutant, (n, m) in counts.items() if 2 * n > len(wrong) and 2 * m >= len(right)]
        if likely:
            return max(likely, key=lambda mutant: sum(counts[mutant])).words
        patterns = Counter(hint for trial in wrong for hint in list_patterns(trial))
    return next((hint for hint, n_cases in patterns.most_common(1) if 2 * n_cases > len(wrong)), None)


def count_explained(mutant: Mistake, trials: Sequence[Trial]) -> int:
    """Count the cases in which the specification with a mistake computes the port's numbers."""
    n_explained = 0
    with plant(mutant):
        for trial in trials:
            with suppress(ValueError, IndexError):  # with this mistake, the function does not finish here
                n_explained += find_difference(run_case(splitting, trial.case), trial.theirs) is None
    return n_explained


def list_patterns(trial: Trial) -> Iterator[str]:
    """Yield the patterns of a case's numbers."""
    pairs = [(name, own, trial.theirs[name]) for name, own in trial.ours.items()]
    wrong = [(*pair, find_different(*pair[1:])) for pair in pairs if pair[1].shape == pair[2].shape]
    wrong = [each for each in wrong if each[-1].any()]
    for name, own, other, differs in wrong:
        held = (other == NEVER_WRITTEN) | (other - own == NEVER_WRITTEN)
        if own.dtype == np.int64 and held[differs].any():
            yield f"{name} holds what it held before the call: begin with zeros, and write every entry"
        n_left = int(trial.ours.get("n_left", 0))
        if name == "rows" and {*own[:n_left]} == {*other[:n_left]}:
            yield "each side keeps the order of its rows"
    floats = [(own[at], other[at]) for _, own, other, at in wrong if own.dtype.kind == "f"]
    if len(floats) == len(wrong) and all((abs(own - other) <= NEAR * abs(own).max()).all() for own, other in floats):
        yield "off by rounding: keep to the operations of rules 3 and 5, in float64 and in order, none of them fused"
