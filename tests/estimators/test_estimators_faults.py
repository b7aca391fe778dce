"""`refrank.estimators` on bad data and parameters: one error that names argument, value, place and rule."""

import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from refrank.estimators.checks import check_finite
from tests.estimators.boosters import class_rankers, data, rankers, small


def changed(array, place, value):
    array = np.array(array, dtype=np.float64)
    array[place] = value
    return array


X_GOOD, Y_GOOD, QID_GOOD = data()


BAD_FITS = [
    ({"X": changed(X_GOOD, (7, 2), np.nan)}, "X at row 7, column 2 is NaN: every feature must be finite"),
    ({"X": changed(X_GOOD, (59, 4), -np.inf)}, "X at row 59, column 4 is -inf: every feature must be finite"),
    ({"y": changed(Y_GOOD, 5, -1)}, "y at row 5 is -1.0: labels must be integers of at least 0"),
    ({"y": changed(Y_GOOD, 8, 0.5)}, "y at row 8 is 0.5: labels must be integers of at least 0"),
    ({"y": Y_GOOD * 0 + 2}, "y is 2 in every row (60 sample(s)): a ranker needs labels of at least two classes"),
    ({"y": Y_GOOD.astype(str)}, "labels must be integers of at least 0"),
    ({"y": Y_GOOD[:-1]}, "inconsistent numbers of samples: [60, 59]"),
    ({"X": np.empty((0, 5)), "y": []}, "Found array with 0 sample(s) (shape=(0, 5)) while a minimum of 1 is required"),
    ({"X": X_GOOD[:, :0]}, "0 feature(s) (shape=(60, 0)) while a minimum of 1 is required"),
    ({"qid": QID_GOOD[:-1]}, "qid has 59 entries, y has 60: qid must be one id a document"),
    ({"qid": [20, 30, 10]}, "they look like group sizes; qid is one id a document: np.repeat(np.arange(len(sizes))"),
    ({"sample_weight": np.ones(59)}, "sample_weight has shape (59,): X has 60 rows, and each needs one weight"),
    (
        {"sample_weight": changed(np.ones(60), 3, -0.5)},
        "sample_weight at row 3 is -0.5: weights must be finite and not",
    ),
    ({"sample_weight": changed(np.ones(60), 9, np.nan)}, "sample_weight at row 9 is nan: weights must be finite"),
    ({"sample_weight": np.zeros(60)}, "sample_weight is zero in every row: some row must count"),
    ({"sample_weight": np.full(60, 1e307)}, "sample_weight adds up to more than the largest float64"),
]


@rankers
@pytest.mark.parametrize(("arguments", "message"), BAD_FITS, ids=[message[:40] for _, message in BAD_FITS])
def test_bad_data_is_named(Ranker, arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        small(Ranker).fit(**{"X": X_GOOD, "y": Y_GOOD, **arguments})


BAD_PARAMETERS = [
    ({"n_leaves": 1}, "n_leaves is 1: it must be a whole number of at least 2"),
    ({"n_leaves": 2.5}, "n_leaves is 2.5: it must be a whole number of at least 2"),
    ({"n_rounds": 0}, "n_rounds is 0: it must be a whole number of at least 1"),
    ({"min_samples_leaf": True}, "min_samples_leaf is True: it must be a whole number of at least 1"),
    ({"n_bins": 1}, "n_bins is 1: it must be a whole number of at least 2"),
    ({"n_bins": 65537}, "n_bins is 65537: it must lie between 2 and 65536"),
    ({"growth": 1.0}, "growth is 1.0: the bin length must grow by a finite factor of at least 1.001"),
    ({"learning_rate": 0.0}, "learning_rate is 0.0: it must lie above 0 and be at most 1"),
    ({"learning_rate": 1.01}, "learning_rate is 1.01: it must lie above 0 and be at most 1"),
    ({"learning_rate": np.nan}, "learning_rate is nan: it must lie above 0 and be at most 1"),
    ({"learning_rate": "fast"}, "learning_rate is 'fast': it must lie above 0 and be at most 1"),
    ({"update": "both"}, "update is 'both': it must be one of 'sequential', 'simultaneous'"),
    ({"n_classes": 3}, "is 3: labels must be integers from 0 to n_classes - 1 = 2"),
    ({"n_classes": 1}, "n_classes is 1: it must be a whole number of at least 2"),
    ({"n_threads": 0}, "n_threads is 0: it must be a whole number of at least 1"),
]


@rankers
@pytest.mark.parametrize(("parameters", "message"), BAD_PARAMETERS, ids=[message[:30] for _, message in BAD_PARAMETERS])
def test_bad_parameters_are_named(Ranker, parameters, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        small(Ranker, **parameters).fit(X_GOOD, Y_GOOD)


@class_rankers
def test_a_relevance_that_does_not_increase_is_refused(Ranker):
    with pytest.raises(ValueError, match=r"relevance must increase, but goes from 5.0 at class 2 to 4.0 at class 3"):
        small(Ranker, relevance=[0, 1, 5, 4]).fit(X_GOOD, Y_GOOD)


@rankers
def test_bad_data_to_predict_are_named(Ranker):
    ranker = small(Ranker).fit(X_GOOD, Y_GOOD)
    with pytest.raises(ValueError, match="X at row 1, column 0 is NaN: every feature must be finite"):
        ranker.predict(changed(X_GOOD, (1, 0), np.nan))
    with pytest.raises(ValueError, match=r"X has 4 features, but .* is expecting 5 features as input"):
        ranker.predict(X_GOOD[:, :4])
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        ranker.predict(sparse.csr_array(X_GOOD))


def test_names_of_columns_stand_in_messages():
    """scikit-learn takes them from pandas and polars tables; neither is needed for refrank."""
    names = ["bm25", "length", "links", "age", "clicks"]
    with pytest.raises(ValueError, match=r"X at row 3, column 1 \(length\) is NaN: every feature must be finite"):
        check_finite(changed(X_GOOD, (3, 1), np.nan), names)


@rankers
def test_a_ranker_that_is_not_fitted_says_so(Ranker):
    for method in ("predict", "predict_proba"):
        if hasattr(Ranker, method):
            with pytest.raises(NotFittedError):
                getattr(small(Ranker), method)(X_GOOD)
    with pytest.raises(NotFittedError):
        next(small(Ranker).staged_predict(X_GOOD))
