"""COCR over GBRT, K = 4 problems, against four single GBRTs on the same rows, without and with weights, in one run.

    python benchmarks/cocr.py [--queries 400] [--rounds 100] [--repeats 3]

They run in turns; printed are medians of wall seconds, CPU seconds, the ratio of wall seconds within a turn, and
the cores kept busy (CPU by wall seconds). COCR shares the threads out among its problems; with n_jobs=1 they are
trained one after the other, each by all threads, as single GBRTs are.
"""

import time
from collections.abc import Callable

import numpy as np
from side_by_side import parse_options, time_call

from refrank import COCRRanker, GBRTRanker
from refrank.datasets import cubic_polynomial


def time_wall_and_cpu(work: Callable[[], object]) -> tuple[float, float]:
    started = time.process_time()
    wall, _ = time_call(work)
    return wall, time.process_time() - started


def main() -> None:
    given = parse_options(__doc__, queries=400, rounds=100, repeats=3)
    data = cubic_polynomial(given.queries)
    base = GBRTRanker(n_rounds=given.rounds)
    X, y = data.X.astype(float), data.y.astype(float)

    def fit_four_singles(weight: np.ndarray | None = None) -> None:
        for _ in range(4):
            base.fit(X, y, sample_weight=weight)

    works = {
        "4 single GBRTs": fit_four_singles,
        "COCR, absolute": lambda: COCRRanker(base, cost="absolute").fit(X, data.y),
        "4 weighted GBRTs": lambda: fit_four_singles(1.0 + y),
        "COCR, oerr": lambda: COCRRanker(base, cost="oerr").fit(X, data.y),
        "oerr, n_jobs=1": lambda: COCRRanker(base, cost="oerr", n_jobs=1).fit(X, data.y),
    }
    turns = [[time_wall_and_cpu(work) for work in works.values()] for _ in range(given.repeats)]
    wall, cpu = np.moveaxis(np.array(turns), 2, 0)  # (n_repeats, n_works) each
    print(f"{data.X.shape[0]:,} x {data.X.shape[1]}, {given.rounds} rounds, depth {base.max_depth}")
    print(f"{'':18}{'seconds':>10}{'CPU s':>10}{'ratio':>8}{'cores':>8}")
    columns = [np.median(figures, axis=0) for figures in (wall, cpu, wall / wall[:, :1], cpu / wall)]
    for name, seconds, cpu_seconds, ratio, cores in zip(works, *columns, strict=True):
        print(f"{name:18}{seconds:10.2f}{cpu_seconds:10.2f}{ratio:8.2f}{cores:8.2f}")


if __name__ == "__main__":
    main()
