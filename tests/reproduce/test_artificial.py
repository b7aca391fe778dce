"""Heavy-tailed artificial data: each column by its definition, and what the docstring says of them."""

import numpy as np
import pytest

from refrank.reproduce.artificial import make_heavy_tailed_fold
from refrank.reproduce.run import get_splits


def relevance_by_hand(n_queries, seed, place):
    """Features, query and relevance of each document, one at a time."""
    rng = np.random.default_rng(seed)
    used = rng.permutation([f for f in range(18) if f // 3 < 4]).tolist()  # four of each shape; columns take turns
    weights = rng.uniform(0.5, 1.0, 12) * rng.choice([-1, 1], 12)
    rng = np.random.default_rng([seed, place])
    normal, of_query = rng.standard_normal((16 * n_queries, 18)), rng.standard_normal(n_queries)
    for row, (z, e) in enumerate(zip(normal, rng.standard_normal(16 * n_queries), strict=True)):
        linear = sum(w * z[f] for w, f in zip(weights, used, strict=True)) / np.sqrt(sum(w * w for w in weights))
        pairs = sum(z[f] * z[used[j - 1]] for j, f in enumerate(used)) / np.sqrt(12)
        shapes = [lambda v: v, lambda v: np.exp(2 * v), lambda v: np.floor(np.exp(1.5 * v))]
        x = [np.float32(shapes[f % 3](z[f])) for f in range(18)]
        yield x, row // 16, linear + 0.7 * pairs + 0.7 * of_query[row // 16] + 0.8 * e


@pytest.mark.parametrize("seed", [0, 3])
def test_each_split_is_its_definition(seed):
    n_queries = (5, 3, 4)
    for place, data in enumerate(get_splits(make_heavy_tailed_fold(n_queries, seed)).values()):
        X, qid, relevance = zip(*relevance_by_hand(n_queries[place], seed, place), strict=True)
        np.testing.assert_array_equal(data.X, np.array(X), strict=True)
        assert data.qid.tolist() == list(qid)
        assert data.y.tolist() == [sum(cut < t for cut in (0.0, 1.1, 2.1, 3.1)) for t in relevance]


def test_shapes_and_shares_are_those_of_the_docstring():
    train, _, test = get_splits(make_heavy_tailed_fold((1000, 1, 2000))).values()
    shares = np.bincount(test.y) / len(test.y)
    np.testing.assert_allclose(shares, [0.5, 0.25, 0.15, 0.07, 0.03], atol=0.01)  # queries differ: their error is .005
    counts = test.X[:, 2::3]
    assert (counts == np.rint(counts)).all()
    assert (counts == 0).mean() == pytest.approx(0.5, abs=0.01)
    range_of_bins = np.ptp(train.X[:, 1::3], axis=0) / 256
    assert ((train.X[:, 1::3] - train.X[:, 1::3].min(axis=0)) < range_of_bins).mean() > 0.5  # one of 256 equal lengths


def test_a_longer_split_of_test_queries_leaves_training_queries_as_they_are():
    short, long = (make_heavy_tailed_fold((4, 2, n)) for n in (3, 30))
    assert short.train.X.tobytes() == long.train.X.tobytes()
    assert short.train.y.tolist() == long.train.y.tolist()
