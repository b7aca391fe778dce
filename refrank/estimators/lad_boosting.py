"""The ranker by least absolute deviation, "considerably worse" in McRank Sec. 5, with the face of scikit-learn."""

from dataclasses import dataclass

from refrank.estimators.mcrank import LSBoostRanker
from refrank.mcrank.lad_boosting import lad_boosting


@dataclass(kw_only=True, eq=False, repr=False)
class LADBoostRanker(LSBoostRanker):
    """Regression by the absolute error: Friedman's Algorithm 3 on a transform of the labels.

    Minimises sum_i |y~_i - S_i|, y~ = 2^y - 1, with S a sum of trees, and ranks by S. S estimates the median of y~,
    which is the lowest wherever that is more likely than not. Many rows may be tied, and a metric then orders them by
    their place in the file. Parameters and attributes are those of `LSBoostRanker`.

    Examples
    --------
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> ranker = LADBoostRanker(n_rounds=10).fit(data.X, data.y, data.qid)
    >>> ranker.score(data.X, data.y, data.qid) > 0.4  # mean NDCG@10, convention "paper"
    True
    """

    _boosting = staticmethod(lad_boosting)
