"""LambdaMART (Burges 2010), the rival of McRank's rankers: boosted trees on the lambdas of NDCG."""

import sys
from typing import Any, ClassVar

from numpy.typing import NDArray

from refrank.arrays import Floats
from refrank.estimators.fields import estimator, parameter
from refrank.estimators.mcrank import Boosting, BoostRanker
from refrank.estimators.query_ranker import QueryRanker
from refrank.estimators.run import Training
from refrank.estimators.validation import Metric
from refrank.mcrank.lambdamart import lambdamart
from refrank.mcrank.lambdarank import list_trainable_queries
from refrank.mcrank.query_lambdas import prepare_queries
from refrank.metrics import PRESETS, Measure
from refrank.metrics.queries import number_queries
from refrank.trees.growth.grower import Grower

__all__ = ["LambdaMARTRanker"]


@estimator()
class LambdaMARTRanker(QueryRanker, BoostRanker):
    """LambdaMART (Burges 2010): one score, a sum of trees that are fitted to the lambdas of NDCG.

    Maximises the sum over the pairs of a query with y_i > y_j of |Delta NDCG_ij| log P_ij, where
    P_ij = 1 / (1 + exp(-sigma (s_i - s_j))) and Delta NDCG_ij is what NDCG changes by if both swap positions: equal
    scores are averaged over their orders. `fit` needs the ids of the queries. This is not of the three papers.

    Examples
    --------
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> ranker = LambdaMARTRanker(n_rounds=10).fit(data.X, data.y, data.qid)
    >>> ranker.score(data.X, data.y, data.qid) > 0.5  # mean NDCG@10, convention "paper"
    True
    """

    algorithm: ClassVar[str] = "lambdamart"

    truncation: int = parameter("L of the NDCG that is learned, at least 1.", default=10, at_least=1)
    sigma: float = parameter(
        "Steepness of the probability that one document belongs before another: above 0.",
        default=1.0,
        above=0,
        at_most=sys.float_info.max,
    )

    def _choose_measure(self, y: NDArray[Any]) -> Metric:
        return Measure("ndcg", self.truncation, PRESETS["paper"])

    def _boost(
        self, data: Training, n_classes: int, grow_tree: Grower, n_rounds: int, start: Floats | None
    ) -> Boosting:
        query = number_queries(data.qid, len(data.kept))[data.kept]
        if not list_trainable_queries(data.y, query):
            raise ValueError(
                f"y: no query has two grades (n_samples = {len(query)}), so there is no pair to learn from"
            )
        preferences = prepare_queries(data.y, query, self.truncation, float(self.sigma))
        given = grow_tree, n_rounds, self.learning_rate
        turns = lambdamart(preferences, *given, None if start is None else start[:, 0])
        return Boosting(((turn.tree,) for turn in turns if turn.tree is not None), (0.0,), {})

    def rank_outputs(self, scores: Floats) -> Floats:
        """Return the one output of F, `scores`, (n_samples, 1): (n_samples,)."""
        return scores[:, 0].copy()
