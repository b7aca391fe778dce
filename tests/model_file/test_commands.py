"""`refrank train`, `predict`, `evaluate` and `show` over model files of every algorithm."""

import numpy as np
import pytest
from sklearn.ensemble import BaggingRegressor
from sklearn.linear_model import LinearRegression

import refrank.estimators.lambdarank as estimator
from refrank import COCRRanker, GBRTRanker, IGBRTRanker, LambdaRanker, M5PRegressor, RandomForestRanker
from refrank.cli import main
from refrank.datasets import load_letor
from refrank.model_file import load_model
from tests.cli.command_line import write_letor
from tests.model_file.kinds import QID, X, Y

ROWS = np.where(np.abs(X) < 0.2, 0, X).astype(np.float32)  # 0 says missing in files
NET = {"hidden": 2, "n_epochs": 3, "learning_rate": 0.02}
BAG = BaggingRegressor(M5PRegressor(), 2, max_samples=0.1, random_state=0)
CASES = [
    ("lambdarank --objective err", LambdaRanker(**NET, objective="err")),
    ("ranknet", LambdaRanker(**NET, objective="ranknet")),
    (
        "rf --n-trees 3 --max-features 2 --setting classification --missing three-way --missing-value 0",
        RandomForestRanker(n_trees=3, max_features=2, setting="classification", missing="three-way", missing_value=0),
    ),
    (
        "gbrt --n-rounds 2 --clip --missing mean --missing-value 0",
        GBRTRanker(n_rounds=2, missing="mean", missing_value=0, clip=True),
    ),
    (
        "igbrt --n-trees 2 --n-rounds 2 --max-features 0.5 --missing inf --missing-value 0 --random-state 7",
        IGBRTRanker(n_trees=2, n_rounds=2, max_features=0.5, missing="inf", missing_value=0, random_state=7),
    ),
    ("cocr", COCRRanker(LinearRegression())),
    ("cocr --base m5p --min-instances 16 --cost squared", COCRRanker(M5PRegressor(16), "squared")),
    ("cocr --base bagging-m5p --n-estimators 2 --cost absolute", COCRRanker(BAG, "absolute")),
    (
        "cocr --base gbrt --n-rounds 4 --max-depth 2 --learning-rate 0.2",
        COCRRanker(GBRTRanker(n_rounds=4, max_depth=2, learning_rate=0.2)),
    ),
]
OF_NET = "--hidden 2 --n-epochs 3 --learning-rate 0.02"


@pytest.fixture
def files(tmp_path):
    write_letor(tmp_path / "train.txt", ROWS, Y, QID)
    write_letor(tmp_path / "valid.txt", ROWS[::-1], Y, QID)
    return tmp_path


def train(files, words):
    return main(["train", str(files / "train.txt"), "--model", str(files / "m"), "--algorithm", *words.split()])


@pytest.mark.filterwarnings("ignore:Using the fractional value max_samples")
@pytest.mark.parametrize(("words", "ranker"), CASES)
def test_the_model_of_a_command_is_that_of_the_estimator(files, capsys, words, ranker):
    words = f"{words} {OF_NET}" if isinstance(ranker, LambdaRanker) else words
    assert train(files, words) == 0
    capsys.readouterr()
    on_file = [str(files / "train.txt"), "--model", str(files / "m")]
    assert main(["predict", *on_file]) == 0
    printed = [float(line) for line in capsys.readouterr().out.split()]
    data = load_letor(files / "train.txt")
    assert printed == ranker.fit(data.X, data.y, data.qid).predict(data.X).tolist()
    assert main(["evaluate", *on_file]) == 0
    assert "NDCG@10" in capsys.readouterr().out
    assert main(["show", str(files / "m")]) == 0
    assert type(ranker).__name__ in capsys.readouterr().out


def test_a_validation_set_chooses_the_epoch(files):
    assert train(files, f"lambdarank {OF_NET} --valid {files / 'valid.txt'}") == 0
    data, held_out = load_letor(files / "train.txt"), load_letor(files / "valid.txt")
    expected = LambdaRanker(**NET).fit(
        data.X, data.y, data.qid, X_val=held_out.X, y_val=held_out.y, qid_val=held_out.qid
    )
    assert load_model(files / "m").predict(X).tobytes() == expected.predict(X).tobytes()


@pytest.mark.parametrize(
    ("words", "flag"),
    [
        ("ranknet --objective err", "--objective"),
        ("lambdarank --n-rounds 3", "--n-rounds"),
        ("ls --hidden 3", "--hidden"),
        ("ls --valid v", "--valid"),
        ("ls --cost oerr", "--cost"),
        ("rf --learning-rate 0.1", "--learning-rate"),
        ("cocr --max-depth 3", "--max-depth"),
        ("cocr --base gbrt --n-leaves 3", "--n-leaves"),
    ],
)
def test_a_flag_of_another_algorithm_is_refused(files, capsys, words, flag):
    assert train(files, words) == 2
    assert f"{flag} " in capsys.readouterr().err
    assert not (files / "m").exists()


def test_an_interrupted_training_keeps_the_best_epoch_so_far(files, capsys, monkeypatch):
    whole = estimator.lambdarank

    def interrupted(*arguments, **settings):
        for epoch in whole(*arguments, **settings):
            if epoch.epoch == 3:
                raise KeyboardInterrupt
            yield epoch

    monkeypatch.setattr(estimator, "lambdarank", interrupted)
    assert train(files, f"lambdarank {OF_NET}") == 130
    assert f"{files / 'm'} holds the best of 2 epochs" in capsys.readouterr().err
    assert load_model(files / "m").best_epoch_ == 2
