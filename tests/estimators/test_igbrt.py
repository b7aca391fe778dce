"""iGBRT's three rankers: each is its algorithm, in both settings; importances, targets, seeds, probabilities."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank import GBRTRanker, IGBRTRanker, RandomForestRanker, kernel
from refrank.estimators.explained_share import compute_explained_share
from refrank.igbrt.gbrt import gbrt
from refrank.igbrt.igbrt import igbrt
from refrank.igbrt.random_forest import predict_out_of_bag, random_forest
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.mcrank.ordinal_boosting import class_proba
from refrank.trees import engine
from refrank.trees.bins.binning import bin_features
from refrank.trees.bins.cuts import exact, quantiles
from refrank.trees.growth.forest_growth import grow_forest_tree
from refrank.trees.growth.grower import Grower
from refrank.trees.model.ensemble import Ensemble
from refrank.trees.numbers.draws import draw
from tests.estimators.cases import both_settings, data, learned, same_bits, small, tree_rankers, trees_of
from tests.strategies import rng_of

ENGINE = engine.default_engine(1)
SEED = 7
X, Y, QID = data(80, n_classes=5)


def test_defaults_are_those_of_the_paper():
    """K = 0.1 f, d = 4, M_RF = 1000 of Sec. 7's two, alpha = 0.1; F starts at 0; regression, and NaN an error."""
    printed = {"n_trees": 1000, "max_features": 0.1, "max_depth": 4, "learning_rate": 0.1, "n_rounds": 1000}
    printed |= {"setting": "regression", "missing": None, "initial": "zero"}
    for Ranker, own in ((RandomForestRanker, {}), (GBRTRanker, {}), (IGBRTRanker, {"n_rounds": 500})):
        defaults = Ranker().get_params()
        assert {name: defaults[name] for name in printed if name in defaults}.items() <= (printed | own).items()


class Problem:
    """Labels of three grades that follow the features; weights from 1 to 4, or none."""

    def __init__(self, weighted, binning):
        rng = rng_of(3)
        self.X = rng.normal(size=(50, 5))
        self.y = np.clip(np.rint(self.X[:, 0] + self.X[:, 1] * self.X[:, 2] + 1), 0, 2)
        self.weight = rng.integers(1, 5, 50).astype(np.float64) if weighted else None
        by_quantiles = 12, quantiles, self.weight
        bins = {"quantile": by_quantiles, "app-i": (12,), "exact": (65536, exact)}
        self.binning, self.binned = binning, bin_features(self.X, *bins[binning], engine=ENGINE)

    def forest(self, n_trees, K, least=1, target=None, seed=SEED):
        """The trees of Algorithm 1."""
        grow_tree = partial(grow_forest_tree, self.binned, n_candidates=K, min_samples_leaf=least)
        turns = random_forest(self.y if target is None else target, grow_tree, n_trees, seed, self.weight)
        return [turn.tree for turn in turns]

    def cart(self, max_depth, least):
        return Grower(self.binned, max_depth=max_depth, min_samples_leaf=least)

    def sum_of(self, trees, initial=0.0, learning_rate=1.0):
        return Ensemble((initial,), tuple((tree,) for tree in trees), learning_rate).scores(self.X, ENGINE)[:, 0]

    def fit(self, Ranker, **parameters):
        ranker = small(Ranker, random_state=SEED, binning=self.binning, n_bins=12, **parameters)
        return ranker.fit(self.X, self.y, sample_weight=self.weight)

    def check(self, expected, Ranker, **parameters):
        """Each parameter reaches the algorithm."""
        assert same_bits(self.fit(Ranker, **parameters).predict(self.X), expected)
        for left_out in parameters:
            kept = {name: value for name, value in parameters.items() if name != left_out}
            assert not same_bits(self.fit(Ranker, **kept).predict(self.X), expected), left_out


@pytest.fixture(params=[False, True], ids=["plain", "weighted"])
def weighted(request) -> bool:
    return request.param


@pytest.fixture(params=["quantile", "app-i", "exact"])
def of(request, weighted) -> Problem:
    return Problem(weighted, request.param)


def test_a_random_forest_is_algorithm_1(of):
    of.check(of.sum_of(of.forest(3, 2, 5)) / 3, RandomForestRanker, n_trees=3, max_features=2, min_samples_leaf=5)


