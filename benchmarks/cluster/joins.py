"""The cost of a join between two processes: local pipes, MPI and Dask actors, in turns; and the joins of a tree.

    python -m benchmarks.cluster.joins                # engines, and ways to join (ways.py); two minutes
    python -m benchmarks.cluster.joins --count        # the joins and bytes of a tree, of a real training

Each block starts its processes anew, and joins many times; the figure of a block is the median within it, and the table
shows the median of the blocks. Two processes share one machine, whose memory is the network.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from benchmarks.cluster.ways import JOIN, N_BINS, N_FEATURES, time_block
from refrank import LSBoostRanker
from refrank.cluster.joins import describe
from refrank.cluster.recording import record_joins

N_LEAVES = 10  # McRank's
ENGINES = ("local", "MPI", "Dask")
MPI_BLOCK = "from benchmarks.cluster.ways import time_over_mpi; time_over_mpi({way!r})"


def start_mpi(way: str) -> float:
    """Run a block over MPI."""
    words = ["mpiexec", "-n", "2", sys.executable, "-c", MPI_BLOCK.format(way=way)]
    return float(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


@contextmanager
def start_dask() -> Iterator[Any]:
    """Start two workers on this machine, each a process of one thread."""
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        yield client


def compare_engines(n_turns: int) -> None:
    """Print a table of engines and ways, each measured in every turn."""
    seconds: dict[tuple[str, str], list[float]] = {(engine, way): [] for engine in ENGINES for way in JOIN}
    with start_dask() as client:
        for turn in range(n_turns):
            blocks = [*seconds][turn % len(seconds) :] + [*seconds][: turn % len(seconds)]
            for engine, way in blocks:
                work = {"local": "local:2", "Dask": client}
                seconds[engine, way].append(start_mpi(way) if engine == "MPI" else time_block(work[engine], way))
    print(f"| engine | {' | '.join(f'{way}, ms' for way in JOIN)} | ratio to `sum` | `sum` by `sum` over MPI |")
    print("|---|" + "---|" * (len(JOIN) + 2))
    for engine in ENGINES:
        median = {way: float(np.median(seconds[engine, way])) for way in JOIN}
        ratios = [np.median(np.divide(seconds[engine, way], seconds[engine, "sum"])) for way in [*JOIN][1:]]
        to_mpi = np.median(np.divide(seconds[engine, "sum"], seconds["MPI", "sum"]))
        cells = [*(f"{1e3 * median[way]:.2f}" for way in JOIN), ", ".join(f"{ratio:.2f}" for ratio in ratios)]
        print(f"| {engine} | {' | '.join(cells)} | {to_mpi:.1f} |")


def count_joins(n_rows: int = 6000, n_rounds: int = 4) -> tuple[int, int, list[str]]:
    """Count the joins of the last tree of a training, and the bytes that a shard sends for it; list what they join."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, N_FEATURES)).astype(np.float32)
    y = rng.permutation(np.arange(n_rows) % 5)
    halves = [(X[::2], y[::2]), (X[1::2], y[1::2])]
    with record_joins(2) as recording:
        LSBoostRanker(n_rounds=n_rounds, n_leaves=N_LEAVES, n_bins=N_BINS).fit_shards(halves)
    messages = recording.lines[0].messages
    turns = [place for place, message in enumerate(messages) if message.kind == "turn"]
    of_tree = messages[turns[-2] + 1 : turns[-1] + 1]
    n_bytes = sum(message.value.nbytes for message in of_tree if isinstance(message.value, np.ndarray))
    return len(of_tree), n_bytes, [describe(message) for message in of_tree]


def main() -> None:
    """Run as a command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--count", action="store_true")
    arguments = parser.parse_args()
    if arguments.count:
        n_joins, n_bytes, described = count_joins()
        print(*described, f"{n_joins} joins of a tree, {n_bytes / 1e6:.2f} MB from each shard", sep="\n")
    else:
        compare_engines(arguments.turns)


if __name__ == "__main__":
    main()
