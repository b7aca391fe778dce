"""Regret where the labels are drawn, independently, with the class probabilities of Alg. 1: docs/prove/regret.md.

The noise of MQ2008's labels is unknown, so the probabilities of a model take the place of the true ones.
"""

import numpy as np

from benchmarks.theory.data import MAX_GRADE, Figure, Trained, collect
from refrank import bounds
from refrank.cocr.costs import oerr
from refrank.metrics.discounts import tabulate_discounts


def list_figures(data: Trained) -> list[Figure]:
    """Rank by the ordinal scores; the expected labels are those of Alg. 1."""
    proba = data.softmax.predict_proba(data.test.X)
    score, answers = data.ordinal.predict(data.test.X), data.ordinal.predict_proba(data.test.X)
    predicted = data.ls_boost.predict(data.test.X)
    gain = 2.0 ** np.arange(MAX_GRADE + 1) - 1
    costs = oerr(np.arange(MAX_GRADE + 1), MAX_GRADE)
    lines = []
    for rows in data.list_queries():
        order, c = rows[np.argsort(-score[rows], kind="stable")], tabulate_discounts(len(rows))
        relevance = proba[order] @ gain / 2**MAX_GRADE
        by_f = rows[np.argsort(-predicted[rows], kind="stable")]
        mean = proba[by_f] @ gain
        sorted_mean, sorted_relevance = -np.sort(-mean), -np.sort(-relevance)
        # hard answers to "k or higher?", made rank-monotone
        yes = np.minimum.accumulate(answers[rows][:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:] >= 0.5, axis=1)
        expected = proba[rows] @ costs  # (n, K + 1)
        steps = np.diff(expected, axis=1)
        excess = np.where(yes, np.maximum(steps, 0), np.maximum(-steps, 0)).sum()
        cost = (expected[np.arange(len(rows)), yes.sum(axis=1)] - expected.min(axis=1)).sum()
        q = estimate_gain_over_ideal(proba[by_f], c)
        worst = compute_err(sorted_relevance) - compute_err(sorted_relevance[::-1])
        lines.append({
            "regret.err": (
                compute_err(sorted_relevance) - compute_err(relevance), bounds.err_regret(relevance), worst),
            "regret.cossock_zhang.variant-sharp": (
                (c * (sorted_mean - mean)).sum(), bounds.regression_error(c, mean, predicted[by_f]),
                (c * (sorted_mean - sorted_mean[::-1])).sum()),
            "regret.ndcg.variant-regret": (
                (c * (-np.sort(-q) - q)).sum(), bounds.dcg_isotonic(c, q), (c * (-np.sort(-q) - np.sort(q))).sum()),
            "regret.lin_li": (cost, excess, (expected.max(axis=1) - expected.min(axis=1)).sum()),
        })  # fmt: skip
    return collect(lines)


def estimate_gain_over_ideal(proba: np.ndarray, c: np.ndarray, n_draws: int = 500) -> np.ndarray:
    """Estimate q_i = E[z_i / DCG_g] from draws of all labels; draws without a relevant document count 0, (n,)."""
    rng = np.random.default_rng(1)
    labels = (rng.random((n_draws, len(proba), 1)) > proba.cumsum(axis=1)[:, :-1]).sum(axis=2)
    z = 2.0**labels - 1
    ideal = (-np.sort(-z, axis=1) * c).sum(axis=1, keepdims=True)
    return np.asarray(np.divide(z, ideal, out=np.zeros_like(z), where=ideal > 0).mean(axis=0))


def compute_err(relevance: np.ndarray) -> float:
    """Compute ERR of relevances in the order of a ranking."""
    reached = np.concatenate([[1.0], np.cumprod(1 - relevance)[:-1]])
    return float((reached * relevance / np.arange(1, len(relevance) + 1)).sum())
