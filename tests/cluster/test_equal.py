"""A ranker that is trained on shards is the one that is trained on one machine, to the bytes of its file."""

import numpy as np

from refrank import SoftmaxBoostRanker
from refrank.models import save_model
from tests.cluster.threads import deal, use_threads


def test_three_shards_make_the_model_of_one(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 5)), rng.integers(0, 3, 90)
    save_model(SoftmaxBoostRanker(n_rounds=3).fit(X, y), tmp_path / "whole")
    with use_threads():
        ranker = SoftmaxBoostRanker(n_rounds=3).fit_shards(deal([X, y], rng.integers(0, 3, 90), 3))
    save_model(ranker, tmp_path / "cut")
    assert (tmp_path / "cut").read_bytes() == (tmp_path / "whole").read_bytes()
