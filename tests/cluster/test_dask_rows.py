"""Dask's arrays, dataframes and futures as shards, read where they lie; and forests on Dask's workers, by joblib."""

import os
import signal

import joblib
import numpy as np
import pytest
from joblib.parallel import get_active_backend

from refrank import COCRRanker, GBRTRanker, IGBRTRanker, RandomForestRanker
from refrank.cluster import use
from refrank.models import save_model

distributed = pytest.importorskip("distributed", reason="Dask is not installed", exc_type=ImportError)
da = pytest.importorskip("dask.array", reason="dask arrays are not installed", exc_type=ImportError)

from refrank.cluster.dask_actors import Workers  # noqa: E402  it needs Dask
from refrank.cluster.dask_rows import cut_columns, split  # noqa: E402

RNG = np.random.default_rng(0)
X, Y, WEIGHT = RNG.normal(size=(120, 4)), RNG.integers(0, 3, 120), RNG.integers(0, 4, 120) / 2
QID = np.repeat(np.arange(24), 5)
GBRT = GBRTRanker(n_rounds=4, max_depth=3)


@pytest.fixture(scope="module")
def client():
    """Two workers, each a process with one thread."""
    settings = {"processes": True, "dashboard_address": ":0", "host": "127.0.0.1", "silence_logs": 50}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, **settings) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def save(ranker, tmp_path):
    save_model(ranker, tmp_path / "model")
    return (tmp_path / "model").read_bytes()


def make_arrays():
    """X in blocks of rows and columns, and y, qid and sample_weight in others."""
    return da.from_array(X, (50, 2)), da.from_array(Y, 30), da.from_array(QID, 120), da.from_array(WEIGHT, 70)


def test_arrays_are_shards_and_partitions_that_are_lost_are_made_again(client, tmp_path):
    hit = []

    def strike(n_done, so_far):
        if n_done == 2 and not hit:
            hit.append(min(client.run(os.getpid).values()))
            os.kill(hit[0], signal.SIGKILL)

    with use(client, limit=60):
        shards = split(*make_arrays())
        assert len(shards) == 3
        ranker = GBRT.fit_shards(shards, monitor=strike)
    assert hit
    assert save(ranker, tmp_path) == save(GBRT.fit(X, Y, QID, sample_weight=WEIGHT), tmp_path)
    client.wait_for_workers(2, timeout=60)


def test_a_shard_runs_where_its_rows_are_and_others_go_round(client):
    workers, addresses = Workers(client), sorted(client.nthreads())
    for address in addresses:
        rows = client.submit(np.zeros, 3, workers=[address], pure=False)
        rows.result()
        assert workers.choose(0, rows) == [address]
    assert [workers.choose(place, None) for place in range(3)] == [[addresses[place % 2]] for place in range(3)]
    workers.lost.add(addresses[0])
    assert workers.choose(0, None) == [addresses[1]]
    workers.lost.add(addresses[1])
    assert workers.choose(0, None) == [addresses[0]]


def test_arrays_of_unknown_lengths_are_cut_as_they_are(client, tmp_path):
    rows, y, *_ = make_arrays()
    y = y.rechunk(50)
    kept = y > 0
    with use(client, limit=60):
        ranker = GBRT.fit_shards(split(rows[kept], y[kept]))
    assert save(ranker, tmp_path) == save(GBRT.fit(X[Y > 0], Y[Y > 0]), tmp_path)


class Frame:
    """The function and the columns of a dask dataframe, which `split` needs."""

    def __init__(self, partitions):
        self.partitions, self.columns = partitions, partitions[0].columns

    def to_delayed(self):
        delayed = pytest.importorskip("dask").delayed
        return [delayed(partition) for partition in self.partitions]


def make_frame():
    pandas = pytest.importorskip("pandas")
    columns = {f"f{j}": X[:, j] for j in range(4)}
    return pandas.DataFrame({"label": Y, **columns, "qid": QID, "weight": WEIGHT})


def train_on_frame(client, frame, tmp_path):
    with use(client, limit=60):
        ranker = GBRT.fit_shards(split(frame, "label", "qid", "weight"))
    rows, y, qid, weight = cut_columns(make_frame(), "label", "qid", "weight")
    assert [*rows.columns] == ["f0", "f1", "f2", "f3"]
    assert save(ranker, tmp_path) == save(GBRT.fit(rows, y, qid, sample_weight=weight), tmp_path)


def test_partitions_of_a_dataframe_are_shards(client, tmp_path):
    frame = make_frame()
    train_on_frame(client, Frame([frame[:50], frame[50:]]), tmp_path)


def test_a_dask_dataframe_is_shards(client, tmp_path):
    dataframes = pytest.importorskip("dask.dataframe", reason="dask dataframes lack pyarrow", exc_type=ImportError)
    train_on_frame(client, dataframes.from_pandas(make_frame(), npartitions=2), tmp_path)


def test_what_is_not_cut_as_x_is_is_refused(client):
    rows, y, *_ = make_arrays()
    with pytest.raises(ValueError, match="y has 1 partitions: there must be 3, as many as X has"):
        split(rows, da.from_array(Y[:100], 100))
    with pytest.raises(ValueError, match="qid is a ndarray: it must be a dask array or dataframe, as X is"):
        split(rows, y, QID)
    with pytest.raises(ValueError, match="qid is 'query': it must be a column of X"):
        split(Frame([make_frame()]), "label", "query")


@pytest.mark.parametrize(
    "ranker",
    [
        RandomForestRanker(n_trees=24, oob_score=True),
        RandomForestRanker(n_trees=9, setting="classification"),
        IGBRTRanker(n_trees=6, n_rounds=2),
        COCRRanker(GBRTRanker(n_rounds=2)),
        COCRRanker(RandomForestRanker(n_trees=4)),
    ],
)
def test_joblib_spreads_trees_and_problems_to_the_same_bytes(client, tmp_path, ranker):
    expected = save(ranker.fit(X, Y), tmp_path)
    with joblib.parallel_config("dask"), distributed.get_task_stream(client) as stream:
        spread = save(ranker.fit(X, Y), tmp_path)
    assert spread == expected
    assert {task["worker"] for task in stream.data} & set(client.nthreads())
    with joblib.parallel_config("dask"):
        stopped = ranker.fit(X, Y, monitor=lambda n_done, so_far: n_done == 2)
    assert save(stopped, tmp_path) == save(ranker.fit(X, Y, monitor=lambda n_done, so_far: n_done == 2), tmp_path)


def test_forests_that_grow_side_by_side_do_not_share_a_backend(client, monkeypatch):
    """The first that ended would stop the results of its backend, and the others would wait for ever, now and then."""
    used = []
    with joblib.parallel_config("dask"):
        kind = type(get_active_backend()[0])
        stop_call = kind.stop_call
        monkeypatch.setattr(kind, "stop_call", lambda self: used.append(self) or stop_call(self))
        RandomForestRanker(n_trees=2, setting="classification").fit(X, Y)
    assert len({*map(id, used)}) == len(used) == Y.max()  # a forest for each question "at least k?"
