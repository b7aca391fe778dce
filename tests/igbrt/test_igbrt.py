"""`refrank.igbrt.igbrt`: Algorithm 3 against a literal transcription, and against its two halves."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings

from refrank import GBRTRanker, IGBRTRanker, RandomForestRanker
from refrank.igbrt.gbrt import GBRTModel, gbrt
from refrank.igbrt.igbrt import IGBRTModel, igbrt
from refrank.trees.binning import bin_features
from refrank.trees.engine import DEFAULT_SPLITTER
from refrank.trees.growth import grow_to_depth
from tests.igbrt.test_gbrt import ALPHAS, cart_of, grow_of
from tests.igbrt.test_random_forest import forest_of
from tests.oracles import igbrt as naive_igbrt
from tests.strategies import columns_of, rng_of
from tests.strategies.igbrt import deep_cases

pytestmark = pytest.mark.kernel


def data(n_samples=200, seed=0):
    rng = rng_of(seed)
    X = rng.normal(size=(n_samples, 6))
    return X, np.clip(np.rint(X[:, 0] + X[:, 1] * X[:, 2] + 1), 0, 4).astype(np.int64)


@settings(max_examples=40)
@given(deep_cases(max_samples=18), ALPHAS)
def test_the_run_equals_the_transcription_of_algorithm_3(case, alpha):
    """Lines 1 to 9: the forest's scores, the residuals of every round, T = F + alpha sum_t T_t."""
    X = np.where(case.holes, np.inf, case.small.X)
    forest, y = forest_of(case), case.small.residual
    forest_scores = forest.scores(X, DEFAULT_SPLITTER, 1)
    turns = list(igbrt(y, forest_scores, grow_of(case, 2), 3, alpha, case.small.weight))
    residuals = []
    for turn in igbrt(y, forest_scores, grow_of(case, 2), 3, alpha, case.small.weight):
        residuals.append(turn.residual.tolist())
    oracle = list(naive_igbrt.algorithm_3(y.tolist(), forest_scores.tolist(), cart_of(case, 2), 3, alpha))
    assert residuals == [residual for _, residual in oracle]
    model = IGBRTModel(forest, GBRTModel(0.0, tuple(turn.tree for turn in turns), alpha))
    expected = []
    for i, codes in enumerate(zip(*columns_of(case.binned()), strict=True)):
        steps = 0.0
        for tree, _ in oracle:
            steps += alpha * naive_igbrt.value_at(tree, codes)
        expected.append(forest_scores[i] + steps)
    assert model.scores(X, DEFAULT_SPLITTER, 1).tolist() == expected


@pytest.mark.parametrize("setting", ["regression", "classification"])
def test_a_forest_of_no_trees_is_gbrt_to_the_bit(setting):
    X, y = data()
    common = {"n_rounds": 6, "max_depth": 3, "learning_rate": 0.3, "setting": setting}
    ours, plain = IGBRTRanker(n_trees=0, **common).fit(X, y), GBRTRanker(**common).fit(X, y)
    assert ours.predict(X).tobytes() == plain.predict(X).tobytes()
    for one, other in zip(ours.staged_predict(X), plain.staged_predict(X), strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("setting", ["regression", "classification"])
def test_the_forest_is_the_one_grown_alone(setting):
    X, y = data()
    ours = IGBRTRanker(n_trees=5, n_rounds=2, setting=setting, random_state=3).fit(X, y)
    forest = RandomForestRanker(n_trees=5, setting=setting, random_state=3).fit(X, y)
    for one, other in zip(ours.models_, forest.models_, strict=True):
        assert one.forest.scores(X, DEFAULT_SPLITTER, 1).tobytes() == other.scores(X, DEFAULT_SPLITTER, 1).tobytes()


def test_boosting_starts_from_what_the_forest_leaves():
    """Line 2: the first boosted tree is fitted to y - F(x), not to y."""
    X, y = data()
    ours = IGBRTRanker(n_trees=5, n_rounds=1, max_depth=2).fit(X, y)
    residual = y - ours.models_[0].forest.scores(X, DEFAULT_SPLITTER, 1)
    alone = GBRTRanker(n_rounds=1, max_depth=2).fit(X, residual)
    assert ours.models_[0].boosting.rounds[0].value.tobytes() == alone.models_[0].rounds[0].value.tobytes()


def test_the_generator_is_algorithm_2_on_the_residual():
    """One loop, written once: what differs is where it starts."""
    X, y = data(50)
    binned = bin_features(X, 256, splitter=DEFAULT_SPLITTER)
    grow = partial(grow_to_depth, binned, max_depth=2, splitter=DEFAULT_SPLITTER)
    forest = np.linspace(0, 2, 50)
    pairs = zip(igbrt(y.astype(float), forest, grow, 3, 0.5), gbrt(y - forest, grow, 3, 0.5), strict=True)
    assert all(ours.residual.tobytes() == theirs.residual.tobytes() for ours, theirs in pairs)
