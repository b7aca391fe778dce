"""A ranker that is trained on shards is the one that is trained on one machine, to the bytes of its file."""

import numpy as np
import pytest
from sklearn.base import clone

from refrank import (
    ABCLogitBoostRanker,
    COCRRanker,
    GBRTRanker,
    HuberBoostRanker,
    IGBRTRanker,
    LADBoostRanker,
    LSBoostRanker,
    OrdinalBoostRanker,
    RandomForestRanker,
    RobustLogitBoostRanker,
    SoftmaxBoostRanker,
)
from refrank.cluster.communicator import join_shards
from refrank.cluster.member import NOTHING, Member
from refrank.models import save_model
from refrank.trees import splitting
from refrank.trees.engine import default_engine, use_splitter
from tests.cluster.threads import deal, use_threads

pytestmark = pytest.mark.kernel
N_ROWS, EMPTY, WEIGHTLESS, ONE_CLASS, CONSTANT = 140, 3, 1, 2, 4  # the last four are places among seven shards

GBRT = GBRTRanker(n_rounds=2, max_depth=3)
STEPS = [[0, 1, 1], [1, 0, 1], [3, 1, 0]]  # a cost with steps of 0, which leaves rows out of a problem
RANKERS = {
    "softmax": SoftmaxBoostRanker(n_rounds=2),
    "softmax, simultaneous": SoftmaxBoostRanker(n_rounds=2, update="simultaneous"),
    "ordinal": OrdinalBoostRanker(n_rounds=2),
    "ordinal, simultaneous": OrdinalBoostRanker(n_rounds=2, update="simultaneous"),
    "LS": LSBoostRanker(n_rounds=3),
    "LAD": LADBoostRanker(n_rounds=2),
    "Huber": HuberBoostRanker(n_rounds=2, share=0.77),
    "GBRT": GBRT,
    "GBRT from the mean": GBRTRanker(n_rounds=2, initial="mean", cut_at="midpoint"),
    "GBRT by classes": GBRTRanker(n_rounds=2, setting="classification", clip="each-round", initial="mean"),
    "iGBRT without a forest": IGBRTRanker(n_rounds=2, n_trees=0),
    "COCR": COCRRanker(GBRT),
    "COCR, absolute": COCRRanker(GBRT, cost="absolute"),
    "COCR, squared": COCRRanker(GBRT, cost="squared"),
    "COCR, steps of 0": COCRRanker(GBRT, cost=STEPS),
    "robust LogitBoost": RobustLogitBoostRanker(n_rounds=2),
    "ABC-LogitBoost": ABCLogitBoostRanker(n_rounds=2, n_leaves=4),
    "ABC-LogitBoost, worst": ABCLogitBoostRanker(n_rounds=2, base_class="worst"),
}
OPTIONS = {
    "quantiles": SoftmaxBoostRanker(n_rounds=1, n_bins=6),
    "App. I": SoftmaxBoostRanker(n_rounds=1, binning="app-i", n_bins=12, growth=1.5),
    "exact bins": GBRTRanker(n_rounds=2, binning="exact"),
    "labels of two bytes": SoftmaxBoostRanker(n_rounds=1, n_bins=300),
    "two bytes, newton": RobustLogitBoostRanker(n_rounds=1, n_bins=300),
    "max_depth": GBRTRanker(n_rounds=2, max_depth=6, min_samples_leaf=7),
    "min_samples_leaf": SoftmaxBoostRanker(n_rounds=1, min_samples_leaf=9),
    "n_classes": OrdinalBoostRanker(n_rounds=1, n_classes=6),
    "RandomState": GBRTRanker(n_rounds=1, random_state=np.random.RandomState(3)),
    "relevance": SoftmaxBoostRanker(n_rounds=1, relevance="2^k"),
}
MISSING = {
    "zero": GBRTRanker(n_rounds=2, missing="zero"),
    "-inf": GBRTRanker(n_rounds=2, missing="-inf"),
    "inf": GBRTRanker(n_rounds=2, missing="inf"),
    "mean": GBRTRanker(n_rounds=2, missing="mean"),
    "median": GBRTRanker(n_rounds=2, missing="median"),
    "three-way": GBRTRanker(n_rounds=2, missing="three-way"),
    "RT-Rank": GBRTRanker(n_rounds=2, missing="three-way", three_way="rt-rank", cut_at="midpoint"),
    "by leaves": SoftmaxBoostRanker(n_rounds=1, missing="three-way"),
    "two bytes": SoftmaxBoostRanker(n_rounds=1, missing="three-way", n_bins=300),
    "a number": SoftmaxBoostRanker(n_rounds=1, missing="three-way", missing_value=2.0),
}


