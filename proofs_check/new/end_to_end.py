"""New: from COCR's weighted binary errors to the ERR error of its ranker.

Documents i = 1..n, answers g_ik in {0, 1} to "is y_i >= k?", b_ik = [y_i >= k], the weights of the oERR cost,
w_ik = |c_i[k] - c_i[k-1]| (Eq. 5, 13), pi sorting by r_i = sum_k g_ik (Eq. 2), with ties in any order. For
rank-monotone answers (g_i1 >= g_i2 >= ...),

    ERR_g - ERR_pi <= (K_n / 16) (sum_i sum_k w_ik [b_ik != g_ik])^(1/2).

Proof. The binary errors of document i are c_i[r_i] (lin_li.reduction.variant-rank-monotone), and the sum of those
bounds the ERR error (new.err_oerr).

For other answers, with K = 4: h_ik in [0, 1] are soft answers, with errors sum_k w_ik |h_ik - b_ik|, and pi sorts by
r_i = sum_k h_ik (Eq. 6):

    any hard g                false; true with 64/29 before the sum       variant-any, variant-any-constant
    rank-monotone soft h      false; true with 32/25 before the sum       variant-soft, variant-soft-constant
    any h in [0, 1]           true with the weights of a convex cost      variant-convex-weights
    any real h                true if pi sorts by the expected gain:      variant-expected-gain

    ERR_g - ERR_pi <= (K_n / 16) (sum_i (sum_k 2^(k-1) (b_ik - h_ik))^2)^(1/2)        pi by sum_k 2^(k-1) h_ik
                   <= (K_n / 16) (85 sum_i sum_k (b_ik - h_ik)^2)^(1/2)

The weights of the convex cost do not fall with the distance from y: for y = 3 they are (20, 20, 16, 64) instead of
(13, 20, 16, 64), for y = 4 (80, 80, 80, 64) instead of (29, 52, 80, 64). The last two lines are what K least-squares
regressors give: ranking by the expected 2^y - 1 instead of the expected y requires nothing else of h.

How it is checked. For each grade y and each counted grade r, enumeration gives the least binary errors of all
admissible answers; the bounds are then checked with these on all rankings, in integers. docs/prove/bounds.md proves
that integer r suffice for soft answers, and the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import numpy as np

from proofs_check.cocr.lin_li_reduction import FOURTHS, hard, monotone, soft
from proofs_check.engine.comparison import Comparison
from proofs_check.engine.instances import Cases, Rankings, grade_vectors, stable_g
from proofs_check.engine.records import OURS, Effort, Finding, Line, table
from proofs_check.engine.search import settle, settle_cases
from proofs_check.new.err_oerr import below_root_of
from refrank.cocr.costs import oerr

K = 4
GRADES = np.arange(K + 1)


# ---- binary errors ----


def weights() -> np.ndarray:
    """Compute Eq. 5 for Eq. 13: |c[k] - c[k-1]| for every grade, (K + 1, K)."""
    return abs(np.diff(oerr(GRADES, K), axis=1))


def convex_weights() -> np.ndarray:
    """Compute the running maximum of the weights, starting from y, (K + 1, K)."""
    w = weights()
    for y in GRADES:
        w[y, :y] = np.maximum.accumulate(w[y, :y][::-1])[::-1]
        w[y, y:] = np.maximum.accumulate(w[y, y:])
    return w


def least_errors(w: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """Compute the smallest sum_k w_k |h_k - b_k| over the answers with count r, in fourths, [y, r]."""
    least = np.empty((K + 1, K + 1), dtype=np.int64)
    for y, r in product(GRADES, GRADES):
        counting = answers[answers.sum(axis=1) == FOURTHS * r]
        b = FOURTHS * (np.arange(1, K + 1) <= y)  # COCR Eq. 1
        least[y, r] = (w[y] * abs(counting - b)).sum(axis=1).min()
    return least


# ---- the statement, and other answers ----


def bound(least: np.ndarray, r: Rankings, p: int = 1, q: int = 1) -> Comparison:
    """Claim p (ERR_g - ERR_pi)^2 <= q (K_n/16)^2 errors, for answers with count y_hat."""
    errors = least[r.y.astype(np.int64), r.y_hat.astype(np.int64)].sum(axis=1)
    return below_root_of(errors, r, parts=FOURTHS, p=p, q=q)


def expected_gain(case: Cases) -> Iterator[Comparison]:
    """Check documents in the order of pi, sorted by sum 2^(k-1) h_k; other cases have 0 on both sides."""
    y, h = case.columns["y"], case.columns["h"]  # (m, n), (m, n, K); h in halves
    r = Rankings(y, np.zeros_like(y), stable_g(y))
    gain = (2 ** np.arange(K) * h).sum(axis=2)  # (m, n), expected 2^y - 1, in halves
    sorted_by_gain = (np.diff(gain, axis=1) <= 0).all(axis=1)
    b = 2 * (np.arange(1, K + 1) <= y[:, :, np.newaxis])
    by_gain = ((2 * (2**y - 1) - gain) ** 2).sum(axis=1)
    by_answer = 85 * ((b - h) ** 2).sum(axis=(1, 2))
    for squares in (by_gain, by_answer):
        yield below_root_of(squares, r, parts=4).keep_only(sorted_by_gain)


def real_answers(n: int) -> Iterator[Cases]:
    """Yield all labels with all h out of -1/2, 0, 1/2, 1 (n = 1), out of 0, 1/2, 1 (n = 2)."""
    values = (-1, 0, 1, 2) if n == 1 else (0, 1, 2)
    h = np.array(list(product(values, repeat=n * K))).reshape(-1, n, K)
    for y in grade_vectors(n):
        yield Cases({"y": np.broadcast_to(y, (len(h), n)), "h": h}, {"h": 2})


# ---- the table ----


def over(w: np.ndarray, answers: np.ndarray, p: int = 1, q: int = 1) -> Callable[[Effort], Finding]:
    """Build the check of `bound` with the least errors of these answers; the constants are those of K = 4."""
    return settle(partial(bound, least_errors(w, answers), p=p, q=q), every_grade=False)


MONOTONE, ANY, SOFT, EVERY = monotone(hard)(K), hard(K), monotone(soft)(K), soft(K)
PROOF = "docs/prove/bounds.md, From binary errors to ERR"
ERRORS = "sum_i sum_k w_ik [b_ik != g_ik]"
SOFT_ERRORS = "sum_i sum_k w_ik |h_ik - b_ik|"

ROWS = table("new.end_to_end", "new",
    Line("", f"ERR_g - ERR_pi <= (K_n/16) ({ERRORS})^(1/2), rank-monotone g", "", over(weights(), MONOTONE)),
    Line("variant-any", "the statement for any g", "g not rank-monotone", over(weights(), ANY)),
    Line("variant-any-constant", f"ERR_g - ERR_pi <= (K_n/16) (64/29 {ERRORS})^(1/2), any g",
     "K = 4", over(weights(), ANY, 29, 64)),
    Line("variant-soft", f"ERR_g - ERR_pi <= (K_n/16) ({SOFT_ERRORS})^(1/2), rank-monotone h in [0, 1]",
     "soft answers", over(weights(), SOFT)),
    Line("variant-soft-constant", f"ERR_g - ERR_pi <= (K_n/16) (32/25 {SOFT_ERRORS})^(1/2), rank-monotone h in [0, 1]",
     "K = 4", over(weights(), SOFT, 25, 32)),
    Line("variant-convex-weights", "ERR_g - ERR_pi <= (K_n/16) (sum_i sum_k w'_ik |h_ik - b_ik|)^(1/2), any h in [0, "
     "1], w' not falling with the distance from y", "convex cost", over(convex_weights(), EVERY)),
    Line("variant-expected-gain", "ERR_g - ERR_pi <= (K_n/16) (85 sum_i sum_k (b_ik - h_ik)^2)^(1/2), any real h, pi "
     "by sum_k 2^(k-1) h_ik", "ranking by gain", settle_cases(expected_gain, real_answers, 2)),
    source=OURS, proof=PROOF,
)  # fmt: skip
