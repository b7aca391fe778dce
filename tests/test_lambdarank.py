"""RankNet and LambdaRank: gradients, net, training loop and estimator."""

import math
import os
from dataclasses import FrozenInstanceError, replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import threadpoolctl
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from refrank.datasets import load_letor
from refrank.estimators.lambdarank import LambdaRanker
from refrank.mcrank.lambdarank import lambdarank, query_order, trainable_queries
from refrank.mcrank.pairwise_gradients import lambdarank_gradient, preferred_pairs, ranknet_gradient
from refrank.mcrank.swap_change import err_swap_change, ndcg_swap_change
from refrank.mcrank.two_layer_net import descend, initial_net, initial_weights, standardization
from refrank.metrics import ndcg
from tests import naive_lambdarank as naive

MAX_GRADE = 4
# Quarters: many ties, and differences that are exact.
QUERY = st.lists(
    st.tuples(st.integers(-20, 20).map(lambda k: k / 4), st.integers(0, MAX_GRADE)), min_size=1, max_size=9
)


def arrays(query: list[tuple[float, int]]) -> tuple[np.ndarray, np.ndarray]:
    scores, y = zip(*query, strict=True)
    return np.array(scores, dtype=float), np.array(y, dtype=np.intp)


# --- gradients


@given(QUERY)
def test_ranknet_gradient_pair_by_pair(query):
    scores, y = arrays(query)
    cost, lambdas = ranknet_gradient(scores, y)
    # At most 36 pairs, each with a few roundings of numbers below 11 (cost) or 1 (slope).
    assert_allclose(cost, naive.ranknet_cost(scores, y), rtol=1e-13, atol=0)
    assert_allclose(lambdas, naive.lambdas(scores, y, lambda i, j: 1.0), rtol=0, atol=1e-14)


@given(QUERY)
def test_ranknet_gradient_is_the_derivative_of_its_cost(query):
    scores, y = arrays(query)
    _, lambdas = ranknet_gradient(scores, y)
    step = 2.0**-17
    for document in range(y.size):
        nudge = step * (np.arange(y.size) == document)
        difference = ranknet_gradient(scores + nudge, y)[0] - ranknet_gradient(scores - nudge, y)[0]
        # Truncation: 8 pairs * step^2 * 0.1/6 = 1e-11. Rounding: 1e-13 of the cost / step = 1e-8.
        assert_allclose(lambdas[document], difference / (2 * step), rtol=0, atol=1e-7)


@given(QUERY, st.integers(1, 10))
def test_ndcg_swap_change_against_ndcg_evaluated_again(query, truncation):
    scores, y = arrays(query)
    better, worse = preferred_pairs(y)
    expected = [
        abs(naive.swap_change(scores, y, i, j, partial(naive.ndcg, truncation=truncation)))
        for i, j in zip(better, worse, strict=True)
    ]
    if better.size:
        # Differences of numbers up to 1, each with a few roundings.
        got = ndcg_swap_change(scores, y, better, worse, truncation)
        assert_allclose(got, expected, rtol=0, atol=1e-15 * 8)


@given(QUERY, st.integers(0, 2))
def test_err_swap_change_against_err_evaluated_again(query, above):
    scores, y = arrays(query)
    better, worse = preferred_pairs(y)
    exact = [  # rational arithmetic, so the tolerance is the rounding of err_swap_change alone
        naive.swap_change(scores, y, i, j, partial(naive.err, max_grade=MAX_GRADE + above))
        for i, j in zip(better, worse, strict=True)
    ]
    got = err_swap_change(scores, y, better, worse, MAX_GRADE + above)
    # C carries a few roundings of numbers up to 1, divided by 1 - R >= 2^-4 (grades stay at most 4).
    assert_allclose(got, [abs(float(change)) for change in exact], rtol=0, atol=2.0**MAX_GRADE * 4e-16)


@given(QUERY)
def test_moving_the_better_document_up_always_raises_err(query):
    scores, y = arrays(query)
    place = np.argsort(np.argsort(-scores, kind="stable"), kind="stable")
    for i, j in zip(*preferred_pairs(y), strict=True):
        change = naive.swap_change(scores, y, i, j, partial(naive.err, max_grade=MAX_GRADE))
        assert (change > 0) == (place[i] > place[j])
        assert change != 0


