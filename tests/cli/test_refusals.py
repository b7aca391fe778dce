"""Refusals of a command: one line that names the flag, the file or the place, an exit code, and nothing written.

Where a word of the line is at fault, the error ends with the help that has the right one; where a file is, it does not.
"""

import shutil

import pytest

from refrank.models import load_model
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
TRAIN = "train train.txt --model m --algorithm"
FILES_AT_FAULT = [
    (f"{TRAIN} ls --n-features 3", "train.txt, line 1"),
    ("train softmax twice.txt --model m", "twice.txt, line 2, column 15: '1': feature indices must increase"),
    ("train softmax empty.txt --model m", "empty.txt: the file contains no line of data"),
    ("train softmax equal.txt --model m", "equal.txt: y is 1 in every row"),
    (f"{TRAIN} softmax --n-classes 2", "train.txt: y at row 1 is 2: labels must be integers from 0 to --n-classes - 1"),
    ("predict wide.txt --model m.refrank", "wide.txt, line 1"),
    ("show train.txt", "train.txt is not a refrank model"),
    ("predict train.txt --model train.txt", "train.txt is not a refrank model"),
    ("export train.txt --to onnx --out o", "train.txt is not a refrank model"),
    ("import train.txt --from lightgbm --model m", "train.txt is not a LightGBM model"),
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
    ("compare irrelevant.txt --scores two.scores two.scores", "a has 1 counted queries: a test must have two or more"),
    ("compare irrelevant.txt --scores two.scores two.scores --spec trec", "a has 0 counted queries"),
    ("evaluate wide.txt --scores two.scores --n-features 6", "wide.txt, line 1"),
    ("bounds wide.txt --scores two.scores --n-features 6", "wide.txt, line 1"),
    ("compare wide.txt --scores two.scores three.scores --n-features 6", "wide.txt, line 1"),
    ("bounds right.txt --scores two.scores --max-grade 1", "y at row 0 is 2: labels must be integers from 0 to 1"),
]
UNREADABLE = [
    ("bench circle --output new", "circle is not a folder: folds are read from a folder"),
    ("reproduce cocr --data circle --out taken/new", "circle is not a folder: folds are read from a folder"),
    ("predict none.txt --model m.refrank", "No such file or directory: 'none.txt'"),
    ("predict train.txt --model none.txt", "No such file or directory: 'none.txt'"),
    ("predict . --model m.refrank", "Is a directory: '.'"),
    ("evaluate train.txt --scores none.txt", "No such file or directory: 'none.txt'"),
    ("bounds right.txt --scores three.scores --certify nowhere/a.v", "nowhere/a.v: its folder does not exist"),
    ("bounds train.txt --scores none.txt", "No such file or directory: 'none.txt'"),
    ("train ls none.txt --model m", "No such file or directory: 'none.txt'"),
    ("train lambdarank train.txt --model m --valid none.txt", "No such file or directory: 'none.txt'"),
    ("train train.txt --resume none.txt --model m", "No such file or directory: 'none.txt'"),
    ("train ls train.txt --model taken --n-rounds 1", "taken: it is the name of a folder, not of a file"),
    # said before the training, and before the data are read: there is no such file either
    ("train ls none.txt --model nowhere/m", "nowhere/m: its folder does not exist"),
]
GIVEN = {  # the words of a lawful line, by command
    "train": "train.txt --model m",
    "predict": "train.txt --model m.refrank",
    "evaluate": "right.txt",
    "compare": "right.txt",
    "bounds": "right.txt --scores three.scores",
}
EITHER = "give either an algorithm, first after `train`, or --resume and a model"
WORDS_AT_FAULT = {  # the help that has the right word: the rest of the line, and what is wrong
    "": {
        "": "the following arguments are required: command",
        "rank": "argument command: invalid choice: 'rank'",
        "trian rf train.txt": "invalid choice: 'trian' (choose from train, predict,",
        "evalute right.txt": "; did you mean 'evaluate'?",
        "--n-rounds 3": "unknown flag --n-rounds",
    },
    "train": {
        "": EITHER,
        "--n-rounds 3": EITHER,
        "--algorithm svm": "there is no algorithm 'svm': there are ",
        "--algorithm gbtr": "there is no algorithm 'gbtr': did you mean gbrt? There are ",
        "--algorithm LSBoostRankers": "there is no algorithm 'LSBoostRankers': did you mean LSBoostRanker?",
        "--algorithm": "there is no algorithm ''",
        "--algorithm ls --resume m.refrank": EITHER,
        "-ranker 8": "-ranker is RankLib's: here it is the first word after `refrank train`: gbrt for 0",
        "booster=gbtree": "booster is XGBoost's: here it is the algorithm, the first word after `refrank train`",
    },
    "train resume": {
        "--resume m.refrank --learning-rate .5": "--learning-rate does not work with --resume: the model has its own",
        "--resume m.refrank --max-leaves 5": "--max-leaves is XGBoost's: here it is --n-leaves, which does not work",
        "--resume m.refrank --n-trees 5": "--n-trees does not work with --resume m.refrank, a model of softmax",
        "--resume m.refrank --n-epochs x": "argument --n-epochs: invalid int value: 'x'",
    },
    "train softmax": {
        "--learning-rate 0": "--learning-rate is 0: it must be a number above 0 and at most 1",
        "--learning-rate nan": "--learning-rate is nan: it must be",
        "--learning-rate fast": "argument --learning-rate: invalid number: 'fast'",
        "--n-leaves 1": "--n-leaves is 1: it must be an integer of at least 2",
        "--n-rounds 0": "--n-rounds is 0: it must be an integer of at least 1",
        "--n-rounds -3": "--n-rounds is -3: it must be an integer of at least 1",
        "--n-rounds": "argument --n-rounds: expected one argument",
        "--n-bins 65537": "--n-bins is 65537: it must be an integer from 2 to 65536",
        "--min-samples-leaf 0": "--min-samples-leaf is 0: it must be an integer of at least 1",
        "--growth 1": "--growth is 1: it must be",
        "--n-classes 1": "--n-classes is 1: it must be an integer from 2 to 1024",
        "--n-threads 0": "--n-threads is 0: it must be an integer of at least 1",
        "--update parallel": "argument --update: invalid choice: 'parallel' (choose from sequential, simultaneous)",
        "--update simultanous": "; did you mean 'simultaneous'?",
        "--relevance k^2": "argument --relevance: invalid choice: 'k^2'",
        "--sentinel nan": "--sentinel is nan: it must be a number, or None",
        "--dtype float16": "argument --dtype: invalid choice: 'float16'",
        "--checkpoint-every 0": "--checkpoint-every is 0: it must be an integer of at least 1",
        "--lerning-rate .1": "unknown flag --lerning-rate: did you mean --learning-rate?",
        "--learning_rate .1": "unknown flag --learning_rate: did you mean --learning-rate?",
        "--no-such-flag": "unknown flag --no-such-flag",
        "--n 3": "ambiguous option: --n could match",
        "other.txt": "unrecognized arguments: other.txt",
        "--num_round 3": "--num_round is XGBoost's: here it is --n-rounds",
        "--num-leaves 31": "--num-leaves is LightGBM's: here it is --n-leaves",
        "num_iterations=3": "num_iterations is LightGBM's: here it is --n-rounds",
        "--eta .3": "--eta is XGBoost's: here it is --learning-rate",
        "-tree 100": "-tree is RankLib's: here it is --n-rounds",
        "-shrinkage .1": "-shrinkage is RankLib's: here it is --learning-rate",
        "-metric2T NDCG@10": "-metric2T is RankLib's: metrics are printed by `refrank evaluate FILE --model MODEL`",
        "--lambda_l2 1": "--lambda_l2 is LightGBM's: the papers' trees have no penalty",
        "--seed 1": "--seed is LightGBM and XGBoost's: here it is --random-state, which is a flag of ",
    },
    "train ls": {
        "--relevance k": "--relevance is a flag of ",
        "--hidden 3": "--hidden is a flag of lambdarank, ranknet, not of ls",
        "--cost oerr": "--cost is a flag of cocr, not of ls",
        "--hiden 3": "unknown flag --hiden: did you mean --hidden? --hidden is a flag of lambdarank, ranknet",
        "--early-stopping-rounds 3": "--early-stopping-rounds works with --valid only",
        "--n-rounds many": "argument --n-rounds: invalid int value: 'many'",
        "--max_depth 6": "--max_depth is a flag of ",
    },
    "train huber": {"--share 2": "--share is 2: it must be a number above 0 and at most 1"},
    "train gbrt": {
        "--num_leaves 31": "--num_leaves is LightGBM's: here it is --max-depth",
        "--missing -99": "argument --missing: invalid choice: '-99'",
        "--missing-value -1e": "unknown flag -1e",
        "--clip yes": "unrecognized arguments: yes",
    },
    "train rf": {
        "--learning-rate 0.1": "--learning-rate is a flag of ",
        "--n-tree": "argument --n-trees: expected one argument",
        "--max-features 99": "--max-features is 99: it must be at most 4, as many as X has",
        "--random-state -1": "--random-state is -1: it must be an integer from 0",
        "--feature-fraction .5": "--feature-fraction is LightGBM's: here it is --max-features",
    },
    "train ranknet": {"--objective err": "--objective is a flag of lambdarank, not of ranknet"},
    "train lambdarank": {
        "--n-rounds 3": "--n-rounds is a flag of ",
        "--max-grade 99": "--max-grade is 99: it must be an integer from 1 to 53",
    },
    "train cocr": {
        "--max-depth 3": "--max-depth does not work with --base linear",
        "--base gbrt --n-leaves 3": "--n-leaves is a flag of ",
        "--base gbrt --max-depth 0": "--max-depth is 0: it must be an integer of at least 1",
        "--base m5p --min-instances 0": "--min-instances is 0: it must be",
        "--base bagging-m5p --n-estimators 0": "--n-estimators is 0: it must be",
        "--base svm": "argument --base: invalid choice: 'svm'",
        "--n-jobs 0": "--n-jobs is 0: it must be None, or an integer other than 0",
    },
    "predict": {"--no-such-flag": "unknown flag --no-such-flag", "--modle m": "--modle: did you mean --model?"},
    "evaluate": {
        "": "one of the arguments --model --scores is required",
        "--model m.refrank --scores s": "argument --scores: not allowed with argument --model",
        "--model m.refrank --spec nobody": "argument --spec: invalid choice: 'nobody'",
        "--model m.refrank --n-features 5": "--n-features works with --scores only",
    },
    "compare": {
        "": "--model and --scores name 0 rankings",
        "--scores three.scores": "--model and --scores name 1 ranking: compare needs two, a and b",
        "--scores three.scores two.scores --model m": "--model and --scores name 3 rankings",
        "--scores three.scores three.scores --k 0": "--k is 0: it must be an integer of at least 1",
        "--model m.refrank m.refrank --n-features 5": "--n-features works with --scores only",
    },
    "bench": {
        "": "the following arguments are required: FOLDS",
        ". --rankers gbtr": "--rankers: there is no algorithm 'gbtr': did you mean gbrt? There are ",
        ". --rankers gbrt,lightgbm": "--rankers lightgbm: it is one of --peers",
        ". --peers lightgmb": "--peers: there is no tool 'lightgmb': did you mean lightgbm? There are lightgbm, ",
        ". --peers ranklib": "--peers: there is no tool 'ranklib': there are lightgbm, ",
        ". --peers GBRTRanker": "--peers GBRTRanker: it is one of --rankers",
        ". --rankers gbrt GBRTRanker": "--rankers names gbrt twice",
        ". --rankers ,": "--rankers is empty, and so is peers: a bench needs a system",
        ". --budget 0": "--budget is 0: it must be an integer of at least 1",
        ". --early-stopping-rounds 0": "--early-stopping-rounds is 0: it must be an integer of at least 1",
        ". --seed -1": "--seed is -1: it must be an integer from 0 to 2147483647",
        ". --spec nobody": "argument --spec: invalid choice: 'nobody'",
        ". --n-threads 0": "--n-threads is 0: it must be an integer of at least 1",
        ". --bugdet 3": "unknown flag --bugdet: did you mean --budget?",
    },
    "bounds": {
        "--max-grade 0": "--max-grade is 0: it must be an integer from 1 to 31",
        "--certify right.txt": "--certify right.txt: a file of Coq has a name of letters, digits and _",
    },
    "conform": {"": "the following arguments are required: what", "cernel": "argument what: invalid choice: 'cernel'"},
    "conform kernel": {"": "the following arguments are required: LIB"},
    "reproduce": {
        "adarank": "argument paper: invalid choice: 'adarank'",
        "cocr --full": "--full works with mcrank and",
    },
}


