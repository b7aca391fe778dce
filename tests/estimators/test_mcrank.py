"""McRank's four rankers: each is its algorithm; the choices of a transform and an update; the edges of what works."""

from functools import partial

import numpy as np
import pytest

from refrank import LADBoostRanker, LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.estimators import mcrank
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.mcrank.lad_boosting import lad_boosting
from refrank.mcrank.ls_boosting import ls_boosting
from refrank.mcrank.ordinal_boosting import class_proba, ordinal_boosting
from refrank.mcrank.softmax_boosting import softmax
from refrank.trees.binning import bin_features
from refrank.trees.engine import default_engine
from refrank.trees.growth import grow
from tests.estimators.cases import X, Y, data, same_bits, small

rankers = pytest.mark.parametrize("Ranker", [SoftmaxBoostRanker, OrdinalBoostRanker, LSBoostRanker, LADBoostRanker])
class_rankers = pytest.mark.parametrize("Ranker", [SoftmaxBoostRanker, OrdinalBoostRanker])
updates = pytest.mark.parametrize("update", ["sequential", "simultaneous"])


@rankers
@updates
@pytest.mark.parametrize("weight", [None, 1.0 + np.arange(60) % 3], ids=["plain", "weighted"])
def test_a_model_gives_the_training_rows_the_scores_of_training(Ranker, update, weight):
    """Every parameter reaches the algorithm, and the learning rate the model."""
    binned = bin_features(X, 8, 1.5, engine=default_engine(1))
    grow_tree = partial(grow, binned, n_leaves=6, min_samples_leaf=5)
    if Ranker is SoftmaxBoostRanker:
        *_, last = mcrank.SOFTMAX[update](Y, 4, grow_tree, 3, 0.3, weight)
        expected = expected_relevance(softmax(last.scores))
    elif Ranker is OrdinalBoostRanker:
        *_, last = ordinal_boosting(Y, 4, grow_tree, 3, 0.3, weight, binary=mcrank.BINARY[update])
        expected = expected_relevance(class_proba(last.cumulative_proba))
    else:
        boosting = {LSBoostRanker: ls_boosting, LADBoostRanker: lad_boosting}[Ranker]
        *_, last = boosting(2.0**Y - 1, grow_tree, 3, 0.3, weight)
        expected = last.scores
    changed = {"n_leaves": 6, "min_samples_leaf": 5, "n_bins": 8, "growth": 1.5, "learning_rate": 0.3}
    for left_out in (None, *changed):
        kept = {name: value for name, value in changed.items() if name != left_out}
        ranker = small(Ranker, update=update, **kept).fit(X, Y, sample_weight=weight)
        assert same_bits(ranker.predict(X), expected) == (left_out is None), left_out


@class_rankers
@updates
def test_class_probabilities_give_the_scores(Ranker, update):
    ranker = small(Ranker, update=update, relevance="2^k-1").fit(X, Y)
    proba = ranker.predict_proba(X)
    assert proba.shape == (60, 4)
    assert ranker.relevance_.tolist() == [0.0, 1.0, 3.0, 7.0]
    assert same_bits(ranker.predict(X), expected_relevance(proba, ranker.relevance_))
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=0, atol=1e-15 * 4)  # four roundings


@pytest.mark.paper("McRank Alg. 2, line 0")
@pytest.mark.paper("McRank Alg. 2, line 0")
def test_the_choices_of_a_transform_change_the_scores():
    by_table = {t: small(SoftmaxBoostRanker, relevance=t).fit(X, Y).predict(X).tolist() for t in ("k", "2^k")}
    assert by_table["k"] != by_table["2^k"]
    doubled = small(SoftmaxBoostRanker, relevance=[0, 2, 4, 6]).fit(X, Y).predict(X)
    assert doubled.tolist() == [2 * s for s in by_table["k"]]
    for Ranker in (LSBoostRanker, LADBoostRanker):
        by_gain = small(Ranker).fit(X, Y)
        assert by_gain.target_.tolist() == [0.0, 1.0, 3.0, 7.0]
        by_function = small(Ranker, target=lambda k: 2.0**k - 1).fit(X, Y)
        assert by_gain.predict(X).tolist() == by_function.predict(X).tolist()
        assert by_gain.predict(X).tolist() != small(Ranker, target="k").fit(X, Y).predict(X).tolist()


@pytest.mark.paper("McRank Sec. 3.3", at="check_increasing")
@class_rankers
@pytest.mark.paper("McRank Sec. 3.3", at="check_increasing")
def test_a_relevance_that_does_not_increase_is_refused(Ranker):
    with pytest.raises(ValueError, match=r"relevance at row 3 is 4.0: values must increase"):
        small(Ranker, relevance=[0, 1, 5, 4]).fit(X, Y)


@rankers
def test_the_choice_of_update_is_made_where_a_round_has_several_trees(Ranker):
    one, other = (small(Ranker, update=update).fit(X, Y) for update in ("simultaneous", "sequential"))
    assert same_bits(one.predict(X), other.predict(X)) == issubclass(Ranker, LSBoostRanker)
    if Ranker is OrdinalBoostRanker:  # one tree per problem, or two
        assert [[len(trees) for trees in ranker.model_.rounds] for ranker in (one, other)] == [[3] * 3, [6] * 3]


@rankers
@updates
def test_an_empty_class_at_every_place(Ranker, update):
    X, y, _ = data(n_classes=5)
    for missing in range(5):
        kept = y != missing
        ranker = small(Ranker, update=update, n_classes=6).fit(X[kept], y[kept])
        assert ranker.n_classes_ == 6
        assert np.isfinite(ranker.predict(X)).all()


@rankers
def test_constant_features_give_one_score(Ranker):
    scores = small(Ranker).fit(np.ones((4, 3)), [0, 1, 2, 1]).predict(np.ones((2, 3)))
    assert scores[0] == scores[1]
    assert np.isfinite(scores).all()


@rankers
def test_numbers_of_other_types_and_few_rows_are_taken(Ranker):
    for y in ([False, True, True], np.array([0, 2, 1], np.uint8), [0.0, 1.0, 1.0], np.array([0, 1, 1], np.float16)):
        assert small(Ranker).fit([[0], [1], [2]], y).predict(np.array([[0], [1]], np.int8)).shape == (2,)


@rankers
def test_more_leaves_than_rows(Ranker):
    assert len(small(Ranker, n_leaves=100, min_samples_leaf=50).fit([[0.0], [1.0]], [0, 1]).predict([[0.5]])) == 1


@pytest.mark.filterwarnings("ignore:overflow encountered in multiply:RuntimeWarning")
def test_products_of_weight_and_target_beyond_float64_are_refused():
    with pytest.raises(
        ValueError, match=r"value at row \d+ is inf: a quantity that is summed over rows must be finite"
    ):
        small(LSBoostRanker, target=[0.0, 1e200, 2e200, 3e200]).fit(X, Y, sample_weight=np.full(60, 1e150))
