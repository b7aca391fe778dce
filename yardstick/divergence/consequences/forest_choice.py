"""A tree of a forest grown again, with the port's cut wherever it ties with the best one of its node.

The choice among equal cuts decides the later nodes, so the whole tree is grown again. The loop is that of
`grow_deep` in refrank/trees/splitting.py, without three-way cuts.
"""

from collections.abc import Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from refrank.arrays import Floats, Ints, Rows
from refrank.trees import splitting
from refrank.trees.engine import Engine, Splitter
from refrank.trees.model.tree import LEAF
from refrank.trees.numbers.draws import child_key, feature_subset
from refrank.trees.splitter import name_arguments
from yardstick.divergence.consequences.binning import bin_features
from yardstick.divergence.consequences.evidence import Arrays, Evidence, Unknown
from yardstick.divergence.consequences.forest import grow_tree
from yardstick.traces.contest import compare_cuts, find_gain_at
from yardstick.traces.stages import Place

Deep = tuple[Rows, Rows, Rows, Rows, Floats, Ints, Ints, Ints]  # what `grow_deep` returns


def tree_by_choice(evidence: Evidence, place: Place, feature: Sequence[int], bin: Sequence[int]) -> Arrays:
    """Grow a tree on the rows that the port drew, with its choice of equal cuts.

    Parameters
    ----------
    evidence : Evidence
    place : Place
    feature, bin : sequences of int
        The cuts of the port's nodes, (n_nodes,) each.

    Returns
    -------
    mapping of arrays
        The fields of the stage "tree".

    Raises
    ------
    Unknown
        If cuts go three ways, or a trace lacks the input of the tree.
    """
    binned = bin_features(evidence)
    if binned.missing is not None:
        raise Unknown
    choosing = SimpleNamespace(**{**vars(splitting), "grow_deep": partial(grow_by_choice, feature, bin)})
    return grow_tree(evidence, place, binned.on(Engine(cast(Splitter, choosing))))


def grow_by_choice(feature: Sequence[int], bin: Sequence[int], *arguments: Any) -> Deep:
    """Grow a tree as `grow_deep` does; in node i, make the cut feature[i] at bin[i] if it ties with the best one."""
    given = SimpleNamespace(**name_arguments("grow_deep", arguments))
    row_codes, offsets, counts = given.row_codes, given.offsets, given.counts
    copies = [counts * given.integers, counts] + ([] if given.weights is None else [counts * given.weights])
    quantities = np.column_stack(copies)  # (n_samples, 2 or 3)
    nodes: list[list[Any]] = [[given.rows, LEAF, 0, 0, 0, 0.0]]  # rows, feature, bin, left, right, split_gain
    stack = [(0, 0, given.key)]
    while stack:
        number, depth, key = stack.pop()
        if depth == given.max_depth:
            continue
        inside = nodes[number][0]
        drawn = feature_subset(key, given.n_candidates, row_codes.shape[1]).tolist()
        places = np.cumsum([0, *(offsets[f + 1] - offsets[f] for f in drawn)])
        sums = np.zeros((places[-1], quantities.shape[1]), np.int64)
        for start, f in zip(places[:-1], drawn, strict=True):
            np.add.at(sums, start + row_codes[inside, f].astype(np.int64), quantities[inside])
        contest = compare_cuts(sums, places, np.arange(len(drawn), dtype=np.int32), given.min_samples_leaf)
        if not contest.tied:
            continue
        place, b, _ = contest.tied[0]
        if number < len(feature) and feature[number] in drawn:
            chosen = drawn.index(feature[number]), bin[number]
            place, b = chosen if contest.holds(*chosen) else (place, b)
        f = drawn[place]
        goes_left = row_codes[inside, f] <= b
        left = len(nodes)
        nodes[number][1:] = f, b, left, left + 1, find_gain_at(sums[places[place] : places[place + 1]], b)
        nodes += [[own, LEAF, 0, 0, 0, 0.0] for own in (inside[goes_left], inside[~goes_left])]
        stack += [(left + 1, depth + 1, child_key(key, 1)), (left, depth + 1, child_key(key, 0))]
    own_rows, *columns, split_gain = zip(*nodes, strict=True)
    total = np.array([quantities[own].sum(axis=0) for own in own_rows])  # (n_nodes, 2 or 3)
    features, bins, lefts, rights = (np.array(column, np.int32) for column in columns)
    return features, bins, lefts, rights, np.array(split_gain), total[:, 0], total[:, 1], total[:, -1]
