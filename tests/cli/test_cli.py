"""What holds of every command: exit codes, faults in one line that names the place, usage; and `refrank config`."""

import pytest

from tests.cli.command_line import run, shell, trained_folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return trained_folder(tmp_path_factory.mktemp("cli"))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("1 qid:1 1:0.5\n0 qid:1 1:0.5 1:2\n", ["line 2, column 15", "none twice"]),
        ("1 qid:1 1:0.5\n0 qid:1 1:x\n", ["line 2", "'x'"]),
        ("1 qid:1 1:0.5\n0 1:1\n", ["line 2", "qid"]),
        ("1.5 qid:1 1:0.5\n", ["line 1", "label"]),
        ("1 qid:1 1:nan\n", ["line 1", "finite"]),
        ("", ["no line of data"]),
        ("1 qid:1 1:0.5\n1 qid:1 1:0.7\n", ["y is 1 in every row"]),
    ],
)
def test_a_bad_file_is_one_line_that_names_the_place(capsys, tmp_path, text, parts):
    bad = tmp_path / "bad.txt"
    bad.write_text(text)
    code, out, errors = run(
        capsys, "train", "--algorithm", "softmax", bad, "--model", tmp_path / "m.json", "--n-rounds", 1
    )
    assert (code, out, len(errors)) == (2, [], 1)
    assert errors[0].startswith("refrank: error: ")
    assert all(part in errors[0] for part in parts), errors
    assert not (tmp_path / "m.json").exists()


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("--learning-rate", "0"),
        ("--learning-rate", "nan"),
        ("--n-leaves", "1"),
        ("--n-rounds", "0"),
        ("--n-bins", "65537"),
        ("--min-samples-leaf", "0"),
        ("--n-classes", "2"),
        ("--n-threads", "0"),
        ("--growth", "1"),
        ("--update", "parallel"),
        ("--relevance", "k^2"),
    ],
)
def test_a_bad_parameter_is_one_line_that_names_it(capsys, tmp_path, folder, flag, value):
    train = ("train", "--algorithm", "softmax", folder / "train.txt", "--model", tmp_path / "m.json")
    code, out, errors = run(capsys, *train, "--n-rounds", 1, flag, value)
    assert (code, out, len(errors)) == (2, [], 1)
    assert flag.strip("-").replace("-", "_") in errors[0]
    assert not (tmp_path / "m.json").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["rank"],
        ["predict"],
        ["predict", "f.txt"],
        ["evaluate", "f.txt"],
        ["evaluate", "f.txt", "--model", "m", "--scores", "s"],
        ["evaluate", "f.txt", "--model", "m", "--spec", "nobody"],
        ["train", "f.txt", "--algorithm", "svm", "--model", "m"],
        ["train", "f.txt", "--algorithm", "ls", "--model", "m", "--n-rounds", "many"],
        ["reproduce", "adarank"],
        ["predict", "f.txt", "--model", "m", "--no-such-flag"],
    ],
)
def test_bad_usage_is_one_line(capsys, arguments):
    code, out, errors = run(capsys, *arguments)
    assert (code, out, len(errors)) == (2, [], 1)
    assert errors[0].startswith("refrank: error: ")
    assert errors[0].endswith("--help)")


def test_files_that_cannot_be_read_or_written_are_code_1(capsys, tmp_path, folder):
    missing = tmp_path / "none.txt"
    for arguments in (
        ("predict", missing, "--model", folder / "model.json"),
        ("predict", folder / "train.txt", "--model", missing),
        ("predict", tmp_path, "--model", folder / "model.json"),
        ("evaluate", folder / "train.txt", "--scores", missing),
        ("train", "--algorithm", "ls", missing, "--model", tmp_path / "m.json"),
        ("train", "--algorithm", "ls", folder / "train.txt", "--model", tmp_path, "--n-rounds", 1),
    ):
        code, out, errors = run(capsys, *arguments)
        assert (code, out, len(errors)) == (1, [], 1), arguments
        assert str(tmp_path) in errors[0]


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["igbrt", "--like", "web-1"], "--like web-1 is of mcrank --data"),
        (["mcrank", "--like", "web-2"], "--like web-2 is of mcrank --data"),
        (["cocr", "--unlabelled", "zero"], "--unlabelled zero is of --data"),
        (["mcrank", "--unlabelled", "drop"], "--unlabelled drop is of --data"),
        (["mcrank", "--studies", "--data", "folds"], "--studies is of the artificial data"),
        (["cocr", "--studies"], "--studies is of mcrank"),
        (["cocr", "--full"], "--full is of mcrank and igbrt"),
    ],
)
def test_a_flag_that_a_reproduction_has_no_use_for_is_a_fault(capsys, tmp_path, arguments, fault):
    code, out, errors = run(capsys, "reproduce", *arguments, "--out", tmp_path / "out")
    assert (code, out, len(errors)) == (2, [], 1)
    assert fault in errors[0]
    assert not (tmp_path / "out").exists()


def test_config_prints_what_runs():
    done = shell("config")
    assert done.returncode == 0
    assert done.stdout.split()[:2] in (["splitter", "kernel"], ["splitter", "specification"])
