"""McRank's successors (Li 2010): rankers that are not of the three papers."""

from itertools import permutations
from typing import ClassVar, Literal

import numpy as np

from refrank.arrays import Floats
from refrank.estimators.fields import estimator, parameter
from refrank.estimators.mcrank import Boosting, ClassBoostRanker
from refrank.estimators.run import Training
from refrank.mcrank.abc_logitboost import CHOOSE, make_abc_logitboost, sum_outputs
from refrank.mcrank.robust_logitboost import robust_logitboost
from refrank.mcrank.softmax_boosting import softmax
from refrank.trees.engine import default_engine
from refrank.trees.growth.grower import Grower

__all__ = ["ABCLogitBoostRanker", "RobustLogitBoostRanker"]


@estimator()
class RobustLogitBoostRanker(ClassBoostRanker):
    """Robust LogitBoost (Li 2010), a successor of McRank: Algorithm 1 with cuts of the second order.

    Learns p_k = exp(F_k) / sum_s exp(F_s), each F_k a sum of trees, and scores a document by sum_k p_k T(k) (McRank
    Eq. 5), as `SoftmaxBoostRanker` does. A cut gains the sum over its sides, less that of the node, of
    (sum (y~_k - p_k))^2 / sum p_k (1 - p_k); that of Algorithm 1 divides by numbers of rows. p is computed once per
    round, as the author's program does: there is no sequential update. This is not of the three papers.

    Examples
    --------
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> ranker = RobustLogitBoostRanker(n_rounds=10).fit(data.X, data.y, data.qid)
    >>> ranker.score(data.X, data.y, data.qid) > 0.5  # mean NDCG@10, convention "paper"
    True
    """

    algorithm: ClassVar[str] = "robust-logitboost"

    update: Literal["simultaneous"] = parameter("Probabilities are computed once per round.", default="simultaneous")

    def _boost(
        self, data: Training, n_classes: int, grow_tree: Grower, n_rounds: int, start: Floats | None
    ) -> Boosting:
        given = data.y, n_classes, grow_tree, n_rounds, self.learning_rate, data.weight
        turns = robust_logitboost(*given, start)
        relevance = {"relevance_": self._tabulate(n_classes)}
        return Boosting((turn.trees for turn in turns), (0.0,) * n_classes, relevance)

    def _compute_proba(self, scores: Floats) -> Floats:
        return softmax(scores, default_engine(self.n_threads))


@estimator()
class ABCLogitBoostRanker(ClassBoostRanker):
    """ABC-LogitBoost (Li 2010), a successor of McRank: robust LogitBoost with an adaptive base class.

    Scores of a document add up to 0, F_b = -sum_{k != b} F_k for a base class b that each round chooses anew, and trees
    follow the derivatives of the loss by the other F_k. Documents are scored by sum_k p_k T(k), p = softmax(F) (McRank
    Eq. 5). An output of the model is what one base class taught one other: there are K (K - 1), of which a round
    changes K - 1. As in robust LogitBoost, p is computed once per round. This is not of the three papers.

    Examples
    --------
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> ranker = ABCLogitBoostRanker(n_rounds=5).fit(data.X, data.y, data.qid)
    >>> ranker.score(data.X, data.y, data.qid) > 0.5  # mean NDCG@10, convention "paper"
    True
    """

    algorithm: ClassVar[str] = "abc-logitboost"

    update: Literal["simultaneous"] = parameter("Probabilities are computed once per round.", default="simultaneous")
    base_class: Literal["best", "worst"] = parameter(
        """How a round chooses its base class: "best" tries all, and keeps that of least loss; "worst", K times as fast,
        takes the class whose rows have the largest loss.""",
        default="best",
    )

    def _boost(
        self, data: Training, n_classes: int, grow_tree: Grower, n_rounds: int, start: Floats | None
    ) -> Boosting:
        given = data.y, n_classes, grow_tree, n_rounds, self.learning_rate, data.weight
        turns = make_abc_logitboost(CHOOSE[self.base_class])(*given, start)
        relevance = {"relevance_": self._tabulate(n_classes)}
        return Boosting((turn.trees for turn in turns), (0.0,) * (n_classes * (n_classes - 1)), relevance)

    def _compute_proba(self, scores: Floats) -> Floats:
        return softmax(sum_outputs(scores), default_engine(self.n_threads))

    def _weigh_outputs(self, base: Floats, outputs: Floats) -> Floats:
        weights = super()._weigh_outputs(sum_outputs(base[np.newaxis])[0], sum_outputs(outputs))
        pairs = permutations(range(weights.shape[1]), 2)  # what is added to F_k is taken from F_b
        return np.column_stack([weights[:, k] - weights[:, b] for b, k in pairs])
