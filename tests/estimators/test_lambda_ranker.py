"""`refrank.LambdaRanker`: objectives, the best epoch, seeds and threads, and MQ2008."""

import math
import os
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import threadpoolctl
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from refrank.datasets import load_letor
from refrank.estimators import lambdarank as estimator
from refrank.estimators.lambdarank import LambdaRanker, choose_objective
from refrank.mcrank.lambdarank import lambdarank
from refrank.mcrank.two_layer_net import TwoLayerNet
from refrank.metrics import ndcg
from tests.oracles import lambdarank as naive
from tests.strategies.lambdarank import GRADIENTS, MAX_GRADE, fitted, linear_queries


@parametrize_with_checks(
    [LambdaRanker(n_epochs=2)],
    expected_failed_checks=lambda ranker: {
        "check_dtype_object": "grades that are no numbers are refused, in the words of refrank.metrics"
    },
)
def test_keeps_the_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("objective", ["ndcg", "err", "ranknet"])
def test_objective_chooses_gradient_and_measure(objective):
    ranker = fitted(objective, max_grade=MAX_GRADE, truncation=10, n_epochs=3)
    X, y, qid = linear_queries(20, seed=0)
    settings = {"hidden": 4, "learning_rate": 0.02, "decay": 0.8, "n_epochs": 3, "seed": 0}
    first = next(lambdarank(X, y, qid, GRADIENTS[objective], **settings))
    assert_array_equal(ranker.epochs_[0].net.input_weights, first.net.input_weights)
    X, y, qid = linear_queries(20, seed=1)
    scores = ranker.epochs_[2].net.predict(X)
    if objective == "err":
        values = [float(naive.err(y[qid == q][np.argsort(-scores[qid == q])], MAX_GRADE)) for q in range(20)]
    else:
        values = [naive.ndcg(y[qid == q][np.argsort(-scores[qid == q])], 10) for q in range(20)]
    # Values up to 1 with a few roundings each.
    assert_allclose(ranker.epochs_[2].validation, math.fsum(values) / 20, rtol=1e-14)


@pytest.mark.parametrize("objective", ["ndcg", "err", "ranknet"])
def test_truncation_and_scale_reach_gradient_and_measure(objective):
    """Each by itself, from the definitions, with a truncation and a scale that are no one's default."""
    gradient, measure = choose_objective(objective, truncation=2, max_grade=6)
    scores, y = np.array([0.5, 2.0, -1.0, 1.0, 0.25]), np.array([3, 0, 1, 2, 0])
    evaluate = partial(naive.err, max_grade=6) if objective == "err" else partial(naive.ndcg, truncation=2)

    def weight(i, j):
        return 1.0 if objective == "ranknet" else abs(float(naive.swap_change(scores, y, i, j, evaluate)))

    # A few roundings of numbers up to 1, in 8 pairs.
    assert_allclose(gradient(scores, y)[1], naive.lambdas(scores, y, weight), rtol=0, atol=1e-14)
    assert_allclose(measure(y, scores, None), float(evaluate(y[np.argsort(-scores)])), rtol=1e-14)


def test_truncation_and_scale_reach_the_choice_of_objective(monkeypatch):
    chosen = []
    whole = estimator.choose_objective
    monkeypatch.setattr(estimator, "choose_objective", lambda *given: chosen.append(given) or whole(*given))
    for changes in ({"truncation": 3}, {"objective": "err", "max_grade": 7}, {}):
        fitted(n_epochs=1, **changes)
    assert chosen == [("ndcg", 3, 3), ("err", 10, 7), ("ndcg", 10, 3)]  # 3: the highest grade of these queries


def test_best_epoch_is_the_first_of_the_highest():
    ranker = fitted(n_epochs=12)
    measures = [epoch.validation for epoch in ranker.epochs_]
    assert ranker.best_epoch_ == measures.index(max(measures)) + 1
    assert ranker.net_ is ranker.epochs_[ranker.best_epoch_ - 1].net
    assert 1 < ranker.best_epoch_ < 12  # else the line above could not tell best from last


