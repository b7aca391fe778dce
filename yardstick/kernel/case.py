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
from yardstick.numbers.encoding import encode

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
    specification: dict[str, Any]  # the number, as `yardstick/numbers/encoding.py` writes it
    library: dict[str, Any]
    ulps: int | None
    wrong: int  # number of entries that differ in the output
    entries: int


def run_case(splitter: Splitter, case: KernelCase) -> Outputs:
    """Call the function; return its results and outputs. A ValueError names an argument that it changed."""
    function = case.function
    with np.errstate(all="ignore"):  # edges overflow on purpose
        arguments = case.make()
        given = [each.copy(order="K") if isinstance(each, np.ndarray) else each for each in arguments]
        result = getattr(splitter, function)(*given)
    names = RETURNED[function]
    outputs = dict(zip(names, map(np.asarray, result if len(names) > 1 else [result]), strict=False))
    if function == "largest_magnitude":  # the sign of 0 is free; so is the non-finite number
        outputs["largest"] = np.asarray(result + 0.0 if math.isfinite(result) else math.inf)
    for name, before, after in zip(name_arguments(function, given), arguments, given, strict=False):
        if name == WRITTEN[function]:
            outputs[name] = after
        elif isinstance(before, np.ndarray) and before.tobytes() != after.tobytes():
            raise ValueError(f"the argument {name} was changed: it must stay as it is")
    return outputs


def find_difference(ours: Outputs, theirs: Outputs) -> KernelDifference | None:
    """Find the first number that differs, in order of output and place; in a tree, in order of node and output."""
    differences = [difference for name in ours if (difference := compare(name, ours[name], theirs[name])) is not None]
    if "left" in ours:  # a tree: the node that was made first
        return min(differences, key=lambda difference: difference.place or (math.inf,), default=None)
    return next(iter(differences), None)


def compare(name: str, ours: NDArray[Any], theirs: NDArray[Any]) -> KernelDifference | None:
    """Compare two arrays; if one is longer, compare the entries that both have, and then their number."""
    if ours.shape != theirs.shape:
        n_ours, n_theirs = len(ours), len(theirs)
        differs = compare(name, ours[:n_theirs], theirs[:n_ours])
        number = f"number of entries of {name}"
        return differs or KernelDifference(number, (), encode(n_ours), encode(n_theirs), None, 1, 1)
    wrong = find_different(ours, theirs)
    if not wrong.any():
        return None
    place = tuple(np.argwhere(wrong)[0].tolist())
    own, other = ours[place], theirs[place]
    ulps = count_ulps(own.item(), other.item())
    return KernelDifference(name, place, encode(own), encode(other), ulps, int(np.count_nonzero(wrong)), ours.size)
