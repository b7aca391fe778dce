"""`refrank.mcrank.lad_boosting`: Friedman's Algorithm 3, its medians and the ranker."""

import math
from functools import partial
from itertools import pairwise
from statistics import median as definition

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from refrank.estimators.lad_boosting import LADBoostRanker
from refrank.mcrank.lad_boosting import lad_boosting, median
from refrank.metrics import ndcg
from refrank.trees import splitting
from refrank.trees.binning import bin_features
from refrank.trees.engine import DEFAULT_SPLITTER
from refrank.trees.growth import grow_best_first

SIXTEENTHS = st.integers(-40, 40).map(lambda k: k / 16)  # their sums and means are exact


@st.composite
def problems(draw):
    """Rows of two features with ties, and labels 0..3."""
    n = draw(st.integers(2, 14))
    X = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=n, max_size=n))
    y = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    return np.array(X, float), np.array(y)


def grower(X, splitter=DEFAULT_SPLITTER, n_threads=1, n_leaves=3):
    binned = bin_features(X, 256, splitter=splitter)
    return partial(grow_best_first, binned, n_leaves=n_leaves, splitter=splitter, n_threads=n_threads)


def algorithm_3(y, M, nu, regions):
    """Friedman's Algorithm 3 word for word, on lists; regions(sign) fits a tree and lists the rows of its leaves."""
    n = len(y)
    F = [definition(y)] * n
    after = [F]
    for _ in range(M):
        residual = [y[i] - F[i] for i in range(n)]
        sign = [(r > 0) - (r < 0) for r in residual]
        F = [*F]
        for region in regions(sign):
            gamma = definition([residual[i] for i in region])
            for i in region:
                F[i] += nu * gamma
        after.append(F)
    return after


def regions_by(X):
    """A tree grown by the specification on what it is given, as lists of rows."""
    grow = grower(X, splitting)

    def regions(sign):
        _, leaves = grow(np.array(sign, float))
        return [part.tolist() for part in np.split(leaves.rows, leaves.starts[1:-1])]

    return regions


@given(problems(), st.sampled_from([1.0, 0.5, 0.05]))
def test_scores_equal_the_transcription_of_algorithm_3(problem, learning_rate):
    X, y = problem
    target = np.ldexp(1.0, y) - 1
    scores = [turn.scores.tolist() for turn in lad_boosting(target, grower(X), 4, learning_rate)]
    assert scores == algorithm_3(target.tolist(), 4, learning_rate, regions_by(X))


@given(problems())
def test_the_absolute_error_never_rises(problem):
    """A part of the way to a leaf's median never adds to its sum of absolute errors; all is exact here."""
    X, y = problem
    target = np.ldexp(1.0, y) - 1
    losses = [math.fsum(abs(target - turn.scores)) for turn in lad_boosting(target, grower(X), 4, 0.5)]
    assert all(after <= before for before, after in pairwise(losses))


@given(st.lists(SIXTEENTHS, min_size=1, max_size=12))
def test_median_is_the_middle_or_the_mean_of_the_middle_two(values):
    assert median(np.array(values)) == definition(values)


@given(st.lists(st.tuples(SIXTEENTHS, st.integers(0, 4)), min_size=1, max_size=10), st.sampled_from([1.0, 0.25, 3.0]))
def test_weighted_median_counts_a_row_of_weight_two_as_two(rows, unit):
    values, times = (np.array(column, float) for column in zip(*rows, strict=True))
    expected = [value for value, count in rows for _ in range(count)]
    assert median(values, unit * times) == (definition(expected) if expected else 0.0)


@given(st.lists(st.tuples(SIXTEENTHS, st.floats(0.001, 1000)), min_size=1, max_size=10), st.randoms())
def test_weighted_median_does_not_depend_on_the_order_of_rows(rows, random):
    mixed = random.sample(rows, len(rows))
    assert median(*np.array(rows).T) == median(*np.array(mixed).T)


@given(problems(), st.lists(st.integers(1, 3), min_size=14, max_size=14))
def test_weights_of_one_change_nothing_and_a_row_of_weight_two_counts_as_two(problem, times):
    X, y = problem
    target, times = np.ldexp(1.0, y) - 1, np.array(times)[: len(y)]

    def boost(X, target, weight=None):
        return [turn.scores for turn in lad_boosting(target, grower(X), 3, 0.5, weight)]

    assert_array_equal(boost(X, target), boost(X, target, np.ones(len(y))))
    # gains and medians are functions of the counts of rows, here of small integers and thus exact
    first = np.cumsum(times) - times
    repeated = [scores[first] for scores in boost(np.repeat(X, times, axis=0), np.repeat(target, times))]
    assert_array_equal(repeated, boost(X, target, times.astype(float)))


@given(problems())
def test_records_hold_the_tree_before_the_shrinkage_and_read_only_scores(problem):
    X, y = problem
    previous = None
    for turn in lad_boosting(y.astype(float), grower(X), 3, 0.5):
        if turn.number:
            leaf = turn.tree.value[turn.tree.feature < 0]
            steps = set(((turn.scores - previous) * 2).tolist())
            assert steps <= set(leaf.tolist())
        previous = turn.scores.copy()
        with pytest.raises(ValueError, match="read-only"):
            turn.scores[0] = 1


def data(n_samples=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 4))
    return X, np.clip(np.rint(X[:, 0] + X[:, 1] * X[:, 2] + 1), 0, 3).astype(int), np.arange(n_samples) // 10


@pytest.mark.parametrize("target", ["2^k-1", "k"])
def test_the_ranker_is_the_algorithm(target):
    X, y, qid = data()
    ranker = LADBoostRanker(n_rounds=5, n_leaves=4, learning_rate=0.25, target=target).fit(X, y, qid)
    *_, last = lad_boosting(
        np.ldexp(1.0, y) - 1 if target == "2^k-1" else y.astype(float), grower(X, n_leaves=4), 5, 0.25
    )
    assert_array_equal(ranker.predict(X), last.scores)
    assert_array_equal(list(ranker.staged_predict(X))[-1], last.scores)


def test_the_ranker_learns_and_threads_change_no_bit():
    X, y, qid = data()
    one, two = (LADBoostRanker(n_rounds=100, learning_rate=0.1, n_threads=n).fit(X, y, qid).predict(X) for n in (1, 2))
    assert_array_equal(one, two)
    assert ndcg(y, one, qid) > 0.9  # of its training rows; 0.6 by chance


def test_a_majority_of_one_label_stays_where_the_first_median_is():
    """All leaves have the lowest label as their median: no tree moves a score, so all rows are tied."""
    X, y = np.arange(10.0).reshape(-1, 1) % 2, np.array([0, 0, 0, 0, 0, 0, 1, 2, 0, 0])
    *_, last = lad_boosting(y.astype(float), grower(X), 5, 0.5)
    assert_array_equal(last.scores, np.zeros(10))
