"""Choices that the papers leave open: whether a port's record is right under a choice other than refrank's.

stage        the choice
cut          which of the cuts that gain equally
partition    which of the nodes whose cuts gain equally is cut first
tree         of a forest: the choice of cut, in every node
order        which of the rows of a query with equal scores comes first
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.trees.numbers.ulps import find_different
from yardstick.divergence.consequences import growth
from yardstick.divergence.consequences.evidence import MISFITS, Arrays, Evidence
from yardstick.divergence.consequences.forest_choice import tree_by_choice
from yardstick.numbers.digest import digest
from yardstick.traces.stages import Field, Place, Record


def is_lawful(evidence: Evidence, place: Place, expected: Arrays, theirs: Record) -> bool:
    """Return whether an unexpected record is another choice that the papers leave open."""
    if theirs.stage not in CHOICES:
        return False
    try:
        return CHOICES[theirs.stage](evidence, place, expected, theirs)
    except MISFITS:
        return False


def is_lawful_cut(evidence: Evidence, place: Place, expected: Arrays, theirs: Record) -> bool:
    """Return whether every other cut ties with the best one of its node, and its record is right."""
    nodes, cut = expected["nodes"], theirs.values("cut")
    gains = theirs.values("split_gain")
    if (
        cut is None
        or gains is None
        or cut.shape != expected["cut"].shape
        or gains.shape != expected["split_gain"].shape
    ):
        return False
    if "nodes" in theirs.fields and theirs.fields["nodes"].digest != digest(nodes):
        return False
    sums, offsets = evidence.array("histogram", place, "sums"), evidence.array("bins", Place(), "offsets")
    for i in range(len(nodes)):
        if (cut[i] == expected["cut"][i]).all() and gains[i] == expected["split_gain"][i]:
            continue
        feature, bin = int(cut[i, 0]), int(cut[i, 1])
        if not growth.rank_cuts_of(evidence, place, i).holds(feature, bin):
            return False
        slots = sums[i][int(offsets[feature]) : int(offsets[feature + 1])].astype(np.int64)
        left, gain = slots[: bin + 1].sum(axis=0), growth.find_gain(evidence, slots, feature, bin)
        if gains[i] != gain or cut[i, 2:].tolist() != [int(left[0]), int(left[1]), int(left[-1])]:
            return False
    return True


def is_lawful_growth(evidence: Evidence, place: Place, expected: Arrays, theirs: Record) -> bool:
    """Return whether the tree cut other nodes, whose cuts gain equally."""
    nodes = theirs.values("nodes")
    if nodes is None:
        return False
    other = growth.partition(evidence, place, preferred=nodes.tolist())
    return all(is_same_as(other[name], theirs.fields[name], 0) for name in other if name in theirs.fields)


def is_lawful_order(evidence: Evidence, place: Place, expected: Arrays, theirs: Record) -> bool:
    """Return whether rows only traded places with rows of equal scores in their query."""
    rows, scores, qid = theirs.values("rows"), evidence.array("prediction", Place(), "values"), evidence.data("qid")
    if rows is None or rows.shape != expected["rows"].shape or sorted(rows.tolist()) != list(range(len(rows))):
        return False
    same_query = qid[rows] == qid[expected["rows"]]
    return bool(same_query.all() and (scores[rows] == scores[expected["rows"]]).all())


def is_lawful_tree(evidence: Evidence, place: Place, expected: Arrays, theirs: Record) -> bool:
    """Return whether a tree of a forest follows from the port's choice among tied cuts."""
    feature, bin = theirs.values("feature"), theirs.values("bin")
    if feature is None or bin is None or feature.ndim != 1 or feature.shape != bin.shape:
        return False
    other = tree_by_choice(evidence, place, feature.tolist(), bin.tolist())
    return all(is_same_as(other[name], theirs.fields[name], 0) for name in other if name in theirs.fields)


def is_same_as(expected: NDArray[Any], theirs: Field, ulps: int) -> bool:
    """Return whether a field holds the expected numbers."""
    if np.shape(expected) != theirs.shape:
        return False
    if theirs.values is None or ulps == 0:
        return digest(expected) == theirs.digest
    return not find_different(np.asarray(expected), theirs.values, ulps).any()


CHOICES: Mapping[str, Callable[[Evidence, Place, Arrays, Record], bool]] = {
    "cut": is_lawful_cut,
    "partition": is_lawful_growth,
    "tree": is_lawful_tree,
    "order": is_lawful_order,
}
