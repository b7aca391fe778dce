"""`refrank.igbrt.random_forest`: Algorithm 1, tree by tree, in any order, by any number of workers."""

from dataclasses import replace
from functools import partial

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refrank import RandomForestRanker
from refrank.estimators.forest_workers import choose_map
from refrank.estimators.igbrt import average_trees
from refrank.igbrt.random_forest import bootstrap_counts, predict_out_of_bag, random_forest
from refrank.trees.bins.binning import bin_features
from refrank.trees.engine import DEFAULT_SPLITTER, Engine
from refrank.trees.growth.forest_growth import grow_forest_tree
from refrank.trees.model.ensemble import Ensemble
from refrank.trees.numbers.draws import FEATURES, tree_key
from tests.igbrt.rankers import data
from tests.oracles import igbrt as naive_igbrt
from tests.strategies import ENGINE, SEEDS, columns_of, rng_of, weights
from tests.strategies.igbrt import DeepCase, deep_cases
from tests.trees.compare import same_tree, same_trees

pytestmark = pytest.mark.kernel

N_TREES = 4


def grow_of(case: DeepCase):
    least = case.small.min_samples_leaf
    return partial(grow_forest_tree, case.binned(), n_candidates=case.n_candidates, min_samples_leaf=least)


def forest_of(case: DeepCase) -> Ensemble:
    turns = random_forest(case.small.residual, grow_of(case), N_TREES, case.seed, case.small.weight)
    return sum_of(turn.tree for turn in turns)


def sum_of(trees) -> Ensemble:
    return Ensemble((0.0,), tuple((tree,) for tree in trees), 1.0)


def mean_of(forest: Ensemble, X, every: int = 99) -> np.ndarray:
    """Line 5: what a forest predicts."""
    return next(average_trees(forest, X, 1, every))[:, 0]


@pytest.mark.paper("iGBRT Alg. 1, line 1", "iGBRT Alg. 1, line 2", "iGBRT Alg. 1, line 3")
@settings(max_examples=30)
@given(deep_cases())
def test_scores_equal_the_naive_forest_under_replayed_draws(case):
    """Algorithm 1 from line 1 to 5, its draws made once more; leaves and cuts on bin labels, equal to the bit."""
    trees = [case.drawn(t) for t in range(N_TREES)]
    expected = naive_igbrt.forest_scores(trees, list(zip(*columns_of(case.binned()), strict=True)))
    assert mean_of(forest_of(case), case.X).tolist() == expected


@given(deep_cases(), SEEDS)
def test_a_tree_depends_on_the_rows_that_it_draws_and_not_on_their_order(case, seed):
    """Rows that are moved together with their numbers of draws grow the same tree, feature draws included."""
    small = case.small
    rows = rng_of(seed).permutation(len(small.X))
    weight = None if small.weight is None else small.weight[rows]
    moved = replace(small, X=small.X[rows], residual=small.residual[rows], weight=weight)
    moved = replace(case, small=moved, holes=case.holes[rows])
    counts, key = bootstrap_counts(case.seed, case.tree, len(rows)), tree_key(case.seed, case.tree, FEATURES)
    ours = grow_of(case)(small.residual, small.weight, counts, key=key)
    theirs = grow_of(moved)(moved.small.residual, weight, counts[rows], key=key)
    same_tree(ours, theirs)


def test_a_forest_draws_by_the_place_of_a_row():
    """The same rows in another order: the same seed draws other rows, so the scores of whole forests differ."""
    X, y = data()
    rows = rng_of(0).permutation(len(y))
    as_is, moved = RandomForestRanker(n_trees=5).fit(X, y), RandomForestRanker(n_trees=5).fit(X[rows], y[rows])
    assert abs(as_is.predict(X) - moved.predict(X)).max() > 0.1


@given(deep_cases(), st.permutations(range(N_TREES)), st.integers(0, N_TREES))
def test_neither_the_order_of_growing_nor_the_first_tree_changes_a_bit(case, order, first):
    def in_any_order(function, numbers):
        assert [*numbers] == [*range(first, N_TREES)]
        grown = {t: function(t) for t in order if t >= first}
        return [grown[t] for t in range(first, N_TREES)]

    grow, weight = grow_of(case), case.small.weight
    turns = list(random_forest(case.small.residual, grow, N_TREES, case.seed, weight, each=in_any_order, first=first))
    assert [turn.number for turn in turns] == [*range(first, N_TREES)]
    same_trees([turn.tree for turn in turns], [tree for (tree,) in forest_of(case).rounds[first:]])


