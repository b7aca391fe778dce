"""The scikit-learn face of the algorithms: fit(X, y, qid=None), predict, predict_proba, staged_predict, score."""

from refrank.estimators.mcrank import LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker

__all__ = ["LSBoostRanker", "OrdinalBoostRanker", "SoftmaxBoostRanker"]