def make_rows(n_shards, weighted):
    """Make rows and their places; of seven shards, four are of a kind that a sum over all rows hides."""
    rng = np.random.default_rng(n_shards + 10 * weighted)
    places, y = rng.permutation(np.arange(N_ROWS) ** 2 % n_shards), rng.integers(0, 3, N_ROWS)  # uneven
    X = np.column_stack([rng.integers(-2, 3, (N_ROWS, 2)), rng.normal(size=(N_ROWS, 2)), np.ones(N_ROWS)])
    X[rng.random(N_ROWS) < 0.2, 1] = -0.0
    weight = rng.choice([0.0, 0.5, 1.0, 3.0], N_ROWS) if weighted else None
    if n_shards == 7:
        places = rng.choice([WEIGHTLESS, ONE_CLASS, CONSTANT, 0, 5, 6, 6, 6], N_ROWS)
        y[places == ONE_CLASS] = 1
        X[places == CONSTANT] = X[0]
        if weighted:
            weight[places == WEIGHTLESS] = 0.0
    return [X, y, rng.integers(0, 9, N_ROWS), weight], places


def save(ranker, path):
    save_model(ranker, path)
    return path.read_bytes()


def fit_both(ranker, arrays, places, n_shards, path, held_out=()):
    """Return the bytes of the ranker that one machine trains, and of the one that shards train."""
    X, y, qid, weight = arrays
    whole = clone(ranker).fit(X, y, qid, weight, **dict(held_out))
    with use_threads():
        cut = clone(ranker).fit_shards(deal(arrays, places, n_shards), **dict(held_out))
    return save(whole, path), save(cut, path)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_shards", [1, 2, 3, 7])
@pytest.mark.parametrize("name", RANKERS)
def test_every_ranker_is_that_of_one_machine(name, n_shards, weighted, tmp_path):
    whole, cut = fit_both(RANKERS[name], *make_rows(n_shards, weighted), n_shards, tmp_path / "model")
    assert cut == whole


@pytest.mark.parametrize("n_shards", [3, 7])
@pytest.mark.parametrize("name", OPTIONS)
def test_with_every_option(name, n_shards, tmp_path):
    whole, cut = fit_both(OPTIONS[name], *make_rows(n_shards, n_shards == 7), n_shards, tmp_path / "model")
    assert cut == whole


@pytest.mark.parametrize("n_shards", [3, 7])
@pytest.mark.parametrize("name", MISSING)
def test_with_missing_values(name, n_shards, tmp_path):
    arrays, places = make_rows(n_shards, n_shards == 3)
    lacks = np.random.default_rng(0).random(arrays[0].shape) < 0.2
    lacks[:, 2] = (places == 2) & lacks[:, 2]  # one shard alone lacks it
    arrays[0][lacks] = MISSING[name].missing_value
    whole, cut = fit_both(MISSING[name], arrays, places, n_shards, tmp_path / "model")
    assert cut == whole


@pytest.mark.parametrize("n_bins", [256, 300])
@pytest.mark.parametrize("binning", ["quantile", "app-i", "exact"])
def test_with_float32(binning, n_bins, tmp_path):
    arrays, places = make_rows(7, True)
    arrays[0] = arrays[0].astype(np.float32)
    ranker = GBRTRanker(n_rounds=2, binning=binning, n_bins=n_bins)
    whole, cut = fit_both(ranker, arrays, places, 7, tmp_path / "model")
    assert cut == whole


@pytest.mark.parametrize(
    "make", [lambda qid: qid, lambda qid: qid.astype(str), lambda qid: np.array([f"q{i}" for i in qid], object)]
)
def test_the_queries_of_several_shards_are_counted_once(make, tmp_path):
    (X, y, qid, weight), places = make_rows(3, True)
    weight[qid == 4] = 0.0
    whole, cut = fit_both(RANKERS["LS"], [X, y, make(qid), weight], places, 3, tmp_path / "model")
    assert cut == whole


