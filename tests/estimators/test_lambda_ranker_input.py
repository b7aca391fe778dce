"""`refrank.LambdaRanker`: bad parameters, grades and validation sets, each named."""

import re

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from refrank.estimators.lambdarank import LambdaRanker
from tests.strategies.lambdarank import fitted, linear_queries

NOT_1 = (0, -1, 2.5, True, "3", None)  # values that are no whole number of at least 1


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        *(
            (name, value, "a whole number of at least 1")
            for name in ("hidden", "n_epochs", "truncation")
            for value in NOT_1
        ),
        *(
            ("learning_rate", value, "above 0 and be at most 1.79")
            for value in (0, -0.1, np.nan, np.inf, "x", None, True)
        ),
        *(("decay", value, "above 0 and be at most 1.0") for value in (0.0, 1.5, np.nan, "x", None)),
        *(("max_grade", value, "an integer from 1 to 53") for value in (0, 54, 2.5, "4")),
        *(("objective", value, "one of 'ndcg', 'err', 'ranknet'") for value in ("map", None, ["err"])),
        *(("random_state", value, "a whole number of at least 0") for value in (-1, True)),
    ],
)
def test_parameters_that_break_a_rule(name, value, rule):
    """One ValueError that names parameter, value and rule, before a file's worth of rows is looked at."""
    with pytest.raises(ValueError, match=re.escape(repr(value)) + f": .*{rule}") as fault:
        fitted(**{name: value})
    assert str(fault.value).startswith(name)


def test_a_grade_above_the_scale_is_placed():
    X, y, qid = linear_queries(2, seed=0)
    with pytest.raises(ValueError, match=rf"^y\[{y.argmax()}\] = 3 is above max_grade = 2$"):
        LambdaRanker(max_grade=2).fit(X, y, qid)
    low = np.minimum(y, 2)
    held_out = {"X_val": X, "y_val": y, "qid_val": qid}
    for ranker in (LambdaRanker(objective="err"), LambdaRanker(max_grade=2)):
        with pytest.raises(ValueError, match=r"^in the validation set .*: y\[\d+\] = 3 is above max_grade = 2$"):
            ranker.fit(X, low, qid, **held_out)
    # NDCG has no highest grade: that of the training set is no rule for others
    assert LambdaRanker(n_epochs=1).fit(X, low, qid, **held_out).max_grade_ == 2


def test_a_fit_that_fails_leaves_no_net_of_other_data():
    ranker = fitted()
    with pytest.raises(ValueError, match="no query has two grades"):
        ranker.fit(np.eye(3), [1, 1, 1])
    assert not {"net_", "epochs_", "best_epoch_"} & vars(ranker).keys()
    with pytest.raises(NotFittedError):
        ranker.predict(np.eye(3))


def test_validation_set_that_breaks_a_rule():
    X, y, qid = linear_queries(2, seed=0)
    ranker = LambdaRanker(n_epochs=1)
    with pytest.raises(ValueError, match="X_val = None"):
        ranker.fit(X, y, qid, y_val=y)
    with pytest.raises(ValueError, match=r"in the validation set .* y = None"):
        ranker.fit(X, y, qid, X_val=X)
    with pytest.raises(ValueError, match=r"in the validation set .* no query of qid has two grades"):
        ranker.fit(X, y, qid, X_val=X, y_val=qid, qid_val=qid)
    with pytest.raises(ValueError, match="3 features"):
        ranker.fit(X, y, qid, X_val=X[:, :3], y_val=y, qid_val=qid)


def test_grades_that_break_a_rule():
    X, y, qid = linear_queries(2, seed=0)
    with pytest.raises(ValueError, match=r"y\[1\]"):
        LambdaRanker().fit(X, np.where(np.arange(16) == 1, -1, y), qid)
    with pytest.raises(ValueError, match="y has 15 entries, X has 16 rows"):
        LambdaRanker().fit(X, y[1:], qid)
    with pytest.raises(ValueError, match="qid has 15 entries"):
        LambdaRanker().fit(X, y, qid[1:])
