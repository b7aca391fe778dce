"""Hints: what explains a port's numbers in the cases that do not agree.

certain      a trace that only one kind of mistake leaves, in some case
mutants      the specification with one planted mistake (yardstick/mutants.txt) computes the port's numbers, bit for
             bit, in most cases that do not agree, and in most that do
patterns     the numbers are alike, in most cases that do not agree
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Ints, Rows
from refrank.trees import splitting
from refrank.trees.foreign.contiguous import UNWRITTEN
from refrank.trees.numbers.ulps import find_different
from refrank.trees.splitter import name_arguments
from refrank.trees.splitting import Split, grow_deep
from yardstick.kernel.case import Trial, find_difference, run_case
from yardstick.planting import Mistake, list_mutants, plant

LOOKED_AT = 16  # cases that do not agree, and as many that do
NEVER_WRITTEN = int.from_bytes(bytes([UNWRITTEN]) * 8, "little")


def find_hint(wrong: Sequence[Trial], right: Sequence[Trial]) -> str | None:
    """Find a hint for the cases that do not agree; there may be none."""
    wrong, right = (trials[:: max(1, len(trials) // LOOKED_AT)] for trials in (wrong, right))
    with np.errstate(all="ignore"):  # wrong numbers may have any value
        for hint, _ in Counter(hint for trial in wrong for hint in list_certain(trial)).most_common(1):
            return hint
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


def list_certain(trial: Trial) -> Iterator[str]:
    """Yield the hints that a case alone makes certain."""
    case, ours, theirs, *_ = trial
    for _, own, other in list_wrong(trial):
        if other.dtype == np.int64 and own.any() and (other - own == NEVER_WRITTEN).all():
            yield "the result was added to what it held before the call: begin with zeros"
        elif other.dtype == np.int64 and (other == NEVER_WRITTEN).any():
            yield "an entry of the result was never written"
    if case.function == "partition" and ours["n_left"] == theirs["n_left"]:
        sides = (np.split(outputs["rows"], [ours["n_left"]]) for outputs in (ours, theirs))
        if all(sorted(own) == sorted(other) for own, other in zip(*sides, strict=True)):
            yield "each side keeps the order of its rows"
    if case.function == "grow_deep" and trial.difference is not None and trial.difference["place"]:
        yield from hint_at_node(trial, trial.difference["place"][0])


def hint_at_node(trial: Trial, node: int) -> Iterator[str]:
    """Examine the first node of a deep tree that differs: its sums, and the features on which it may be cut."""
    if any(trial.ours[name][node] != trial.theirs[name][node] for name in ("count", "sum")):
        yield "the sums of a node: row i counts as counts[i] rows of integers[i]"
    drawn = dict[int, Rows]()

    def choose(number: int, features: Rows, places: Ints, sums: Ints, best: Split) -> Split:
        drawn[number] = features
        return best

    grow_deep(*trial.case.make(), choose=choose)
    if node in drawn and trial.theirs["feature"][node] not in (-1, *drawn[node]):
        below = "the key of a left child is draw(key, 0) of its parent's, that of a right one draw(key, 1)"
        which = "candidate j is drawn by draw(key, 2 + j)" if node == 0 else below
        yield f"{'the root' if node == 0 else 'a node below the root'} is cut on a feature that is not drawn: {which}"


def list_patterns(trial: Trial) -> Iterator[str]:
    """Yield the patterns of a case's numbers, if those of one output alone are wrong."""
    wrong = list_wrong(trial)
    for name, own, other in wrong[: len(wrong) == 1]:
        if name in ("result", "proba") and (np.abs(own - other) <= 8.0 * np.spacing(np.abs(own))).all():
            yield "off by a few units in the last place: another exp, another order of operations, or two of them fused"
        if name == "split_gain" and is_rounded(trial):
            yield "the gain is off by rounding: keep to the operations of rule 3, in order, none fused"
        is_near = (np.abs(own - other) <= np.abs(own) * 2.0**-18).mean() > 0.5
        if name == "sums" and is_near and (other.astype(np.float32).astype(np.int64) == other).all():
            yield "sums agree to 24 bits, and are float32 numbers: add integers, or float64"


def is_rounded(trial: Trial) -> bool:
    """Return whether rounding explains the gains: 64 units in the last place of S^2/n, summed over the sides of a cut.

    This sum, the gain plus S^2/n of the node, is E. With u = 2^-53, rule 3 moves a gain by at most 12 u E, and another
    order of its operations, or one of S^2/n, by 16 u E; the gain of a cut in three has two such parts.
    """
    given, ours = name_arguments(trial.case.function, trial.case.make()), trial.ours
    if "sum" in ours:  # of each node of a tree
        total, weight = ours["sum"], ours["weight"]
    else:  # every feature has all rows of the node
        slots = given["sums"] if "sums" in given else given["coarse_sums"][:, :-1]
        total, weight = slots[:, [0, -1]].sum(axis=0) / (len(given["offsets"]) - 1)
    of_sides = ours["split_gain"] + total * (total / np.maximum(weight, 1))
    distance = np.abs(ours["split_gain"] - trial.theirs["split_gain"])
    return bool((distance <= 64.0 * np.spacing(of_sides)).all())


def list_wrong(trial: Trial) -> list[tuple[str, NDArray[Any], NDArray[Any]]]:
    """List the entries that differ of each output that has some, right and wrong."""
    pairs = [(name, own, trial.theirs[name]) for name, own in trial.ours.items()]
    marked = [(*pair, find_different(*pair[1:])) for pair in pairs if pair[1].shape == pair[2].shape]
    return [(name, own[wrong], other[wrong]) for name, own, other, wrong in marked if wrong.any()]
