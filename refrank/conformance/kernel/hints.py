"""Hints: what a port may have done that gives just its numbers, where the pattern is known.

Most hints run the specification with one mistake built in (`mistakes.py`), and speak only if its outputs are those of
the port, in every bit. A mistake may look like another one in a single case: ask for hints of several cases, and take
the one that fits most of them.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from refrank.conformance.kernel.case import RETURNED, WRITTEN, Case, Outputs, find_difference
from refrank.conformance.kernel.mistakes import MISTAKES
from refrank.trees.contiguous import UNWRITTEN

NEVER_WRITTEN = int.from_bytes(bytes([UNWRITTEN]) * 8, "little")


def list_hints(case: Case, ours: Outputs, theirs: Outputs) -> Iterator[str]:
    """Yield the hints that fit, the most certain ones first."""
    names = [*RETURNED.get(case.function, ()), WRITTEN.get(case.function, "")]
    pairs = [(ours[name], theirs[name]) for name in names if name in ours and ours[name].shape == theirs[name].shape]
    for one, other in pairs:
        wrong = one != other
        if other.dtype == np.int64 and one[wrong].any() and (other - one == NEVER_WRITTEN)[wrong].all():
            yield "the result was added to what it held before the call: begin with zeros"
        elif other.dtype == np.int64 and (other == NEVER_WRITTEN).any():
            yield "an entry of the result was never written"
    for text, imitate in MISTAKES.get(case.function, {}).items():
        if imitates(imitate, case, theirs):
            yield text
    if case.function == "partition" and holds_same_rows(ours, theirs):
        yield "each side keeps the order of its rows"
    if case.function.startswith("best_split") and is_near(ours["split_gain"], theirs["split_gain"]):
        yield "the gain is off by a few units in the last place: keep to the operations of rule 3, in order, none fused"
    for one, other in pairs:
        if other.dtype == np.int64 and other.ndim and is_float32(one, other):
            yield "sums agree to 24 bits, and are float32 numbers: add integers, or float64"
        if case.function in ("exp", "softmax") and is_near(one, other):
            yield "off by a few units in the last place: another exp, another order of operations, or two of them fused"
    if case.function == "grow_deep":
        yield from hint_at_node(ours, theirs)


def imitates(imitate: Callable[..., Any], case: Case, theirs: Outputs) -> bool:
    """Say whether the specification with a mistake makes the outputs of the port."""
    arguments = [one.copy(order="K") if isinstance(one, np.ndarray) else one for one in case.make()]
    try:
        made = imitate(*arguments)
    except (ValueError, IndexError):  # the mistake does not lead to an end here
        return False
    return made is not None and find_difference({name: np.asarray(one) for name, one in made.items()}, theirs) is None


def is_float32(one: Any, other: Any) -> bool:
    """Say whether integers that should be equal agree to 24 bits, and hold no more."""
    if not (one != other).any():
        return False
    near = np.abs(one - other) <= np.abs(one.astype(np.float64)) * 2.0**-18
    return bool((near.mean() > 0.5) and (other.astype(np.float32).astype(np.float64) == other).all())


def holds_same_rows(ours: Outputs, theirs: Outputs) -> bool:
    """Say whether two partitions have the same rows on both sides."""
    n_left = int(ours["n_left"])
    sides = ([np.sort(one["rows"][:n_left]), np.sort(one["rows"][n_left:])] for one in (ours, theirs))
    return n_left == int(theirs["n_left"]) and all(map(np.array_equal, *sides))


def is_near(one: Any, other: Any) -> bool:
    """Say whether floats differ, by at most 8 units in the last place."""
    differ = ~((one == other) | (np.isnan(one) & np.isnan(other)))
    return bool(differ.any() and (np.abs(one - other)[differ] <= 8 * np.spacing(np.abs(one[differ]))).all())


def hint_at_node(ours: Outputs, theirs: Outputs) -> Iterator[str]:
    """Look at the first node of a deep tree that differs."""
    n_both = min(len(ours["feature"]), len(theirs["feature"]))
    wrong = {name: ours[name][:n_both] != theirs[name][:n_both] for name in ours}
    first = {name: int(np.argmax(one)) if one.any() else math.inf for name, one in wrong.items()}
    node = min(first.values())
    if first["count"] == node or first["sum"] == node:
        yield "the sums of a node: row i counts as counts[i] rows of integers[i]"
    elif node == 0:
        yield "the root: its features are drawn by draw(key, 2), draw(key, 3), ..., and only these may be cut on"
    elif node < math.inf:
        yield "the root agrees, not a node below: the key of a left child is draw(key, 0), of a right one draw(key, 1)"
