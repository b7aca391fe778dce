"""Fixtures of the tests of the command line."""

import gzip
from itertools import islice

import pytest

from refrank import SoftmaxBoostRanker
from refrank.estimators import run as runs
from refrank.models import save_model
from tests.cli.command_line import DATA, run, write_letor


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A file of 8 queries, a ranker trained on it, and its scores; no test writes here."""
    place = tmp_path_factory.mktemp("cli")
    write_letor(place / "train.txt", DATA.X, DATA.y, DATA.qid)
    ranker = SoftmaxBoostRanker(n_rounds=3, n_leaves=4).fit(DATA.X, DATA.y, DATA.qid)
    save_model(ranker, place / "m.refrank")
    (place / "scores.txt").write_text("".join(f"{score!r}\n" for score in ranker.predict(DATA.X).tolist()))
    return place


@pytest.fixture(scope="session")
def shards(tmp_path_factory):
    """Shards, and the file that they make together: the first lacks the last feature, one is empty, one is gzipped."""
    place, X = tmp_path_factory.mktemp("shards"), DATA.X.copy()
    X[:36, 3] = 0
    write_letor(place / "whole.txt", X, DATA.y, DATA.qid)
    text = (place / "whole.txt").read_text()
    (place / "whole.txt").write_text(text.replace(" 4:0.0", ""))
    lines = text.replace(" 4:0.0", "").splitlines(keepends=True)
    (place / "a.txt").write_text("".join(lines[:36]))
    (place / "empty.txt").write_text("# no row\n")
    (place / "b.txt").write_text("".join(lines[36:60]))
    (place / "c.txt.gz").write_bytes(gzip.compress("".join(lines[60:]).encode()))
    (place / "bad.txt").write_text("".join(lines[36:48]) + "9.5 qid:1 1:2\n")
    return place


@pytest.fixture
def train(capsys, tmp_path, folder):
    """Run `refrank train` on a file of 8 queries; the model goes to `m`."""

    def call(words, file=folder / "train.txt"):
        return run(capsys, "train", file, "--model", tmp_path / "m", "--algorithm", *words.split())

    return call


@pytest.fixture
def interrupt_after(monkeypatch):
    """Interrupt the trainings that come after some turns."""

    def show_progress(turns, n_turns):
        yield from islice(turns, n_turns)
        raise KeyboardInterrupt

    return lambda n_turns: monkeypatch.setattr(runs, "show_progress", lambda turns, *_: show_progress(turns, n_turns))
