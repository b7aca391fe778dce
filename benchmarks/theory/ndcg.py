"""1 - NDCG and -log NDCG on MQ2008: docs/prove/ndcg_bounds.md."""

import numpy as np

from benchmarks.theory.data import MAX_GRADE, Figure, Trained, collect
from refrank import bounds
from refrank.metrics import dcg, err
from refrank.metrics.discounts import tabulate_discounts


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
        by_ideal = {
            "lemma1": bounds.mcrank_lemma1(c, n_errors, MAX_GRADE),
            "lemma1-sharp": bounds.dcg_by_errors(c, n_errors, MAX_GRADE),
            "min-pairing": bounds.min_pairing(c, y, predicted),
            "thresholds": bounds.dcg_threshold(c, y, predicted),
            "isotonic": bounds.dcg_isotonic(c, np.ldexp(1.0, y) - 1),
        }
        lines.append({
            **{f"ndcg.by_ideal.variant-{name}": (miss, bound / ideal, worst) for name, bound in by_ideal.items()},
            "ndcg.essential_loss.variant-sharp": (miss, bounds.essential_loss(c, y) / ideal, worst),
            "ndcg.essential_loss.variant-err": (best - got, bounds.err_essential_loss(y, MAX_GRADE), worst_err),
            "ndcg.cross_entropy.variant-graded": (logs, bounds.ndcg_cross_entropy(y, s), -np.log1p(-worst)),
            "ndcg.cross_entropy.variant-sharp": (logs, bounds.ndcg_log_rank(y, s), -np.log1p(-worst)),
            "ndcg.cross_entropy.variant-err":
                (-np.log(got / best), bounds.err_cross_entropy(y, s, MAX_GRADE), -np.log1p(-worst_err / best)),
        })  # fmt: skip
    return collect(lines)
