"""COCR over GBRT, K = 4 problems, against four single GBRTs on the same rows, without and with weights, in one run.

    python benchmarks/cocr.py [--queries 400] [--rounds 100] [--repeats 3]

They run in turns; printed are medians of wall seconds, CPU seconds, the ratio of wall seconds within a turn, and
the cores kept busy (CPU by wall seconds). COCR shares the threads out among its problems; with n_jobs=1 they are
trained one after the other, each by all threads, as single GBRTs are.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from refrank import COCRRanker, GBRTRanker
from refrank.datasets import cubic_polynomial


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--queries", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    data = cubic_polynomial(given.queries)
    base = GBRTRanker(n_rounds=given.rounds)
    X, y = data.X.astype(float), data.y.astype(float)

    def four_singles(weight: NDArray[np.float64] | None = None) -> None:
        for _ in range(4):
            base.fit(X, y, sample_weight=weight)

    works = {
        "4 single GBRTs": four_singles,
        "COCR, absolute": lambda: COCRRanker(base, cost="absolute").fit(X, data.y),
        "4 weighted GBRTs": lambda: four_singles(1.0 + y),
        "COCR, oerr": lambda: COCRRanker(base, cost="oerr").fit(X, data.y),
        "oerr, n_jobs=1": lambda: COCRRanker(base, cost="oerr", n_jobs=1).fit(X, data.y),
    }
    runs = [{name: timed(work) for name, work in works.items()} for _ in range(given.repeats)]  # in turns
    print(f"{data.X.shape[0]:,} x {data.X.shape[1]}, {given.rounds} rounds, depth {base.max_depth}")
    print(f"{'':18}{'seconds':>10}{'CPU s':>10}{'ratio':>8}{'cores':>8}")
    for name in works:
        wall, cpu, ratio, cores = (
            statistics.median(values)
            for values in zip(
                *((*run[name], run[name][0] / run["4 single GBRTs"][0], run[name][1] / run[name][0]) for run in runs),
                strict=True,
            )
        )
        print(f"{name:18}{wall:10.2f}{cpu:10.2f}{ratio:8.2f}{cores:8.2f}")


if __name__ == "__main__":
    main()
