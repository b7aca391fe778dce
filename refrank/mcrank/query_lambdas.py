"""Lambdas of all documents, and their derivatives: exact sums over the pairs of each query.

Burges 2010 Sec. 4, of a pair with y_i > y_j, with lambda as the slope up the utility:

    rho       = 1 / (1 + exp(sigma (s_i - s_j)))
    lambda_i += sigma |Delta Z_ij| rho,   lambda_j -= as much
    w_i      += sigma^2 |Delta Z_ij| rho (1 - rho),   and so does w_j

|Delta Z_ij| is the change of NDCG at L if i and j swap positions. Documents of one score have no order: it is the mean
over all their orders. With C as the mean discount of the positions that the documents of a score share,

    |Delta Z_ij| = |g_i - g_j| |C_i - C_j|    of different scores,
                   |g_i - g_j| D              of one score, where two of its discounts differ by D in the mean.

    symbol    in code       shape
    s         scores        (n_samples,)
    g         gains         (n_samples,): (2^y - 1) / DCG_g, or 0 in a query without a relevant document
    c_r       discount      (longest query,): 1/log2(1 + r) at the positions r <= L, else 0
    L         truncation    int
    -         sums          (n_samples, 2) int64: of |Delta Z| rho, with signs, and of |Delta Z| rho (1 - rho)

Each term of a pair is at most 1, and is rounded once, to a multiple of 2^-e with e = 50 - B, for at most 2^B documents
in a query. Sums are integers, so neither the order of documents and pairs nor the threads change a bit.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats, Ints
from refrank.kernel import load_extension
from refrank.mcrank.pairwise_gradients import list_preferred_pairs
from refrank.metrics.discounts import tabulate_discounts
from refrank.metrics.queries import QueryRows, group_rows
from refrank.trees.numbers.exponential import exp

COMPILED = load_extension("refrank.mcrank._pairs")  # None: the specification adds up the pairs


@dataclass(frozen=True, eq=False)
class Preferences:
    """The queries of a training, and what does not change from round to round."""

    queries: QueryRows
    gains: Floats  # (n_samples,), query after query
    discount: Floats
    sigma: float

    def compute_lambdas(self, scores: Floats, n_threads: int) -> tuple[Floats, Floats]:
        """Compute lambda and w at these scores, (n_samples,) each."""
        queries, order = self.queries, self.queries.order
        exponent = find_exponent(len(self.discount))
        ranked = scores if order is None else scores[order]
        add_up = sum_pairs if COMPILED is None else COMPILED.sum_pairs
        starts = np.append(queries.starts, len(ranked))
        sums = add_up(ranked, self.gains, starts, self.discount, self.sigma, exponent, n_threads)
        if order is not None:
            sums[order] = sums.copy()
        slope, curvature = np.ldexp(sums.T.astype(np.float64), -exponent)
        # Burges 2010 Sec. 4: sigma is a factor of lambda, and twice one of its derivative
        return self.sigma * slope, self.sigma * self.sigma * curvature


def prepare_queries(y: Ints, qid: ArrayLike | None, truncation: int, sigma: float) -> Preferences:
    """Group the rows by query, and divide their gains by the ideal DCG, McRank Eq. 3; without ids, all are one query.

    Examples
    --------
    >>> pairs = prepare_queries(np.array([0, 1]), None, truncation=10, sigma=1.0)
    >>> slope, curvature = pairs.compute_lambdas(np.zeros(2), n_threads=1)
    >>> slope.round(4), curvature.round(4)  # NDCG is .6309 or 1, and rho is 1/2
    (array([-0.1845,  0.1845]), array([0.0923, 0.0923]))
    """
    queries = group_rows(qid, len(y))
    discount = tabulate_discounts(int(queries.lengths.max()), truncation)
    gains = np.ldexp(1.0, y[queries.rows]) - 1.0
    for start, n in zip(queries.starts.tolist(), queries.lengths.tolist(), strict=True):
        own = gains[start : start + n]
        ideal = np.cumsum(np.sort(own)[::-1] * discount[:n])[-1]
        own /= ideal or 1.0
    return Preferences(queries, gains, discount, sigma)


def find_exponent(n_documents: int) -> int:
    """Find e, the exponent of the grid of pairs, for queries of at most n_documents."""
    return 50 - (n_documents - 1).bit_length()


def sum_pairs(
    scores: Floats,
    gains: Floats,
    starts: Ints,
    discount: Floats,
    sigma: float,
    exponent: int,
    n_threads: int,
) -> Ints:
    """Add up the pairs of each query, (n_samples, 2): THE SPECIFICATION; the extension equals it in every bit.

    Query q has `scores[starts[q] : starts[q + 1]]`, and as many gains.
    """
    sums = np.zeros((len(scores), 2), np.int64)
    for start, stop in pairwise(starts.tolist()):
        own = slice(start, stop)
        sums[own] = sum_query(scores[own], gains[own], discount[: stop - start], sigma, exponent)
    return sums


def sum_query(scores: Floats, gains: Floats, discount: Floats, sigma: float, exponent: int) -> Ints:
    """Add up the pairs of one query, (n_in_query, 2)."""
    # 1. Descending scores; equal ones in any order, of which nothing depends.
    order = np.argsort(-scores)
    ranked = scores[order]
    firsts = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
    sizes = np.diff(firsts, append=len(scores))
    # 2. The mean discount of each score, and how far two of its discounts are apart.
    # Paper is silent: documents of equal scores. The mean over all their orders.
    tied = [average_discounts(discount[first : first + size]) for first, size in zip(firsts, sizes, strict=True)]
    group = np.empty(len(scores), np.int64)
    group[order] = np.repeat(np.arange(len(firsts)), sizes)
    mean, spread = np.array(tied).T
    # 3. The terms of each pair: below the truncation, no swap changes NDCG.
    better, worse = list_preferred_pairs(gains)
    is_tied = group[better] == group[worse]
    apart = np.where(is_tied, spread[group[better]], np.abs(mean[group[better]] - mean[group[worse]]))
    change = (gains[better] - gains[worse]) * apart
    margin = scores[better] - scores[worse]
    odds = exp(-(sigma * np.abs(margin)))
    share = 1.0 / (1.0 + odds)
    rho = np.where(margin < 0, 1.0, odds) * share
    slope, curvature = (np.rint(np.ldexp(term, exponent)) for term in (change * rho, change * (odds * share * share)))
    # 4. The sums of each document.
    sums = np.zeros((len(scores), 2), np.int64)
    for document, sign in (better, 1), (worse, -1):
        sums[:, 0] += sign * np.bincount(document, slope, len(scores)).astype(np.int64)  # a float64 holds each sum
        sums[:, 1] += np.bincount(document, curvature, len(scores)).astype(np.int64)
    return sums


def average_discounts(discount: Floats) -> tuple[float, float]:
    """Average the discounts that the documents of one score share, and the differences of any two of them."""
    total = apart = 0.0
    last = len(discount) - 1
    for r, c in enumerate(discount.tolist()):
        total += c
        apart += (last - 2 * r) * c
    return total / len(discount), apart / (len(discount) * last // 2) if last else 0.0
