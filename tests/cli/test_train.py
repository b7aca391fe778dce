"""`refrank train`, run as a stranger runs it: flags, the files it writes, interrupts."""

import re
import subprocess
from dataclasses import fields

import numpy as np
import pytest
from sklearn.ensemble import BaggingRegressor
from sklearn.linear_model import LinearRegression

from refrank import (
    COCRRanker,
    GBRTRanker,
    IGBRTRanker,
    LADBoostRanker,
    LambdaRanker,
    LSBoostRanker,
    M5PRegressor,
    OrdinalBoostRanker,
    RandomForestRanker,
    SoftmaxBoostRanker,
)
from refrank.datasets import load_letor
from refrank.datasets.columns import Columns
from refrank.datasets.reading import Reading
from refrank.estimators.registry import ALGORITHMS, COCR_BASES
from refrank.models import load_model
from tests.cli.command_line import COMMAND, DATA, ENVIRONMENT, run, write_letor

MISSING = "1 qid:1 1:3 2:1\n0 qid:1 1:1\n2 qid:2 1:5 2:4\n0 qid:2 1:2 4:1\n1 qid:3 2:2\n"  # nobody has feature 3
BOOSTED = {"n_rounds": 3, "n_leaves": 4, "learning_rate": 0.3, "min_samples_leaf": 2}
BINS = {"binning": "app-i", "n_bins": 16, "growth": 1.5}
FOREST = {"n_trees": 3, "max_features": 2, "setting": "classification", "missing": "three-way", "missing_value": 0}
HOLES = {"n_rounds": 2, "missing": "mean", "missing_value": 0, "cut_at": "midpoint"}
IGBRT = {"n_trees": 2, "n_rounds": 2, "max_features": 0.5, "missing": "inf", "missing_value": 0, "random_state": 5}
NET = {"hidden": 2, "n_epochs": 3, "learning_rate": 0.02}
BAG = BaggingRegressor(M5PRegressor(min_instances=2, weights="counts"), 3, max_samples=0.1, random_state=0)


def write_flags(algorithm, parameters):
    return " ".join([algorithm, *(f"--{name.replace('_', '-')} {value}" for name, value in parameters.items())])


@pytest.mark.paper("COCR Sec. 5.5", at="COCR_BASES")
@pytest.mark.filterwarnings("ignore:Using the fractional value max_samples")  # of 96 rows
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (write_flags("softmax --relevance 2^k-1", BOOSTED), SoftmaxBoostRanker(**BOOSTED, relevance="2^k-1")),
        (write_flags("softmax --update simultaneous", BOOSTED), SoftmaxBoostRanker(**BOOSTED, update="simultaneous")),
        (write_flags("ordinal --n-classes 6 --n-threads 1", BOOSTED), OrdinalBoostRanker(**BOOSTED, n_classes=6)),
        (write_flags("ls --target k", BOOSTED | BINS), LSBoostRanker(**BOOSTED, **BINS, target="k")),
        (write_flags("lad --target 2^k", BOOSTED), LADBoostRanker(**BOOSTED, target="2^k")),
        (write_flags("rf", FOREST), RandomForestRanker(**FOREST)),
        ("gbrt --n-rounds 3 --max-depth 2 --initial mean", GBRTRanker(n_rounds=3, max_depth=2, initial="mean")),
        (write_flags("gbrt", HOLES), GBRTRanker(**HOLES)),
        (write_flags("igbrt --clip", IGBRT), IGBRTRanker(**IGBRT, clip=True)),
        (write_flags("igbrt --clip-each-round", IGBRT), IGBRTRanker(**IGBRT, clip="each-round")),
        (write_flags("lambdarank --objective err", NET), LambdaRanker(**NET, objective="err")),
        ("ranknet --n-epochs 2", LambdaRanker(n_epochs=2, objective="ranknet")),
        ("cocr", COCRRanker(LinearRegression())),
        ("cocr --base m5p --min-instances 8 --cost squared", COCRRanker(M5PRegressor(min_instances=8), cost="squared")),
        ("cocr --base bagging-m5p --n-estimators 3 --min-instances 2 --cost absolute", COCRRanker(BAG, "absolute")),
        ("cocr --base gbrt --n-rounds 3 --learning-rate 0.5", COCRRanker(GBRTRanker(n_rounds=3, learning_rate=0.5))),
    ],
)
def test_the_model_of_a_command_is_that_of_the_estimator(train, capsys, tmp_path, folder, words, expected):
    assert train(f"{words} --verbose 0") == (0, [], [])
    assert repr(load_model(tmp_path / "m")) == repr(expected)  # a parameter that is not the default is in the repr
    code, scores, errors = run(capsys, "predict", folder / "train.txt", "--model", tmp_path / "m")
    assert (code, errors) == (0, [])
    assert [float(score) for score in scores] == expected.fit(DATA.X, DATA.y, DATA.qid).predict(DATA.X).tolist()
    assert "NDCG@10 " in " ".join(run(capsys, "evaluate", folder / "train.txt", "--model", tmp_path / "m")[1])
    code, shown, _ = run(capsys, "show", tmp_path / "m")
    assert code == 0
    assert type(expected).__name__ in " ".join(shown)


