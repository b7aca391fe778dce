"""A foreign splitter: a shared library, in C or any language that exports C functions, in the place of the kernel.

    >>> load_splitter("libport.so")  # doctest: +SKIP
    <libport.so: not offered: softmax, grow_deep>

The functions, their arguments and what a port must keep to are in `refrank/kernel/refrank_splitter.h`. Arrays are
passed as that header describes them, and copied where they lie otherwise in memory. Results begin as a number that no
port means, so that entries that it forgets show. The specification stands in for functions that a library lacks, so
that whole fits run.
"""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Ints
from refrank.trees import splitting
from refrank.trees.foreign.contiguous import Result, as_array, in_place, make_result
from refrank.trees.foreign.header import TRANSPOSED, find_shape, find_sizes, read_header
from refrank.trees.foreign.library import load_library
from refrank.trees.splitter import FUNCTIONS, Splitter, name_arguments
from refrank.trees.splitting import Split

NO_MEMORY = -1  # REFRANK_NO_MEMORY
COUNTED = {"bin_starts": "n_bins", "partition": "n_rows", "grow_deep": "capacity"}  # the most that a function returns


def load_splitter(path: str | os.PathLike[str]) -> "ForeignSplitter":
    """Load a shared library that implements `refrank/kernel/refrank_splitter.h`, or part of it.

    Loading the library (libport.so, port.dll, ...) runs its code. Raises an OSError if the file cannot be read, and a
    ValueError if it is not a shared library, or does not export the version of the functions that refrank knows.
    """
    return ForeignSplitter(os.fspath(path))  # type: ignore[abstract]  # its functions are set one by one


class UnusableSplitter:
    """A stand-in for a library that does not load: every use of it raises the reason."""

    def __init__(self, fault: ValueError) -> None:
        self._fault = fault

    def __getattr__(self, name: str) -> NoReturn:
        """Raise the ValueError that ended the loading."""
        if name.startswith("__"):  # attributes that Python itself reads
            raise AttributeError(name)
        raise self._fault


class ForeignSplitter(Splitter):
    """The functions of `Splitter`: the library's where it offers them, else those of the specification.

    A result that would lead out of an array is a ValueError; `refrank conform kernel` tests whether it is right.
    """

    def __init__(self, path: str) -> None:
        self.name, self.functions = load_library(path)
        self.offered = frozenset(self.functions)
        for function in FUNCTIONS:
            offered = function in self.offered
            setattr(self, function, partial(self.call, function) if offered else getattr(splitting, function))

    @property
    def not_offered(self) -> list[str]:
        """The functions that the library lacks, in the order of the header."""
        return [function for function in FUNCTIONS if function not in self.offered]

    def __repr__(self) -> str:
        """Name the library, and what it lacks."""
        lacks = f": not offered: {', '.join(self.not_offered)}" if self.not_offered else ""
        return f"<{self.name}{lacks}>"

    def call(self, function: str, *arguments: Any) -> Any:
        """Call a function of the library with the arguments of the specification; return what that returns."""
        named = name_arguments(function, arguments)
        given = {name: value.T for name, value in named.items() if np.ndim(value)} if function in TRANSPOSED else {}
        given, handed, results = named | given, list[Any](), dict[str, Result]()
        sizes = find_sizes(function, given)
        with ExitStack() as written:
            for name, is_array, is_argument, is_written, _, dtype in read_header()[function]:
                if is_argument and is_array:
                    values = given[name]
                    handed.append(written.enter_context(in_place(values)) if is_written else as_array(values, dtype))
                elif is_argument:
                    handed.append(given[name])
                elif is_array:
                    results[name] = make_result(find_shape(function, name, sizes), dtype)
                    handed.append(results[name].array)
                else:
                    handed.append(handed[-1].itemsize if name.endswith("_bytes") else sizes[name])
            pointers = (value.ctypes.data if isinstance(value, np.ndarray) else value for value in handed)
            count: int = self.functions[function](*pointers)
            if any(result.overrun for result in results.values()):
                rule = f"refrank_{function} writes beyond the end of a result, or before its beginning"
                raise ValueError(f"{self.name}: {rule}")
            if count == NO_MEMORY:
                raise MemoryError(f"{self.name}: refrank_{function} could not allocate its memory")
            self.check(function, "the result", count, 0, sizes[COUNTED[function]] if function in COUNTED else 0)
        arrays = {name: result.array for name, result in results.items()}
        return self.finish(function, named, count, arrays)

    def finish(self, function: str, given: Mapping[str, Any], count: int, results: Mapping[str, NDArray[Any]]) -> Any:
        """Return the results in the form of the specification; refuse those that would lead out of an array."""
        check = partial(self.check, function)
        match function:
            case "bin_starts":
                starts = results["starts"][:count].copy()
                for start in (starts.min(initial=0), starts.max(initial=0)):
                    check("a start", int(start), 0, len(given["values"]) - 1)
                return starts
            case "quantize":
                for f, n_bins in enumerate(np.diff(given["offsets"]).tolist()):
                    bin = int(given["codes"][f // splitting.GROUP, :, f % splitting.GROUP].max(initial=0))
                    check(f"a bin of feature {f}", bin, 0, n_bins - 1)
            case "largest_magnitude":
                return float(results["largest"][0])
            case "exp":
                return results["result"].reshape(np.shape(given["x"]))
            case "best_split" | "best_split_inside":
                split = Split(*results["split"][0].item())
                if split.feature == -1:
                    check("the bin, without a feature,", split.bin, -1, -1)
                else:
                    self.check_cut(function, split.feature, split.bin, given["offsets"])
                return split
            case "partition":
                for row in (given["rows"].min(initial=0), given["rows"].max(initial=0)):
                    check("a row", int(row), 0, given["codes"].shape[1] - 1)
                return count
            case "grow_deep":
                check("the number of nodes", count, 1, len(results["feature"]))
                feature, bins, left, right, *others = (result[:count].copy() for result in results.values())
                for node in np.flatnonzero(feature != -1).tolist():
                    self.check_cut(function, int(feature[node]), int(bins[node]), given["offsets"], f" of node {node}")
                    for child in (left[node], right[node]):
                        check(f"a child of node {node}", int(child), node + 1, count - 1)
                return feature, bins, left, right, *others
        return next(iter(results.values()), None)

    def check(self, function: str, what: str, value: int, lowest: int, highest: int) -> None:
        """Refuse a number of the library's that refrank would use as a place or a size, if it is out of bounds."""
        if not lowest <= value <= highest:
            rule = str(lowest) if lowest == highest else f"an integer from {lowest} to {highest}"
            raise ValueError(f"{self.name}: {what} of refrank_{function} is {value}: it must be {rule}")

    def check_cut(self, function: str, feature: int, bin: int, offsets: Ints, node: str = "") -> None:
        """Refuse a feature that does not exist, and a bin after which there is no cut."""
        self.check(function, f"the feature{node}", feature, 0, len(offsets) - 2)
        last = int(offsets[feature + 1] - offsets[feature]) - 2
        self.check(function, f"the bin{node or f' of feature {feature}'}", bin, 0, last)
