"""Traces as files: their schema; a damaged, truncated or hostile one gives one line that names file and place."""

import json
import os
import shutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from generators.trace_schema import FILE, make_schema, print_schema
from refrank.cli import main
from tests.regenerate import renew_with
from tests.yardstick.trainings import add, changed, edit_line, make, record
from yardstick.divergence.comparing import compare_traces, judge_trace
from yardstick.traces.reader import open_trace
from yardstick.traces.stages import Place
from yardstick.traces.writer import TraceWriter


def test_the_schema_is_the_one_that_is_written_down():
    assert FILE.read_text() == print_schema(), renew_with("docs/port/trace.schema.json")


@pytest.mark.parametrize("values", ["json", "digests", "safetensors"])
@pytest.mark.parametrize("name", ["softmax", "rf", "gbrt", "lambdarank", "cocr"])
def test_traces_are_as_the_schema_says(name, values, tmp_path):
    trace = record(tmp_path / "trace", make(name), values)
    schema = make_schema()
    Draft202012Validator.check_schema(schema)
    parts = {part: Draft202012Validator({**schema, "anyOf": [{"$ref": f"#/$defs/{part}"}]}) for part in schema["$defs"]}
    parts["manifest"].validate(json.loads((trace.folder / "manifest.json").read_text()))
    for line in (trace.folder / "records.jsonl").read_text().splitlines():
        parts["record"].validate(json.loads(line))


def put(*keys, value):
    def change(document):
        for key in keys[:-1]:
            document = document[key]
        document[keys[-1]] = value

    return change


def put_values(**field):
    return put("fields", "values", value=field)