@given(QUERY, st.integers(1, 10), st.sampled_from(["ndcg", "err"]))
def test_lambdarank_gradient_pair_by_pair(query, truncation, measure):
    scores, y = arrays(query)
    swap_change, evaluate = {
        "ndcg": (
            partial(ndcg_swap_change, truncation=truncation),
            partial(naive.ndcg, truncation=truncation),
        ),
        "err": (partial(err_swap_change, max_grade=MAX_GRADE), partial(naive.err, max_grade=MAX_GRADE)),
    }[measure]

    def weight(i, j):
        return abs(float(naive.swap_change(scores, y, i, j, evaluate)))

    cost, lambdas = lambdarank_gradient(scores, y, swap_change)
    # The roundings of the swap changes above, for up to 8 pairs a document, 36 a query, a cost of 11 a pair.
    assert_allclose(lambdas, naive.lambdas(scores, y, weight), rtol=0, atol=8 * 1e-14)
    assert_allclose(cost, naive.weighted_cost(scores, y, weight), rtol=0, atol=36 * 11 * 1e-14)


@pytest.mark.parametrize("swap_change", [None, "ndcg", "err"])
@given(scores=st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=6), grade=st.integers(0, MAX_GRADE))
def test_a_query_with_one_grade_has_zero_gradient(swap_change, scores, grade):
    gradient = GRADIENTS[swap_change or "ranknet"]
    cost, lambdas = gradient(np.array(scores), np.full(len(scores), grade))
    assert cost == 0
    assert_array_equal(lambdas, np.zeros(len(scores)))


@pytest.mark.parametrize("margin", [800.0, -800.0])
def test_far_apart_scores_neither_overflow_nor_lose_the_slope(margin):
    cost, lambdas = ranknet_gradient(np.array([margin, 0.0]), np.array([1, 0]))
    assert (cost, *lambdas) == ((0, 0, 0) if margin > 0 else (800, -1, 1))


def test_err_swap_change_refuses_a_grade_above_the_scale():
    with pytest.raises(ValueError, match=r"y\[1\] = 3 is above max_grade = 2"):
        err_swap_change(np.zeros(2), np.array([0, 3]), np.array([1]), np.array([0]), max_grade=2)


GRADIENTS = {
    "ranknet": ranknet_gradient,
    "ndcg": partial(lambdarank_gradient, swap_change=partial(ndcg_swap_change, truncation=10)),
    "err": partial(lambdarank_gradient, swap_change=partial(err_swap_change, max_grade=MAX_GRADE)),
}


# --- the net


def test_net_is_its_formula():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5, 3))
    net = replace(initial_net(X, hidden=2, seed=4), hidden_bias=np.array([0.3, -0.2]))
    for row, score in zip(X, net.predict(X), strict=True):
        z = [(row[f] - net.feature_mean[f]) * net.feature_scale[f] for f in range(3)]
        inner = [net.hidden_bias[h] + sum(z[f] * net.input_weights[f, h] for f in range(3)) for h in range(2)]
        expected = sum(net.output_weights[h] * math.tanh(inner[h]) for h in range(2))
        assert_allclose(score, expected, rtol=0, atol=1e-15)  # six products of numbers below 2


def test_a_step_follows_the_derivative_of_the_cost_in_every_weight():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(6, 3)), np.array([0, 1, 2, 0, 1, 0])
    net = replace(initial_net(X, hidden=2, seed=0), hidden_bias=rng.normal(size=2))
    Z = net.standardize(X)
    activation = net.activation(Z)
    _, lambdas = ranknet_gradient(activation @ net.output_weights, y)
    stepped = descend(net, Z, activation, lambdas, learning_rate=1.0)
    nudge = 2.0**-17
    for name in ("input_weights", "hidden_bias", "output_weights"):
        weights = getattr(net, name)
        for place in np.ndindex(weights.shape):
            up, down = weights.copy(), weights.copy()
            up[place] += nudge
            down[place] -= nudge
            costs = [ranknet_gradient(replace(net, **{name: array}).predict(X), y)[0] for array in (up, down)]
            slope = (costs[0] - costs[1]) / (2 * nudge)
            # Rounding of the cost (about 10) over the step: 2e-15 / 2^-16 = 1e-10; truncation: about step^2.
            assert_allclose(getattr(stepped, name)[place], weights[place] - slope, rtol=0, atol=1e-8)


