"""McRank's rankers by regression (Li, Burges and Wu 2007, Sec. 5): one score, learned by a loss.

A loss is a record (`refrank.mcrank.loss_boosting.Loss`); a ranker chooses one, with its parameters.
"""

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from refrank.arrays import Floats
from refrank.cluster.communicator import find_largest
from refrank.estimators.fields import estimator, learned, parameter
from refrank.estimators.mcrank import TRANSFORM, Boosting, BoostRanker, Transform
from refrank.estimators.run import Training
from refrank.mcrank.expected_relevance import transform_table
from refrank.mcrank.huber_boosting import make_huber_loss
from refrank.mcrank.lad_boosting import LAD
from refrank.mcrank.loss_boosting import Loss, boost
from refrank.mcrank.ls_boosting import LS
from refrank.trees.growth.grower import Grower

__all__ = ["HuberBoostRanker", "LADBoostRanker", "LSBoostRanker"]


@estimator()
class LossBoostRanker(BoostRanker):
    """Base of the regressions on transformed labels, with one score and one loss."""

    target: Transform = parameter("y~ of each class.", default="2^k-1", kind=TRANSFORM)

    target_: Floats = learned("y~ of each class.", kind="float64 array of shape (n_classes,)")

    @abstractmethod
    def choose_loss(self) -> Loss:
        """Return the loss to boost, with its parameters."""

    def _boost(
        self, data: Training, n_classes: int, grow_tree: Grower, n_rounds: int, start: Floats | None
    ) -> Boosting:
        # McRank Alg. 2, line 0
        target = transform_table(self.target, n_classes, "target")
        given = grow_tree, n_rounds, self.learning_rate, data.weight
        turns = boost(self.choose_loss(), target[data.y], *given, None if start is None else start[:, 0])
        initial = (
            float(find_largest(next(turns).scores.max(initial=-np.inf))),
        )  # that of every row; a shard may have none
        return Boosting(((turn.tree,) for turn in turns if turn.tree is not None), initial, {"target_": target})

    def rank_outputs(self, scores: Floats) -> Floats:
        """Return the one output of F, `scores`, (n_samples, 1): (n_samples,)."""
        return scores[:, 0].copy()


@estimator()
class LSBoostRanker(LossBoostRanker):
    """Regression, the baseline of McRank: Algorithm 2 on a transform of the labels.

    Minimises sum_i (y~_i - S_i)^2, y~ = 2^y - 1, where S is a sum of trees, and ranks by S.

    Examples
    --------
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> ranker = LSBoostRanker(n_rounds=10).fit(data.X, data.y, data.qid)
    >>> ranker.score(data.X, data.y, data.qid) > 0.5  # mean NDCG@10, convention "paper"
    True
    """

    algorithm: ClassVar[str] = "ls"

    def choose_loss(self) -> Loss:
        """Return least squares."""
        return LS


@estimator()
class LADBoostRanker(LossBoostRanker):
    """Regression by the absolute error, Friedman's Algorithm 3: "considerably worse" in McRank Sec. 5.

    Minimises sum_i |y~_i - S_i|, y~ = 2^y - 1, where S is a sum of trees, and ranks by S. S estimates the median of y~,
    which is the lowest label wherever that label has a probability above 1/2. So many rows may tie, and a metric orders
    tied rows by their place in the file.

    Examples
    --------
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> ranker = LADBoostRanker(n_rounds=10).fit(data.X, data.y, data.qid)
    >>> ranker.score(data.X, data.y, data.qid) > 0.4  # mean NDCG@10, convention "paper"
    True
    """

    algorithm: ClassVar[str] = "lad"

    def choose_loss(self) -> Loss:
        """Return the absolute error."""
        return LAD


@estimator()
class HuberBoostRanker(LossBoostRanker):
    """Regression by Huber's loss, Friedman's Algorithm 4: a loss between "ls" and "lad" that neither paper tried.

    With a = |y~_i - S_i|, y~ = 2^y - 1 and S a sum of trees, it minimises the sum over the rows of

        a^2 / 2  where a <= delta,  and  delta (a - delta / 2)  where a > delta,

    and ranks by S. In each round, delta is the smallest a that a `share` of the rows does not exceed. So the pull of a
    high label is at most delta, however far S is from it. The ranker learns nothing if so many rows share a label that
    delta is 0.

    Examples
    --------
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> ranker = HuberBoostRanker(n_rounds=10, share=0.8).fit(data.X, data.y, data.qid)
    >>> ranker.score(data.X, data.y, data.qid) > 0.5  # mean NDCG@10, convention "paper"
    True
    """

    algorithm: ClassVar[str] = "huber"

    share: float = parameter(
        "alpha, the share of rows whose residuals count squared: above 0 and at most 1.",
        default=0.9,
        above=0,
        at_most=1,
    )

    def choose_loss(self) -> Loss:
        """Return Huber's loss with this share."""
        return make_huber_loss(self.share)
