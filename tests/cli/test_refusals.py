"""Refusals of a command: one line that names the flag, the file or the place, an exit code, and nothing written."""

import shutil

import pytest

from tests.cli.command_line import run

FILES = {
    "twice.txt": b"1 qid:1 1:0.5\n0 qid:1 1:0.5 1:2\n",
    "empty.txt": b"",
    "equal.txt": b"1 qid:1 1:0.5\n1 qid:1 1:0.7\n",
    "wide.txt": b"1 qid:1 1:1 7:2\n",
    "right.txt": b"2 qid:1 1:1\n0 qid:1 1:2\n0 qid:2 1:1\n",
    "irrelevant.txt": b"0 qid:1 1:1\n0 qid:1 1:2\n",
    "blank.scores": b"1\n\n2\n",
    "word.scores": b"1\nx\n2\n",
    "bytes.scores": b"1\n2\n\xff\xfe\n",
    "two.scores": b"1\n2\n",
    "three.scores": b"1\n2\n3\n",
    "nan.scores": b"1\nnan\n2\n",
    "inf.scores": b"1\ninf\n2\n",
}
SOFTMAX = "train --algorithm softmax --model m --n-rounds 1"
TRAIN = "train train.txt --model m --algorithm"
BAD_VALUES = "learning-rate 0, learning-rate nan, n-leaves 1, n-rounds 0, n-bins 65537, min-samples-leaf 0, growth 1"
REFUSED = [
    # files
    (f"{SOFTMAX} twice.txt", "twice.txt, line 2, column 15: '1': feature indices must increase along a line"),
    (f"{SOFTMAX} empty.txt", "empty.txt: the file contains no line of data"),
    (f"{SOFTMAX} equal.txt", "y is 1 in every row"),
    (f"{TRAIN} ls --n-features 3", "train.txt, line 1"),
    ("predict wide.txt --model m.refrank", "wide.txt, line 1"),
    ("show train.txt", "train.txt is not a refrank model"),
    # scores
    ("evaluate right.txt --scores blank.scores", "blank.scores, line 2, is '': it must be a number, one per line"),
    ("evaluate right.txt --scores word.scores", "word.scores, line 2, is 'x'"),
    ("evaluate right.txt --scores bytes.scores", "bytes.scores, line 3"),
    ("evaluate right.txt --scores two.scores", "score has shape (2,): it must have shape (n_samples,)"),
    ("bounds right.txt --scores two.scores", "score has shape (2,): it must have shape (n_samples,)"),
    ("evaluate right.txt --scores nan.scores", "score at row 1 is nan"),
    ("evaluate right.txt --scores inf.scores", "score at row 1 is inf"),
    ("evaluate irrelevant.txt --scores two.scores --spec trec", "every query"),
    ("compare right.txt --scores three.scores two.scores", "two.scores has shape (2,): it must have shape (n_samples"),
    ("compare right.txt --scores nan.scores three.scores", "nan.scores at row 1 is nan"),
    ("compare right.txt --scores three.scores", "--model and --scores name 1 ranking: compare needs two, a and b"),
    ("compare right.txt", "--model and --scores name 0 rankings"),
    ("compare right.txt --scores three.scores two.scores --model m", "--model and --scores name 3 rankings"),
    ("compare right.txt --scores three.scores three.scores --k 0", "k is 0: it must be an integer of at least 1"),
    ("compare irrelevant.txt --scores two.scores two.scores", "a has 1 counted queries: a test must have two or more"),
    ("compare irrelevant.txt --scores two.scores two.scores --spec trec", "a has 0 counted queries"),
    ("evaluate wide.txt --scores two.scores --n-features 6", "wide.txt, line 1"),
    ("bounds wide.txt --scores two.scores --n-features 6", "wide.txt, line 1"),
    ("compare wide.txt --scores two.scores three.scores --n-features 6", "wide.txt, line 1"),
    ("evaluate right.txt --model m.refrank --n-features 5", "--n-features works with --scores only"),
    ("compare right.txt --model m.refrank m.refrank --n-features 5", "--n-features works with --scores only"),
    # parameters
    *((f"{SOFTMAX} train.txt --{bad}", bad.replace(" ", " is ").replace("-", "_")) for bad in BAD_VALUES.split(", ")),
    (f"{SOFTMAX} train.txt --n-threads 0", "n_threads is 0: it must be an integer of at least 1"),
    (f"{SOFTMAX} train.txt --n-classes 2", "y at row 1 is 2: labels must be integers from 0 to n_classes - 1 = 1"),
    ("bounds right.txt --scores two.scores --max-grade 1", "y at row 0 is 2: labels must be integers from 0 to 1"),
    ("bounds right.txt --scores two.scores --max-grade 0", "max_grade is 0: it must be an integer from 1 to 31"),
    # flags that do not work with each other
    (f"{TRAIN} ls --relevance k", "--relevance does not work with --algorithm ls"),
    (f"{TRAIN} ls --hidden 3", "--hidden does not work with --algorithm ls"),
    (f"{TRAIN} ls --cost oerr", "--cost does not work with --algorithm ls"),
    (f"{TRAIN} ls --valid train.txt", "--valid does not work with --algorithm ls"),
    (f"{TRAIN} ranknet --objective err", "--objective does not work with --algorithm ranknet"),
    (f"{TRAIN} lambdarank --n-rounds 3", "--n-rounds does not work with --algorithm lambdarank"),
    (f"{TRAIN} rf --learning-rate 0.1", "--learning-rate does not work with --algorithm rf"),
    (f"{TRAIN} cocr --max-depth 3", "--max-depth does not work with --algorithm cocr --base linear"),
    (f"{TRAIN} cocr --base gbrt --n-leaves 3", "--n-leaves does not work with --algorithm cocr --base gbrt"),
]
USAGE = [
    ("", "the following arguments are required: command"),
    ("rank", "argument command: invalid choice: 'rank'"),
    ("predict train.txt", "the following arguments are required: --model"),
    ("predict train.txt --model m.refrank --no-such-flag", "unrecognized arguments: --no-such-flag"),
    ("evaluate train.txt", "one of the arguments --model --scores is required"),
    ("evaluate train.txt --model m.refrank --scores s", "argument --scores: not allowed with argument --model"),
    ("evaluate train.txt --model m.refrank --spec nobody", "argument --spec: invalid choice: 'nobody'"),
    ("conform", "the following arguments are required: what"),
    ("conform cernel", "argument what: invalid choice: 'cernel'"),
    ("conform kernel", "the following arguments are required: LIB"),
    ("bounds train.txt", "the following arguments are required: --scores"),
    ("train train.txt --algorithm svm --model m", "argument --algorithm: invalid choice: 'svm'"),
    (f"{TRAIN} ls --n-rounds many", "argument --n-rounds: invalid int value: 'many'"),
    (f"{SOFTMAX} train.txt --update parallel", "argument --update: invalid choice: 'parallel'"),
    (f"{SOFTMAX} train.txt --relevance k^2", "argument --relevance: invalid choice: 'k^2'"),
    ("reproduce adarank", "argument paper: invalid choice: 'adarank'"),
]
UNREADABLE = [
    ("reproduce cocr --data circle --out taken/new", "circle is not a folder: folds are read from a folder"),
    ("predict none.txt --model m.refrank", "No such file or directory: 'none.txt'"),
    ("predict train.txt --model none.txt", "No such file or directory: 'none.txt'"),
    ("predict . --model m.refrank", "Is a directory: '.'"),
    ("evaluate train.txt --scores none.txt", "No such file or directory: 'none.txt'"),
    ("bounds train.txt --scores none.txt", "No such file or directory: 'none.txt'"),
    ("train --algorithm ls none.txt --model m", "No such file or directory: 'none.txt'"),
    ("train --algorithm ls train.txt --model taken --n-rounds 1", "taken: it is the name of a folder, not of a file"),
    # said before the training, and before the data are read: there is no such file either
    ("train --algorithm ls none.txt --model nowhere/m", "nowhere/m: its folder does not exist"),
]


@pytest.fixture(scope="module")
def place(folder, tmp_path_factory):
    """The folder of the trained model, with the bad files, a folder named `taken` and a link to itself."""
    place = shutil.copytree(folder, tmp_path_factory.mktemp("refusals"), dirs_exist_ok=True)
    for name, content in FILES.items():
        (place / name).write_bytes(content)
    (place / "taken").mkdir()
    (place / "circle").symlink_to("circle")
    return place


@pytest.mark.parametrize(
    ("code", "line", "message"),
    [
        *((2, line, message) for line, message in REFUSED),
        *((1, line, message) for line, message in UNREADABLE),
        *((2, line, message) for line, message in USAGE),
    ],
)
def test_a_refusal_is_one_line_and_writes_nothing(capsys, monkeypatch, place, code, line, message):
    monkeypatch.chdir(place)
    before = sorted(place.iterdir())
    ended, out, errors = run(capsys, *line.split())
    assert (ended, out, len(errors)) == (code, [], 1)
    assert errors[0].startswith("refrank: error: ")
    assert message in errors[0]
    assert errors[0].endswith("--help)") == ((line, message) in USAGE)
    assert sorted(place.iterdir()) == before
