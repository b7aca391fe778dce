"""COCR, Sec. 4.3 and 5.3: from Theorem 2 to the optimistic ERR cost (Eq. 13), and to NDCG.

The notation is that of `theorem2`, with P_i(rho, y) = prod_{j < rho(i)} (1 - R(y[psi(j)])), so F_i = R P_i.

The derivation, line by line:

    1  rankers are strong, r(x_i) near y_i: then pi is close to rho, thus P_i(rho, y) ~ P_i(pi, yhat)
    2  (F_i(rho,y) - F_i(pi,yhat))^2 ~ (((2^y_i - 1)/2^K - (2^(2^K) - 1)/2^K) P_i)^2      with r(x_i) = k
    3  ... is proportional to (2^y_i - 2^k)^2
    4  hence c_i[k] = (2^y_i - 2^k)^2; when it is minimised, each (F_i(rho,y) - F_i(pi,yhat))^2 is
       approximately minimised                                                                  (Eq. 13)

With = in place of ~:

    1  equal orderings do not make equal products: y = 3 and yhat = 4 in the first place change every later product from
       9/16 to 1/16. All products agree only if no document is misrated, except the last one of both orderings
       (variant-optimism).
    2  the exponent 2^K must be k; then line 2 is an equality wherever the products agree (the row `cocr.oerr`).
    3  the factor (P_i / 2^K)^2 differs between documents; as P_i <= 1, sum oERR / 4^K is an upper bound where the
       products agree.
    4  without the optimism, the sum of the squares is not bounded by that of the costs, and ties alone keep it above 0:
       for y = yhat = (1, 1), pi and rho may order the two documents differently. If ties are broken in the same way, a
       perfect prediction has the value 0 (variant-ties-kept).

The cost needs none of this: new.err_oerr bounds the ERR error by the root of its sum, for every ranker.

"Equivalent to an NDCG-targeted cost" (Sec. 5.3): the sum of the costs is the second factor in line 5 of McRank's Lemma
1 (variant-ndcg), so it bounds the DCG error, too, with another constant (variant-dcg-bound). NDCG divides each query's
sum by the square of its ideal DCG, which one cost for all queries does not do.

`oerr_shape` checks the statements on the shape of the cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import lcm

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import discount_difference, reciprocal, steps
from proofs_check.engine.exact import (
    by_document,
    dcg_error,
    gain_difference,
    looks,
    relevance_gain,
    stops,
)
from proofs_check.engine.instances import Rankings
from proofs_check.engine.records import CITED, IMPLIED, PRINTED, Line, table
from proofs_check.engine.search import settle, settle_tied
from refrank.cocr.costs import oerr


def agree(r: Rankings) -> np.ndarray:
    """Find where P_i(rho, y) = P_i(pi, yhat), (m, n)."""
    return by_document(looks, r.y, r.g, r.scale) == looks(r.y_hat, r.scale)


def stopping_difference(r: Rankings) -> np.ndarray:
    """Compute F_i(rho,y) - F_i(pi,yhat), times 2^(K N), (m, n)."""
    return by_document(stops, r.y, r.g, r.scale) - stops(r.y_hat, r.scale)


def costs(r: Rankings) -> np.ndarray:
    """Look up Eq. 13 at the predicted grade, (m, n)."""
    grades = np.arange(r.max_grade + 1)
    return oerr(grades, r.max_grade)[r.y.astype(np.int64), r.y_hat.astype(np.int64)].astype(r.y.dtype)


# ---- the derivation ----


def equal_where_products_agree(r: Rankings) -> Iterator[Comparison]:
    """Claim line 2 with k for 2^K, document by document."""
    yield from line2(r, r.y_hat)


def step1(r: Rankings) -> Iterator[Comparison]:
    """Claim that equal orderings make equal products."""
    same = (r.g == np.arange(1, r.n + 1)).all(axis=1)
    true, predicted = by_document(looks, r.y, r.g, r.scale), looks(r.y_hat, r.scale)
    for i in range(r.n):
        label = f"P_{i + 1}(rho,y) and P_{i + 1}(pi,yhat)"
        yield Comparison(true[:, i], predicted[:, i], "==", unit=r.scale ** (r.n - 1), label=label).keep_only(same)


def step2(r: Rankings) -> Iterator[Comparison]:
    """Claim line 2 as printed: the exponent of the predicted gain is 2^K for any prediction."""
    yield from line2(r, np.full_like(r.y_hat, r.scale))


def line2(r: Rankings, exponent: np.ndarray) -> Iterator[Comparison]:
    """Claim |F_i(rho,y) - F_i(pi,yhat)| = |2^y_i - 2^exponent_i| P_i / 2^K wherever the products agree."""
    difference, product, same = abs(stopping_difference(r)), looks(r.y_hat, r.scale), agree(r)
    gains = abs(relevance_gain(r.y) - relevance_gain(exponent))
    for i in range(r.n):
        yield Comparison(difference[:, i], gains[:, i] * product[:, i], "==", unit=r.scale**r.n).keep_only(same[:, i])


def step3(r: Rankings) -> Comparison:
    """Claim proportionality over the documents of a query, with one factor for all."""
    return replace(unbounded(r), relation="==").keep_only(agree(r).all(axis=1))


def step4(r: Rankings) -> Comparison:
    """Claim that a prediction with oERR cost 0 has correct stopping probabilities."""
    return unbounded(r).keep_only(r.errors == 0)


def upper_bound(r: Rankings) -> Comparison:
    """Claim sum (F_i(rho,y) - F_i(pi,yhat))^2 <= sum oERR / 4^K where all products agree."""
    return unbounded(r).keep_only(agree(r).all(axis=1))


def unbounded(r: Rankings) -> Comparison:
    """Claim the same without the optimism."""
    left = (stopping_difference(r) ** 2).sum(axis=1)
    return Comparison(left, r.scale ** (2 * (r.n - 1)) * costs(r).sum(axis=1), unit=r.scale ** (2 * r.n))


def optimism(r: Rankings) -> Comparison:
    """Claim that at most one document is misrated where all products agree."""
    return Comparison(r.errors, np.ones(r.m, dtype=np.int64)).keep_only(agree(r).all(axis=1))


def misrated_last(r: Rankings) -> Iterator[Comparison]:
    """Claim that only the last document of both orderings is misrated where all products agree."""
    same = agree(r).all(axis=1)
    for i in range(r.n):
        before = (r.g[:, i] < r.n) | (i < r.n - 1)
        yield Comparison(abs(r.y[:, i] - r.y_hat[:, i]), np.zeros(r.m, dtype=np.int64)).keep_only(same & before)


def ties_kept(r: Rankings) -> Comparison:
    """Claim no error for yhat = y if rho breaks ties as pi does (instances: `rankings`)."""
    left = (stopping_difference(r) ** 2).sum(axis=1)
    return Comparison(left, np.zeros_like(left), "==").keep_only(r.errors == 0)


# ---- DCG ----


def ndcg_cost(r: Rankings) -> Comparison:
    """Claim that the sum of the costs is the second factor of McRank, Lemma 1, line 5, squared."""
    # COCR Sec. 5.3, claim 5: "the oERR cost is known to be equivalent to an NDCG-targeted cost"
    return Comparison(costs(r).sum(axis=1), (gain_difference(r) ** 2).sum(axis=1), "==")


def dcg_bound(r: Rankings) -> Iterator[Comparison]:
    """Claim (DCG_g - DCG_pi)^2 <= sum (c_[g_i] - c_[pi_i])^2 sum oERR for c_i = 1/i and the step discounts."""
    for c in (*steps(r.n).astype(r.y.dtype), reciprocal(r.n)):
        left = dcg_error(r.y, c)
        distance = (discount_difference(c, r) ** 2).sum(axis=1)
        unit = lcm(*range(1, r.n + 1)) if c[-1] else 1
        yield Comparison(left**2, distance * costs(r).sum(axis=1), squared=True, unit=unit)


# ---- the table ----

DIFFERENCE = "sum (F_i(rho,y)-F_i(pi,yhat))^2"
PROOF = "docs/reference/errata.md, COCR Sec. 4.3"
SIMILAR = 'Sec. 4.3: "If the ranker predicts r(x_i) = k, (F_i(rho, y) - F_i(pi, yhat))^2 ~ ..."'
MINIMISED = 'Sec. 4.3: "when the optimistic ERR cost is minimized, each ... is approximately minimized"'
STRONG = 'Sec. 4.3: "the ordering pi introduced by r will be close to the ordering rho ... Thus, ... ~ ..."'
KNOWN = 'Sec. 5.3: "the oERR cost is known to be equivalent to an NDCG-targeted cost"'

ROWS = table("cocr.oerr", "COCR",
    Line("", "(F_i(rho,y)-F_i(pi,yhat))^2 = (P_i/2^K)^2 (2^y_i - 2^k)^2, given optimism: P_i(rho,y) = P_i(pi,yhat)",
     "line 2 with exponent k", settle_tied(equal_where_products_agree), where=SIMILAR),
    Line("step1", "pi = rho gives P_i(rho,y) = P_i(pi,yhat)", "optimism, read as =", settle_tied(step1), where=STRONG),
    Line("step2", "(F_i(rho,y)-F_i(pi,yhat))^2 = (P_i/2^K)^2 (2^y_i - 2^(2^K))^2, given optimism",
     "exponent as printed", settle_tied(step2, every_grade=False), PRINTED, SIMILAR),
    Line("step3", f"4^K {DIFFERENCE} = sum (2^y_i - 2^k)^2, given optimism",
     "one factor for all documents", settle_tied(step3), where=SIMILAR),
    Line("step4", f"sum oERR = 0 gives {DIFFERENCE} = 0", "Eq. 13", settle_tied(step4), where=MINIMISED),
    Line("variant-optimism", "all P_i(rho,y) = P_i(pi,yhat) gives at most one misrated document",
     "what optimism takes", settle_tied(optimism)),
    Line("variant-optimism-last", "all P_i(rho,y) = P_i(pi,yhat): only the last document of both orderings may be "
     "misrated", "what optimism takes", settle_tied(misrated_last)),
    Line("variant-upper-bound", f"4^K {DIFFERENCE} <= sum oERR, given optimism", "P_i <= 1", settle_tied(upper_bound)),
    Line("variant-unoptimistic", f"4^K {DIFFERENCE} <= sum oERR", "without optimism", settle(unbounded)),
    Line("variant-ties-kept", f"sum oERR = 0 gives {DIFFERENCE} = 0, ties broken alike", "ties", settle(ties_kept)),
    Line("variant-ndcg", "sum oERR = sum (2^y - 2^yhat)^2 of McRank, Lemma 1, line 5", "Sec. 5.3", settle(ndcg_cost),
     CITED, KNOWN),
    Line("variant-dcg-bound", "DCG_g - DCG_pi <= (sum (c_g - c_pi)^2)^(1/2) (sum oERR)^(1/2)",
     "Sec. 5.3", settle_tied(dcg_bound), IMPLIED, KNOWN),
    source=IMPLIED, proof=PROOF,
)  # fmt: skip
