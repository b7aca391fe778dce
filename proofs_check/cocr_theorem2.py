"""COCR, Theorem 2 (Sec. 4.2): the ERR error is bounded by positions times stopping probabilities.

Documents 1..N have labels y_i in {0..K}; pi orders them by yhat[i] = r(x_i), ties in any order; rho is a
perfect ordering. pi(i), rho(i) are the positions of document i, sigma and psi the inverses; beta[i] = 1/i,

    F_i(pi, y) = R(y[i]) prod_{j < pi(i)} (1 - R(y[sigma(j)])),   R(y) = (2^y - 1) / 2^K,
    ERR(pi) = sum_i beta[pi(i)] F_i(pi, y)                                                       (Eq. 10)

As printed. rho is such that y_rho(i) is a non-increasing sequence. Then

    ERR(pi) - ERR(rho)
        <= (sum (beta[rho(i)] - beta[pi(i)])^2)^(1/2) (sum (F_i(rho,y) - F_i(pi,yhat))^2)^(1/2).

For a perfect rho the left side is never positive: the inequality is true and says nothing. To the letter,
y_rho(i) is the label at the index rho(i), which is not the label at position i; such a rho need not be
perfect, and then the printed inequality is false (variant-literal). What is meant, and what Sec. 4.3 uses, is

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

Line 4 is false; line 5, which is drawn from it, is true: summed with the weights beta[pi(i)], Eq. 12 does
hold (variant-eq12-summed). Line 6 is an equality. Line 8 turns the chain around; the way the chain goes
(variant-chain) it gives variant-intended. So the intended theorem is true, for another reason than the one
given, and for every ordering rho, perfect or not (variant-any-rho).

Real-valued predictions do no harm (variant-real-valued) but for one premise: lines 2 and 3 need
R(yhat) <= 1, that is yhat <= log2(2^K + 1), and a regressor that predicts more breaks them
(variant-overshoot). The variants are in `cocr_theorem2_mended`; the proof of what is true stands in
docs/errata.md.

How it is checked. Everything is rational: F in units of 2^(-K N), beta in units of 1/lcm(1..N).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from proofs_check.exact import at, err, err_unit, reciprocal, relevance_gain
from proofs_check.instances import Rankings, with_ties
from proofs_check.records import Comparison, Row
from proofs_check.search import settle

PAPER = "COCR"
MAX_GRADE = 4


def stops(y_in_order: np.ndarray) -> np.ndarray:
    """F at each position for labels in the order of a ranking, times 2^(K N), (m, n).

    >>> stops(np.array([[4, 4]])).tolist()  # 15/16, and 1/16 * 15/16, in units of 1/256
    [[240, 15]]
    """
    return stops_by_relevance(relevance_gain(y_in_order), 2**MAX_GRADE)


def stops_by_relevance(r_in_order: np.ndarray, one: int) -> np.ndarray:
    """F at each position for relevances R in units of 1/one, times one^N, (m, n)."""
    n = r_in_order.shape[1]
    stop = np.empty_like(r_in_order)
    not_stopped = np.ones(len(r_in_order), dtype=r_in_order.dtype)
    for i in range(n):
        stop[:, i] = not_stopped * r_in_order[:, i] * one ** (n - 1 - i)
        not_stopped = not_stopped * (one - r_in_order[:, i])
    return stop


def stops_of_documents(y: np.ndarray, position: np.ndarray) -> np.ndarray:
    """F_i(rho, y) for document i standing at position[i], times 2^(K N), (m, n)."""
    return by_document(stops, y, position)


def by_document(of: Callable[[np.ndarray], np.ndarray], y: np.ndarray, position: np.ndarray) -> np.ndarray:
    """A quantity of the labels in the order of a ranking, handed back to the documents, (m, n)."""
    place = np.broadcast_to(position, y.shape).astype(np.int64) - 1
    in_order = np.empty_like(y)
    np.put_along_axis(in_order, place, y, axis=1)
    return np.take_along_axis(of(in_order), place, axis=1)


def unit(n: int) -> int:
    """The common denominator of beta F, and of ERR."""
    return 2**MAX_GRADE * err_unit(n, MAX_GRADE)


# ---- the theorem ----


def as_printed(r: Rankings) -> Comparison:
    difference = err(r.y, MAX_GRADE) - err_at(r.y, r.g)
    return Comparison(difference * abs(difference), product_of_squares(r), squared=True, unit=unit(r.n))


def intended(r: Rankings) -> Comparison:
    difference = err_at(r.y, r.g) - err(r.y, MAX_GRADE)
    return Comparison(difference * abs(difference), product_of_squares(r), squared=True, unit=unit(r.n))


def err_at(y: np.ndarray, position: np.ndarray) -> np.ndarray:
    """ERR(rho) by Eq. 10, times `unit`, (m,): rho need not be perfect."""
    return (at(reciprocal(y.shape[1]), position) * stops_of_documents(y, position)).sum(axis=1)


def product_of_squares(r: Rankings) -> np.ndarray:
    """The right side of Theorem 2, squared, times unit^2, (m,)."""
    positions, stopping = differences(r)
    return (positions**2).sum(axis=1) * (stopping**2).sum(axis=1)


def differences(r: Rankings) -> tuple[np.ndarray, np.ndarray]:
    """beta[pi(i)] - beta[rho(i)] and F_i(rho,y) - F_i(pi,yhat), each (m, n)."""
    beta = reciprocal(r.n)
    return beta - at(beta, r.g), stops_of_documents(r.y, r.g) - stops(r.y_hat)


# ---- the printed proof ----


def step1(r: Rankings) -> Comparison:
    beta, predicted = reciprocal(r.n), stops(r.y_hat)
    right = (beta * predicted).sum(axis=1) + (beta * (stops(r.y) - predicted)).sum(axis=1)
    return Comparison(err(r.y, MAX_GRADE), right, "==")


def step2(r: Rankings) -> Iterator[Comparison]:
    predicted = stops(r.y_hat)
    for i in range(r.n):
        earlier = predicted[:, max(i - 1, 0)]
        yield Comparison(predicted[:, i], earlier, unit=2 ** (MAX_GRADE * r.n))


def step3(r: Rankings) -> Comparison:
    beta, predicted = reciprocal(r.n), stops(r.y_hat)
    left = (at(beta, r.g) * predicted).sum(axis=1)
    return Comparison(left, (beta * predicted).sum(axis=1), unit=unit(r.n))


def step4(r: Rankings) -> Iterator[Comparison]:
    along_rho, along_pi = stops_of_documents(r.y, r.g), stops(r.y)
    for i in range(r.n):
        label = f"F_{i + 1}(rho,y) and F_{i + 1}(pi,y)"
        yield Comparison(along_rho[:, i], along_pi[:, i], unit=2 ** (MAX_GRADE * r.n), label=label)


def step5(r: Rankings) -> Comparison:
    return Comparison(after_eq12(r), err(r.y, MAX_GRADE), unit=unit(r.n))


def step6(r: Rankings) -> Comparison:
    """Printed as >=."""
    return Comparison(after_eq12(r), err_at(r.y, r.g) + inner_product(r), "==")


def step7(r: Rankings) -> Comparison:
    return Comparison(err_at(r.y, r.g), err(-np.sort(-r.y, axis=1), MAX_GRADE), "==")


def step8(r: Rankings) -> Comparison:
    return Comparison(err(r.y, MAX_GRADE) - err_at(r.y, r.g), inner_product(r), unit=unit(r.n))


def step9(r: Rankings) -> Comparison:
    inner = inner_product(r)
    return Comparison(inner * abs(inner), product_of_squares(r), squared=True, unit=unit(r.n))


def after_eq12(r: Rankings) -> np.ndarray:
    """Sum beta[rho(i)] F_i(pi,yhat) + sum beta[pi(i)] (F_i(rho,y) - F_i(pi,yhat)), times unit, (m,)."""
    beta, predicted = reciprocal(r.n), stops(r.y_hat)
    along_rho = stops_of_documents(r.y, r.g)
    return (at(beta, r.g) * predicted + beta * (along_rho - predicted)).sum(axis=1)


def inner_product(r: Rankings) -> np.ndarray:
    """Sum (beta[pi(i)] - beta[rho(i)]) (F_i(rho,y) - F_i(pi,yhat)), times unit, (m,)."""
    positions, stopping = differences(r)
    return (positions * stopping).sum(axis=1)


# ---- the table ----


def says_nothing() -> bool:
    """Whether no right side is below the largest possible left side, which is 0."""
    groups = [group for n in (1, 2, 3) for group in with_ties(n)]
    largest = max(int((err(r.y, MAX_GRADE) - err_at(r.y, r.g)).max()) for r in groups)
    return largest <= 0 <= min(int(product_of_squares(r).min()) for r in groups)


RIGHT = "(sum (beta[rho]-beta[pi])^2)^(1/2) (sum (F(rho,y)-F(pi,yhat))^2)^(1/2)"
PROOF = "docs/errata.md, COCR Theorem 2"
tied = partial(settle, instances=with_ties)

ROWS = [
    Row("cocr.theorem2", PAPER, f"ERR(pi) - ERR(rho) <= {RIGHT}, rho perfect", "",
        tied(as_printed, vacuous=says_nothing)),
    Row("cocr.theorem2.step1", PAPER,
        "ERR(pi) = sum beta[pi] F(pi,yhat) + sum beta[pi] (F(pi,y)-F(pi,yhat))", "split", tied(step1)),
    Row("cocr.theorem2.step2", PAPER, "F_i(pi,yhat) is non-decreasing with beta[pi(i)]", "monotone",
        tied(step2)),
    Row("cocr.theorem2.step3", PAPER, "sum beta[pi] F(pi,yhat) >= sum beta[rho] F(pi,yhat)", "Eq. 11",
        tied(step3)),
    Row("cocr.theorem2.step4", PAPER, "F_i(pi,y) >= F_i(rho,y) for all i", "Eq. 12", tied(step4)),
    Row("cocr.theorem2.step5", PAPER,
        "ERR(pi) >= sum beta[rho] F(pi,yhat) + sum beta[pi] (F(rho,y)-F(pi,yhat))", "first >=", tied(step5),
        PROOF),
    Row("cocr.theorem2.step6", PAPER, "... = sum beta[rho] F(rho,y) + "
        "sum (beta[pi]-beta[rho]) (F(rho,y)-F(pi,yhat)), printed >=", "second >=", tied(step6)),
    Row("cocr.theorem2.step7", PAPER, "sum beta[rho] F(rho,y) = ERR(rho)", "Eq. 10", tied(step7)),
    Row("cocr.theorem2.step8", PAPER,
        "ERR(pi) - ERR(rho) <= sum (beta[pi]-beta[rho]) (F(rho,y)-F(pi,yhat))", "then", tied(step8)),
    Row("cocr.theorem2.step9", PAPER,
        "sum (beta[pi]-beta[rho]) (F(rho,y)-F(pi,yhat)) <= product of the roots", "Cauchy-Schwarz",
        tied(step9)),
]  # fmt: skip
