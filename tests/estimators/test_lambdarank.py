"""`refrank.LambdaRanker`: objectives, the best epoch, seeds and threads, and its validation set."""

import math
import re
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
import threadpoolctl
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from refrank.estimators import lambdarank as estimator
from refrank.estimators.lambdarank import LambdaRanker, choose_gradient
from refrank.mcrank.lambdarank import has_worsened, lambdarank
from refrank.mcrank.two_layer_net import TwoLayerNet
from tests.estimators.cases import data, learned, same_bits, small
from tests.oracles import lambdarank as naive
from tests.strategies.lambdarank import fitted, linear_queries


@pytest.mark.parametrize("objective", ["ndcg", "err", "ranknet"])
def test_objective_truncation_and_scale_reach_training(objective):
    gradient = choose_gradient(objective, truncation=2, max_grade=6)
    ranker = fitted(objective, truncation=2, max_grade=6, n_epochs=3)
    settings = {"hidden": 4, "learning_rate": 0.02, "decay": 0.8, "n_epochs": 3, "seed": 0, "shrinks": has_worsened}
    first = next(lambdarank(*linear_queries(20, seed=0), gradient, **settings))
    assert_array_equal(ranker.epochs_[0].net.input_weights, first.net.input_weights)
    X, y, qid = linear_queries(20, seed=1)
    values = ranker._choose_measure(y)(y, ranker.epochs_[2].net.predict(X), qid)
    assert ranker.epochs_[2].validation == ranker.history_[2] == math.fsum(values) / len(values)
    by_default, stated = fitted(objective, n_epochs=1), fitted(objective, n_epochs=1, truncation=10, max_grade=3)
    assert learned(by_default) == learned(stated)  # 3: the highest grade of these queries


@pytest.mark.parametrize("objective", ["ndcg", "err", "ranknet"])
def test_truncation_and_scale_reach_gradient_and_measure(objective):
    """Each by itself, from the definitions, with a truncation and a scale that are nowhere the default."""
    gradient = choose_gradient(objective, truncation=2, max_grade=6)
    measure = LambdaRanker(objective=objective, truncation=2, max_grade=6)._choose_measure(np.array([3]))
    scores, y = np.array([0.5, 2.0, -1.0, 1.0, 0.25]), np.array([3, 0, 1, 2, 0])
    evaluate = partial(naive.err, max_grade=6) if objective == "err" else partial(naive.ndcg, truncation=2)

    def weight(i, j):
        return 1.0 if objective == "ranknet" else abs(float(naive.swap_change(scores, y, i, j, evaluate)))

    # A few roundings of numbers up to 1, in 8 pairs.
    assert_allclose(gradient(scores, y)[1], naive.lambdas(scores, y, weight), rtol=0, atol=1e-14)
    assert_allclose(measure(y, scores, None)[0], float(evaluate(y[np.argsort(-scores)])), rtol=1e-14)


def test_best_round_is_the_first_of_the_highest_and_the_last_without_validation():
    ranker = fitted(n_epochs=12)
    measures = [epoch.validation for epoch in ranker.epochs_]
    assert ranker.best_round_ == measures.index(max(measures)) + 1
    assert ranker.model_ is ranker.epochs_[ranker.best_round_ - 1].net
    assert 1 < ranker.best_round_ < 12  # else the line above could not tell best from last
    without = fitted(validation=False)
    assert without.model_ is without.epochs_[5].net
    assert not hasattr(without, "best_round_")
    assert {epoch.learning_rate for epoch in without.epochs_} == {0.02}


def test_decay_reaches_the_schedule():
    X, y, qid = linear_queries(20, seed=0)
    unlearnable = np.random.default_rng(0).permutation(y)  # so that the measure wanders
    ranker = LambdaRanker(learning_rate=0.25, n_epochs=12, decay=0.5, random_state=0)
    epochs = ranker.fit(X, y, qid, X_val=X, y_val=unlearnable, qid_val=qid).epochs_
    falls = sum(after.validation < before.validation for before, after in pairwise(epochs[:-1]))
    assert falls > 0
    assert epochs[-1].learning_rate == 0.25 * 0.5**falls


def train_unlearnable(**changes):
    """The epochs of a net at a rate so high, on grades so random, that measure and cost wander."""
    X, y, qid = linear_queries(20, seed=0)
    unlearnable = np.random.default_rng(0).permutation(y)
    ranker = LambdaRanker(learning_rate=1.0, n_epochs=20, decay=0.5, random_state=0, **changes)
    return ranker.fit(X, unlearnable, qid, X_val=X, y_val=y, qid_val=qid).epochs_


