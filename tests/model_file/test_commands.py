"""`refrank train`, `predict`, `evaluate` and `show`, where tests/cli leaves algorithms or flags out."""

import pytest
from sklearn.ensemble import BaggingRegressor
from sklearn.linear_model import LinearRegression

from refrank import COCRRanker, GBRTRanker, IGBRTRanker, LambdaRanker, M5PRegressor, RandomForestRanker
from refrank.datasets import load_letor
from refrank.model_file import load_model
from tests.cli.command_line import run, write_letor
from tests.model_file.kinds import QID, X, Y

ROWS = (X * (abs(X) >= 0.2)).astype("f4")  # 0 says missing in files
NET, OF_NET = {"hidden": 2, "n_epochs": 3, "learning_rate": 0.02}, "--hidden 2 --n-epochs 3 --learning-rate 0.02"
FOREST = {"n_trees": 3, "max_features": 2, "setting": "classification", "missing": "three-way", "missing_value": 0}
BOTH = {"n_trees": 2, "n_rounds": 2, "max_features": 0.5, "missing": "inf", "missing_value": 0, "random_state": 7}
BAG = BaggingRegressor(M5PRegressor(), 2, max_samples=0.1, random_state=0)
CASES = [
    (f"lambdarank --objective err {OF_NET}", LambdaRanker(**NET, objective="err")),
    ("rf " + " ".join(f"--{name}={value}" for name, value in FOREST.items()), RandomForestRanker(**FOREST)),
    ("gbrt --n-rounds 2 --missing mean --missing-value 0", GBRTRanker(n_rounds=2, missing="mean", missing_value=0)),
    ("igbrt " + " ".join(f"--{name}={value}" for name, value in BOTH.items()), IGBRTRanker(**BOTH)),
    ("cocr", COCRRanker(LinearRegression())),
    ("cocr --base bagging-m5p --n-estimators 2 --cost absolute", COCRRanker(BAG, "absolute")),
]


@pytest.fixture
def files(tmp_path):
    write_letor(tmp_path / "train.txt", ROWS, Y, QID)
    write_letor(tmp_path / "valid.txt", ROWS[::-1], Y, QID)
    return tmp_path


def train(capsys, files, words):
    words = [word.replace("_", "-") if word.startswith("--") else word for word in words.split()]
    return run(capsys, "train", files / "train.txt", "--model", files / "m", "--algorithm", *words)


@pytest.mark.filterwarnings("ignore:Using the fractional value max_samples")
@pytest.mark.parametrize(("words", "ranker"), CASES)
def test_the_model_of_a_command_is_that_of_the_estimator(files, capsys, words, ranker):
    assert train(capsys, files, words)[0] == 0
    data = load_letor(files / "train.txt")
    printed = [float(line) for line in run(capsys, "predict", files / "train.txt", "--model", files / "m")[1]]
    assert printed == ranker.fit(data.X, data.y, data.qid).predict(data.X).tolist()
    assert any("NDCG@10" in line for line in run(capsys, "evaluate", files / "train.txt", "--model", files / "m")[1])
    assert any(type(ranker).__name__ in line for line in run(capsys, "show", files / "m")[1])


def test_a_validation_set_chooses_the_epoch(files, capsys):
    assert train(capsys, files, f"lambdarank {OF_NET} --valid {files / 'valid.txt'}")[0] == 0
    data, valid = load_letor(files / "train.txt"), load_letor(files / "valid.txt")
    expected = LambdaRanker(**NET).fit(data.X, data.y, data.qid, X_val=valid.X, y_val=valid.y, qid_val=valid.qid)
    assert load_model(files / "m").predict(X).tobytes() == expected.predict(X).tobytes()


@pytest.mark.parametrize(
    "words",
    [
        *("ranknet --objective err", "lambdarank --n-rounds 3", "ls --hidden 3", "ls --valid v", "ls --cost oerr"),
        *("rf --learning-rate 0.1", "cocr --max-depth 3", "cocr --base gbrt --n-leaves 3"),
    ],
)
def test_a_flag_of_another_algorithm_is_refused(files, capsys, words):
    code, _, errors = train(capsys, files, words)
    assert (code, (files / "m").exists()) == (2, False)
    assert f"{words.split()[-2]} " in errors[0]