def test_standardization_gives_mean_zero_and_deviation_one():
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(1e6, 3, 50), np.full(50, 0.1), rng.normal(size=50) * 1e200])
    mean, scale = standardization(X)
    assert_allclose(mean[:2], X[:, :2].mean(axis=0), rtol=1e-15)
    assert scale[1] == 0
    assert_allclose(1 / scale[0], X[:, 0].std(), rtol=1e-9)  # rounding of 1e6 against a deviation of 3
    assert_allclose(1 / scale[2] / 1e200, (X[:, 2] / 1e200).std(), rtol=1e-14)


def test_a_feature_constant_in_training_never_moves_a_score():
    X = np.array([[0.0, 7.0], [1.0, 7.0]])
    net = initial_net(X, hidden=3, seed=0)
    assert_array_equal(net.predict(X), net.predict(X + np.array([0, 100])))


def test_net_is_read_only():
    net = initial_net(np.eye(2), hidden=1, seed=0)
    with pytest.raises(ValueError, match="read-only"):
        net.input_weights[0, 0] = 1
    with pytest.raises(FrozenInstanceError):
        net.hidden_bias = np.ones(1)


def test_initial_weights_are_drawn_from_the_seed_within_their_bounds():
    input_weights, output_weights = initial_weights(25, 16, seed=3)
    assert input_weights.shape == (25, 16)
    assert 0.15 < np.abs(input_weights).max() <= 1 / 5
    assert 0.15 < np.abs(output_weights).max() <= 1 / 4
    assert_array_equal(input_weights, initial_weights(25, 16, seed=3)[0])
    assert (input_weights != initial_weights(25, 16, seed=4)[0]).all()


# --- training


