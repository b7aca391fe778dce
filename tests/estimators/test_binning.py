"""The bins of every ranker of trees: quantiles of the weighted rows unless `binning` says otherwise."""

import numpy as np
import pytest

from refrank.estimators import binning as chosen
from refrank.estimators.binning import choose_binning
from refrank.estimators.mcrank import BoostRanker
from refrank.estimators.registry import COCR_BASES, RANKERS
from refrank.trees.bins.binning import bin_features
from refrank.trees.bins.cuts import equal_lengths, exact, quantiles
from tests.estimators.cases import QID, X, Y, fit, learned, parameters_of, small, takes
from tests.strategies import ENGINE, rng_of

BINNED = {name: Ranker for name, Ranker in RANKERS.items() if "n_bins" in parameters_of(Ranker)}
WEIGHT = rng_of(0).exponential(size=len(Y))
HEAVY = np.exp(2 * X)  # tails that tell the binnings apart
BY_HAND = {
    "quantile": (8, quantiles, WEIGHT),
    "app-i": (8, equal_lengths(), None),
    "exact": (65536, exact, None),
}
binnings = pytest.mark.parametrize("binning", BY_HAND)
rankers = pytest.mark.parametrize("Ranker", BINNED.values(), ids=BINNED)


def same_cuts(ours, theirs):
    return [cuts.tobytes() for cuts in ours.cuts] == [cuts.tobytes() for cuts in theirs.cuts]


@pytest.mark.paper("McRank App. I", at="choose_binning")
@binnings
def test_each_choice_is_its_function_of_bins(binning):
    ours = choose_binning(binning, 8)(HEAVY, WEIGHT, ENGINE)
    assert same_cuts(ours, bin_features(HEAVY, *BY_HAND[binning], engine=ENGINE))
    others = [bin_features(HEAVY, *given, engine=ENGINE) for name, given in BY_HAND.items() if name != binning]
    assert not any(same_cuts(ours, other) for other in others)


def test_weights_move_quantiles_and_growth_moves_bins_of_equal_length():
    assert not same_cuts(*(choose_binning("quantile", 8)(HEAVY, w, ENGINE) for w in (None, WEIGHT)))
    assert not same_cuts(*(choose_binning("app-i", 8, growth)(HEAVY, None, ENGINE) for growth in (2.0, 1.1)))


def test_bin_lengths_double_by_default():
    """1e-8 doubled 25 times, .336, is the first to put 0, .3 and 1 into two bins; the cut halves the gap from there."""
    X, cut = np.array([[0.0], [0.3], [1.0]]), (1e-8 * 2**25 + 1) / 2
    (ours,), (alone,) = choose_binning("app-i", 2)(X, None, ENGINE).cuts, bin_features(X, 2, engine=ENGINE).cuts
    assert [*ours, *alone] == pytest.approx([cut, cut], rel=1e-14)
    for Ranker in (kind for kind in RANKERS.values() if issubclass(kind, BoostRanker)):
        ranker = Ranker(binning="app-i", n_bins=2, n_rounds=1, n_leaves=2).fit(X, [0, 0, 1])
        assert ranker.model_.rounds[0][0].cut[0] == pytest.approx(cut, rel=1e-14)


@rankers
@binnings
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_every_ranker_of_trees_bins_as_it_is_told(Ranker, binning, weight, monkeypatch):
    made = []

    def bin_and_note(*args, **given):
        made.append(bin_features(*args, **given))
        return made[-1]

    monkeypatch.setattr(chosen, "bin_features", bin_and_note)
    if weight is not None and not takes(Ranker(), "sample_weight"):
        return
    fit(small(Ranker, binning=binning, n_bins=8), HEAVY, Y, QID, weight)
    n_bins, place_cuts, used = BY_HAND[binning]
    expected = bin_features(HEAVY, n_bins, place_cuts, weight if used is not None else None, engine=ENGINE)
    assert len(made) == 1
    assert same_cuts(made[0], expected)


