"""McRank's rankers by class probabilities, and the base of all (Li, Burges and Wu 2007).

The rankers by regression are in `refrank.estimators.mcrank_losses`.

The rankers choose between algorithms (`update`, `binning`, a loss) once; the layers below make no choices.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from refrank.arrays import Floats, Ints, Matrix
from refrank.checks import MOST_STATED_CLASSES
from refrank.estimators.base import check_classes
from refrank.estimators.binning import BINNING, N_BINS, Binning, choose_binning
from refrank.estimators.fields import estimator, learned, parameter
from refrank.estimators.filled_ranker import FilledRanker
from refrank.estimators.run import Run, Training, Turns
from refrank.estimators.warm_start import require_more, require_rows, require_same
from refrank.inspection.importances import share_gains
from refrank.inspection.sums import TreeSum, list_trees
from refrank.inspection.weights import weigh_ordinal, weigh_softmax
from refrank.mcrank.expected_relevance import check_increasing, expected_relevance, transform_table
from refrank.mcrank.ordinal_boosting import (
    binary_mirrored,
    binary_sequential,
    class_proba,
    cumulative_proba_of,
    find_one_sided_constants,
    ordinal_boosting,
)
from refrank.mcrank.softmax_boosting import softmax, softmax_boosting_sequential, softmax_boosting_simultaneous
from refrank.trees.bins.binning import MOST_BINS
from refrank.trees.bins.cuts import SLOWEST_GROWTH
from refrank.trees.engine import default_engine
from refrank.trees.events import ScoresStarted
from refrank.trees.growth.grower import Grower
from refrank.trees.model.ensemble import Ensemble
from refrank.trees.model.tree import Tree

__all__ = ["OrdinalBoostRanker", "SoftmaxBoostRanker"]

Update = Literal["sequential", "simultaneous"]
TRANSFORM = '"k", "2^k", "2^k-1", function of the array 0..K-1, or table of K numbers'
Transform = Literal["k", "2^k", "2^k-1"] | Callable[[Ints], ArrayLike] | NDArray[Any] | Sequence[float]
SOFTMAX = {"sequential": softmax_boosting_sequential, "simultaneous": softmax_boosting_simultaneous}
BINARY = {"sequential": (binary_sequential, 2), "simultaneous": (binary_mirrored, 1)}  # trees per problem and round


class Boosting(NamedTuple):
    """A boosting algorithm, ready to run."""

    rounds: Turns[tuple[Tree, ...]]  # the trees of each round, one per output
    initial: tuple[float, ...]  # (n_outputs,) the scores before the first round
    learned: dict[str, Any]  # the attributes that do not depend on the rounds


@estimator()
class BoostRanker(FilledRanker):
    """Base of McRank's rankers: parameters, binning, trees of J leaves, and an ensemble that is the model."""

    n_rounds: int = parameter("M, the number of boosting rounds.", default=1000, at_least=1)
    n_leaves: int = parameter("J, the most leaves of a tree, at least 2.", default=10, at_least=2)
    learning_rate: float = parameter("nu, the shrinkage: above 0 and at most 1.", default=0.05, above=0, at_most=1)
    binning: Binning = parameter(BINNING, default="quantile")
    n_bins: int = parameter(N_BINS, default=256, at_least=2, at_most=MOST_BINS)
    growth: float = parameter(
        """Factor by which bin lengths grow while a feature needs more than B bins; with binning="app-i" only.""",
        default=2.0,
        at_least=SLOWEST_GROWTH,
    )
    update: Update = parameter(
        """Whether probabilities are renewed before each tree, as Algorithm 1 is printed, or once per round; without
        effect in a regression, whose rounds are one tree.""",
        default="sequential",
    )
    min_samples_leaf: int = parameter("A cut leaves at least this many rows on either side.", default=1, at_least=1)
    n_classes: int | None = parameter(
        "K; by default the highest label plus 1, which must not exceed 64.",
        default=None,
        at_least=2,
        at_most=MOST_STATED_CLASSES,
    )

    model_: Ensemble = learned("What is summed up: one output per class or problem, or one in a regression.")
    n_classes_: int = learned("K.")

    @property
    def n_rounds_(self) -> int:
        """Rounds trained: fewer than n_rounds after an interrupt, which keeps the finished rounds."""
        return len(self.model_.rounds)

    def _start(self, data: Training) -> Run[tuple[Tree, ...]]:
        n_classes = check_classes(data.y, None, self.n_classes)
        rows = self._fill_and_bin(data.X, data.weight, choose_binning(self.binning, self.n_bins, self.growth))
        engine = rows.binned.engine
        grow_tree = Grower(rows.binned, n_leaves=self.n_leaves, min_samples_leaf=self.min_samples_leaf)
        model: Ensemble | None = data.earlier.get("model_")
        earlier = () if model is None else model.rounds
        require_more("n_rounds", self.n_rounds, len(earlier))
        start = None if model is None else model.scores(rows.filled, engine)
        begin = partial(self._boost, data, n_classes, grow_tree, self.n_rounds - len(earlier))
        boosting = begin(start)
        initial = engine.tell(ScoresStarted(boosting.initial)).values
        if initial != boosting.initial:
            boosting = begin(np.full((len(data.y), len(initial)), initial))._replace(initial=initial)
        if model is not None:
            require_same("learning_rate", self.learning_rate, model.learning_rate)
            require_same("the start of the sum", boosting.initial, model.initial)
            require_rows([trees[0] for trees in earlier[:1] if trees], rows.filled, engine)

        def learn(rounds: list[tuple[Tree, ...]]) -> dict[str, Any]:
            model = Ensemble(boosting.initial, tuple(rounds), float(self.learning_rate))
            return {"model_": model, "fill_": rows.fill, "n_classes_": n_classes, **boosting.learned}

        return Run(boosting.rounds, self.n_rounds, "round", learn, earlier)

    def _staged(self, X: Matrix, every: int, rounds: Iterator[Any] | None = None) -> Iterator[Floats]:
        for scores in self.model_.staged_scores(self.fill(X), default_engine(self.n_threads), every, rounds):
            yield self.rank_outputs(scores)

    @abstractmethod
    def _boost(
        self, data: Training, n_classes: int, grow_tree: Grower, n_rounds: int, start: Floats | None
    ) -> Boosting:
        """Choose the algorithm; `start`, (n_samples, n_outputs), is F after the rounds of an earlier fit, if any."""

    @abstractmethod
    def rank_outputs(self, scores: Floats) -> Floats:
        """Turn F, `scores`, (n_samples, n_outputs), into one score per row, (n_samples,)."""

    @property
    def feature_importances_(self) -> Floats:
        """Share of each feature in the total split_gain of the trees of all outputs, (n_features,)."""
        check_is_fitted(self, "model_")
        return share_gains(list_trees(self.list_sums()), self.n_features_in_)

    def list_sums(self) -> tuple[TreeSum, ...]:
        """List the one sum of trees."""
        return (TreeSum(self.model_, self.fill),)