def test_a_validation_set_chooses_the_epoch(train, tmp_path):
    write_letor(tmp_path / "valid.txt", DATA.X[::-1], DATA.y, DATA.qid)
    assert train(write_flags(f"lambdarank --valid {tmp_path / 'valid.txt'}", NET))[0] == 0
    expected = LambdaRanker(**NET)
    expected.fit(DATA.X, DATA.y, DATA.qid, X_val=DATA.X[::-1], y_val=DATA.y, qid_val=DATA.qid)
    assert expected.best_round_ < NET["n_epochs"]
    assert load_model(tmp_path / "m").predict(DATA.X).tobytes() == expected.predict(DATA.X).tobytes()


@pytest.mark.parametrize(
    ("words", "ranker"),
    [
        ("gbrt --n-rounds 30", GBRTRanker(n_rounds=30)),
        ("softmax --n-rounds 30", SoftmaxBoostRanker(n_rounds=30)),
        ("rf --n-trees 20", RandomForestRanker(n_trees=20)),
        ("cocr --base gbrt --n-rounds 20", COCRRanker(GBRTRanker(n_rounds=20))),
    ],
)
def test_a_validation_set_ends_the_training(train, tmp_path, words, ranker):
    write_letor(tmp_path / "valid.txt", DATA.X[::-1], DATA.y, DATA.qid)
    chosen = f"--valid {tmp_path / 'valid.txt'} --early-stopping-rounds 2 --eval-metric dcg@3"
    code, _, errors = train(f"{words} {chosen}")
    held_out = {"X_val": DATA.X[::-1], "y_val": DATA.y, "qid_val": DATA.qid, "eval_metric": "dcg@3"}
    ranker.fit(DATA.X, DATA.y, DATA.qid, **held_out, early_stopping_rounds=2)
    n_rounds, best = len(ranker.history_), ranker.best_round_
    assert code == 0
    assert f"refrank: round {best} of {n_rounds} is the best of --valid: {ranker.history_.max():.4f}" in errors
    loaded = load_model(tmp_path / "m")
    assert loaded.predict(DATA.X).tobytes() == ranker.predict(DATA.X).tobytes()
    assert (loaded.history_.tolist(), loaded.best_round_) == (ranker.history_.tolist(), best)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--early-stopping-rounds 2", "--early-stopping-rounds works with --valid only"),
        ("--valid train.txt --eval-metric auc", "measure is 'auc': it must be one of 'ndcg'"),
    ],
)
def test_a_choice_that_cannot_be_made_is_refused(train, words, message):
    code, _, [error] = train(f"gbrt {words}")
    assert code == 2
    assert message in error


