"""W7: peak of resident memory during a training of two rounds of W1 and of W2, above what the raw matrix takes.

Each training has a fresh process, in which a small training has run before: memory freed by an earlier training would
hide the use of this one, and imports do not count. The figure is the kernel's own count of the peak,
set back before the training, so this work needs Linux. LightGBM bins its Dataset from the same matrix.
"""

import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.side_by_side import Contestant, Pairing, Settings, compare
from benchmarks.speed.boosting import GBRT_RATE, MAX_DEPTH, N_CLASSES, N_LEAVES, SOFTMAX_RATE
from benchmarks.speed.boosting_peers import LIGHTGBM, LIGHTGBM_NAME, Problem, enter_lightgbm
from benchmarks.speed.data import RankingData, draw_sparse, draw_uniform
from refrank import GBRTRanker, SoftmaxBoostRanker

N_ROUNDS = 2
STATUS = Path("/proc/self/status")
MEGABYTE = 2.0**20


def compare_memory(settings: Settings) -> Iterator[Pairing]:
    """Compare the peak memory of two rounds (W7)."""
    if not STATUS.exists():
        print("W7 is left out: it reads /proc, which only Linux has")
        return
    for work, rankers in (("W1", ("simultaneous", "sequential")), ("W2", ("gbrt",))):
        with tempfile.TemporaryDirectory() as folder:
            data = draw_of(work, settings)
            np.savez(Path(folder, "data"), X=data.X, y=data.y)
            measure = partial(measure_apart, folder, work, settings.threads)
            ours = [Contestant(name, partial(measure, name)) for name in rankers]
            peers = [Contestant(LIGHTGBM_NAME, partial(measure, "lightgbm"))] if LIGHTGBM else []
            what = f"peak of {work}, {data}, {data.X.nbytes / MEGABYTE:,.0f} MB raw"
            targets = [("", "lightgbm", 0.60)]
            yield from compare("W7", what, ours, peers, settings.cap_turns(2), targets, unit="MB")


def draw_of(work: str, settings: Settings) -> RankingData:
    """Draw the data of W1 or W2."""
    if work == "W1":
        return draw_uniform(settings.scale_rows(500_000), seed=settings.seed)
    return draw_sparse(settings.scale_rows(723_412), 136, zeros=0.372, seed=settings.seed)


def measure_apart(folder: str, work: str, threads: int, trainer: str) -> float:
    """Measure a training in a process of its own, in megabytes."""
    with ProcessPoolExecutor(1, get_context("spawn")) as fresh:
        return fresh.submit(measure_growth, folder, work, threads, trainer).result()


def measure_growth(folder: str, work: str, threads: int, trainer: str) -> float:
    """Measure the peak of a training over what is resident before it, in megabytes."""
    with np.load(Path(folder, "data.npz")) as arrays:
        X, y = arrays["X"], arrays["y"]
    train(trainer, work, threads, X[:1000], y[:1000])
    Path("/proc/self/clear_refs").write_text("5")
    before = read_status("VmRSS")
    train(trainer, work, threads, X, y)
    return (read_status("VmHWM") - before) / MEGABYTE


def train(trainer: str, work: str, threads: int, X: np.ndarray, y: np.ndarray) -> Any:
    """Train two rounds."""
    if trainer == "gbrt":
        ranker: Any = GBRTRanker(n_rounds=N_ROUNDS, max_depth=MAX_DEPTH, learning_rate=GBRT_RATE, n_threads=threads)
        return ranker.fit(X, y)
    if trainer == "lightgbm":
        data = RankingData(X, y, X[:0], y[:0], y[:0])
        softmax = Problem(data, N_CLASSES, N_ROUNDS, SOFTMAX_RATE, threads, n_leaves=N_LEAVES)
        regression = Problem(data, 1, N_ROUNDS, GBRT_RATE, threads, max_depth=MAX_DEPTH)
        contestant = enter_lightgbm(softmax if work == "W1" else regression)  # with the first round
        contestant.run()
        return contestant
    ranker = SoftmaxBoostRanker(
        n_rounds=N_ROUNDS, n_leaves=N_LEAVES, n_classes=N_CLASSES, update=trainer, n_threads=threads
    )
    return ranker.fit(X, y)


def read_status(field: str) -> int:
    """Read VmRSS, or the peak VmHWM, in bytes."""
    lines = STATUS.read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))
