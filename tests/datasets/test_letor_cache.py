"""letor_cache: a cache gives what the file gives, and is used only as long as it is whole and true."""

import gzip
import io
import json
import os
import re
import tracemalloc
import zipfile
from contextlib import contextmanager
from threading import Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.cli import main
from refrank.datasets import letor, letor_cache, load_folds, load_letor
from refrank.datasets.letor_cache import describe, fetch_rows, read_cache, write_cache
from refrank.datasets.letor_text import Request
from refrank.datasets.reading import Reading
from refrank.datasets.source import open_source

CONTENT = b"2 qid:7 1:0.5 3:-0 # docid = \xe9 \xff\r\n-1 qid:9 2:1e-40\n# between\n0 qid:9#\n1 qid:-7 3:2 # b"
JUDGED = CONTENT.replace(b"-1 qid", b"1 qid")


def contents(data):
    arrays = tuple((array.dtype, array.shape, array.tobytes()) for array in (data.X, data.y, data.qid))
    return *arrays, data.comments, data.X.flags.writeable, data.X.flags.c_contiguous


cache_of = letor_cache.place_cache


@pytest.fixture(autouse=True)
def _own_caches(tmp_path_factory, monkeypatch):
    """A folder of caches for each test."""
    home = tmp_path_factory.mktemp("caches")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    letor_cache.make_folder(home / "refrank")


@contextmanager
def ask(path):
    with open_source(path) as source:
        yield Request(source, None, 0.0, np.dtype(np.float32), 0)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "data.txt"
    path.write_bytes(JUDGED)
    return path


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
    with pytest.raises(ValueError, match="must be an integer"):
        load_letor(tmp_path / "a", cache=True)


