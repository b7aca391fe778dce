"""A model file brings back every bit, and is written whole or not at all."""

import json
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank import LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.model_file import RANKERS, load_model, replacement, save_model
from refrank.model_file.layout import NOT_WRITTEN, TREE_TYPES
from refrank.trees.tree import Tree
from tests.model_file.models import MODELS, X, Y


def trees_of(value):
    """All trees of nested tuples, in order."""
    return [value] if isinstance(value, Tree) else [tree for item in value for tree in trees_of(item)]


def bits(ranker):
    """Everything that a trained ranker predicts from, as bytes and plain values."""
    trees = [getattr(tree, name).tobytes() for tree in trees_of(ranker.model_.rounds) for name in TREE_TYPES]
    rest = {field.name: getattr(ranker.model_, field.name) for field in fields(ranker.model_)}
    rounds = rest.pop("rounds")
    table = getattr(ranker, "relevance_", None) if hasattr(ranker, "relevance_") else ranker.target_
    return trees, shape_of(rounds), rest, table.tobytes(), ranker.n_features_in_, ranker.n_classes_, ranker.n_rounds_


def shape_of(value):
    return "tree" if isinstance(value, Tree) else [shape_of(item) for item in value]


@st.composite
def fits(draw):
    """Small fits: the three rankers, both updates, each kind of transform, one-sided problems, two dtypes, weights."""
    algorithm = draw(st.sampled_from(sorted(RANKERS)))
    n_samples, n_features = draw(st.integers(2, 12)), draw(st.integers(1, 3))
    kind = draw(st.sampled_from([np.float32, np.float64]))
    width = 32 if kind is np.float32 else 64
    value = st.floats(-(2.0**90), 2.0**90, width=width) | st.sampled_from([0.0, -0.0, 1.0, 2.0**-90])
    X = np.array(draw(st.lists(value, min_size=n_samples * n_features, max_size=n_samples * n_features)), kind)
    # labels from 1 to 3 of 0..4: the problems k = 0 and k = 3 of the ordinal booster are one-sided
    y = np.array(draw(st.lists(st.integers(1, 3), min_size=n_samples, max_size=n_samples)))
    y[:2] = 1, 2
    table = sorted(draw(st.lists(st.floats(-1e6, 1e6), min_size=5, max_size=5, unique=True)))
    transform = draw(st.sampled_from(["k", "2^k", "2^k-1", table, lambda k: k**3 + 0.1]))
    weight = draw(st.none() | st.just(np.linspace(0.1, 3.0, n_samples)))
    ranker = RANKERS[algorithm](
        n_rounds=draw(st.integers(1, 3)),
        n_leaves=draw(st.integers(2, 5)),
        learning_rate=draw(st.sampled_from([0.05, 1 / 3, 1.0])),
        n_bins=draw(st.sampled_from([2, 256, 65536])),
        update=draw(st.sampled_from(["sequential", "simultaneous"])),
        n_classes=5,
        **{"target" if algorithm in ("ls", "lad") else "relevance": transform},
    )
    return ranker.fit(X.reshape(n_samples, n_features), y, sample_weight=weight), X.reshape(n_samples, n_features)


