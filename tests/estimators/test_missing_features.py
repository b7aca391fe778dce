"""Missing features of the rankers by trees, and rows that several fits share."""

import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils import get_tags

from refrank import GBRTRanker
from refrank.estimators import filled_ranker
from refrank.estimators.mcrank import BoostRanker
from refrank.estimators.registry import KINDS
from refrank.igbrt.missing_values import fill_missing, fill_values
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.metrics import ndcg
from refrank.trees import splitting
from refrank.trees.engine import use_splitter
from tests.estimators.cases import (
    TREE_RANKERS,
    both_settings,
    changed,
    data,
    learned,
    record_binning,
    same_bits,
    small,
    tree_rankers,
    trees_of,
)
from tests.strategies import rng_of

X, Y, QID = data(80, n_classes=5)
HOLES = np.where(rng_of(0).random(X.shape) < 0.3, np.nan, X + 1.0)
MCRANK = {name: kind for name, kind in KINDS.items() if issubclass(kind, BoostRanker)}
mcrank_rankers = pytest.mark.parametrize("Ranker", MCRANK.values(), ids=MCRANK)
filled_rankers = pytest.mark.parametrize("Ranker", [*TREE_RANKERS, *MCRANK.values()])


@tree_rankers
@both_settings
@pytest.mark.parametrize("missing", [None, "mean", "three-way"])
@pytest.mark.parametrize("binning", ["quantile", "app-i"])
def test_several_fits_share_prepared_rows_and_change_no_bit(Ranker, setting, missing, binning, monkeypatch):
    """Quantiles have the weights of the preparation, other bins have none."""
    holes = rng_of(0).random(X.shape) < 0.3
    rows = np.where(holes & (missing is not None), np.nan, X).astype(np.float32)
    weight = rng_of(1).integers(1, 4, len(Y)).astype(float)
    ranker = small(Ranker, setting=setting, missing=missing, binning=binning, n_bins=16)
    prepared = {w is None: ranker.prepare(rows, w) for w in (None, weight)}
    assert not learned(ranker)
    fits = [(y, w) for y in (Y, np.minimum(Y, 2)) for w in (None, weight)]
    expected = [learned(clone(ranker).fit(rows, y, sample_weight=w)) for y, w in fits]
    binned = record_binning(monkeypatch)
    assert [learned(clone(ranker).fit_prepared(prepared[w is None], y, w)) for y, w in fits] == expected
    if binning == "app-i":
        assert [learned(clone(ranker).fit_prepared(prepared[w is not None], y, w)) for y, w in fits] == expected
    assert not binned


@filled_rankers
@pytest.mark.parametrize("missing", ["zero", "mean", "median"])
def test_trees_grow_on_rows_whose_missing_values_are_filled(Ranker, missing):
    filled = fill_missing(HOLES, np.nan, fill_values(HOLES, missing, np.nan))
    by_hand, ranker = small(Ranker).fit(filled, Y, QID), small(Ranker, missing=missing).fit(HOLES, Y, QID)
    assert learned(ranker)["model_"] == learned(by_hand)["model_"]
    assert same_bits(ranker.predict(HOLES), by_hand.predict(filled))


@mcrank_rankers
def test_cuts_of_mcranks_rankers_go_three_ways(Ranker):
    """No bit depends on the splitter, on threads, on the order of rows, or on a fit in two parts."""
    ranker = small(Ranker, missing="three-way", n_leaves=5, n_bins=8)
    whole = learned(clone(ranker).fit(HOLES, Y, QID))
    rows = rng_of(2).permutation(len(Y))
    with use_splitter(splitting):
        assert learned(clone(ranker).fit(HOLES, Y, QID)) == whole
    assert learned(clone(ranker).set_params(n_threads=3).fit(HOLES[rows], Y[rows], QID[rows])) == whole
    ranker.set_params(n_rounds=1).fit(HOLES, Y, QID)
    assert learned(ranker.set_params(n_rounds=3, warm_start=True).fit(HOLES, Y, QID)) == whole
    assert any(np.isinf(tree.cut).any() for tree in trees_of(ranker))
    assert max(len(tree.feature) for tree in trees_of(ranker)) <= 9
    scores = ranker.predict(HOLES)
    *_, last = ranker.staged_predict(HOLES)
    sums = [math.fsum(parts) for parts in ranker.contributions(HOLES)]
    assert same_bits(scores, last, np.array(sums))
    if hasattr(ranker, "predict_proba"):
        assert same_bits(scores, expected_relevance(ranker.predict_proba(HOLES), ranker.relevance_))


