"""What the three rankers of iGBRT hand to the algorithms: weights, start, seeds of the problems, rows, threads."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from refrank import GBRTRanker, IGBRTRanker, RandomForestRanker
from refrank.estimators.tree_ranker import Problem
from refrank.igbrt.classification import binary_target
from refrank.igbrt.gbrt import GBRTModel, gbrt
from refrank.igbrt.igbrt import IGBRTModel, igbrt
from refrank.igbrt.random_forest import ForestModel, bootstrap_counts, random_forest
from refrank.trees.binning import bin_features
from refrank.trees.draws import draw
from refrank.trees.engine import DEFAULT_SPLITTER
from refrank.trees.forest_growth import grow_deep_tree
from refrank.trees.growth import grow_to_depth
from tests.strategies import rng_of

weights = pytest.mark.parametrize("weighted", [False, True])
SEED = 7


def problem(weighted):
    """Labels of three grades that follow the features; weights from 1 to 4, or none."""
    rng = rng_of(3)
    X = rng.normal(size=(50, 5))
    y = np.clip(np.rint(X[:, 0] + X[:, 1] * X[:, 2] + 1), 0, 2)
    weight = rng.integers(1, 5, len(y)).astype(np.float64) if weighted else None
    return Problem(bin_features(X, 256, splitter=DEFAULT_SPLITTER), X, y, weight, SEED, 1)


def forest_of(of, n_trees, max_features, min_samples_leaf=1):
    grow = partial(
        grow_deep_tree,
        of.binned,
        n_candidates=max_features,
        min_samples_leaf=min_samples_leaf,
        splitter=DEFAULT_SPLITTER,
    )
    return ForestModel(tuple(turn.tree for turn in random_forest(of.target, grow, n_trees, of.seed, of.weight)))


def cart(of, max_depth, min_samples_leaf):
    return partial(
        grow_to_depth, of.binned, max_depth=max_depth, min_samples_leaf=min_samples_leaf, splitter=DEFAULT_SPLITTER
    )


def same(ranker, of, model):
    fitted = ranker.set_params(n_threads=1, random_state=SEED).fit(of.X, of.target, sample_weight=of.weight)
    expected = model.scores(of.X, DEFAULT_SPLITTER, 1)
    assert fitted.predict(of.X).tobytes() == expected.tobytes()


@weights
def test_a_random_forest_is_algorithm_1(weighted):
    of = problem(weighted)
    same(RandomForestRanker(n_trees=3, max_features=2, min_samples_leaf=2), of, forest_of(of, 3, 2, 2))


@weights
@pytest.mark.parametrize("initial", ["zero", "mean"])
def test_gbrt_is_algorithm_2(weighted, initial):
    of = problem(weighted)
    # whole numbers: NumPy's sums are exact too
    start = 0.0 if initial == "zero" else float(np.average(of.target, weights=of.weight))
    turns = gbrt(of.target - start, cart(of, 2, 3), 4, 0.3, of.weight)
    model = GBRTModel(start, tuple(turn.tree for turn in turns), 0.3)
    same(GBRTRanker(n_rounds=4, max_depth=2, learning_rate=0.3, min_samples_leaf=3, initial=initial), of, model)


@weights
def test_igbrt_is_algorithm_3(weighted):
    of = problem(weighted)
    forest = forest_of(of, 3, 2, 4)
    turns = igbrt(of.target, forest.scores(of.X, DEFAULT_SPLITTER, 1), cart(of, 2, 4), 4, 0.3, of.weight)
    model = IGBRTModel(forest, GBRTModel(0.0, tuple(turn.tree for turn in turns), 0.3))
    settings = {"n_trees": 3, "max_features": 2, "n_rounds": 4, "max_depth": 2, "learning_rate": 0.3}
    same(IGBRTRanker(**settings, min_samples_leaf=4), of, model)


def out_of_bag(of, forest):
    """Mean over the trees that did not draw a row, tree by tree; NaN where all did."""
    values = np.array([ForestModel((tree,)).scores(of.X, DEFAULT_SPLITTER, 1) for tree in forest.trees])
    out = np.array([bootstrap_counts(of.seed, t, len(of.X)) == 0 for t in range(len(forest.trees))])
    return [sum(v[o].tolist()) / o.sum() if o.any() else np.nan for v, o in zip(values.T, out.T, strict=True)]


def test_out_of_bag_scores_are_those_of_trees_that_did_not_draw_the_row():
    of = problem(weighted=False)
    ranker = RandomForestRanker(n_trees=4, max_features=2, oob_score=True, random_state=SEED, n_threads=1)
    ranker.fit(of.X, of.target)
    expected = np.array(out_of_bag(of, forest_of(of, 4, 2)))
    np.testing.assert_array_equal(ranker.oob_prediction_, expected)
    seen = ~np.isnan(expected)
    assert 0 < seen.sum() < len(seen)
    residual, spread = of.target[seen] - expected[seen], of.target[seen] - of.target[seen].mean()
    # sums of some dozen rows, in another order than the ranker's
    assert ranker.oob_score_ == pytest.approx(1 - (residual @ residual) / (spread @ spread), rel=1e-12)


def test_out_of_bag_scores_of_a_classification_take_the_seed_of_each_problem():
    of = problem(weighted=False)
    ranker = RandomForestRanker(
        n_trees=4, max_features=2, oob_score=True, random_state=SEED, n_threads=1, setting="classification"
    ).fit(of.X, of.target)
    expected = []
    for c, seed in ((1, SEED), (2, draw(SEED, 1) >> 1)):
        below = replace(of, target=binary_target(of.target.astype(int), c), seed=seed)
        expected.append(out_of_bag(below, forest_of(below, 4, 2)))
    at_most_0, at_most_1 = np.array(expected)
    # the classes 0, 1 and 2 have the probabilities P(0), P(1) - P(0) and 1 - P(1)
    scores = (at_most_1 - at_most_0) + 2 * (1 - at_most_1)
    np.testing.assert_allclose(ranker.oob_prediction_, scores, rtol=0, atol=1e-15 * 4)  # roundings of numbers up to 2


def test_a_model_that_a_fork_trains_has_one_thread(monkeypatch):
    """Joblib may run `_train_here` in a fork, where OpenMP's threads are not."""
    asked = []
    monkeypatch.setattr(GBRTRanker, "_train", lambda self, of: asked.append(of.n_threads))
    of = replace(problem(weighted=False), n_threads=3)
    GBRTRanker()._train_here(of)
    monkeypatch.setattr(config, "IMPORTED_BY", -1)
    GBRTRanker()._train_here(of)
    assert asked == [3, 1]
