"""Refrank's metrics with the cut-off in third place, as `proofs_check.engine.implementation` describes them."""

from __future__ import annotations

from numpy.typing import ArrayLike

from refrank import metrics


def dcg_at(y: ArrayLike, score: ArrayLike, k: int) -> float:
    """Compute DCG@k of one query."""
    return float(metrics.dcg(y, score, k=k))


def ndcg_at(y: ArrayLike, score: ArrayLike, k: int) -> float:
    """Compute NDCG@k of one query."""
    return float(metrics.ndcg(y, score, k=k))


def err_at(y: ArrayLike, score: ArrayLike, k: int, max_grade: int) -> float:
    """Compute ERR@k of one query."""
    return float(metrics.err(y, score, k=k, max_grade=max_grade))
