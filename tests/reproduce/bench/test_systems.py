"""The systems of a bench, ours and, where they are installed, other tools: one protocol, one measure, one rule."""

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from refrank.datasets import cubic_polynomial
from refrank.estimators.registry import ALGORITHMS
from refrank.metrics import parse_measure
from refrank.metrics.averaging import mean_of_queries
from refrank.metrics.queries import group_rows
from refrank.reproduce.bench.peers import PEERS, check_installed
from refrank.reproduce.bench.search import draw_configuration
from refrank.reproduce.bench.systems import Limits, System, make_system, set_limits

TRAIN, VALID, TEST = (cubic_polynomial(8, n_docs=12, n_features=4, n_reference=500, random_state=i) for i in range(3))
LIMITS = Limits(parse_measure("ndcg@5 lightgbm"), n_rounds=8, patience=3, seed=1, n_threads=1)
SCATTERED = np.random.default_rng(0).permutation(len(TRAIN.y))


def find_system(name):
    """A system by name; skip if it is a tool that is not installed."""
    if name in ALGORITHMS:
        return make_system(name)
    for package in PEERS[name].packages:
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    return PEERS[name]


def train(name, number=1, rows=slice(None), **limits):
    system = find_system(name)
    configuration = draw_configuration(name, system.space, 0, number)
    of_train = replace(TRAIN, X=TRAIN.X[rows], y=TRAIN.y[rows], qid=TRAIN.qid[rows])
    return system.fit(configuration, of_train, VALID, replace(LIMITS, **limits))


@pytest.mark.parametrize("name", [*ALGORITHMS, *PEERS])
def test_a_system_is_cut_at_the_first_best_round_by_our_measure(name):
    for number in (1, 2):
        fitted = train(name, number)
        history, best = fitted.history.tolist(), fitted.n_rounds
        of_chosen = mean_of_queries(LIMITS.measure(VALID.y, fitted.predict(VALID.X), VALID.qid))
        assert of_chosen == max(history)
        if best is None:
            assert len(history) == 1
        else:
            assert best == 1 + int(np.argmax(history))
            assert len(history) == min(8, best + 3)


@pytest.mark.parametrize("name", ["lambdamart", *PEERS])
def test_threads_change_no_bit_and_rows_of_a_query_may_be_scattered(name):
    scores = [train(name, 2, n_threads=n).predict(TEST.X).tolist() for n in (1, 2, None)]
    assert scores[0] == scores[1] == scores[2]
    assert len(set(scores[0])) > 1
    by_query = SCATTERED[group_rows(TRAIN.qid[SCATTERED], len(SCATTERED)).rows]
    scattered, sorted_once = (train(name, 2, rows).predict(TEST.X).tolist() for rows in (SCATTERED, by_query))
    assert scattered == sorted_once


def test_rankers_get_the_limits_that_they_have():
    forest, net = (ALGORITHMS[name].ranker for name in ("rf", "lambdarank"))
    assert set_limits(forest, LIMITS) == {"n_trees": 8, "random_state": 1, "n_threads": 1, "missing": None}
    assert set_limits(net, LIMITS) == {"n_epochs": 8, "random_state": 1}


@pytest.mark.parametrize("name", PEERS)
def test_defaults_are_those_of_the_tool(name):
    """Configuration 1 says in words what the tool does when it is told nothing."""
    system, limits = find_system(name), replace(LIMITS, n_rounds=3)
    configuration = draw_configuration(name, system.space, 0, 1)
    by_default, by_words = (system.fit(given, TRAIN, VALID, limits) for given in ({}, configuration))
    assert by_default.predict(TEST.X).tolist() == by_words.predict(TEST.X).tolist()


def test_a_tool_that_is_not_installed_is_said_to_be_missing():
    with pytest.raises(ValueError, match="--peers mine: nowhere is not there: pip install nowhere"):
        check_installed(System("mine", {}, lambda *_: None, ("nowhere",)))
