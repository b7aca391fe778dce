"""The flags of a reading: each command that reads rows takes them, and reads as from a file that needs none of them."""

import json

import numpy as np
import pytest

from refrank.cli import main
from refrank.cli.commands import make_parser
from refrank.datasets import load_letor

SENTINEL = "1.79769313486e+308"
FLAGS = ["--unlabelled", "drop", "--sentinel", SENTINEL, "--dtype", "float64"]
READERS = ("train", "predict", "evaluate", "compare", "bounds", "export", "import", "reproduce", "trace")


def write_rows(path, plain):
    """Write rows with features that are missing, and rows that were not judged; `plain`: without both."""
    rng = np.random.default_rng(0)
    lines = []
    for row in range(60):
        values = rng.random(3).tolist()
        missing = rng.random(3) < 0.3
        listed = [(j, SENTINEL if missing[j] else f"{values[j]!r}") for j in range(3) if not (plain and missing[j])]
        label = -1 if row % 7 == 3 else row % 3
        if not (plain and label < 0):
            lines.append(f"{label} qid:{row // 10} " + " ".join(f"{j + 1}:{value}" for j, value in listed))
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def run(capsys):
    def run(*words, code=0):
        assert main([str(word) for word in words]) == code
        return capsys.readouterr().out if code == 0 else capsys.readouterr().err

    return run


@pytest.fixture
def files(tmp_path):
    for plain in (True, False):
        write_rows(tmp_path / ("plain" if plain else "raw"), plain)
    return tmp_path


def outputs(run, folder, data, flags):
    """Return what each command prints or writes about the rows of a file."""
    model, port = folder / "model", folder / "port"
    options = ("--verbose", 0, "--n-trees", 3, "--missing", "zero")
    run("train", data, "--model", model, "--algorithm", "rf", *options, "--n-features", 3, *flags)
    scores = folder / "scores"
    scores.write_text(run("predict", data, "--model", model, *flags))
    texts = [scores.read_text()]
    texts += [
        run("evaluate", data, *ranking, "--json", *flags) for ranking in (("--model", model), ("--scores", scores))
    ]
    texts.append(run("compare", data, "--model", model, "--scores", scores, "--json", *flags).replace(str(folder), ""))
    texts.append(run("bounds", data, "--scores", scores, *flags))
    tree = ("--n-trees", 1, "--verbose", 0, "--missing", "zero", "--n-features", 3)
    run("trace", "rf", data, "--out", port, *tree, *flags)
    manifest = json.loads((port / "manifest.json").read_text())
    return [*texts, (port / "records.jsonl").read_bytes(), json.dumps(manifest, sort_keys=True)]


def test_each_command_reads_as_from_a_file_that_needs_no_flag(run, files):
    (files / "a").mkdir()
    (files / "b").mkdir()
    expected = outputs(run, files / "a", files / "plain", ["--dtype", "float64"])
    assert outputs(run, files / "b", files / "raw", FLAGS) == expected


def test_the_type_of_the_features_reaches_the_training(run, files):
    """In float32, two of these values are one."""
    path = files / "near"
    path.write_text("0 qid:1 1:1.00000001\n1 qid:1 1:1.00000002\n")
    widths = {}
    for dtype in ("float32", "float64"):
        options = ("--algorithm", "ls", "--n-rounds", 1, "--n-leaves", 2, "--verbose", 0, "--dtype", dtype)
        run("train", path, "--model", files / "model", *options)
        widths[dtype] = len(set(run("predict", path, "--model", files / "model", "--dtype", dtype).split()))
    assert widths == {"float32": 1, "float64": 2}


def test_without_the_flags_the_file_is_refused(run, files):
    options = ("--model", files / "model", "--algorithm", "rf", "--verbose", 0)
    strict = run("train", files / "raw", *options, "--sentinel", SENTINEL, code=2)
    assert "the label, first on a line, must be an integer from 0" in strict
    zero = run("train", files / "raw", *options, "--unlabelled", "zero", code=2)
    assert "a feature value must be a finite float32; leave absent features out, or name a sentinel for them" in zero
    fault = run("train", files / "raw", *options, "--sentinel", "nan", code=2)
    assert "sentinel is nan: it must be a number, or None" in fault


@pytest.mark.parametrize("command", READERS)
def test_each_command_that_reads_rows_has_the_flags(command, capsys):
    with pytest.raises(SystemExit):
        make_parser([command]).parse_args([command, *["ls"] * (command == "train"), "--help"])
    printed = capsys.readouterr().out
    of_tables = "--absent", "--label", "--qid", "--ignore", "--delimiter"
    for flag in ("--unlabelled", "--sentinel", "--dtype", "--cache", *of_tables):
        assert flag in printed
    assert ("--valid-share" in printed) == (command == "reproduce")


@pytest.mark.parametrize("flags", [("--sentinel", "0"), ("--dtype", "float64"), ("--valid-share", ".2"), ("--cache",)])
def test_a_reproduction_on_artificial_data_reads_nothing(run, flags):
    assert f"{flags[0]} " in run("reproduce", "cocr", *flags, code=2)


def test_the_validation_queries_of_train_are_read_as_those_of_training(run, files):
    """The same flags, and the same value for what is missing: 0 for a net."""
    options = ("--algorithm", "lambdarank", "--n-epochs", 2, "--verbose", 0, "--n-features", 3)
    for data, flags in (("plain", ["--dtype", "float64"]), ("raw", FLAGS)):
        run("train", files / data, "--valid", files / data, "--model", files / f"{data}.model", *options, *flags)
    ours, expected = (run("predict", files / "plain", "--model", files / f"{data}.model") for data in ("raw", "plain"))
    assert ours == expected


def test_a_sentinel_of_the_forests_that_know_missing_values_is_missing(run, files):
    data = load_letor(files / "raw", absent=float("nan"), unlabelled="zero", sentinel=float(SENTINEL))
    assert np.isnan(data.X).any()
    options = ("--algorithm", "rf", "--n-trees", 2, "--verbose", 0, "--missing", "three-way")
    run("train", files / "raw", "--model", files / "model", *options, "--unlabelled", "zero", "--sentinel", SENTINEL)
    from refrank import RandomForestRanker

    ranker = RandomForestRanker(n_trees=2, missing="three-way").fit(data.X, data.y, data.qid)
    printed = run("predict", files / "raw", "--model", files / "model", "--unlabelled", "zero", "--sentinel", SENTINEL)
    assert [float(line) for line in printed.split()] == ranker.predict(data.X).tolist()