DAMAGES = {
    "not JSON": (lambda d: "{", "is not JSON"),
    "not an object": (lambda d: "[]", r"is \[\]: it must be an object with stage, at and fields"),
    "a field twice": (lambda d: '{"stage": 1, "stage": 2}', "has a field twice: stage"),
    "nested": (lambda d: "[" * 100_000, "is nested too deeply"),
    "no stage": (lambda d: d.pop("stage") and None, "it must be an object with stage, at and fields"),
    "another stage": (put("stage", value="bend"), "stage of .* is 'bend': it must be one of data"),
    "a place of text": (put("at", value={"round": "1"}), "at of .*: it must be an object of integers"),
    "a place below": (put("at", value={"round": -1}), "at of .*: it must be an object of integers"),
    "another place": (put("at", value={"level": 1}), "named round, tree, output"),
    "fields of text": (put("fields", value="x"), "fields of .* are 'x'"),
    "no fields": (put("fields", value={}), "fields of .* are {}"),
    "another field": (put("fields", "more", value={}), "of stage start they are values"),
    "a field of text": (put("fields", "values", value="x"), "values of .* is 'x': it must be an object"),
    "integers": (put_values(dtype="int64", shape=[1], values=[1]), "is of int64: it must be of a type of floats"),
    "too few": (put("fields", "values", "values", value=[]), "is 0 entries: its shape wants a list of 1 entries"),
    "another digest": (put("fields", "values", "digest", value="0" * 16), "digest of .* is 0000000000000000"),
    "no digest": (put("fields", "values", "digest", value="0x12"), "it must be 16 digits from 0 to f"),
    "nothing": (put_values(dtype="float64", shape=[]), "neither entries nor a digest"),
    "another type": (put_values(dtype="object", shape=[], digest="0" * 16), "dtype of .* is 'object'"),
    "a huge shape": (put_values(dtype="float64", shape=[2**31], digest="0" * 16), "shape of values"),
    "a path": (put_values(dtype="float64", shape=[1], tensors="../../x"), "must be the number of a file, in digits"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_record_is_one_line(copied, golden, damage, capsys):
    change, fault = DAMAGES[damage]
    edit_line(copied, 2, change)
    (copied / "index.bin").unlink()
    with pytest.raises(ValueError, match=fault) as refused:
        compare_traces(golden, open_trace(copied))
    assert "records.jsonl, line 3" in str(refused.value)
    assert "\n" not in str(refused.value)
    assert main(["conform", "diff", str(golden.folder), str(copied)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert len(said) < 700


@pytest.mark.parametrize(
    ("manifest", "fault"),
    [
        (b"{", "is not JSON"),
        (b"\xff", "is not UTF-8"),
        (b"[]", 'its format must be "refrank-trace"'),
        (b'{"format": "refrank-vectors"}', 'its format must be "refrank-trace"'),
        (b'{"format": "refrank-trace", "version": 2}', "version 2: this release reads 1"),
        (b'{"format": "refrank-trace", "version": true}', "version True"),
        (b'{"format": "refrank-trace", "version": 1}', "must name its algorithm"),
        (b'{"format": "refrank-trace", "version": 1, "algorithm": "ls", "parameters": []}', "and its parameters"),
        (b'{"format": "refrank-trace", "version": 1, "algorithm": "ls", "n_records": -1}', "n_records of"),
        (b'{"format": "refrank-trace", "version": 1, "algorithm": "ls", "n_records": 3}', "line 4 is beyond the 3"),
        (b'{"format": "refrank-trace", "version": 1, "algorithm": "ls", "n_records": 999}', "it is incomplete"),
        (b" " * (2**24 + 1), "a manifest of a trace has at most 16777216"),
    ],
)
def test_a_damaged_manifest_is_one_line(copied, golden, manifest, fault):
    (copied / "manifest.json").write_bytes(manifest)
    (copied / "index.bin").unlink()
    with pytest.raises(ValueError, match=fault):
        compare_traces(golden, open_trace(copied))


@pytest.mark.parametrize(
    ("parameters", "fault"),
    [
        ({"depth": 3}, "has a parameter 'depth', which ls has not"),
        ({"n_rounds": -1}, "n_rounds is -1: it must be an integer of at least 1"),
        ({"learning_rate": "fast"}, "learning_rate is 'fast'"),
    ],
)
def test_a_golden_trace_with_other_parameters_is_refused(copied, golden, parameters, fault, tmp_path):
    """Where the traces differ, so that its training is repeated; and wherever a trace is judged by itself."""
    theirs = changed(tmp_path / "theirs", make("ls"), "prediction", Place(), add("values", 0, 1.0))
    manifest = json.loads((copied / "manifest.json").read_text())
    (copied / "manifest.json").write_text(json.dumps({**manifest, "parameters": parameters}))
    for judge in (lambda: compare_traces(open_trace(copied), theirs), lambda: judge_trace(open_trace(copied))):
        with pytest.raises(ValueError, match=fault):
            judge()
    (copied / "manifest.json").write_text(json.dumps({**manifest, "algorithm": "x"}))
    with pytest.raises(ValueError, match=r"algorithm of .* is 'x': it must be one of"):
        judge_trace(open_trace(copied))


def test_a_record_twice_is_refused(copied, golden):
    lines = (copied / "records.jsonl").read_bytes().splitlines(keepends=True)
    (copied / "records.jsonl").write_bytes(b"".join([*lines, lines[1]]))
    (copied / "index.bin").unlink()
    manifest = json.loads((copied / "manifest.json").read_text())
    (copied / "manifest.json").write_text(json.dumps({**manifest, "n_records": len(lines) + 1}))
    with pytest.raises(ValueError, match=r"is the second of stage bins: each place has one"):
        compare_traces(golden, open_trace(copied))


@pytest.mark.parametrize("indexed", [True, False])
def test_records_beyond_those_of_the_manifest_are_refused(copied, golden, indexed):
    lines = (copied / "records.jsonl").read_bytes()
    (copied / "records.jsonl").write_bytes(lines + lines)
    if not indexed:
        (copied / "index.bin").unlink()
    n_records = lines.count(b"\n")
    for pair in ((golden, open_trace(copied)), (open_trace(copied), golden)):
        with pytest.raises(ValueError, match=f"line {n_records + 1} is beyond the {n_records} records that its mani"):
            compare_traces(*pair)


def test_an_index_that_lies_is_found(copied, golden):
    index = np.fromfile(copied / "index.bin", "<u8")
    index[6] ^= np.uint64(1)
    index.tofile(copied / "index.bin")
    with pytest.raises(ValueError, match="line 4 is not the one in its index"):
        compare_traces(golden, open_trace(copied))
    (copied / "index.bin").write_bytes(b"123")
    with pytest.raises(ValueError, match=r"index.bin has 3 bytes: it must have 16 for each record"):
        compare_traces(golden, open_trace(copied))


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        (lambda file: file.write_bytes(file.read_bytes()[:-100]), r"000000\.safetensors"),
        (lambda file: file.unlink(), r"000000\.safetensors"),
        (lambda file: file.write_bytes(b"\x80\x04\x95pickle" * 100), r"000000\.safetensors"),
        (lambda file: file.write_bytes(file.read_bytes()[:-1] + b"x"), r"digest of \w+ of .*, line \d+ is"),
    ],
)
def test_tensors_are_looked_up_where_they_are_said_to_be(tmp_path, damage, fault):
    golden = record(tmp_path / "golden", make("ls"), "safetensors")
    shutil.copytree(golden.folder, tmp_path / "theirs")
    theirs = open_trace(tmp_path / "theirs")
    assert compare_traces(golden, theirs).passes
    damage(theirs.folder / "tensors" / "000000.safetensors")
    with pytest.raises((ValueError, OSError), match=fault) as refused:
        compare_traces(golden, theirs)
    assert "\n" not in str(refused.value)


def test_a_trace_is_whole_or_not_there(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    with pytest.raises(ValueError, match="full exists: a trace goes to a new folder"):
        TraceWriter(tmp_path / "full", "json", {})
    with pytest.raises(RuntimeError), TraceWriter(tmp_path / "trace", "json", {"algorithm": "ls"}):
        raise RuntimeError
    assert [path.name for path in tmp_path.iterdir()] == ["full"]
    (tmp_path / "trace").mkdir()  # an empty one may be there
    with TraceWriter(tmp_path / "trace", "json", {"algorithm": "ls"}):
        pass
    names = {path.name for path in (tmp_path / "trace").iterdir()}
    assert names == {"index.bin", "manifest.json", "records.jsonl"}


@pytest.mark.parametrize("target", ["nowhere", "link", "empty", "file"])
def test_a_link_and_a_file_are_refused_before_the_training_and_in_one_line(tmp_path, monkeypatch, capsys, target):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(target)
    for out in {"link", target} - {"nowhere", "empty"}:
        assert main(["trace", "ls", "--out", out]) == 2
        lines = capsys.readouterr().err.splitlines()
        assert lines == [f"refrank: error: {out} exists: a trace goes to a new folder, or to one that is empty"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "file", "link"]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_others_may_read_a_trace_as_the_mask_of_the_process_says(tmp_path):
    before = os.umask(0o027)
    try:
        with TraceWriter(tmp_path / "trace", "json", {"algorithm": "ls"}):
            pass
    finally:
        after = os.umask(before)
    assert after == 0o027
    assert (tmp_path / "trace").stat().st_mode & 0o777 == 0o750


@given(st.data())
def test_whatever_the_bytes_it_is_a_trace_or_one_line(golden, tmp_path_factory, data):
    """Bytes of records and of the manifest, changed, cut out and put in."""
    folder = tmp_path_factory.mktemp("mutated") / "trace"
    shutil.copytree(golden.folder, folder)
    name = data.draw(st.sampled_from(["records.jsonl", "manifest.json", "index.bin"]))
    content = bytearray((folder / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content)))
        length = data.draw(st.sampled_from([0, 1, 3, 100, 100_000]))
        junk = st.sampled_from([b"", b"0", b"-", b"9" * 50, b"[" * 2000, b'"', b"1e999", b"\x00", b"null", b"}", b"\n"])
        content[at : at + length] = data.draw(junk)
    (folder / name).write_bytes(content)
    refused = ""
    try:
        compare_traces(golden, open_trace(folder))
    except ValueError as fault:
        refused = str(fault)
    finally:
        shutil.rmtree(folder)
    assert "\n" not in refused
    assert len(refused) < 1500
