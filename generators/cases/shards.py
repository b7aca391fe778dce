"""Cases of training on shards: cuts, grids and trees of rows that lie on several machines, and every join on the way.

    symbol    in code    shape
    -         shard      (n,) int64: the shard of each row, from 0
    -         join       integers that all shards send, and what comes of them (refrank/cluster/recording.py)

The answers about all rows are those of one machine; a fault is what a shard computes that forgets the others.
"""

from functools import partial
from typing import Any

import numpy as np

from generators.cases.binning import METHODS
from generators.cases.growing import TABLE
from generators.cases.making import Cases, Family
from refrank.cluster.communicator import find_shards
from refrank.cluster.engines import SteppedCluster
from refrank.cluster.recording import Recording
from refrank.trees import splitting
from refrank.trees.bins.binning import bin_features
from refrank.trees.engine import Engine
from refrank.trees.growth.grower import Grower
from refrank.trees.numbers.grid import to_grid
from refrank.trees.sharded import ShardedSplitter

FAMILY = Family("shards", "Rows on several machines: cuts, grids, trees, and every join of integers on the way.")

KINDS = ("grid", "root", "histogram", "leaves")
SHARD = "number of the shard of each row, int64, (n,), from 0; a shard may have no row"
NUMBER = "number of shards, an integer"
WEIGHT = "float64, (n,), or null"
CUTS = FAMILY.function(
    "shard_cuts",
    "Cuts of one feature from the distinct values of all shards and their weights: those of all rows together.",
    "docs/learn/shards.md",
    {
        "values": "float64, (n,); finite",
        "weight": WEIGHT,
        "shard": SHARD,
        "n_shards": NUMBER,
        "n_bins": TABLE["n_bins"],
        "binning": TABLE["binning"],
    },
    {"cuts": "float64, ascending, (number of bins - 1,)"},
    lambda **input: cut_shards(**input),
)
GRID = FAMILY.function(
    "shard_grid",
    "A quantity on its grid: e = 53 - L - E, where the number of rows and the maximum are those of all shards.",
    "docs/reference/numerics.md",
    {"value": "float64, (n,)", "shard": SHARD, "n_shards": NUMBER},
    {"integers": "int64, (n,), in the order of the rows", "exponent": "int64, e"},
    lambda **input: put_shards_on_grid(**input),
)
TREE = FAMILY.function(
    "shard_tree",
    "Every join of a tree of J leaves, fitted to the residual, and the tree: the largest child is never summed.",
    "docs/learn/shards.md",
    {
        "X": "float64, (n, n_features); finite",
        "residual": "float64, (n,)",
        "weight": WEIGHT,
        "shard": SHARD,
        "n_shards": NUMBER,
        "n_bins": TABLE["n_bins"],
        "n_leaves": "J, an integer",
    },
    {
        "kind": f"int64, (n_joins,): {', '.join(f'{number} {kind}' for number, kind in enumerate(KINDS))}",
        "starts": "int64, (n_joins + 1,): join i has the integers starts[i] .. starts[i + 1] - 1",
        "own": "int64, (n_shards, n_integers): what each shard sends",
        "joined": "int64, (n_integers,)",
        "cut": "float64, (n_nodes,): rows with x < cut go left; 0 in a leaf; bins are quantiles",
        "n_node_samples": "int64, (n_nodes,)",
        "value": "float64, (n_nodes,): the mean of a leaf; 0 in other nodes",
    },
    lambda **input: grow_shards(**input),
)


def run_shards(program: Any, shard: Any, n_shards: int, *columns: Any) -> tuple[list[Any], Recording]:
    """Run a program on the rows of each shard; return the results, and the joins."""
    recording = Recording()
    sources = [[None if column is None else column[shard == place] for column in columns] for place in range(n_shards)]
    cluster = SteppedCluster(recording.start, n_shards, limit=60.0, most_losses=0)
    return cluster.run(program, sources, None, lambda *turn: False), recording


def make_engine() -> Engine:
    """Make the engine of a shard."""
    return Engine(ShardedSplitter(splitting, find_shards()), in_turn=True)


def cut_rows(binning: str, n_bins: int, source: Any, state: None) -> Any:
    """Find the cuts on a shard."""
    values, weight = source
    moving = weight if binning == "quantile" else None
    return bin_features(values[:, np.newaxis], n_bins, METHODS[binning], moving, engine=make_engine()).cuts[0]


def cut_shards(values: Any, weight: Any, shard: Any, n_shards: Any, n_bins: Any, binning: str) -> Any:
    """Find the cuts of all shards."""
    return run_shards(partial(cut_rows, binning, int(n_bins)), shard, int(n_shards), values, weight)[0][0]


def put_rows_on_grid(source: Any, state: None) -> Any:
    """Put the rows of a shard on the grid of all."""
    gridded = to_grid(source[0], make_engine())
    return gridded.integers, gridded.exponent


def put_shards_on_grid(value: Any, shard: Any, n_shards: Any) -> Any:
    """Put the rows of all shards on their grid."""
    results, _ = run_shards(put_rows_on_grid, shard, int(n_shards), value)
    return join_rows(results, shard), results[0][1]