@rankers
def test_the_default_is_256_quantiles(Ranker):
    defaults = Ranker().get_params()
    assert (defaults["binning"], defaults["n_bins"]) == ("quantile", 256)


def test_every_ranker_of_trees_has_the_choice():
    for kinds in (RANKERS.values(), [type(base.make()) for base in COCR_BASES.values()]):
        for Ranker in kinds:
            assert ("binning" in parameters_of(Ranker)) == ("n_bins" in parameters_of(Ranker))
    assert "binning" in COCR_BASES["gbrt"].flags


@rankers
def test_n_bins_has_no_effect_on_exact_bins(Ranker):
    two, many = (small(Ranker, binning="exact", n_bins=n).fit(HEAVY, Y, QID) for n in (2, 256))
    assert learned(two) == learned(many)


@rankers
def test_weights_of_whole_numbers_are_repeated_rows_for_bins_too(Ranker):
    """A forest draws rows; its trees of repeated rows are others."""
    if Ranker.algorithm in ("rf", "igbrt") or not takes(Ranker(), "sample_weight"):
        return
    times = 1 + np.arange(len(Y)) % 3
    weighted = small(Ranker, n_bins=8).fit(HEAVY, Y, QID, times.astype(float))
    repeated = small(Ranker, n_bins=8).fit(*(np.repeat(array, times, axis=0) for array in (HEAVY, Y, QID)))
    probes = np.exp(2 * rng_of(5).normal(size=(200, 5)))
    np.testing.assert_allclose(weighted.predict(probes), repeated.predict(probes), rtol=1e-9, atol=1e-12)


# --- a feature that App. I's initial length merges ------------------------------------------------------------------

SMALL = np.column_stack([X[:, 0] * 1e-9, X[:, 1], np.full(len(X), 3.0), X[:, 2] * 1e-10 + 0.5])
APP_I_WITHIN = r"all values are within 1e-08, .* so no cut can part them\. Multiply .* or pass binning=\"quantile\"$"


@rankers
def test_a_feature_whose_range_is_below_the_first_length_is_a_warning(Ranker):
    """A constant feature is none, and neither are other bins."""
    with pytest.warns(UserWarning, match=rf"^X at column\(s\) 0, 3: {APP_I_WITHIN}"):
        small(Ranker, binning="app-i").fit(SMALL, Y, QID)
    for binning in ("quantile", "exact"):
        small(Ranker, binning=binning).fit(SMALL, Y, QID)
    small(Ranker, binning="app-i").fit(SMALL * 1e9, Y, QID)


@pytest.mark.parametrize("holes", [(), (-np.inf,), (np.inf,), (-np.inf, np.inf)])
def test_substitutes_of_missing_values_hide_no_such_feature(holes):
    column = np.append([0.0, 9e-9, 4e-9], holes)
    with pytest.warns(UserWarning, match=rf"^X at column\(s\) 0: {APP_I_WITHIN}"):
        choose_binning("app-i", 256)(column[:, np.newaxis], None, ENGINE)
    parted, constant, missing = ([0.0, 2e-8], [0.0, 1e-8]), [4.0, 4.0], [-np.inf, np.inf, np.inf]
    for values in (*parted, constant, missing):
        choose_binning("app-i", 256)(np.append(values, holes)[:, np.newaxis], None, ENGINE)


def test_the_warning_names_ten_features_at_most():
    wide = np.tile(SMALL[:, :1], 12)
    with pytest.warns(UserWarning, match=r"^X at column\(s\) 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, \.\.\.: all values"):
        choose_binning("app-i", 8)(wide, None, ENGINE)
    with pytest.warns(UserWarning, match=r"^X at column\(s\) 0, 1, 2, 3, 4, 5, 6, 7, 8, 9: all values"):
        choose_binning("app-i", 8)(wide[:, :10], None, ENGINE)


def test_float32_close_to_its_end_is_binned_without_a_warning():
    large = np.array([[-3.4e38], [0.0], [3.4e38]], np.float32)
    assert same_cuts(*(choose_binning("app-i", 2)(rows, None, ENGINE) for rows in (large, large.astype(float))))
