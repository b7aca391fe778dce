"""COCR, Theorem 2: other readings of what is printed, and what is true.

    position     "F_i represents the probability of a user stopping at position i": at document i
    literal      y_rho(i) non-increasing, with rho(i) a position as printed
    chain        line 8 the way the chain goes
    eq12-summed  what line 5 needs of Eq. 12: let each document satisfy the user with probability R(y_i),
                 independently; the first satisfying one in the order of pi has the largest beta[pi(.)] of all
                 that satisfy, so the first one in the order of rho has no larger one; take expectations
    intended     ERR(rho) - ERR(pi) <= the right side of Theorem 2
    any-rho      the same for every ordering rho: the proof nowhere uses that rho is perfect
    real-valued  the same for real predictions with R(yhat) <= 1; overshoot: Eq. 11 above that

`cocr_theorem2` has the printed lines and the notation, docs/errata.md the proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import permutations

import numpy as np

from proofs_check.cocr_theorem2 import (
    MAX_GRADE,
    PAPER,
    RIGHT,
    as_printed,
    err_at,
    inner_product,
    intended,
    step3,
    stops,
    stops_by_relevance,
    stops_of_documents,
    unit,
)
from proofs_check.exact import at, err, reciprocal
from proofs_check.instances import Rankings, grade_vectors, sorted_grades, with_ties
from proofs_check.records import Comparison, Row
from proofs_check.search import settle, settle_up_to


def chain(r: Rankings) -> Comparison:
    return Comparison(err_at(r.y, r.g) - err(r.y, MAX_GRADE), -inner_product(r), unit=unit(r.n))


def eq12_summed(r: Rankings) -> Comparison:
    beta = reciprocal(r.n)
    left = (beta * stops_of_documents(r.y, r.g)).sum(axis=1)
    return Comparison(left, err(r.y, MAX_GRADE), unit=unit(r.n))


def at_position(r: Rankings) -> Iterator[Comparison]:
    """F_i against the probability of stopping at position i, for rho."""
    along_rho = stops_of_documents(r.y, r.g)
    at_place = stops(-np.sort(-r.y, axis=1))
    for i in range(r.n):
        label = f"F_{i + 1}(rho,y) and position {i + 1}"
        yield Comparison(along_rho[:, i], at_place[:, i], "==", unit=2 ** (MAX_GRADE * r.n), label=label)


def any_rho(n: int) -> Iterator[Rankings]:
    """All labels, all predictions, and every permutation in the place of g."""
    y = grade_vectors(n)
    for position in permutations(range(1, n + 1)):
        for y_hat in sorted_grades(n):
            yield Rankings(y, np.broadcast_to(y_hat, y.shape), np.broadcast_to(np.array(position), y.shape))


def literal_rho(n: int) -> Iterator[Rankings]:
    """All orderings rho with y_rho(1) >= ... >= y_rho(n), rho(i) being a position, as printed."""
    ordered = sorted_grades(n)
    values, y_hat = np.repeat(ordered, len(ordered), axis=0), np.tile(ordered, (len(ordered), 1))
    for rho in permutations(range(1, n + 1)):
        y_of_index = np.empty_like(values)
        y_of_index[:, np.array(rho) - 1] = values  # index rho(i) has the i-th largest label
        for index_at in permutations(range(n)):  # the index of the document at each position of pi
            position = np.array(rho)[list(index_at)]
            yield Rankings(y_of_index[:, index_at], y_hat, np.broadcast_to(position, y_hat.shape))


def real_valued(r: Rankings) -> Comparison:
    """`y_hat` holds the predicted 2^yhat - 1 in halves (instances: `real_predictions`)."""
    one, beta = 2 * 2**MAX_GRADE, reciprocal(r.n)
    positions = beta - at(beta, r.g)
    stopping = 2**r.n * stops_of_documents(r.y, r.g) - stops_by_relevance(r.y_hat, one)
    difference = 2**r.n * (err_at(r.y, r.g) - err(r.y, MAX_GRADE))
    right = (positions**2).sum(axis=1) * (stopping**2).sum(axis=1)
    return Comparison(difference * abs(difference), right, squared=True, unit=2**r.n * unit(r.n))


def real_predictions(n: int) -> Iterator[Rankings]:
    """As `with_ties`, with predicted gains between the grades', below 0 and up to R(yhat) = 1."""
    along_g, y_hat = sorted_grades(n), sorted_grades(n, (32, 31, 22, 9, 5, 1, 0, -1))
    for g in permutations(range(1, n + 1)):
        position = np.array(g)
        yield Rankings(
            np.repeat(along_g[:, position - 1], len(y_hat), axis=0),
            np.tile(y_hat, (len(along_g), 1)),
            np.broadcast_to(position, (len(along_g) * len(y_hat), n)),
        )


def overshooting(n: int) -> Iterator[Rankings]:
    """Predictions up to 6 while K = 4: nothing keeps a sum of regressors below K."""
    y_hat = sorted_grades(n, (0, 1, 2, 3, 4, 5, 6))
    for position in permutations(range(1, n + 1)):
        yield Rankings(np.zeros_like(y_hat), y_hat, np.broadcast_to(np.array(position), y_hat.shape))


PROOF = "docs/errata.md, COCR Theorem 2"
tied = partial(settle, instances=with_ties)

ROWS = [
    Row("cocr.theorem2.variant-position", PAPER, "F_i(rho,y) is the probability of stopping at position i",
        "Sec. 4.2, what F_i means", tied(at_position)),
    Row("cocr.theorem2.variant-literal", PAPER, f"ERR(pi) - ERR(rho) <= {RIGHT}, y_rho(i) non-increasing",
        "y_rho(i) to the letter", settle_up_to(3, as_printed, literal_rho)),
    Row("cocr.theorem2.variant-intended", PAPER, f"ERR(rho) - ERR(pi) <= {RIGHT}", "direction",
        tied(intended), PROOF),
    Row("cocr.theorem2.variant-chain", PAPER,
        "ERR(rho) - ERR(pi) <= sum (beta[rho]-beta[pi]) (F(rho,y)-F(pi,yhat))", "step8 as the chain goes",
        tied(chain), PROOF),
    Row("cocr.theorem2.variant-eq12-summed", PAPER, "sum beta[pi] F(pi,y) >= sum beta[pi] F(rho,y)",
        "what step5 needs of Eq. 12", tied(eq12_summed), PROOF),
    Row("cocr.theorem2.variant-any-rho", PAPER, f"ERR(rho) - ERR(pi) <= {RIGHT}, any ordering rho",
        "rho need not be perfect", settle_up_to(4, intended, any_rho), PROOF),
    Row("cocr.theorem2.variant-real-valued", PAPER, f"ERR(rho) - ERR(pi) <= {RIGHT}, yhat real, R(yhat) <= 1",
        "soft ranker", settle_up_to(4, real_valued, real_predictions), PROOF),
    Row("cocr.theorem2.variant-overshoot", PAPER, "Eq. 11 with predictions up to 6 while K = 4",
        "premise R(yhat) <= 1", settle_up_to(5, step3, overshooting)),
]  # fmt: skip
