"""letor_cache: a cache gives what the file gives, and is used only while it is that of the file and the request."""

import gzip
import os
from threading import Thread

import numpy as np
import pytest

from refrank.cli import main
from refrank.datasets import letor, letor_cache, load_folds, load_letor
from refrank.datasets.letor_cache import fetch_rows
from refrank.datasets.letor_cache import place_cache as cache_of
from refrank.datasets.reading import Reading
from tests.datasets.caches import CONTENT, JUDGED, ask, contents

pytestmark = pytest.mark.usefixtures("own_caches")


@pytest.fixture
def unread(monkeypatch):
    """Fail where the file itself is read."""

    def read(request):
        raise AssertionError(f"{request.source.name} is read")

    return lambda: monkeypatch.setattr(letor, "_read_rows", read)


@pytest.mark.parametrize("name", ["data.txt", "data.txt.gz"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"n_features": 5},
        {"absent": float("nan")},
        {"absent": 0.1, "dtype": np.float64},
        {"unlabelled": "zero"},
        {"sentinel": 0.5},
    ],
)
def test_a_cache_gives_what_the_file_gives(tmp_path, unread, name, options):
    path = tmp_path / name
    content = CONTENT if "unlabelled" in options else JUDGED
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    expected = contents(load_letor(path, **options))
    assert [*tmp_path.iterdir()] == [path]  # not asked for
    assert contents(load_letor(path, **options, cache=True)) == expected
    assert [*tmp_path.iterdir()] == [path]  # nothing lies beside the data
    assert cache_of(path).exists()
    unread()
    assert contents(load_letor(str(path), **options, cache=True)) == expected
    if "unlabelled" in options:  # one cache serves both rules for rows that were not judged
        assert load_letor(path, unlabelled="drop", cache=True).y.tolist() == [2, 0, 1]


