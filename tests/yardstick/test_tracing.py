"""Traces: a recorded fit is the fit; every record follows from those before it; what is written is read back."""

import math

import numpy as np
import pytest

from refrank.estimators.registry import RANKERS
from refrank.metrics import PRESETS, err, ndcg
from refrank.trees import splitting
from refrank.trees.engine import default_engine, use_splitter
from tests.yardstick.trainings import OF_TREES, TRAININGS, WEIGHT, X, check_size, follow, make, record, rows_of
from yardstick.divergence.comparing import compare_traces
from yardstick.traces.records import index_records
from yardstick.traces.sizes import predict_sizes
from yardstick.traces.stages import Place
from yardstick.traces.tracing import measure
from yardstick.traces.writer import ALWAYS

PAPER = PRESETS["paper"]


@pytest.mark.parametrize("name", TRAININGS)
def test_a_recorded_fit_is_the_fit(name, tmp_path):
    recorded, rows = make(name), rows_of(name)
    trace = record(tmp_path / "trace", recorded, rows=rows)
    plain = make(name).fit(*rows[: 3 if rows.weight is None else 4])
    assert plain.predict(rows.X).tobytes() == recorded.predict(rows.X).tobytes()
    assert repr(recorded) == repr(plain)  # its parameters are left as they were
    records = index_records(trace)
    assert records["prediction", Place()].values("values").tobytes() == plain.predict(rows.X).tobytes()
    assert default_engine(1).in_turn is False  # the recorder is let go


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", OF_TREES)
def test_every_record_follows_from_those_before(name, weighted, tmp_path):
    rows = rows_of(name)
    trace = record(
        tmp_path / "trace", make(name), weight=np.resize(WEIGHT, len(rows.y)) if weighted else None, rows=rows
    )
    assert "prediction" in [*follow(trace)]


@pytest.mark.parametrize("name", ["softmax, simultaneous", "ordinal", "igbrt", "softmax, two bytes"])
def test_the_specification_leaves_the_trace_of_the_kernel(golden_of, name, tmp_path, monkeypatch):
    golden = golden_of(name)
    monkeypatch.setattr("refrank.trees.engine.DEFAULT_SPLITTER", splitting)
    other = record(tmp_path / "other", make(name).set_params(n_threads=3), rows=rows_of(name))
    assert compare_traces(golden, other).passes


@pytest.mark.parametrize("name", [*TRAININGS, "many rounds"])
def test_the_size_is_said_beforehand(name, tmp_path):
    ranker, rows = RANKERS["ls"](n_rounds=60, learning_rate=0.3) if name == "many rounds" else make(name), rows_of(name)
    sizes = predict_sizes(ranker, *rows)
    assert not hasattr(ranker, "model_")
    for values, size in sizes.items():
        check_size(record(tmp_path / values, ranker, values, rows=rows), size)


@pytest.mark.parametrize("name", ["softmax", "rf", "cocr"])
def test_digests_and_tensors_and_json_are_one_trace(golden_of, name, tmp_path):
    golden, *others = golden_of(name), *(record(tmp_path / of, make(name), of) for of in ("digests", "safetensors"))
    for other in others:
        assert compare_traces(golden, other).passes
    ours, tensors = index_records(golden), index_records(others[1])
    for key, kept in ours.items():
        for field in kept.fields:
            assert np.array_equal(tensors[key].values(field), kept.values(field), equal_nan=True)


def test_digests_stand_for_large_fields_and_small_ones_and_the_rows_are_kept(tmp_path):
    records = index_records(record(tmp_path / "trace", make("ls"), "digests"))
    assert records["data", Place()].values("X").tobytes() == X.tobytes()
    fields = [field for (stage, _), kept in records.items() for field in kept.fields.values() if stage != "data"]
    n_entries = [math.prod(field.shape) for field in fields]
    assert min(n_entries) <= ALWAYS < max(n_entries)
    assert [field.values is None for field in fields] == [n > ALWAYS for n in n_entries]


def test_nodes_are_numbered_as_in_the_tree(tmp_path):
    """Histograms and cuts of a booster, against the tree that the model holds."""
    ranker = make("gbrt")
    records = index_records(record(tmp_path / "trace", ranker))
    for m, (tree,) in enumerate(ranker.model_.rounds, start=1):
        place = Place(round=m, output=0)
        nodes, cut = (records["cut", place].values(name) for name in ("nodes", "cut"))
        made = records["partition", place].values("nodes").tolist()
        for node, line in zip(nodes.tolist(), cut.tolist(), strict=True):
            if node in made:
                assert line[0] == tree.feature[node]
                assert line[1] == tree.bin[node]
                assert line[3] == tree.n_node_samples[tree.left[node]]
        counts = records["histogram", place].values("sums")[:, :, 1]
        n_slots = int(records["bins", Place()].values("offsets")[1])
        assert counts[:, :n_slots].sum(axis=1).tolist() == tree.n_node_samples[nodes].tolist()
        leaves = records["leaf_sums", place].values("nodes")
        assert records["leaf_values", place].values("values").tolist() == tree.value[leaves].tolist()
        assert records["partition", place].values("cut").tolist() == tree.cut[made].tolist()


@pytest.mark.parametrize("highest", [3, 4, 5])
def test_err_is_measured_where_its_convention_has_the_grades(highest):
    labels, scores, qid = np.array([0, highest, 1, 2]), np.array([3.0, 1.0, 2.0, 0.5]), np.array([0, 0, 1, 1])
    values = measure(labels, scores, qid)
    assert values["ndcg"].tolist() == ndcg(labels, scores, qid, 10, PAPER, per_query=True).tolist()
    assert values["mean"] == ndcg(labels, scores, qid, 10, PAPER)
    assert ("err" in values) == (highest < 5)
    if highest < 5:
        assert values["err"].tolist() == err(labels, scores, qid, None, PAPER, per_query=True).tolist()


def test_another_splitter_is_used_within_the_block_only():
    with use_splitter(splitting):
        assert default_engine(2).splitter is splitting
        assert default_engine(2).in_turn
    assert not default_engine(2).in_turn
