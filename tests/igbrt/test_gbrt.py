"""`refrank.igbrt.gbrt`: Algorithm 2 against a literal transcription, and against scikit-learn."""

from dataclasses import replace
from functools import partial

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import GradientBoostingRegressor

from refrank import GBRTRanker
from refrank.igbrt.classification import hold_proba
from refrank.igbrt.gbrt import gbrt
from refrank.trees.bins.binning import bin_features
from refrank.trees.growth.grower import Grower
from refrank.trees.model.ensemble import Ensemble
from refrank.trees.model.tree import Tree
from tests.oracles import igbrt as naive_igbrt
from tests.strategies import ENGINE, columns_of, rng_of
from tests.strategies.igbrt import DeepCase, deep_cases

pytestmark = pytest.mark.kernel

ALPHAS = st.sampled_from([0.1, 0.25, 0.5, 1.0])


def grow_of(case: DeepCase, max_depth: int):
    return Grower(case.binned(), max_depth=max_depth, min_samples_leaf=case.small.min_samples_leaf)


def cart_of(case: DeepCase, max_depth: int):
    """Cart(., f, d) of the oracle."""
    return partial(case.all_features, max_depth=max_depth)


@pytest.mark.paper("iGBRT Eq. 2", "iGBRT Eq. 3")
@pytest.mark.paper("iGBRT Alg. 2, line 1", "iGBRT Alg. 2, line 2", "iGBRT Alg. 2, line 3", "iGBRT Alg. 2, line 5")
@settings(max_examples=40)
@given(deep_cases(max_samples=18), st.sampled_from([1, 2, 4]), ALPHAS)
def test_residuals_equal_the_transcription_of_algorithm_2(case, max_depth, alpha):
    """And the scores those of line 8, T(.) = alpha sum_t T_t(.), on the training rows, tree after tree."""
    turns = gbrt(case.small.residual, grow_of(case, max_depth), 4, alpha, case.small.weight)
    oracle = list(naive_igbrt.algorithm_2(case.small.residual.tolist(), cart_of(case, max_depth), 4, alpha))
    trees = same_rounds(turns, oracle)
    assert scores_of(trees, case, alpha) == add_trees(oracle, case, alpha)


def same_rounds(turns, oracle) -> list[Tree]:
    """The trees of the rounds, whose residuals are those of the oracle."""
    trees = []
    for number, (turn, (tree, residual)) in enumerate(zip(turns, oracle, strict=True), start=1):
        assert turn.number == number
        assert turn.residual.tolist() == residual
        assert turn.tree.feature.tolist() == [node.feature for node in tree.nodes]
        trees.append(turn.tree)
    return trees


def scores_of(trees, case: DeepCase, alpha: float) -> list[float]:
    return Ensemble((0.0,), tuple((tree,) for tree in trees), alpha).scores(case.X, ENGINE)[:, 0].tolist()


def add_trees(oracle, case: DeepCase, alpha: float) -> list[float]:
    """The sum of the oracle's steps on the training rows."""
    scores = [0.0] * len(case.X)
    for tree, _ in oracle:
        for i, codes in enumerate(zip(*columns_of(case.binned()), strict=True)):
            scores[i] += alpha * naive_igbrt.value_at(tree, codes)
    return scores


@settings(max_examples=40)
@given(deep_cases(max_samples=18), st.sampled_from([1, 2]), ALPHAS)
def test_a_round_ends_with_what_it_is_told_to_hold(case, max_depth, alpha):
    """F within [0, 1] after each round, and so y - F within [y - 1, y]: what the next round is fitted to."""
    y = (case.small.residual > 0).astype(np.float64)
    case = replace(case, small=replace(case.small, residual=y))
    turns = gbrt(y, grow_of(case, max_depth), 4, alpha, case.small.weight, hold=partial(hold_proba, y))
    bounds = [(label - 1, label) for label in y.tolist()]
    oracle = naive_igbrt.algorithm_2(y.tolist(), cart_of(case, max_depth), 4, alpha, bounds)
    same_rounds(turns, oracle)


def test_the_residual_of_a_round_cannot_be_written_to():
    y = np.arange(4.0)
    turn = next(gbrt(y, Grower(bin_features(y[:, np.newaxis], 256, engine=ENGINE), max_depth=1), 1, 0.5))
    with pytest.raises(ValueError, match="read-only"):
        turn.residual[0] = 1.0
    assert y.tolist() == [0.0, 1.0, 2.0, 3.0]  # nor is the caller's target


@pytest.mark.parametrize("initial", ["zero", "mean"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("max_depth", [1, 3, 4])
def test_scikit_learn_gives_the_same_scores(initial, weighted, max_depth):
    """Every distinct value has its own bin: both try the same cuts.

    Below the root scikit-learn's cut is the middle between two values of the node, ours of the gap between two bins:
    the training rows are parted alike, others need not be, and are compared for trees of one cut only.

    Continuous targets make ties between cuts improbable. Both add 40 rounded steps to scores of order 1, and
    scikit-learn sums leaves in floats: 1e-9 is a thousand times what that can come to.
    """
    rng = rng_of(7)
    X = rng.permuted(np.tile(np.arange(150.0), (5, 1)), axis=1).T / 8
    y = np.sin(X[:, 0]) + X[:, 1] / 9 + rng.normal(size=150) / 5 + 2.0
    weight = rng.uniform(0.5, 2.0, 150) if weighted else None
    common = {"max_depth": max_depth, "learning_rate": 0.3}
    theirs = GradientBoostingRegressor(n_estimators=40, init="zero" if initial == "zero" else None, **common)
    ours = GBRTRanker(n_rounds=40, initial=initial, **common)
    for model in (ours, theirs):
        model.fit(X, y, sample_weight=weight)
    between = X[:, rng.permutation(5)] + 0.01  # none of them in the middle of a gap
    for rows in (X, between) if max_depth == 1 else (X,):
        np.testing.assert_allclose(ours.predict(rows), theirs.predict(rows), rtol=0, atol=1e-9)


def test_a_forked_process_changes_no_bit_and_does_not_wait_for_threads():
    """OpenMP's threads stay behind in a fork."""
    X = rng_of(1).integers(0, 9, (60_000, 12)).astype(np.float64)  # enough entries for the kernel to use its threads
    y = np.clip(X[:, 0] * X[:, 1], 0, 2)
    ranker = GBRTRanker(n_rounds=2, setting="classification", n_threads=2)
    alone = ranker.fit(X, y).predict(X)
    (forked,) = joblib.Parallel(2, backend="multiprocessing")([joblib.delayed(fit_and_predict)(ranker, X, y)])
    assert forked.tobytes() == alone.tobytes()


def fit_and_predict(ranker, X, y):
    return ranker.fit(X, y).predict(X)
