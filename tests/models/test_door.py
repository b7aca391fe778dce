"""The door of `load_model`: what is read at all, how much memory it may take, and how it says what is wrong."""

import copy
import errno
import io
import json
import os
import tracemalloc
import zipfile

import numpy as np
import pytest

from refrank.models import codec, load_model, save_model
from tests.models.kinds import train
from tests.models.members import HEAD, answer, check_message, fault_of, take_apart, write

FACTOR = 64  # of the documentation of `load_model`


# --- the file


@pytest.mark.usefixtures("no_waiting")
def test_what_is_no_regular_file_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero", "/dev/stdin"):
        fault_of(path, "it is not a regular file")


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch, parts):
    path, before = tmp_path / "m", os.fstat

    def append_unnoticed():
        status = path.stat()
        path.write_bytes(path.read_bytes() + b"x")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    for change in (
        append_unnoticed,
        lambda: os.truncate(path, 100),
        lambda: os.utime(path, (0, 0)),
        lambda: path.write_bytes(path.read_bytes() + b"x"),
    ):
        write(path, parts["own target"])
        seen = []

        def look(number, change=change, seen=seen):
            seen.append(before(number))
            if len(seen) == 1:
                change()
            return seen[-1]

        with monkeypatch.context() as patch:
            patch.setattr(os, "fstat", look)
            fault_of(path, "it changed while it was read")


def test_a_file_that_was_short_while_it_was_read_is_refused(tmp_path, monkeypatch, parts):
    """Its size and its time are the same before and after."""
    path, look, n_looks = tmp_path / "m", os.fstat, []
    write(path, parts["own target"])
    content, status = path.read_bytes(), path.stat()

    def write_again(number):
        n_looks.append(number)
        if len(n_looks) == 1:
            seen = look(number)
            os.truncate(path, 100)
            return seen
        path.write_bytes(content)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        return look(number)

    monkeypatch.setattr(os, "fstat", write_again)
    fault_of(path, "it changed while it was read")


def test_a_fault_of_the_machine_is_an_oserror_that_names_the_file(tmp_path, monkeypatch, parts):
    path = tmp_path / "m"
    write(path, parts["own target"])

    def fail(*_):
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fstat", fail)
        with pytest.raises(OSError, match="Input/output") as raised:
            load_model(path)
    assert (raised.value.errno, raised.value.filename) == (errno.EIO, str(path))
    with pytest.raises(ValueError, match="null byte"):
        load_model("a\0b")


@pytest.mark.parametrize(
    "fault", [KeyError("x"), TypeError("x"), AssertionError(), StopIteration(), Exception("x"), OverflowError()]
)
def test_whatever_reading_raises_is_a_sentence_about_the_file(tmp_path, monkeypatch, parts, fault):
    write(tmp_path / "m", parts["own target"])
    monkeypatch.setattr(codec.Codec, "read_estimator", lambda *_: (_ for _ in ()).throw(fault))
    with pytest.raises(ValueError, match="is not a refrank model") as raised:
        load_model(tmp_path / "m")
    check_message(str(raised.value), tmp_path / "m")


@pytest.mark.parametrize("fault", [MemoryError(), KeyboardInterrupt()])
def test_what_no_file_is_to_blame_for_passes(tmp_path, monkeypatch, parts, fault):
    write(tmp_path / "m", parts["own target"])

    def fail(*_):
        raise fault

    monkeypatch.setattr(codec.Codec, "read_estimator", fail)
    with pytest.raises(type(fault)):
        load_model(tmp_path / "m")


def test_messages_are_one_printable_line_whatever_the_names(tmp_path, parts):
    folder = tmp_path / ("n" * 200) / ("n" * 200)
    folder.mkdir(parents=True)
    for path in (tmp_path / "a\nb\x1b[2J", folder / "m", os.fsencode(tmp_path) + b"/\xff"):
        write(os.fsdecode(path), {"x\n\x1b" * 999 + ".npy": b"", HEAD: b"{}"})
        with pytest.raises(ValueError, match="is not a refrank model") as raised:
            load_model(path)
        assert str(raised.value).isprintable()
        assert len(str(raised.value)) < 600


# --- the memory


