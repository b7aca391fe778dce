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
    n_wrong = 0
    with (
        LocalCluster(N_WORKERS, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as cluster,
        Client(cluster) as client,
    ):
        duration = time_training(client, RANKERS[0], shards)
        for i in range(n_losses):
            client.wait_for_workers(N_WORKERS)
            pid = draws.choice([*client.run(os.getpid).values()])
            loss = (signal.SIGKILL, signal.SIGSTOP)[i % 2]
            ranker = RANKERS[i % len(RANKERS)]
            timer = Timer(draws.uniform(0.05, 0.8) * duration, os.kill, (pid, loss))
            timer.start()
            began = time.monotonic()
            try:
                with use(client, limit=LIMIT):
                    same = write(ranker.fit_shards(shards)) == expected[i % len(RANKERS)]
            finally:
                timer.join()
                if loss == signal.SIGSTOP:
                    os.kill(pid, signal.SIGCONT)
            n_wrong += not same
            took = time.monotonic() - began
            print(f"{i:3} {type(ranker).__name__:20} {loss.name:8} {took:5.1f} s  {'same' if same else 'DIFFERS'}")
    print(f"{n_losses} losses, {n_wrong} models differ; a training without a loss takes {duration:.1f} s")
    return int(n_wrong > 0)


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
