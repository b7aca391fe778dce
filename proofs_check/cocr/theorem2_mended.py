"""COCR, Theorem 2: other readings of the printed text, and the true statements.

    position     "F_i represents the probability of a user stopping at position i": it is at document i
    literal      y_rho(i) non-increasing, with rho(i) a position as printed
    chain        line 8 in the direction of the chain
    eq12-summed  the part of Eq. 12 that line 5 needs: let each document satisfy the user with probability R(y_i),
                 independently; the first satisfying one in the order of pi has the largest beta[pi(.)] of all that
                 satisfy, so the first one in the order of rho has no larger one; take expectations
    intended     ERR(rho) - ERR(pi) <= the right side of Theorem 2
    any-rho      the same for every ordering rho: the proof never uses that rho is perfect
    real-valued  the same for real predictions with R(yhat) <= 1; overshoot: Eq. 11 above that

`theorem2` has the printed lines and the notation, docs/reference/errata.md the proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from proofs_check.cocr.theorem2 import PROOF, RIGHT, as_printed, inner_product, intended, step3
from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import at, reciprocal
from proofs_check.engine.exact import by_document, err, err_at, ideal, stops, stops_by_relevance, unit
from proofs_check.engine.instances import Rankings, grade_vectors, sorted_grades
from proofs_check.engine.records import PRINTED, Line, table
from proofs_check.engine.search import settle, settle_cases, settle_tied


def chain(r: Rankings) -> Comparison:
    return Comparison(err_at(r.y, r.g, r.scale) - err(r.y, r.scale), -inner_product(r), unit=unit(r.n, r.scale))


def eq12_summed(r: Rankings) -> Comparison:
    beta = reciprocal(r.n)
    left = (beta * by_document(stops, r.y, r.g, r.scale)).sum(axis=1)
    return Comparison(left, err(r.y, r.scale), unit=unit(r.n, r.scale))


def at_position(r: Rankings) -> Iterator[Comparison]:
    """Compare F_i with the probability of stopping at position i, for rho."""
    along_rho = by_document(stops, r.y, r.g, r.scale)
    at_place = stops(ideal(r.y), r.scale)
    for i in range(r.n):
        label = f"F_{i + 1}(rho,y) and position {i + 1}"
        yield Comparison(along_rho[:, i], at_place[:, i], "==", unit=r.scale**r.n, label=label)


def any_rho(n: int, max_grade: int) -> Iterator[Rankings]:
    """Yield all labels, all predictions, and every permutation in place of g."""
    y = grade_vectors(n, max_grade)
    for position in permutations(range(1, n + 1)):
        for y_hat in sorted_grades(n, range(max_grade + 1)):
            g = np.broadcast_to(np.array(position), y.shape)
            yield Rankings(y, np.broadcast_to(y_hat, y.shape), g, max_grade)


def literal_rho(n: int, max_grade: int) -> Iterator[Rankings]:
    """Yield all orderings rho with y_rho(1) >= ... >= y_rho(n), rho(i) being a position, as printed."""
    ordered = sorted_grades(n, range(max_grade + 1))
    values, y_hat = np.repeat(ordered, len(ordered), axis=0), np.tile(ordered, (len(ordered), 1))
    for rho in permutations(range(1, n + 1)):
        y_of_index = np.empty_like(values)
        y_of_index[:, np.array(rho) - 1] = values  # index rho(i) has the i-th largest label
        for index_at in permutations(range(n)):  # the index of the document at each position of pi
            position = np.array(rho)[list(index_at)]
            yield Rankings(y_of_index[:, index_at], y_hat, np.broadcast_to(position, y_hat.shape), max_grade)


def real_valued(r: Rankings) -> Comparison:
    """Compare both sides; `y_hat` holds the predicted 2^yhat - 1 in halves (instances: `real_predictions`)."""
    beta = reciprocal(r.n)
    positions = beta - at(beta, r.g)
    stopping = 2**r.n * by_document(stops, r.y, r.g, r.scale) - stops_by_relevance(r.y_hat, 2 * r.scale)
    difference = 2**r.n * (err_at(r.y, r.g, r.scale) - err(r.y, r.scale))
    right = (positions**2).sum(axis=1) * (stopping**2).sum(axis=1)
    return Comparison(difference * abs(difference), right, squared=True, unit=2**r.n * unit(r.n, r.scale))


def real_predictions(n: int) -> Iterator[Rankings]:
    """Yield the rankings of `with_ties`, with predicted gains between the grades', below 0 and up to R(yhat) = 1."""
    along_g, y_hat = sorted_grades(n), sorted_grades(n, (32, 31, 22, 9, 5, 1, 0, -1))
    for g in permutations(range(1, n + 1)):
        position = np.array(g)
        yield Rankings(
            np.repeat(along_g[:, position - 1], len(y_hat), axis=0),
            np.tile(y_hat, (len(along_g), 1)),
            np.broadcast_to(position, (len(along_g) * len(y_hat), n)),
        )


def overshooting(n: int) -> Iterator[Rankings]:
    """Yield predictions up to 6 while K = 4: nothing keeps a sum of regressors below K."""
    y_hat = sorted_grades(n, (0, 1, 2, 3, 4, 5, 6))
    for position in permutations(range(1, n + 1)):
        yield Rankings(np.zeros_like(y_hat), y_hat, np.broadcast_to(np.array(position), y_hat.shape))


ROWS = table("cocr.theorem2", "COCR",
    Line("variant-position", "F_i(rho,y) is the probability of stopping at position i",
     "what F_i means", settle_tied(at_position), PRINTED,
     'Sec. 4.2: "The term F_i represents the probability of a user stopping at position i"'),
    Line("variant-literal", f"ERR(pi) - ERR(rho) <= {RIGHT}, y_rho(i) non-increasing",
     "y_rho(i) to the letter", settle(as_printed, instances=literal_rho, largest=3, climbing=False), PRINTED,
     'Sec. 4.2, Theorem 2: "a perfect ordering rho such that y_rho(i) is a non-increasing sequence"'),
    Line("variant-intended", f"ERR(rho) - ERR(pi) <= {RIGHT}", "direction", settle_tied(intended)),
    Line("variant-chain", "ERR(rho) - ERR(pi) <= sum (beta[rho]-beta[pi]) (F(rho,y)-F(pi,yhat))",
     "step8 as the chain goes", settle_tied(chain)),
    Line("variant-eq12-summed", "sum beta[pi] F(pi,y) >= sum beta[pi] F(rho,y)",
     "what step5 needs of Eq. 12", settle_tied(eq12_summed)),
    Line("variant-any-rho", f"ERR(rho) - ERR(pi) <= {RIGHT}, any ordering rho",
     "rho need not be perfect", settle(intended, instances=any_rho, largest=4, climbing=False)),
    Line("variant-real-valued", f"ERR(rho) - ERR(pi) <= {RIGHT}, yhat real, R(yhat) <= 1",
     "soft ranker", settle_cases(real_valued, real_predictions, 4)),
    Line("variant-overshoot", "Eq. 11 with predictions up to 6 while K = 4",
     "premise R(yhat) <= 1", settle_cases(step3, overshooting, 5)),
    proof=PROOF,
)  # fmt: skip