def test_faults_are_not_kept(path):
    path.write_bytes(CONTENT)
    for _ in range(2):
        with pytest.raises(ValueError, match="line 2, column 1: '-1'"):
            load_letor(path, cache=True)
    assert not cache_of(path).exists()
    with pytest.raises(FileNotFoundError):
        load_letor(path.with_name("nowhere"), cache=True)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A request, what its cache was made with, the rows of it, and its bytes."""
    path = tmp_path_factory.mktemp("whole") / "data.txt"
    cache = path.with_name("cache.npz")
    path.write_bytes((JUDGED + b"\n") * 800)  # arrays that are longer than what zipfile reads ahead
    with ask(path) as request:
        made_with = describe(request)
        write_cache(cache, made_with, letor._read_rows(request))
    return cache, made_with, cache.read_bytes()


def bits(rows):
    return rows and (*((array.dtype, array.shape, array.tobytes()) for array in rows[:3]), rows[3])


@given(data=st.data())
def test_a_damaged_cache_is_true_or_not_used(whole, data):
    cache, made_with, content = whole
    cache.write_bytes(content)
    expected = bits(read_cache(cache, made_with))
    assert expected is not None
    place, length = data.draw(st.integers(0, len(content) - 1)), data.draw(st.integers(0, 4))
    damage = data.draw(st.binary(max_size=4) | st.just(content[place : place + length][::-1]))
    cache.write_bytes(content[:place] + damage + content[place + length :])
    assert bits(read_cache(cache, made_with)) in (None, expected)
    cache.write_bytes(content[:place])
    assert read_cache(cache, made_with) is None


def test_a_damaged_head_of_an_array_is_seen(whole):
    """An array of fewer rows or columns than were written would end before its checksum is compared."""
    cache, made_with, content = whole
    cache.write_bytes(content)
    expected = bits(read_cache(cache, made_with))
    heads = [*re.finditer(rb"\{'descr'[^}]*\}", content)]
    assert len(heads) == len(letor_cache.NAMES)
    for place in (place for head in heads for place in range(*head.span())):
        cache.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        assert bits(read_cache(cache, made_with)) in (None, expected)


def test_a_foreign_cache_is_read_anew(path):
    expected = contents(load_letor(path))
    with ask(path) as request:
        made_with = np.array(describe(request))
    objects = np.array([json], dtype=object)[:0]
    foreign = (
        {"X": np.zeros((1, 1))},
        {name: objects for name in letor_cache.NAMES} | {"made_with": made_with},
        {name: np.zeros(1) for name in letor_cache.NAMES},
    )
    for arrays in foreign:
        np.savez(cache_of(path), **arrays)
        assert contents(load_letor(path, cache=True)) == expected
    cache_of(path).write_bytes(b"")
    assert contents(load_letor(path, cache=True)) == expected


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


def test_a_link_beside_the_data_is_neither_followed_nor_read(tmp_path, path):
    keys = tmp_path / "keys"
    keys.write_text("mine")
    path.with_name("data.txt.refrank-cache.npz").symlink_to(keys)
    load_letor(path, cache=True)
    assert keys.read_text() == "mine"


def test_a_folder_of_caches_that_others_write_to_is_not_used(path, tmp_path):
    true, cache = load_letor(path, cache=True).y.tolist(), cache_of(path)
    folder = cache.parent
    assert folder.stat().st_mode & 0o777 == 0o700
    with ask(path) as request:
        X, y, qid, comments = read_cache(cache, describe(request))
        write_cache(cache, describe(request), (X, y.max() - y, qid, comments))  # planted, and with its own digest
    assert load_letor(path, cache=True).y.tolist() != true  # only the user can write there
    folder.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="must be a folder of the user"):
        assert load_letor(path, cache=True).y.tolist() == true
    folder.chmod(0o700)
    folder.symlink_to(folder.rename(tmp_path / "theirs"))
    before = cache.read_bytes()
    with pytest.warns(RuntimeWarning, match="must be a folder of the user"):
        assert load_letor(path, cache=True).y.tolist() == true
    assert cache.read_bytes() == before


def false(X, y, qid, text, what):
    """The arrays of a cache that differ from those of the file in one way."""
    return {
        "other labels": (X, y.max() - y, qid, text),  # beside the digest of the true ones
        "labels below 0": (X, y - 9, qid, text),
        "labels above 2^53": (X, y + 2**60, qid, text),
        "labels that are floats": (X, y + 0.5, qid, text),
        "a feature that is not a number": (np.where(X.max() == X, np.nan, X).astype(X.dtype), y, qid, text),
        "an infinite feature": (np.where(X.max() == X, np.inf, X).astype(X.dtype), y, qid, text),
        "features that are words": (X.astype("U8"), y, qid, text),
        "features of another type": (X.astype(np.float64), y, qid, text),
        "half of the rows": (X[::2], y[::2], qid[::2], text),
        "no column": (X[:, :0], y, qid, text),
        "columns first": (np.asfortranarray(X), y, qid, text),
        "half of the labels": (X, y[::2], qid, text),
        "half of the ids": (X, y, qid[::2], text),
        "ids that are floats": (X, y, qid.astype(float), text),
    }[what]


FALSE = (
    *(
        "other labels",
        "labels below 0",
        "labels above 2^53",
        "labels that are floats",
        "a feature that is not a number",
    ),
    *("an infinite feature", "features that are words", "features of another type", "half of the rows", "no column"),
    *("columns first", "half of the labels", "ids that are floats"),
)


@pytest.mark.parametrize("what", FALSE)
def test_what_text_may_not_hold_is_not_taken_from_a_cache(path, what):
    expected = contents(load_letor(path))
    with ask(path) as request:
        made_with = np.array(describe(request))
        X, y, qid, comments = letor._read_rows(request)
    text = np.frombuffer("\n".join(comments).encode(), np.uint8)
    arrays = false(X, y, qid, text, what)
    digest = np.array(letor_cache.digest_arrays(*(arrays if what != "other labels" else (X, y, qid, text))))
    with open(cache_of(path), "wb") as file:
        np.savez(file, **dict(zip(letor_cache.NAMES, (*arrays, digest, made_with), strict=True)))
    assert contents(load_letor(path, cache=True)) == expected


def test_a_header_asks_for_no_memory_that_its_bytes_do_not_fill(path):
    with zipfile.ZipFile(cache_of(path), "w", zipfile.ZIP_DEFLATED) as file:
        for name in letor_cache.NAMES:
            member = io.BytesIO()
            np.lib.format.write_array(member, np.zeros(2**24, np.uint8))
            file.writestr(f"{name}.npy", member.getvalue())
    assert cache_of(path).stat().st_size < 2**20
    tracemalloc.start()
    load_letor(path, cache=True)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 2**23
