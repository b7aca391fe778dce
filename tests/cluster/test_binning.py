"""Cuts of features are found by owners: distinct values travel, and no column does."""

import numpy as np
import pytest

from refrank import GBRTRanker
from refrank.cluster.communicator import ALONE, join_shards
from refrank.cluster.recording import record_joins
from refrank.trees.bins.binning import bin_features
from refrank.trees.bins.cuts import APP_I, exact, quantiles
from refrank.trees.bins.joint_cuts import find_joint_cuts
from refrank.trees.engine import default_engine
from refrank.trees.numbers.grid import to_grid
from tests.cluster.threads import deal

pytestmark = pytest.mark.kernel
RNG = np.random.default_rng(0)
VALUES = np.array([0.0, -0.0, 5e-324, -5e-324, 1e-9, 2.0, 3.0, -1e300, 1e300, np.inf, -np.inf])
X = RNG.choice(VALUES, (80, 5))
X[:, 4] = 7.0


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_bins", [3, 256])
@pytest.mark.parametrize("place_cuts", [quantiles, APP_I, exact])
def test_distinct_values_and_their_weights_have_the_cuts_of_the_rows(place_cuts, n_bins, dtype, weighted):
    features = np.clip(X, *(np.inf * np.array([-1, 1]) if dtype is np.float64 else (-3e38, 3e38))).astype(dtype)
    weight = RNG.choice([0.5, 1.0, 4.0], 80) if weighted else None
    with join_shards(ALONE):
        engine = default_engine(1)
        integers = None if weight is None else to_grid(weight, engine).integers
        joint = find_joint_cuts(features, integers, n_bins, place_cuts, engine)
    whole = bin_features(features, n_bins, place_cuts, weight, engine=default_engine(1)).cuts
    assert [cuts.tobytes() for cuts in joint] == [cuts.tobytes() for cuts in whole]


@pytest.mark.parametrize("n_shards", [1, 3, 7])
def test_a_shard_sends_each_distinct_value_once_and_to_one_owner(n_shards):
    few = RNG.integers(0, 4, (200, 5)).astype(float)  # four values, however many rows
    places = RNG.integers(0, n_shards, 200)
    with record_joins(n_shards) as recording:
        GBRTRanker(n_rounds=1).fit_shards(deal([few, RNG.integers(0, 2, 200)], places, n_shards))
    for line, place in zip(recording.lines, range(n_shards), strict=True):
        sent = [message.value for message in line.messages if message.kind == "exchange"]
        assert len(sent) == -(-5 // n_shards)  # as many features at a time as there are shards
        columns = [own for values in sent for own in values if own is not None]
        assert len(columns) == 5
        for values, counts in columns:
            assert values.tolist() == [0.0, 1.0, 2.0, 3.0]
            assert counts.sum() == (places == place).sum()


def test_labels_of_two_bytes_have_histograms_over_all_bins_on_shards():
    values = RNG.normal(size=(700, 1))
    with record_joins(2) as recording:
        GBRTRanker(n_rounds=1, max_depth=2, n_bins=400).fit_shards(
            deal([values, RNG.integers(0, 2, 700)], RNG.integers(0, 2, 700), 2)
        )
    sizes = {join.own.shape[1] for join in recording.list_joins() if join.kind == "histogram"}
    assert sizes == {2 * 400}
