"""Traces as files: their schema; a damaged, truncated or hostile one gives one line that names file and place."""

import json
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from generators.trace_schema import FILE, make_schema, print_schema
from refrank.cli import main
from tests.regenerate import renew_with
from tests.yardstick.trainings import add, edit_at, make, record, rewrite
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


def of(**field):
    """Other fields of a record."""
    return {"fields": {"values": {"dtype": "float64", "shape": [1]} | field}}


DAMAGES = [  # text in the place of a line, or entries that it gets
    ("{", "is not JSON"),
    ("[]", r"is \[\]: it must be an object with stage, at and fields"),
    ('{"stage": "start", "at": {}}', "it must be an object with stage, at and fields"),
    ('{"stage": 1, "stage": 2}', "has a field twice: stage"),
    ("[" * 100_000, "is nested too deeply"),
    ({"stage": "bend"}, "stage of .* is 'bend': it must be one of data"),
    ({"at": {"round": -1}}, "at of .*: it must be an object of integers"),
    ({"at": {"level": 1}}, "named round, tree, output"),
    ({"fields": {}}, "fields of .* are {}"),
    ({"fields": {"more": {}}}, "of stage start they are values"),
    ({"fields": {"values": "x"}}, "values of .* is 'x': it must be an object"),
    (of(dtype="int64", values=[1]), "is of int64: it must be of a type of floats"),
    (of(values=[]), "is 0 entries: its shape wants a list of 1 entries"),
    (of(values=[1.0], digest="0" * 16), "digest of .* is 0000000000000000"),
    (of(digest="0x12"), "it must be 16 digits from 0 to f"),
    (of(), "neither entries nor a digest"),
    (of(dtype="object", digest="0" * 16), "dtype of .* is 'object'"),
    (of(shape=[2**31], digest="0" * 16), "shape of values"),
    (of(tensors="../../x"), "must be the number of a file, in digits"),
]


@pytest.mark.parametrize(("damage", "fault"), DAMAGES, ids=[fault for _, fault in DAMAGES])
def test_a_damaged_record_is_one_line(copied, golden, damage, fault, capsys):
    lines = (copied / "records.jsonl").read_text().splitlines()
    lines[2] = damage if isinstance(damage, str) else json.dumps(json.loads(lines[2]) | damage)
    (copied / "records.jsonl").write_text("\n".join(lines))
    with pytest.raises(ValueError, match=fault) as refused:
        compare_traces(golden, open_trace(copied))
    assert "records.jsonl, line 3" in str(refused.value)
    assert main(["conform", "diff", str(golden.folder), str(copied)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert len(said) < 700


HEAD = '{"format": "refrank-trace", "version": 1'
OF_LS = f'{HEAD}, "algorithm": "ls"'


@pytest.mark.parametrize(
    ("manifest", "fault"),
    [
        ("{", "is not JSON"),
        (b"\xff", "is not UTF-8"),
        ("[]", 'its format must be "refrank-trace"'),
        ('{"format": "refrank-vectors"}', 'its format must be "refrank-trace"'),
        ('{"format": "refrank-trace", "version": 2}', "version 2: this release reads 1"),
        ('{"format": "refrank-trace", "version": true}', "version True"),
        (HEAD + "}", "must name its algorithm"),
        (OF_LS + ', "parameters": []}', "and its parameters"),
        (OF_LS + ', "n_records": -1}', "n_records of"),
        (OF_LS + ', "n_records": 3}', "line 4 is beyond the 3"),
        (OF_LS + ', "n_records": 999}', "it is incomplete"),
        (" " * (2**24 + 1), "a manifest of a trace has at most 16777216"),
    ],
)
def test_a_damaged_manifest_is_one_line(copied, golden, manifest, fault):
    (copied / "manifest.json").write_bytes(manifest if isinstance(manifest, bytes) else manifest.encode())
    with pytest.raises(ValueError, match=fault):
        compare_traces(golden, open_trace(copied))


def edit_manifest(folder, **values):
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, **values}))


