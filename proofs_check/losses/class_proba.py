"""McRank, end to end: the DCG error is bounded by the probabilities of the wrong classes.

Documents have labels y_i in {0..K} and class probabilities p_i; e_i = 1 - p_{i,y_i} is the mass on the wrong ones,
and Eq. 7's loss is sum -log p_{i,y_i}. If pi sorts by the expected gain v_i = sum_k p_ik (2^k - 1), ties in any order,

    DCG_g - DCG_pi <= (2^K - 1) (c_1 - c_n) sum_i e_i <= (2^K - 1) (c_1 - c_n) sum_i -log p_{i,y_i},

for any non-increasing c. McRank itself sorts by the expected relevance: expected_relevance.py has its constant.

Proof, with z_i = 2^y_i - 1:

    1  DCG_g - DCG_pi <= sum_i (c_{g_i} - c_{pi_i}) (z_i - v_i), as pi sorts by v                     rearrangement
    2  |z_i - v_i| = |sum_k p_ik (2^y_i - 2^k)| <= (2^K - 1) e_i, as the term of k = y_i is 0
    3  |c_{g_i} - c_{pi_i}| <= c_1 - c_n
    4  e <= -log(1 - e)

Attained for every n, by a document of grade K that is predicted 0 and ranked last, behind documents of grade 0.

With Cauchy-Schwarz for lines 2 and 3 (variant-l2), and with the whole row of p (variant-brier; sum_k p_ik - [y_i = k] =
0, so the mean of the 2^k can be subtracted),

    DCG_g - DCG_pi <= (sum (c_i - c_{n+1-i})^2)^(1/2) (sum_i (2^K - 1)^2 e_i^2)^(1/2)
    DCG_g - DCG_pi <= (sum (c_i - c_{n+1-i})^2)^(1/2) (S_K sum_ik (p_ik - [y_i = k])^2)^(1/2)

S_K = sum_k (2^k - mean)^2 = 744/5 for K = 4. For ERR, divide by 2^K and take c_i = 1/i (new.err_below_rr_dcg).

How it is checked. Probabilities are fractions with a small denominator; labels, probabilities and orders of ties are
enumerated; all sides but the logarithms are integers over one denominator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import integer_discounts, name, steps
from proofs_check.engine.exact import UNIT, dcg_error, err_error, relevance_gain, unit
from proofs_check.engine.instances import Cases, stable_g
from proofs_check.engine.probabilities import GRIDS, Score, expected_gain, left_over, parts_of, ranked_by
from proofs_check.engine.records import OURS, Effort, Finding, Line, table
from proofs_check.engine.search import settle_cases
from proofs_check.new.min_pairing import pairing

# ---- the statement ----


def dcg_bound(constant: Callable[[int], int], case: Cases) -> Iterator[Comparison]:
    """Claim DCG_g - DCG_pi <= constant(K) (c_1 - c_n) sum e_i, for the step discounts."""
    y, _, parts, max_grade = parts_of(case)
    for c in steps(y.shape[1]):
        right = constant(max_grade) * (c[0] - c[-1]) * left_over(case).sum(axis=1)
        yield Comparison(parts * dcg_error(y, c), right, unit=parts, label=name(c))


def of_gain(max_grade: int) -> int:
    """Compute 2^K - 1."""
    return int(2**max_grade - 1)


def logarithmic_loss(case: Cases) -> Iterator[Comparison]:
    """Claim the same with -log p for e, in floats."""
    y, _, parts, max_grade = parts_of(case)
    loss = -np.log(np.maximum(parts - left_over(case), 1e-300) / parts).sum(axis=1)
    for c in steps(y.shape[1]):
        right = of_gain(max_grade) * (c[0] - c[-1]) * loss
        # n logarithms of one rounding, n - 1 sums and a product
        yield Comparison(dcg_error(y, c).astype(float), right, slack=4 * y.shape[1] * UNIT * right, label=name(c))


# ---- the proof ----


def rearranged(score: Score, case: Cases) -> Iterator[Comparison]:
    """Compare the DCG error with sum (c_g - c_pi) (z - v), for any v by which pi sorts."""
    y, p, parts, _ = parts_of(case)
    g, apart = stable_g(y), parts * relevance_gain(y) - score(p)
    for c in steps(y.shape[1]):
        right = ((c[g - 1] - c) * apart).sum(axis=1)
        yield Comparison(parts * dcg_error(y, c), right, unit=parts, label=name(c))


def of_one_document(case: Cases) -> Comparison:
    y, p, parts, max_grade = parts_of(case)
    apart = abs(parts * relevance_gain(y) - expected_gain(p))[:, 0]
    return Comparison(apart, of_gain(max_grade) * left_over(case)[:, 0], unit=parts)


def largest_step(case: Cases) -> Iterator[Comparison]:
    y = case.columns["y"]
    g = stable_g(y)
    for c in steps(y.shape[1]):
        apart = abs(c[g - 1] - c).max(axis=1)
        yield Comparison(apart, np.full(len(y), c[0] - c[-1]), label=name(c))


def below_logarithm(case: Cases) -> Comparison:
    _, _, parts, _ = parts_of(case)
    left = left_over(case)[:, 0] / parts
    right = -np.log(np.maximum(1 - left, 1e-300))
    return Comparison(left, right, slack=4 * UNIT)


# ---- attained ----


def attained(constant: Callable[[int], int], case: Cases) -> Iterator[Comparison]:
    """Claim that the bound is an equality."""
    for comparison in dcg_bound(constant, case):
        yield Comparison(comparison.left, comparison.right, "==", unit=comparison.unit, label=comparison.label)


def perfect_behind_zeros(n: int) -> Iterator[Cases]:
    """Yield n - 1 documents of grade 0, predicted with certainty, and one of grade K that is predicted 0."""
    for max_grade in (1, 2, 3, 4):
        y, p = np.zeros((1, n), dtype=int), np.zeros((1, n, max_grade + 1), dtype=int)
        y[0, -1], p[0, :, 0] = max_grade, 1
        yield Cases({"y": y, "p": p}, {"p": 1})


# ---- squares, and ERR ----


def below_root(case: Cases, squares: np.ndarray, over: int) -> Iterator[Comparison]:
    """Claim (DCG_g - DCG_pi)^2 <= sum (c_i - c_{n+1-i})^2 squares / (over parts^2)."""
    y, _, parts, _ = parts_of(case)
    for c in integer_discounts(y.shape[1]):
        left = over * parts**2 * dcg_error(y, c) ** 2
        yield Comparison(left, pairing(c) * squares, squared=True, unit=parts, label=name(c))


def squared_rest(case: Cases) -> Iterator[Comparison]:
    squares = of_gain(parts_of(case)[3]) ** 2 * (left_over(case) ** 2).sum(axis=1)
    return below_root(case, squares, 1)


def brier(case: Cases) -> Iterator[Comparison]:
    """Claim the bound by the Brier score: (K + 1) S_K = (K + 1) sum 4^k - (sum 2^k)^2."""
    y, p, parts, max_grade = parts_of(case)
    off = p - parts * (y[:, :, np.newaxis] == np.arange(max_grade + 1))
    spread = (max_grade + 1) * (4 ** (max_grade + 1) - 1) // 3 - (2 ** (max_grade + 1) - 1) ** 2
    return below_root(case, spread * (off**2).sum(axis=(1, 2)), max_grade + 1)


def err_bound(numerator: Callable[[int], int], case: Cases) -> Comparison:
    """Claim ERR_g - ERR_pi <= (numerator(K) / 2^K) (1 - 1/n) sum e_i."""
    y, _, parts, max_grade = parts_of(case)
    n, scale = y.shape[1], 2**max_grade
    whole = unit(n, scale)
    right = numerator(max_grade) * (whole // scale) * (n - 1) * left_over(case).sum(axis=1)
    return Comparison(n * parts * err_error(y, scale), right, unit=n * parts * whole)


# ---- the table ----


def by(score: Score, claim: Callable[..., Comparison | Iterator[Comparison]]) -> Callable[[Effort], Finding]:
    """Settle a claim on documents ordered by this score."""
    return settle_cases(claim, partial(ranked_by, score), max(GRIDS))


def alone(claim: Callable[..., Comparison | Iterator[Comparison]]) -> Callable[[Effort], Finding]:
    """Settle a claim on one document."""
    return settle_cases(claim, partial(ranked_by, expected_gain), 1)


PROOF = "docs/prove/losses.md, Class probabilities"
ROWS = table("losses.class_proba", "new",
    Line("", "DCG_g - DCG_pi <= 15 (c_1 - c_n) sum (1 - p_{i,y_i}), pi by expected gain", "",
     by(expected_gain, partial(dcg_bound, of_gain))),
    Line("step1", "DCG_g - DCG_pi <= sum (c_{g_i} - c_{pi_i}) (2^y_i - 1 - v_i), v the expected gain", "rearrangement",
     by(expected_gain, partial(rearranged, expected_gain))),
    Line("step2", "|2^y - 1 - v| <= 15 (1 - p_y)", "one document", alone(of_one_document)),
    Line("step3", "|c_{g_i} - c_{pi_i}| <= c_1 - c_n", "one place", by(expected_gain, largest_step)),
    Line("step4", "1 - p_y <= -log p_y", "logarithm", alone(below_logarithm)),
    Line("variant-attained", "attained for every n", "tightness",
     settle_cases(partial(attained, of_gain), perfect_behind_zeros, 12, smallest=2)),
    Line("variant-eq7", "DCG_g - DCG_pi <= 15 (c_1 - c_n) sum -log p_{i,y_i}, pi by expected gain", "Eq. 7",
     by(expected_gain, logarithmic_loss)),
    Line("variant-l2", "DCG_g - DCG_pi <= 15 (sum (c_i - c_{n+1-i})^2)^(1/2) (sum (1 - p_{i,y_i})^2)^(1/2)",
     "squares", by(expected_gain, squared_rest)),
    Line("variant-brier", "the same with S_K sum_ik (p_ik - [y_i = k])^2, S_4 = 744/5, for 15^2 sum (1 - p_{i,y_i})^2",
     "all classes", by(expected_gain, brier)),
    Line("variant-err", "ERR_g - ERR_pi <= (15/16) (1 - 1/n) sum (1 - p_{i,y_i}), pi by expected gain", "ERR",
     by(expected_gain, partial(err_bound, of_gain))),
    source=OURS, proof=PROOF,
)  # fmt: skip