@pytest.mark.parametrize("patience", [1, 2])
def test_schedule_by_cost_reaches_training_and_needs_no_validation(patience):
    epochs, waited, lowest, rate = train_unlearnable(schedule="cost", patience=patience), 0, np.inf, 1.0
    for epoch in epochs:
        assert epoch.learning_rate == rate
        waited = 0 if epoch.cost < lowest else waited + 1
        lowest = min(lowest, epoch.cost)
        if waited == patience:
            waited, rate = 0, rate / 2
    assert epochs[-1].learning_rate < 1.0
    rates = [epoch.learning_rate for epoch in epochs]
    assert rates != [epoch.learning_rate for epoch in train_unlearnable()]  # the default: by validation
    assert rates != [epoch.learning_rate for epoch in train_unlearnable(schedule="cost", patience=3 - patience)]
    X, y, qid = linear_queries(20, seed=0)
    alone = LambdaRanker(learning_rate=1.0, decay=0.5, schedule="cost", patience=patience, n_epochs=20)
    alone.fit(X, np.random.default_rng(0).permutation(y), qid)
    assert [epoch.learning_rate for epoch in alone.epochs_] == rates


def blas_threads():
    """The threads that each BLAS of this process may use now."""
    return [pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]


def test_blas_is_held_to_one_thread(monkeypatch):
    seen = []

    def watched(*arguments, **settings):
        for epoch in lambdarank(*arguments, **settings):
            seen.extend(blas_threads())
            yield epoch

    monkeypatch.setattr(estimator, "lambdarank", watched)
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        ranker = fitted(n_epochs=1)
        assert len(seen) == len(blas_threads())
        monkeypatch.setattr(TwoLayerNet, "predict", lambda net, X: seen.extend(blas_threads()) or np.zeros(len(X)))
        ranker.predict(np.zeros((2, 5)))
        next(ranker.staged_predict(np.zeros((2, 5))))
    assert len(seen) == 3 * len(blas_threads())
    assert set(seen) <= {1}


def test_stages_need_the_epochs_which_a_model_file_does_not_hold():
    ranker, X = fitted(validation=False), np.zeros((2, 5))
    *_, last = ranker.staged_predict(X)
    del ranker.epochs_
    assert_array_equal(ranker.predict(X), last)
    with pytest.raises(ValueError, match="epochs_ is not there: a model file holds the nets of the best epoch and"):
        next(ranker.staged_predict(X))


def test_a_grade_above_the_scale_is_placed():
    X, y, qid = linear_queries(2, seed=0)
    message = r"at row {} is {}: labels must be integers from 0 to {}$".format
    with pytest.raises(ValueError, match="^y " + message(y.argmax(), 3, "max_grade = 2")):
        LambdaRanker(max_grade=2).fit(X, y, qid)
    with pytest.raises(ValueError, match="^y " + message(1, 54, 53)):
        LambdaRanker().fit(X, np.where(np.arange(16) == 1, 54, y), qid)
    low = np.minimum(y, 2)
    held_out = {"X_val": X, "y_val": y, "qid_val": qid}
    for ranker in (LambdaRanker(objective="err"), LambdaRanker(max_grade=2)):
        with pytest.raises(ValueError, match="^y_val " + message(r"\d+", 3, "(max_grade = )?2")):
            ranker.fit(X, low, qid, **held_out)
    # NDCG has no highest grade: that of the training set does not bind others
    assert LambdaRanker(n_epochs=1).fit(X, low, qid, **held_out).max_grade_ == 2


def test_a_validation_set_that_breaks_a_rule_leaves_no_net_of_other_data():
    X, y, qid = linear_queries(2, seed=0)
    ranker, given = fitted(n_epochs=1), {"X_val": X, "y_val": y, "qid_val": qid}
    for arguments, message in (
        ({"y_val": y}, "X_val is None: y_val and qid_val need the features of the validation set"),
        ({"X_val": X}, "y_val is None: each row of X_val needs a label"),
        (given | {"y_val": qid}, "y_val has no query with two grades"),
        (given | {"y_val": y[1:]}, "y_val has shape (15,): it must have shape (n_valid,), one label"),
        (given | {"qid_val": qid[1:]}, "one query id per row, here (16,)"),
        (given | {"y_val": y - 0.5}, "y_val at row 0 is "),
        (given | {"X_val": X[:, :3]}, "X_val: X has 3 features, but LambdaRanker is expecting 5"),
        (given | {"X_val": X * np.nan}, "X_val: X at row 0, column 0 is NaN: every feature must be finite"),
        ({"qid": np.arange(16)}, "no query has two grades"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            ranker.fit(**{"X": X, "y": y, "qid": qid} | arguments)
        assert not {"model_", "epochs_", "best_round_"} & vars(ranker).keys()


def test_a_validation_set_may_be_sparse_and_its_ids_text():
    X, y, qid = data()
    names = [f"query {query}" for query in qid.tolist()]
    expected = small(LambdaRanker).fit(X, y, qid, X_val=X, y_val=y, qid_val=qid)
    ranker = small(LambdaRanker).fit(csr_array(X), y, names, X_val=csr_array(X), y_val=y, qid_val=names)
    assert same_bits(ranker.history_, expected.history_)
    assert same_bits(ranker.predict(csr_array(X)), expected.predict(X))
