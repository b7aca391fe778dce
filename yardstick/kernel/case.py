"""A case: a function of the splitter and its arguments; the outputs of a splitter, and the first difference of two.

term          in code       meaning
function      function      its name in `refrank.trees.splitting`
output        OUTPUTS       an array that it returns, or writes to; its name
distance      ulps          floats from one number to the other, 0 for the same; None for integers and NaN
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.trees import splitting
from refrank.trees.engine import Splitter
from refrank.trees.foreign.header import list_results, list_written
from refrank.trees.numbers.ulps import count_ulps, find_different
from refrank.trees.splitter import FUNCTIONS, name_arguments

RETURNED = {name: tuple(list_results(name)) for name in FUNCTIONS} | {  # the names of a function's results
    "best_split": splitting.Split._fields,
    "best_split_inside": splitting.Split._fields,
    "partition": ("n_left",),
}
WRITTEN = {name: "".join(list_written(name)) for name in FUNCTIONS}  # the argument that a function writes to

Outputs = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class KernelCase:
    """A function, and arguments that are made anew for every call."""

    function: str
    name: str
    make: Callable[[], tuple[Any, ...]]


@dataclass(frozen=True)
class KernelDifference:
    """The first number in which two splitters differ."""

    output: str
    place: tuple[int, ...]  # place in the output; () for a single number
    ours: int | float  # the specification's number
    theirs: int | float
    ulps: int | None
    n_wrong: int  # number of entries that differ in the output
    n_entries: int


def run_case(splitter: Splitter, case: KernelCase) -> Outputs:
    """Call the function; return its results and outputs, and any argument that it changed against the rules."""
    with np.errstate(all="ignore"):  # edges overflow on purpose
        arguments = case.make()
        given = [copy(argument) for argument in arguments]
        result = getattr(splitter, case.function)(*given)
    names = RETURNED[case.function]
    values = result if len(names) > 1 else [result]
    outputs = {name: np.asarray(value) for name, value in zip(names, values, strict=False)}
    if case.function == "largest_magnitude":  # the sign of 0 is free; so is the non-finite number
        outputs["largest"] = np.asarray(result + 0.0 if math.isfinite(result) else math.inf)
    for name, before, after in zip(name_arguments(case.function, given), arguments, given, strict=False):
        if name == WRITTEN[case.function]:
            outputs[name] = after
        elif isinstance(before, np.ndarray) and before.tobytes() != after.tobytes():
            outputs[f"{name}, which is to stay as it is,"] = after
    return outputs


def copy(argument: Any) -> Any:
    """Copy an array with its layout; return other values as they are, since no call changes them."""
    return argument.copy(order="K") if isinstance(argument, np.ndarray) else argument


def find_difference(ours: Outputs, theirs: Outputs) -> KernelDifference | None:
    """Find the first number that differs, in order of output and place; in a tree, in order of node and output."""
    changed = [name for name in theirs if name not in ours]
    if changed:
        n_entries = theirs[changed[0]].size
        return KernelDifference(changed[0], (), 0, 0, None, n_entries, n_entries)
    differences = [difference for name in ours if (difference := compare(name, ours[name], theirs[name])) is not None]
    if "left" in ours:  # a tree: the node that was made first
        return min(differences, key=lambda difference: difference.place, default=None)
    return next(iter(differences), None)


def compare(name: str, ours: NDArray[Any], theirs: NDArray[Any]) -> KernelDifference | None:
    """Compare two arrays; if one is longer, compare the entries that both have, and then their number."""
    if ours.shape != theirs.shape:
        n_both = min(len(ours), len(theirs))
        differs = compare(name, ours[:n_both], theirs[:n_both])
        return differs or KernelDifference(f"number of entries of {name}", (), len(ours), len(theirs), None, 1, 1)
    wrong = find_different(ours, theirs)
    if not wrong.any():
        return None
    place = tuple(int(at) for at in np.argwhere(wrong)[0])
    own, other = ours[place].item(), theirs[place].item()
    return KernelDifference(name, place, own, other, count_ulps(own, other), int(np.count_nonzero(wrong)), ours.size)
