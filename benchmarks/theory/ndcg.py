"""1 - NDCG, 1 - NDCG@10 and -log NDCG on MQ2008: docs/prove/ndcg_bounds.md."""

import numpy as np

from benchmarks.theory.data import MAX_GRADE, Figure, Trained, collect
from refrank import bounds
from refrank.metrics import dcg, err
from refrank.metrics.discounts import tabulate_discounts

K = 10  # places of NDCG@k


def list_figures(data: Trained) -> list[Figure]:
    """Rank by the ordinal scores; queries without a relevant document are left out."""
    score = data.ordinal.predict(data.test.X)
    lines = []
    for rows in data.list_queries():
        order = rows[np.argsort(-score[rows], kind="stable")]
        y, s = data.test.y[order], score[order]
        if not y.any():
            continue
        c, predicted = tabulate_discounts(len(y)), np.rint(np.clip(s, 0, MAX_GRADE)).astype(np.int64)
        position = -np.arange(len(y), dtype=float)
        ideal, achieved = dcg(y, y, k=None), dcg(y, position, k=None)
        best, got = err(y, y, max_grade=MAX_GRADE), err(y, position, max_grade=MAX_GRADE)
        n_errors = int((y != predicted).sum())
        worst, worst_err = bounds.largest_dcg_error(c, y) / ideal, bounds.largest_err_error(y, MAX_GRADE)
        miss, logs = 1 - achieved / ideal, -np.log(achieved / ideal)
        first, ideal_k = tabulate_discounts(len(y), K), dcg(y, y, k=K)
        miss_k = 1 - dcg(y, position, k=K) / ideal_k
        worst_k = bounds.largest_dcg_error(first, y) / ideal_k
        by_ideal = list_dcg_bounds(c, y, predicted, n_errors)
        at_k = {name: bound / ideal_k for name, bound in list_dcg_bounds(first, y, predicted, n_errors).items()}
        at_k["essential-loss"] = bounds.essential_loss(first, y) / ideal_k
        at_k["lambdarank"] = bounds.dcg_swaps(first, y) / ideal_k
        at_k["cross-entropy"] = bounds.ndcg_error_cross_entropy(y, s, K)
        at_k["log-places"] = bounds.ndcg_error_log_rank(y, s, K)
        lines.append({
            **{f"ndcg.by_ideal.variant-{name}": (miss, bound / ideal, worst) for name, bound in by_ideal.items()},
            "ndcg.essential_loss.variant-sharp": (miss, bounds.essential_loss(c, y) / ideal, worst),
            "ndcg.essential_loss.variant-err": (best - got, bounds.err_essential_loss(y, MAX_GRADE), worst_err),
            "ndcg.cross_entropy.variant-graded": (logs, bounds.ndcg_cross_entropy(y, s), -np.log1p(-worst)),
            "ndcg.cross_entropy.variant-constant": (logs, bounds.ndcg_least_cross_entropy(y, s), -np.log1p(-worst)),
            "ndcg.cross_entropy.variant-sharp": (logs, bounds.ndcg_log_rank(y, s), -np.log1p(-worst)),
            "ndcg.cross_entropy.variant-err":
                (-np.log(got / best), bounds.err_cross_entropy(y, s, MAX_GRADE), -np.log1p(-worst_err / best)),
            "ndcg.lambda_loss": (miss, bounds.dcg_distance_swaps(c, y) / ideal, worst),
            **{f"ndcg.at_cutoff.variant-{name}": (miss_k, bound, worst_k) for name, bound in at_k.items()},
        })  # fmt: skip
    return collect(lines)


def list_dcg_bounds(c: np.ndarray, y: np.ndarray, predicted: np.ndarray, n_errors: int) -> dict[str, float]:
    """Compute the bounds of the DCG error of one query with these discounts, by their variant's name."""
    return {
        "lemma1": bounds.mcrank_lemma1(c, n_errors, MAX_GRADE),
        "lemma1-sharp": bounds.dcg_by_errors(c, n_errors, MAX_GRADE),
        "min-pairing": bounds.min_pairing(c, y, predicted),
        "thresholds": bounds.dcg_threshold(c, y, predicted),
        "isotonic": bounds.dcg_isotonic(c, np.ldexp(1.0, y) - 1),
    }
