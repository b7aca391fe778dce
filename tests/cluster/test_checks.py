"""Shards refuse, and warn of, the same as one machine, in the same words."""

import re
import warnings

import numpy as np
import pytest
from sklearn.base import clone

from refrank import COCRRanker, GBRTRanker, LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.metrics.one_query import OneQueryWarning
from tests.cluster.threads import deal, use_threads

N_SHARDS, N_ROWS = 3, 30  # of every shard
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(90, 4)).round(2), RNG.integers(0, 3, 90)
QID, WEIGHT, PLACES = np.repeat(np.arange(18), 5), RNG.choice([0.5, 1.0, 2.0], 90), np.arange(90) // N_ROWS
SOFTMAX, GBRT = SoftmaxBoostRanker(n_rounds=1), GBRTRanker(n_rounds=1)


def change(values, at, value):
    changed = np.array(values, dtype=object if isinstance(value, str) else None)
    changed[at] = value
    return changed


def mask(values, row):
    return np.ma.array(values, mask=np.arange(len(values)) == row)


OF_ROWS = {  # a fault of one row, which stands on a shard
    "label below 0": (SOFTMAX, {"y": change(Y, 40, -1)}),
    "fraction": (SOFTMAX, {"y": change(Y * 1.0, 71, 0.5)}),
    "label of 70": (SOFTMAX, {"y": change(Y, 31, 70)}),
    "label of 70 that counts": (SOFTMAX, {"y": change(change(Y, 31, 70), 2, 99), "weight": change(WEIGHT, 2, 0.0)}),
    "label above n_classes": (clone(SOFTMAX).set_params(n_classes=3), {"y": change(Y, 89, 3)}),
    "masked label": (SOFTMAX, {"y": mask(Y, 33)}),
    "infinite target": (GBRT, {"y": change(Y * 1.0, 30, 1.1e290)}),
    "NaN": (SOFTMAX, {"X": change(X, (50, 2), np.nan)}),
    "infinity": (clone(GBRT).set_params(missing="mean"), {"X": change(X, (61, 0), -np.inf)}),
    "NaN beside a missing value": (
        clone(GBRT).set_params(missing="zero", missing_value=-1.0),
        {"X": change(X, (59, 3), np.nan)},
    ),
    "weight below 0": (SOFTMAX, {"weight": change(WEIGHT, 45, -0.5)}),
    "weight of NaN": (SOFTMAX, {"weight": change(WEIGHT, 88, np.nan)}),
    "infinite weight": (SOFTMAX, {"weight": change(WEIGHT, 60, np.inf)}),
    "qid of NaN": (SOFTMAX, {"qid": change(QID * 1.0, 77, np.nan)}),
    "masked qid": (SOFTMAX, {"qid": mask(QID, 44)}),
}
ONE_CLASS = np.where(np.arange(90) < 60, 1, 2)
OF_ALL = {  # a fault of all rows together
    "one class": (SOFTMAX, {"y": np.full(90, 2)}),
    "one class that counts": (SOFTMAX, {"y": ONE_CLASS, "weight": np.where(ONE_CLASS == 1, WEIGHT, 0.0)}),
    "one class of three": (OrdinalBoostRanker(n_rounds=1, n_classes=3), {"y": np.full(90, 2)}),
    "one class of problems": (clone(GBRT).set_params(setting="classification"), {"y": np.full(90, 1)}),
    "one class of costs": (COCRRanker(GBRT), {"y": np.full(90, 1)}),
    "weights of 0": (SOFTMAX, {"weight": np.zeros(90)}),
    "too large a sum of weights": (SOFTMAX, {"weight": change(np.ones(90), [5, 40, 80], 8e307)}),
    "few costs": (COCRRanker(GBRT, cost=[[0, 1], [1, 0]]), {}),
    "relevance": (clone(SOFTMAX).set_params(relevance=[0.0, 1.0]), {}),
    "few leaves": (clone(SOFTMAX).set_params(missing="three-way", n_leaves=2), {"X": change(X, (3, 0), np.nan)}),
    "no labels to validate on": (SOFTMAX, {"X_val": X[:3]}),
    "validation of NaN": (SOFTMAX, {"X_val": X[:3] * np.nan, "y_val": Y[:3]}),
    "one grade to validate on": (SOFTMAX, {"X_val": X[:3], "y_val": np.ones(3), "qid_val": np.zeros(3)}),
    "text for labels": (SOFTMAX, {"y": Y.astype(str)}),
}


