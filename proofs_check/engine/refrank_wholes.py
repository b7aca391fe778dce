"""Refrank's whole rankers, LambdaRank's gradient, ties and missing values, as plain functions for `implementation`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from proofs_check.engine.refrank_trees import ENGINE, N_BINS, Grower, binned, grown, tree
from refrank import metrics
from refrank.arrays import Floats
from refrank.igbrt.igbrt import igbrt as boost_residuals
from refrank.igbrt.missing_values import fill_missing
from refrank.igbrt.missing_values import fill_values as choose_values
from refrank.mcrank.pairwise_gradients import lambdarank_gradient
from refrank.mcrank.swap_change import ndcg_swap_change
from refrank.metrics.presets import resolve_spec


def tree_at(X: ArrayLike, y: ArrayLike, weight: ArrayLike | None, n_leaves: int, new: ArrayLike) -> Floats:
    """Grow a tree and predict other rows, (m,)."""
    from refrank.trees.model.ensemble import Ensemble

    model, _ = grown(X, y, weight, n_leaves, N_BINS)
    return Ensemble((0.0,), ((model,),), 1.0).scores(np.ascontiguousarray(new, dtype=float), ENGINE)[:, 0]


def igbrt(X: ArrayLike, y: ArrayLike, forest_scores: ArrayLike, n_rounds: int, max_depth: int, alpha: float) -> Floats:
    """Boost by iGBRT Alg. 3 from the forest's predictions: those after 0, 1, ... rounds, (n_rounds + 1, n)."""
    target, start = np.asarray(y, dtype=float), np.asarray(forest_scores, dtype=float)
    rounds = boost_residuals(target, start, Grower(binned(X), max_depth=max_depth), n_rounds, alpha)
    return np.array([start, *(target - turn.residual for turn in rounds)])


def gbrt(X: ArrayLike, y: ArrayLike, n_rounds: int, max_depth: int, alpha: float) -> Floats:
    """Boost by iGBRT Alg. 2: predictions after 0, 1, ... rounds, (n_rounds + 1, n)."""
    return igbrt(X, y, np.zeros(len(np.asarray(y))), n_rounds, max_depth, alpha)


def cocr(X: ArrayLike, y: ArrayLike, max_grade: int, new: ArrayLike) -> Floats:
    """Learn by COCR Alg. 1 with oERR costs over weighted least squares: soft ranks of other rows, (m,)."""
    from sklearn.linear_model import LinearRegression

    from refrank.estimators import COCRRanker

    ranker: Any = COCRRanker(LinearRegression(), cost="oerr")
    return ranker.fit(np.asarray(X), np.asarray(y)).predict(np.asarray(new))


def lambdas(score: ArrayLike, y: ArrayLike, k: int) -> Floats:
    """Compute LambdaRank's gradient by NDCG@k, (n,)."""
    change = partial(ndcg_swap_change, truncation=k)
    return lambdarank_gradient(np.asarray(score, dtype=float), np.asarray(y), change)[1]


def dcg_tied(y: ArrayLike, score: ArrayLike, k: int, ties: Any) -> float:
    """Compute DCG@k of scores that tie."""
    return float(metrics.dcg(y, score, k=k, spec=replace(resolve_spec("paper"), ties=ties)))


def fill_values(X: ArrayLike, missing: str) -> Floats:
    """Choose what stands in for NaN, (n_features,)."""
    return choose_values(np.asarray(X, dtype=float), missing, np.nan)


def tree_missing(X: ArrayLike, y: ArrayLike, missing: str, n_leaves: int) -> Floats:
    """Grow a tree on features with NaN, and predict the rows, (n,)."""
    rows = np.asarray(X, dtype=float)
    return tree(fill_missing(rows, np.nan, choose_values(rows, missing, np.nan)), y, None, n_leaves)
