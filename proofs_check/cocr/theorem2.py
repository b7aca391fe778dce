"""COCR, Theorem 2 (Sec. 4.2): the ERR error is bounded by positions times stopping probabilities.

Documents 1..N have labels y_i in {0..K}; pi orders them by yhat[i] = r(x_i), with ties in any order; rho is a perfect
ordering. pi(i), rho(i) are the positions of document i, sigma and psi the inverses; beta[i] = 1/i,

    F_i(pi, y) = R(y[i]) prod_{j < pi(i)} (1 - R(y[sigma(j)])),   R(y) = (2^y - 1) / 2^K,
    ERR(pi) = sum_i beta[pi(i)] F_i(pi, y)                                                       (Eq. 10)

As printed. rho is such that y_rho(i) is a non-increasing sequence. Then

    ERR(pi) - ERR(rho)
        <= (sum (beta[rho(i)] - beta[pi(i)])^2)^(1/2) (sum (F_i(rho,y) - F_i(pi,yhat))^2)^(1/2).

For a perfect rho the left side is never positive: the inequality is true and vacuous. Read literally, y_rho(i) is the
label at the index rho(i), which is not the label at position i; such a rho need not be perfect, and then the printed
inequality is false (variant-literal). The intended statement, which Sec. 4.3 uses, is

    ERR(rho) - ERR(pi) <= the same right side                                          (variant-intended)

The proof, line by line:

    1  ERR(pi) = sum beta[pi(i)] F_i(pi,yhat) + sum beta[pi(i)] (F_i(pi,y) - F_i(pi,yhat))
    2  F_i(pi,yhat) is non-decreasing with beta[pi(i)]
    3  sum beta[pi(i)] F_i(pi,yhat) >= sum beta[rho(i)] F_i(pi,yhat)                             (Eq. 11)
    4  F_i(pi,y) >= F_i(rho,y) for all i                                                         (Eq. 12)
    5  ERR(pi) >= sum beta[rho(i)] F_i(pi,yhat) + sum beta[pi(i)] (F_i(rho,y) - F_i(pi,yhat))
    6  ... >= sum beta[rho(i)] F_i(rho,y) + sum (beta[pi(i)] - beta[rho(i)]) (F_i(rho,y) - F_i(pi,yhat))
    7  ... = ERR(rho) + sum (beta[pi(i)] - beta[rho(i)]) (F_i(rho,y) - F_i(pi,yhat))
    8  therefore ERR(pi) - ERR(rho) <= sum (beta[pi(i)] - beta[rho(i)]) (F_i(rho,y) - F_i(pi,yhat))
    9  ... <= the product of the roots                                                     Cauchy-Schwarz

Line 4 is false. Line 5, which is derived from it, is true: summed with the weights beta[pi(i)], Eq. 12 does hold
(variant-eq12-summed). Line 6 is an equality. Line 8 reverses the chain; in the direction of the chain (variant-chain)
it gives variant-intended. So the intended theorem is true, for a reason other than the one given, and for every
ordering rho, perfect or not (variant-any-rho).

Real-valued predictions are covered (variant-real-valued), with one premise: lines 2 and 3 need R(yhat) <= 1, that is
yhat <= log2(2^K + 1), and a regressor that predicts more violates them (variant-overshoot). The variants are in
`theorem2_mended`; docs/reference/errata.md has the proof.

How it is checked. Everything is rational: F in units of 2^(-K N), beta in units of 1/lcm(1..N).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import at, reciprocal
from proofs_check.engine.exact import by_document, err, err_at, ideal, stops, unit
from proofs_check.engine.instances import Rankings, with_ties
from proofs_check.engine.records import IMPLIED, Line, table
from proofs_check.engine.search import settle_tied

# ---- the theorem ----


def as_printed(r: Rankings) -> Comparison:
    difference = err(r.y, r.scale) - err_at(r.y, r.g, r.scale)
    return Comparison(difference * abs(difference), product_of_squares(r), squared=True, unit=unit(r.n, r.scale))


def intended(r: Rankings) -> Comparison:
    difference = err_at(r.y, r.g, r.scale) - err(r.y, r.scale)
    return Comparison(difference * abs(difference), product_of_squares(r), squared=True, unit=unit(r.n, r.scale))


def product_of_squares(r: Rankings) -> np.ndarray:
    """Compute the right side of Theorem 2, squared, times unit^2, (m,)."""
    positions, stopping = differences(r)
    return (positions**2).sum(axis=1) * (stopping**2).sum(axis=1)


def differences(r: Rankings) -> tuple[np.ndarray, np.ndarray]:
    """Compute beta[pi(i)] - beta[rho(i)] and F_i(rho,y) - F_i(pi,yhat), each (m, n)."""
    beta = reciprocal(r.n)
    return beta - at(beta, r.g), by_document(stops, r.y, r.g, r.scale) - stops(r.y_hat, r.scale)


# ---- the printed proof ----


def step1(r: Rankings) -> Comparison:
    beta, predicted = reciprocal(r.n), stops(r.y_hat, r.scale)
    right = (beta * predicted).sum(axis=1) + (beta * (stops(r.y, r.scale) - predicted)).sum(axis=1)
    return Comparison(err(r.y, r.scale), right, "==")


def step2(r: Rankings) -> Iterator[Comparison]:
    predicted = stops(r.y_hat, r.scale)
    for i in range(r.n):
        yield Comparison(predicted[:, i], predicted[:, max(i - 1, 0)], unit=r.scale**r.n)


def step3(r: Rankings) -> Comparison:
    # COCR Eq. 11
    beta, predicted = reciprocal(r.n), stops(r.y_hat, r.scale)
    left = (at(beta, r.g) * predicted).sum(axis=1)
    return Comparison(left, (beta * predicted).sum(axis=1), unit=unit(r.n, r.scale))


def step4(r: Rankings) -> Iterator[Comparison]:
    # COCR Eq. 12
    along_rho, along_pi = by_document(stops, r.y, r.g, r.scale), stops(r.y, r.scale)
    for i in range(r.n):
        label = f"F_{i + 1}(rho,y) and F_{i + 1}(pi,y)"
        yield Comparison(along_rho[:, i], along_pi[:, i], unit=r.scale**r.n, label=label)


def step5(r: Rankings) -> Comparison:
    return Comparison(after_eq12(r), err(r.y, r.scale), unit=unit(r.n, r.scale))


def step6(r: Rankings) -> Comparison:
    """Claim the equality; the paper prints >=."""
    return Comparison(after_eq12(r), err_at(r.y, r.g, r.scale) + inner_product(r), "==")


def step7(r: Rankings) -> Comparison:
    return Comparison(err_at(r.y, r.g, r.scale), err(ideal(r.y), r.scale), "==")


def step8(r: Rankings) -> Comparison:
    return Comparison(err(r.y, r.scale) - err_at(r.y, r.g, r.scale), inner_product(r), unit=unit(r.n, r.scale))


def step9(r: Rankings) -> Comparison:
    inner = inner_product(r)
    return Comparison(inner * abs(inner), product_of_squares(r), squared=True, unit=unit(r.n, r.scale))


def after_eq12(r: Rankings) -> np.ndarray:
    """Compute sum beta[rho(i)] F_i(pi,yhat) + sum beta[pi(i)] (F_i(rho,y) - F_i(pi,yhat)), times unit, (m,)."""
    beta, predicted = reciprocal(r.n), stops(r.y_hat, r.scale)
    along_rho = by_document(stops, r.y, r.g, r.scale)
    return (at(beta, r.g) * predicted + beta * (along_rho - predicted)).sum(axis=1)


def inner_product(r: Rankings) -> np.ndarray:
    """Compute sum (beta[pi(i)] - beta[rho(i)]) (F_i(rho,y) - F_i(pi,yhat)), times unit, (m,)."""
    positions, stopping = differences(r)
    return (positions * stopping).sum(axis=1)


# ---- the table ----


def says_nothing(max_grade: int) -> bool:
    """Return whether no right side is below the largest possible left side, which is 0."""
    groups = [group for n in (1, 2, 3) for group in with_ties(n, min(max_grade, 4))]
    largest = max(int((err(r.y, r.scale) - err_at(r.y, r.g, r.scale)).max()) for r in groups)
    return largest <= 0 <= min(int(product_of_squares(r).min()) for r in groups)


RIGHT = "(sum (beta[rho]-beta[pi])^2)^(1/2) (sum (F(rho,y)-F(pi,yhat))^2)^(1/2)"
PROOF = "docs/reference/errata.md, COCR Theorem 2"
FROM = 'Sec. 4.2, Theorem 2, proof: "From (11) and (12)"'

ROWS = table("cocr.theorem2", "COCR",
    Line("", f"ERR(pi) - ERR(rho) <= {RIGHT}, rho perfect", "", settle_tied(as_printed, vacuous=says_nothing),
     where='Sec. 4.2, Theorem 2: "consider a perfect ordering rho"'),
    Line("step1", "ERR(pi) = sum beta[pi] F(pi,yhat) + sum beta[pi] (F(pi,y)-F(pi,yhat))", "split", settle_tied(step1),
     where='Sec. 4.2, Theorem 2, proof: "From the definition in Eq. (10)"'),
    Line("step2", "F_i(pi,yhat) is non-decreasing with beta[pi(i)]", "monotone", settle_tied(step2),
     where='Sec. 4.2, Theorem 2, proof: "the sequence F_i(pi, yhat) is non-decreasing with beta[pi(i)]"'),
    Line("step3", "sum beta[pi] F(pi,yhat) >= sum beta[rho] F(pi,yhat)", "Eq. 11", settle_tied(step3),
     where='Sec. 4.2, Eq. 11: "By the rearrangement inequality"'),
    Line("step4", "F_i(pi,y) >= F_i(rho,y) for all i", "Eq. 12", settle_tied(step4),
     where='Sec. 4.2, Eq. 12: "In addition, rho is the ordering constructed by y. Thus, for all i"'),
    Line("step5", "ERR(pi) >= sum beta[rho] F(pi,yhat) + sum beta[pi] (F(rho,y)-F(pi,yhat))",
     "first >=", settle_tied(step5), where=f"{FROM}, line 1"),
    Line("step6", "... = sum beta[rho] F(rho,y) + sum (beta[pi]-beta[rho]) (F(rho,y)-F(pi,yhat)), printed >=",
     "second >=", settle_tied(step6), where=f"{FROM}, line 2"),
    Line("step7", "sum beta[rho] F(rho,y) = ERR(rho)", "Eq. 10", settle_tied(step7), where=f"{FROM}, line 3"),
    Line("step8", "ERR(pi) - ERR(rho) <= sum (beta[pi]-beta[rho]) (F(rho,y)-F(pi,yhat))", "then", settle_tied(step8),
     IMPLIED, 'Sec. 4.2, Theorem 2, proof: "Then, by the Cauchy-Schwarz inequality"'),
    Line("step9", "sum (beta[pi]-beta[rho]) (F(rho,y)-F(pi,yhat)) <= product of the roots",
     "Cauchy-Schwarz", settle_tied(step9), where='Sec. 4.2, Theorem 2, proof: "by the Cauchy-Schwarz inequality"'),
    proof=PROOF,
)  # fmt: skip
