"""A pair explained: the parts add up, and the swap is the nearest one of all changes of one feature."""

from itertools import product

import numpy as np
import pytest

from refrank import COCRRanker, GBRTRanker, IGBRTRanker, LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.models.exchange.packing import make_portable
from refrank.models.exchange.xgboost import write
from refrank.models.exchange.xgboost_reader import read
from tests.estimators.cases import small
from tests.strategies import rng_of

GRID = [value + 0.25 for value in range(-1, 6)]  # a value between each two cuts


def gridded(seed=0):
    rng = rng_of(seed)
    X = rng.integers(0, 6, (120, 3)).astype(float)
    return X, np.clip(np.rint(X[:, 0] / 3 + (X[:, 1] > 3) - X[:, 2] / 5), 0, 3).astype(int)


X, Y = gridded()
RANKERS = [
    *(small(Ranker, n_rounds=4).fit(X, Y) for Ranker in (LSBoostRanker, SoftmaxBoostRanker, OrdinalBoostRanker)),
    small(IGBRTRanker, missing="zero", missing_value=0.0).fit(X, Y),
    COCRRanker(small(GBRTRanker, binning="exact")).fit(X, Y),
    read(write(make_portable(small(LSBoostRanker).fit(X, Y)))),
]


def list_swaps(ranker, rows):
    """Each swap by a change of one feature on the grid: how many of the model's cuts it passes, and where it is."""
    scores = ranker.predict(rows)
    higher = int(scores[1] > scores[0])
    cuts = [set(), set(), set()]
    for part in ranker.list_sums():
        for tree in (tree for trees in part.ensemble.rounds for tree in trees):
            for feature, cut in zip(tree.feature.tolist(), tree.cut.tolist(), strict=True):
                if feature >= 0:
                    cuts[feature % 3].add(cut)
    marker, places, changed = getattr(ranker, "missing_value", None), [], []
    for document, feature, value in product((0, 1), range(3), GRID):
        x = rows[document, feature]
        if marker != x:
            changed.append(rows.copy())
            changed[-1][document, feature] = value
            passed = sum(min(x, value) < cut <= max(x, value) for cut in cuts[feature])
            places.append((passed, document, feature, value))
    after = ranker.predict(np.concatenate(changed)).reshape(-1, 2)
    return sorted(place for place, pair in zip(places, after, strict=True) if pair[higher] < pair[1 - higher])


@pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: type(ranker).__name__)
def test_the_swap_is_the_nearest_of_all(ranker):
    rng, n_swaps = rng_of(7), 0
    for _ in range(15):
        rows = X[rng.choice(len(X), 2, replace=False)]
        explained, swaps = ranker.explain_pair(*rows), list_swaps(ranker, rows)
        scores = ranker.predict(rows)
        assert explained.scores == tuple(scores.tolist())
        assert explained.parts.sum() == pytest.approx(scores[0] - scores[1], abs=1e-12)
        swap = explained.swap
        if scores[0] == scores[1]:
            assert (swap, str(explained)[:27]) == (None, "a and b have the same score")
            continue
        assert (swap is None) == (swaps == [])
        if swap is None:
            assert str(explained).endswith("; no change of one feature would swap them")
            continue
        n_swaps += 1
        assert swap.n_cuts == swaps[0][0]
        document = "ab".index(swap.document)
        inside = [value for *_, value in swaps if swap.low <= value < swap.high]
        assert any((swap.n_cuts, document, swap.feature, value) in swaps for value in inside)
        x = rows[document, swap.feature]
        assert swap.high <= x if swap.falls else swap.low > x
    assert n_swaps > 3


def test_the_sentence():
    X = np.array([[0.0, 3.0], [1.0, 4.0], [1.0, 9.0]])
    ranker = LSBoostRanker(n_rounds=50, n_leaves=2).fit(X, [0, 1, 3])
    first = "b above a by 0.57: x0 +0.57; would swap if x1 of a >= 6.5"
    assert [str(ranker.explain_pair(X[0], X[n])) for n in range(3)] == [
        "a and b have the same score",
        first,
        "b above a by 6.1: x1 +5.6, x0 +0.57; no change of one feature would swap them",
    ]
    assert str(ranker.explain_pair(X[1], X[0])) == "a above b by 0.57: x0 +0.57; would swap if x1 of b >= 6.5"
    assert str(ranker.explain_pair([0.0, 9.0], X[1])).endswith("x1 +5.6, x0 -0.57; would swap if x1 < 6.5")


def test_a_value_on_a_cut_and_a_cut_that_marks_missing_entries():
    X, y, plain = [[0.0], [1.0], [2.0]], [0, 1, 2], {"n_rounds": 1, "learning_rate": 1.0, "max_depth": 2}
    ranker = GBRTRanker(**plain).fit(X, y)
    tree = ranker.model_.rounds[0][0]
    low, high = sorted(tree.cut[tree.feature == 0].tolist())
    assert ranker.explain_pair([high], [1.0]).swap.n_cuts == 2  # it lies above the cut, and must fall below both
    marked = GBRTRanker(**plain, missing="inf", missing_value=low).fit(X, y)
    assert marked.explain_pair([1.0], [0.0]).swap.n_cuts == 2  # a value of `low` would be missing, and rank first


def test_many_parts_are_added_up():
    X = rng_of(3).normal(size=(200, 9))
    ranker = LSBoostRanker(n_rounds=30).fit(X, np.clip(np.rint(X.sum(axis=1)), 0, 3).astype(int))
    explained = max((ranker.explain_pair(X[0], X[n]) for n in range(9)), key=lambda pair: len(pair.list_parts()))
    parts = explained.list_parts()
    assert len(parts) > 6
    assert f", {len(parts) - 5} others {sum(part for _, part in parts[5:]):+.2g}; " in str(explained)


def test_a_document_has_one_row_of_features():
    with pytest.raises(ValueError, match=r"b has shape \(2,\): it must have shape \(n_features,\), one document"):
        RANKERS[0].explain_pair(X[0], X[1, :2])
    with pytest.raises(ValueError, match="row 0, column 1"):
        RANKERS[0].explain_pair([0.0, np.nan, 1.0], X[1])
