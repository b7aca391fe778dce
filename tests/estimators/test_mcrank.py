"""McRank's rankers: each is its algorithm; what their transforms refuse; the edges of what works."""

import numpy as np
import pytest

from refrank import LADBoostRanker, LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.estimators.mcrank import BoostRanker
from refrank.estimators.mcrank_losses import LossBoostRanker
from refrank.estimators.registry import RANKERS
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.mcrank.lad_boosting import LAD
from refrank.mcrank.loss_boosting import boost
from refrank.mcrank.ls_boosting import LS
from refrank.mcrank.ordinal_boosting import binary_mirrored, binary_sequential, class_proba, ordinal_boosting
from refrank.mcrank.softmax_boosting import softmax, softmax_boosting_sequential, softmax_boosting_simultaneous
from refrank.trees.bins.binning import bin_features
from refrank.trees.bins.cuts import equal_lengths
from refrank.trees.engine import default_engine
from refrank.trees.growth.grower import Grower
from tests.estimators.cases import SUCCESSORS, X, Y, data, same_bits, small

BOOSTERS = {name: kind for name, kind in RANKERS.items() if issubclass(kind, BoostRanker) and name not in SUCCESSORS}
rankers = pytest.mark.parametrize("Ranker", BOOSTERS.values(), ids=BOOSTERS)
class_rankers = pytest.mark.parametrize("Ranker", [SoftmaxBoostRanker, OrdinalBoostRanker])
updates = pytest.mark.parametrize("update", ["sequential", "simultaneous"])
SOFTMAX = {"sequential": softmax_boosting_sequential, "simultaneous": softmax_boosting_simultaneous}
BINARY = {"sequential": binary_sequential, "simultaneous": binary_mirrored}
LOSSES = {LSBoostRanker: LS, LADBoostRanker: LAD}


def run_algorithm(Ranker, update, grow_tree, weight, table):
    """The scores of the training rows after three rounds of the algorithm, and their class probabilities."""
    if issubclass(Ranker, LossBoostRanker):
        loss = LOSSES.get(Ranker) or Ranker().choose_loss()
        *_, last = boost(loss, np.array(table)[Y], grow_tree, 3, 0.3, weight)
        return last.scores, None
    if Ranker is SoftmaxBoostRanker:
        *_, last = SOFTMAX[update](Y, 4, grow_tree, 3, 0.3, weight)
        proba = softmax(last.scores)
    else:
        *_, last = ordinal_boosting(Y, 4, grow_tree, 3, 0.3, weight, binary=BINARY[update])
        proba = class_proba(last.cumulative_proba)
    return expected_relevance(proba, np.array(table)), proba


@pytest.mark.paper("McRank Alg. 2, line 0")
@rankers
@updates
@pytest.mark.parametrize("weight", [None, 1.0 + np.arange(60) % 3], ids=["plain", "weighted"])
def test_a_model_gives_the_training_rows_the_scores_of_training(Ranker, update, weight):
    """Every parameter reaches the algorithm, and the learning rate the model."""
    grow_tree = Grower(bin_features(X, 8, equal_lengths(1.5), engine=default_engine(1)), n_leaves=6, min_samples_leaf=5)
    by_loss = issubclass(Ranker, LossBoostRanker)
    transform, default = ("target", [0.0, 1.0, 3.0, 7.0]) if by_loss else ("relevance", [0.0, 1, 2, 3])
    changed = {"n_leaves": 6, "min_samples_leaf": 5, "n_bins": 8, "growth": 1.5, "learning_rate": 0.3}
    changed["binning"] = "app-i"
    ranker = small(Ranker, update=update, **changed).fit(X, Y, sample_weight=weight)
    scores, proba = run_algorithm(Ranker, update, grow_tree, weight, default)
    assert same_bits(ranker.predict(X), scores)
    assert proba is None or same_bits(ranker.predict_proba(X), proba)
    changed[transform] = lambda k: k**2 + 0.5
    scores, _ = run_algorithm(Ranker, update, grow_tree, weight, [0.5, 1.5, 4.5, 9.5])
    for left_out in (None, *changed):
        kept = {name: value for name, value in changed.items() if name != left_out}
        ranker = small(Ranker, update=update, **kept).fit(X, Y, sample_weight=weight)
        assert same_bits(ranker.predict(X), scores) == (left_out is None), left_out


@pytest.mark.paper("McRank Sec. 3.3", at="check_increasing")
@class_rankers
def test_a_relevance_that_does_not_increase_is_refused(Ranker):
    for last in (4, 5):  # below the one before it, and level with it
        with pytest.raises(ValueError, match=rf"relevance at row 3 is {last}.0: values must increase"):
            small(Ranker, relevance=[0, 1, 5, last]).fit(X, Y)


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
@pytest.mark.paper("McRank Sec. 3.2", at="fit")
def test_the_queries_take_no_part_in_learning(Ranker):
    """One function for all queries, of the rows of all: the ids may be any, or none."""
    X, y, _ = data(n_classes=3)
    alone, whole = (small(Ranker).fit(X, y, qid).predict(X) for qid in (np.arange(len(y)), None))
    assert (alone == whole).all()


@rankers
@pytest.mark.parametrize("y", [[False, True, True], np.array([0, 2, 1], np.uint8), np.array([0, 1, 1], np.float16)])
def test_few_rows_of_other_types_are_taken_and_a_constant_feature_gives_one_score(Ranker, y):
    for column in ([[0], [1], [2]], [[1], [1], [1]]):
        scores = small(Ranker, n_leaves=100).fit(column, y).predict(np.array([[0], [1]], np.int8))
        assert np.isfinite(scores).all()
    assert scores[0] == scores[1]


@pytest.mark.filterwarnings("ignore:overflow encountered in multiply:RuntimeWarning")
def test_products_of_weight_and_target_beyond_float64_are_refused():
    rule = r"value at row \d+ is inf: a quantity that is summed over rows must be finite"
    with pytest.raises(ValueError, match=rule):
        small(LSBoostRanker, target=[0.0, 1e200, 2e200, 3e200]).fit(X, Y, sample_weight=np.full(60, 1e150))
