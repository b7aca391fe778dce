"""McRank's successors as estimators: their parameters reach the algorithms; the contract suites have the rest."""

import numpy as np
import pytest

from refrank import LambdaMARTRanker, RobustLogitBoostRanker
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.mcrank.lambdamart import lambdamart
from refrank.mcrank.query_lambdas import prepare_queries
from refrank.mcrank.robust_logitboost import robust_logitboost
from refrank.mcrank.softmax_boosting import softmax
from refrank.trees.bins.binning import bin_features
from refrank.trees.bins.cuts import equal_lengths
from refrank.trees.engine import default_engine
from refrank.trees.growth.grower import Grower
from tests.estimators.cases import QID, X, Y, same_bits, small
from tests.strategies import rng_of

CHANGED = {"n_leaves": 6, "min_samples_leaf": 5, "n_bins": 8, "growth": 1.5, "learning_rate": 0.3, "binning": "app-i"}


def make_grower():
    """The grower that `CHANGED` describes."""
    return Grower(bin_features(X, 8, equal_lengths(1.5), engine=default_engine(1)), n_leaves=6, min_samples_leaf=5)


@pytest.mark.parametrize("weight", [None, 1.0 + np.arange(60) % 3], ids=["plain", "weighted"])
def test_every_parameter_of_robust_logitboost_reaches_the_algorithm(weight):
    *_, last = robust_logitboost(Y, 4, make_grower(), 3, 0.3, weight)
    proba, table = softmax(last.scores), np.array([0.5, 1.5, 4.5, 9.5])
    changed = {**CHANGED, "relevance": lambda k: k**2 + 0.5}
    for left_out in (None, *changed):
        kept = {name: value for name, value in changed.items() if name != left_out}
        ranker = small(RobustLogitBoostRanker, **kept).fit(X, Y, sample_weight=weight)
        assert same_bits(ranker.predict(X), expected_relevance(proba, table)) == (left_out is None), left_out
        assert left_out or same_bits(ranker.predict_proba(X), proba)


def test_every_parameter_of_lambdamart_reaches_the_algorithm():
    *_, last = lambdamart(prepare_queries(Y, QID, 2, 3.0), make_grower(), 3, 0.3)
    changed = {**CHANGED, "truncation": 2, "sigma": 3.0}
    for left_out in (None, *changed):
        kept = {name: value for name, value in changed.items() if name != left_out}
        scores = small(LambdaMARTRanker, **kept).fit(X, Y, QID).predict(X)
        assert same_bits(scores, last.scores) == (left_out is None), left_out


def test_lambdamart_takes_queries_of_any_ids_in_any_order_of_rows():
    order = rng_of(1).permutation(len(Y))
    plain = small(LambdaMARTRanker).fit(X, Y, QID).predict(X)
    named = [f"query {i}" for i in QID[order]]
    assert same_bits(small(LambdaMARTRanker, n_threads=3).fit(X[order], Y[order], named).predict(X), plain)
    assert not same_bits(small(LambdaMARTRanker).fit(X, Y).predict(X), plain)


def test_lambdamart_without_a_pair_to_learn_from_is_refused():
    with pytest.raises(ValueError, match="y: no query has two grades"):
        small(LambdaMARTRanker).fit(X, Y, np.arange(len(Y)))
