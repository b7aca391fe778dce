"""The corpus of model files: what a release has written is read as it was."""

import json
import re

import numpy as np
import pytest

from refrank.models import load_model
from refrank.models.archive import VERSION
from tests.models.kept import CORPUS, PRESENT, name_file, write_corpus
from tests.models.kinds import KINDS, rows_for

FLOATS = ("lambdarank", "ranknet", "net", "linear", "ridge", "sgd", "m5p", "cocr", "own cost")  # products by BLAS


def test_each_kind_of_the_present_version_is_kept():
    assert {path.name for path in PRESENT.iterdir()} == {*map(name_file, KINDS), "scores.json"}
    assert {path.name for path in CORPUS.iterdir()} <= {f"version-{version}" for version in range(VERSION + 1)}


@pytest.mark.parametrize("name", KINDS)
def test_a_kept_model_gives_the_scores_that_it_gave(name):
    kept = [float.fromhex(score) for score in json.loads((PRESENT / "scores.json").read_text())[name]]
    scores = load_model(PRESENT / name_file(name)).predict(rows_for(name))
    if any(word in name for word in FLOATS):
        assert scores == pytest.approx(kept, rel=1e-9, abs=1e-9)  # sums of few products in another order
    else:
        assert np.array_equal(scores, kept)


def test_a_file_of_another_version_is_refused_by_its_version(tmp_path, monkeypatch):
    monkeypatch.setattr("refrank.models.archive.VERSION", VERSION + 1)
    with pytest.raises(ValueError, match=re.escape(f"version is {VERSION}: this release reads {VERSION + 1}")):
        load_model(PRESENT / name_file("gbrt"))


def test_the_corpus_is_written_once(tmp_path):
    kept = json.dumps(dict.fromkeys(KINDS), indent=0) + "\n"
    (tmp_path / "scores.json").write_text(kept)
    write_corpus(tmp_path)
    assert [path.read_text() for path in tmp_path.iterdir()] == [kept]
