"""`refrank.igbrt.classification`: Sec. 6, its four problems, what joins them, and footnote 2."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank import GBRTRanker, IGBRTRanker, RandomForestRanker
from refrank.igbrt.classification import Violations, binary_target, count_violations, problem_seeds
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.mcrank.ordinal_boosting import class_proba
from refrank.trees.bins.binning import bin_features
from refrank.trees.growth.grower import Grower
from refrank.trees.model.tree import add_predictions
from tests.igbrt.rankers import RANKERS, data, rankers
from tests.oracles import igbrt as naive_igbrt
from tests.strategies import ENGINE, SEEDS, rng_of
from tests.trees.compare import predict, same_tree


def classes(Ranker, **changed):
    return Ranker(setting="classification", **RANKERS[Ranker] | changed)


@pytest.mark.paper("iGBRT Sec. 6", at="binary_target")
@given(SEEDS, st.integers(2, 7))
def test_the_classes_are_told_apart_by_all_problems_together(seed, n_classes):
    """From b^c_i = (y_i < c) alone, T^{r+1} - T^r is 1 for the label and 0 for all others."""
    y = rng_of(seed).integers(0, n_classes, 30)
    perfect = np.column_stack([binary_target(y, c) for c in range(1, n_classes)])
    for i, label in enumerate(y.tolist()):
        assert perfect[i].tolist() == [float(label < c) for c in range(1, n_classes)]
    proba = class_proba(perfect)
    assert proba.tolist() == [[float(r == label) for r in range(n_classes)] for label in y.tolist()]
    assert expected_relevance(proba).tolist() == y.tolist()


@given(SEEDS)
def test_violations_are_counted_as_footnote_2_describes_them(seed):
    T = rng_of(seed).choice([-0.5, 0.0, 0.25, 0.75, 1.0, 1.5], (12, 3))
    outside = sum(not 0 <= value <= 1 for row in T.tolist() for value in row)
    whole = [[0.0, *row, 1.0] for row in T.tolist()]
    negative = sum(b < a for row in whole for a, b in pairwise(row))
    assert count_violations(T) == Violations(outside, negative)


@given(SEEDS, st.integers(1, 9))
def test_the_first_problem_draws_from_the_seed_itself_and_each_other_from_its_own(seed, n_problems):
    """Seeds of 63 bits, which files and every generator hold; more problems leave the first ones' seeds alone."""
    seeds = problem_seeds(seed, n_problems)
    assert seeds == [seed, *(naive_igbrt.number(seed, c) // 2 for c in range(1, n_problems))]
    assert len(set(seeds)) == n_problems
    assert all(0 <= drawn < 2**63 for drawn in seeds)
    assert problem_seeds(seed, n_problems + 3)[:n_problems] == seeds


@pytest.mark.parametrize("Ranker", [GBRTRanker, IGBRTRanker])
@pytest.mark.parametrize("learning_rate", [0.5, 1.0])
def test_clipping_after_each_round_clips_what_the_next_round_learns_from(Ranker, learning_rate):
    """Round by round, one problem at a time: grow a tree on b - F, add it to F, and clip F to [0, 1]."""
    X, y = data(n_classes=3)
    size = {"n_rounds": 8, "learning_rate": learning_rate, "max_depth": 2, "clip": "each-round", "binning": "app-i"}
    ranker = classes(Ranker, **size).fit(X, y)
    grow = Grower(bin_features(X, 256, engine=ENGINE), max_depth=2)
    expected = []
    for c in (1, 2):
        target = binary_target(y, c)
        F = np.zeros(len(X))
        if Ranker is IGBRTRanker:
            add_predictions([trees[c - 1] for trees in ranker.forest_.rounds], X, 1.0, F, ENGINE)
            F /= 4
        residual, stages = target - F, []
        for trees in ranker.model_.rounds:
            tree, _ = grow(residual)
            same_tree(trees[c - 1], tree)
            values = np.array(predict(tree, X))
            residual = np.minimum(np.maximum(residual - learning_rate * values, target - 1), target)
            F = np.minimum(np.maximum(F + learning_rate * values, 0.0), 1.0)
            stages.append(F)
        expected.append(stages)
    assert ranker.predict_cumulative_proba(X).tolist() == np.column_stack([of[-1] for of in expected]).tolist()
    for stage, scores in enumerate(ranker.staged_predict(X)):
        proba = np.column_stack([of[stage] for of in expected])
        assert scores.tolist() == expected_relevance(class_proba(proba)).tolist()
    assert ranker.count_violations(X).outside == 0
    assert classes(Ranker, **size | {"clip": True}).fit(X, y).count_violations(X).outside > 0


@rankers
def test_what_a_forest_or_a_regression_predicts_has_no_round_to_clip_after(Ranker):
    X, y = data()
    for setting in ("regression", "classification") if Ranker is RandomForestRanker else ("regression",):
        ours, plain = (Ranker(setting=setting, clip=clip, **RANKERS[Ranker]).fit(X, y) for clip in ("each-round", True))
        assert ours.predict(X).tolist() == plain.predict(X).tolist()


@rankers
def test_as_many_classes_as_the_data_have_or_as_are_told(Ranker):
    """Labels 0 to 2, as MQ2008's, make two problems; an empty class below the highest label is one too."""
    X, y = data(n_classes=3)
    ranker = classes(Ranker).fit(X, y)
    assert (ranker.n_classes_, len(ranker.model_.initial), ranker.predict_proba(X).shape[1]) == (3, 2, 3)
    X, y = data()
    y = np.where(y == 2, 3, y)
    assert classes(Ranker).fit(X, y).n_classes_ == 5
    ranker = classes(Ranker, n_classes=7).fit(X, y)
    assert ranker.predict_proba(X).shape[1] == 7
    # every label is below 5 and 6: those problems are constant, and a forest learns them exactly
    if Ranker is RandomForestRanker:
        assert (ranker.predict_cumulative_proba(X)[:, 4:] == 1).all()
