"""Checks of what was learned that are the only ones to refuse a file: one row each, by its sentence."""

import copy

import numpy as np
import pytest

from refrank.cocr.reduction import COCRModel, Constant
from refrank.models.learned import check_costs
from tests.models.kinds import train
from tests.models.members import fault_of, write
from tests.models.test_hostile import TREES, H, L, put


def shorter(array):
    return array[:-1]


def begins_with(value):
    return lambda array: np.concatenate([[value], array[1:]]).astype(array.dtype)


def with_entry(at, value):
    def change(array):
        changed = array.copy()
        changed[at] = value
        return changed

    return change


HISTORY = "history_: costs must be finite, learning rates above 0, and the measures finite or all NaN"
BAG, GBRT = "cocr over bagged ridge", "cocr over gbrt"
REGRESSOR = f"{L}.{H}.learned"


@pytest.mark.parametrize(
    ("name", "place", "change", "message"),
    [
        (
            "softmax",
            f"{TREES}.split_gain.npy",
            begins_with(-1.0),
            "model_.split_gain at row 0 is -1.0: it must be at le",
        ),
        ("softmax", f"{TREES}.split_gain.npy", begins_with(np.nan), "model_.split_gain at row 0 is nan: it must be at"),
        ("softmax", f"{TREES}.n_node_samples.npy", begins_with(-1), "model_.n_node_samples at row 0 is -1: it must"),
        ("softmax", f"{TREES}.value.npy", lambda value: value.astype("f4"), "model_.rounds.value is array"),
        (
            "softmax",
            f"{TREES}.n_nodes.npy",
            lambda n_nodes: n_nodes[:, np.newaxis],
            f"{TREES}.n_nodes must be a row of integers of at least 0",
        ),
        ("softmax", f"{L}.model_.rounds", [], "model_.rounds must not be empty"),
        (
            "igbrt of classes",
            "fill_.npy",
            shorter,
            "fill_ has shape (4,): it must have shape (n_features_in_,), here (5,)",
        ),
        ("cocr", f"{H}.coef_.npy", shorter, "coef_ has shape (4,): it must have shape of the features, here (5,)"),
        ("cocr", f"{REGRESSOR}.intercept_", {"float": "inf"}, "intercept_ at row 0 is inf: it must be finite"),
        (
            BAG,
            f"{H}.estimators_features_.0.npy",
            shorter,
            "estimators_features_.0 has shape (1,): it must have shape (n_f",
        ),
        (
            BAG,
            f"{L}.{H}.parameters.n_estimators",
            7,
            "estimators_ and estimators_features_ must have 7 entries, of n_es",
        ),
        ("lambdarank", "history_.npy", lambda history: history[:, :2], "history_ has shape (3, 2): it must have shape"),
        ("lambdarank", "history_.npy", lambda history: history[:, 0], "history_ has shape (3,): it must have shape"),
        ("lambdarank", "history_.npy", lambda history: history[:0], "history_ has 0 rows: it must have "),
        ("lambdarank", "history_.npy", lambda history: np.tile(history, (2, 1)), "history_ has 6 rows: it must have "),
        ("lambdarank", "history_.npy", with_entry((0, 0), np.nan), HISTORY),
        ("lambdarank", "history_.npy", with_entry((2, 1), np.inf), HISTORY),
        ("lambdarank", "history_.npy", with_entry((1, 1), 0.0), HISTORY),
        ("lambdarank", "history_.npy", with_entry((1, 2), np.inf), HISTORY),
        ("lambdarank", "history_.npy", with_entry((1, 2), 0.5), HISTORY),
        ("lambdarank", "history_.npy", with_entry((1, 2), -np.inf), HISTORY),
        ("cocr over bagged ridge", f"{L}.{H}.parameters.n_estimators", 2, "must have 2 entries, of n_es"),
        ("igbrt of classes", f"{L}.fill_", None, "fill_ must be there where missing is: three-way"),
        ("weka-linear", "coef_.npy", begins_with(np.nan), "coef_ at row 0 is nan: it must be finite"),
        ("weka-linear", "coef_.npy", shorter, "coef_ has shape (4,): it must have shape of the features, here (5,)"),
        ("weka-linear", f"{L}.intercept_", {"float": "-inf"}, "intercept_ at row 0 is -inf: it must be finite"),
        (GBRT, f"{REGRESSOR}.n_features_in_", 6, "regressor.n_features_in_ is 6: it must be the ranker's"),
    ],
)
def test_what_one_check_alone_refuses(tmp_path, parts, name, place, change, message):
    members = parts[name]
    if place.endswith(".npy"):
        members = {**members, place: change(members[place])}
    else:
        members = put(members, [int(key) if key.isdecimal() else key for key in place.split(".")], change)
    write(tmp_path / "m", members)
    fault_of(tmp_path / "m", message)


@pytest.mark.parametrize("n_answers", range(8))
@pytest.mark.parametrize("finished", [True, False])
def test_costs_of_six_grades_ask_for_five_answers_and_an_unfinished_training_has_fewer(finished, n_answers):
    ranker = copy.copy(train("cocr"))
    answers = COCRModel(tuple(Constant(1.0) for _ in range(n_answers)))
    if finished:
        ranker.model_ = answers
    else:
        del ranker.model_
        ranker.unfinished_ = answers
    if n_answers == 5 if finished else 1 <= n_answers <= 4:
        return check_costs(ranker)
    message = "model_.soft_classifiers has . entries: it must have 5"
    with pytest.raises(ValueError, match=message if finished else "unfinished_.* has . entries: it must have 1 to 4"):
        check_costs(ranker)
