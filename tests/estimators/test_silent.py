"""Mistakes in the arguments of a fit that would do nothing, or the wrong thing, without a word."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from refrank import COCRRanker, GBRTRanker, LambdaRanker, LSBoostRanker, RandomForestRanker
from refrank.datasets import cubic_polynomial
from refrank.estimators.query_ids import warn_of_swap

DATA = cubic_polynomial(12, n_docs=6, n_features=3)
SWAPPED = r"y looks like query ids .12 values, each in one run of rows. and qid like labels .*: fit takes X, y, qid"


@pytest.mark.parametrize("ranker", [GBRTRanker(n_rounds=1), LambdaRanker(n_epochs=1), LSBoostRanker(n_rounds=1)])
def test_labels_and_queries_in_the_wrong_order_are_noticed(ranker):
    with pytest.warns(UserWarning, match=SWAPPED):
        ranker.fit(DATA.X, DATA.qid, DATA.y)
    ranker.fit(DATA.X, DATA.y, DATA.qid)  # where a warning would be an error


@pytest.mark.parametrize(
    ("y", "qid"),
    [
        (DATA.y, DATA.qid),
        (np.sort(DATA.y), np.random.default_rng(0).permutation(DATA.qid)),  # rows in the order of their labels
        (np.linspace(0, 1, 72), np.arange(72) % 5),  # a target of regression, queries dealt out
        (np.repeat(np.arange(12), 6), np.repeat(np.arange(6), 12)),  # a grade per block, six queries in a row
        (np.tile(np.repeat(np.arange(9), 4), 2), np.arange(72) % 4),  # grades that come back
        (np.repeat(np.arange(12), 6), np.arange(72) % 7 + 100),  # queries whose ids are no grades
        (np.repeat(np.arange(12), 6), np.array(list("abc") * 24)),
        (np.arange(3), np.arange(4)),
    ],
)
def test_the_right_order_is_never_doubted(y, qid):
    warn_of_swap(y, qid)


@pytest.mark.parametrize("base", [LogisticRegression(), make_pipeline(StandardScaler(), LogisticRegression())])
def test_a_classifier_is_no_base_of_cocr(base):
    with pytest.raises(ValueError, match=r"base is .* a classifier: it must be a regressor of scikit-learn's kind"):
        COCRRanker(base).fit(DATA.X, DATA.y, DATA.qid)


@pytest.mark.parametrize("value", ["yes", -1, 0.5, None])
def test_verbose_is_a_number(value):
    for ranker in (GBRTRanker(verbose=value), COCRRanker(LinearRegression(), verbose=value)):
        with pytest.raises(ValueError, match=f"verbose is {value!r}: it must be an integer of at least 0"):
            ranker.fit(DATA.X, DATA.y, DATA.qid)


@pytest.mark.parametrize("value", [True, False, np.bool_(True), 0, 1, 2])
def test_verbose_may_be_a_flag(value):
    GBRTRanker(n_rounds=1, verbose=value).check_parameters()


def test_no_rate_is_beyond_1():
    with pytest.raises(ValueError, match=r"learning_rate is 1e\+300: it must be a number above 0 and at most 1"):
        LambdaRanker(learning_rate=1e300).fit(DATA.X, DATA.y, DATA.qid)


def test_a_marker_of_missing_values_that_marks_nothing_is_noticed():
    ranker = RandomForestRanker(n_trees=1, missing="mean", missing_value=-999)
    with pytest.warns(UserWarning, match="missing_value is -999: no training row has it, so nothing is missing"):
        ranker.fit(DATA.X, DATA.y, DATA.qid)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ranker.fit(np.where(DATA.X > 0.9, -999, DATA.X), DATA.y, DATA.qid)
        RandomForestRanker(n_trees=1, missing="mean").fit(DATA.X, DATA.y, DATA.qid)
