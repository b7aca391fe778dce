"""Lawful choices: the specification with a port's cuts, wherever they gain as much as the best one of their node."""

from collections.abc import Mapping
from functools import partial
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from refrank.arrays import Ints, Rows
from refrank.trees import splitting
from refrank.trees.splitter import name_arguments
from refrank.trees.splitting import Split
from yardstick.kernel.case import KernelCase, Outputs, find_difference, run_case
from yardstick.traces.contest import choose_cut


def is_lawful(case: KernelCase, theirs: Outputs) -> bool:
    """Return whether all of a port's outputs follow from its choices among cuts that gain equally."""
    if not {"feature", "bin"} <= theirs.keys():
        return False
    given = name_arguments(case.function, case.make())
    best_split, grow_deep = (
        partial(cut_as, theirs),
        partial(splitting.grow_deep, choose=partial(cut_node_as, theirs, given)),
    )
    inside = FunctionType(splitting.best_split_inside.__code__, {**vars(splitting), "best_split": best_split})
    splitter = SimpleNamespace(best_split=best_split, best_split_inside=inside, grow_deep=grow_deep)
    return find_difference(run_case(splitter, case), theirs) is None


def cut_as(theirs: Outputs, *arguments: Any) -> Split:
    """Find the cut of a node: a port's if it is as good as the best."""
    sums, offsets, features, least, _, missing = arguments
    cut = choose_cut(int(theirs["feature"]), int(theirs["bin"]), sums, offsets, features, least, missing)
    return splitting.best_split(*arguments) if cut is None else cut


def cut_node_as(
    theirs: Outputs, given: Mapping[str, Any], number: int, drawn: Rows, places: Ints, sums: Ints, best: Split
) -> Split:
    """Find the cut of a node of a deep tree: a port's if it is as good as the best."""
    feature, bins, left = (theirs[name].tolist() for name in ("feature", "bin", "left"))
    if number >= len(feature) or feature[number] not in drawn.tolist():
        return best
    at, bin = drawn.tolist().index(feature[number]), bins[number]
    missing = None if given["missing"] is None else given["missing"][drawn]
    is_last = bin == places[at + 1] - places[at] - 2
    if missing is not None and missing[at] and is_last and feature[left[number]] == feature[number]:
        bin = bins[left[number]]  # three ways: the node's own cut parts the rows that miss the feature
    features = np.arange(len(drawn), dtype=np.int32)
    return choose_cut(at, bin, sums, places, features, given["min_samples_leaf"], missing) or best
