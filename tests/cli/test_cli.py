"""What holds of every command: exit codes, faults in one line, usage, help; and `refrank config` and `show`."""

import subprocess
import sys

import pytest

import refrank
from tests.cli.command_line import ENVIRONMENT, run, shell


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
    train = ("train", "--algorithm", "softmax", bad, "--model", tmp_path / "m.refrank", "--n-rounds", 1)
    code, out, errors = run(capsys, *train)
    assert (code, out, len(errors)) == (2, [], 1)
    assert errors[0].startswith("refrank: error: ")
    assert all(part in errors[0] for part in parts), errors
    assert not (tmp_path / "m.refrank").exists()


BAD_FLAGS = (
    "--learning-rate 0, --learning-rate nan, --n-leaves 1, --n-rounds 0, --n-bins 65537, --min-samples-leaf 0, "
    "--n-classes 2, --n-threads 0, --growth 1, --update parallel, --relevance k^2"
)


@pytest.mark.parametrize(("flag", "value"), [pair.split() for pair in BAD_FLAGS.split(", ")])
def test_a_bad_parameter_is_one_line_that_names_it(capsys, tmp_path, folder, flag, value):
    train = ("train", "--algorithm", "softmax", folder / "train.txt", "--model", tmp_path / "m.refrank")
    code, out, errors = run(capsys, *train, "--n-rounds", 1, flag, value)
    assert (code, out, len(errors)) == (2, [], 1)
    assert flag.strip("-").replace("-", "_") in errors[0]
    assert not (tmp_path / "m.refrank").exists()


BAD_USAGE = """
rank
predict
predict f.txt
evaluate f.txt
evaluate f.txt --model m --scores s
evaluate f.txt --model m --spec nobody
train f.txt --algorithm svm --model m
train f.txt --algorithm ls --model m --n-rounds many
reproduce adarank
predict f.txt --model m --no-such-flag"""


@pytest.mark.parametrize("line", BAD_USAGE.split("\n"))  # the first is empty
def test_bad_usage_is_one_line(capsys, line):
    code, out, errors = run(capsys, *line.split())
    assert (code, out, len(errors)) == (2, [], 1)
    assert errors[0].startswith("refrank: error: ")
    assert errors[0].endswith("--help)")


def test_files_that_cannot_be_read_or_written_are_code_1(capsys, tmp_path, folder):
    missing = tmp_path / "none.txt"
    for arguments in (
        ("predict", missing, "--model", folder / "m.refrank"),
        ("predict", folder / "train.txt", "--model", missing),
        ("predict", tmp_path, "--model", folder / "m.refrank"),
        ("evaluate", folder / "train.txt", "--scores", missing),
        ("train", "--algorithm", "ls", missing, "--model", tmp_path / "m.refrank"),
        ("train", "--algorithm", "ls", folder / "train.txt", "--model", tmp_path, "--n-rounds", 1),
    ):
        code, out, errors = run(capsys, *arguments)
        assert (code, out, len(errors)) == (1, [], 1), arguments
        assert str(tmp_path) in errors[0]


@pytest.mark.parametrize(
    "line",
    [
        "igbrt --like web-1",
        "mcrank --like web-2",
        "cocr --unlabelled zero",
        "mcrank --unlabelled drop",
        "mcrank --studies --data folds",
        "cocr --studies",
        "cocr --full",
    ],
)
def test_a_flag_that_a_reproduction_has_no_use_for_is_a_fault(capsys, tmp_path, line):
    code, out, errors = run(capsys, "reproduce", *line.split(), "--out", tmp_path / "out")
    assert (code, out, len(errors)) == (2, [], 1)
    assert line.split()[1] in errors[0]
    assert line != "cocr --studies" or "--studies works with mcrank only" in errors[0]
    assert not (tmp_path / "out").exists()


def test_config_prints_what_runs():
    done = shell("config")
    assert done.returncode == 0
    assert done.stdout.split()[:2] in (["splitter", "kernel"], ["splitter", "specification"])


def test_help_and_version_load_no_ranker():
    """A word on the command line is answered at once: NumPy is the slowest that is loaded."""
    code = "import sys; from refrank.cli import main\ntry: main(sys.argv[1:])\nexcept SystemExit: pass\n"
    code += "print([m for m in ('sklearn', 'scipy', 'matplotlib', 'refrank.estimators') if m in sys.modules])"
    for word in ("--help", "--version"):
        done = subprocess.run([sys.executable, "-c", code, word], capture_output=True, text=True, env=ENVIRONMENT)
        assert done.stdout.splitlines()[-1] == "[]", done


def test_the_version_is_that_of_the_package(capsys):
    assert run(capsys, "--version") == (0, [f"refrank {refrank.__version__}"], [])


def test_help_lists_every_command(capsys):
    code, out, errors = run(capsys, "--help")
    assert (code, errors) == (0, [])
    for command in ("train", "predict", "evaluate", "bounds", "show", "reproduce", "config"):
        assert any(line.split()[:1] == [command] for line in out)


def test_show_describes_a_model_and_refuses_what_is_not_one(capsys, folder):
    code, out, errors = run(capsys, "show", folder / "m.refrank")
    assert (code, errors) == (0, [])
    text = "\n".join(out)
    assert all(part in text for part in ("SoftmaxBoostRanker", "n_rounds", "n_leaves")), text
    code, out, errors = run(capsys, "show", folder / "train.txt")
    assert (code, out, len(errors)) == (2, [], 1)
    assert "train.txt is not a refrank model" in errors[0]
