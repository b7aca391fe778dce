"""The functions of a library, read from the header that declares them, refrank/kernel/refrank_splitter.h.

A parameter that has the name of an argument in the protocol `Splitter` is that argument; an array without
`const` is written to. Other arrays are results, and other numbers are sizes of arrays: those that `SHAPES` names, or
the bytes of an entry of the array before.
"""

import ctypes
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from refrank.trees.splitter import ARGUMENTS
from refrank.trees.splitting import Split

SPLIT = np.dtype([(name, np.float64 if name == "split_gain" else np.int64) for name in Split._fields])  # refrank_split
TYPES: Mapping[str, tuple[Any, Any]] = {  # in C: those of ctypes and of NumPy
    "void": (ctypes.c_void_p, None),  # the type is that of the array
    "refrank_split": (ctypes.c_void_p, SPLIT),
    "int8_t": (ctypes.c_int8, np.int8),
    "int32_t": (ctypes.c_int32, np.int32),
    "int64_t": (ctypes.c_int64, np.int64),
    "uint64_t": (ctypes.c_uint64, np.uint64),
    "double": (ctypes.c_double, np.float64),
}
SHAPES = {  # of an array in every function, or in the function named before it
    "X": "n_samples n_features",
    "values": "n_values",
    "codes": "n_groups n_samples 8",
    "column_codes": "n_features n_samples",
    "row_codes": "n_samples n_features",
    "offsets": "n_features+1",
    "value": "n_samples",
    "quantities": "n_quantities n_samples",
    "rows": "n_rows",
    "starts": "n_leaves+1",
    "features": "n_listed",
    "roots": "n_trees",
    "sums": "n_slots n_columns",
    "scores": "n_samples n_classes",
    "add_trees feature": "n_nodes",
    "bin_starts starts": "n_bins",
    "largest": "1",
    "integers": "n_samples",
    "root_sums sums": "n_quantities n_slots",
    "leaf_sums sums": "n_leaves",
    "split": "1",
    "result": "n",
    "softmax scores": "n_classes n_samples",
    "softmax proba": "n_columns n_samples",
}
TRANSPOSED = ("softmax",)  # its arrays are in Fortran order: their transposes are passed


class Parameter(NamedTuple):
    """A parameter of a function in C."""

    name: str
    is_array: bool
    is_argument: bool  # of the function in Python, too
    is_written: bool
    ctype: Any
    dtype: Any  # None: that of the array


@cache
def read_header() -> dict[str, tuple[Parameter, ...]]:
    """Read the parameters of each function, in order; the result of a function is an int64.

    >>> [parameter.name for parameter in read_header()["round_to_grid"]]
    ['value', 'n_samples', 'exponent', 'integers', 'n_threads']
    """
    text = files("refrank").joinpath("kernel", "refrank_splitter.h").read_text(encoding="utf-8")
    declared = re.findall(r"^int64_t refrank_(\w+)\(([^)]*)\);", text, re.MULTILINE)
    return {function: tuple(read_parameters(function, parameters)) for function, parameters in declared}


def read_parameters(function: str, parameters: str) -> list[Parameter]:
    """Read the parameters of one function."""
    read = []
    for const, ctype, star, name in re.findall(r"(const )?(\w+) (\*?)(\w+)(?:,|$)", parameters):
        simple, dtype = TYPES[ctype]
        is_argument, is_array = name in ARGUMENTS[function], star == "*"
        read.append(
            Parameter(name, is_array, is_argument, is_array and not const, ctypes.c_void_p if star else simple, dtype)
        )
    return read


def find_sizes(function: str, given: Mapping[str, Any]) -> dict[str, int]:
    """Find the sizes that the shapes of a function's arguments give.

    >>> sizes = find_sizes("leaf_sums", {"value": np.ones(5), "starts": np.array([0, 2, 5])})
    >>> sizes["n_samples"], sizes["n_leaves"]
    (5, 2)
    """
    sizes: dict[str, int] = {}
    for name, array in given.items():
        for size, n in zip(list_sizes(function, name), np.shape(array), strict=False):
            sizes.setdefault(size.removesuffix("+1"), n - size.endswith("+1"))
    if "offsets" in given:
        sizes["n_slots"] = int(given["offsets"][-1])
    columns = 2 if given.get("weights") is None else 3  # of a histogram that is a result
    capacity = max(1, 2 * sizes.get("n_rows", 0) - 1)  # of the arrays of a tree: it has one leaf more than cuts
    of_all = {"1": 1, "n": np.size(given.get("x", ())), "n_bins": given.get("n_bins", 0), "n_columns": columns}
    return {**of_all, "capacity": capacity, **sizes}


def find_shape(function: str, name: str, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """Find the shape of a result."""
    return tuple(sizes[size] for size in list_sizes(function, name) or ["capacity"])


def list_sizes(function: str, name: str) -> list[str]:
    """List the sizes that make up the shape of an array; none where `SHAPES` lacks it."""
    return SHAPES.get(f"{function} {name}", SHAPES.get(name, "")).split()


def list_results(function: str) -> list[str]:
    """List the arrays in which a function returns what it computes."""
    return [each.name for each in read_header()[function] if each.is_written and not each.is_argument]


def list_written(function: str) -> list[str]:
    """List the arguments that a function writes to.

    >>> list_written("partition"), list_results("partition")
    (['rows'], [])
    """
    return [each.name for each in read_header()[function] if each.is_written and each.is_argument]
