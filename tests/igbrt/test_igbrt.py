"""`refrank.igbrt.igbrt`: Algorithm 3 against a literal transcription, and against its two halves."""

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings

from refrank import IGBRTRanker, RandomForestRanker
from refrank.igbrt.igbrt import igbrt
from tests.igbrt.rankers import data, settings
from tests.igbrt.test_gbrt import ALPHAS, add_trees, cart_of, grow_of, same_rounds, scores_of
from tests.igbrt.test_random_forest import forest_of, mean_of
from tests.oracles import igbrt as naive_igbrt
from tests.strategies.igbrt import deep_cases
from tests.trees.compare import same_trees

pytestmark = pytest.mark.kernel


@pytest.mark.paper("iGBRT Alg. 3, line 2")
@hypothesis_settings(max_examples=40)
@given(deep_cases(max_samples=18), ALPHAS)
def test_the_run_equals_the_transcription_of_algorithm_3(case, alpha):
    """Lines 1 to 8: the forest's scores, the residuals of every round, and the alpha sum_t T_t of line 9."""
    forest_scores, y = mean_of(forest_of(case), case.X), case.small.residual
    turns = igbrt(y, forest_scores, grow_of(case, 2), 3, alpha, case.small.weight)
    oracle = list(naive_igbrt.algorithm_3(y.tolist(), forest_scores.tolist(), cart_of(case, 2), 3, alpha))
    trees = same_rounds(turns, oracle)
    assert scores_of(trees, case, alpha) == add_trees(oracle, case, alpha)


@pytest.mark.paper("iGBRT Alg. 3, line 1")
@settings
def test_the_forest_is_the_one_grown_alone(setting):
    X, y = data()
    ours = IGBRTRanker(n_trees=5, n_rounds=2, setting=setting, random_state=3).fit(X, y)
    forest = RandomForestRanker(n_trees=5, setting=setting, random_state=3).fit(X, y)
    for trees, same in zip(ours.forest_.rounds, forest.model_.rounds, strict=True):
        same_trees(trees, same)
