"""MQ2008 fold 1, real data: the figures that the rankers reach (NDCG@10, convention "paper").

REFRANK_DATA names the folder that holds mq2008/S1.txt .. S5.txt. Another program that implements McRank by
classification (simultaneous, J = 10, nu = .05, 200 rounds, expected relevance) reaches .4875 with the same convention,
RankLib's random forest .4676 (30 bags of one tree, 100 leaves, 30% of the features), its linear regression .4007.
"""

import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from refrank import (
    COCRRanker,
    GBRTRanker,
    IGBRTRanker,
    LambdaRanker,
    LSBoostRanker,
    OrdinalBoostRanker,
    RandomForestRanker,
    SoftmaxBoostRanker,
)
from refrank.datasets import load_folds
from refrank.estimators.cocr import SoftClassifier
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.metrics import err


@pytest.fixture(scope="module")
def fold_1():
    """Train on S1 + S2 + S3, validate on S4, test on S5."""
    if "REFRANK_DATA" not in os.environ:
        pytest.skip("REFRANK_DATA is not set: it names the folder that holds mq2008/")
    return next(load_folds(Path(os.environ["REFRANK_DATA"], "mq2008")))


def test_the_fold_is_the_one_described(fold_1):
    parts = (fold_1.train, fold_1.valid, fold_1.test)
    assert [part.X.shape for part in parts] == [(9630, 46), (2707, 46), (2874, 46)]
    assert [len(np.unique(part.qid)) for part in (parts[0], parts[2])] == [471, 156]
    assert sum(len(np.unique(column)) == 1 for column in fold_1.train.X.T) == 6


def boosted(Ranker, **changed):
    return Ranker(**{"n_rounds": 200, "n_leaves": 10, "learning_rate": 0.05, **changed})


# A hundredth is a third of the standard error of a mean over 156 queries; COCR's bounds are .02 below docs/cocr.md.
REACHED = [
    *(
        (boosted(Ranker, update=update), 0.4875 - 0.01)
        for Ranker in (SoftmaxBoostRanker, OrdinalBoostRanker, LSBoostRanker)
        for update in ("simultaneous", "sequential")
    ),
    *(
        (ranker(setting=setting), 0.4676 - 0.01)
        for ranker in (
            lambda setting: RandomForestRanker(n_trees=300, setting=setting),
            lambda setting: GBRTRanker(n_rounds=50, setting=setting),
            lambda setting: IGBRTRanker(n_trees=300, n_rounds=10, setting=setting),
        )
        for setting in ("regression", "classification")
    ),
    *(
        (COCRRanker(base, cost=cost), at_least)
        for base, at_least in ((LinearRegression(), 0.44), (GBRTRanker(n_rounds=100, learning_rate=0.05), 0.46))
        for cost in ("absolute", "squared", "oerr")
    ),
    *((LambdaRanker(objective=objective, n_epochs=30), 0.4007) for objective in ("ndcg", "err", "ranknet")),
]


@pytest.mark.parametrize(("ranker", "at_least"), REACHED, ids=[repr(ranker) for ranker, _ in REACHED])
def test_ndcg_at_10(fold_1, ranker, at_least):
    train, valid, test = fold_1.train, fold_1.valid, fold_1.test
    held_out = {}
    if isinstance(ranker, LambdaRanker):
        held_out = {"X_val": valid.X, "y_val": valid.y, "qid_val": valid.qid}
    ranker.fit(train.X, train.y, train.qid, **held_out)
    quality = ranker.score(test.X, test.y, test.qid)
    print(f"{ranker}: NDCG@10 {quality:.4f}, ERR {err(test.y, ranker.predict(test.X), test.qid):.4f}")
    assert quality >= at_least
    if isinstance(ranker, COCRRanker):
        assert all(isinstance(h, SoftClassifier) for h in ranker.model_.soft_classifiers)


def test_negative_class_probabilities_occur_and_do_no_harm(fold_1):
    """Eq. 8 on real data: crossing cumulative probabilities; the score stays between the lowest and highest grade."""
    train, test = fold_1.train, fold_1.test
    class_proba = boosted(OrdinalBoostRanker).fit(train.X, train.y, train.qid).predict_proba(test.X)
    share = float((class_proba < 0).any(axis=1).mean())
    print(f"rows with a negative class probability: {share:.4f}, the lowest {class_proba.min():.4f}")
    assert 0 < share < 0.5
    scores = expected_relevance(class_proba)
    assert ((scores >= 0) & (scores <= 2)).all()


def test_labels_0_to_2_make_two_problems(fold_1):
    ranker = RandomForestRanker(n_trees=2, setting="classification").fit(fold_1.train.X, fold_1.train.y)
    assert (ranker.n_classes_, len(ranker.model_.initial)) == (3, 2)


@pytest.mark.parametrize("missing", ["mean", "median", "inf", "three-way"])
def test_zeros_that_stand_for_absent_features_may_be_missing(fold_1, missing):
    """Six columns are missing everywhere then."""
    train, test = fold_1.train, fold_1.test
    ranker = GBRTRanker(n_rounds=50, missing=missing, missing_value=0.0).fit(train.X, train.y, train.qid)
    assert ranker.score(test.X, test.y, test.qid) >= 0.4676 - 0.02
    absent = (train.X == 0).all(axis=0)
    assert absent.any()
    assert not ranker.feature_importances_[absent].any()
