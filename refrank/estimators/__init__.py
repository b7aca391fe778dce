"""The scikit-learn face of the algorithms: fit(X, y, qid=None), predict, predict_proba, staged_predict, score."""

from refrank.estimators.igbrt import GBRTRanker, IGBRTRanker, RandomForestRanker
from refrank.estimators.mcrank import LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker

__all__ = [
    "GBRTRanker",
    "IGBRTRanker",
    "LSBoostRanker",
    "OrdinalBoostRanker",
    "RandomForestRanker",
    "SoftmaxBoostRanker",
]
