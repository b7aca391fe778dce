"""COCR (Ruan, Lin and Tsai 2014) over any regressor of scikit-learn's kind."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, repeat
from reprlib import repr as short
from typing import Any, ClassVar, Literal

import numpy as np
from joblib import effective_n_jobs
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags, get_tags
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from refrank.arrays import Floats, Ints, Matrix
from refrank.checks import LARGEST_SEED, MOST_STATED_CLASSES, check_integer
from refrank.cluster.communicator import is_alone
from refrank.cocr.rankers import grade_proba, hard_rank, soft_rank
from refrank.cocr.reduction import COCRModel, Constant, Predict, cocr, weights
from refrank.cocr.user_costs import CostFunction, CostShape, cost_shape, cost_table
from refrank.estimators.base import LAST, Ranker, check_classes
from refrank.estimators.base_learners import (
    SoftClassifier,
    check_bags,
    learn_resampled,
    learn_weighted,
    refuse_infinite,
)
from refrank.estimators.fields import estimator, learned, parameter
from refrank.estimators.joblib_results import read_results
from refrank.estimators.run import Run, Training, resolve_seed
from refrank.estimators.warm_start import require_same
from refrank.inspection.named_tree import NamedTree
from refrank.inspection.sums import TreeSum, read_unchanged
from refrank.kernel import resolve_threads
from refrank.trees.model.ensemble import Ensemble

__all__ = ["COCRRanker"]

DRAWN = "each problem is learned from rows drawn by their weights, not from all"
Cost = Literal["absolute", "squared", "oerr"] | CostFunction | NDArray[Any] | Sequence[Sequence[float]]


@estimator(kw_only=False)
class COCRRanker(Ranker):
    """Cost-sensitive ordinal classification via regression.

    For each k = 1..K, a regressor learns whether y >= k from rows weighted by the cost of the answer. The sum of the
    answers ranks a document.

    Notes
    -----
    COCR Sec. 5.1 scales features to [0, 1]: `make_pipeline(MinMaxScaler(), COCRRanker(...))`, of scikit-learn.
    The score needs every answer. An interrupted fit keeps the answers learned so far, and `warm_start` continues them.

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

    algorithm: ClassVar[str] = "cocr"

    base: Any = parameter(
        """A_r; a clone is fitted to each problem. One whose `fit` takes `sample_weight` gets the weights, scaled to
        mean one in each problem; any other gets rows drawn by them (`rejection_sample`), with a warning.""",
        kind="regressor of scikit-learn's kind",
    )
    cost: Cost = parameter(
        """Row y, column k: the cost of predicting k where y is true; `refrank.cocr.user_costs.cost_table` has the
        rules.""",
        default="oerr",
        kind='"absolute", "squared", "oerr", function, or array of shape (n_classes, n_classes)',
    )
    n_classes: int | None = parameter(
        "K + 1; by default the highest label plus 1, which must not exceed 64.",
        default=None,
        at_least=2,
        at_most=MOST_STATED_CLASSES,
    )
    n_jobs: int | None = parameter(
        """Problems trained side by side, by joblib. None: as many as the base has threads (`n_threads`, of the tree
        rankers), which the problems share; one by one over a base without. Changes no bit of the model.""",
        default=None,
    )
    random_state: int | RandomState | None = parameter(
        "Seed of `rejection_sample`; bases have their own.", default=0, at_least=0, at_most=LARGEST_SEED
    )

    model_: COCRModel = learned(
        "h_1..h_K: a fitted regressor each, or the constant 0 or 1 where all answers of a problem are equal."
    )
    unfinished_: COCRModel = learned("In place of `model_` after an interrupt: the h_k that are there.")
    cost_table_: NDArray[Any] = learned("The costs.", kind="array of shape (n_classes, n_classes)")
    cost_shape_: CostShape = learned("Where the costs are V-shaped and convex, and what the theory covers.")
    n_classes_: int = learned("K + 1.")
    seed_: int = learned("The seed that `random_state` gave.")

    def predict_rank(self, X: ArrayLike) -> Ints:
        """Predict the grades of the rows of X by the hard ranker r_g, (n_samples,), from 0 to n_classes - 1."""
        return hard_rank(self.decision_function(X))

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Compute P(y = k) for the rows of X, (n_samples, n_classes), from the answers; values can be negative."""
        return grade_proba(self.decision_function(X))

    def decision_function(self, X: ArrayLike) -> Floats:
        """Compute the answers h_k for the rows of X, (n_samples, n_classes - 1): estimates of P(y >= k)."""
        rows = self.check_rows(X)
        return self.model_.answers(in_float64(rows))

    @property
    def has_stages(self) -> bool:
        """Whether the base, a ranker of refrank, learns in rounds, which all problems then have in common."""
        return isinstance(self.base, Ranker) and self.base.has_stages and self.base.saves_rounds

    def __sklearn_tags__(self) -> Tags:
        """Declare that NaN is accepted where the base accepts it."""
        tags = super().__sklearn_tags__()
        if hasattr(self.base, "__sklearn_tags__"):
            tags.input_tags.allow_nan = get_tags(self.base).input_tags.allow_nan
        return tags

    def check_parameters(self) -> None:
        """Refuse a parameter that breaks its rule, or a base that is not a regressor."""
        super().check_parameters()
        methods = (getattr(self.base, method, None) for method in ("fit", "predict", "get_params"))
        if isinstance(self.base, type) or not all(map(callable, methods)):
            rule = "it must be a regressor of scikit-learn's kind, with fit and predict"
            raise ValueError(f"base is {short(self.base)}: {rule}")
        if hasattr(self.base, "__sklearn_tags__") and is_classifier(self.base):
            rule = "it must be a regressor of scikit-learn's kind, whose answers are numbers"
            raise ValueError(f"base is {short(self.base)}, a classifier: {rule}")
        lawful = self.n_jobs is None or (isinstance(self.n_jobs, int) and self.n_jobs is not True)
        if not lawful or self.n_jobs == 0:
            raise ValueError(f"n_jobs is {short(self.n_jobs)}: it must be None, or an integer other than 0")

    def explain_whole_rows(self) -> str:
        """Explain why the ranker cannot be trained on shards; "" if it can, over a base that can."""
        if isinstance(self.base, Ranker):
            return self.base.explain_whole_rows()
        return f"not every sum over rows of {type(self.base).__name__} is a sum of integers"

    def check_rows(self, X: ArrayLike) -> Matrix:
        """Check rows to be scored, X of shape (n_samples, n_features); refuse a model that lacks answers."""
        if hasattr(self, "unfinished_"):
            n_answers = len(self.unfinished_.soft_classifiers)
            rule = "all must be learned before rows can be scored; fit continues with warm_start=True"
            raise NotFittedError(f"{n_answers} of {self.n_classes_ - 1} problems are learned: {rule}")
        return super().check_rows(X)

    def _check_features(self, X: Matrix) -> None:
        """Leave it to the base to accept or refuse values that are not finite."""

    def _start(self, data: Training) -> Run[Predict]:
        n_classes, seed = check_classes(data.y, None, self.n_classes), resolve_seed(self.random_state, data.earlier)
        table = cost_table(self.cost, n_classes)
        earlier = self._take_answers(data.earlier, n_classes, table)
        takes_weights = has_fit_parameter(self.base, "sample_weight")
        if not takes_weights and (data.weight is not None or np.ptp(weights(table), axis=0).any()):
            warnings.warn(f"base {type(self.base).__name__} takes no sample_weight: {DRAWN}", UserWarning, stacklevel=3)
        check_bags(self.base, data.weight)
        if data.validation is not None and data.validation.patience is not None and not self.has_stages:
            rule = f"it must be None, since base {type(self.base).__name__} does not learn in rounds"
            raise ValueError(f"early_stopping_rounds is {data.validation.patience}: {rule}")
        base, parallel = share_threads(self.base, self.n_jobs, n_classes - 1)
        X = in_float64(data.X)
        learn_one = learn_weighted(base, X, data.weight) if takes_weights else learn_resampled(base, X, seed)
        learn_finite = refuse_infinite(learn_one, X, type(base).__name__)

        def map_problems(train: Callable[[Any], Any], problems: Iterable[Any]) -> Iterable[Any]:
            new = islice(problems, len(earlier), None)
            return read_results(parallel(delayed(train)(problem) for problem in new))

        def learn(answers: list[Predict]) -> dict[str, Any]:
            for h in answers:
                if base is not self.base and isinstance(h, SoftClassifier):
                    h.regressor.set_params(n_threads=self.base.n_threads)  # in prediction it has all threads
            learned = {"cost_table_": table, "cost_shape_": cost_shape(table), "n_classes_": n_classes, "seed_": seed}
            name = "model_" if len(answers) == n_classes - 1 else "unfinished_"
            return {name: COCRModel(tuple(answers))} | learned

        turns = cocr(data.y, table[data.y], learn_finite, data.weight, map_problems)
        return Run(turns, n_classes - 1, "problem", learn, earlier, n_before=n_classes - 1)

    def _take_answers(self, earlier: Mapping[str, Any], n_classes: int, table: NDArray[Any]) -> tuple[Predict, ...]:
        """Return the answers of an earlier fit, which must have been learned for the same costs."""
        if not earlier:
            return ()
        require_same("n_classes_", n_classes, earlier["n_classes_"])
        require_same("cost_table_", table.tolist(), earlier["cost_table_"].tolist())
        model: COCRModel = earlier.get("model_") or earlier["unfinished_"]
        return model.soft_classifiers

    def _staged(self, X: Matrix, every: int, rounds: Iterator[Any] | None = None) -> Iterator[Floats]:
        rows = in_float64(X)
        if every == LAST or not self.has_stages:
            yield soft_rank(self.model_.answers(rows))
            return
        staged = [
            h.regressor.staged_predict(rows) if isinstance(h, SoftClassifier) else repeat(h(rows))
            for h in self.model_.soft_classifiers
        ]
        for answers in islice(zip(*staged, strict=False), self.count_rounds()):
            yield soft_rank(np.column_stack(answers))

    def _cut(self, m: int) -> dict[str, Any]:
        answers = self.model_.soft_classifiers
        cut = (SoftClassifier(h.regressor.at_round(m)) if isinstance(h, SoftClassifier) else h for h in answers)
        return {"model_": COCRModel(tuple(cut))} if self.has_stages else {}

    def count_rounds(self) -> int:
        """Count the rounds of the bases; 1 if they have none."""
        bases = (h.regressor for h in self.model_.soft_classifiers if isinstance(h, SoftClassifier))
        return next((base.count_rounds() for base in bases), 1) if self.has_stages else 1

    @property
    def feature_importances_(self) -> Floats:
        """Mean of the importances of the bases that were learned, (n_features,); only over bases that have some."""
        check_is_fitted(self, "model_")
        learned = [h.regressor for h in self.model_.soft_classifiers if isinstance(h, SoftClassifier)]
        return sum((base.feature_importances_ / len(learned) for base in learned), np.zeros(self.n_features_in_))

    def tree(self, m: int, k: int = 0, forest: bool = False) -> NamedTree:
        """Return tree m of the base of problem y >= k + 1; m and `forest` are those of the base's own method."""
        check_is_fitted(self, "model_")
        h = self.model_.soft_classifiers[check_integer("k", k, 0, self.n_classes_ - 2)]
        base = h.regressor if isinstance(h, SoftClassifier) else h
        if not isinstance(base, Ranker):
            raise ValueError(f"problem y >= {k + 1} is answered by {type(base).__name__}: it must be a tree ranker")
        named = base.tree(m, 0, forest)
        return replace(named, title=f"problem y >= {k + 1}: {named.title}", names=self._name_columns()[0])

    def list_sums(self) -> tuple[TreeSum, ...]:
        """List the sums of all problems, which add up to the score (Eq. 6); a constant is a sum without trees."""
        sums: list[TreeSum] = []
        for h in self.model_.soft_classifiers:
            if isinstance(h, Constant):
                sums.append(TreeSum(Ensemble((h.value,), (), 1.0), read_unchanged))
                continue
            base = getattr(h, "regressor", h)
            held = base.list_sums() if isinstance(base, Ranker) else ()
            if not held or len(held[0].ensemble.initial) != 1:
                raise ValueError(f"COCR over {type(base).__name__} is not a sum of trees")
            sums += held
        return tuple(sums)


def in_float64(X: Matrix) -> Floats:
    """Store the features, (n_samples, n_features), in one type and order, so that least squares adds in one order."""
    return np.ascontiguousarray(X, np.float64)


def share_threads(base: Any, n_jobs: int | None, n_problems: int) -> tuple[Any, Parallel]:
    """Share the threads of a base among the problems; return the base of each problem, and a function to train them.

    The threads of a tree ranker have little to share in small nodes, and its kernel holds no interpreter lock. So each
    problem gets an equal part of the threads, rounded up. Other bases run in processes if `n_jobs` asks for it.
    """
    if "n_threads" not in base.get_params(deep=False):
        return base, Parallel(n_jobs=None if n_jobs is None else min(n_jobs, n_problems), return_as="generator")
    n_threads = resolve_threads(base.n_threads)
    if not is_alone():  # the shards join in one problem at a time
        n_jobs = 1
    at_once = min(n_problems, n_threads if n_jobs is None else effective_n_jobs(min(n_jobs, n_problems)))
    shared = clone(base).set_params(n_threads=-(-n_threads // at_once))
    return shared, Parallel(n_jobs=at_once, prefer="threads", return_as="generator")
