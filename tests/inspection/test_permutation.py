"""Importances by permutation: a feature that no cut reads loses nothing, and losses are those of shuffled rows."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from refrank import COCRRanker, LambdaRanker, LSBoostRanker
from refrank.inspection import permutation_importance
from refrank.metrics import ndcg, parse_measure
from tests.estimators.cases import QID, X, Y, small


@pytest.mark.parametrize("ranker", [small(LSBoostRanker), small(LambdaRanker), COCRRanker(LinearRegression())])
def test_losses_are_those_of_shuffled_rows(ranker):
    ranker = ranker.fit(X, Y, QID)
    importances = permutation_importance(ranker, X, Y, QID, "ndcg@3", n_repeats=2, random_state=5)
    before = ndcg(Y, ranker.predict(X), QID, k=3, per_query=True)
    for f in range(5):
        losses = []
        for repeat in range(2):
            shuffled = X.copy()
            shuffled[:, f] = X[np.random.default_rng([5, f, repeat]).permutation(len(X)), f]
            losses.append(before - ndcg(Y, ranker.predict(shuffled), QID, k=3, per_query=True))
        mean = np.mean(losses, axis=0)
        np.testing.assert_allclose(importances.losses[f], mean, atol=1e-15)
        assert importances.mean[f] == pytest.approx(mean.mean(), abs=1e-15)
        reach = 1.959964 * mean.std(ddof=1) / np.sqrt(len(mean))
        assert importances.high[f] - importances.mean[f] == pytest.approx(reach, rel=1e-6, abs=1e-15)
        assert importances.mean[f] - importances.low[f] == pytest.approx(reach, rel=1e-6, abs=1e-15)


def test_a_feature_that_no_cut_reads_loses_nothing():
    X_wide = np.column_stack([X[:, 0], np.zeros(len(X)), X[:, 1]])
    importances = permutation_importance(small(LSBoostRanker).fit(X_wide, Y, QID), X_wide, Y, QID)
    assert not importances.losses[1].any()
    assert importances.mean[0] > 0 < importances.mean[2]


def test_a_frame_keeps_its_names_and_ids():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=[*"abcde"]).assign(qid=QID)
    ranker = small(LSBoostRanker).fit(frame, Y)
    importances = permutation_importance(ranker, frame, Y)
    plain = permutation_importance(small(LSBoostRanker).fit(X, Y, QID), X, Y, QID)
    assert importances.names == [*"abcde"]
    assert np.array_equal(importances.losses, plain.losses)
    assert str(importances).startswith("loss of ndcg@10 over 12 queries")
    assert np.array_equal(frame[[*"abcde"]].to_numpy(), X)


def test_skipped_queries_do_not_count():
    measure, y = parse_measure("ndcg@10 trec"), np.where(QID[0] == QID, 0, Y)
    importances = permutation_importance(small(LSBoostRanker).fit(X, Y, QID), X, y, QID, measure, n_repeats=1)
    assert np.isnan(importances.losses).any()
    assert np.isfinite(importances.mean).all()
    assert importances.measure == "ndcg@10 trec"


def test_a_measure_may_be_a_function_and_one_query_has_no_interval():
    def reward(y, score, qid):
        return [float((y * score).sum())]

    importances = permutation_importance(small(LSBoostRanker).fit(X, Y), X, Y, measure=reward)
    assert importances.measure == "reward"
    assert np.isnan(importances.low).all()
    for wrong in ({"n_repeats": 0}, {"random_state": -1}, {"measure": "ndgc"}):
        with pytest.raises(ValueError, match=f"{next(iter(wrong))} is "):
            permutation_importance(small(LSBoostRanker).fit(X, Y), X, Y, **wrong)
