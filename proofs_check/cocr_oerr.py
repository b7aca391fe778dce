"""COCR, Sec. 4.3 and 5.3: from Theorem 2 to the optimistic ERR cost (Eq. 13), and to NDCG.

Notation of cocr_theorem2. P_i(rho, y) = prod_{j < rho(i)} (1 - R(y[psi(j)])), so F_i = R P_i.

The derivation, line by line:

    1  rankers are strong, r(x_i) near y_i: then pi is close to rho, thus P_i(rho, y) ~ P_i(pi, yhat)
    2  (F_i(rho,y) - F_i(pi,yhat))^2 ~ (((2^y_i - 1)/2^K - (2^(2^K) - 1)/2^K) P_i)^2      with r(x_i) = k
    3  ... is proportional to (2^y_i - 2^k)^2
    4  hence c_i[k] = (2^y_i - 2^k)^2; when it is minimised, each (F_i(rho,y) - F_i(pi,yhat))^2 is
       approximately minimised                                                                  (Eq. 13)

What becomes of it when ~ is read as =:

    1  equal orderings do not make equal products: y = 3 and yhat = 4 in the first place change every later
       product from 9/16 to 1/16. All products agree only when no document but the last one of both orderings
       is misrated (variant-optimism).
    2  the exponent 2^K must be k; then it is an equality wherever the products agree (the row `cocr.oerr`).
    3  the factor (P_i / 2^K)^2 is not the same for all documents; as P_i <= 1, sum oERR / 4^K is an upper
       bound where they agree.
    4  without the optimism the sum of the squares is not bounded by that of the costs, and ties alone keep it
       above 0: for y = yhat = (1, 1), pi and rho may order the two documents differently. With ties broken
       alike a perfect prediction has the value 0 (variant-ties-kept).

The cost needs none of this: new.err_oerr bounds the ERR error by the root of its sum, for every ranker.

"Equivalent to an NDCG-targeted cost" (Sec. 5.3): its sum is the second factor in line 5 of McRank's Lemma 1
(variant-ndcg), so it bounds the DCG error too, with another constant (variant-dcg-bound). For NDCG each
query's sum is to be divided by the square of its ideal DCG, which one cost for all queries does not do.

What is said of the shape of the cost: `cocr_oerr_shape`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import lcm

import numpy as np

from proofs_check.cocr_theorem2 import MAX_GRADE, by_document, stops, stops_of_documents
from proofs_check.exact import at, dcg_error, reciprocal, relevance_gain, steps
from proofs_check.instances import Rankings, with_ties
from proofs_check.records import Comparison, Row
from proofs_check.search import settle
from refrank.cocr.costs import oerr

PAPER = "COCR"
ONE = 2**MAX_GRADE


def products(y_in_order: np.ndarray) -> np.ndarray:
    """P at each position for labels in the order of a ranking, times 2^(K (N - 1)), (m, n)."""
    gain = relevance_gain(y_in_order)
    n = gain.shape[1]
    product = np.empty_like(gain)
    so_far = np.ones(len(gain), dtype=gain.dtype)
    for i in range(n):
        product[:, i] = so_far * ONE ** (n - 1 - i)
        so_far = so_far * (ONE - gain[:, i])
    return product


def products_of_documents(y: np.ndarray, position: np.ndarray) -> np.ndarray:
    """P_i(rho, y) for document i standing at position[i], times 2^(K (N - 1)), (m, n)."""
    return by_document(products, y, position)


def agree(r: Rankings) -> np.ndarray:
    """Where P_i(rho, y) = P_i(pi, yhat), (m, n)."""
    return products_of_documents(r.y, r.g) == products(r.y_hat)


def stopping_difference(r: Rankings) -> np.ndarray:
    """F_i(rho,y) - F_i(pi,yhat), times 2^(K N), (m, n)."""
    return stops_of_documents(r.y, r.g) - stops(r.y_hat)


def costs(r: Rankings) -> np.ndarray:
    """Eq. 13 at the predicted grade, (m, n)."""
    grades = np.arange(MAX_GRADE + 1)
    return oerr(grades, MAX_GRADE)[r.y.astype(np.int64), r.y_hat.astype(np.int64)].astype(r.y.dtype)


# ---- the derivation ----


def equal_where_products_agree(r: Rankings) -> Iterator[Comparison]:
    """Line 2 with k for 2^K, document by document."""
    yield from line2(r, r.y_hat)


def step1(r: Rankings) -> Iterator[Comparison]:
    """Equal orderings make equal products."""
    same = (r.g == np.arange(1, r.n + 1)).all(axis=1)
    true, predicted = products_of_documents(r.y, r.g), products(r.y_hat)
    for i in range(r.n):
        label = f"P_{i + 1}(rho,y) and P_{i + 1}(pi,yhat)"
        yield only(same, Comparison(true[:, i], predicted[:, i], "==", unit=ONE ** (r.n - 1), label=label))


def step2(r: Rankings) -> Iterator[Comparison]:
    """As printed: the exponent of the predicted gain is 2^K, whatever is predicted."""
    yield from line2(r, np.full_like(r.y_hat, 2**MAX_GRADE))


def line2(r: Rankings, exponent: np.ndarray) -> Iterator[Comparison]:
    """|F_i(rho,y) - F_i(pi,yhat)| = |2^y_i - 2^exponent_i| P_i / 2^K wherever the products agree."""
    difference, product, same = abs(stopping_difference(r)), products(r.y_hat), agree(r)
    gains = abs(relevance_gain(r.y) - relevance_gain(exponent))
    for i in range(r.n):
        comparison = Comparison(difference[:, i], gains[:, i] * product[:, i], "==", unit=ONE**r.n)
        yield only(same[:, i], comparison)


def step3(r: Rankings) -> Comparison:
    """Proportional, over the documents of a query: with one factor for all."""
    same = agree(r).all(axis=1)
    unit = ONE ** (2 * (r.n - 1))
    return only(same, Comparison((stopping_difference(r) ** 2).sum(axis=1), unit * costs(r).sum(axis=1), "==",
                                 unit=ONE ** (2 * r.n)))  # fmt: skip


def step4(r: Rankings) -> Comparison:
    """A prediction with oERR cost 0 has stopping probabilities without error."""
    return only(r.errors == 0, unbounded(r))


def upper_bound(r: Rankings) -> Comparison:
    """Sum (F_i(rho,y) - F_i(pi,yhat))^2 <= sum oERR / 4^K where all products agree."""
    return only(agree(r).all(axis=1), unbounded(r))


def unbounded(r: Rankings) -> Comparison:
    """The same without the optimism."""
    left = (stopping_difference(r) ** 2).sum(axis=1)
    return Comparison(left, ONE ** (2 * (r.n - 1)) * costs(r).sum(axis=1), unit=ONE ** (2 * r.n))


def optimism(r: Rankings) -> Comparison:
    """All products agree: then at most one document is misrated."""
    return only(agree(r).all(axis=1), Comparison(r.errors, np.ones(r.m, dtype=np.int64)))


def misrated_last(r: Rankings) -> Iterator[Comparison]:
    """All products agree: then no document but the last of both orderings is misrated."""
    same = agree(r).all(axis=1)
    for i in range(r.n):
        before = (r.g[:, i] < r.n) | (i < r.n - 1)
        yield only(same & before, Comparison(abs(r.y[:, i] - r.y_hat[:, i]), np.zeros(r.m, dtype=np.int64)))


def ties_kept(r: Rankings) -> Comparison:
    """Yhat = y, and rho breaks ties as pi does (instances: `rankings`)."""
    left = (stopping_difference(r) ** 2).sum(axis=1)
    return only(r.errors == 0, Comparison(left, np.zeros_like(left), "=="))


def only(where: np.ndarray, c: Comparison) -> Comparison:
    """The comparison at the instances `where` the premise holds; elsewhere 0 on both sides."""
    left, right = (np.where(where, side, 0) for side in (c.left, c.right))
    return Comparison(left, right, c.relation, squared=c.squared, unit=c.unit, label=c.label)


# ---- DCG ----


def ndcg_cost(r: Rankings) -> Comparison:
    """Sum of the costs = second factor of McRank, Lemma 1, line 5, squared."""
    gains = relevance_gain(r.y) - relevance_gain(r.y_hat)
    return Comparison(costs(r).sum(axis=1), (gains**2).sum(axis=1), "==")


def dcg_bound(r: Rankings) -> Iterator[Comparison]:
    """(DCG_g - DCG_pi)^2 <= sum (c_[g_i] - c_[pi_i])^2 sum oERR for c_i = 1/i and the step discounts."""
    for c in (*steps(r.n).astype(r.y.dtype), reciprocal(r.n)):
        left = dcg_error(r.y, c)
        distance = ((at(c, r.g) - c) ** 2).sum(axis=1)
        unit = lcm(*range(1, r.n + 1)) if c[-1] else 1
        yield Comparison(left**2, distance * costs(r).sum(axis=1), squared=True, unit=unit)


# ---- the table ----

DIFFERENCE = "sum (F_i(rho,y)-F_i(pi,yhat))^2"
PROOF = "docs/errata.md, COCR Sec. 4.3"
tied = partial(settle, instances=with_ties)

ROWS = [
    Row("cocr.oerr", PAPER, "(F_i(rho,y)-F_i(pi,yhat))^2 = (P_i/2^K)^2 (2^y_i - 2^k)^2, given optimism: "
        "P_i(rho,y) = P_i(pi,yhat)", "line 2 with exponent k", tied(equal_where_products_agree)),
    Row("cocr.oerr.step1", PAPER, "pi = rho gives P_i(rho,y) = P_i(pi,yhat)", "optimism, read as =",
        tied(step1)),
    Row("cocr.oerr.step2", PAPER, "(F_i(rho,y)-F_i(pi,yhat))^2 = (P_i/2^K)^2 (2^y_i - 2^(2^K))^2, given "
        "optimism",         "exponent as printed", tied(step2)),
    Row("cocr.oerr.step3", PAPER, f"4^K {DIFFERENCE} = sum (2^y_i - 2^k)^2, given optimism",
        "one factor for all documents", tied(step3)),
    Row("cocr.oerr.step4", PAPER, f"sum oERR = 0 gives {DIFFERENCE} = 0", "Eq. 13", tied(step4)),
    Row("cocr.oerr.variant-optimism", PAPER, "all P_i(rho,y) = P_i(pi,yhat) gives at most one misrated "
        "document",         "what optimism takes", tied(optimism), PROOF),
    Row("cocr.oerr.variant-optimism-last", PAPER,
        "all P_i(rho,y) = P_i(pi,yhat): only the last document of both orderings may be misrated",
        "what optimism takes", tied(misrated_last), PROOF),
    Row("cocr.oerr.variant-upper-bound", PAPER, f"4^K {DIFFERENCE} <= sum oERR, given optimism", "P_i <= 1",
        tied(upper_bound), PROOF),
    Row("cocr.oerr.variant-unoptimistic", PAPER, f"4^K {DIFFERENCE} <= sum oERR", "without optimism",
        settle(unbounded)),
    Row("cocr.oerr.variant-ties-kept", PAPER, f"sum oERR = 0 gives {DIFFERENCE} = 0, ties broken alike",
        "ties", settle(ties_kept)),
    Row("cocr.oerr.variant-ndcg", PAPER, "sum oERR = sum (2^y - 2^yhat)^2 of McRank, Lemma 1, line 5",
        "Sec. 5.3", settle(ndcg_cost)),
    Row("cocr.oerr.variant-dcg-bound", PAPER,
        "DCG_g - DCG_pi <= (sum (c_g - c_pi)^2)^(1/2) (sum oERR)^(1/2)", "Sec. 5.3", tied(dcg_bound)),
]  # fmt: skip