@estimator()
class ClassBoostRanker(BoostRanker):
    """Base of the two rankers that score by class probabilities (Eq. 5)."""

    relevance: Transform = parameter("T of Eq. 5, which must increase.", default="k", kind=TRANSFORM)

    relevance_: Floats = learned("T(0), ..., T(K-1).", kind="float64 array of shape (n_classes,)")

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Compute the class probabilities of each row of X, (n_samples, n_features): (n_samples, n_classes)."""
        rows = self.fill(self.check_rows(X))
        return self._compute_proba(self.model_.scores(rows, default_engine(self.n_threads)))

    def rank_outputs(self, scores: Floats) -> Floats:
        """Compute the expected relevance, (n_samples,), from F, `scores`, (n_samples, n_outputs)."""
        return expected_relevance(self._compute_proba(scores), self.relevance_)

    def _tabulate(self, n_classes: int) -> Floats:
        relevance = transform_table(self.relevance, n_classes)
        check_increasing(relevance)
        return relevance

    @abstractmethod
    def _compute_proba(self, scores: Floats) -> Floats:
        """Turn F into class probabilities, (n_samples, n_classes)."""

    def _weigh_outputs(self, base: Floats, outputs: Floats) -> Floats:
        return weigh_softmax(base, outputs, self.relevance_)


@estimator()
class SoftmaxBoostRanker(ClassBoostRanker):
    """McRank by multiple classification: Algorithm 1, with expected relevance as the score (Eq. 5).

    Learns p_k = exp(F_k) / sum_s exp(F_s), each F_k a sum of trees, and scores a document by sum_k p_k T(k).

    Examples
    --------
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> ranker = SoftmaxBoostRanker(n_rounds=10).fit(data.X, data.y, data.qid)
    >>> ranker.predict_proba(data.X).shape
    (1000, 5)
    >>> ranker.score(data.X, data.y, data.qid) > 0.5  # mean NDCG@10, convention "paper"
    True
    """

    algorithm: ClassVar[str] = "softmax"

    def _boost(
        self, data: Training, n_classes: int, grow_tree: Grower, n_rounds: int, start: Floats | None
    ) -> Boosting:
        given = data.y, n_classes, grow_tree, n_rounds, self.learning_rate, data.weight
        turns = SOFTMAX[self.update](*given, start)
        relevance = {"relevance_": self._tabulate(n_classes)}
        return Boosting((turn.trees for turn in turns), (0.0,) * n_classes, relevance)

    def _compute_proba(self, scores: Floats) -> Floats:
        return softmax(scores, default_engine(self.n_threads))


@estimator()
class OrdinalBoostRanker(ClassBoostRanker):
    """McRank by multiple ordinal classification (Sec. 4): one binary problem per threshold.

    Learns Pr(y <= k) for k = 0..K-2 separately, takes p_k = Pr(y <= k) - Pr(y <= k - 1) (Eq. 8), and scores a document
    by sum_k p_k T(k). A p_k is negative where the cumulative probabilities cross; `predict_proba` does not clip. With
    update="sequential", each problem grows two trees per round, as printed. With "simultaneous", it grows one, since
    the second is its mirror image.

    Examples
    --------
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> ranker = OrdinalBoostRanker(n_rounds=10).fit(data.X, data.y, data.qid)
    >>> ranker.score(data.X, data.y, data.qid) > 0.5  # mean NDCG@10, convention "paper"
    True
    """

    algorithm: ClassVar[str] = "ordinal"

    constants_: tuple[float | None, ...] = learned(
        "Pr(y <= k) where problem k was one-sided, else None.", kind="tuple of float or None, (n_classes - 1,)"
    )

    def _boost(
        self, data: Training, n_classes: int, grow_tree: Grower, n_rounds: int, start: Floats | None
    ) -> Boosting:
        constants = find_one_sided_constants(data.y, n_classes)
        before = {"relevance_": self._tabulate(n_classes), "constants_": constants}
        binary, n_trees = BINARY[self.update]
        given = data.y, n_classes, grow_tree, n_rounds, self.learning_rate, data.weight
        starts = None if start is None else split_problems(start, n_trees)
        turns = ordinal_boosting(*given, binary=partial(binary, starts=starts))
        rounds = (tuple(tree for trees in turn.trees for tree in trees) for turn in turns)
        return Boosting(rounds, (0.0,) * n_trees * constants.count(None), before)

    def _compute_proba(self, scores: Floats) -> Floats:
        return class_proba(cumulative_proba_of(scores, self.constants_, default_engine(self.n_threads)))

    def _weigh_outputs(self, base: Floats, outputs: Floats) -> Floats:
        return weigh_ordinal(base, outputs, self.constants_, self.relevance_)


def split_problems(scores: Floats, n_trees: int) -> list[Floats]:
    """Split the outputs of an ordinal model, (n_samples, n_outputs), into the F of each problem, (n_samples, 2).

    With one tree per problem, the other class mirrors it.
    """
    if n_trees == 2:
        return [scores[:, c : c + 2] for c in range(0, scores.shape[1], 2)]
    return [np.column_stack([column, -column]) for column in scores.T]
