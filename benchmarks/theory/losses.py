"""Class probabilities and LambdaRank's weights on MQ2008: docs/prove/losses.md and docs/prove/ndcg_bounds.md."""

import numpy as np

from benchmarks.theory.data import MAX_GRADE, Figure, Trained, collect
from refrank import bounds
from refrank.bounds import largest_dcg_error, largest_err_error
from refrank.metrics import dcg, err
from refrank.metrics.discounts import tabulate_discounts


def list_figures(data: Trained) -> list[Figure]:
    """Rank by Alg. 1's expected gain and relevance, and by the ordinal scores."""
    proba = data.softmax.predict_proba(data.test.X)
    grades = np.arange(MAX_GRADE + 1)
    gain, relevance, score = proba @ (2.0**grades - 1), proba @ grades, data.ordinal.predict(data.test.X)
    lines = []
    for rows in data.list_queries():
        y, p, c = data.test.y[rows], proba[rows], tabulate_discounts(len(rows))
        order = rows[np.argsort(-score[rows], kind="stable")]
        ranked, best_dcg, best_err = data.test.y[order], dcg(y, y, k=None), err(y, y, max_grade=MAX_GRADE)
        of_gain, of_relevance = (best_dcg - dcg(y, by[rows], k=None) for by in (gain, relevance))
        top = {"dcg": largest_dcg_error(c, y), "err": largest_err_error(y, MAX_GRADE)}
        surprise = -np.log(p[np.arange(len(y)), y]).sum()
        swapped = best_dcg - dcg(y, score[rows], k=None)
        err_of_gain, err_of_score = (best_err - err(y, by[rows], max_grade=MAX_GRADE) for by in (gain, score))
        eq7 = (2**MAX_GRADE - 1) * (c[0] - c[-1]) * surprise
        lines.append({
            "losses.class_proba": (of_gain, bounds.dcg_class_proba(c, y, p), top["dcg"]),
            "losses.class_proba.variant-eq7": (of_gain, eq7, top["dcg"]),
            "losses.class_proba.variant-l2": (of_gain, bounds.dcg_class_proba_l2(c, y, p), top["dcg"]),
            "losses.class_proba.variant-brier": (of_gain, bounds.dcg_brier(c, y, p), top["dcg"]),
            "losses.class_proba.variant-expected-relevance":
                (of_relevance, bounds.dcg_expected_relevance(c, y, p), top["dcg"]),
            "losses.class_proba.variant-err": (err_of_gain, bounds.err_class_proba(y, p), top["err"]),
            "losses.lambdarank": (swapped, bounds.dcg_swaps(c, ranked), top["dcg"]),
            "losses.lambdarank.step4": (swapped, bounds.lambda_loss(c, ranked, score[order]), top["dcg"]),
            "losses.lambdarank.variant-err": (err_of_score, bounds.err_swaps(ranked, MAX_GRADE), top["err"]),
        })  # fmt: skip
    return collect(lines)
