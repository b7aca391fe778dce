"""`COCRRanker`: over every base, by hand; problems side by side; bases that take no weights."""

import re
import threading
import time
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.ensemble import BaggingRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

from refrank import COCRRanker, GBRTRanker, IGBRTRanker, RandomForestRanker
from refrank.cocr.costs import absolute, oerr, squared
from refrank.cocr.rankers import grade_proba, hard_rank, soft_rank
from refrank.cocr.reduction import Constant, make_problems, to_mean_one
from refrank.cocr.user_costs import cost_table
from refrank.estimators.base_learners import check_bags, rejection_sample
from refrank.estimators.fields import check_parameters
from refrank.estimators.registry import COCR_BASES
from tests.estimators.cases import data, record_binning, same_bits, small, small_base
from tests.oracles import cocr as naive_cocr
from tests.strategies import rng_of

COSTS = {"absolute": absolute, "squared": squared, "oerr": oerr}
BASES = [*(small_base(name) for name in COCR_BASES), small(RandomForestRanker), small(IGBRTRanker)]

X, Y, QID = data(80)


# --- what it learns
@pytest.mark.paper("COCR Sec. 3.1", at="learn_weighted")
@pytest.mark.parametrize("base", BASES, ids=lambda base: type(base).__name__)
@pytest.mark.parametrize("cost", COSTS)
def test_each_answer_is_the_base_on_the_weighted_problem(base, cost):
    """Algorithm 1 by hand: answers, weights of Eq. 5 scaled to mean one, clones; every bit."""
    vectors = COSTS[cost](Y, 3).tolist()
    ranker = COCRRanker(base, cost=cost).fit(X, Y)
    answers = []
    for problem in naive_cocr.transformed(Y.tolist(), vectors, 3):
        answer, weight = (np.array(column, float) for column in zip(*problem, strict=True))
        scaled = weight * (len(Y) / weight.sum())  # whole numbers: the sum is exact
        weighted = {} if cost == "absolute" else {"sample_weight": scaled}
        answers.append(clone(base).fit(X, answer, **weighted).predict(X))
    expected = np.column_stack(answers)
    assert same_bits(ranker.decision_function(X), expected)
    assert same_bits(ranker.predict(X), soft_rank(expected))
    assert ranker.predict_rank(X).tolist() == hard_rank(expected).tolist()
    assert same_bits(ranker.predict_proba(X), grade_proba(expected))


def test_a_table_a_function_and_a_name_give_the_same_ranker():
    by_name, by_function, by_table = (
        COCRRanker(LinearRegression(), cost=cost).fit(X, Y) for cost in ("oerr", oerr, oerr(np.arange(4), 3).tolist())
    )
    assert same_bits(by_name.predict(X), by_function.predict(X), by_table.predict(X))
    assert by_name.cost_table_.tolist() == oerr(np.arange(4), 3).tolist()
    assert by_name.cost_shape_.covers == "rank-monotone hard answers"


def test_row_and_column_of_a_table_are_true_and_predicted_grade():
    """Two grades, one problem: its weights are the costs of the two mistakes, 1 where y = 0 and 9 where y = 1."""
    scores = COCRRanker(LinearRegression(), cost=[[0, 1], [9, 0]]).fit(X, Y > 1).predict(X)
    weight = np.where(Y > 1, 9.0, 1.0)
    scaled = weight * (len(Y) / weight.sum())
    assert same_bits(scores, LinearRegression().fit(X, (Y > 1) * 1.0, sample_weight=scaled).predict(X))


def test_a_grade_that_nobody_has_is_a_constant_answer():
    ranker = COCRRanker(LinearRegression(), n_classes=6).fit(X, Y + 1)
    h = ranker.decision_function(X)
    assert h.shape == (80, 5)
    assert set(h[:, 0]) == {1.0}
    assert set(h[:, 4]) == {0.0}
    assert COCRRanker(LinearRegression()).fit(X, Y + 1).model_.soft_classifiers[0] == Constant(1.0)


def test_the_base_predicts_from_float64_rows_in_c_order(monkeypatch):
    """So that least squares add in one order, whatever the layout."""
    ranker, seen = COCRRanker(LinearRegression()).fit(X, Y), []

    def predict(base, rows):
        seen.append((rows.dtype, rows.flags.c_contiguous))
        return rows[:, 0]

    monkeypatch.setattr(LinearRegression, "predict", predict)
    for ask in (ranker.predict, ranker.decision_function):
        ask(np.asfortranarray(X, np.float32))
    assert seen == [(np.float64, True)] * 6


# --- bad input that is its own
class Speechless(RegressorMixin, BaseEstimator):
    def fit(self, X, y, sample_weight=None):
        return self


BAD = [
    ({"base": Speechless()}, "base is Speechless(): it must be a regressor of scikit-learn's kind, with fit and pred"),
    ({"base": LinearRegression}, "it must be a regressor of scikit-learn's kind, with fit and predict"),
    ({"base": type("Bare", (), {"fit": print, "predict": print})()}, "it must be a regressor of scikit-learn's"),
    ({"cost": np.zeros((3, 3))}, "cost has shape (3, 3): it must have shape (n_classes, n_classes), one row per true"),
]


