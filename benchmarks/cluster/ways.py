"""Ways to join the histogram of a node, and a program that joins many times.

sum         the join of refrank: 136 features x 256 bins x 2 int64, 557 kB
packed      three uint32 of a bin in place of two int64: its sum in two parts that are added apart, and its count
scattered   each process gets the sums of its own features only, and the best cuts are gathered

`packed` and `scattered` are experiments; refrank does not join like that.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from refrank.cluster import joins, use
from refrank.cluster.communicator import find_shards
from refrank.cluster.engines import find_cluster

N_FEATURES, N_BINS = 136, 256  # of MSLR, and the bins of most settings
SHAPE = (N_FEATURES * N_BINS, 2)
PARTS = 26  # bits of the lower part of a sum: those of 64 shards add up to less than 2^32
REPEATS, WARM = 60, 10


def pack(values: Any) -> Any:
    """Pack sums and counts, (n_slots, 2) int64, into (n_slots, 3) uint32 that may be added, modulo 2^32."""
    packed = np.empty((len(values), 3), np.uint32)
    packed[:, 0] = values[:, 0] & (2**PARTS - 1)
    packed[:, 1] = values[:, 0] >> PARTS
    packed[:, 2] = values[:, 1]
    return packed


def unpack(packed: Any) -> Any:
    """Unpack what was added.

    >>> values = np.array([[-5, 1], [2**52, 2**31]])
    >>> bool((unpack(pack(values) + pack(values)) == 2 * values).all())
    True
    """
    values = np.empty((len(packed), 2), np.int64)
    values[:, 0] = (packed[:, 1].view(np.int32).astype(np.int64) << PARTS) + packed[:, 0]
    values[:, 1] = packed[:, 2]
    return values


def join_packed(shards: Any, values: Any) -> Any:
    """Join as `packed`."""
    return unpack(shards.sum(pack(values)))


def join_scattered(shards: Any, values: Any) -> Any:
    """Join as `scattered`; the best cut is of nine numbers."""
    if hasattr(shards, "comm"):
        from mpi4py import MPI

        shards.agree(joins.Message("sum", values))
        counts = np.array([part.size for part in np.array_split(values, shards.n_shards)])
        own = np.empty(counts[shards.place], np.int64)
        shards.wait(shards.comm.Ireduce_scatter(values, own, counts, MPI.SUM), "scatter")
    else:
        own = shards.join("scatter", values)
    return own, shards.gather(tuple(range(9)))


def share_out(arrays: Any) -> Any:
    """Add up what the shards sent, and give each shard a part."""
    return np.array_split(joins.JOINS["sum"](arrays)[0], len(arrays))


JOIN: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda shards, values: shards.sum(values),
    "small": lambda shards, values: shards.sum(values[:4]),
    "packed": join_packed,
    "scattered": join_scattered,
}


def repeat_join(way: str, state: Any) -> float:
    """Join many times, as a shard; return the median of the seconds of a join."""
    shards, values, seconds = find_shards(), np.random.default_rng(0).integers(-(2**40), 2**40, SHAPE), []
    values[:, 1] &= 0xFFFF
    for _ in range(WARM + REPEATS):
        began = time.perf_counter()
        JOIN[way](shards, values)
        seconds.append(time.perf_counter() - began)
    return float(np.median(seconds[WARM:]))


def time_block(engine: Any, way: str) -> float:
    """Join many times on an engine; return the seconds of a join."""
    joins.JOINS["scatter"] = share_out  # type: ignore[index]
    with use(engine):
        return float(find_cluster().run(repeat_join, [way] * 2, None, lambda *_: False)[0])


def time_over_mpi(way: str) -> None:
    """Run a block as a process of mpiexec; the first one prints the seconds."""
    from mpi4py import MPI

    seconds = time_block("mpi", way)
    if MPI.COMM_WORLD.Get_rank() == 0:
        print(seconds)
