"""Validation sets: what is measured after each round, which round is chosen, when a training ends, what is refused."""

import io
import math
import re
import sys
import time

import numpy as np
import pytest

from refrank import COCRRanker, GBRTRanker, IGBRTRanker, LSBoostRanker, RandomForestRanker
from refrank.estimators.validation import ChoiceWarning, Validation
from refrank.metrics import ndcg, parse_measure
from refrank.metrics.averaging import mean_of_queries
from tests.estimators.cases import QID, VARIANTS, X, Y, data, each, fit, learned, small_base, which

HELD_OUT = dict(zip(("X_val", "y_val", "qid_val"), data(40, seed=1), strict=True))
STAGED = which(lambda ranker: ranker.has_stages)
MORE = {"n_rounds": 12, "n_trees": 12, "n_epochs": 12}


def measure_stages(ranker, measure="ndcg@10"):
    """The definition: score the validation set by each stage, from the beginning, and measure it."""
    y, qid = HELD_OUT["y_val"], HELD_OUT["qid_val"]
    return [
        mean_of_queries(parse_measure(measure)(y, scores, qid)) for scores in ranker.staged_predict(HELD_OUT["X_val"])
    ]


def lengthen(ranker):
    """Give a ranker, or the base of COCR, rounds to choose from; a forest that boosting starts from stays small."""
    base = getattr(ranker, "base", ranker)
    base.set_params(**{name: n for name, n in MORE.items() if name in [*base.get_params(deep=False)][:20]})
    return ranker.set_params(n_trees=3) if isinstance(ranker, IGBRTRanker) else ranker


@each(STAGED)
def test_each_round_is_measured_as_its_stage_and_the_first_of_the_highest_is_the_best(make):
    ranker = lengthen(make()).fit(X, Y, QID, **HELD_OUT, eval_metric="ndcg@10")
    assert ranker.history_.tolist() == (history := measure_stages(ranker))
    assert ranker.best_round_ == history.index(max(history)) + 1
    assert ranker.at_round(ranker.best_round_).history_.tolist() == history[: ranker.best_round_]


@each(STAGED)
def test_validation_changes_no_bit_of_the_rounds(make):
    ranker, plain = make().fit(X, Y, QID, **HELD_OUT), make().fit(X, Y, QID)
    if ranker.algorithm == "lambdarank":  # its schedule reads the measure, and its model is the best epoch
        assert ranker.epochs_[0].net.input_weights.tobytes() == plain.epochs_[0].net.input_weights.tobytes()
    else:
        ours = learned(ranker)
        assert {name: ours[name] for name in ours.keys() - {"history_", "best_round_", "measure_"}} == learned(plain)


@each(STAGED)
def test_a_view_scores_as_its_round(make):
    ranker = fit(make())
    for m, scores in enumerate(ranker.staged_predict(X), start=1):
        assert ranker.at_round(m).predict(X).tobytes() == scores.tobytes()
    with pytest.raises(ValueError, match=f"m is {m + 1}: it must be an integer from 1 to {m}"):
        ranker.at_round(m + 1)
    with pytest.raises(ValueError, match="m is 0"):
        ranker.at_round(0)


@each(STAGED)
def test_a_training_ends_after_so_many_rounds_without_a_new_best(make):
    whole = lengthen(make()).fit(X, Y, QID, **HELD_OUT)
    seen = []
    ranker = lengthen(make())
    ranker.fit(X, Y, QID, **HELD_OUT, early_stopping_rounds=2, monitor=lambda n_done, so_far: seen.append(n_done))
    best, n = 0, 0
    for n, value in enumerate(whole.history_, start=1):  # the rule, spelt out
        best = n if best == 0 or value > whole.history_[best - 1] else best
        if n - best == 2:
            break
    assert ranker.history_.tolist() == whole.history_[:n].tolist()
    assert ranker.best_round_ == best
    assert seen[-1] == (
        3 if ranker.algorithm == "cocr" else n + getattr(ranker, "n_trees_", n) * hasattr(ranker, "forest_")
    )
    assert ranker.predict(X).tobytes() == whole.at_round(best).predict(X).tobytes()
    if ranker.algorithm != "lambdarank":  # whose epochs are all kept: the schedule continues from the last
        assert len([*ranker.staged_predict(X[:1])]) == best