def join_rows(results: list[Any], shard: Any) -> Any:
    """Put the integers of the shards in the order of the rows."""
    integers = np.empty(len(shard), np.int64)
    for place, (own, _) in enumerate(results):
        integers[shard == place] = own
    return integers


def grow_rows(n_bins: int, n_leaves: int, source: Any, state: None) -> Any:
    """Grow a tree on a shard, and sum a second quantity over its leaves."""
    X, residual, weight = source
    binned = bin_features(X, n_bins, METHODS["quantile"], weight, engine=make_engine())
    tree, leaves = Grower(binned, n_leaves=n_leaves)(residual, weight)
    leaves.sum_of(residual * residual)
    return tree


def grow_shards(
    X: Any, residual: Any, weight: Any, shard: Any, n_shards: Any, n_bins: Any, n_leaves: Any
) -> dict[str, Any]:
    """Grow a tree on all shards."""
    program = partial(grow_rows, int(n_bins), int(n_leaves))
    [tree, *_], recording = run_shards(program, shard, int(n_shards), X, residual, weight)
    joins = recording.list_joins()
    return {
        "kind": np.array([KINDS.index(join.kind) for join in joins]),
        "starts": np.cumsum([0, *(len(join.joined) for join in joins)]),
        "own": np.hstack([join.own for join in joins]),
        "joined": np.concatenate([join.joined for join in joins]),
        "cut": tree.cut,
        "n_node_samples": tree.n_node_samples,
        "value": tree.value,
    }


VALUES = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.0, 5.0, 8.0]
UNEVEN = [0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 0]  # shard 1 has no rows


@FAMILY.part
def place_cuts() -> Cases:
    """Cases of cuts."""
    of_first = lambda values, weight, shard, **more: cut_shards(  # noqa: E731
        values[shard == 0], None if weight is None else weight[shard == 0], shard[shard == 0] * 0, **more
    )
    given = {"values": VALUES, "weight": None, "shard": UNEVEN, "n_shards": 3, "n_bins": 4, "binning": "quantile"}
    comment = "Quantiles of all rows; one of three shards is empty."
    yield from CUTS.valid("quantile", given, comment, faults={"bins-of-one-shard": of_first})
    weight = [1.0, 0.5, 2.0, 0.25, 1.0, 1.0, 3.0, 8.0, 1.0, 0.5, 1.0, 0.125]
    yield from CUTS.valid("weights", {**given, "weight": weight}, "Weights on their common grid move quantiles.")
    for binning in ("exact", "app-i"):
        yield from CUTS.valid(
            binning, {**given, "binning": binning, "n_bins": 16}, "Equal values of two shards are one."
        )


@FAMILY.part
def put_on_grids() -> Cases:
    """Cases of grids."""
    value = [0.1, -0.3, 0.7, 0.1, 0.0, 5e-324, 0.2, 1.9, -0.4, -0.0, 0.3, 0.6]
    alone = lambda value, shard, n_shards: put_alone_on_grid(value, shard, int(n_shards))  # noqa: E731
    given = {"value": value, "shard": UNEVEN, "n_shards": 3}
    comment = "The largest value is on the shard with two rows of twelve."
    yield from GRID.valid("uneven", given, comment, faults={"grid-of-one-shard": alone})
    zero = {"value": [0.0, -0.0, 0.0], "shard": [0, 1, 1], "n_shards": 2}
    yield from GRID.valid("zero", zero, "All values are 0 on every shard: e is 0.")


def put_alone_on_grid(value: Any, shard: Any, n_shards: int) -> Any:
    """Put the rows of each shard on a grid of their own."""
    results = [put_shards_on_grid(value[shard == place], shard[shard == place] * 0, 1) for place in range(n_shards)]
    return join_rows(results, shard), results[0][1]


@FAMILY.part
def grow() -> Cases:
    """Cases of trees."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (12, 2)).astype(np.float64)
    residual = X[:, 0] - 2.0 * (X[:, 1] > 1) + np.arange(12) / 8
    # shard 0 has both rows of the smaller child of the root, and of the larger the first alone; shard 1 has no rows
    shard = [0, 2, 2, 0, 0, 2, 2, 2, 2, 2, 2, 2]
    given = {"X": X, "residual": residual, "weight": None, "shard": shard, "n_shards": 3, "n_bins": 8, "n_leaves": 4}
    comment = "Three shards, of which one is empty; the largest child is found by the rows of all."
    yield from TREE.valid("three-shards", given, comment, mutants="largest-child-of-one-shard")
    weight = [1.0, 2.0, 0.5, 1.0, 1.0, 1.0, 4.0, 1.0, 0.25, 1.0, 1.0, 2.0]
    yield from TREE.valid("weights", {**given, "weight": weight}, "Weights are a third column, on their own grid.")
    yield from TREE.valid("one-shard", {**given, "shard": [0] * 12, "n_shards": 1}, "One shard joins as three do.")
