"""Base of the rankers that compare the documents of a query with each other, and so need to know the queries."""

from typing import Any, Self

from numpy.typing import ArrayLike

from refrank.estimators.base import Ranker
from refrank.estimators.fields import estimator
from refrank.estimators.query_ids import fill_ranked_queries
from refrank.estimators.run import Monitor
from refrank.estimators.validation import EvalMetric


@estimator()
class QueryRanker(Ranker):
    """A ranker whose cost is a sum over queries: a row has no weight, and rows without ids are one query."""

    def fit(  # type: ignore[override]  # a row has no weight
        self,
        X: ArrayLike,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        *,
        X_val: ArrayLike | None = None,
        y_val: ArrayLike | None = None,
        qid_val: ArrayLike | None = None,
        early_stopping_rounds: int | None = None,
        eval_metric: EvalMetric | None = None,
        monitor: Monitor | None = None,
    ) -> Self:
        """Train on the documents of each query, as `Ranker.fit` does on rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, as in the other rankers.
        y : array-like of shape (n_samples,)
            Grades: integers from 0 to 53.
        qid : array-like of shape (n_samples,), optional
            Query of each row, in any order; by default the column "qid" of a DataFrame. Without either: one query,
            with a warning, once, if it has more than 200 rows.
        X_val, y_val, qid_val, early_stopping_rounds, monitor : optional
            As in the other rankers.
        eval_metric : str, Measure or function, optional
            As in the other rankers; by default the measure that the objective learns.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If an argument or a parameter breaks its rule, or if no query has two grades.
        """
        held_out: dict[str, Any] = {
            "X_val": X_val,
            "y_val": y_val,
            "qid_val": qid_val,
            "early_stopping_rounds": early_stopping_rounds,
        }
        return super().fit(X, y, qid, **held_out, eval_metric=eval_metric, monitor=monitor)

    def explain_whole_rows(self) -> str:
        """Explain why the ranker cannot be trained on shards."""
        return "it compares the documents of each query"

    def _fill_queries(self, qid: ArrayLike | None, n_samples: int) -> ArrayLike | None:
        """Return the ids of the queries, or one query for all rows."""
        return fill_ranked_queries(qid, n_samples)