@pytest.mark.paper("iGBRT Alg. 2, line 8")
@pytest.mark.parametrize("initial", [{}, {"initial": "mean"}], ids=str)
def test_gbrt_is_algorithm_2(of, initial):
    # whole numbers: NumPy's sums are exact too
    start = float(np.average(of.y, weights=of.weight)) if initial else 0.0
    trees = [turn.tree for turn in gbrt(of.y - start, of.cart(2, 7), 4, 0.3, of.weight)]
    boosting = {"n_rounds": 4, "max_depth": 2, "learning_rate": 0.3, "min_samples_leaf": 7}
    of.check(of.sum_of(trees, start, 0.3), GBRTRanker, **boosting, **initial)


@pytest.mark.paper("iGBRT Alg. 3, line 9")
def test_igbrt_is_algorithm_3(of):
    forest = of.sum_of(of.forest(3, 2, 7)) / 3
    trees = [turn.tree for turn in igbrt(of.y, forest, of.cart(2, 7), 4, 0.3, of.weight)]
    boosting = {"n_rounds": 4, "max_depth": 2, "learning_rate": 0.3, "min_samples_leaf": 7}
    of.check(forest + of.sum_of(trees, 0.0, 0.3), IGBRTRanker, n_trees=3, max_features=2, **boosting)


def test_igbrt_without_a_forest_is_gbrt():
    without, boosted = small(IGBRTRanker, n_trees=0).fit(X, Y), small(GBRTRanker).fit(X, Y)
    assert learned(without)["model_"] == learned(boosted)["model_"]
    assert same_bits(without.predict(X), boosted.predict(X))
    assert without.n_trees_ == 0


@both_settings
def test_out_of_bag_scores_are_those_of_each_problem_with_its_seed(setting):
    of = Problem(weighted=False, binning="quantile")
    ranker = of.fit(RandomForestRanker, n_trees=4, max_features=2, oob_score=True, setting=setting)
    problems = [(of.y < 1, SEED), (of.y < 2, draw(SEED, 1) >> 1)] if setting == "classification" else [(of.y, SEED)]
    forests = [(of.forest(4, 2, target=y.astype(float), seed=seed), seed) for y, seed in problems]
    values = np.column_stack([predict_out_of_bag(trees, of.X, seed, ENGINE) for trees, seed in forests])
    expected = expected_relevance(class_proba(values)) if setting == "classification" else values[:, 0]
    np.testing.assert_array_equal(ranker.oob_prediction_, expected)
    seen = ~np.isnan(expected)
    assert 0 < seen.sum() < len(seen)
    residual, spread = of.y[seen] - expected[seen], of.y[seen] - of.y[seen].mean()
    # sums of some dozen rows, in another order than the ranker's
    assert ranker.oob_score_ == pytest.approx(1 - (residual @ residual) / (spread @ spread), rel=1e-12)


def test_rows_of_two_values_have_an_out_of_bag_score_and_equal_rows_have_none():
    X, y = np.arange(12.0)[:, np.newaxis], np.arange(12) % 2
    forest = RandomForestRanker(n_trees=20, oob_score=True, random_state=0)
    assert np.isfinite(forest.fit(X, y).oob_score_)
    assert np.isnan(forest.fit(X, np.ones(12)).oob_score_)


@given(st.lists(st.floats(-1e308, 1e308), min_size=2, max_size=30, unique=True), st.randoms())
def test_the_out_of_bag_score_depends_on_no_order_and_on_no_scale(y, random):
    order = random.sample(range(len(y)), len(y))
    y = np.array(y)
    scores = np.roll(y, 1)
    assert compute_explained_share(y, scores) == compute_explained_share(y[order], scores[order])
    if np.abs(y).min() > 1e-50 and np.abs(y).max() < 1e50:  # far from underflow
        assert compute_explained_share(y, scores) == compute_explained_share(y * 2.0**40, scores * 2.0**40)


@tree_rankers
def test_a_model_that_a_fork_trains_has_one_thread(Ranker, monkeypatch):
    """OpenMP's threads stay behind in a fork."""
    asked, whole = [], engine.Engine
    monkeypatch.setattr(engine, "Engine", lambda splitter, n: asked.append(n) or whole(splitter, n))
    for imported_by, n_threads in ((kernel.IMPORTED_BY, 3), (-1, 1)):
        monkeypatch.setattr(kernel, "IMPORTED_BY", imported_by)
        small(Ranker, n_threads=3).fit(X, Y).predict(X)
        assert set(asked) == {n_threads}
        asked.clear()