CHOICE = ("early_stopping_rounds", "eval_metric")


@pytest.mark.parametrize("name", ALGORITHMS)
def test_help_of_an_algorithm_lists_its_own_parameters_with_defaults_and_an_example_that_runs(
    capsys, monkeypatch, tmp_path, folder, name
):
    code, out, errors = run(capsys, "train", name, "--help")
    text = " ".join(" ".join(out).split())
    assert (code, errors) == (0, [])
    algorithm = ALGORITHMS[name]
    own = {field.name: field for field in fields(algorithm.ranker) if field.init and field.name != "warm_start"}
    own = {name: field for name, field in own.items() if name not in algorithm.fixed}
    shared = {
        "help",
        "cluster",
        "cluster_limit",
        "model",
        "valid",
        "config",
        "checkpoint_every",
        "n_features",
        *CHOICE,
        *(f.name for kind in (Reading, Columns) for f in fields(kind) if f.name not in ("columns", "optional")),
    }
    flags = {word.replace("-", "_") for word in re.findall(r"--([a-z][a-z-]+)[ ,]", text)}
    assert flags - {"base", "cost"} >= (own.keys() | shared) - {"base", "cost", "valid_share"}
    of_cocr = COCR_BASES["gbrt"].flags.keys() | {"min_instances", "n_estimators", "base", "cost"}
    spare = {"no_clip", "clip_each_round", "no_oob_score"} | (of_cocr if name == "cocr" else set())
    assert flags <= own.keys() | shared | spare
    example = text.rpartition("Example: refrank ")[2].split()  # of several lines
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.txt").write_bytes((folder / "train.txt").read_bytes())
    assert run(capsys, *example, "--verbose", "0")[0] == 0
    assert (tmp_path / "model.refrank").exists()


def test_n_features_widens_a_file_that_lacks_the_last_ones(train, tmp_path):
    assert train("ls --n-rounds 1 --n-features 9")[0] == 0
    assert load_model(tmp_path / "m").n_features_in_ == 9


def test_an_absent_feature_is_a_missing_one(train, capsys, tmp_path):
    """With --missing, what a line does not list is missing; feature 3, which nobody has, is no obstacle."""
    file = tmp_path / "f.txt"
    file.write_text(MISSING)
    assert train("rf --missing mean --n-trees 3 --max-features 1.0 --verbose 0", file) == (0, [], [])
    data = load_letor(file, absent=float("nan"))
    expected = RandomForestRanker(n_trees=3, max_features=1.0, missing="mean").fit(data.X, data.y, data.qid)
    assert expected.fill_.tolist() == [2.75, np.float32((1 + 4 + 2) / 3), 0.0, 1.0]
    code, scores, _ = run(capsys, "predict", file, "--model", tmp_path / "m")
    assert (code, [float(score) for score in scores]) == (0, expected.predict(data.X).tolist())


def test_no_progress_bar_where_standard_error_is_no_terminal(tmp_path, folder):
    words = [*COMMAND, "train", folder / "train.txt", *f"--model {tmp_path}/m --algorithm ls --n-rounds 2".split()]
    done = subprocess.run(words, capture_output=True, env=ENVIRONMENT, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(("older", "ending"), [(None, ""), (b"as it was", "; the file of that name is an older one")])
@pytest.mark.parametrize("algorithm", ["softmax", "rf", "lambdarank", "cocr"])
def test_an_interrupt_that_leaves_nothing_says_so(train, tmp_path, interrupt_after, algorithm, older, ending):
    if older:
        (tmp_path / "m").write_bytes(older)
    interrupt_after(0)
    why = f"{tmp_path / 'm'} was not written: nothing was finished yet{ending}"
    assert train(algorithm) == (130, [], [f"refrank: interrupted; {why}"])
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [older] * bool(older)
