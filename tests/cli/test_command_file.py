"""`--config`: the file beside a model makes it again; flags win; what is wrong in a file is named with the file."""

import pytest

from refrank.models import load_model
from tests.cli.command_line import run


@pytest.fixture
def place(monkeypatch, tmp_path, folder):
    """The current folder, with the training rows."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.txt").write_bytes((folder / "train.txt").read_bytes())
    return tmp_path


def make_again(capsys, place):
    """Train by the file beside the model `m`, which is taken away first; return the old bytes and the new."""
    command, old = (place / "m.toml").read_bytes(), (place / "m").read_bytes()
    (place / "m").unlink()
    assert run(capsys, "train", "--config", "m.toml") == (0, [], [])
    assert (place / "m.toml").read_bytes() == command
    return old, (place / "m").read_bytes()


@pytest.mark.parametrize(
    "words",
    [
        "rf --n-trees 3 --missing -inf --missing-value -1e-3 --max-features 0.5 --clip --setting classification",
        "igbrt --n-trees 2 --n-rounds 2 --clip-each-round --checkpoint-every 1 --dtype float64 --n-features 5",
        "cocr --base m5p --min-instances 8 --cost squared --sentinel 1e30",
        "LambdaRanker --n-epochs 3 --valid train.txt --unlabelled zero",
        "classification --n-rounds 2 --relevance 2^k",
    ],
)
def test_the_file_beside_a_model_makes_it_again_to_the_bit(capsys, place, words):
    line = f"train {words} train.txt --model m --verbose 0"
    assert run(capsys, *line.split()) == (0, [], [])
    old, new = make_again(capsys, place)
    assert old == new


FIRST = "train gbrt train.txt --model m --n-rounds 2 --max-depth 2 --verbose 0"
MORE = "train train.txt --resume m --n-rounds 4 --verbose 0 --model"


def test_the_file_of_a_resumed_training_makes_the_whole_model(capsys, place):
    assert run(capsys, *FIRST.split())[0] == 0
    assert run(capsys, *MORE.split(), "m")[0] == 0
    assert "resume" not in (place / "m.toml").read_text()
    old, new = make_again(capsys, place)
    assert old == new
    (place / "m.toml").unlink()
    assert run(capsys, *MORE.split(), "n")[0] == 0
    assert 'resume = "m"' in (place / "n.toml").read_text()
    assert run(capsys, "train", "--config", "n.toml") == (0, [], [])
    assert (place / "n").read_bytes() == old


def test_flags_win_over_the_file_which_keeps_its_comments_where_it_says_the_same(capsys, place):
    text = "# mine\nalgorithm = 'GBRTRanker'\ntrain = 'none.txt'\nmodel = 'm'\nn-rounds = 3\nclip = true\nverbose = 0\n"
    (place / "m.toml").write_text(text.replace("GBRTRanker", "gbrt").replace("none.txt", "train.txt"))
    assert run(capsys, "train", "--config", "m.toml") == (0, [], [])
    assert (place / "m.toml").read_text().startswith("# mine")
    (place / "run.toml").write_text(text)
    words = "train train.txt --config run.toml --model other --n-rounds 2 --no-clip"
    assert run(capsys, *words.split()) == (0, [], [])
    ranker = load_model("other")
    assert (ranker.n_rounds, ranker.clip) == (2, False)
    assert "clip = false" in (place / "other.toml").read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n-rounds = ", "--config c.toml: it is not TOML: "),
        ("n-round = 3", "there is no key 'n-round' here: did you mean n-rounds?"),
        ("n_leaves = 3", "there is no key 'n_leaves' here: --n_leaves is a flag of "),
        ("num_leaves = 3", "--num_leaves is LightGBM's: here it is --max-depth"),
        ("config = 'c.toml'", "there is no key"),
        ("n-rounds = 2.5", "argument --n-rounds: invalid int value: '2.5'"),
        ("n-rounds = [2]", "n-rounds is [2]: it must be a text, a number, true or false"),
        ("missing = 'minimum'", "argument --missing: invalid choice: 'minimum'"),
        ("n-rounds = true", "argument --n-rounds: expected one argument"),
        ("n-rounds = 0", "--n-rounds is 0: it must be an integer of at least 1"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(capsys, place, text, message):
    (place / "c.toml").write_text(f"algorithm = 'gbrt'\ntrain = 'train.txt'\nmodel = 'm'\n{text}\n")
    code, out, [error] = run(capsys, "train", "--config", "c.toml")
    assert (code, out) == (2, [])
    assert message in error
    assert ("--config c.toml: " in error) == ("is 0" not in error)
    assert not (place / "m").exists()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("--config none.toml", 1, "No such file or directory: 'none.toml'"),
        ("--config .", 2, "it is a directory"),
        ("--config train.txt", 2, "(refrank train --help)"),
        ("--config c.toml", 2, "there is no algorithm 'gbtr': did you mean gbrt?"),
        ("gbrt --config c.toml", 2, "the following arguments are required: TRAIN, --model (refrank train gbrt --help)"),
    ],
)
def test_a_file_that_does_not_do_is_named(capsys, place, words, code, message):
    (place / "c.toml").write_text("algorithm = 'gbtr'\n")
    ended, out, [error] = run(capsys, "train", *words.split())
    assert (ended, out) == (code, [])
    assert message in error
