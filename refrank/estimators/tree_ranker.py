"""Base of the rankers of iGBRT: the two settings, three-way cuts, importances.

The base reads `setting`, `three_way`, `binning` and `cut_at` once; the layers below do not. In the classification
setting there is one problem per c = 1..K-1, and a turn grows a tree for each of them.
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from refrank.arrays import Floats, Matrix
from refrank.checks import LARGEST_SEED, MOST_STATED_CLASSES, check_target, check_weights
from refrank.cluster.communicator import is_alone, is_any
from refrank.estimators.base import LAST, check_classes
from refrank.estimators.binning import BINNING, N_BINS, Binning, choose_binning
from refrank.estimators.feature_tables import AS_FLOATS, take_features
from refrank.estimators.fields import estimator, learned, parameter
from refrank.estimators.filled_ranker import FilledRanker, PreparedRows
from refrank.estimators.query_ids import take_query_ids
from refrank.estimators.run import Run, Training, keep_earlier, resolve_seed, train
from refrank.estimators.warm_start import require_same
from refrank.igbrt.classification import Violations, binary_target, count_violations, problem_seeds
from refrank.inspection.importances import share_gains
from refrank.inspection.sums import TreeSum, list_trees
from refrank.inspection.weights import weigh_cumulative
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.mcrank.ordinal_boosting import class_proba
from refrank.trees.bins.binning import MOST_BINS, BinnedFeatures
from refrank.trees.growth.mean_leaves import THREE_WAY, ThreeWay
from refrank.trees.growth.midpoints import CutAt, at_bins, at_midpoints
from refrank.trees.model.ensemble import Ensemble
from refrank.trees.model.tree import Tree

Setting = Literal["regression", "classification"]
Trees = tuple[Tree, ...]  # one turn: one tree per problem


def has_classes(ranker: Any) -> bool:
    """Return whether a ranker learns class probabilities."""
    return bool(ranker.setting == "classification")


@dataclass(frozen=True, eq=False)
class Problems:
    """Labels to train on: y itself, or the labels of each problem y < c."""

    binned: BinnedFeatures
    X: Matrix  # (n_samples, n_features), missing values filled
    targets: list[Floats]  # (n_samples,) each
    weight: Floats | None  # (n_samples,)
    seeds: list[int]  # one per problem's forest
    cut_at: CutAt


@estimator()
class TreeRanker(FilledRanker):
    """Base of the three rankers: parameters, the two settings, three-way cuts, importances."""

    setting: Setting = parameter(
        "Regress on y itself, or on the problems y < c of Sec. 6, ranked by expected relevance.", default="regression"
    )
    three_way: Literal["parting", "rt-rank"] = parameter(
        "With missing='three-way': by 'parting', to part the rows that miss a feature is a cut in itself, and a row "
        "that misses what no training row of the node missed goes right; by 'rt-rank', the others must be cut too, and "
        "such a row gets the node's mean.",
        default="parting",
    )
    binning: Binning = parameter(BINNING, default="quantile")
    n_bins: int = parameter(N_BINS, default=256, at_least=2, at_most=MOST_BINS)
    cut_at: Literal["bins", "midpoint"] = parameter(
        """Where a cut lies: between two bins, in the same place for all nodes; or midway between the node's own highest
        value on the left and lowest value on the right, as in CART and in the authors' program.""",
        default="bins",
    )
    min_samples_leaf: int = parameter("A cut leaves at least this many rows on either side.", default=1, at_least=1)
    clip: bool | Literal["each-round"] = parameter(
        "Hold learned probabilities within [0, 1] before they are combined (Sec. 6); with 'each-round', already after "
        "each round of boosting, so that the next one learns from them.",
        default=False,
    )
    n_classes: int | None = parameter(
        "K, of a classification; by default the highest label plus 1, which must not exceed 64.",
        default=None,
        at_least=2,
        at_most=MOST_STATED_CLASSES,
    )
    random_state: int | RandomState | None = parameter(
        "The seed of a forest's draws; an int of at least 0 is the seed itself. GBRT draws nothing.",
        default=0,
        at_least=0,
        at_most=LARGEST_SEED,
    )

    model_: Ensemble = learned("The trees that are summed up, one output per problem.")
    n_classes_: int = learned("K, of a classification.")
    seed_: int = learned("The seed that `random_state` gave.")

    def prepare(self, X: ArrayLike, sample_weight: ArrayLike | None = None) -> PreparedRows:
        """Check, fill and bin the rows of X, (n_samples, n_features), for several calls of `fit_prepared`.

        With binning="quantile", sample_weight, (n_samples,), weights the quantiles, also for fits with other weights.
        """
        self.check_parameters()
        given, least = take_features(take_query_ids(X)[0]), int(is_alone())  # a shard may have no rows
        features = validate_data(clone(self), given, **AS_FLOATS, ensure_min_samples=least)
        self._check_features(features)
        return self._prepare(features, check_weights(sample_weight, len(features)))

    def fit_prepared(self, rows: PreparedRows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train exactly as `fit` does on rows that a clone of this ranker prepared with the same weights.

        Weights move quantiles: with binning="quantile", fits with other weights use the bins of `prepare`, where `fit`
        makes its own. If rows have weight 0, the others are binned anew. y and sample_weight, (n_samples,), are as in
        `fit`.

        Examples
        --------
        >>> from refrank import GBRTRanker
        >>> ranker, X = GBRTRanker(n_rounds=5), np.arange(4.0)[:, np.newaxis]
        >>> rows = ranker.prepare(X)
        >>> bool((ranker.fit_prepared(rows, [0, 0, 1, 1]).predict(X) == ranker.fit(X, [0, 0, 1, 1]).predict(X)).all())
        True
        """
        with keep_earlier(self):
            data = self._check_training(rows.X, y, sample_weight)
            if is_any(not data.kept.all()):  # rows of weight 0 do not affect any bins
                rows = self._prepare(data.X, data.weight)
            return train(self, self._start_on(rows, data), n_queries=1)

    @available_if(has_classes)
    def predict_proba(self, X: ArrayLike) -> Floats:
        """Compute the class probabilities of Sec. 6, (n_samples, n_classes); they can be negative.

        The regression setting has no probabilities, and no such method.
        """
        return class_proba(self._hold(self.predict_cumulative_proba(X)))

    def predict_cumulative_proba(self, X: ArrayLike) -> Floats:
        """Compute the learned T^c for the rows of X, (n_samples, n_classes - 1): P(rel < c) for c = 1..K-1.

        Raises
        ------
        ValueError
            In the regression setting, which has none.
        """
        rows = self.check_rows(X)
        if not has_classes(self):
            raise ValueError("setting is 'regression': class probabilities are learned with setting='classification'")
        return next(self._staged_values(rows, LAST))

    def count_violations(self, X: ArrayLike) -> Violations:
        """Count learned probabilities outside [0, 1] and negative class probabilities; X is (n_samples, n_features)."""
        return count_violations(self.predict_cumulative_proba(X))

    def _check_target(self, y: NDArray[Any], weight: Floats | None) -> NDArray[Any]:
        return super()._check_target(y, weight) if has_classes(self) else check_target(y)

    def _start(self, data: Training) -> Run[Any]:
        return self._start_on(self._prepare(data.X, data.weight), data)

    def _prepare(self, X: Matrix, weight: Floats | None) -> PreparedRows:
        """Fill and bin the rows of X, (n_samples, n_features), by their weights, (n_samples,)."""
        return self._fill_and_bin(X, weight, choose_binning(self.binning, self.n_bins), self.three_way_cuts.flag)

    @property
    def three_way_cuts(self) -> ThreeWay:
        """The rules of cuts on features that rows lack."""
        return THREE_WAY[self.three_way if self.missing == "three-way" else "parting"]

    def _start_on(self, rows: PreparedRows, data: Training) -> Run[Any]:
        """Choose the problems of the setting, and return the turns of their training."""
        resolved: dict[str, Any] = {"seed_": resolve_seed(self.random_state, data.earlier), "fill_": rows.fill}
        targets = [data.y]
        if has_classes(self):
            n_classes = resolved["n_classes_"] = check_classes(data.y, None, self.n_classes)
            targets = [binary_target(data.y, c) for c in range(1, n_classes)]
        for name in resolved.keys() & data.earlier.keys() - {"fill_"}:
            require_same(name, resolved[name], data.earlier[name])
        seeds = problem_seeds(resolved["seed_"], len(targets))
        cut_at = at_midpoints(rows.filled) if self.cut_at == "midpoint" else at_bins
        run = self._grow(Problems(rows.binned, rows.filled, targets, data.weight, seeds, cut_at), data)
        return replace(run, learn=lambda turns: resolved | run.learn(turns))

    def _staged(self, X: Matrix, every: int, rounds: Iterator[Any] | None = None) -> Iterator[Floats]:
        for values in self._staged_values(X, every, rounds):
            yield self.rank_outputs(values)

    def _staged_values(self, X: Matrix, every: int, rounds: Iterator[Any] | None = None) -> Iterator[Floats]:
        """Yield the problems' predictions, (n_samples, n_problems), after each `every` turns: a new array each time."""
        for values in self._sum_trees(self.fill(X), every, rounds):
            yield values.copy()

    def rank_outputs(self, values: Floats) -> Floats:
        """Turn the predictions of the problems, `values`, into one score per row, (n_samples,)."""
        return expected_relevance(class_proba(self._hold(values))) if has_classes(self) else values[:, 0]

    def _hold(self, cumulative_proba: Floats) -> Floats:
        return np.clip(cumulative_proba, 0.0, 1.0) if self.clip else cumulative_proba

    def list_rounds(self) -> tuple[Trees, ...]:
        """List the trees of all turns."""
        return self.model_.rounds

    @abstractmethod
    def _grow(self, problems: Problems, data: Training) -> Run[Any]:
        """Choose the algorithm, and return its turns: the trees of one round, one per problem."""

    @abstractmethod
    def _sum_trees(self, X: Matrix, every: int, rounds: Iterator[Any] | None) -> Iterator[Floats]:
        """Yield the predictions of the trees, (n_samples, n_problems), after each `every` turns."""

    @property
    def feature_importances_(self) -> Floats:
        """Share of each feature in the total split_gain, (n_features,)."""
        check_is_fitted(self, "model_")
        return share_gains(list_trees(self.list_sums()), self.n_features_in_)

    def list_sums(self) -> tuple[TreeSum, ...]:
        """List the one sum of trees."""
        return (TreeSum(self.model_, self.fill),)

    def _weigh_outputs(self, base: Floats, outputs: Floats) -> Floats:
        if not has_classes(self):
            return super()._weigh_outputs(base, outputs)
        if self._holds_each_round:
            raise ValueError("clip is 'each-round': it must be True or False, to split the score as a sum of trees")
        return weigh_cumulative(base, outputs, bool(self.clip))

    @property
    def _holds_each_round(self) -> bool:
        """Whether a sum is clipped after each round."""
        return False