def fit(ranker, X=X, y=Y, qid=QID, weight=None, **held_out):
    return clone(ranker).fit(X, y, qid, weight, **held_out)


def fit_shards(ranker, X=X, y=Y, qid=QID, weight=None, **held_out):
    with use_threads():
        return clone(ranker).fit_shards(deal([X, y, qid, weight], PLACES, N_SHARDS), **held_out)


def refuse(train, ranker, given):
    with pytest.raises(ValueError, match=" ") as fault:
        train(ranker, **given)
    return str(fault.value)


@pytest.mark.parametrize("name", OF_ROWS)
def test_a_fault_of_a_row_names_its_shard_and_its_row_there(name):
    whole, cut = (refuse(train, *OF_ROWS[name]) for train in (fit, fit_shards))
    row = int(re.search(r"at row (\d+)", whole)[1])
    place, own_row = divmod(row, N_ROWS)
    assert cut == f"shard {place} (number {place}): " + whole.replace(f"at row {row}", f"at row {own_row}")


@pytest.mark.parametrize("name", OF_ALL)
def test_a_fault_of_all_rows_keeps_its_words(name):
    whole, cut = (refuse(train, *OF_ALL[name]) for train in (fit, fit_shards))
    assert cut == whole


LAST = slice(2 * N_ROWS, 90)
SHARDS = {  # what the last shard is, and what is said of it
    "columns": ((X[LAST, :3], Y[LAST], QID[LAST]), "number 2: number of columns is 3, and that of shard number 0 is 4"),
    "type": (
        (X[LAST].astype("f"), Y[LAST], QID[LAST]),
        "number 2: type of X is float32, and that of shard number 0 is",
    ),
    "no qid": ((X[LAST], Y[LAST]), "number 2: qid is missing, and that of shard number 0 is given"),
    "weights": ((X[LAST], Y[LAST], QID[LAST], WEIGHT[LAST]), "number 2: sample_weight is given, and that of shard num"),
    "labels": ((X[LAST], Y[LAST][1:], QID[LAST]), r"\(number 2\): Found input variables with inconsistent numbers"),
    "ids": (
        (X[LAST], Y[LAST], QID[LAST][1:]),
        r"\(number 2\): qid has shape \(29,\): it must have shape \(n_samples,\)",
    ),
    "no ids": ((X[LAST], Y[LAST], QID[:0]), r"\(number 2\): qid has shape \(0,\): it must have shape \(n_samples,\)"),
    "ids of no row": (
        (X[:0], Y[:0], QID[:2]),
        r"\(number 2\): qid has shape \(2,\): it must have shape \(n_samples,\)",
    ),
    "a row": ((X[LAST][0], Y[LAST], QID[LAST]), "number 2: number of columns is None, and that of shard number 0 is 4"),
    "words": ((X[LAST], Y[LAST].astype(str), QID[LAST]), r"\(number 2\): y has type <U21: labels must be integers"),
}


@pytest.mark.parametrize("name", SHARDS)
def test_shards_that_differ_are_refused(name):
    shards = deal([X, Y, QID], PLACES, N_SHARDS)
    with use_threads(), pytest.raises(ValueError, match=f"shard (2 )?{SHARDS[name][1]}"):
        SOFTMAX.fit_shards([*shards[:2], SHARDS[name][0]])


