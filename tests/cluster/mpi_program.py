"""The program that tests run by mpiexec: `python -m tests.cluster.mpi_program equal`, `told`, or the name of a fault.

`equal` and `told` train many times in one run, since a start takes a second; the first process prints what came of it.
A fault ends the run in the middle of a training, or before or after it.
"""

import json
import os
import signal
import sys
import warnings
from contextlib import suppress
from functools import partial
from io import StringIO
from pathlib import Path
from threading import Thread

import numpy as np
from mpi4py import MPI
from sklearn.base import clone

from refrank import COCRRanker, GBRTRanker, IGBRTRanker, LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker, cluster
from refrank.cluster.mpi import MEMBERS, THREADS
from refrank.models import save_model
from refrank.trees.sharded import ShardedSplitter

COMM = MPI.COMM_WORLD
PLACE, N_SHARDS = COMM.Get_rank(), COMM.Get_size()
HURT = N_SHARDS - 1  # the place of the process that a fault befalls
SUMS = ShardedSplitter.histogram
BOOSTER = SoftmaxBoostRanker(n_rounds=8, n_leaves=4)
GBRT = GBRTRanker(n_rounds=2, max_depth=3)
RANKERS = {
    "softmax": SoftmaxBoostRanker(n_rounds=2),
    "ordinal": OrdinalBoostRanker(n_rounds=2),
    "LS": LSBoostRanker(n_rounds=3),
    "GBRT": GBRT,
    "iGBRT": IGBRTRanker(n_rounds=2, n_trees=0),
    "COCR": COCRRanker(GBRT),
    "three-way": GBRTRanker(n_rounds=2, missing="three-way", missing_value=2.0),
    "App. I": SoftmaxBoostRanker(n_rounds=1, binning="app-i", n_bins=12, growth=1.5),
}