def load_measured(path):
    """The peak of what loading allocates, per byte of the file."""
    tracemalloc.start()
    try:
        load_model(path)
    except ValueError as fault:
        check_message(str(fault), path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / os.path.getsize(path)


BULKS = {
    "lists": b"[]",
    "objects": b"{}",
    "fields": b'{"a":[]}',
    "floats": b"1e1",
    "integers": b"999",
    "words": b'"\xf0\x9f\x98\x80"',
}


@pytest.mark.parametrize("place", ["model", "relevance", "n_classes_", "model_"])
@pytest.mark.parametrize("bulk", BULKS.values(), ids=BULKS)
def test_bulk_in_the_head_takes_a_multiple_of_its_bytes(tmp_path, parts, place, bulk):
    head = copy.deepcopy(parts["softmax"][HEAD])
    inner = {"model": head, "relevance": head["model"]["parameters"]}.get(place, head.get("model", {}).get("learned"))
    inner[place] = "@@"
    content = json.dumps(head).encode().replace(b'"@@"', b"[" + b",".join([bulk] * 30_000) + b"]")
    write(tmp_path / "m", {**parts["softmax"], HEAD: content})
    assert load_measured(tmp_path / "m") < FACTOR


def test_trees_without_end_take_a_multiple_of_their_bytes(tmp_path, parts):
    n, members = 6000, dict(parts["softmax"])
    head = members[HEAD] = copy.deepcopy(members[HEAD])
    head["model"]["learned"]["model_"]["rounds"]["shape"] = [n // 6, 6]
    columns = {name: array for name, array in members.items() if "rounds" in name}
    leaf = {name: array[-1:] for name, array in columns.items()}
    leaf["model_.rounds.n_nodes.npy"] = np.ones(1, np.int64)
    write(tmp_path / "m", members | {name: np.repeat(array, n) for name, array in leaf.items()})
    assert load_measured(tmp_path / "m") < FACTOR
    assert len(load_model(tmp_path / "m").model_.rounds) == n // 6
    none = {name: array[:0] for name, array in columns.items()} | {"model_.rounds.n_nodes.npy": np.zeros(n, np.int64)}
    write(tmp_path / "m", members | none)
    fault_of(tmp_path / "m", "n_nodes must be a row of integers of at least 1")
    assert load_measured(tmp_path / "m") < FACTOR


@pytest.mark.parametrize("name", ["softmax", "own target", "cocr", "gbrt of classes"])
def test_a_number_of_classes_asks_for_nothing(tmp_path, name):
    save_model(train(name), tmp_path / "m")
    members = take_apart(tmp_path / "m")
    members[HEAD]["model"]["learned"]["n_classes_"] = 2**31 - 1
    write(tmp_path / "m", members)
    assert load_measured(tmp_path / "m") < FACTOR
    fault_of(tmp_path / "m")


def test_members_by_the_thousand_take_a_multiple_of_their_bytes(tmp_path):
    write(tmp_path / "m", {HEAD: b"{}"} | {f"{n}.npy": b"" for n in range(5000)})
    assert load_measured(tmp_path / "m") < FACTOR
    content = (tmp_path / "m").read_bytes()
    (tmp_path / "m").write_bytes(content[content.index(b"PK\x01\x02") :])  # the list of members alone
    assert load_measured(tmp_path / "m") < FACTOR
    fault_of(tmp_path / "m")


# --- the head


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"format": "refrank", "format": "refrank"}', "head.json has a field twice: format"),
        ('{"version": -1e999}', "head.json holds -1e999: numbers must be finite"),
        ('{"version": ' + "9" * 1001 + "}", "numbers must be of at most 1000 digits"),
        ('{"version": ' + "9" * 1000 + "}", "format must be"),
        ("{", "head.json is not JSON: "),
    ],
)
def test_the_head_is_read_strictly(tmp_path, text, message):
    """By `refrank.datasets.strict_json`, whose rules are in tests/meta/test_strict_json.py."""
    write(tmp_path / "m", {HEAD: text.encode()})
    fault_of(tmp_path / "m", message)
    for other in (text.encode("utf-16"), b"\xff" + text.encode()):
        write(tmp_path / "m", {HEAD: other})
        fault_of(tmp_path / "m", "head.json is not UTF-8")


def test_what_stands_before_a_zip_or_in_its_comment_changes_nothing(tmp_path, parts):
    write(tmp_path / "m", parts["own target"])
    content = io.BytesIO((tmp_path / "m").read_bytes())
    with zipfile.ZipFile(content, "a") as file:
        file.comment = b"PK\x03\x04 a comment"
    (tmp_path / "m").write_bytes(b"#!/bin/sh\n" + content.getvalue())
    assert answer(load_model(tmp_path / "m"), "own target") == answer(train("own target"), "own target")