def test_weights_of_another_length_are_refused():
    shards = deal([X, Y, QID, WEIGHT], PLACES, N_SHARDS)
    shards[1] = (*shards[1][:3], WEIGHT[:7])
    with use_threads(), pytest.raises(ValueError, match=r"shard 1 \(number 1\): sample_weight has shape \(7,\): it"):
        SOFTMAX.fit_shards(shards)


def test_shards_without_rows_are_refused():
    with use_threads(), pytest.raises(ValueError, match=r"^the shards have no rows: there must be at least one$"):
        SOFTMAX.fit_shards([(X[:0], Y[:0])] * 2)


def test_a_model_of_other_rows_is_not_continued():
    ranker = clone(GBRT).set_params(warm_start=True).fit(X, Y)
    with (
        use_threads(),
        pytest.raises(ValueError, match=r"^X is not what the model was trained on: warm_start needs the"),
    ):
        ranker.fit_shards(deal([X[::-1] * 2, Y], PLACES, N_SHARDS))


NEAR = np.column_stack([X[:, 0], 5.0 + RNG.integers(0, 3, 90) * 1e-9])
AFAR = np.column_stack([X[:, 0], 5.0 + PLACES * 1.0 + RNG.integers(0, 3, 90) * 1e-9])  # near within each shard
IDS, GRADES = np.repeat(np.arange(18), 5), np.tile([0, 1, 0, 1, 0], 18)
APP_I, ZERO = SoftmaxBoostRanker(n_rounds=1, binning="app-i"), GBRTRanker(n_rounds=1, missing="zero", missing_value=9.0)
WARNED = {  # arguments, and how many warnings there are
    "no row has the missing value": (ZERO, {}, 1),
    "a row of the last shard has it": (ZERO, {"X": change(X, (89, 0), 9.0)}, 0),
    "a column is one bin": (APP_I, {"X": NEAR}, 1),
    "a column is one bin on each shard": (APP_I, {"X": AFAR}, 0),
    "y and qid are swapped": (LSBoostRanker(n_rounds=1), {"y": IDS, "qid": GRADES}, 1),
    "an id stands on two shards": (LSBoostRanker(n_rounds=1), {"y": np.roll(IDS, 2), "qid": GRADES}, 0),
    "a run of ids goes on": (LSBoostRanker(n_rounds=1), {"y": np.arange(3, 93) // 5, "qid": GRADES}, 1),
    "labels on one shard": (LSBoostRanker(n_rounds=1), {"y": np.where(PLACES == 1, IDS[::-1], Y), "qid": GRADES}, 0),
    "the query of many rows": (SOFTMAX, {"X_val": np.ones((300, 4)), "y_val": np.arange(300) % 3}, 1),
}


@pytest.mark.parametrize("name", WARNED)
def test_warnings_are_those_of_one_machine_and_are_given_once(name):
    ranker, given, n_warnings = WARNED[name]
    texts = []
    for train in (fit, fit_shards):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            train(ranker, **given)
        texts.append([(warning.category, str(warning.message)) for warning in caught])
    assert texts[0] == texts[1]
    assert [warning.filename for warning in caught] == [__file__] * n_warnings  # of the call


def test_a_warning_that_is_an_error_is_raised_where_all_shards_are_trained():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="missing_value is 9: no training row has it"):
            fit_shards(ZERO)


def warn(y, score, qid):
    warnings.warn("no scores are like these", stacklevel=1)
    return -((y - score) ** 2)


def test_what_warns_in_every_round_warns_once():
    ranker = clone(SOFTMAX).set_params(n_rounds=3)
    with pytest.warns(UserWarning, match="no scores are like these") as caught:
        fit_shards(ranker, X_val=X, y_val=Y, qid_val=QID, eval_metric=warn)
    assert len(caught) == 1


def test_rows_without_ids_are_counted_on_all_shards():
    with use_threads():
        ranker = clone(SOFTMAX).fit_shards(deal([X, Y], PLACES, N_SHARDS) * 3)  # 270 rows, and more than 200 are many
    warnings.simplefilter("always")
    with pytest.warns(OneQueryWarning, match="score got no qid"):
        ranker.score(X, Y)
