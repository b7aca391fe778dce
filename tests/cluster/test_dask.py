"""Shards on the workers of a Dask cluster: the bytes of one machine, whatever is lost, and nothing left behind."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone

from refrank import COCRRanker, GBRTRanker, LSBoostRanker, SoftmaxBoostRanker
from refrank.cluster import ClusterError, use
from refrank.cluster.member import NOTHING
from refrank.models import save_model
from tests.cluster.threads import deal

distributed = pytest.importorskip("distributed", reason="Dask is not installed", exc_type=ImportError)
dask = pytest.importorskip("dask")

from refrank.cluster import dask_actors  # noqa: E402  it needs Dask
from refrank.cluster.dask_actors import ActorLine, Mailbox, ShardActor, Workers  # noqa: E402

RANKERS = {
    "softmax": SoftmaxBoostRanker(n_rounds=2),
    "LS": LSBoostRanker(n_rounds=3, missing="three-way"),
    "GBRT": GBRTRanker(n_rounds=3, max_depth=3, missing="zero"),
    "COCR": COCRRanker(GBRTRanker(n_rounds=2, max_depth=3)),
}
RNG = np.random.default_rng(0)
X, Y, WEIGHT = RNG.normal(size=(120, 4)), RNG.integers(0, 3, 120), RNG.integers(0, 4, 120) / 2
HOLES = np.where(RNG.random(X.shape) < 0.2, np.nan, X)


@pytest.fixture(scope="module")
def client():
    """Two workers, each a process with two threads."""
    settings = {"processes": True, "dashboard_address": ":0", "host": "127.0.0.1"}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=2, silence_logs=50, **settings) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def save(ranker, tmp_path):
    save_model(ranker, tmp_path / "model")
    return (tmp_path / "model").read_bytes()


def train(name, arrays, tmp_path):
    """The bytes of the model that one machine makes of X, y, qid and sample_weight."""
    X, y, _, weight = arrays
    return save(clone(RANKERS[name]).fit(X, y, **({} if weight is None else {"sample_weight": weight})), tmp_path)


def find_pids(client):
    return client.run(os.getpid)


def list_what_is_left(dask_worker):
    names = [thread.name for thread in threading.enumerate()]
    return [*dask_worker.state.actors, *(name for name in names if "(run)" in name)]


@pytest.mark.parametrize(
    ("name", "n_shards", "weight"),
    [("softmax", 1, None), ("softmax", 7, WEIGHT), ("LS", 2, WEIGHT), ("GBRT", 3, None), ("COCR", 2, None)],
)
def test_shards_on_dask_make_the_bytes_of_one_machine(client, tmp_path, name, n_shards, weight):
    arrays = [X if name in ("softmax", "COCR") else HOLES, Y, None, weight]
    shards = deal(arrays, RNG.integers(0, n_shards, 120), n_shards)
    with use(client, limit=60):
        ranker = clone(RANKERS[name]).fit_shards(shards)
    assert save(ranker, tmp_path) == train(name, arrays, tmp_path)


def test_an_address_is_connected_to_and_nothing_is_left_on_the_workers(client, tmp_path):
    shards, names, n_clients = deal([X, Y, None, None], np.arange(120) % 3, 3), set(), count_clients(client)

    def look(n_done, so_far):
        names.update(name for left in client.run(list_what_is_left).values() for name in left)

    with use(client.scheduler.address, limit=60):
        ranker = clone(RANKERS["softmax"]).fit_shards(shards, monitor=look)
    assert save(ranker, tmp_path) == train("softmax", [X, Y, None, None], tmp_path)
    assert any("(run)" in name for name in names)
    assert sum("ShardActor" in name for name in names) == 3
    wait_until_clean(client)
    wait_until(lambda: count_clients(client) == n_clients)
    assert {*client.run(find_n_threads).values()} == {"2"}  # as many as the worker has


def find_n_threads():
    return os.environ.get("REFRANK_NUM_THREADS")


def count_clients(client):
    return client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.clients))


def test_workers_that_are_threads_share_no_array_and_a_long_wait_is_asked_for_again(tmp_path, monkeypatch):
    monkeypatch.setattr(dask_actors, "PATIENCE", 0.001)
    monkeypatch.delenv("REFRANK_NUM_THREADS", raising=False)
    settings = {"processes": False, "dashboard_address": ":0", "set_as_default": False, "silence_logs": 50}
    arrays = [X, Y, None, WEIGHT]
    with distributed.Client(n_workers=2, threads_per_worker=1, **settings) as client, use(client, limit=60):
        ranker = clone(RANKERS["softmax"]).fit_shards(deal(arrays, np.arange(120) % 3, 3))
    assert save(ranker, tmp_path) == train("softmax", arrays, tmp_path)
    assert "REFRANK_NUM_THREADS" not in os.environ  # the process is not the workers' own
    actor = SimpleNamespace(mailbox=Mailbox())
    assert asyncio.run(asyncio.wait_for(ShardActor.look(actor), 5)) is None


def wait_until(is_so, patience=20.0):
    until = time.monotonic() + patience
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.05)


def wait_until_clean(client):
    """Wait until two workers are there, with nothing of a training on them."""
    left = partial(client.run, list_what_is_left, on_error="ignore")  # a worker that was killed may still be listed
    wait_until(lambda: len(client.nthreads()) == 2 and [*left().values()] == [[], []])


@pytest.mark.parametrize("loss", [signal.SIGKILL, signal.SIGSTOP])
def test_a_worker_that_is_killed_or_frozen_changes_no_bit(client, tmp_path, loss):
    client.wait_for_workers(2, timeout=60)
    pids, hit = find_pids(client), []

    def strike(n_done, so_far):
        if n_done == 2 and not hit:
            hit.append(pids[min(pids)])  # workers are taken in the order of their addresses
            os.kill(hit[0], loss)

    arrays = [X, Y, None, WEIGHT]
    try:
        with use(client, limit=3):
            ranker = clone(RANKERS["LS"]).fit_shards(deal(arrays, np.arange(120) % 3, 3), monitor=strike)
    finally:
        if loss == signal.SIGSTOP:
            os.kill(hit[0], signal.SIGCONT)
    assert save(ranker, tmp_path) == train("LS", arrays, tmp_path)
    wait_until_clean(client)


def test_rows_that_were_scattered_and_are_lost_end_the_training_with_a_line_and_the_finished_rounds(client, tmp_path):
    workers, ranker = sorted(client.nthreads()), clone(RANKERS["LS"])
    pids = find_pids(client)

    def strike(n_done, so_far):
        if n_done == 2:
            os.kill(pids[workers[1]], signal.SIGKILL)

    shards = [
        client.scatter([shard], workers=[worker])[0]
        for shard, worker in zip(deal([X, Y, None, None], np.arange(120) % 2, 2), workers, strict=True)
    ]
    sentence = "the rows of shard 1 are lost, and Dask does not know how to make them again"
    with use(client, limit=60), pytest.raises(ClusterError, match=sentence):
        ranker.fit_shards(shards, monitor=strike)
    assert save(ranker.set_params(n_rounds=2), tmp_path) == save(clone(ranker).fit(X, Y), tmp_path)
    wait_until_clean(client)


@pytest.mark.parametrize("send", [lambda client, shards: client.map(tuple, shards), distributed.Client.scatter])
def test_futures_are_shards_and_nothing_is_left_on_the_workers(client, tmp_path, send):
    shards = deal([X, Y, None, WEIGHT], np.arange(120) % 3, 3)
    with use(client, limit=60):
        ranker = clone(RANKERS["LS"]).fit_shards(send(client, shards))
    assert save(ranker, tmp_path) == train("LS", [X, Y, None, WEIGHT], tmp_path)
    wait_until_clean(client)


def start(folder, command, *words):
    """Start a scheduler or a worker as a process of its own."""
    words = ["--scheduler-file", str(folder / "scheduler.json"), "--no-dashboard", *words]
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{command}", *words], cwd=folder, stderr=subprocess.DEVNULL
    )


def test_a_scheduler_that_is_killed_ends_the_training_with_a_line_and_the_finished_rounds(tmp_path):
    arrays = [X, Y, None, None]
    ranker, seen = clone(RANKERS["LS"]).set_params(n_rounds=50), []
    scheduler = start(tmp_path, "scheduler", "--host", "127.0.0.1", "--port", "0")
    worker = start(tmp_path, "worker", "--nthreads", "2", "--no-nanny")

    def strike(n_done, so_far):
        if n_done == 3:
            seen.append(so_far().n_rounds_)
            scheduler.kill()

    place = str(tmp_path / "scheduler.json")
    try:
        with (
            distributed.Client(scheduler_file=place, set_as_default=False, timeout=5) as client,
            use(client, limit=10),
            pytest.raises(ClusterError, match=r"the Dask scheduler tcp://127\.0\.0\.1:\d+ does not answer"),
        ):
            ranker.fit_shards(deal(arrays, np.arange(120) % 2, 2), monitor=strike)
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
    assert seen == [3]
    assert save(ranker.set_params(n_rounds=3), tmp_path) == train("LS", arrays, tmp_path)


def test_actors_end_with_the_client_that_made_them(client):
    with distributed.Client(client.scheduler.address, set_as_default=False) as other, other.as_current():
        line = ActorLine(Workers(other), 0, 2, SoftmaxBoostRanker, None, NOTHING)
        line.receive(60)
        assert any(client.run(list_what_is_left).values())
    wait_until_clean(client)


def raise_fault(fault):
    raise fault


@pytest.mark.parametrize(
    ("fault", "expected", "sentence"),
    [
        (ValueError("a row is red"), ValueError, r"shard 1 \(number 1\): a row is red"),
        (OSError("the disk is full"), OSError, r"shard 1 \(number 1\): the disk is full"),
        (MemoryError("no room"), ClusterError, r"shard 1 \(number 1\).* raised MemoryError: no room.* lost 2 times"),
    ],
)
def test_a_shard_that_raises_ends_the_training_with_its_sentence(client, fault, expected, sentence):
    with use(client, limit=60, most_losses=1), pytest.raises(expected, match=sentence):
        SoftmaxBoostRanker(n_rounds=2).fit_shards([(X, Y), partial(raise_fault, fault)])
    wait_until_clean(client)


def test_an_asynchronous_client_is_refused(client):
    class Asynchronous:
        asynchronous, scheduler_info = True, None

    with pytest.raises(ValueError, match="engine is an asynchronous Dask client: it must be"), use(Asynchronous()):
        pass


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("tcp://127.0.0.1:9", "Timed out trying to connect"),
        ("tls://127.0.0.1:9", "its configuration has no certificates of TLS; a client may have them"),
        ("http://127.0.0.1:9", "unknown address scheme 'http'"),
    ],
)
def test_an_address_without_a_scheduler_is_refused(address, sentence):
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "100 ms"}),
        pytest.raises(ValueError, match=f"engine is '{address}': Dask cannot connect to it: {sentence}"),
        use(address),
    ):
        pass