@pytest.mark.parametrize("ranker", [LSBoostRanker(n_rounds=20), GBRTRanker(n_rounds=20), RandomForestRanker(n_trees=9)])
def test_threads_and_row_order_change_no_bit_where_no_scores_tie(ranker):
    rows = np.unique(HELD_OUT["X_val"], axis=0, return_index=True)[1]
    orders = [rows, rows[::-1]]
    histories = []
    for n_threads, order in zip((1, 3), orders, strict=True):
        held_out = {name: values[order] for name, values in HELD_OUT.items()}
        ranker.set_params(n_threads=n_threads).fit(X, Y, QID, **held_out, eval_metric="ndcg@10 jforests")  # worst ties
        histories.append(ranker.history_.tobytes())
    assert histories[0] == histories[1]


def test_a_continued_training_measures_the_earlier_rounds_anew():
    for whole, first in (
        (GBRTRanker(n_rounds=9), {"n_rounds": 4}),
        (IGBRTRanker(n_trees=3, n_rounds=9), {"n_rounds": 4}),
        (RandomForestRanker(n_trees=9), {"n_trees": 4}),
    ):
        whole.fit(X, Y, QID, **HELD_OUT)
        last = {name: whole.get_params()[name] for name in first}
        ranker = type(whole)(**whole.get_params() | first).fit(X, Y, QID)
        ranker.set_params(**last, warm_start=True).fit(X, Y, QID, **HELD_OUT)
        assert learned(ranker) == learned(whole)


@pytest.mark.parametrize("name", ["gbrt", "igbrt", "rf", "cocr", "lambdarank"])
def test_a_monitor_that_returns_true_ends_the_training(name):
    ranker, seen = VARIANTS[name](), []
    ranker.fit(X, Y, QID, **HELD_OUT, monitor=lambda n_done, so_far: seen.append(n_done) or np.equal(n_done, 2))
    assert seen == [1, 2]
    assert ranker.n_queries_ == len(np.unique(QID))
    if name in ("gbrt", "rf", "lambdarank"):
        assert len(ranker.history_) == 2
    else:
        assert not hasattr(ranker, "history_")  # two trees of the forest, two answers of three: no round yet


@pytest.mark.parametrize("measure", ["err", "dcg@3", "ndcg@5 lightgbm", "ndcg trec"])
def test_a_measure_is_a_name_a_record_or_a_function(measure):
    fits = [
        GBRTRanker(n_rounds=3).fit(X, Y, QID, **HELD_OUT, eval_metric=metric)
        for metric in (measure, parse_measure(measure), lambda *given: parse_measure(measure)(*given))
    ]
    assert {ranker.history_.tobytes() for ranker in fits} == {np.array(measure_stages(fits[0], measure)).tobytes()}


def test_the_bar_shows_the_last_round_and_the_best(monkeypatch):
    screen = type("Terminal", (io.StringIO,), {"isatty": lambda self: True})()
    monkeypatch.setattr(sys, "stderr", screen)
    ranker = GBRTRanker(n_rounds=30, verbose=1).fit(X, Y, QID, **HELD_OUT, monitor=lambda *_: time.sleep(0.01))
    assert re.search(r"ndcg@10 0\.\d{4}, best 0\.\d{4} @ \d+", screen.getvalue())
    assert f"best {ranker.history_.max():.4f} @ {ranker.best_round_}" in screen.getvalue()


