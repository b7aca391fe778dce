"""Hints: what explains a port's numbers in the cases that do not agree.

certain      a trace that only one kind of mistake leaves, in some case
mutants      the specification with one planted mistake (yardstick/mutants.py) computes the port's numbers, bit for
             bit, in most cases that do not agree; of several, the one that does so in most of all cases
patterns     the numbers are alike, in most cases that do not agree
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Ints, Rows
from refrank.trees import splitting
from refrank.trees.foreign.contiguous import UNWRITTEN
from refrank.trees.numbers.ulps import find_different
from refrank.trees.splitting import Split, grow_deep
from yardstick.kernel.case import KernelCase, Outputs, find_difference, run_case
from yardstick.mutants import list_mutants, plant
from yardstick.planting import Mistake

Example = tuple[KernelCase, Outputs, Outputs]  # right outputs, and the port's
LOOKED_AT = 16  # cases that do not agree, and as many that do
NEVER_WRITTEN = int.from_bytes(bytes([UNWRITTEN]) * 8, "little")
OFF = "off by a few units in the last place: another exp, another order of operations, or two of them fused"
NEAR = {  # an output, the most units in the last place by which it is off, and what is said then
    "split_gain": (2**20, "the gain is off by rounding: keep to the operations of rule 3, in order, none fused"),
    "result": (8, OFF),
    "proba": (8, OFF),
}


def find_hint(wrong: Sequence[Example], right: Sequence[Example]) -> str | None:
    """Find a hint for the cases that do not agree; there may be none."""
    wrong, right = (examples[:: max(1, len(examples) // LOOKED_AT)] for examples in (wrong, right))
    with np.errstate(all="ignore"):  # wrong numbers may have any value
        certain = Counter(hint for example in wrong for hint in list_certain(*example))
        for hint, _ in certain.most_common(1):
            return hint
        tried = list_mutants("in", wrong[0][0].function) if wrong else []
        likely = [mutant for mutant in tried if 2 * count_explained(mutant, wrong) > len(wrong)]
        if likely:
            return max(likely, key=lambda mutant: count_explained(mutant, [*wrong, *right])).words
        patterns = Counter(hint for example in wrong for hint in list_patterns(*example))
    return next((hint for hint, n_cases in patterns.most_common(1) if 2 * n_cases > len(wrong)), None)


def count_explained(mutant: Mistake, examples: Sequence[Example]) -> int:
    """Count the cases in which the specification with a mistake computes the port's numbers."""
    with plant(mutant):
        return sum(is_computed(case, theirs) for case, _, theirs in examples)


def is_computed(case: KernelCase, theirs: Outputs) -> bool:
    """Return whether the specification, as it is changed, computes the port's numbers."""
    try:
        return find_difference(run_case(splitting, case), theirs) is None
    except (ValueError, IndexError):  # with this mistake, the function does not finish here
        return False


def list_certain(case: KernelCase, ours: Outputs, theirs: Outputs) -> Iterator[str]:
    """Yield the hints that a case alone makes certain."""
    for _, own, other in list_wrong(ours, theirs):
        if other.dtype == np.int64 and own.any() and (other - own == NEVER_WRITTEN).all():
            yield "the result was added to what it held before the call: begin with zeros"
        elif other.dtype == np.int64 and (other == NEVER_WRITTEN).any():
            yield "an entry of the result was never written"
    if case.function == "partition" and ours["n_left"] == theirs["n_left"]:
        sides = ([np.sort(side).tolist() for side in np.split(own["rows"], [ours["n_left"]])] for own in (ours, theirs))
        yield from ["each side keeps the order of its rows"] * (next(sides) == next(sides))
    if case.function == "grow_deep":
        yield from hint_at_node(case, ours, theirs)


def hint_at_node(case: KernelCase, ours: Outputs, theirs: Outputs) -> Iterator[str]:
    """Examine the first node of a deep tree that differs: its sums, and the features on which it may be cut."""
    n_both = min(len(ours["feature"]), len(theirs["feature"]))
    first = {name: int(np.argmax(np.append(ours[name][:n_both] != theirs[name][:n_both], True))) for name in ours}
    node, drawn = min(first.values()), dict[int, Rows]()
    if node < n_both and node in (first["count"], first["sum"]):
        yield "the sums of a node: row i counts as counts[i] rows of integers[i]"

    def choose(number: int, features: Rows, places: Ints, sums: Ints, best: Split) -> Split:
        drawn[number] = features
        return best

    grow_deep(*case.make(), choose=choose)
    if node < n_both and node in drawn and theirs["feature"][node] not in (-1, *drawn[node]):
        below = "the key of a left child is draw(key, 0) of its parent's, that of a right one draw(key, 1)"
        which = "candidate j is drawn by draw(key, 2 + j)" if node == 0 else below
        yield f"{'the root' if node == 0 else 'a node below the root'} is cut on a feature that is not drawn: {which}"


def list_patterns(case: KernelCase, ours: Outputs, theirs: Outputs) -> Iterator[str]:
    """Yield the patterns of a case's numbers, if those of one output alone are wrong."""
    wrong = list_wrong(ours, theirs)
    for name, own, other in wrong[: len(wrong) == 1]:
        if name in NEAR and (np.abs(own - other) <= NEAR[name][0] * np.spacing(np.abs(own))).all():
            yield NEAR[name][1]
        is_near = (np.abs(own - other) <= np.abs(own) * 2.0**-18).mean() > 0.5
        if name == "sums" and is_near and (other.astype(np.float32).astype(np.int64) == other).all():
            yield "sums agree to 24 bits, and are float32 numbers: add integers, or float64"


def list_wrong(ours: Outputs, theirs: Outputs) -> list[tuple[str, NDArray[Any], NDArray[Any]]]:
    """List the entries that differ of each output that has some, right and wrong."""
    alike = [(name, own, theirs[name]) for name, own in ours.items() if own.shape == theirs[name].shape]
    marked = ((name, own, other, find_different(own, other)) for name, own, other in alike)
    return [(name, own[wrong], other[wrong]) for name, own, other, wrong in marked if wrong.any()]
