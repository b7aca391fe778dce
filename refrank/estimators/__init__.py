"""The scikit-learn face of the algorithms: fit(X, y, qid=None), predict, predict_proba, staged_predict, score."""

from refrank.estimators.igbrt import GBRTRanker, IGBRTRanker, RandomForestRanker
from refrank.estimators.lad_boosting import LADBoostRanker
from refrank.estimators.lambdarank import LambdaRanker
from refrank.estimators.mcrank import LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker

__all__ = [
    "GBRTRanker",
    "IGBRTRanker",
    "LADBoostRanker",
    "LSBoostRanker",
    "LambdaRanker",
    "OrdinalBoostRanker",
    "RandomForestRanker",
    "SoftmaxBoostRanker",
]
