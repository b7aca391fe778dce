"""A tree recomputed from its input: histograms, cuts, the order of growth, rows, sums of leaves.

All of it runs on the NumPy specification, which raises an error if a foreign array points outside another one.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from refrank.arrays import Floats, Ints, Rows
from refrank.trees.bins.binning import BinnedFeatures
from refrank.trees.engine import SPECIFICATION
from refrank.trees.growth.midpoints import at_bins, at_midpoints
from refrank.trees.model.tree import LEAF, Tree
from yardstick.divergence.consequences.binning import bin_features, find_missing, find_offsets, put_weights_on_grid
from yardstick.divergence.consequences.evidence import Arrays, Evidence, Unknown
from yardstick.numbers.digest import digest
from yardstick.traces.contest import Contest, compare_cuts, find_gain_at
from yardstick.traces.stages import Place


def find_ranges(nodes: Sequence[int], n_left: Sequence[int], n_samples: int) -> list[tuple[int, int]]:
    """Find the range of rows of each node of a tree, given the nodes in the order in which they were cut."""
    ranges = [(0, n_samples)]
    for node, count in zip(nodes, n_left, strict=True):
        if not 0 <= node < len(ranges) or not 0 <= count <= ranges[node][1] - ranges[node][0]:
            raise ValueError(f"node {node} is cut with {count} rows on its left: it has no such rows")
        start, stop = ranges[node]
        ranges += [(start, start + count), (start + count, stop)]
    return ranges


def histogram(evidence: Evidence, place: Place) -> Arrays:
    """Sum the rows of each node in each bin, given which rows they are."""
    binned, integers = bin_features(evidence), evidence.array("grid", place, "integers").astype(np.int64)
    weights, _ = put_weights_on_grid(evidence)
    cut, n_left = (evidence.array("partition", place, name).tolist() for name in ("nodes", "n_left"))
    rows = evidence.array("partition", place, "rows").astype(np.int32)
    ranges = find_ranges(cut, n_left, len(rows))
    needed = find_looked(evidence, cut) if binned.missing is None else []
    nodes = sorted({*needed, *evidence.array("histogram", place, "nodes").tolist()})
    sums = []
    for node in nodes:
        start, stop = ranges[node]
        own = np.sort(rows[start:stop])
        sums.append(SPECIFICATION.splitter.histogram(binned.codes, binned.offsets, own, integers, weights, 1))
    return {
        "nodes": np.array(nodes, np.int64),
        "sums": np.stack(sums),
        "digests": np.array([digest(of_node) for of_node in sums], np.uint64),
    }


def find_looked(evidence: Evidence, cut: Sequence[int]) -> list[int]:
    """Find the nodes whose best cut is needed, given the nodes in the order in which they were cut."""
    ranker: Any = evidence.ranker
    n_leaves, max_depth = getattr(ranker, "n_leaves", None), getattr(ranker, "max_depth", None)
    depths, looked = [0], [0]
    for turn, node in enumerate(cut):
        left = len(depths)
        depths += [depths[node] + 1] * 2
        if depths[left] != max_depth and turn + 2 != n_leaves:
            looked += [left, left + 1]
    return looked


def cut(evidence: Evidence, place: Place) -> Arrays:
    """Find the best cut of each node in its histogram."""
    ranker: Any = evidence.ranker
    offsets, sums = find_offsets(evidence), evidence.array("histogram", place, "sums")
    nodes, missing = evidence.array("histogram", place, "nodes"), find_missing(evidence)
    features: Rows = np.arange(len(offsets) - 1, dtype=np.int32)
    best = SPECIFICATION.splitter.best_split
    splits = [
        best(np.ascontiguousarray(of_node, np.int64), offsets, features, ranker.min_samples_leaf, 1, missing)
        for of_node in sums
    ]
    return {
        "nodes": nodes,
        "cut": np.array([[*split[:2], *split[3:]] for split in splits], np.int64),
        "split_gain": np.array([split[2] for split in splits]),
    }


def rank_cuts_of(evidence: Evidence, place: Place, at: int) -> Contest:
    """Compare the cuts of one node; `at` is its position among the nodes with histograms."""
    ranker: Any = evidence.ranker
    offsets = find_offsets(evidence)
    sums = np.ascontiguousarray(evidence.array("histogram", place, "sums")[at], np.int64)
    features: Rows = np.arange(len(offsets) - 1, dtype=np.int32)
    return compare_cuts(sums, offsets, features, ranker.min_samples_leaf, find_missing(evidence))


def find_gain(evidence: Evidence, slots: Ints, feature: int, bin: int) -> float:
    """Compute the gain of a cut, given the slots of its feature in the histogram of a node."""
    missing = find_missing(evidence)
    return find_gain_at(slots, bin, 0 if missing is None else int(missing[feature]))


def partition(evidence: Evidence, place: Place, preferred: Sequence[int] = ()) -> Arrays:
    """Grow the tree again by the port's own best cuts: the nodes that are cut, their order, and the rows.

    Of nodes whose cuts gain equally, cut the one at this turn among the `preferred`, else the one made first.
    """
    ranker: Any = evidence.ranker
    binned = bin_features(evidence)
    if binned.missing is not None:  # three-way cuts are compared with refrank's own, and not recomputed
        raise Unknown
    looked = evidence.array("cut", place, "nodes").tolist()
    table = evidence.array("cut", place, "cut").astype(np.int64)
    gains = dict(zip(looked, evidence.array("cut", place, "split_gain").tolist(), strict=True))
    cuts = {node: (int(line[0]), int(line[1])) for node, line in zip(looked, table, strict=True)}
    n_leaves, max_depth = getattr(ranker, "n_leaves", None), getattr(ranker, "max_depth", None)
    rows = np.arange(binned.n_samples, dtype=np.int32)
    ranges, depths = [(0, len(rows))], [0]
    order: list[int] = []
    n_left: list[int] = []
    chosen: list[tuple[int, int]] = []
    waiting = [0] if cuts.get(0, (LEAF, 0))[0] >= 0 else []
    while waiting and (n_leaves is None or len(order) + 1 < n_leaves):
        node = waiting[-1] if n_leaves is None else min(waiting, key=lambda node: (-gains[node], node))
        wanted = preferred[len(order)] if len(order) < len(preferred) else node
        if n_leaves is not None and wanted in waiting and gains[wanted] == gains[node]:
            node = wanted
        waiting.remove(node)
        (feature, bin), (start, stop) = cuts[node], ranges[node]
        count = SPECIFICATION.splitter.partition(binned.codes, rows[start:stop], feature, bin, 1)
        left = len(ranges)
        ranges += [(start, start + count), (start + count, stop)]
        depths += [depths[node] + 1] * 2
        order.append(node)
        n_left.append(count)
        chosen.append((feature, bin))
        if depths[left] != max_depth:
            waiting += [child for child in (left + 1, left) if cuts.get(child, (LEAF, 0))[0] >= 0]
    return {
        "nodes": np.array(order, np.int64),
        "cut": find_cuts(evidence, binned, order, chosen, ranges, rows),
        "n_left": np.array(n_left, np.int64),
        "rows": rows,
    }


def find_cuts(
    evidence: Evidence,
    binned: BinnedFeatures,
    order: Sequence[int],
    chosen: Sequence[tuple[int, int]],
    ranges: Sequence[tuple[int, int]],
    rows: Rows,
) -> Floats:
    """Find the numbers at which nodes are cut, (n_cuts,)."""
    ranker: Any = evidence.ranker
    n_nodes = len(ranges)
    feature, bin, left = (np.zeros(n_nodes, np.int32) for _ in range(3))
    feature += LEAF
    for i, (node, (f, b)) in enumerate(zip(order, chosen, strict=True)):
        feature[node], bin[node], left[node] = f, b, 2 * i + 1
    right, zeros = np.where(feature >= 0, left + 1, 0).astype(np.int32), np.zeros(n_nodes)
    tree = Tree(feature, bin, binned.cut_values(feature, bin), left, right, zeros, np.zeros(n_nodes, np.int64), zeros)
    cut_at = at_midpoints(evidence.data("X")) if getattr(ranker, "cut_at", "bins") == "midpoint" else at_bins
    return cut_at(tree, rows).cut[list(order)]
