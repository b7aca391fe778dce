"""Cuts midway between the values of a node: against trees without bins, and within the trees of each problem."""

from functools import partial

import numpy as np
import pytest
from sklearn.base import clone

from refrank import GBRTRanker, IGBRTRanker, RandomForestRanker
from refrank.igbrt.classification import problem_seeds
from refrank.igbrt.missing_values import fill_missing, fill_values
from refrank.igbrt.random_forest import bootstrap_counts
from refrank.trees.growth.midpoints import at_midpoints
from tests.estimators.cases import both_settings, data, same_bits, small
from tests.oracles import igbrt as naive
from tests.strategies import rng_of

SEED = 7
X, Y, QID = data(80, n_classes=5)


class NaiveTrees:
    """Trees and forests without bins: grown on the values themselves, with cuts midway between those of each node."""

    def __init__(self, missing):
        rng = rng_of(5)
        rows = rng.integers(-40, 41, (225, 4)) / 40  # values that repeat, and lie midway between others
        self.y = rng.integers(0, 3, 25).astype(np.float64)  # noise: cuts all over the features
        rows = np.where(rng.random(rows.shape) < (0.0 if missing is None else 0.25), np.nan, rows)
        self.given, self.others = rows[:25], rows[25:]
        fill = np.zeros(4) if missing is None else fill_values(self.given, missing, np.nan)
        self.X, self.rows = (fill_missing(part, np.nan, fill).tolist() for part in (self.given, rows))
        parted = missing == "three-way"
        self.missed = [np.inf if parted and np.isnan(column).any() else None for column in self.given.T]
        self.columns = list(zip(*self.X, strict=True))

    def predict(self, tree):
        """Predictions of a tree for the training rows, and for the others."""
        return np.array([naive.value_midway(tree, self.X, x) for x in self.rows])

    def forest(self, n_trees, K):
        total = np.zeros(len(self.rows))
        for t in range(n_trees):
            drawn, key = naive.drawn_rows(SEED, t, len(self.X)), naive.root_key(SEED, t, 1)
            draw_features = partial(naive.drawn_features, n_drawn=K, n_features=4)
            named = {"features_of": draw_features, "key": key, "missed_bin": self.missed}
            total += self.predict(naive.deep_tree(self.columns, self.y.tolist(), None, drawn, **named))
        return total / n_trees

    def boost(self, start, n_rounds, max_depth, rate):
        def cart(residual):
            return naive.deep_tree(self.columns, residual, missed_bin=self.missed, max_depth=max_depth)

        total = np.zeros(len(self.rows))
        for tree, _ in naive.algorithm_2((self.y - start[:25]).tolist(), cart, n_rounds, rate):
            total += rate * self.predict(tree)
        return total


@pytest.mark.parametrize("missing", [None, "mean", "inf", "three-way"])
def test_cuts_midway_between_the_values_of_a_node_are_those_of_naive_trees(missing):
    by_hand, none = NaiveTrees(missing), np.zeros(225)
    forest = by_hand.forest(3, 2)
    expected = {
        RandomForestRanker: forest,
        GBRTRanker: by_hand.boost(none, 3, 3, 0.5),
        IGBRTRanker: forest + by_hand.boost(forest, 3, 3, 0.5),
    }
    every = {"n_trees": 3, "max_features": 2, "n_rounds": 3, "max_depth": 3, "learning_rate": 0.5}
    every |= {"binning": "exact", "random_state": SEED, "missing": missing}
    for Ranker, values in expected.items():
        midway, fixed = (
            small(Ranker, cut_at=cut_at, **{name: value for name, value in every.items() if name in vars(Ranker())})
            for cut_at in ("midpoint", "bins")
        )
        rows = np.concatenate([by_hand.given, by_hand.others])
        assert same_bits(midway.fit(by_hand.given, by_hand.y).predict(rows), values), Ranker
        fixed = fixed.fit(by_hand.given, by_hand.y).predict(rows)
        assert not same_bits(fixed, values)
        if Ranker is GBRTRanker:  # rows that a tree was grown on fall on the same sides
            assert same_bits(fixed[:25], values[:25])


@pytest.mark.parametrize("Ranker", [RandomForestRanker, GBRTRanker])
@both_settings
@pytest.mark.parametrize("missing", [None, "mean", "three-way"])
def test_cuts_midway_move_within_the_trees_of_each_problem(Ranker, setting, missing):
    """Each is the tree with fixed cuts, which have moved between the filled rows that it was grown on."""
    holes = rng_of(0).random(X.shape) < 0.3
    rows = np.where(holes & (missing is not None), np.nan, X)
    filled = rows if missing is None else fill_missing(rows, np.nan, fill_values(rows, missing, np.nan))
    ranker = small(Ranker, setting=setting, missing=missing, n_bins=8)
    fixed, moved = (clone(ranker).set_params(cut_at=at).fit(rows, Y).model_.rounds for at in ("bins", "midpoint"))
    for t, turns in enumerate(zip(fixed, moved, strict=True)):
        for tree, other, seed in zip(*turns, problem_seeds(0, len(turns[0])), strict=True):
            counts = np.ones(len(Y)) if Ranker is GBRTRanker else bootstrap_counts(seed, t, len(Y))
            by_hand = at_midpoints(filled)(tree, np.flatnonzero(counts))
            assert len(tree.cut) == 1 or not same_bits(tree.cut, by_hand.cut)
            assert all(same_bits(getattr(by_hand, name), getattr(other, name)) for name in vars(tree))