def test_a_base_without_rounds_has_one_measure():
    ranker = VARIANTS["cocr"]().fit(X, Y, QID, **HELD_OUT)
    y, qid = HELD_OUT["y_val"], HELD_OUT["qid_val"]
    assert ranker.history_.tolist() == [ndcg(y, ranker.predict(HELD_OUT["X_val"]), qid)]
    assert ranker.best_round_ == 1
    with pytest.raises(
        ValueError, match="early_stopping_rounds is 3: it must be None, since base LinearRegression does"
    ):
        ranker.fit(X, Y, QID, **HELD_OUT, early_stopping_rounds=3)


def test_problems_are_cut_at_one_round():
    ranker = COCRRanker(small_base("gbrt").set_params(n_rounds=12)).fit(X, Y, QID, **HELD_OUT, early_stopping_rounds=1)
    assert {len(h.regressor.model_.rounds) for h in ranker.model_.soft_classifiers} == {ranker.best_round_}
    assert ranker.best_round_ < 12


def measured(*rounds, patience=None):
    """A validation set whose queries have these values, round after round."""
    values = iter(rounds)
    validation = Validation(X, Y, QID, lambda y, score, qid: next(values), patience)
    validation.measure_rounds(np.zeros(len(X)) for _ in rounds)
    return validation


def test_of_equal_rounds_the_earlier_is_the_best():
    validation = measured([0.5, 0.25], [0.5, 0.75], [0.75, 0.5], [0.5, math.nan])
    assert (validation.history, validation.best) == ([0.375, 0.625, 0.625, 0.5], 2)
    assert len(measured([0.5], [0.5], [0.5], [0.75], patience=2).history) == 3


def test_a_choice_that_the_queries_cannot_resolve_is_said():
    alike = "ndcg: round 1 of 2 is 0.025 above the last, but 4 validation queries resolve 0.23 "
    validation = measured([0.5, 0.5, 0.5, 0.5], [0.25, 0.5, 0.5, 0.65])
    validation.measure = ndcg
    with pytest.warns(ChoiceWarning, match=alike):
        validation.warn()
    measured([0.5, 0.5, 0.5, 0.5], [0.25, 0.24, 0.26, 0.25]).warn()  # as different as can be
    measured([0.25, 0.5], [0.5, 0.5]).warn()  # the last is the best
    measured([0.5], [0.25]).warn()  # one query has no spread


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"X_val": None}, "X_val is None: y_val and qid_val need the features of the validation set"),
        ({"X_val": None, "y_val": None, "qid_val": None, "early_stopping_rounds": 3}, "X_val is None: early_stopping_"),
        ({"y_val": None}, "y_val is None: each row of X_val needs a label"),
        (
            {"y_val": Y[:3]},
            "y_val has shape (3,): it must have shape (n_valid,), one label per row of X_val, here (40,)",
        ),
        ({"y_val": np.full(40, 0.5)}, "y_val at row 0 is 0.5: labels must be integers from 0 to 53"),
        ({"y_val": np.ones(40)}, "y_val has no query with two grades"),
        ({"X_val": X[:40, :2]}, "X_val: X has 2 features, but GBRTRanker is expecting 5 features"),
        ({"X_val": np.full((40, 5), np.nan)}, "X_val: X at row 0, column 0 is NaN"),
        ({"early_stopping_rounds": 0}, "early_stopping_rounds is 0: it must be an integer of at least 1"),
        ({"eval_metric": "auc"}, "measure is 'auc': it must be one of 'ndcg'"),
        ({"eval_metric": 10}, "eval_metric is 10: it must be a text such as 'ndcg@10', a Measure, or a function"),
        (
            {"eval_metric": lambda y, score, qid: 0.5},
            "eval_metric returned array(0.5): it must return one finite number",
        ),
        (
            {"eval_metric": "err", "y_val": np.arange(40) % 6},
            "y_val at row 5 is 5: labels must be integers from 0 to 4",
        ),
    ],
)
def test_what_cannot_be_validated_is_refused(changed, message):
    ranker = GBRTRanker(n_rounds=2)
    with pytest.raises(ValueError, match=re.escape(message)):
        ranker.fit(X, Y, QID, **HELD_OUT | changed)
    assert not hasattr(ranker, "model_")