@given(fit=fits())
def test_a_round_trip_changes_no_bit(tmp_path_factory, fit):
    ranker, X = fit
    path = tmp_path_factory.getbasetemp() / "round_trip.json"
    save_model(ranker, path)
    loaded = load_model(path)
    assert type(loaded) is type(ranker)
    assert bits(loaded) == bits(ranker)
    assert loaded.predict(X).tobytes() == ranker.predict(X).tobytes()
    for one, other in zip(loaded.staged_predict(X), ranker.staged_predict(X), strict=True):
        assert one.tobytes() == other.tobytes()
    if hasattr(ranker, "predict_proba"):
        assert loaded.predict_proba(X).tobytes() == ranker.predict_proba(X).tobytes()
    # the file of a loaded model is the same file
    again = path.with_name("again.json")
    save_model(loaded, again)
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("update", ["sequential", "simultaneous"])
def test_one_sided_problems_come_back_as_constants(tmp_path, update):
    ranker = OrdinalBoostRanker(n_rounds=2, n_classes=5, update=update).fit(X, Y)
    save_model(ranker, tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert loaded.model_.constants == ranker.model_.constants == (0.0, None, None, 1.0)
    assert [len(trees) for trees in loaded.model_.rounds[0]] == (
        [0, 2, 2, 0] if update == "sequential" else [0, 1, 1, 0]
    )


def test_parameters_come_back_but_for_those_of_the_machine(tmp_path):
    ranker = SoftmaxBoostRanker(n_rounds=2, n_bins=np.int64(8), n_threads=1, verbose=1, relevance=lambda k: k**2)
    save_model(ranker.fit(X, Y), tmp_path / "m.json")
    expected = ranker.get_params() | {"relevance": [0.0, 1.0, 4.0, 9.0], "n_threads": None, "verbose": 0}
    assert load_model(tmp_path / "m.json").get_params() == expected
    assert json.loads((tmp_path / "m.json").read_text())["parameters"].keys().isdisjoint(NOT_WRITTEN)


def test_a_loaded_ranker_trains_again_to_the_same_bits(tmp_path):
    ranker = SoftmaxBoostRanker(n_rounds=3, n_leaves=3, relevance=lambda k: k**2).fit(X, Y)
    save_model(ranker, tmp_path / "m.json")
    assert bits(load_model(tmp_path / "m.json").fit(X, Y)) == bits(ranker)


def test_feature_names_come_back(tmp_path):
    """Set by hand as scikit-learn sets them for a table with named columns: no such library is needed for the tests."""
    ranker = LSBoostRanker(n_rounds=1).fit(X, Y)
    ranker.feature_names_in_ = np.array(["bm25", "länge"], dtype=object)
    save_model(ranker, tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert loaded.feature_names_in_.tolist() == ["bm25", "länge"]
    assert loaded.feature_names_in_.dtype == object
    # scikit-learn takes them for its own: an array without names is warned of, a fault is named
    with pytest.warns(UserWarning, match="feature names"):
        scores = loaded.predict(X)
    assert scores.tobytes() == LSBoostRanker(n_rounds=1).fit(X, Y).predict(X).tobytes()
    with pytest.warns(UserWarning, match="names"), pytest.raises(ValueError, match=r"column 1 \(länge\) is NaN"):
        loaded.predict([[0.0, np.nan]])


def test_the_fields_are_those_of_the_documentation(tmp_path):
    """What `refrank.model_file.layout` says, checked on a file by a scorer that knows nothing but those words."""
    save_model(MODELS["ls"], tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text())
    assert list(document) == (
        ["format", "version", "algorithm", "parameters", "n_features", "n_classes", "feature_names", "table", "model"]
    )
    assert (document["format"], document["version"]) == ("refrank model", 1)
    scores = []
    for x in X:
        score = document["model"]["initial"]
        for tree in document["model"]["rounds"]:
            v = 0
            while tree["feature"][v] != -1:
                v = tree["left"][v] if x[tree["feature"][v]] < tree["cut"][v] else tree["right"][v]
            score += document["model"]["learning_rate"] * tree["value"][v]
        scores.append(score)
    assert scores == MODELS["ls"].predict(X).tolist()


# --- writing


def test_only_a_fitted_ranker_of_a_known_kind_is_written(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        save_model(SoftmaxBoostRanker(), tmp_path / "m.json")
    with pytest.raises(ValueError, match="ranker is a dict"):
        save_model({}, tmp_path / "m.json")
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "m.json"
    save_model(MODELS["ls"], path)
    before = path.read_bytes()

    class FullDisk(type(Path())):
        def write_text(self, text, encoding):
            super().write_text(text[:100], encoding=encoding)
            raise OSError("No space left on device")

    monkeypatch.setattr(replacement, "Path", FullDisk)
    with pytest.raises(OSError, match="No space"):
        save_model(MODELS["softmax"], path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_model_is_seen_whole_or_not_at_all(tmp_path, monkeypatch):
    """At the moment of the replacement the old file is whole, and so is what takes its place."""
    path = tmp_path / "m.json"
    save_model(MODELS["ls"], path)
    seen = []

    class Watched(type(Path())):
        def replace(self, target):
            seen.append((load_model(self), load_model(target)))
            return super().replace(target)

    monkeypatch.setattr(replacement, "Path", Watched)
    save_model(MODELS["softmax"], path)
    assert [(type(new), type(old)) for new, old in seen] == [(SoftmaxBoostRanker, LSBoostRanker)]
    assert type(load_model(path)) is SoftmaxBoostRanker
