"""`refrank.igbrt.random_forest`: Algorithm 1, tree by tree, in any order, by any number of workers."""

from functools import partial

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import r2_score

from refrank import RandomForestRanker
from refrank.estimators.igbrt import parallel_each
from refrank.igbrt.random_forest import ForestModel, bootstrap_counts, forest_tree, out_of_bag, random_forest
from refrank.trees.binning import bin_features
from refrank.trees.engine import DEFAULT_SPLITTER
from refrank.trees.forest_growth import grow_deep_tree
from refrank.trees.tree import Tree
from tests.oracles import igbrt as naive_igbrt
from tests.strategies import columns_of, rng_of, weights
from tests.strategies.igbrt import DeepCase, deep_cases, last_bins, listed

pytestmark = pytest.mark.kernel

N_TREES = 4


def same_trees(ours, theirs) -> None:
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        for name in Tree.__dataclass_fields__:
            assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name


def grow_of(case: DeepCase):
    return partial(
        grow_deep_tree,
        case.binned(),
        n_candidates=case.n_candidates,
        min_samples_leaf=case.small.min_samples_leaf,
        splitter=DEFAULT_SPLITTER,
    )


def forest_of(case: DeepCase) -> ForestModel:
    turns = random_forest(case.small.residual, grow_of(case), N_TREES, case.seed, case.small.weight)
    return ForestModel(tuple(turn.tree for turn in turns))


def data(n_samples=300, n_features=8, seed=0, dtype=np.float64):
    rng = rng_of(seed)
    X = rng.normal(size=(n_samples, n_features)).astype(dtype)
    y = np.clip(np.rint(X[:, 0] + X[:, 1] * X[:, 2] + 1), 0, 4).astype(np.int64)
    return X, y


@settings(max_examples=30)
@given(deep_cases())
def test_scores_equal_the_naive_forest_under_replayed_draws(case):
    """Algorithm 1 from line 1 to 5, its draws made once more; leaves and cuts on bin labels, equal to the bit."""
    binned, n = case.binned(), len(case.small.X)
    trees = [
        naive_igbrt.deep_tree(
            *listed(binned, case.small),
            naive_igbrt.drawn_rows(case.seed, t, n),
            features_of=lambda key: naive_igbrt.drawn_features(key, case.n_candidates, binned.n_features),
            key=naive_igbrt.root_key(case.seed, t, 1),
            missing=case.missing,
            last_bin=last_bins(binned),
            min_samples_leaf=case.small.min_samples_leaf,
        )
        for t in range(N_TREES)
    ]
    X = np.where(case.holes, np.inf, case.small.X)
    ours = forest_of(case).scores(X, DEFAULT_SPLITTER, 1)
    assert ours.tolist() == naive_igbrt.forest_scores(trees, list(zip(*columns_of(binned), strict=True)))


@given(deep_cases(), st.integers(0, N_TREES - 1))
def test_a_tree_grown_alone_is_the_tree_of_the_forest(case, t):
    alone = forest_tree(case.small.residual, case.small.weight, grow_of(case), case.seed, t)
    same_trees([alone], [forest_of(case).trees[t]])


@given(deep_cases(), st.randoms(use_true_random=False))
def test_the_order_of_growing_changes_no_bit(case, random):
    def in_any_order(function, numbers):
        numbers = list(numbers)
        shuffled = random.sample(numbers, len(numbers))
        found = {t: function(t) for t in shuffled}
        return [found[t] for t in numbers]

    grow, weight = grow_of(case), case.small.weight
    turns = list(random_forest(case.small.residual, grow, N_TREES, case.seed, weight, each=in_any_order))
    assert [turn.number for turn in turns] == [*range(N_TREES)]
    same_trees([turn.tree for turn in turns], forest_of(case).trees)


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_threads_change_no_bit(n_threads):
    X, y = data()
    one, other = (RandomForestRanker(n_trees=7, n_threads=n, random_state=5).fit(X, y) for n in (1, n_threads))
    same_trees(one.models_[0].trees, other.models_[0].trees)
    assert one.predict(X).tobytes() == other.predict(X).tobytes()


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing", "sequential"])
def test_joblib_workers_change_no_bit(backend):
    """The binary problems are joblib tasks, whatever runs them: processes, forked ones too, or threads."""
    X, y = data(150)
    ranker = RandomForestRanker(n_trees=5, setting="classification", n_threads=2)
    alone = ranker.fit(X, y).predict(X)
    with joblib.parallel_config(backend, n_jobs=2):
        assert RandomForestRanker(n_trees=5, setting="classification", n_threads=2).fit(X, y).predict(X).tobytes() == (
            alone.tobytes()
        )