@tree_rankers
def test_each_problem_of_a_classification_is_a_weighted_regression_with_a_seed_of_its_own(Ranker):
    y, weight = np.minimum(Y, 2), 1.0 + np.arange(80) % 3
    more = {"initial": "mean"} if Ranker is GBRTRanker else {}
    more |= {"min_samples_leaf": 5, "n_bins": 12}
    both = small(Ranker, setting="classification", random_state=4, **more).fit(X, y, sample_weight=weight)
    assert (both.n_classes_, len(both.model_.initial)) == (3, 2)
    for c, seed in ((1, 4), (2, draw(4, 1) >> 1)):
        alone = small(Ranker, random_state=seed, **more).fit(X, (y < c).astype(float), sample_weight=weight)
        assert same_bits(both.predict_cumulative_proba(X)[:, c - 1], alone.predict(X))


@tree_rankers
@pytest.mark.parametrize("clip", [False, True])
def test_probabilities_give_the_scores_and_may_be_clipped(Ranker, clip):
    more = {} if Ranker is RandomForestRanker else {"n_rounds": 30, "learning_rate": 1.0, "max_depth": 1}
    ranker = small(Ranker, setting="classification", clip=clip, **more).fit(X, Y)
    learned_ = ranker.predict_cumulative_proba(X)
    assert (ranker.count_violations(X).outside > 0) == bool(more)
    proba = class_proba(np.clip(learned_, 0, 1) if clip else learned_)
    assert same_bits(ranker.predict_proba(X), proba)
    assert same_bits(ranker.predict(X), expected_relevance(proba))


@tree_rankers
def test_probabilities_are_of_the_classification_setting(Ranker):
    ranker = small(Ranker).fit(X, Y)
    assert not hasattr(ranker, "predict_proba")  # scikit-learn's way to say so
    assert not hasattr(ranker, "n_classes_")
    for method in (ranker.predict_cumulative_proba, ranker.count_violations):
        with pytest.raises(ValueError, match="setting is 'regression': class probabilities are learned with"):
            method(X)


def total_gains(trees):
    return np.array([sum(tree.split_gain[tree.feature == f].sum() for tree in trees) for f in range(5)])


@tree_rankers
@both_settings
def test_importances_are_shares_of_the_total_gain(Ranker, setting):
    ranker = small(Ranker, setting=setting).fit(X, Y)
    totals = total_gains(trees_of(ranker))
    # another order of adding
    np.testing.assert_allclose(ranker.feature_importances_, totals / totals.sum(), rtol=1e-12)
    assert ranker.feature_importances_.sum() == pytest.approx(1.0, rel=1e-12)
    before = ranker.feature_importances_
    assert ranker.fit(X[:, ::-1], Y).feature_importances_.tolist() != before.tolist()


def test_importances_of_gains_whose_sum_overflows():
    """Below the largest float64 of each feature, shares are as they were; above it, other features are nothing."""
    ranker = small(RandomForestRanker).fit(X, Y)
    trees, usual = trees_of(ranker), ranker.feature_importances_
    for scale, expected in ((1.7e308 / total_gains(trees).max(), usual), (1.5, (usual == usual.max()).astype(float))):
        for tree in trees:
            tree.split_gain[:] *= scale
        assert all(np.isfinite(tree.split_gain).all() for tree in trees)
        np.testing.assert_allclose(ranker.feature_importances_, expected, rtol=1e-12)  # each gain is rounded once more


@tree_rankers
@pytest.mark.parametrize("value", [0.0, 3.0, -2.5])
def test_constant_targets_are_learned_in_regression(Ranker, value):
    ranker = small(Ranker).fit(X, np.full(80, value))
    expected = value * (1 - 0.9**3) if Ranker is GBRTRanker else value
    np.testing.assert_allclose(ranker.predict(X), expected, rtol=1e-14)  # three steps of alpha, rounded
    assert ranker.feature_importances_.tolist() == [0.0] * 5
    assert np.ptp(small(Ranker).fit([[1.0]], [value]).predict([[1.0], [5.0]])) == 0  # one row alone


@tree_rankers
@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1.0, 1e12, 1e200])
def test_targets_of_any_scale_are_learned(Ranker, scale):
    y = X[:, 0] - 7.25
    ranker = small(Ranker).fit(X, y * scale)
    assert np.corrcoef(ranker.predict(X) / scale, y)[0, 1] > 0.5
    assert np.isfinite(ranker.feature_importances_).all()