def test_decay_reaches_the_schedule():
    X, y, qid = linear_queries(20, seed=0)
    unlearnable = np.random.default_rng(0).permutation(y)  # so that the measure wanders
    ranker = LambdaRanker(learning_rate=0.25, n_epochs=12, decay=0.5, random_state=0)
    epochs = ranker.fit(X, y, qid, X_val=X, y_val=unlearnable, qid_val=qid).epochs_
    falls = sum(after.validation < before.validation for before, after in pairwise(epochs[:-1]))
    assert falls > 0
    assert epochs[-1].learning_rate == 0.25 * 0.5**falls


def test_without_validation_the_last_epoch_stands():
    ranker = fitted(validation=False)
    assert ranker.best_epoch_ == 6
    assert {epoch.learning_rate for epoch in ranker.epochs_} == {0.02}


def test_staged_predict_ends_where_predict_stands():
    ranker = fitted(validation=False)
    X, _, _ = linear_queries(20, seed=2)
    stages = list(ranker.staged_predict(X))
    assert len(stages) == 6
    assert_array_equal(stages[-1], ranker.predict(X))
    assert_array_equal(stages[2], ranker.epochs_[2].net.predict(X))


def test_equal_seeds_give_equal_models_for_any_number_of_threads():
    rng = np.random.default_rng(0)  # one long query, so that BLAS would use more than one thread
    X, y = rng.normal(size=(1200, 60)), rng.integers(0, 3, 1200)
    nets = []
    for n_threads in (1, 2, None):
        with threadpoolctl.threadpool_limits(n_threads):
            nets.append(LambdaRanker(hidden=40, n_epochs=2, random_state=7).fit(X, y).net_)
    for net in nets[1:]:
        assert_array_equal(net.input_weights, nets[0].input_weights)
        assert_array_equal(net.output_weights, nets[0].output_weights)
    assert (LambdaRanker(hidden=40, n_epochs=2, random_state=8).fit(X, y).net_.input_weights != net.input_weights).all()


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


def test_score_is_the_mean_ndcg_of_the_queries():
    ranker = fitted(n_epochs=1)
    X, y, qid = linear_queries(20, seed=2)
    assert ranker.score(X, y, qid) == ndcg(y, ranker.predict(X), qid, 10, "paper")
    assert ranker.score(X, y) == ndcg(y, ranker.predict(X), None, 10, "paper") != ranker.score(X, y, qid)


@pytest.mark.parametrize(("verbose", "disable"), [(0, True), (1, None)])  # None: shown where it is a terminal
def test_verbose_shows_progress(monkeypatch, verbose, disable):
    asked = []
    monkeypatch.setattr(estimator, "tqdm", lambda turns, *told, **how: asked.append(how["disable"]) or turns)
    fitted(n_epochs=1, verbose=verbose)
    assert asked == [disable]


def test_a_random_state_object_is_drawn_from():
    first, second = (
        fitted(random_state=state, n_epochs=1).net_.input_weights for state in [np.random.RandomState(5)] * 2
    )
    again = fitted(random_state=np.random.RandomState(5), n_epochs=1).net_.input_weights
    assert_array_equal(again, first)
    assert (first != second).all()


def test_clone_refits_to_the_same_model():
    ranker = fitted()
    again = clone(ranker).fit(*linear_queries(20, seed=0))
    assert_array_equal(again.epochs_[0].net.input_weights, ranker.epochs_[0].net.input_weights)


@pytest.mark.parametrize("objective", ["ndcg", "err", "ranknet"])
def test_mq2008_fold_1_is_ranked_better_than_by_linear_regression(objective):
    if "REFRANK_DATA" not in os.environ:
        pytest.skip("REFRANK_DATA does not name a folder with mq2008/")
    folder = Path(os.environ["REFRANK_DATA"], "mq2008")
    parts = [load_letor(folder / f"S{part}.txt", n_features=46) for part in range(1, 6)]
    X, y, qid = (np.concatenate([getattr(part, name) for part in parts[:3]]) for name in ("X", "y", "qid"))
    val, test = parts[3], parts[4]
    ranker = LambdaRanker(objective=objective, n_epochs=30, random_state=0)
    ranker.fit(X, y, qid, X_val=val.X, y_val=val.y, qid_val=val.qid)
    # NDCG@10 with 2^y - 1 and log2(1 + i), no relevant document = 0: RankLib's linear regression has .4007.
    assert ndcg(test.y, ranker.predict(test.X), test.qid, k=10, spec="paper") > 0.4007
