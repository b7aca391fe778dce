"""A tree on a cluster costs so many joins of its shards, of these kinds, and so many bytes from each shard."""

from collections import Counter
from itertools import takewhile

import numpy as np
import pytest

from refrank import SoftmaxBoostRanker
from refrank.cluster.recording import record_joins
from tests.cluster.threads import deal

N_FEATURES, N_BINS, N_CLASSES, N_LEAVES, N_BYTES = 136, 256, 3, 10, 8
N_SLOTS = N_FEATURES * N_BINS


@pytest.mark.parametrize("weighted", [False, True])
def test_a_tree_of_ten_leaves_takes_twelve_joins_and_a_thirteenth_for_weights(weighted):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(800, N_FEATURES)), rng.integers(0, N_CLASSES, 800)
    weight = rng.choice([0.5, 1.0], 800) if weighted else None
    with record_joins(2) as recording:
        SoftmaxBoostRanker(n_rounds=2).fit_shards(deal([X, y, None, weight], rng.integers(0, 2, 800), 2))
    after_first = iter(recording.lines[0].messages)
    next(message for message in after_first if message.kind == "turn")
    round_2 = [*takewhile(lambda message: message.kind != "turn", after_first)]

    # grids: of the weights, the residual, the curvature; sums: the root, a histogram per cut before the last, leaves
    assert Counter(message.kind for message in round_2) == {
        "gather": (2 + weighted) * N_CLASSES,
        "sum": (1 + (N_LEAVES - 2) + 1) * N_CLASSES,
    }
    n_columns = 2 + weighted  # the residual, the count, and the weight
    n_integers = N_SLOTS * (1 + weighted) + (N_LEAVES - 2) * N_SLOTS * n_columns + N_LEAVES
    n_bytes = sum(message.value.nbytes for message in round_2 if message.kind == "sum")
    assert n_bytes == n_integers * N_BYTES * N_CLASSES
    assert n_bytes // N_CLASSES == (7_241_808 if weighted else 4_735_056)
