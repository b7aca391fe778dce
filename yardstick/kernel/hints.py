"""Hints: known mistakes that produce exactly a port's numbers.

Most hints run the specification with one planted mistake (`mistakes.py`), and apply only if its outputs equal those of
the port bit for bit. In a single case, one mistake may look like another: collect the hints of several cases, and take
the one that fits most of them.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from refrank.trees.foreign.contiguous import UNWRITTEN
from refrank.trees.numbers.draws import child_key, feature_subset
from yardstick.kernel.case import RETURNED, WRITTEN, KernelCase, Outputs, find_difference, run_case
from yardstick.kernel.mistakes import list_mistakes, make_mistake
from yardstick.planting import Mistake

NEVER_WRITTEN = int.from_bytes(bytes([UNWRITTEN]) * 8, "little")


def list_hints(case: KernelCase, ours: Outputs, theirs: Outputs) -> Iterator[str]:
    """Yield the hints that fit, most certain first."""
    names = [*RETURNED.get(case.function, ()), WRITTEN.get(case.function, "")]
    pairs = [(ours[name], theirs[name]) for name in names if name in ours and ours[name].shape == theirs[name].shape]
    for own, other in pairs:
        wrong = own != other
        if other.dtype == np.int64 and own[wrong].any() and (other - own == NEVER_WRITTEN)[wrong].all():
            yield "the result was added to what it held before the call: begin with zeros"
        elif other.dtype == np.int64 and (other == NEVER_WRITTEN).any():
            yield "an entry of the result was never written"
    yield from (mistake.words for mistake in list_mistakes(case.function) if explains(mistake, case, theirs))
    if case.function == "partition" and holds_same_rows(ours, theirs):
        yield "each side keeps the order of its rows"
    if case.function.startswith("best_split") and is_near(ours["split_gain"], theirs["split_gain"]):
        yield "the gain is off by a few units in the last place: keep to the operations of rule 3, in order, none fused"
    for own, other in pairs:
        if case.function in ("histogram", "root_sums", "leaf_sums") and is_float32(own, other):
            yield "sums agree to 24 bits, and are float32 numbers: add integers, or float64"
        if case.function in ("exp", "softmax") and is_near(own, other):
            yield "off by a few units in the last place: another exp, another order of operations, or two of them fused"
    if case.function == "grow_deep":
        yield from hint_at_node(case, ours, theirs)


def explains(mistake: Mistake, case: KernelCase, theirs: Outputs) -> bool:
    """Return whether the specification with a mistake produces the outputs of the port."""
    try:
        return find_difference(run_case(make_mistake(mistake), case), theirs) is None
    except (ValueError, IndexError):  # with this mistake, the function does not finish here
        return False


def is_float32(own: Any, other: Any) -> bool:
    """Return whether integers that should be equal agree to 24 bits, and hold no more bits."""
    if not (own != other).any():
        return False
    near = np.abs(own - other) <= np.abs(own.astype(np.float64)) * 2.0**-18
    return bool((near.mean() > 0.5) and (other.astype(np.float32).astype(np.float64) == other).all())


def holds_same_rows(ours: Outputs, theirs: Outputs) -> bool:
    """Return whether two partitions have the same rows on both sides."""
    n_left = int(ours["n_left"])
    sides = ([np.sort(own["rows"][:n_left]), np.sort(own["rows"][n_left:])] for own in (ours, theirs))
    return n_left == int(theirs["n_left"]) and all(map(np.array_equal, *sides))


def is_near(own: Any, other: Any) -> bool:
    """Return whether floats differ, by at most 8 units in the last place."""
    differ = ~((own == other) | (np.isnan(own) & np.isnan(other)))
    return bool(differ.any() and (np.abs(own - other)[differ] <= 8 * np.spacing(np.abs(own[differ]))).all())


def hint_at_node(case: KernelCase, ours: Outputs, theirs: Outputs) -> Iterator[str]:
    """Examine the first node of a deep tree that differs: its sums, and the features on which it may be cut."""
    n_both = min(len(ours["feature"]), len(theirs["feature"]))
    first = {name: int(np.argmax(np.append(ours[name][:n_both] != theirs[name][:n_both], True))) for name in ours}
    node = min(first.values())
    if node == n_both:
        return
    if node in (first["count"], first["sum"]):
        yield "the sums of a node: row i counts as counts[i] rows of integers[i]"
    row_codes, *_, n_candidates, key = case.make()
    drawn = feature_subset(find_key(key, node, ours), n_candidates, row_codes.shape[1])
    if theirs["feature"][node] not in (-1, *drawn.tolist()):
        below = "the key of a left child is draw(key, 0) of its parent's, that of a right one draw(key, 1)"
        which = "candidate j is drawn by draw(key, 2 + j)" if node == 0 else below
        yield f"{'the root' if node == 0 else 'a node below the root'} is cut on a feature that is not drawn: {which}"


def find_key(key: int, node: int, tree: Outputs) -> int:
    """Find the key of a node's draws, by the path from the root."""
    keys = {0: key}
    for parent in range(node):
        if tree["feature"][parent] >= 0:
            for child, name in enumerate(("left", "right")):
                keys[int(tree[name][parent])] = child_key(keys[parent], child)
    return keys[node]