def test_another_seed_is_another_forest_and_trees_differ():
    X, y = data()
    forests = [RandomForestRanker(n_trees=3, random_state=seed).fit(X, y).models_[0] for seed in (0, 0, 1)]
    same_trees(forests[0].trees, forests[1].trees)
    sizes = [tree.value.tobytes() for forest in (forests[0], forests[2]) for tree in forest.trees]
    assert len(set(sizes)) == 6


@given(deep_cases(), st.data())
def test_predictions_of_labels_0_and_1_are_probabilities(case, data):
    """Sec. 6: leaves are means of labels 0 and 1, and so is what averages them. Exactly within [0, 1].

    Whole weights keep this; any others are rounded on their grid, weight and weight times label apart.
    """
    labels = (case.small.residual > np.median(case.small.residual)).astype(np.float64)
    weight = data.draw(weights(len(labels), kinds=("none", "ones", "whole")))
    turns = random_forest(labels, grow_of(case), N_TREES, case.seed, weight)
    trees = tuple(turn.tree for turn in turns)
    assert all(((tree.value >= 0) & (tree.value <= 1)).all() for tree in trees)
    scores = ForestModel(trees).scores(np.where(case.holes, np.inf, case.small.X), DEFAULT_SPLITTER, 1)
    assert ((scores >= 0) & (scores <= 1)).all()


@pytest.mark.parametrize("value", [0.1, 3])
def test_equal_labels_have_no_out_of_bag_score(value):
    """R^2 divides by their spread, which is 0: rounding must not make it another number."""
    X, _ = data(60)
    assert np.isnan(RandomForestRanker(n_trees=9, oob_score=True).fit(X, np.full(60, value)).oob_score_)


@given(deep_cases())
def test_the_staged_mean_is_that_of_smaller_forests(case):
    forest, X = forest_of(case), np.where(case.holes, np.inf, case.small.X)
    staged = list(forest.staged_scores(X, DEFAULT_SPLITTER, 1))
    assert len(staged) == N_TREES
    for m, scores in enumerate(staged, start=1):
        assert scores.tobytes() == ForestModel(forest.trees[:m]).scores(X, DEFAULT_SPLITTER, 1).tobytes()


@given(deep_cases())
def test_stages_of_three_trees_end_with_the_trees_that_are_left(case):
    forest, X = forest_of(case), np.where(case.holes, np.inf, case.small.X)
    each = list(forest.staged_scores(X, DEFAULT_SPLITTER, 1))
    threes = list(forest.staged_scores(X, DEFAULT_SPLITTER, 1, every=3))
    assert [scores.tobytes() for scores in threes] == [each[2].tobytes(), each[3].tobytes()]


@given(deep_cases())
def test_out_of_bag_scores_equal_a_loop_over_rows(case):
    forest, X, n = forest_of(case), np.where(case.holes, np.inf, case.small.X), len(case.small.X)
    ours = out_of_bag(forest.trees, X, case.seed, DEFAULT_SPLITTER, 1)
    single = [ForestModel((tree,)).scores(X, DEFAULT_SPLITTER, 1) for tree in forest.trees]
    drawn = [set(naive_igbrt.drawn_rows(case.seed, t, n)) for t in range(N_TREES)]
    for i in range(n):
        votes = [single[t][i] for t in range(N_TREES) if i not in drawn[t]]
        total = 0.0
        for vote in votes:
            total += vote
        assert ours[i] == total / len(votes) if votes else np.isnan(ours[i])


