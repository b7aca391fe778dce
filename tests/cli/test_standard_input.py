"""- is standard input, and what a shell passes as a file need not be one."""

import gzip
import io
import subprocess
import sys
from types import SimpleNamespace

import pytest

from tests.cli.command_line import COMMAND, ENVIRONMENT, run

TRAIN = ("train", "--algorithm", "ls", "--n-rounds", 2, "--verbose", 0, "--model")


@pytest.fixture
def feed(monkeypatch):
    """Put bytes into standard input."""

    def put(content):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))

    return put


@pytest.mark.parametrize(
    "words",
    [
        ("predict", "--model", "m.refrank"),
        ("evaluate", "--model", "m.refrank"),
        ("evaluate", "--scores", "scores.txt"),
        ("bounds", "--scores", "scores.txt"),
        ("compare", "--scores", "scores.txt", "scores.txt"),
        ("compare", "--scores", "scores.txt", "--model", "m.refrank"),
        ("compare", "--model", "m.refrank", "m.refrank"),
    ],
)
def test_rows_or_scores_may_come_from_standard_input(capsys, monkeypatch, feed, folder, words):
    monkeypatch.chdir(folder)
    expected = run(capsys, words[0], "train.txt", *words[1:])
    assert expected[0] == 0
    for cache in ((), ("--cache",)):
        feed((folder / "train.txt").read_bytes())
        assert run(capsys, words[0], "-", *words[1:], *cache) == expected
    assert not [*folder.glob("*cache*")]
    if "scores.txt" in words:
        place = words.index("scores.txt")
        feed((folder / "scores.txt").read_bytes())
        code, out, errors = run(capsys, words[0], "train.txt", *words[1:place], "-", *words[place + 1 :])
        assert (code, [line for line in out if line[:2] != "a "], errors) == (
            0,
            [line for line in expected[1] if line[:2] != "a "],  # compare repeats the name
            [],
        )


def test_training_and_validation_rows_may_come_from_standard_input(capsys, feed, folder, tmp_path):
    content = (folder / "train.txt").read_bytes()
    assert run(capsys, *TRAIN, tmp_path / "a", folder / "train.txt") == (0, [], [])
    feed(content)
    assert run(capsys, *TRAIN, tmp_path / "b", "-") == (0, [], [])
    net = ("train", "--algorithm", "ranknet", "--n-epochs", 1, "--verbose", 0, "--valid")
    assert run(capsys, *net, folder / "train.txt", folder / "train.txt", "--model", tmp_path / "c") == (0, [], [])
    feed(content)
    assert run(capsys, *net, "-", folder / "train.txt", "--model", tmp_path / "d") == (0, [], [])
    scores = [run(capsys, "predict", folder / "train.txt", "--model", tmp_path / name) for name in "abcd"]
    assert scores[0] == scores[1]
    assert scores[2] == scores[3]


@pytest.mark.parametrize(
    "line",
    [
        "evaluate - --scores -",
        "bounds - --scores -",
        "compare - --scores - s",
        "compare t --scores - -",
        "train - --algorithm ranknet --model m --valid -",
    ],
)
def test_two_inputs_are_not_both_standard_input(capsys, monkeypatch, tmp_path, line):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", None)  # nothing is read before
    message = "refrank: error: - is given twice: standard input can be read only once"
    assert run(capsys, *line.split()) == (2, [], [message])


def test_standard_input_that_is_closed_is_named(capsys, monkeypatch, folder):
    monkeypatch.setattr(sys, "stdin", None)
    message = "refrank: error: - is standard input, which is closed"
    assert run(capsys, "evaluate", "-", "--scores", folder / "scores.txt") == (2, [], [message])


def test_a_fault_in_standard_input_is_named(capsys, feed, folder):
    feed(b"1 qid:1 1:2\n2 qid:1 1:x\n")
    message = "refrank: error: the input, line 2, column 11: 'x': a feature value must be a finite float32"
    code, out, [error] = run(capsys, "predict", "-", "--model", folder / "m.refrank")
    assert (code, out, error.startswith(message)) == (2, [], True)
    feed(b"")
    code, out, [error] = run(capsys, "predict", "-", "--model", folder / "m.refrank")
    assert (code, out, error) == (2, [], "refrank: error: the input: the file contains no line of data")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no bash")
def test_the_shell_passes_pipes(folder, tmp_path):
    """Each way to say the same file gives the same scores, and the same figures."""
    (tmp_path / "t.gz").write_bytes(gzip.compress((folder / "train.txt").read_bytes()))
    refrank = " ".join(COMMAND)
    lines = [
        f"{refrank} predict <(zcat {tmp_path}/t.gz) --model m.refrank",
        f"cat train.txt | {refrank} predict /dev/stdin --model m.refrank",
        f"{refrank} predict - --model m.refrank < train.txt",
        f"{refrank} evaluate - --scores scores.txt --json < train.txt",
        f"cat scores.txt | {refrank} evaluate <(cat train.txt) --scores - --json",
    ]
    script = "\n".join(f"{line} || exit 1" for line in lines)
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    scores = (folder / "scores.txt").read_text()
    assert done.stdout.startswith(3 * scores)
    a, b = done.stdout.removeprefix(3 * scores).splitlines()
    assert a == b
