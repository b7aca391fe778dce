"""`refrank.igbrt.igbrt`: Algorithm 3 against a literal transcription, and against its two halves."""

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings

from refrank import IGBRTRanker, RandomForestRanker
from refrank.igbrt.igbrt import igbrt
from refrank.trees.model.ensemble import Ensemble
from tests.igbrt.rankers import data, settings
from tests.igbrt.test_gbrt import ALPHAS, cart_of, grow_of
from tests.igbrt.test_random_forest import forest_of, mean_of
from tests.oracles import igbrt as naive_igbrt
from tests.strategies import ENGINE, columns_of
from tests.strategies.igbrt import deep_cases
from tests.trees.compare import same_trees

pytestmark = pytest.mark.kernel


@pytest.mark.paper("iGBRT Alg. 3, line 2")
@hypothesis_settings(max_examples=40)
@given(deep_cases(max_samples=18), ALPHAS)
def test_the_run_equals_the_transcription_of_algorithm_3(case, alpha):
    """Lines 1 to 9: the forest's scores, the residuals of every round, T = F + alpha sum_t T_t."""
    forest_scores, y = mean_of(forest_of(case), case.X), case.small.residual
    trees, residuals = [], []
    for turn in igbrt(y, forest_scores, grow_of(case, 2), 3, alpha, case.small.weight):
        trees.append((turn.tree,))
        residuals.append(turn.residual.tolist())
    oracle = list(naive_igbrt.algorithm_3(y.tolist(), forest_scores.tolist(), cart_of(case, 2), 3, alpha))
    assert residuals == [residual for _, residual in oracle]
    expected = []
    for i, codes in enumerate(zip(*columns_of(case.binned()), strict=True)):
        steps = 0.0
        for tree, _ in oracle:
            steps += alpha * naive_igbrt.value_at(tree, codes)
        expected.append(forest_scores[i] + steps)
    steps = Ensemble((0.0,), tuple(trees), alpha).scores(case.X, ENGINE)[:, 0]
    assert (forest_scores + steps).tolist() == expected


@pytest.mark.paper("iGBRT Alg. 3, line 1")
@settings
def test_the_forest_is_the_one_grown_alone(setting):
    X, y = data()
    ours = IGBRTRanker(n_trees=5, n_rounds=2, setting=setting, random_state=3).fit(X, y)
    forest = RandomForestRanker(n_trees=5, setting=setting, random_state=3).fit(X, y)
    for one, other in zip(ours.forest_.rounds, forest.model_.rounds, strict=True):
        same_trees(one, other)
