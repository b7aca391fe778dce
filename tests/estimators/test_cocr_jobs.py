"""COCR's problems side by side: the same bits in any number of jobs and threads, and who gets which threads."""

import threading

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone

from refrank import COCRRanker, M5PRegressor
from tests.estimators.test_cocr_ranker import TREES, data


@pytest.mark.parametrize("base", [*TREES, M5PRegressor()], ids=lambda base: type(base).__name__)
def test_any_number_of_jobs_and_threads_gives_the_same_bits(base):
    X, y, _ = data(60)
    alone = COCRRanker(base, n_jobs=1).fit(X, y).predict(X)
    assert COCRRanker(base, n_jobs=2).fit(X, y).predict(X).tobytes() == alone.tobytes()
    if hasattr(base, "n_threads"):
        assert COCRRanker(clone(base).set_params(n_threads=5)).fit(X, y).predict(X).tobytes() == alone.tobytes()


class Meeting(RegressorMixin, BaseEstimator):
    """Is trained only together with another one, and tells how many threads it had then."""

    together = threading.Barrier(2, timeout=20)

    def __init__(self, n_threads=None):
        self.n_threads = n_threads

    def fit(self, X, y, sample_weight=None):
        self.together.wait()
        self.n_threads_ = self.n_threads
        return self

    def predict(self, X):
        return np.zeros(len(X))


@pytest.mark.parametrize(("n_threads", "n_jobs", "each"), [(2, None, 1), (4, None, 1), (5, None, 2), (5, 2, 3)])
def test_a_bases_threads_are_shared_out_among_the_problems(n_threads, n_jobs, each):
    X, y, _ = data(n_classes=5)
    ranker = COCRRanker(Meeting(n_threads), n_jobs=n_jobs).fit(X, y)
    trained = [h.regressor for h in ranker.model_.soft_classifiers]
    assert [regressor.n_threads_ for regressor in trained] == [each] * 4
    assert [regressor.n_threads for regressor in trained] == [n_threads] * 4  # they predict one by one
    assert ranker.base.n_threads == n_threads


@pytest.mark.parametrize(("n_threads", "n_jobs"), [(1, None), (4, 1)])
def test_one_thread_or_one_job_is_one_problem_at_a_time(n_threads, n_jobs, monkeypatch):
    monkeypatch.setattr(Meeting, "together", threading.Barrier(1))
    X, y, _ = data()
    ranker = COCRRanker(Meeting(n_threads), n_jobs=n_jobs).fit(X, y)
    assert [h.regressor.n_threads_ for h in ranker.model_.soft_classifiers] == [n_threads] * 3
    monkeypatch.setattr(Meeting, "together", threading.Barrier(2, timeout=0.05))
    with pytest.raises(threading.BrokenBarrierError):
        COCRRanker(Meeting(n_threads), n_jobs=n_jobs).fit(X, y)
