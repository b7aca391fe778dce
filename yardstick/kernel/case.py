"""A case: a function of the splitter and its arguments; the outputs of a splitter, and where those of two differ.

term          in code       meaning
function      function      its name in `refrank.trees.splitting`
output        output        an array that it returns, or writes to; its name
place         place         place in the output; () for a single number
distance      ulps          floats from one number to the other, 0 for the same; None for integers and NaN
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from refrank.trees.engine import Splitter
from refrank.trees.foreign.header import list_results, list_written
from refrank.trees.numbers.ulps import count_ulps, find_different
from refrank.trees.splitter import name_arguments
from refrank.trees.splitting import Split
from yardstick.numbers.encoding import encode

RESULTS = {"best_split": Split._fields, "best_split_inside": Split._fields, "partition": ("n_left",)}  # of one result

Outputs = dict[str, NDArray[Any]]
Document = dict[str, Any]


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
    difference: Document | None = None
    refusal: str | None = None  # why the call failed


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


def find_difference(ours: Outputs, theirs: Outputs) -> Document | None:
    """Find the first number that differs, in order of output and place; in a tree, in order of node and output."""
    differences = [difference for name in ours if (difference := compare(name, ours[name], theirs[name])) is not None]
    if "left" in ours:  # a tree: the node that was made first
        return min(differences, key=lambda difference: difference["place"] or [math.inf], default=None)
    return next(iter(differences), None)


def compare(output: str, ours: NDArray[Any], theirs: NDArray[Any]) -> Document | None:
    """Compare two arrays; if one is longer, compare the entries that both have, and then their number."""
    if ours.shape != theirs.shape:
        n_ours, n_theirs = np.asarray(len(ours)), np.asarray(len(theirs))
        differs = compare(output, ours[:n_theirs], theirs[:n_ours])
        return differs or compare(f"number of entries of {output}", n_ours, n_theirs)
    wrong = find_different(ours, theirs)
    if not wrong.any():
        return None
    place = tuple(np.argwhere(wrong)[0].tolist())
    own, other = ours[place], theirs[place]
    return {
        "output": output,
        "place": list(place),
        "specification": encode(own),
        "library": encode(other),
        "ulps": count_ulps(own.item(), other.item()),
        "wrong": int(np.count_nonzero(wrong)),
        "entries": ours.size,
    }
