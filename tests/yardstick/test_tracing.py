"""Traces: a recorded fit is the fit; every record follows from those before it; what is written is read back."""

import math
from cProfile import Profile

import numpy as np
import pytest

from refrank.estimators.registry import RANKERS
from refrank.metrics import PRESETS, err, ndcg
from refrank.trees import splitting
from refrank.trees.engine import default_engine
from tests.yardstick.trainings import DATA, OF_TREES, TRAININGS, WEIGHT, X, check_size, follow, make, record, rows_of
from yardstick.divergence.comparing import compare_traces
from yardstick.scorecard.trainings import LabelledRows
from yardstick.traces import writer as writing
from yardstick.traces.reader import index_records
from yardstick.traces.sizes import predict_sizes
from yardstick.traces.stages import Place
from yardstick.traces.tracing import measure

PAPER = PRESETS["paper"]


@pytest.mark.parametrize("name", TRAININGS)
def test_a_recorded_fit_is_the_fit(name, tmp_path):
    recorded, rows = make(name), rows_of(name)
    trace = record(tmp_path / "trace", recorded, rows=rows)
    plain = make(name).fit(*rows[: 3 if rows.weight is None else 4])
    assert plain.predict(rows.X).tobytes() == recorded.predict(rows.X).tobytes()
    assert repr(recorded) == repr(plain)  # its parameters are left as they were
    assert index_records(trace)["prediction", Place()].values("values").tobytes() == plain.predict(rows.X).tobytes()
    assert default_engine(1).in_turn is False  # the recorder is let go


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", OF_TREES)
def test_every_record_follows_from_those_before(golden_of, name, weighted, tmp_path):
    rows = rows_of(name)
    weights = rows._replace(weight=np.resize(WEIGHT, len(rows.y)))
    trace = record(tmp_path / "trace", make(name), rows=weights) if weighted else golden_of(name)
    assert "prediction" in [*follow(trace)]


@pytest.mark.parametrize("name", ["softmax, simultaneous", "ordinal", "igbrt", "softmax, two bytes"])
def test_the_specification_leaves_the_trace_of_the_kernel(name, tmp_path, monkeypatch):
    golden = record(tmp_path / "golden", make(name), rows=rows_of(name))
    monkeypatch.setattr("refrank.trees.engine.DEFAULT_SPLITTER", splitting)
    other = record(tmp_path / "other", make(name).set_params(n_threads=3), rows=rows_of(name))
    assert compare_traces(golden, other).passes


@pytest.mark.parametrize("name", TRAININGS)
def test_digests_and_tensors_and_json_are_one_trace_of_the_size_said_beforehand(golden_of, name, tmp_path):
    ranker, rows, golden = make(name), rows_of(name), golden_of(name)
    sizes = predict_sizes(ranker, *rows)
    assert not hasattr(ranker, "model_")
    check_size(golden, sizes["json"])
    for values in ("digests", "safetensors"):
        trace = record(tmp_path / values, ranker, values, rows=rows)
        check_size(trace, sizes[values])
        assert compare_traces(golden, trace).passes
    tensors = index_records(trace)
    for key, kept in index_records(golden).items():
        for field in kept.fields:
            assert np.array_equal(tensors[key].values(field), kept.values(field), equal_nan=True)


def test_the_size_of_many_rounds_is_said_beforehand(tmp_path):
    ranker = RANKERS["ls"](n_rounds=60, learning_rate=0.3)
    for values, size in predict_sizes(ranker, *DATA).items():
        check_size(record(tmp_path / values, ranker, values), size)


def test_digests_stand_for_large_fields_and_small_ones_and_the_rows_are_kept(tmp_path):
    records = index_records(record(tmp_path / "trace", make("ls"), "digests"))
    assert records["data", Place()].values("X").tobytes() == X.tobytes()
    fields = [field for (stage, _), kept in records.items() for field in kept.fields.values() if stage != "data"]
    n_entries = [math.prod(field.shape) for field in fields]
    assert min(n_entries) <= writing.ALWAYS < max(n_entries)
    assert [field.values is None for field in fields] == [n > writing.ALWAYS for n in n_entries]


def test_metrics_are_those_of_the_paper_and_err_is_measured_where_its_convention_has_the_grades():
    for highest in (3, 4, 5):
        given = np.array([0, highest, 1, 2]), np.array([3.0, 1.0, 2.0, 0.5]), np.array([0, 0, 1, 1])
        expected = {"ndcg": ndcg(*given, 10, PAPER, per_query=True), "mean": ndcg(*given, 10, PAPER)}
        expected |= {"err": err(*given, None, PAPER, per_query=True)} if highest < 5 else {}
        assert {name: of.tolist() for name, of in measure(*given).items()} == {
            name: np.asarray(of).tolist() for name, of in expected.items()
        }


# --- what a tree costs, in counts that no other program disturbs; seconds are in benchmarks/speed/tracing.py ----------

N_ROUNDS = 6
MOST_CALLS = 1300  # beyond those of the fit, for a tree of 10 leaves, whose trace has 9 records with 21 fields


def count_calls(run):
    """Count the functions, of Python and of C, that are called for a tree: of many rounds, less those of few."""
    n_calls = []
    for n_rounds in (1, N_ROUNDS, 2 * N_ROUNDS):  # the first is to warm up
        with Profile() as profile:
            run(RANKERS["ls"](n_rounds=n_rounds, n_threads=1))
        n_calls.append(sum(entry.callcount for entry in profile.getstats()))
    return (n_calls[2] - n_calls[1]) / N_ROUNDS


@pytest.mark.kernel
def test_a_tree_is_recorded_in_few_calls_and_every_array_is_digested_once(kernel, tmp_path, monkeypatch):
    """Entries that are digested: four arrays of all rows, the histograms, and fields of a few numbers."""
    X = np.random.default_rng(0).normal(size=(600, 8))
    rows = LabelledRows(X, np.clip(np.rint(X[:, 0] + X[:, 1] * X[:, 2] + 2), 0, 4), np.arange(600) // 20)
    sizes, digest = dict.fromkeys((1, N_ROUNDS, 2 * N_ROUNDS), 0), writing.digest

    def write(ranker):
        def digest_counted(values):
            sizes[ranker.n_rounds] += values.size
            return digest(values)

        monkeypatch.setattr(writing, "digest", digest_counted)
        record(tmp_path / str(ranker.n_rounds), ranker, "digests", rows=rows)

    fitted, traced = count_calls(lambda ranker: ranker.fit(*rows[:3])), count_calls(write)
    assert 0 < fitted < traced < fitted + MOST_CALLS
    n_looked, n_slots = 2 * RANKERS["ls"]().n_leaves - 1, 8 * 256
    assert (sizes[2 * N_ROUNDS] - sizes[N_ROUNDS]) / N_ROUNDS <= 4 * len(X) + n_looked * (2 * n_slots + 20)
