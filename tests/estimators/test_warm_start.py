"""Trainings that go on: `warm_start` ends in the bits of one fit, from memory and from a file; and `monitor`."""

import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from refrank import GBRTRanker, IGBRTRanker, LambdaRanker, RandomForestRanker, SoftmaxBoostRanker
from refrank.estimators import registry
from refrank.estimators.warm_start import require_rows
from refrank.models import load_model, save_model
from refrank.trees.engine import default_engine
from refrank.trees.model.tree import LEAF
from tests.estimators import cases
from tests.estimators.cases import QID, VARIANTS, X, Y, each, learned, same_bits
from tests.strategies import rng_of

WEIGHT = rng_of(5).integers(0, 3, 60) / 2.0  # some are 0
HOLES = np.where(rng_of(6).random(X.shape) < 0.2, np.nan, X)
MORE = {  # beside the registry's: what the way to the next turn depends on
    "lambdarank, decay": lambda: LambdaRanker(
        hidden=2, n_epochs=8, learning_rate=0.3, decay=0.5, schedule="cost", patience=1
    ),
    "gbrt, clip=each-round": lambda: GBRTRanker(n_rounds=4, setting="classification", clip="each-round"),
    "igbrt, clip=each-round": lambda: IGBRTRanker(n_trees=3, n_rounds=4, setting="classification", clip="each-round"),
    "gbrt, three_way=rt-rank": lambda: GBRTRanker(n_rounds=4, missing="three-way", three_way="rt-rank"),
    "rf, three_way=rt-rank": lambda: RandomForestRanker(n_trees=4, missing="three-way", three_way="rt-rank"),
    "rf, any seed": lambda: RandomForestRanker(n_trees=4, random_state=np.random.RandomState(3)),
    "gbrt of many bins": lambda: GBRTRanker(n_rounds=4, binning="exact", cut_at="midpoint"),
    "softmax in float32": lambda: SoftmaxBoostRanker(n_rounds=4, n_classes=6),
}
RANKERS = VARIANTS | MORE


def arguments(ranker):
    """Rows with weights, holes and a validation set, as far as the ranker takes them."""
    rows = HOLES if getattr(ranker, "missing", None) else X
    given = {"X": rows, "y": Y, "qid": QID}
    if cases.takes(ranker, "sample_weight"):
        given["sample_weight"] = WEIGHT
    if isinstance(ranker, LambdaRanker):
        given |= {"X_val": X[::-2], "y_val": Y[::-2], "qid_val": QID[::-2]}
    return given


class Stop(Exception):
    """Raised by a monitor: an error, which is no interrupt."""


def stop_after(n_turns, fault=KeyboardInterrupt):
    def monitor(n_done, so_far):
        if n_done == n_turns:
            raise fault

    return monitor


def n_turns_of(make):
    ranker, counted = make(), []
    ranker.fit(**arguments(ranker), monitor=lambda n_done, so_far: counted.append(n_done))
    assert counted == list(range(1, len(counted) + 1))
    return len(counted)


@each(RANKERS)
def test_a_fit_that_was_interrupted_goes_on_to_the_bits_of_one_fit(make):
    """After any number of turns; and once more, when all is done."""
    whole = make()
    whole.fit(**arguments(whole))
    for n_turns in range(1, n_turns_of(make) + 1):
        ranker = make()
        with pytest.raises(KeyboardInterrupt):
            ranker.fit(**arguments(ranker), monitor=stop_after(n_turns))
        ranker.set_params(warm_start=True)
        for _ in range(2):
            ranker.fit(**arguments(ranker))
            assert learned(ranker) == learned(whole)


@each(RANKERS)
def test_a_model_file_of_any_checkpoint_goes_on_to_the_bits_of_one_fit(make, tmp_path):
    whole, part = make(), make()

    def monitor(n_done, so_far):
        save_model(so_far(), tmp_path / f"{n_done}")
        assert not hasattr(part, "model_")  # the ranker itself learns at the end

    whole.fit(**arguments(whole))
    part.fit(**arguments(part), monitor=monitor)
    assert learned(part) == learned(whole)
    save_model(whole, tmp_path / "whole")
    for path in sorted(tmp_path.glob("[0-9]*")):
        ranker = load_model(path).set_params(warm_start=True)
        ranker.fit(**arguments(ranker))
        assert same_bits(ranker.predict(X), whole.predict(X))
        save_model(ranker, path)
        assert path.read_bytes() == (tmp_path / "whole").read_bytes()


@each(RANKERS)
def test_a_fit_that_fails_leaves_the_model_that_was_to_go_on(make):
    ranker = make().set_params(warm_start=True)
    ranker.fit(**arguments(ranker))
    before = learned(ranker)
    for wrong in ({"y": Y[:-1]}, {"X": arguments(ranker)["X"][:, :3]}, {"qid": QID[:-1]}):
        with pytest.raises(ValueError, match=r"samples|features|length|entries"):
            ranker.fit(**arguments(ranker) | wrong)
        assert learned(ranker) == before