def make_shards(n_shards=N_SHARDS, seed=0, n_rows=140):
    """Make rows with weights, and their shards, of which the first of several is empty."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(-2, 3, n_rows), rng.normal(size=(n_rows, 2))])
    arrays = [X, rng.integers(0, 3, n_rows), rng.integers(0, 9, n_rows), rng.choice([0.5, 1.0, 3.0], n_rows)]
    places = rng.integers(n_shards > 1, n_shards, n_rows)
    return arrays, [tuple(values[places == place] for values in arrays) for place in range(n_shards)]


def save(ranker):
    path = f"model{PLACE}"
    save_model(ranker, path)
    with open(path, "rb") as file:
        return file.read()


def train_all(comm, shards, whole):
    """Train every ranker on shards; return the names of those whose bytes differ on any process."""
    differ = []
    for name, ranker in RANKERS.items():
        with cluster.use(comm, limit=60.0):
            cut = clone(ranker).fit_shards(shards)
        if len({*comm.allgather(save(cut)), *([whole[name]] if name in whole else [])}) > 1:
            differ.append(name)
    return differ


def equal():
    arrays, shards = make_shards()
    own = [name for k, name in enumerate(RANKERS) if k % N_SHARDS == PLACE]
    whole = {name: save(clone(RANKERS[name]).fit(*arrays[:3], sample_weight=arrays[3])) for name in own}
    differ = {"world": train_all(COMM, shards, whole)}
    part = COMM.Split(PLACE % 2, -PLACE)  # two communicators, in another order, at the same time
    differ["part"] = train_all(part, make_shards(part.Get_size())[1], whole)
    results = COMM.gather(differ)
    if PLACE == 0:
        print(json.dumps(results))


def hurt_after(act, n_calls=20):
    """Make something happen to the hurt process within a training, in the middle of a tree."""
    calls = iter(range(n_calls))

    def histogram(*arguments):
        if next(calls, None) is None and PLACE == HURT:
            ShardedSplitter.histogram = SUMS
            act()
        return SUMS(*arguments)

    ShardedSplitter.histogram = histogram


def fail(fault):
    raise fault


def read_hurt(shard, act):
    return act(*shard) if PLACE == HURT else shard


def train(ranker, act=None, **options):
    """Train on shards whose hurt process reads them by `act`."""
    shards = make_shards()[1]
    if act is not None:
        shards[HURT] = partial(read_hurt, shards[HURT], act)
    return ranker.fit_shards(shards, **options)


def half_a_label(X, y, *others):
    return X, np.where(np.arange(len(y)) == 3, 2.5, y), *others


FAULTS = {
    "label": lambda ranker: train(ranker, half_a_label),
    "no file": lambda ranker: train(ranker, lambda *_: Path("absent").read_text()),
    "bytes": lambda ranker: train(ranker, lambda *_: b"\xff".decode()),
    "columns": lambda ranker: train(ranker, lambda X, *others: (X[:, :2], *others)),
    "arithmetic": lambda ranker: (hurt_after(lambda: 1 / 0), train(ranker)),
    "exit": lambda ranker: (hurt_after(partial(sys.exit, 3)), train(ranker)),
    "parameters": lambda ranker: train(ranker.set_params(n_rounds=7 if PLACE == HURT else 8)),
    "at once": lambda ranker: train(ranker, lambda *_: 1 / 0),
    "own fault": lambda ranker: train(ranker, lambda *_: fail(type("OwnFault", (ValueError,), {})("a row is red"))),
    "number": lambda ranker: ranker.fit_shards(make_shards()[1][1:]),
    "monitor": lambda ranker: train(ranker, monitor=lambda *_: fail(RuntimeError("the disk is full"))),
    "interrupt": lambda ranker: (hurt_after(partial(signal.raise_signal, signal.SIGINT)), train(ranker)),
    "SIGTERM": lambda ranker: (hurt_after(partial(signal.raise_signal, signal.SIGTERM)), train(ranker)),
}


def told():
    """Meet faults that all processes are told of; each of them can go on, with the finished turns."""
    X, y, qid, weight = make_shards()[0]
    whole = save(clone(BOOSTER).fit(X, y, qid, sample_weight=weight))
    results = {}
    for name, act in FAULTS.items():
        ranker, raised = clone(BOOSTER), None
        with cluster.use("mpi", limit=60.0):
            try:
                act(ranker)
            except BaseException as fault:
                raised = f"{type(fault).__name__}: {fault}"
            n_kept = len(ranker.model_.rounds) if hasattr(ranker, "model_") else 0
            ranker.set_params(n_rounds=BOOSTER.n_rounds, warm_start=n_kept > 0).fit_shards(make_shards()[1])
        results[name] = sorted({*COMM.allgather((raised, n_kept, save(ranker.set_params(warm_start=False)) == whole))})
    kept = clone(BOOSTER).set_params(n_rounds=2, warm_start=True)
    if PLACE == 0:  # whose model is continued on all
        kept.fit(X, y, qid, sample_weight=weight)
    with cluster.use("mpi", limit=7.0):
        kept.set_params(n_rounds=BOOSTER.n_rounds).fit_shards(make_shards()[1])
    results["continued"] = COMM.allgather(save(kept.set_params(warm_start=False)) == whole)
    results |= look_around() | handle_signals(whole)
    if PLACE == 0:
        print(json.dumps(results))


def look_around():
    """Return the limit in force, how many warnings each process gives, and the numbers of threads that are set."""
    around, seen = {"limit": MEMBERS[0].limit}, []
    ranker = clone(GBRT).set_params(missing="zero", missing_value=9.0)  # which no row has
    for own in None, "5":
        if own is not None:
            os.environ[THREADS] = own
        with cluster.use("mpi"), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ranker.fit_shards(make_shards()[1], monitor=lambda *_: seen.append(os.environ[THREADS]))
        seen.append(os.environ.get(THREADS))
    return {**around, "warnings": COMM.allgather(len(caught)), "threads": seen}


def handle_signals(whole):
    """Return how often a signal's own handler runs, and whether a thread, which can have none, trains the model."""
    handled, trained = [], []
    signal.signal(signal.SIGTERM, lambda number, frame: handled.append(number))
    hurt_after(partial(signal.raise_signal, signal.SIGTERM))
    with cluster.use("mpi"), suppress(KeyboardInterrupt):
        train(clone(BOOSTER))
    thread = Thread(target=lambda: trained.append(train_on_all()))
    thread.start()
    thread.join()
    return {"handled": COMM.allgather(len(handled)), "a thread": COMM.allgather(trained == [whole])}


def train_on_all():
    with cluster.use("mpi"):
        return save(train(clone(BOOSTER)))


ENDS = {
    "killed": lambda: hurt_after(lambda: os.kill(os.getpid(), signal.SIGKILL)),
    "stopped": lambda: hurt_after(lambda: os.kill(os.getpid(), signal.SIGSTOP)),
    "early": lambda: sys.exit(5) if PLACE == HURT else None,
    "before": lambda: (setattr(sys, "stderr", StringIO()), {}["a key"]) if PLACE == HURT else None,
    "on all": lambda: {}["a key"],
    "label": lambda: train(clone(BOOSTER), half_a_label),
    "twice": lambda: hurt_after(lambda: [signal.raise_signal(signal.SIGINT)] * 2),
}


def end(name):
    """Meet a fault that ends the run."""
    with cluster.use("mpi", limit=1.5 if name == "stopped" else 60.0):  # a busy machine may take some seconds
        ENDS[name]()
        clone(BOOSTER).set_params(n_rounds=10**6).fit_shards(make_shards()[1])


if __name__ == "__main__":
    {"equal": equal, "told": told}.get(sys.argv[1], partial(end, sys.argv[1]))()
