"""A model of time: seconds per tree of 100 M rows x 136 features on 4, 16 and 64 workers, as Markdown tables.

    python -m benchmarks.cluster               # two minutes, and 2 GB of memory
    python -m benchmarks.cluster --rows 100000 # to try it

A worker sums its rows: all of them at the root, and for each of the next eight cuts those of the smaller child; the
tenth leaf needs no sums. What else a tree costs grows with the rows (residuals, parting, scores) or does not (cuts).
The ten sums of a tree are joined. What is measured, by kernels and joins alone, is put together and checked against
trainings on one and two processes. What is assumed is printed.

    symbol    meaning                                         unit
    R, F, w   rows of a worker, features, workers             -
    a, b      sums of the root, and of a node's rows          seconds per row and feature, one core
    r         what else grows with the rows                   seconds per row
    c         the best cut of a node, and a subtraction       seconds
    s         rows of the smaller children, as a share of R   -
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

from benchmarks.cluster.joins import N_LEAVES
from benchmarks.cluster.ways import N_FEATURES, SHAPE

N_JOINS, N_SMALL = N_LEAVES - 2, 2  # histograms of nodes, and joins of a few numbers; with the root, half as large
BYTES = 16 * SHAPE[0]
LATENCY, BANDWIDTH, CORES = 50e-6, 1.25e9, 8  # assumed: seconds, bytes per second (10 Gb/s), cores of a worker
N_ROWS, WORKERS = 100_000_000, (4, 16, 64)


class Core(NamedTuple):
    """Times of one core of this machine; the symbols of the module."""

    a: float
    b: float
    r: float
    c: float
    s: float

    def estimate_work(self, n_rows: float, n_cores: int) -> float:
        """Return the seconds of a tree on a worker, without joins; per-row work runs on one core."""
        sums = n_rows * N_FEATURES * (self.a + self.s * self.b) / n_cores
        return sums + n_rows * self.r + (2 * N_LEAVES - 3) * self.c


class Joins(NamedTuple):
    """Seconds of a join of two processes on this machine, of a few numbers and of a histogram."""

    small: float
    full: float

    def step(self, n_workers: int, bandwidth: float) -> float:
        """Return the seconds of the joins of a tree where one driver receives from all, adds and answers all."""
        scale = n_workers / 2  # it talks to the workers one after the other
        by_size = (self.full - self.small) * scale + 2 * n_workers * BYTES / bandwidth
        return (N_JOINS + 1 + N_SMALL) * self.small * max(1.0, scale) + (N_JOINS + 0.5) * by_size

    def reduce(self, n_workers: int, bandwidth: float, latency: float) -> float:
        """Return the seconds of the joins of a tree where all add, each a part of the sums, and share the parts."""
        rounds = math.ceil(math.log2(n_workers))
        by_size = self.full - self.small + 2 * (n_workers - 1) / n_workers * BYTES / bandwidth
        return (N_JOINS + 1 + N_SMALL) * (self.small + 3 * rounds * latency) + (N_JOINS + 0.5) * by_size


def write_tables(core: Core, joins: Mapping[str, Joins], measured: Mapping[str, float], n_rows: int) -> None:
    """Print the tables, given what was measured; of trainings, the seconds of a tree."""
    print(f"One core: {1e9 * core.a:.2f} ns per row and feature at the root, {1e9 * core.b:.2f} ns below it,")
    print(f"where {core.s:.2f} of the rows are summed; {1e9 * core.r:.0f} ns per row, {1e3 * core.c:.2f} ms per node.")
    print(f"Assumed: a worker's {CORES} cores share out the sums; {8e-9 * BANDWIDTH:g} Gb/s;")
    print(f"{1e6 * LATENCY:g} us a message; Dask's driver talks to one worker at a time; all workers are equally fast.")
    print_row("join of two processes", "a few numbers, ms", "a histogram of 557 kB, ms", begins=True)
    for name, each in joins.items():
        print_row(name, f"{1e3 * each.small:.2f}", f"{1e3 * each.full:.2f}")
    models = core.estimate_work(n_rows, 1), core.estimate_work(n_rows / 2, 1) + joins["local"].step(2, math.inf)
    columns = "tree by the model, s", "measured, s", "model / measured"
    print_row(f"{n_rows:,} x {N_FEATURES}, a core each", *columns, begins=True)
    for (name, seconds), model in zip(measured.items(), models, strict=True):
        print_row(name, f"{model:.3f}", f"{seconds:.3f}", f"{model / seconds:.2f}")
    columns = "rows each", "rows, s", "joins by MPI, s", "tree, s", "joins by Dask, s", "tree, s"
    print_row("workers", *columns, begins=True)
    for n_workers in WORKERS:
        work = core.estimate_work(N_ROWS / n_workers, CORES)
        mpi, dask = joins["MPI"].reduce(n_workers, BANDWIDTH, LATENCY), joins["Dask"].step(n_workers, BANDWIDTH)
        seconds = (f"{each:.3f}" for each in (work, mpi, work + mpi, dask, work + dask))
        print_row(str(n_workers), f"{N_ROWS / n_workers / 1e6:.2f} M", *seconds)


def print_row(*cells: str, begins: bool = False) -> None:
    """Print a row of a table, or the head that begins one."""
    print(f"\n| {' | '.join(cells)} |\n{'|---' * len(cells)}|" if begins else f"| {' | '.join(cells)} |")