def test_the_out_of_bag_score_is_r_squared_over_the_rows_that_have_one():
    X, y = data(80)
    ranker = RandomForestRanker(n_trees=4, oob_score=True, max_features=0.9).fit(X, y)
    seen = ~np.isnan(ranker.oob_prediction_)
    assert 0 < seen.sum() < len(y)  # four trees leave out no row of some
    assert ranker.oob_score_ == pytest.approx(r2_score(y[seen], ranker.oob_prediction_[seen]), rel=1e-12)  # two orders


def test_the_classes_out_of_bag_score_is_of_expected_relevance():
    X, y = data(200)
    ranker = RandomForestRanker(n_trees=30, oob_score=True, setting="classification").fit(X, y)
    seen = ~np.isnan(ranker.oob_prediction_)
    assert ((ranker.oob_prediction_[seen] >= 0) & (ranker.oob_prediction_[seen] <= 4)).all()
    assert np.corrcoef(ranker.oob_prediction_[seen], y[seen])[0, 1] > 0.3


def test_counts_are_those_of_the_rows_drawn():
    counts = bootstrap_counts(3, 2, 50)
    assert counts.tolist() == [naive_igbrt.drawn_rows(3, 2, 50).count(i) for i in range(50)]
    assert counts.sum() == 50


def test_a_forest_beats_its_trees_and_the_mean():
    """What a forest is for: its error on new rows is below that of each of its trees, and of the mean."""
    X, y = data(900)
    forest = RandomForestRanker(n_trees=50, max_features=0.5).fit(X[:600], y[:600])
    truth, rows = y[600:], X[600:]

    def error(scores):
        return float(np.mean((truth - scores) ** 2))

    trees = [error(ForestModel((tree,)).scores(rows, DEFAULT_SPLITTER, 1)) for tree in forest.models_[0].trees]
    assert error(forest.predict(rows)) < min(*trees, error(y[:600].mean()))


def test_the_generator_grows_no_tree_before_it_is_asked():
    """10,000 trees need not be resident: each is grown, used and let go."""
    X, y = data(40)
    binned = bin_features(X, 256, splitter=DEFAULT_SPLITTER)
    grown = []

    def grow(*arguments, **named):
        grown.append(1)
        return grow_deep_tree(binned, *arguments, n_candidates=2, splitter=DEFAULT_SPLITTER, **named)

    turns = random_forest(y.astype(np.float64), grow, 10_000, seed=0)
    next(turns)
    next(turns)
    assert len(grown) == 2


def test_threads_grow_a_few_trees_ahead_and_no_forest():
    """Nor with threads is a forest resident: 2 trees a thread at most wait to be asked for."""
    X, y = data(40)
    binned = bin_features(X, 256, splitter=DEFAULT_SPLITTER)
    grown = []

    def grow(*arguments, **named):
        grown.append(1)
        return grow_deep_tree(binned, *arguments, n_candidates=2, splitter=DEFAULT_SPLITTER, **named)

    turns = random_forest(y.astype(np.float64), grow, 10_000, seed=0, each=parallel_each(binned, 2))
    for number in range(5):
        assert next(turns).number == number
    turns.close()  # waits for the trees that are under way
    assert 5 <= len(grown) <= 4 + 5


def test_an_error_in_a_thread_reaches_the_caller():
    X, y = data(40)
    binned = bin_features(X, 256, splitter=DEFAULT_SPLITTER)

    def grow(*arguments, **named):
        raise MemoryError("no room for a tree")

    with pytest.raises(MemoryError, match="no room for a tree"):
        list(random_forest(y.astype(np.float64), grow, 9, seed=0, each=parallel_each(binned, 2)))
