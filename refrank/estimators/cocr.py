"""COCR (Ruan, Lin and Tsai 2014) with the face of scikit-learn, over any of its regressors."""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Tags
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from refrank.cocr.rankers import class_proba, hard_rank, soft_rank
from refrank.cocr.reduction import Learn, cocr, weights
from refrank.cocr.user_costs import CostFunction, cost_shape, cost_table
from refrank.estimators.checks import check_grades, check_weights
from refrank.estimators.tree_ranker import resolve_seed
from refrank.metrics import ndcg
from refrank.metrics.queries import group_rows
from refrank.trees.engine import resolve_threads

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SoftClassifier:
    """h_k: a fitted regressor."""

    regressor: Any

    def __call__(self, X: Any) -> Floats:
        """Predict h_k(x), shape (n_samples,)."""
        return np.asarray(self.regressor.predict(X), np.float64)


@dataclass(eq=False, repr=False)  # writes the __init__ that scikit-learn reads parameters from
class COCRRanker(BaseEstimator):
    """Cost-sensitive ordinal classification via regression.

    A regressor learns for each k = 1..K whether y >= k, from rows weighted by what the answer costs. A document is
    ranked by the sum of the answers.

    Parameters
    ----------
    base : scikit-learn regressor
        A_r; a clone is fitted to each problem. One whose `fit` takes `sample_weight` gets the weights, scaled to mean
        one in each problem; any other gets rows drawn by them (`rejection_sample`), with a warning.
    cost : "absolute", "squared", "oerr", function or array of shape (n_classes, n_classes), default "oerr"
        Row y, column k: the cost of predicting k where y is true; `refrank.cocr.user_costs.cost_table` has the rules.
    n_classes : int, optional
        K + 1; by default the highest label plus 1.
    n_jobs : int, optional
        Problems trained side by side, by joblib. None: as many as the base has threads (`n_threads`, of the tree
        rankers), which the problems share; one by one over a base without. Changes no bit of the model.
    random_state : int, RandomState or None, default 0
        The seed of `rejection_sample`; bases have seeds of their own.

    Attributes
    ----------
    model_ : refrank.cocr.reduction.COCRModel
        h_1..h_K: a fitted regressor each, or the constant 0 or 1 where all answers of a problem are equal.
    cost_table_ : array of shape (n_classes, n_classes)
    cost_shape_ : refrank.cocr.user_costs.CostShape
        Where the costs are V-shaped and convex, and what the theory covers.
    n_classes_, n_features_in_, seed_ : int

    Notes
    -----
    COCR Sec. 5.1 scales features to [0, 1]: `make_pipeline(MinMaxScaler(), COCRRanker(...))`, of scikit-learn.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=40)
    >>> ranker = COCRRanker(LinearRegression(), cost="squared").fit(data.X, data.y, data.qid)
    >>> ranker.score(data.X, data.y, data.qid) > 0.5  # mean NDCG@10 of the training rows, convention "paper"
    True
    >>> ranker.predict_rank(data.X[:3]).shape, ranker.predict_proba(data.X[:3]).shape
    ((3,), (3, 5))
    """

    base: Any
    cost: str | CostFunction | ArrayLike = "oerr"
    n_classes: int | None = None
    n_jobs: int | None = None
    random_state: int | RandomState | None = 0

    def fit(
        self, X: ArrayLike, y: ArrayLike, qid: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Train.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Taken as float64, so that least squares is. What is not finite is left to the base to accept or refuse.
        y : array of shape (n_samples,)
            Labels 0..n_classes - 1.
        qid : array of shape (n_samples,), optional
            Query of each row; checked only.
        sample_weight : array of shape (n_samples,), optional
            A row of weight 2 counts as two; the costs come on top.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Where an argument, a parameter or the cost is bad; the message names value, place and rule.
        """
        for method in ("fit", "predict", "get_params"):
            if not callable(getattr(self.base, method, None)) or isinstance(self.base, type):
                raise ValueError(
                    f"base is {self.base!r}: it must be a regressor of scikit-learn's kind, with fit and predict"
                )
        features, labels = validate_data(self, X, y, dtype=np.float64, ensure_all_finite=False)
        grades, self.n_classes_ = check_grades(labels, self.n_classes)
        weight = check_weights(sample_weight, len(features))
        if qid is not None:
            group_rows(qid, len(features))
        self.cost_table_ = cost_table(self.cost, self.n_classes_)
        self.cost_shape_ = cost_shape(self.cost_table_)
        self.seed_ = resolve_seed(self.random_state)
        if self.n_jobs is not None and (not isinstance(self.n_jobs, int | np.integer) or self.n_jobs == 0):
            raise ValueError(f"n_jobs is {self.n_jobs!r}: it must be None or a whole number other than 0")
        takes_weights = has_fit_parameter(self.base, "sample_weight")
        if not takes_weights and (weight is not None or np.ptp(weights(self.cost_table_), axis=0).any()):
            warnings.warn(
                f"base {type(self.base).__name__} takes no sample_weight: each problem is learned from rows drawn by "
                "their weights, not from all",
                UserWarning,
                stacklevel=2,
            )
        base, parallel = side_by_side(self.base, self.n_jobs, self.n_classes_ - 1)
        learn = (learn_weighted if takes_weights else learn_resampled)(base, features, self.seed_)

        def each(train: Callable[[Any], Any], problems: Iterable[Any]) -> Iterable[Any]:
            return parallel(delayed(train)(problem) for problem in problems)

        self.model_ = cocr(grades, self.cost_table_[grades], learn, weight, each)
        for h in self.model_.soft_classifiers:
            if base is not self.base and isinstance(h, SoftClassifier):
                h.regressor.set_params(n_threads=self.base.n_threads)  # it predicts alone
        return self

    def predict(self, X: ArrayLike) -> Floats:
        """Score each row of X, (n_samples, n_features), by the soft ranker r_h: higher before lower, (n_samples,)."""
        return soft_rank(self.decision_function(X))

    def predict_rank(self, X: ArrayLike) -> NDArray[np.int64]:
        """Predict grades by the hard ranker r_g, (n_samples,), in 0..n_classes - 1."""
        return hard_rank(self.decision_function(X))

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Compute P(y = k) from the answers, (n_samples, n_classes); as they are not clipped, it can be negative."""
        return class_proba(self.decision_function(X))

    def decision_function(self, X: ArrayLike) -> Floats:
        """Compute the answers h_k(x), (n_samples, n_classes - 1): estimates of P(y >= k), any real numbers."""
        check_is_fitted(self, "model_")
        features = validate_data(self, X, dtype=np.float64, ensure_all_finite=False, reset=False)
        return self.model_.answers(features)

    def score(self, X: ArrayLike, y: ArrayLike, qid: ArrayLike | None = None) -> float:
        """Compute the mean NDCG@10 of the ranking, by the convention "paper" of `refrank.metrics`.

        Without `qid` all rows are one query; in a search, route it: `ranker.set_score_request(qid=True)`.
        """
        return float(ndcg(y, self.predict(X), qid))

    def __sklearn_tags__(self) -> Tags:
        """Say that fit needs y."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def side_by_side(base: Any, n_jobs: int | None, n_problems: int) -> tuple[Any, Parallel]:
    """Return the base as each problem gets it, and what trains the problems.

    A tree ranker's own threads find little to share in small nodes, and its kernel holds no interpreter lock; so its
    threads go to the problems first, and each problem gets an equal part of them, rounded up. Other bases are run in
    processes, where `n_jobs` asks for it.
    """
    if "n_threads" not in base.get_params(deep=False):
        return base, Parallel(n_jobs=n_jobs)
    n_threads = resolve_threads(base.n_threads)
    at_once = min(n_problems, n_threads if n_jobs is None else effective_n_jobs(n_jobs))
    return clone(base).set_params(n_threads=-(-n_threads // at_once)), Parallel(n_jobs=at_once, prefer="threads")


def learn_weighted(base: Any, X: NDArray[np.floating], seed: int) -> Learn:
    """Return A_r for a base that takes weights; nothing is drawn."""

    def learn(answer: Floats, weight: Floats, k: int) -> SoftClassifier:
        # COCR Sec. 3.1: weights of one lead "to the simple weight-less version"
        weighted = {} if (weight == 1.0).all() else {"sample_weight": weight}
        return SoftClassifier(clone(base).fit(X, answer, **weighted))

    return learn


def learn_resampled(base: Any, X: NDArray[np.floating], seed: int) -> Learn:
    """Return A_r for a base that takes no weights: it gets rows drawn by them."""

    def learn(answer: Floats, weight: Floats, k: int) -> SoftClassifier:
        rows = rejection_sample(weight, seed, k)  # all rows, where all weigh the same
        return SoftClassifier(clone(base).fit(X[rows], answer[rows]))

    return learn


def rejection_sample(weight: Floats, seed: int, k: int) -> NDArray[np.int64]:
    """Draw rows by cost-proportionate rejection sampling (Zadrozny, Langford and Abe 2003).

    Each row stays with the probability weight / largest weight, once at most; so the rows that stay are distributed as
    the weights say, and are fewer than before.

    Examples
    --------
    >>> rejection_sample(np.array([1.0, 4.0, 4.0, 2.0]), seed=0, k=1)
    array([1, 2])
    """
    # COCR Sec. 3.1: "or by sampling (Zadrozny et al. 2003)"
    uniform = np.random.default_rng([seed, k]).random(len(weight))  # [0, 1): a row of the largest weight always stays
    return np.flatnonzero(uniform * weight.max() < weight)