def linear_queries(n_queries: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Grades 0..3 along one direction of five features, noise across it: a linear score can rank them all."""
    rng = np.random.default_rng(seed)
    direction = np.array([1.0, -2.0, 0.5, 0.0, 1.0]) / 2.5
    y = rng.integers(0, 4, n_queries * 8)
    noise = rng.normal(size=(y.size, 5))
    X = noise + np.outer(y + rng.uniform(-0.2, 0.2, y.size) - noise @ direction, direction)
    return X, y, np.repeat(np.arange(n_queries), 8)


SETTINGS = {"hidden": 4, "learning_rate": 0.02, "decay": 1.0, "n_epochs": 25, "seed": 0}


def train(X, y, qid, gradient=ranknet_gradient, **changes):
    return list(lambdarank(X, y, qid, gradient, **(SETTINGS | changes)))


@pytest.mark.parametrize("objective", ["ranknet", "ndcg", "err"])
def test_learns_a_linear_ranking(objective):
    X, y, qid = linear_queries(60, seed=0)
    epochs = train(X, y, qid, GRADIENTS[objective])
    unseen_X, unseen_y, unseen_qid = linear_queries(60, seed=1)
    scores = epochs[-1].net.predict(unseen_X)
    for query in range(60):
        ranked = unseen_y[unseen_qid == query][np.argsort(-scores[unseen_qid == query])]
        assert_array_equal(ranked, np.sort(ranked)[::-1])
    assert epochs[-1].cost < epochs[0].cost


def test_two_epochs_by_hand():
    X, y, qid = linear_queries(5, seed=0)
    net = initial_net(X, 4, seed=0)
    for epoch in train(X, y, qid, n_epochs=2):
        costs = []
        for query in query_order(5, epoch.epoch, seed=0):
            rows = qid == query
            Z = net.standardize(X[rows])
            cost, lambdas = ranknet_gradient(net.predict(X[rows]), y[rows])
            net = descend(net, Z, net.activation(Z), lambdas, 0.02)
            costs.append(cost)
        assert_array_equal(epoch.net.input_weights, net.input_weights)
        assert_array_equal(epoch.net.output_weights, net.output_weights)
        assert epoch.cost == math.fsum(cost / 5 for cost in costs)


def test_records_can_be_watched_and_training_stopped():
    X, y, qid = linear_queries(5, seed=0)
    training = lambdarank(X, y, qid, ranknet_gradient, **SETTINGS)
    first, second = next(training), next(training)
    assert (first.epoch, second.epoch) == (1, 2)
    assert first.validation is None
    assert not np.array_equal(first.net.input_weights, second.net.input_weights)


def test_learning_rate_shrinks_after_an_epoch_that_lowers_the_validation_measure():
    X, y, qid = linear_queries(5, seed=0)
    measures = iter([0.5, 0.4, 0.45, 0.45, 0.3, 0.6])
    epochs = train(X, y, qid, n_epochs=6, decay=0.5, learning_rate=0.08, validate=lambda net: next(measures))
    assert [e.validation for e in epochs] == [0.5, 0.4, 0.45, 0.45, 0.3, 0.6]
    assert [e.learning_rate for e in epochs] == [0.08, 0.08, 0.04, 0.04, 0.04, 0.02]


def test_rows_of_a_query_need_not_stand_together():
    X, y, qid = linear_queries(6, seed=0)
    interleaved = np.argsort(np.tile(np.arange(8), 6), kind="stable")  # keeps each query's inner order
    together = train(X, y, qid, n_epochs=3)[-1].net
    apart = train(X[interleaved], y[interleaved], qid[interleaved], n_epochs=3)[-1].net
    assert_array_equal(together.input_weights, apart.input_weights)


def test_trainable_queries_are_those_with_two_grades():
    y, qid = np.array([0, 1, 1, 0, 2, 0]), np.array([3, 1, 1, 2, 3, 2])
    [only] = trainable_queries(y, qid)
    assert_array_equal(only, [0, 4])


def test_query_order_is_a_permutation_that_changes_with_epoch_and_seed():
    orders = {(epoch, seed): tuple(query_order(20, epoch, seed)) for epoch in (1, 2) for seed in (0, 1)}
    assert all(sorted(order) == list(range(20)) for order in orders.values())
    assert len(set(orders.values())) == 4
    assert tuple(query_order(20, 1, 0)) == orders[1, 0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hidden": 0}, "hidden = 0"),
        ({"learning_rate": 0.0}, "learning_rate = 0.0"),
        ({"learning_rate": math.nan}, "learning_rate = nan"),
        ({"learning_rate": math.inf}, "learning_rate = inf"),
        ({"decay": 0.0}, "decay = 0.0"),
        ({"decay": 1.5}, "decay = 1.5"),
        ({"n_epochs": 0}, "n_epochs = 0"),
    ],
)
def test_settings_that_break_a_rule(changes, message):
    with pytest.raises(ValueError, match=message):
        train(*linear_queries(2, seed=0), **changes)


def test_training_set_without_two_grades_in_any_query():
    X, _, qid = linear_queries(3, seed=0)
    with pytest.raises(ValueError, match="no query has two grades"):
        train(X, qid + 1, qid)


@pytest.mark.parametrize("objective", ["ranknet", "ndcg", "err"])
def test_diverging_weights_stop_naming_epoch_and_learning_rate(objective):
    with pytest.raises(ValueError, match=r"diverged in epoch 1 at learning_rate = 1e\+308"):
        train(*linear_queries(30, seed=0), GRADIENTS[objective], learning_rate=1e308)


def test_weights_that_diverge_in_the_last_step_are_found():
    with pytest.raises(ValueError, match=r"diverged in epoch 1 at learning_rate = 1e\+308 \(mean cost \d"):
        train(*linear_queries(1, seed=0), learning_rate=1e308, n_epochs=1)


def test_a_cost_that_is_no_number_is_found_though_the_weights_stand():
    with pytest.raises(ValueError, match=r"diverged in epoch 1 .* \(mean cost nan\)"):
        train(*linear_queries(1, seed=0), lambda scores, y: (math.nan, np.zeros(y.size)))


# --- the estimator


def fitted(objective="ndcg", validation=True, **changes) -> LambdaRanker:
    settings = {"hidden": 4, "learning_rate": 0.02, "n_epochs": 6, "random_state": 0} | changes
    X, y, qid = linear_queries(20, seed=0)
    held_out = dict(zip(("X_val", "y_val", "qid_val"), linear_queries(20, seed=1), strict=True))
    ranker = LambdaRanker(objective=objective, **settings)
    return ranker.fit(X, y, qid, **(held_out if validation else {}))


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
    epochs = train(X, y, qid, GRADIENTS[objective], n_epochs=3, seed=0)
    assert_array_equal(ranker.epochs_[0].net.input_weights, epochs[0].net.input_weights)
    X, y, qid = linear_queries(20, seed=1)
    scores = ranker.epochs_[2].net.predict(X)
    if objective == "err":
        values = [float(naive.err(y[qid == q][np.argsort(-scores[qid == q])], MAX_GRADE)) for q in range(20)]
    else:
        values = [naive.ndcg(y[qid == q][np.argsort(-scores[qid == q])], 10) for q in range(20)]
    # Values up to 1 with a few roundings each.
    assert_allclose(ranker.epochs_[2].validation, math.fsum(values) / 20, rtol=1e-14)


def test_truncation_reaches_gradient_and_measure():
    one, ten = fitted(truncation=1), fitted(truncation=10)
    assert (one.net_.input_weights != ten.net_.input_weights).any()
    assert one.epochs_[0].validation != ten.epochs_[0].validation


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
    assert (
        LambdaRanker(hidden=40, n_epochs=2, random_state=8).fit(X, y).net_.input_weights != net.input_weights
    ).all()


def test_blas_is_held_to_one_thread(monkeypatch):
    seen = []

    def watched(*arguments, **settings):
        for epoch in lambdarank(*arguments, **settings):
            seen.extend(
                pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"
            )
            yield epoch

    monkeypatch.setattr("refrank.estimators.lambdarank.lambdarank", watched)
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        fitted(n_epochs=1)
    assert set(seen) <= {1}


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


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"objective": "map"}, "objective = 'map': it has to be one of 'ndcg', 'err', 'ranknet'"),
        ({"max_grade": 2}, r"y\[\d+\] = 3 is above max_grade = 2"),
        ({"truncation": 0}, "truncation = 0"),
        ({"hidden": 0}, "hidden = 0"),
        ({"hidden": 2.5}, "hidden = 2.5"),
        ({"random_state": -1}, "random_state = -1"),
    ],
)
def test_parameters_that_break_a_rule(changes, message):
    with pytest.raises(ValueError, match=message):
        fitted(**changes)


def test_validation_set_that_breaks_a_rule():
    X, y, qid = linear_queries(2, seed=0)
    ranker = LambdaRanker(n_epochs=1)
    with pytest.raises(ValueError, match="X_val = None"):
        ranker.fit(X, y, qid, y_val=y)
    with pytest.raises(ValueError, match=r"in the validation set .* y = None"):
        ranker.fit(X, y, qid, X_val=X)
    with pytest.raises(ValueError, match=r"in the validation set .* no query of qid has two grades"):
        ranker.fit(X, y, qid, X_val=X, y_val=qid, qid_val=qid)
    with pytest.raises(ValueError, match="3 features"):
        ranker.fit(X, y, qid, X_val=X[:, :3], y_val=y, qid_val=qid)


def test_grades_that_break_a_rule():
    X, y, qid = linear_queries(2, seed=0)
    with pytest.raises(ValueError, match=r"y\[1\]"):
        LambdaRanker().fit(X, np.where(np.arange(16) == 1, -1, y), qid)
    with pytest.raises(ValueError, match="y has 15 entries, X has 16 rows"):
        LambdaRanker().fit(X, y[1:], qid)
    with pytest.raises(ValueError, match="qid has 15 entries"):
        LambdaRanker().fit(X, y, qid[1:])


# --- real data


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
