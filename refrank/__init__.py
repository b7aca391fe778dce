"""refrank: McRank, iGBRT and COCR, each beside its paper, exact to the bit.

Reading order
-------------
1. `refrank.trees.binning`, `refrank.trees.splitting`: McRank App. I; the hot path's specification (`_split.pyx` is its kernel)
2. `refrank.trees.grid`, `refrank.trees.growth`, `refrank.trees.tree`: exact sums, and trees grown with them
3. `refrank.mcrank`: Algorithms 1 and 2, Section 4, expected relevance
4. `refrank.trees.draws`, `refrank.trees.forest_growth`, `refrank.igbrt`: forests, GBRT, and boosting that starts from a forest
5. `refrank.cocr`: costs, the reduction to regression, model trees
6. `refrank.metrics`, `refrank.bounds`: DCG, NDCG, ERR, each under a named convention; the bounds on their errors
7. `refrank.datasets`, `refrank.estimators`, `refrank.model_file`, `refrank.cli`, `refrank.reproduce`: the edges
"""

from refrank.estimators import (
    COCRRanker,
    GBRTRanker,
    IGBRTRanker,
    LADBoostRanker,
    LambdaRanker,
    LSBoostRanker,
    M5PRegressor,
    OrdinalBoostRanker,
    RandomForestRanker,
    SoftmaxBoostRanker,
)
from refrank.trees.engine import show_config

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
    "show_config",
]
__version__ = "0.1.0"
