"""Lawful choices: the specification with a port's cuts, wherever they gain as much as the best one of their node."""

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
    feature, bins = theirs["feature"].tolist(), theirs["bin"].tolist()

    def best_split(sums: Ints, offsets: Ints, features: Rows, least: int, n_threads: int, missing: Any) -> Split:
        cut = choose_cut(feature, bins, sums, offsets, features, least, missing)
        return cut or splitting.best_split(sums, offsets, features, least, n_threads, missing)

    def choose(number: int, drawn: Rows, places: Ints, sums: Ints, best: Split) -> Split:
        if number >= len(feature) or feature[number] not in drawn:
            return best
        given, at, bin = name_arguments("grow_deep", case.make()), drawn.tolist().index(feature[number]), bins[number]
        missing = None if given["missing"] is None else given["missing"][drawn]
        left, tried = theirs["left"][number], [bin]
        if missing is not None and missing[at] and feature[left] == feature[number]:
            tried = [bins[left], bin]  # three ways: the node's own cut parts the rows that miss the feature
        features = np.arange(len(drawn), dtype=np.int32)
        cuts = (choose_cut(at, b, sums, places, features, given["min_samples_leaf"], missing) for b in tried)
        return next(filter(None, cuts), best)

    inside = FunctionType(splitting.best_split_inside.__code__, {**vars(splitting), "best_split": best_split})
    grow_deep = partial(splitting.grow_deep, choose=choose)
    splitter = SimpleNamespace(best_split=best_split, best_split_inside=inside, grow_deep=grow_deep)
    return find_difference(run_case(splitter, case), theirs) is None