@each(RANKERS)
def test_an_error_in_a_later_turn_leaves_the_model_that_was_to_go_on(make):
    ranker = make()
    if n_turns_of(make) < 3:
        pytest.skip("it has no later turn")
    with pytest.raises(KeyboardInterrupt):
        ranker.fit(**arguments(ranker), monitor=stop_after(1))
    before = learned(ranker)
    with pytest.raises(Stop):
        ranker.set_params(warm_start=True).fit(**arguments(ranker), monitor=stop_after(2, Stop))
    assert learned(ranker) == before


def test_more_rounds_than_were_asked_for_at_first():
    ranker = GBRTRanker(n_rounds=3, warm_start=True).fit(X, Y)
    counted = []
    ranker.set_params(n_rounds=5).fit(X, Y, monitor=lambda n_done, so_far: counted.append(n_done))
    assert counted == [4, 5]
    assert learned(ranker) == learned(GBRTRanker(n_rounds=5).fit(X, Y))


CHANGED = {
    "n_rounds is 2: with warm_start it must be at least 3, as in the model": ("gbrt", {"n_rounds": 2}),
    "n_trees is 2: with warm_start it must be at least 4, as in the model": ("rf", {"n_trees": 2}),
    "n_epochs is 1: with warm_start it must be at least 3, as in the model": ("lambdarank", {"n_epochs": 1}),
    "learning_rate is 0.5: with warm_start it must be 0.1, as in the model": ("gbrt", {"learning_rate": 0.5}),
    "learning_rate is 0.5: with warm_start it must be 0.05, as in the model": ("softmax", {"learning_rate": 0.5}),
    "the start of the sum is (1.": ("gbrt", {"initial": "mean"}),
    "random_state is 7: with warm_start it must be 0, as in the model": ("rf", {"random_state": 7}),
    "n_trees is 9: with warm_start it must be 4, as in the model": ("igbrt", {"n_trees": 9}),
    "n_classes_ is 5: with warm_start it must be 4, as in the model": ("cocr", {"n_classes": 5}),
    "cost_table_ is [[": ("cocr", {"cost": "squared"}),
}


@pytest.mark.parametrize("message", CHANGED)
def test_parameters_that_the_model_shows_must_be_as_they_were(message):
    name, given = CHANGED[message]
    ranker = VARIANTS[name]().set_params(warm_start=True)
    ranker.fit(**arguments(ranker))
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        ranker.set_params(**given).fit(**arguments(ranker))


@pytest.mark.parametrize("name", [name for name in registry.RANKERS if name not in ("cocr", "lambdarank")])
def test_rows_that_the_model_was_not_trained_on_are_refused(name):
    ranker = VARIANTS[name]().set_params(warm_start=True).fit(X, Y, QID)
    for rows in (X[:, ::-1], -X):
        with pytest.raises(ValueError, match="X is not what the model was trained on"):
            ranker.fit(rows, Y, QID)
    with pytest.raises(ValueError, match="n_features_in_ is 4: with warm_start it must be 5"):
        ranker.fit(X[:, :4], Y, QID)


def test_one_row_in_another_leaf_is_noticed():
    tree = GBRTRanker(n_rounds=1).fit(X, Y).model_.rounds[0][0]
    require_rows([tree], X, default_engine())
    require_rows([], X[:1], default_engine())
    counts = tree.n_node_samples.copy()
    counts[np.flatnonzero(tree.feature == LEAF)[-1]] += 1
    with pytest.raises(ValueError, match="X is not what"):
        require_rows([replace(tree, n_node_samples=counts)], X, default_engine())


def test_a_validation_set_comes_and_goes_with_a_net():
    ranker = LambdaRanker(hidden=2, n_epochs=2, warm_start=True).fit(X, Y, QID)
    with pytest.raises(ValueError, match="X_val is given is True: with warm_start it must be False"):
        ranker.fit(X, Y, QID, X_val=X, y_val=Y, qid_val=QID)


def test_a_net_read_from_a_file_shows_no_stages_after_going_on(tmp_path):
    """Of the epochs before, the file has two nets."""
    save_model(LambdaRanker(hidden=2, n_epochs=4).fit(X, Y, QID), tmp_path / "m")
    ranker = load_model(tmp_path / "m").set_params(warm_start=True, n_epochs=6).fit(X, Y, QID)
    assert not hasattr(ranker, "epochs_")
    assert len(ranker.costs_) == 6


def test_problems_that_are_not_all_learned_score_nothing(tmp_path):
    ranker = VARIANTS["cocr"]()
    with pytest.raises(KeyboardInterrupt):
        ranker.fit(X, Y, QID, monitor=stop_after(2))
    save_model(ranker, tmp_path / "m")
    for unfinished in (ranker, load_model(tmp_path / "m")):
        with pytest.raises(NotFittedError, match=r"2 of 3 problems are learned: all must be .* warm_start=True"):
            unfinished.predict(X)
