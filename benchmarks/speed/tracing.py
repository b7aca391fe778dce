"""Cost of recording a training: a trace of digests beside the same fit, in turns.

    python -m benchmarks.speed.tracing
    python -m benchmarks.speed.tracing --turns 15 --n-threads 1

The aim is a ratio of at most 1.5. Seconds are processor seconds of all threads, which depend less on other
work of the machine than wall seconds. The ratio is that of the fastest turns. Small data are the hardest: a tree of
2,000 rows takes less than a millisecond, and leaves ten records.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.side_by_side import parse_options
from refrank.estimators.registry import RANKERS
from yardstick.traces.stages import LabelledRows
from yardstick.traces.tracing import describe_training, record_training
from yardstick.traces.writer import TraceWriter

SIZES = ((2_000, 46, 100), (20_000, 46, 75), (100_000, 136, 20))  # rows, features, trees
N_CLASSES, ROWS_PER_QUERY = 5, 20
AIM = 1.5


def main() -> None:
    given = parse_options(__doc__, turns=9, n_threads=0, seed=0)
    parameters = {"n_threads": given.n_threads} if given.n_threads else {}
    print(f"{'rows':>7} {'features':>8} {'algorithm':>9} {'fit':>8} {'trace':>8} {'ratio':>6} {'size':>8}")
    for n_rows, n_features, n_trees in SIZES:
        data = draw(n_rows, n_features, given.seed)
        for algorithm, trees_per_round in (("softmax", N_CLASSES), ("ls", 1)):
            rounds = n_trees // trees_per_round

            def make(algorithm: str = algorithm, rounds: int = rounds) -> Any:
                return RANKERS[algorithm](n_rounds=rounds, **parameters)

            seconds = np.empty((2, given.turns))
            for turn in range(given.turns):
                seconds[0, turn] = time_fit(make(), *data)
                seconds[1, turn], n_bytes = time_trace(make(), *data)
            fit, trace = seconds.min(axis=1)
            note = "" if trace <= AIM * fit else f"  above {AIM}"
            print(
                f"{n_rows:>7,} {n_features:>8} {algorithm:>9} {fit:>7.3f}s {trace:>7.3f}s {trace / fit:>6.2f} "
                f"{n_bytes / 2**20:>5.2f}MiB{note}",
                flush=True,
            )


def draw(n_rows: int, n_features: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw X, y and qid; labels depend on three features."""
    X = np.random.default_rng(seed).normal(size=(n_rows, n_features))
    y = np.clip(np.rint(X[:, 0] + X[:, 1] * X[:, 2] + 2), 0, N_CLASSES - 1).astype(np.int64)
    return X, y, np.arange(n_rows) // ROWS_PER_QUERY


def time_fit(ranker: Any, X: np.ndarray, y: np.ndarray, qid: np.ndarray) -> float:
    """Time a fit."""
    return time_processor(lambda: ranker.fit(X, y, qid))


def time_trace(ranker: Any, X: np.ndarray, y: np.ndarray, qid: np.ndarray) -> tuple[float, int]:
    """Time the same fit with its trace; return the size of the records, too, in bytes."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "trace")

        def write() -> None:
            rows = LabelledRows(X, y, qid)
            with TraceWriter(place, "digests", describe_training(ranker, rows)) as writer:
                record_training(ranker, rows, writer.keep, writer.write)

        return time_processor(write), sum(path.stat().st_size for path in place.iterdir())


def time_processor(call: Callable[[], object]) -> float:
    """Return the seconds of the processor that a call takes."""
    started = time.process_time()
    call()
    return time.process_time() - started


if __name__ == "__main__":
    main()
