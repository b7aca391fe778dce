"""Inputs of the tests of RankNet and LambdaRank: queries drawn by Hypothesis, and a ranking that a line can learn."""

from functools import partial

import numpy as np
from hypothesis import strategies as st

from refrank.estimators.lambdarank import LambdaRanker
from refrank.mcrank.pairwise_gradients import lambdarank_gradient, ranknet_gradient
from refrank.mcrank.swap_change import err_swap_change, ndcg_swap_change

MAX_GRADE = 4
# Quarters: many ties, and differences that are exact.
QUERY = st.lists(
    st.tuples(st.integers(-20, 20).map(lambda k: k / 4), st.integers(0, MAX_GRADE)), min_size=1, max_size=9
)
GRADIENTS = {
    "ranknet": ranknet_gradient,
    "ndcg": partial(lambdarank_gradient, swap_change=partial(ndcg_swap_change, truncation=10)),
    "err": partial(lambdarank_gradient, swap_change=partial(err_swap_change, max_grade=MAX_GRADE)),
}


def arrays(query: list[tuple[float, int]]) -> tuple[np.ndarray, np.ndarray]:
    """Scores and grades of a drawn query, as arrays."""
    scores, y = zip(*query, strict=True)
    return np.array(scores, dtype=float), np.array(y, dtype=np.intp)


def linear_queries(n_queries: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Grades 0..3 along one direction of five features, noise across it: a linear score can rank them all."""
    rng = np.random.default_rng(seed)
    direction = np.array([1.0, -2.0, 0.5, 0.0, 1.0]) / 2.5
    y = rng.integers(0, 4, n_queries * 8)
    noise = rng.normal(size=(y.size, 5))
    X = noise + np.outer(y + rng.uniform(-0.2, 0.2, y.size) - noise @ direction, direction)
    return X, y, np.repeat(np.arange(n_queries), 8)


def fitted(objective="ndcg", validation=True, **changes) -> LambdaRanker:
    """A ranker trained on a few linear queries, with others to validate it."""
    settings = {"hidden": 4, "learning_rate": 0.02, "n_epochs": 6, "random_state": 0} | changes
    X, y, qid = linear_queries(20, seed=0)
    held_out = dict(zip(("X_val", "y_val", "qid_val"), linear_queries(20, seed=1), strict=True))
    ranker = LambdaRanker(objective=objective, **settings)
    return ranker.fit(X, y, qid, **(held_out if validation else {}))
