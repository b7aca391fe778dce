"""Traces of trainings: what varies in these; a recorded fit is the fit; records follow from those before them."""

import math
from cProfile import Profile
from itertools import product

import numpy as np
import pytest

from refrank.cli import main
from refrank.estimators.registry import RANKERS
from refrank.trees import splitting
from refrank.trees.engine import default_engine, use_splitter
from refrank.trees.numbers.grid import to_grid
from tests.estimators.cases import SUCCESSORS
from tests.yardstick.trainings import DATA, OF_TREES, TRAININGS, WEIGHT, check_size, follow, make, record, rows_of
from yardstick.divergence.comparing import compare_traces
from yardstick.traces.reader import index_records, open_trace
from yardstick.traces.stages import LabelledRows, Place
from yardstick.traces.tracing import describe_parameter, predict_sizes
from yardstick.traces.writer import ALWAYS, TraceWriter

OF_ALL = {"n_threads", "n_jobs", "verbose", "warm_start", "oob_score"}  # they show in no record
# GBRT and COCR over it draw nothing, a round of the others has one tree, and one base fills rows for all
OF_SOME = {
    *(("gbrt", "random_state"), ("cocr", "random_state")),
    *(("ls", "update"), ("lad", "update"), ("huber", "update")),
    *product(("huber", "lad", "ls", "ordinal", "softmax"), ("missing", "missing_value")),
}


@pytest.mark.parametrize("algorithm", sorted(RANKERS.keys() - {"lambdarank"} - SUCCESSORS.keys()))
def test_every_parameter_takes_two_values(algorithm):
    rankers = [of.make_ranker() for of in OF_TREES.values() if of.algorithm == algorithm]
    told = [{name: repr(describe_parameter(value)) for name, value in r.get_params(False).items()} for r in rankers]
    single = {name for name in told[0] if len({parameters[name] for parameters in told}) == 1}
    exempt = OF_ALL | {name for of, name in OF_SOME if of == algorithm}
    assert single == exempt & told[0].keys()


def test_rows_hold_what_they_promise(golden_of):
    _, y, _, weight = OF_TREES["ls, weight 0"].rows
    assert y[weight > 0].max() < y.max()
    high, close = OF_TREES["gbrt, high labels"].rows, OF_TREES["ls, close rows"].rows
    integers = to_grid(high.y * high.weight).integers
    assert 2**52 < integers.sum() < 2**53
    assert (integers % 2).any()
    cuts = index_records(golden_of("ls, close rows"))["bins", Place()].values("cuts")
    assert (cuts == 0.0).sum() > 1
    assert (cuts != cuts.astype(np.float32)).sum() > 5
    assert np.signbit(close.X[close.X == 0]).any()


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
    rows, weighted = rows_of(name), weighted and OF_TREES[name].algorithm != "lambdamart"  # whose rows have no weights
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
    sizes = predict_sizes(ranker, rows)
    assert not hasattr(ranker, "model_")
    check_size(golden, *sizes["json"])
    for values in ("digests", "safetensors"):
        trace = record(tmp_path / values, ranker, values, rows=rows)
        check_size(trace, *sizes[values])
        assert compare_traces(golden, trace).passes
        records = index_records(trace)
        for key, kept in index_records(golden).items():
            for field, whole in kept.fields.items():
                if values == "digests" and key[0] != "data" and math.prod(whole.shape) > ALWAYS:
                    assert records[key].values(field) is None
                else:
                    assert np.array_equal(records[key].values(field), whole.values, equal_nan=True)


def test_the_size_of_many_rounds_is_said_beforehand(tmp_path):
    ranker = RANKERS["ls"](n_rounds=60, learning_rate=0.3)
    for values, size in predict_sizes(ranker, DATA).items():
        check_size(record(tmp_path / values, ranker, values), *size)


def test_an_interrupted_trace_keeps_the_records_that_were_done(tmp_path, monkeypatch, capsys):
    write, n_left = TraceWriter.write, iter(range(5))

    def interrupt(writer, record):
        if next(n_left, -1) < 0:
            raise KeyboardInterrupt
        write(writer, record)

    monkeypatch.setattr(TraceWriter, "write", interrupt)
    assert main(["trace", "ls", "--out", str(tmp_path / "new"), "--n-rounds", "2"]) == 130
    assert f"{tmp_path / 'new'} holds the 5 records that were done" in capsys.readouterr().err
    assert len(index_records(open_trace(tmp_path / "new"))) == 5


def test_a_training_that_goes_on_from_an_earlier_one_is_ranked_by_its_whole_model(tmp_path):
    ranker = RANKERS["rf"](n_trees=2, warm_start=True).fit(*DATA[:3])
    trace = record(tmp_path / "trace", ranker.set_params(n_trees=4), rows=DATA)
    assert index_records(trace)["prediction", Place()].values("values").tobytes() == ranker.predict(DATA.X).tobytes()


def test_labels_that_are_no_grades_are_ranked_and_not_measured(tmp_path):
    for labels, is_measured in ((DATA.y, True), (DATA.y + 0.5, False), (DATA.y - 1.0, False), (20.0 * DATA.y, False)):
        trace = record(tmp_path / str(labels[:9]), RANKERS["gbrt"](n_rounds=1), rows=DATA._replace(y=labels))
        assert ("order", Place()) in index_records(trace)
        assert (("metric", Place()) in index_records(trace)) is is_measured


# --- what a tree costs, in counts that no other program disturbs; seconds are in benchmarks/speed/tracing.py ----------

N_ROUNDS = 6
MOST_CALLS = 1500  # beyond those of the fit, for a tree of 10 leaves, whose trace has 12 records with 27 fields


def count_calls(run):
    """Count the functions, of Python and of C, that are called for a tree: of many rounds, less those of few."""
    n_calls = []
    for n_rounds in (1, N_ROUNDS, 2 * N_ROUNDS):  # the first is to warm up
        with Profile() as profile:
            run(RANKERS["ls"](n_rounds=n_rounds, n_threads=1))
        n_calls.append(sum(entry.callcount for entry in profile.getstats()))
    return (n_calls[2] - n_calls[1]) / N_ROUNDS


@pytest.mark.kernel
def test_a_tree_is_recorded_in_few_calls(kernel, tmp_path):
    X = np.random.default_rng(0).normal(size=(600, 8))
    rows = LabelledRows(X, np.clip(np.rint(X[:, 0] + X[:, 1] * X[:, 2] + 2), 0, 4), np.arange(600) // 20)
    with use_splitter(kernel, watch=lambda event: None):  # in steps, as a trace has it
        fitted = count_calls(lambda ranker: ranker.fit(*rows[:3]))
    traced = count_calls(lambda ranker: record(tmp_path / str(ranker.n_rounds), ranker, "digests", rows=rows))
    assert 0 < fitted < traced < fitted + MOST_CALLS