@pytest.mark.parametrize(("changed", "message"), BAD)
def test_bad_parameters_are_named(changed, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        COCRRanker(**{"base": LinearRegression()} | changed).fit(X, Y, QID)


def test_features_are_the_base_s_to_accept_or_refuse():
    with pytest.raises(ValueError, match="NaN"):  # the base's own words
        COCRRanker(LinearRegression()).fit(np.where(X[0, 0] == X, np.nan, X), Y)
    holes = np.where(X > 1, np.nan, X)
    scores = COCRRanker(GBRTRanker(n_rounds=2, missing="three-way")).fit(holes, Y).predict(holes)
    assert np.isfinite(scores).all()


# --- problems side by side: who gets which threads
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


class Slow(Meeting):
    """Takes a while to be trained."""

    def fit(self, X, y, sample_weight=None):
        time.sleep(0.2)
        return self


def test_a_training_that_ends_early_does_not_warn_of_the_problem_under_way():
    """All answers of the first problem are yes, so it is done at once, beside the second one."""
    ranker = COCRRanker(Slow(n_threads=2)).fit(X, Y.clip(1), monitor=lambda n_done, so_far: True)
    assert len(ranker.unfinished_.soft_classifiers) == 1


@pytest.mark.parametrize("Ranker", [GBRTRanker, IGBRTRanker, RandomForestRanker])
@pytest.mark.parametrize("n_jobs", [None, 1])
@pytest.mark.parametrize("binning", ["app-i", "exact", "quantile"])
def test_tree_rankers_bin_the_rows_once_for_all_problems(Ranker, n_jobs, binning, monkeypatch):
    """But for a problem with rows of weight 0, which have no part in its bins."""
    binned = record_binning(monkeypatch)
    base = small(Ranker, n_threads=2, binning=binning)
    COCRRanker(base, cost="oerr", n_jobs=n_jobs).fit(X, Y)
    assert binned == [len(X)]
    binned.clear()
    lenient = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
    lenient[0, 2] = 1.0  # where y = 0, grade 2 costs what grade 1 does: no weight in the second problem
    COCRRanker(base, cost=lenient, n_jobs=n_jobs).fit(X, Y)
    assert binned == [len(X), np.count_nonzero(Y > 0)]


@pytest.mark.parametrize("weighted", [False, True])
def test_the_bins_of_all_problems_are_quantiles_of_the_rows_whatever_their_errors_cost(weighted):
    """Each problem is fitted, with its costs, on rows that are binned by their own weights."""
    row_weight = rng_of(5).exponential(size=len(X)) if weighted else None
    base = GBRTRanker(n_rounds=3, n_bins=4)
    ranker = COCRRanker(base, cost="oerr").fit(X, Y, sample_weight=row_weight)
    expected, rows = [], base.prepare(X, row_weight)
    for problem in make_problems(Y, ranker.cost_table_[Y], row_weight):
        weight = to_mean_one(problem.weight, row_weight)
        expected.append(clone(base).fit_prepared(rows, problem.answer, weight).predict(X))
        assert not same_bits(expected[-1], clone(base).fit(X, problem.answer, sample_weight=weight).predict(X))
    assert same_bits(ranker.decision_function(X), np.column_stack(expected))


@pytest.mark.parametrize(("n_threads", "n_jobs"), [(1, None), (4, 1)])
def test_one_thread_or_one_job_is_one_problem_at_a_time(n_threads, n_jobs, monkeypatch):
    monkeypatch.setattr(Meeting, "together", threading.Barrier(1))
    ranker = COCRRanker(Meeting(n_threads), n_jobs=n_jobs).fit(X, Y)
    assert [h.regressor.n_threads_ for h in ranker.model_.soft_classifiers] == [n_threads] * 3
    monkeypatch.setattr(Meeting, "together", threading.Barrier(2, timeout=0.05))
    with pytest.raises(threading.BrokenBarrierError):
        COCRRanker(Meeting(n_threads), n_jobs=n_jobs).fit(X, Y)


# --- a base without weights: rows drawn by cost-proportionate rejection sampling
@pytest.mark.paper("COCR Sec. 3.1", at="rejection_sample")
def test_rejection_sampling_keeps_rows_as_often_as_their_weights_say():
    weight = np.repeat([1.0, 2.0, 4.0], 20_000)
    rows = rejection_sample(weight, seed=0, k=1)
    assert np.all(np.diff(rows) > 0)
    kept = np.bincount(rows // 20_000) / 20_000
    # the standard error of a share of 20,000 is at most .0035; 4 of them
    np.testing.assert_allclose(kept[:2], [0.25, 0.5], atol=0.014)
    assert kept[2] == 1.0
    assert rejection_sample(weight, seed=0, k=2).tolist() != rows.tolist() != rejection_sample(weight, 1, 1).tolist()


def test_a_row_of_weight_zero_never_stays_and_one_of_the_largest_always_does(monkeypatch):
    for drawn, kept in ((0.0, [1, 2]), (1 - 2.0**-53, [2])):  # the ends of [0, 1)
        draws = SimpleNamespace(random=lambda n, drawn=drawn: np.full(n, drawn))
        monkeypatch.setattr(np.random, "default_rng", lambda seed, draws=draws: draws)
        assert rejection_sample(np.array([0.0, 1.0, 3.0]), 0, 1).tolist() == kept


def test_a_base_without_weights_learns_from_a_sample_and_says_so():
    base = KNeighborsRegressor(3)
    with pytest.warns(UserWarning, match="base KNeighborsRegressor takes no sample_weight: each problem") as seen:
        ranker = COCRRanker(base, cost="squared", random_state=5).fit(X, Y)
    assert [warning.filename for warning in seen] == [__file__]  # the caller's line
    problems = naive_cocr.transformed(Y.tolist(), squared(Y, 3).tolist(), 3)
    for k, problem, h in zip((1, 2, 3), problems, ranker.model_.soft_classifiers, strict=True):
        answer, weight = (np.array(column, float) for column in zip(*problem, strict=True))
        rows = rejection_sample(weight * (len(Y) / weight.sum()), 5, k)
        assert 0 < len(rows) < len(Y)
        assert same_bits(h(X), clone(base).fit(X[rows], answer[rows]).predict(X))


@pytest.mark.parametrize("cost", ["absolute", np.abs(np.subtract.outer([0, 1, 6, 8], [0, 1, 6, 8]))])
def test_equal_weights_need_no_sample(cost):
    """The table's weights are 1, 5 and 2 in problem 1, 2 and 3: equal within each."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ranker = COCRRanker(KNeighborsRegressor(3), cost=cost).fit(X, Y)
    h = ranker.model_.soft_classifiers[0]
    assert same_bits(h(X), KNeighborsRegressor(3).fit(X, Y >= 1).predict(X))
    with pytest.warns(UserWarning, match="takes no sample_weight"):  # weights of rows alone need one
        COCRRanker(KNeighborsRegressor(3), cost=cost).fit(X, Y, sample_weight=1.0 + Y)


@pytest.mark.parametrize(
    ("base", "weight", "message"),
    [
        (KNeighborsRegressor(), 2e7, "are listed one by one for a bag, and may be at most 67108864"),
        (LinearRegression(), 2e11, "are drawn one by one for a bag, and may be at most 1099511627776"),
        (LinearRegression(), 1e300, "are drawn one by one"),
    ],
)
def test_bags_that_take_too_much_memory_or_time_are_refused_before_they_are_drawn(base, weight, message):
    """scikit-learn lists the rows of a bag one by one: a share of the sum of the weights."""
    bags = BaggingRegressor(base, max_samples=0.1, n_estimators=2, random_state=0)
    with pytest.raises(ValueError, match=rf"sample_weight adds up to .*: max_samples=0.1 of that {message}"):
        COCRRanker(bags).fit(X, Y, sample_weight=np.full(len(Y), weight))
    COCRRanker(bags.set_params(max_samples=30)).fit(X, Y, sample_weight=np.full(len(Y), weight))
    COCRRanker(bags.set_params(max_samples=0.5)).fit(X, Y, sample_weight=np.full(len(Y), 1e3))
    COCRRanker(bags).fit(X, Y)


@pytest.mark.parametrize("n_classes", [1, 1025])
def test_a_number_of_classes_out_of_range_is_refused_before_and_by_the_table_of_costs(n_classes):
    message = f"^n_classes is {n_classes}: it must be an integer from 2 to 1024$"
    with pytest.raises(ValueError, match=message):
        check_parameters(COCRRanker(LinearRegression(), n_classes=n_classes))
    with pytest.raises(ValueError, match=message):
        cost_table("absolute", n_classes)


def test_a_bag_may_have_exactly_as_many_rows_as_memory_holds():
    for bags, most in ((BaggingRegressor(max_samples=0.5), 2**40), (RandomForestRegressor(max_samples=0.5), 2**26)):
        check_bags(bags, np.full(2, float(most)))
        with pytest.raises(ValueError, match=f"may be at most {most}; divide the weights"):
            check_bags(bags, np.full(2, float(most + 1)))


# --- answers that are not finite
class Infinite(RegressorMixin, BaseEstimator):
    """A base that takes no weights and answers inf."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full(len(X), np.inf)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the division by tiny features
@pytest.mark.parametrize("resampled", [False, True])
def test_least_squares_on_tiny_features_is_refused_by_fit(resampled):
    ranker = COCRRanker(Infinite() if resampled else LinearRegression(), cost="absolute")
    said = r"^base \w+ answers (-?inf|nan) in problem 1: it must be finite; features other than 0 are \S+e-31"
    with pytest.raises(ValueError, match=said):
        ranker.fit(X * 1e-310, Y)
    assert not hasattr(ranker, "model_")


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e-30, 1e30, 1e150])
def test_least_squares_on_other_scales_is_fitted(scale):
    assert np.isfinite(COCRRanker(LinearRegression()).fit(X * scale, Y).predict(X * scale)).all()
