"""A case: a function of the splitter and its arguments; the outputs of a splitter, and whether those of two agree."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import FunctionType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Ints, Rows
from refrank.trees import splitting
from refrank.trees.contest import choose_cut
from refrank.trees.engine import Splitter
from refrank.trees.foreign.header import list_results, list_written
from refrank.trees.splitter import name_arguments
from refrank.trees.splitting import Split
from yardstick.numbers.difference import Difference, list_differences

RESULTS = {"best_split": Split._fields, "best_split_inside": Split._fields, "partition": ("n_left",)}  # of one result

Outputs = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class KernelCase:
    """A function, and arguments that are made anew for every call."""

    function: str
    name: str
    make: Callable[[], tuple[Any, ...]]


class Trial(NamedTuple):
    """Outputs of a port in a case, beside the right ones."""

    case: KernelCase
    ours: Outputs
    theirs: Outputs  # empty: the call failed
    verdict: str
    wrong: str = ""  # the first number that differs, or why the call failed


def run_case(splitter: Splitter, case: KernelCase) -> Outputs:
    """Call the function; return its results and outputs. A ValueError names an argument that it changed."""
    function = case.function
    arguments = case.make()
    given = [each.copy(order="K") if isinstance(each, np.ndarray) else each for each in arguments]
    with np.errstate(all="ignore"):
        result = getattr(splitter, function)(*given)
    names = RESULTS.get(function, list_results(function))
    outputs = dict(zip(names, map(np.asarray, result if len(names) > 1 else [result]), strict=False))
    if function == "largest_magnitude":  # the sign of 0 is free; so is the non-finite number
        outputs["largest"] = np.asarray(result + 0.0 if math.isfinite(result) else math.inf)
    for name, before, after in zip(name_arguments(function, given), arguments, given, strict=False):
        if name in list_written(function):
            outputs[name] = after
        elif isinstance(before, np.ndarray) and before.tobytes() != after.tobytes():
            raise ValueError(f"the argument {name} was changed: it must stay as it is")
    return outputs


def find_difference(ours: Outputs, theirs: Outputs) -> Difference | None:
    """Find the first number that differs, in order of index and output: in a tree, at the node that was made first."""
    return min(list_differences(ours, theirs), key=lambda difference: difference.index, default=None)


def is_lawful(case: KernelCase, theirs: Outputs) -> bool:
    """Return whether the specification, with a port's cuts where they gain as much as the best, has its outputs."""
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
