"""Kill and freeze workers of a Dask cluster in the middle of trainings, and compare the model files.

    python -m benchmarks.cluster.dask_losses --losses 20

Each training has three shards on three workers. At a random moment, one worker gets SIGKILL or SIGSTOP, in turn; a
frozen one goes on after the training. It prints a line per training, and exits with 1 if a model differs.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
from distributed import Client, LocalCluster

from refrank import GBRTRanker, LSBoostRanker, SoftmaxBoostRanker
from refrank.cluster import use
from refrank.models import save_model

RANKERS = [SoftmaxBoostRanker(n_rounds=4), LSBoostRanker(n_rounds=12), GBRTRanker(n_rounds=12)]
N_WORKERS, LIMIT = 3, 3.0  # processes; seconds


def main() -> int:
    """Run as many trainings as there are losses."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--losses", type=int, default=20)
    n_losses, draws = parser.parse_args().losses, random.Random(0)
    rng = np.random.default_rng(0)
    X, y, places = rng.normal(size=(3000, 20)), rng.integers(0, 4, 3000), rng.integers(0, N_WORKERS, 3000)
    shards = [(X[places == place], y[places == place]) for place in range(N_WORKERS)]
    expected = [write(ranker.fit(X, y)) for ranker in RANKERS]
    n_wrong = n_hit = 0
    for i in range(n_losses):
        ranker, loss = RANKERS[i % len(RANKERS)], (signal.SIGKILL, signal.SIGSTOP)[i % 2]
        with start_workers() as client:
            duration = time_training(client, ranker, shards)
            pid = draws.choice(sorted(client.run(os.getpid).values()))
            timer = Timer(draws.uniform(0.0, 1.0) * duration, os.kill, (pid, loss))
            timer.start()
            began = time.monotonic()
            try:
                with use(client, limit=LIMIT):
                    same = write(ranker.fit_shards(shards)) == expected[i % len(RANKERS)]
                took, n_hit = time.monotonic() - began, n_hit + (not timer.is_alive())
            finally:
                timer.join()
                if loss == signal.SIGSTOP:
                    os.kill(pid, signal.SIGCONT)
        n_wrong += not same
        seconds = f"{took:5.1f} s in place of {duration:.1f} s"
        print(f"{i:3} {type(ranker).__name__:20} {loss.name:8} {seconds}  {'same' if same else 'DIFFERS'}", flush=True)
    print(f"{n_losses} losses, {n_hit} in a training; {n_wrong} models differ")
    return int(n_wrong > 0)


@contextmanager
def start_workers() -> Iterator[Client]:
    """Start workers that no loss has hit yet: after some, Dask does not start a worker again."""
    settings: dict[str, Any] = {"dashboard_address": ":0", "silence_logs": 50}
    with LocalCluster(n_workers=N_WORKERS, threads_per_worker=1, **settings) as cluster, Client(cluster) as client:
        yield client


def time_training(client: Client, ranker: Any, shards: list[Any]) -> float:
    """Time a training of which nothing is lost, once the workers have imported refrank."""
    for _ in range(2):
        began = time.monotonic()
        with use(client):
            ranker.fit_shards(shards)
    return time.monotonic() - began


def write(ranker: Any) -> bytes:
    """Return the bytes of the model file."""
    with tempfile.TemporaryDirectory() as folder:
        save_model(ranker, path := Path(folder) / "model")
        return path.read_bytes()


if __name__ == "__main__":
    sys.exit(main())
