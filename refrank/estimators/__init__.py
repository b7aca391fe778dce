"""The scikit-learn face of the algorithms: fit(X, y, qid=None), predict, predict_proba, staged_predict, score."""

from refrank.estimators.cocr import COCRRanker
from refrank.estimators.igbrt import GBRTRanker, IGBRTRanker, RandomForestRanker
from refrank.estimators.lad_boosting import LADBoostRanker
from refrank.estimators.lambdarank import LambdaRanker
from refrank.estimators.m5p import M5PRegressor
from refrank.estimators.mcrank import LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker

__all__ = [
    "COCRRanker",
    "GBRTRanker",
    "IGBRTRanker",
    "LADBoostRanker",
    "LSBoostRanker",
    "LambdaRanker",
    "M5PRegressor",
    "OrdinalBoostRanker",
    "RandomForestRanker",
    "SoftmaxBoostRanker",
]