@pytest.fixture(scope="module")
def place(folder, tmp_path_factory):
    """The folder of the trained model, with the bad files, a folder named `taken` and a link to itself."""
    place = shutil.copytree(folder, tmp_path_factory.mktemp("refusals"), dirs_exist_ok=True)
    for name, content in FILES.items():
        (place / name).write_bytes(content)
    (place / "taken").mkdir()
    (place / "circle").symlink_to("circle")
    return place


def check_refusal(capsys, place, line, code):
    """Return the one line of errors of a command, which writes no file."""
    before = sorted(place.iterdir())
    ended, out, errors = run(capsys, *line.split())
    assert (ended, out, len(errors)) == (code, [], 1)
    assert errors[0].startswith("refrank: error: ")
    assert sorted(place.iterdir()) == before
    return errors[0]


@pytest.mark.parametrize(
    ("code", "line", "message"),
    [*((2, *each) for each in FILES_AT_FAULT), *((1, *each) for each in UNREADABLE)],
)
def test_a_file_at_fault_is_named(capsys, monkeypatch, place, code, line, message):
    monkeypatch.chdir(place)
    error = check_refusal(capsys, place, line, code)
    assert message in error
    assert not error.endswith("--help)")


@pytest.mark.parametrize(
    ("command", "words", "message"),
    [(command, *each) for command, lines in WORDS_AT_FAULT.items() for each in lines.items()],
)
def test_a_word_at_fault_is_named_with_the_help_that_has_the_right_one(
    capsys, monkeypatch, place, command, words, message
):
    monkeypatch.chdir(place)
    name = command.partition(" ")[0]
    part = "" if command == "train resume" else command.removeprefix(name)
    error = check_refusal(capsys, place, f"{name} {part} {GIVEN.get(name, '')} {words}", 2)
    assert message in error
    assert error.endswith(f" (refrank{' ' * bool(command)}{command} --help)")


def test_a_flag_and_its_value_with_a_minus_sign_are_two_words(train, tmp_path):
    assert train("rf --n-trees 2 --missing -inf --missing-value -1e3 --verbose 0") == (0, [], [])
    ranker = load_model(tmp_path / "m")
    assert (ranker.missing, ranker.missing_value) == ("-inf", -1000)