@mcrank_rankers
def test_missing_features_count_in_the_validation_of_mcranks_rankers(Ranker):
    given = {"X_val": HOLES[::2], "y_val": Y[::2], "qid_val": QID[::2]}
    ranker = small(Ranker, missing="inf", n_leaves=3).fit(HOLES, Y, QID, **given)
    assert ranker.history_[-1] == ndcg(Y[::2], ranker.predict(HOLES[::2]), QID[::2])


@mcrank_rankers
def test_mcranks_rankers_refuse_what_they_cannot_do_with_missing_features(Ranker):
    rule = "every feature must be finite, unless the ranker has a rule for NaN, such as missing='inf'"
    with pytest.raises(ValueError, match=rf"X at row \d+, column \d is NaN: {rule}"):
        small(Ranker).fit(HOLES, Y, QID)
    with pytest.raises(ValueError, match="n_leaves is 2: it must be at least 3 where cuts go three ways"):
        small(Ranker, missing="three-way", n_leaves=2).fit(HOLES, Y, QID)


@tree_rankers
def test_rows_of_weight_zero_have_no_part_in_the_bins_of_prepared_rows(Ranker):
    weight = (np.arange(len(Y)) % 3 > 0).astype(float)
    ranker = small(Ranker, missing="mean", missing_value=0.0, n_bins=8)
    expected = learned(clone(ranker).fit(X, Y, sample_weight=weight))
    assert learned(clone(ranker).fit_prepared(ranker.prepare(X), Y, weight)) == expected


@tree_rankers
def test_prepare_checks_parameters_and_rows(Ranker):
    with pytest.raises(ValueError, match="missing is 'guess'"):
        small(Ranker, missing="guess").prepare(X)
    with pytest.raises(ValueError, match="X at row 3, column 1 is NaN"):
        small(Ranker).prepare(np.where(X[3, 1] == X, np.nan, X))


@tree_rankers
@pytest.mark.parametrize("missing", ["zero", "-inf", "inf", "mean", "median", "three-way"])
@pytest.mark.parametrize("missing_value", [np.nan, 0.0])
def test_a_column_that_is_missing_everywhere_has_no_say(Ranker, missing, missing_value):
    """Also where it is not missing in the rows to predict, and where only rows of weight 0 have it."""
    holes = X.copy()
    holes[rng_of(1).random(X.shape) < 0.2] = missing_value
    holes[:, 3] = missing_value
    weight = np.where(np.arange(80) % 8 == 0, 0.0, 1.0)
    held = np.where((weight == 0)[:, None] & (np.arange(5) == 3), 7.5, holes)
    parameters = {"missing": missing, "missing_value": missing_value, "n_bins": 8}
    parameters |= {} if Ranker is GBRTRanker else {"max_features": 1.0}  # all: what is drawn plays no part
    ranker = small(Ranker, **parameters).fit(holes, Y, QID, sample_weight=weight)
    assert not any((tree.feature == 3).any() for tree in trees_of(ranker))
    assert same_bits(ranker.predict(held), ranker.predict(holes))
    assert learned(small(Ranker, **parameters).fit(held, Y, QID, sample_weight=weight)) == learned(ranker)
    without = small(Ranker, **parameters).fit(np.delete(holes, 3, axis=1), Y, QID, sample_weight=weight)
    assert same_bits(without.predict(np.delete(holes, 3, axis=1)), ranker.predict(holes))


@tree_rankers
@pytest.mark.parametrize("missing", ["zero", "three-way"])
@pytest.mark.parametrize("missing_value", [np.nan, 0.0])
def test_rows_are_copied_only_where_a_feature_is_missing(Ranker, missing, missing_value, monkeypatch):
    ranker, copied = small(Ranker, missing=missing, missing_value=missing_value).fit(X, Y), []
    monkeypatch.setattr(filled_ranker, "fill_missing", lambda *rows: copied.append(rows) or fill_missing(*rows))
    ranker.predict(X)
    assert copied == []
    ranker.predict(changed(X, (79, 2), missing_value))
    assert len(copied) == (1 if missing_value == 0 else 2)  # zeros are finite as they are


@filled_rankers
def test_tags_say_that_nan_is_accepted_where_it_says_missing(Ranker):
    def accepts_nan(**missing):
        return get_tags(Ranker(**missing)).input_tags.allow_nan

    assert (accepts_nan(), accepts_nan(missing="mean"), accepts_nan(missing="mean", missing_value=0)) == (0, 1, 0)