@given(deep_cases(), st.data())
def test_predictions_of_labels_0_and_1_are_probabilities(case, data):
    """Sec. 6: leaves are means of labels 0 and 1, and so is what averages them. Exactly within [0, 1].

    Weights that are integers keep this; any others are rounded on their grid, weight and weight times label apart.
    """
    labels = (case.small.residual > np.median(case.small.residual)).astype(np.float64)
    weight = data.draw(weights(len(labels), kinds=("none", "ones", "whole")))
    trees = [turn.tree for turn in random_forest(labels, grow_of(case), N_TREES, case.seed, weight)]
    assert all(((tree.value >= 0) & (tree.value <= 1)).all() for tree in trees)
    scores = mean_of(sum_of(trees), case.X)
    assert ((scores >= 0) & (scores <= 1)).all()


@pytest.mark.paper("iGBRT Alg. 1, line 5")
@given(deep_cases(), st.integers(1, N_TREES + 1))
def test_the_staged_mean_is_that_of_smaller_forests(case, every):
    """After each so many trees, and after those that are left."""
    forest = forest_of(case)
    staged = [scores[:, 0].copy() for scores in average_trees(forest, case.X, 1, every)]
    ends = [min(m, N_TREES) for m in range(every, N_TREES + every, every)]
    for scores, m in zip(staged, ends, strict=True):
        assert scores.tobytes() == mean_of(sum_of(tree for (tree,) in forest.rounds[:m]), case.X).tobytes()


@given(deep_cases())
def test_out_of_bag_scores_equal_a_loop_over_rows(case):
    trees, n = [tree for (tree,) in forest_of(case).rounds], len(case.X)
    ours = predict_out_of_bag(trees, case.X, case.seed, ENGINE)
    single = [mean_of(sum_of([tree]), case.X) for tree in trees]
    drawn = [set(naive_igbrt.drawn_rows(case.seed, t, n)) for t in range(N_TREES)]
    for i in range(n):
        votes = [single[t][i] for t in range(N_TREES) if i not in drawn[t]]
        total = 0.0
        for vote in votes:
            total += vote
        assert ours[i] == total / len(votes) if votes else np.isnan(ours[i])


# --- the ranker ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing", "sequential"])
def test_joblib_workers_change_no_bit(backend):
    """A forest that is fitted in a worker, whatever runs it: processes, forked ones too, or threads."""
    X, y = data(150, 8)
    ranker = RandomForestRanker(n_trees=5, setting="classification", n_threads=2)
    with joblib.parallel_config(backend, n_jobs=2):
        (fitted,) = joblib.Parallel()([joblib.delayed(ranker.fit)(X, y)])
    assert fitted.predict(X).tobytes() == ranker.fit(X, y).predict(X).tobytes()


@pytest.mark.parametrize("value", [0.1, 3])
def test_equal_labels_have_no_out_of_bag_score(value):
    """R^2 divides by their spread, which is 0: rounding must not make it another number."""
    X, _ = data(60, 8)
    assert np.isnan(RandomForestRanker(n_trees=9, oob_score=True).fit(X, np.full(60, value)).oob_score_)


# --- trees are grown when they are asked for -------------------------------------------------------------------------


def run_of_10_000(n_threads: int, grown: list, error: Exception | None = None):
    """A forest whose trees are counted as they are grown."""
    X, y = data(40, 8)
    binned = bin_features(X, 256, engine=Engine(DEFAULT_SPLITTER, n_threads))

    def grow(*arguments, **named):
        if error is not None:
            raise error
        grown.append(1)
        return grow_forest_tree(binned, *arguments, n_candidates=2, **named)

    return random_forest(y.astype(np.float64), grow, 10_000, seed=0, each=choose_map(binned))


@pytest.mark.parametrize(("n_threads", "ahead"), [(1, 0), (2, 4)])
def test_trees_are_grown_when_they_are_asked_for(n_threads, ahead):
    """10,000 trees need not be resident: each is grown, used and let go; at most 2 per thread wait to be asked for."""
    grown = []
    turns = run_of_10_000(n_threads, grown)
    for number in range(5):
        assert next(turns).number == number
    turns.close()  # waits for the trees that are under way
    assert 5 <= len(grown) <= 5 + ahead


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_error_in_a_thread_reaches_the_caller(n_threads):
    with pytest.raises(MemoryError, match="no room for a tree"):
        list(run_of_10_000(n_threads, [], MemoryError("no room for a tree")))
