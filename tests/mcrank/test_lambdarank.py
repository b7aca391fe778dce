"""`refrank.mcrank.lambdarank`: the training loop of RankNet and LambdaRank, epoch by epoch."""

import math
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from refrank.mcrank import lambdarank as loop
from refrank.mcrank.lambdarank import draw_query_order, has_stalled, has_worsened, lambdarank, list_trainable_queries
from refrank.mcrank.pairwise_gradients import ranknet_gradient
from refrank.mcrank.two_layer_net import descend, draw_net
from tests.strategies.lambdarank import GRADIENTS, linear_queries

SETTINGS = {"hidden": 4, "learning_rate": 0.02, "decay": 1.0, "n_epochs": 25, "seed": 0, "shrinks": has_worsened}


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


@pytest.mark.paper("Burges 2010 Sec. 2.1", at="run_pass")
def test_two_epochs_by_hand():
    X, y, qid = linear_queries(5, seed=0)
    net = draw_net(X, 4, seed=3)
    training = lambdarank(X, y, qid, ranknet_gradient, **(SETTINGS | {"seed": 3}))  # can be watched, and stopped
    for number, epoch in zip((1, 2), training, strict=False):
        assert (epoch.epoch, epoch.validation) == (number, None)
        costs = []
        for query in draw_query_order(5, epoch.epoch, seed=3):
            rows = qid == query
            Z = net.standardize(X[rows])
            cost, lambdas = ranknet_gradient(net.predict(X[rows]), y[rows])
            net = descend(net, Z, net.activation(Z), lambdas, 0.02)
            costs.append(cost)
        assert_array_equal(epoch.net.input_weights, net.input_weights)
        assert_array_equal(epoch.net.output_weights, net.output_weights)
        assert epoch.cost == math.fsum(cost / 5 for cost in costs)


def test_learning_rate_shrinks_after_an_epoch_that_lowers_the_validation_measure():
    measures = iter([0.5, 0.4, 0.45, 0.45, 0.3, 0.6])
    changes = {"n_epochs": 6, "decay": 0.5, "learning_rate": 0.08, "validate": lambda net: next(measures)}
    epochs = train(*linear_queries(5, seed=0), **changes)
    assert [e.validation for e in epochs] == [0.5, 0.4, 0.45, 0.45, 0.3, 0.6]
    assert [e.learning_rate for e in epochs] == [0.08, 0.08, 0.04, 0.04, 0.04, 0.02]


@pytest.mark.parametrize(
    ("patience", "costs", "rates"),
    [
        # below the lowest so far, not below the epoch before: neither 2.5 after 2.6 nor a second 2 is progress
        (1, [3.0, 2.0, 2.6, 2.5, 1.9, 1.9, 1.0], [8, 8, 8, 4, 2, 2, 1]),
        (2, [3.0, 2.0, 2.6, 2.5, 1.9, 1.9, 1.0], [8, 8, 8, 8, 4, 4, 4]),
        # a rate that has just been shrunk has as many epochs to lower the cost as the one before it
        (2, [1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 0.5, 0.6], [8, 8, 8, 4, 4, 2, 2, 1, 1]),
        (3, [1.0, 1.0, 1.0], [8, 8, 8]),
    ],
)
def test_learning_rate_shrinks_after_epochs_that_did_not_lower_the_cost(monkeypatch, patience, costs, rates):
    given = iter(costs)
    monkeypatch.setattr(loop, "run_pass", lambda net, *_: (next(given), net))
    changes = {"decay": 0.5, "learning_rate": 8.0, "shrinks": partial(has_stalled, patience=patience)}
    epochs = train(*linear_queries(5, seed=0), n_epochs=len(costs), **changes)
    assert [e.cost for e in epochs] == costs
    assert [e.learning_rate for e in epochs] == rates


def test_rows_of_a_query_need_not_stand_together():
    X, y, qid = linear_queries(6, seed=0)
    interleaved = np.argsort(np.tile(np.arange(8), 6), kind="stable")  # keeps each query's inner order
    together = train(X, y, qid, n_epochs=3)[-1].net
    apart = train(X[interleaved], y[interleaved], qid[interleaved], n_epochs=3)[-1].net
    assert_array_equal(together.input_weights, apart.input_weights)


def test_trainable_queries_are_those_with_two_grades():
    y, qid = np.array([0, 1, 1, 0, 2, 0]), np.array([3, 1, 1, 2, 3, 2])
    [only] = list_trainable_queries(y, qid)
    assert_array_equal(only, [0, 4])


def test_query_order_is_a_permutation_that_changes_with_epoch_and_seed():
    orders = {(epoch, seed): tuple(draw_query_order(20, epoch, seed)) for epoch in (1, 2) for seed in (0, 1)}
    assert all(sorted(order) == list(range(20)) for order in orders.values())
    assert len(set(orders.values())) == 4
    assert tuple(draw_query_order(20, 1, 0)) == orders[1, 0]


LARGE_STEPS, NO_SLOPES = {"learning_rate": 1e308}, {"gradient": lambda scores, y: (math.nan, np.zeros(y.size))}


@pytest.mark.parametrize(
    ("n_queries", "changes", "message"),
    [
        *((30, LARGE_STEPS | {"gradient": gradient}, r"at learning_rate = 1e\+308") for gradient in GRADIENTS.values()),
        (1, LARGE_STEPS | {"n_epochs": 1}, r"at learning_rate = 1e\+308 \(mean cost \d"),  # in the last step
        (1, NO_SLOPES, r".* \(mean cost nan\)"),  # though the weights stand
    ],
)
def test_training_that_diverges_stops_naming_epoch_and_learning_rate(n_queries, changes, message):
    with pytest.raises(ValueError, match=f"diverged in epoch 1 {message}"):
        train(*linear_queries(n_queries, seed=0), **changes)