@pytest.mark.parametrize(
    ("manifest", "fault"),
    [
        ({"parameters": {"depth": 3}}, "has a parameter 'depth', which ls has not"),
        ({"parameters": {"n_rounds": -1}}, "n_rounds is -1: it must be an integer of at least 1"),
        ({"parameters": {"learning_rate": "fast"}}, "learning_rate is 'fast'"),
        ({"algorithm": "x"}, r"algorithm of .* is 'x': it must be one of"),
    ],
)
def test_a_training_that_cannot_be_repeated_is_refused(golden, copied, manifest, fault, tmp_path):
    """Where traces differ, so that the training is repeated; and wherever a trace is judged by itself."""
    theirs = rewrite(tmp_path / "theirs", golden, edit_at("prediction", Place(), add("values", 0, 1.0)))
    edit_manifest(copied, **manifest)
    edit_manifest(theirs.folder, algorithm=manifest.get("algorithm", "ls"))
    theirs = open_trace(theirs.folder)
    for judge in (lambda: compare_traces(open_trace(copied), theirs), lambda: judge_trace(open_trace(copied))):
        with pytest.raises(ValueError, match=fault):
            judge()


def test_a_record_twice_is_refused(copied, golden):
    lines = (copied / "records.jsonl").read_bytes().splitlines(keepends=True)
    (copied / "records.jsonl").write_bytes(b"".join([*lines, lines[1]]))
    edit_manifest(copied, n_records=len(lines) + 1)
    with pytest.raises(ValueError, match=r"is the second of stage bins: each place has one"):
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
    assert compare_traces(golden, open_trace(tmp_path / "theirs")).passes
    damage(tmp_path / "theirs" / "tensors" / "000000.safetensors")
    with pytest.raises((ValueError, OSError), match=fault) as refused:
        compare_traces(golden, open_trace(tmp_path / "theirs"))
    assert "\n" not in str(refused.value)


def test_a_trace_is_whole_or_not_there(tmp_path):
    """A folder that is not there, or empty, is replaced at the end, with the permissions that the process gives."""
    with pytest.raises(RuntimeError), TraceWriter(tmp_path / "trace", "json", {"algorithm": "ls"}):
        raise RuntimeError
    assert [*tmp_path.iterdir()] == []
    (tmp_path / "trace").mkdir()
    with TraceWriter(tmp_path / "trace", "json", {"algorithm": "ls"}):
        pass
    assert {path.name for path in (tmp_path / "trace").iterdir()} == {"manifest.json", "records.jsonl"}
    (tmp_path / "other").mkdir()
    assert (tmp_path / "trace").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_what_a_trace_cannot_replace_is_refused_before_the_training(tmp_path, capsys):
    (tmp_path / "full" / "empty").mkdir(parents=True)
    (tmp_path / "file").touch()
    for target in ("nowhere", "full/empty", "file"):
        (tmp_path / f"link to {target.replace('/', ' ')}").symlink_to(tmp_path / target)
    before = sorted(tmp_path.iterdir())
    for out in before:
        assert main(["trace", "ls", "--out", str(out)]) == 2
        lines = capsys.readouterr().err.splitlines()
        assert lines == [f"refrank: error: {out} exists: a trace goes to a new folder, or to one that is empty"]
    assert sorted(tmp_path.iterdir()) == before


JUNK = st.sampled_from([b"", b"0", b"-", b"9" * 50, b"[" * 2000, b'"', b"1e999", b"\x00", b"null", b"}", b"\n"])
CHANGES = st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0, 1, 3, 100, 100_000]), JUNK), min_size=1, max_size=3)


@given(st.sampled_from(["records.jsonl", "manifest.json"]), CHANGES)
def test_whatever_the_bytes_it_is_a_trace_or_one_line(golden, tmp_path_factory, name, changes):
    """Bytes of a file, changed, cut out and put in."""
    folder = tmp_path_factory.mktemp("mutated") / "trace"
    shutil.copytree(golden.folder, folder)
    content = bytearray((folder / name).read_bytes())
    for share, length, junk in changes:
        at = int(share * len(content))
        content[at : at + length] = junk
    (folder / name).write_bytes(content)
    said = ""
    try:
        compare_traces(golden, open_trace(folder))
    except ValueError as fault:
        said = str(fault)
    shutil.rmtree(folder)
    assert "\n" not in said
    assert len(said) < 1500