def test_a_changed_file_is_read_anew(path):
    load_letor(path, cache=True)
    before = path.stat()
    path.write_bytes(JUDGED.replace(b"0.5", b"0.7"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # of the same size and time
    assert load_letor(path, cache=True).X[0, 0] == np.float32(0.7)
    assert load_letor(path, cache=True).X[0, 0] == np.float32(0.7)


@pytest.mark.parametrize(
    "other",
    [
        {"n_features": 3},
        {"absent": -0.0},
        {"dtype": np.float64},
        {"unlabelled": "zero"},
        {"absent": float("nan")},
        {"sentinel": 0.5},
    ],
)
def test_another_request_is_read_anew(path, unread, other):
    for options in ({}, other, {}):
        assert contents(load_letor(path, **options, cache=True)) == contents(load_letor(path, **options))
    load_letor(path, **other, cache=True)
    unread()
    with pytest.raises(AssertionError):
        load_letor(path, cache=True)


def test_another_format_is_read_anew(path, unread, monkeypatch):
    load_letor(path, cache=True)
    monkeypatch.setattr(letor_cache, "FORMAT", letor_cache.FORMAT + 1)
    unread()
    with pytest.raises(AssertionError):
        load_letor(path, cache=True)


def test_a_cache_of_plain_text_is_not_that_of_zipped_text(tmp_path):
    """The same bytes mean other rows under a name that ends in .gz."""
    for name in ("a", "a.gz"):
        (tmp_path / name).write_bytes(gzip.compress(JUDGED))
    load_letor(tmp_path / "a.gz", cache=True)
    cache_of(tmp_path / "a.gz").rename(cache_of(tmp_path / "a"))
    with pytest.raises(ValueError, match="a looks like gzip"):
        load_letor(tmp_path / "a", cache=True)


def test_faults_are_not_kept(path):
    path.write_bytes(CONTENT)
    for _ in range(2):
        with pytest.raises(ValueError, match="line 2, column 1: '-1'"):
            load_letor(path, cache=True)
    assert not cache_of(path).exists()
    with pytest.raises(FileNotFoundError):
        load_letor(path.with_name("nowhere"), cache=True)


def test_a_cache_that_cannot_be_written_is_only_missed(path):
    cache_of(path).mkdir()  # a folder of this name is in the way
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match=r"\.npz could not be written") as caught:
            data = load_letor(path, cache=True)
        assert caught[0].filename == __file__
        assert contents(data) == contents(load_letor(path))
    assert [*cache_of(path).parent.iterdir()] == [cache_of(path)]  # nothing unfinished


def test_a_cache_is_written_whole_or_not_at_all(path, monkeypatch):
    def interrupt(file, **arrays):
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez", interrupt)
    with pytest.raises(KeyboardInterrupt):
        load_letor(path, cache=True)
    assert [*cache_of(path).parent.iterdir()] == []


def test_a_file_that_changes_without_a_trace_is_not_kept(path):
    before = path.stat()

    def read_and_change(asked):
        rows = letor._read_rows(asked)
        path.write_bytes(JUDGED.replace(b"0.5", b"0.7"))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        return rows

    with ask(path) as request:
        rows = fetch_rows(request, read_and_change)
    assert rows[1].tolist() == [2, 1, 0, 1]
    assert not cache_of(path).exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes to be named")
def test_a_pipe_has_no_cache(tmp_path, path):
    path.rename(tmp_path / "file")
    expected = contents(load_letor(tmp_path / "file"))
    os.mkfifo(path)
    writer = Thread(target=path.write_bytes, args=[JUDGED])
    writer.start()
    assert contents(load_letor(path, cache=True)) == expected
    writer.join()
    with open(tmp_path / "file", "rb") as file:
        assert contents(load_letor(file, cache=True)) == expected
    assert sorted(tmp_path.iterdir()) == [path, tmp_path / "file"]


def test_the_files_of_a_fold_have_caches(tmp_path, unread):
    for number, name in enumerate(("train", "vali", "test")):
        (tmp_path / f"{name}.txt").write_text(f"1 qid:{number} 1:0.5\n")
    [expected] = load_folds(tmp_path)
    [fold] = load_folds(tmp_path, cache=True)
    unread()
    [again] = load_folds(tmp_path, cache=True)  # the caches are no files of the fold
    for split in ("train", "valid", "test"):
        assert contents(getattr(fold, split)) == contents(getattr(again, split)) == contents(getattr(expected, split))


def test_the_commands_that_read_files_keep_caches(tmp_path, capsys):
    def run(*words):
        assert main([str(word) for word in words]) == 0
        return capsys.readouterr().out

    lines = [f"{row % 3} qid:{row // 6} 1:{row % 5} 2:{row % 7}\n" for row in range(36)]
    for name in ("train", "vali", "test"):
        (tmp_path / name).write_text("".join(lines))
    train, vali, test, model, scores = (tmp_path / name for name in ("train", "vali", "test", "model", "scores"))
    parameters = ("--algorithm", "lambdarank", "--n-epochs", 2, "--verbose", 0, "--valid", vali)
    run("train", train, "--model", model, *parameters, "--cache")
    assert cache_of(train).exists()
    assert cache_of(vali).exists()
    scores.write_text(run("predict", test, "--model", model))
    with_model, with_scores = ("--model", model), ("--scores", scores)
    commands = (("predict", with_model), ("evaluate", with_model), ("evaluate", with_scores), ("bounds", with_scores))
    for command, words in commands:
        expected = run(command, test, *words)
        assert not cache_of(test).exists()
        assert run(command, test, *words, "--cache") == expected
        cache_of(test).unlink()


def test_a_reproduction_is_told_of_the_cache(monkeypatch, tmp_path, capsys):
    from refrank.reproduce.igbrt import reproduction
    from refrank.reproduce.run import Reproduction

    calls = []
    monkeypatch.setattr(reproduction, "reproduce", lambda setting, run, only: calls.append(run) or "the text")
    for name in ("train", "vali", "test"):
        (tmp_path / f"{name}.txt").write_text("1 qid:1 1:0.5\n")
    assert main(["reproduce", "igbrt", "--data", str(tmp_path), "--cache", "--out", str(tmp_path / "out")]) == 0
    assert calls == [Reproduction(tmp_path / "out" / "igbrt", tmp_path, Reading(cache=True))]
    [*calls[0].load()]
    assert cache_of(tmp_path / "train.txt").exists()
    assert main(["reproduce", "igbrt", "--cache"]) == 2
    assert "--cache works with --data only" in capsys.readouterr().err