def test_queries_may_be_any_objects():
    (X, y, qid, _), places = make_rows(2, False)
    shards = deal([X, y, qid], places, 2)
    with use_threads():
        shards = [(own_X, own_y, [("query", int(i)) for i in own_qid]) for own_X, own_y, own_qid in shards]
        assert clone(RANKERS["LS"]).fit_shards(shards).n_queries_ == 9


@pytest.mark.parametrize("name", ["softmax", "GBRT by classes", "COCR"])
@pytest.mark.parametrize("patience", [None, 1])
def test_a_validation_set_chooses_the_same_round(name, patience, tmp_path):
    ranker = clone(RANKERS[name])
    (ranker.base if name == "COCR" else ranker).set_params(n_rounds=6)
    rng = np.random.default_rng(4)
    held_out = {"X_val": rng.normal(size=(60, 5)), "y_val": rng.integers(0, 3, 60), "qid_val": np.arange(60) // 6}
    held_out["early_stopping_rounds"] = patience
    whole, cut = fit_both(ranker, *make_rows(3, False), 3, tmp_path / "model", held_out)
    assert cut == whole


CONTINUED = ["softmax", "ordinal, simultaneous", "LS", "GBRT by classes", "ABC-LogitBoost", "COCR"]


@pytest.mark.parametrize("name", CONTINUED)
def test_a_model_of_one_machine_is_continued_on_shards(name, tmp_path):
    arrays, places = make_rows(7, True)
    X, y, qid, weight = arrays
    ranker = clone(RANKERS[name]).set_params(warm_start=True)
    if name == "COCR":
        ranker.set_params(n_jobs=1)  # joblib warns of the problems that an end cancels
    whole = clone(ranker).fit(X, y, qid, weight)
    ranker.fit(X, y, qid, weight, monitor=lambda n_done, so_far: n_done == 1)
    with use_threads():
        ranker.fit_shards(deal(arrays, places, 7))
    assert save(ranker, tmp_path / "cut") == save(whole, tmp_path / "whole")


def test_a_model_goes_on_with_any_number_of_shards(tmp_path):
    arrays, places = make_rows(7, True)
    ranker = SoftmaxBoostRanker(n_rounds=1, warm_start=True)
    with use_threads():
        ranker.fit_shards(deal(arrays, places, 7)).set_params(n_rounds=2).fit_shards(deal(arrays, places % 2, 2))
    X, y, qid, weight = arrays
    ranker.set_params(n_rounds=3).fit(X, y, qid, weight)
    whole = clone(ranker).fit(X, y, qid, weight)
    assert save(ranker, tmp_path / "cut") == save(whole, tmp_path / "whole")


def test_a_seed_that_is_drawn_is_one_for_all_shards():
    arrays, places = make_rows(3, False)
    with use_threads():
        ranker = GBRTRanker(n_rounds=1, random_state=None).fit_shards(deal(arrays, places, 3))
    assert 0 <= ranker.seed_ < 2**31


def test_a_splitter_that_is_chosen_joins_too():
    communicator = Member(0, 2, print, NOTHING)
    with use_splitter(splitting), join_shards(communicator):
        assert default_engine(1).shards is communicator
        assert default_engine(1).splitter.splitter is splitting


@pytest.mark.parametrize("setting", ["regression", "classification"])
def test_a_forest_of_one_machine_is_boosted_on_shards(setting, tmp_path):
    """The forest drew rows by their numbers: shard after shard."""
    arrays, places = make_rows(7, True)
    order = np.argsort(places, kind="stable")
    X, y, qid, weight = (values[order] for values in arrays)
    ranker = IGBRTRanker(n_trees=4, n_rounds=1, setting=setting, warm_start=True).fit(X, y, qid, weight)
    whole = clone(ranker).set_params(n_rounds=3).fit(X, y, qid, weight)
    with use_threads():
        cut = ranker.set_params(n_rounds=3).fit_shards(deal(arrays, places, 7))
    assert save(cut, tmp_path / "cut") == save(whole, tmp_path / "whole")


def test_a_forest_that_is_not_grown_is_refused_on_shards():
    arrays, places = make_rows(2, False)
    with use_threads(), pytest.raises(ValueError, match="IGBRTRanker needs all rows in one place: 0 of 4 trees"):
        IGBRTRanker(n_trees=4, n_rounds=1).fit_shards(deal(arrays, places, 2))
    with use_threads(), pytest.raises(ValueError, match="RandomForestRanker needs all rows in one place: a tree"):
        RandomForestRanker().fit_shards(deal(arrays, places, 2))
