"""Whatever parameters `fit` accepts, a file holds: they are checked alike before, in and after a training."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refrank.estimators.base import Ranker
from refrank.estimators.registry import KINDS
from refrank.models import check_savable, load_model, save_model
from tests.strategies.parameters import K, estimators

X = np.random.default_rng(0).normal(size=(16, 3))
HOLES = np.where(X > 1.5, np.nan, X)
Y = np.arange(16) % K
QID = np.arange(16) // 8
# what no file can hold, of a base that is not fitted: it has no table, and no seed that was used
NOT_HELD = r"base\.\S+ is .*: a model file cannot hold a|n_jobs is \d+ in size|and, as bases|1000 digits"


def refusal(function, *arguments):
    """The words of the ValueError that a function raises, or None."""
    try:
        function(*arguments)
    except ValueError as fault:
        return str(fault)
    return None


def train(estimator, rows, y):
    return estimator.fit(rows, y, QID) if isinstance(estimator, Ranker) else estimator.fit(rows, y)


def is_regression(estimator):
    return not isinstance(estimator, Ranker) or getattr(estimator, "setting", "") == "regression"


@pytest.mark.parametrize("name", KINDS)
@given(data=st.data())
@settings(max_examples=40)
def test_what_fit_accepts_a_file_holds_and_predicts_by(tmp_path_factory, name, data):
    estimator, path = data.draw(estimators([name])), tmp_path_factory.getbasetemp() / "parameters"
    y = Y * data.draw(st.sampled_from([1, 1e155, 1e300, 5e-324])) if is_regression(estimator) else Y
    rows = (HOLES if getattr(estimator, "missing", None) else X).astype(data.draw(st.sampled_from(["f8", "f4"])))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        before = refusal(check_savable, estimator)
        if refusal(train, estimator, rows, y) is not None:
            return
        assert refusal(save_model, estimator, path) == before
        if before is not None:
            assert re.search(NOT_HELD, before), (before, estimator)
            return
        loaded = load_model(path)
        assert loaded.predict(rows).tobytes() == estimator.predict(rows).tobytes()
