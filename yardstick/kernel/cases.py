"""All cases, by function, in the order of `refrank/kernel/refrank_splitter.h`: nodes, each asked in several ways."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from refrank.trees import splitting
from refrank.trees.bins.coarse import coarsen
from refrank.trees.splitter import ARGUMENTS, FUNCTIONS
from refrank.trees.splitting import NEEDS_CUT, PARTED
from yardstick.kernel.case import KernelCase
from yardstick.kernel.nodes import LARGEST, LEAST, Node, list_nodes, make_node, make_rng

CHOICES: Mapping[str, Mapping[Any, Callable[[Node], Any]]] = {  # of arguments, by words or numbers
    "X": {
        "float64": lambda node: node["X"],
        "float32": lambda node: node["X"].astype(np.float32),
        "column by column": lambda node: np.asfortranarray(node["X"]),
        "every other row": lambda node: np.repeat(node["X"], 2, axis=0)[::2],
    },
    "exponent": {
        "the node's grid": lambda node: node["exponent"],
        "a grid of quarters": lambda node: min(node["exponent"], 2),
        "a coarser grid": lambda node: node["exponent"] - 40,
        "the coarsest grid": lambda node: -1080,
    },
    "missing": {
        "none missing": lambda node: None,
        "parted": lambda node: np.full(len(node["offsets"]) - 1, PARTED, np.int8),
        "a cut is needed": lambda node: np.full(len(node["offsets"]) - 1, NEEDS_CUT, np.int8),
        "flags of all kinds": lambda node: np.arange(len(node["offsets"]) - 1, dtype=np.int8) % 3,
    },
    "min_samples_leaf": {1: lambda node: 1, 3: lambda node: 3},
    "n_bins": {1: lambda node: 1, 7: lambda node: 7, 65_536: lambda node: 65_536},
    "n_threads": {1: lambda node: 1, 3: lambda node: 3},
}


def list_cases(functions: Collection[str] = FUNCTIONS) -> dict[str, list[KernelCase]]:
    """List the cases of the given functions."""
    return {name: [*combine(name)] for name in FUNCTIONS if name in functions}


def combine(function: str) -> Iterator[KernelCase]:
    """List the cases of a function: all nodes, with all combinations of the arguments that have choices."""
    axes = {name: choices for name, choices in CHOICES.items() if name in ARGUMENTS[function]}
    nodes = [node for node, sizes in list_nodes().items() if function not in SLOW or sizes[0] < 1000]
    for node, values in product(nodes, product(*axes.values())):
        chosen = dict(zip(axes, values, strict=True))
        words = (value if isinstance(value, str) else f"{name} {value}" for name, value in chosen.items())
        yield KernelCase(function, ", ".join((node, *words)), partial(take, function, node, chosen))


def take(function: str, node: str, chosen: Node) -> tuple[Any, ...]:
    """Take the arguments of a function: those chosen, those drawn for the function, and the others from a node."""
    with np.errstate(all="ignore"):  # edges overflow on purpose
        made = make_node(node)
        given = {**made, **{name: CHOICES[name][value](made) for name, value in chosen.items()}}
        given |= OWN[function](given, make_rng(function, node)) if function in OWN else {}
    return tuple(given[name] for name in ARGUMENTS[function])


def draw_ascending(node: Node, rng: np.random.Generator) -> Node:
    """Draw ascending values: starts of bins, numbers one unit beside them, others, and the ends of the floats."""
    n, length = len(node["scores"]), float(rng.choice([0.0, 1e-8, 0.3, 0.3, 0.3, 1e300]))
    steps = length * rng.integers(-9, 9, n)
    beside, dtype = np.nextafter(steps, rng.choice([-np.inf, np.inf], n)), str(rng.choice(["float64", "float32"]))
    values = np.choose(rng.integers(0, 3, n), [steps, beside, node["scores"]]) * rng.choice([1.0, 1.0, 3e30])
    values = np.append(values, rng.choice([-LARGEST, -0.0, 0.0, LEAST, LARGEST], n // 10))
    most = np.finfo(dtype).max / 4
    return {"values": np.sort(np.clip(values, -most, most).astype(dtype)), "length": length}


def join_bins(node: Node, rng: np.random.Generator) -> Node:
    """Make the coarse bins of a node, and its histogram over them."""
    codes, offsets, rows, integers = (node[name] for name in ("codes", "offsets", "rows", "integers"))
    bin_counts = splitting.root_sums(codes, offsets, [np.ones(len(integers), np.int64)], 1)[0]
    coarse = coarsen(codes, offsets, bin_counts, node["missing"])
    coarse_sums = splitting.histogram(coarse.codes, coarse.offsets, rows, integers, node["weights"], 1)
    return {"coarse_offsets": coarse.offsets, "ends": coarse.ends, "coarse_sums": coarse_sums}


def draw_trees(node: Node, rng: np.random.Generator) -> Node:
    """Draw trees, each of whose cuts parts a leaf from all others, on either side, by a cut of any feature."""
    n_leaves = rng.permutation([1, 2, 7, 33])
    number = np.concatenate([np.arange(2 * n - 1) for n in n_leaves])
    is_cut = (number % 2 == 0) & (number < np.repeat(2 * n_leaves - 2, 2 * n_leaves - 1))
    left, right = (rng.permuted(np.add(number, [[1], [2]]), axis=0) * is_cut).astype(np.int32)
    feature = np.where(is_cut, rng.integers(len(node["offsets"]) - 1, size=len(number)), -1).astype(np.int32)
    cut, value = rng.choice(np.append(node["cuts"], 0.0), len(number)), rng.normal(size=len(number))
    roots = np.flatnonzero(number == 0)
    return {"roots": roots, "feature": feature, "cut": cut, "left": left, "right": right, "value": value}


def list_arguments(node: Node, rng: np.random.Generator) -> Node:
    """Draw arguments of exp: over its domain, where k changes or r is nearly 0, and at the ends; NaN is outside."""
    n = 4000
    ends = [709.782712893384, -708.3964185322641, -745.1332191019411, -744.4400719213812, 710.0, -746.0, 0.0, -0.0]
    laws = [
        rng.uniform(-746, 710, n),
        -rng.exponential(3.0, n),
        rng.integers(-2152, 2052, n) * math.log(2) / 2,
        np.ldexp(rng.choice([-1.0, 1.0], n), rng.integers(-1074, 1024, n)),
        rng.choice([*ends, np.inf, -np.inf], n),
    ]
    drawn = np.choose(rng.integers(0, 5, n), laws)
    x = np.nextafter(drawn, np.choose(rng.integers(0, 3, n), [drawn, np.full(n, -np.inf), np.full(n, np.inf)]))
    return {"x": [x, x, x[:0], x[:, np.newaxis]][rng.integers(4)]}


def share_out(node: Node, rng: np.random.Generator) -> Node:
    """Draw scores, some of them tied, and make an array for some columns of their probabilities."""
    n_samples, n_classes = len(node["scores"]), min(64, len(node["offsets"]) + 1)
    scores = rng.normal(size=(n_samples, n_classes)) * rng.choice([0.0, 1.0, 300.0, 1e5])
    scores[::5] = scores[::5, :1]
    first = int(rng.integers(n_classes))
    proba = np.zeros((n_samples, n_classes - first), order="F")
    return {"scores": np.asfortranarray(scores), "first": first, "proba": proba}


def repeat_rows(node: Node, rng: np.random.Generator) -> Node:
    """Make the rows of a node, some repeated, the root of a deep tree."""
    counts = np.zeros_like(node["integers"])
    counts[node["rows"]] = rng.integers(1, 4, len(node["rows"]))
    # a quarter of a sum has room for three copies of a row
    sums = {name: node[name] if node[name] is None else node[name] // 4 for name in ("integers", "weights")}
    return {
        "row_codes": np.ascontiguousarray(node["column_codes"].T),
        "rows": np.sort(node["rows"]),
        "counts": counts,
        "n_candidates": int(rng.integers(1, len(node["offsets"]))),
        "key": int(rng.integers(2**63)) * 2 + 1,
        "max_depth": int(rng.choice([-1, -1, 0, 2])),
        **sums,
    }


SLOW = "bin_starts", "grow_deep"  # the specification, of many rows
ENDS = (0.0, np.nan, -np.nan, np.inf, -np.inf)  # of a value that may not be finite
OWN: Mapping[str, Callable[[Node, np.random.Generator], Node]] = {
    "bin_starts": draw_ascending,
    "quantize": lambda node, rng: {"codes": np.full_like(node["codes"], 201)},  # labels of no feature are to stay
    "largest_magnitude": lambda node, rng: {"value": np.append(node["value"], rng.choice(ENDS))},
    "best_split_inside": join_bins,
    "add_trees": draw_trees,
    "exp": list_arguments,
    "softmax": share_out,
    "grow_deep": repeat_rows,
}
