"""Chen, Liu, Lan, Ma and Li 2009: 1 - NDCG is bounded by a sequence of classification errors, the essential loss.

A ranking is seen as n - 1 tasks. In task s the documents at the places s, ..., n of the perfect ranking g remain; the
task is wrong (W_s = 1) if one with a lower label than the s-th precedes it in pi. z_s is the gain at place s of
g, c the discounts. In the abstract's words, the essential loss is "the weighted sum of the classification errors of
individual tasks in the sequence"; the weights for NDCG are restated here:

    1 - NDCG <= (1 / DCG_g) sum_{s < n} z_s c_s W_s.

Proof, with ties of g in the order of pi:

    1  if W_s = 0, only documents at places before s of g precede the s-th in pi: it is at place s or before
    2  so DCG_pi >= sum_{W_s = 0} z_s c_s

A wrong document still has c_n, so c_s - c_n can replace c_s (variant-sharp). This is attained by one relevant
document, ranked last.

The losses above it (the paper: "both an upper bound of the measure-based ranking errors, and a lower bound of the loss
functions"), for scores f by which pi sorts:

    W_s <= sum_{j: y_j < y_(s)} log2(1 + e^-(f_(s) - f_j))                                   pairwise, RankNet
    W_s <= log2 sum_{t >= s} e^(f_(t) - f_(s))                                               listwise, ListMLE

as a wrong task has a document j with f_j >= f_(s), whose term is at least 1; with that of t = s, two terms are >= 1.

For ERR: ERR_pi >= sum_i F_i(g) / pi_i (COCR Eq. 12, summed), F_i(g) the probability of a stop at document i in the
order of g. The same two lines then give ERR_g - ERR_pi <= sum_{s < n} F_s(g) (1/s - 1/n) W_s (variant-err).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import logarithmic, name, reciprocal, steps
from proofs_check.engine.exact import UNIT, dcg_error, err_error, ideal, relevance_gain, stops, unit
from proofs_check.engine.instances import Rankings, in_order_of_pi
from proofs_check.engine.records import CITED, OURS, Line, table
from proofs_check.engine.search import settle, settle_tied


def along_g(values: np.ndarray, r: Rankings) -> np.ndarray:
    """Rearrange values of the documents, (m, n) in the order of pi, into the order of g."""
    arranged = np.empty_like(values)
    np.put_along_axis(arranged, r.g.astype(np.int64) - 1, values, axis=1)
    return arranged


def wrong_tasks(r: Rankings) -> np.ndarray:
    """Compute W_s, (m, n): whether a later document of g, with a lower label, precedes the s-th in pi."""
    y = along_g(r.y, r)
    place = along_g(np.broadcast_to(np.arange(r.n), r.y.shape).astype(r.y.dtype), r)
    wrong = np.zeros_like(y)
    for s in range(r.n - 1):
        ahead = (place[:, s + 1 :] < place[:, s : s + 1]) & (y[:, s + 1 :] < y[:, s : s + 1])
        wrong[:, s] = ahead.any(axis=1)
    return wrong


def essential(r: Rankings) -> Iterator[Comparison]:
    """Claim the bound, times DCG_g."""
    weighted = relevance_gain(ideal(r.y)) * wrong_tasks(r)
    for c in steps(r.n):
        yield Comparison(dcg_error(r.y, c), (weighted * c).sum(axis=1), label=name(c))


def sharp(r: Rankings) -> Iterator[Comparison]:
    weighted = relevance_gain(ideal(r.y)) * wrong_tasks(r)
    for c in steps(r.n):
        yield Comparison(dcg_error(r.y, c), (weighted * (c - c[-1])).sum(axis=1), label=name(c))


def step1(r: Rankings) -> Iterator[Comparison]:
    """Claim that the s-th document of g is at place s or before if W_s = 0; ties of g in the order of pi."""
    place = along_g(np.broadcast_to(np.arange(1, r.n + 1), r.y.shape).astype(r.y.dtype), r)
    wrong = wrong_tasks(r).astype(bool)
    for s in range(r.n):
        there = np.full_like(place[:, s], s + 1)
        yield Comparison(place[:, s], there, label=f"s={s + 1}").keep_only(~wrong[:, s])


def step2(r: Rankings) -> Iterator[Comparison]:
    right_tasks = relevance_gain(ideal(r.y)) * (1 - wrong_tasks(r))
    for c in steps(r.n):
        yield Comparison((right_tasks * c).sum(axis=1), (relevance_gain(r.y) * c).sum(axis=1), label=name(c))


def err_tasks(r: Rankings) -> Comparison:
    """Claim ERR_g - ERR_pi <= sum F_s(g) (1/s - 1/n) W_s."""
    c = reciprocal(r.n)
    right = (stops(ideal(r.y), r.scale) * (c - c[-1]) * wrong_tasks(r)).sum(axis=1)
    return Comparison(err_error(r.y, r.scale), right, unit=unit(r.n, r.scale))


# ---- the losses above it, in floats: pi sorts by f = yhat ----


def pairwise(f: np.ndarray, y: np.ndarray, s: int) -> np.ndarray:
    """Compute sum_{y_j < y_(s)} log2(1 + e^-(f_(s) - f_j)), (m,); f and y in the order of g."""
    apart = f[:, s : s + 1] - f[:, s + 1 :]
    return (np.logaddexp(0, -apart) / np.log(2) * (y[:, s + 1 :] < y[:, s : s + 1])).sum(axis=1)


def listwise(f: np.ndarray, y: np.ndarray, s: int) -> np.ndarray:
    """Compute log2 sum_{t >= s} e^(f_(t) - f_(s)), (m,)."""
    return np.logaddexp.reduce(f[:, s:] - f[:, s : s + 1], axis=1) / np.log(2)


def below(loss: Callable[[np.ndarray, np.ndarray, int], np.ndarray]) -> Callable[[Rankings], Comparison]:
    """Build the claim that sum z_s c_s W_s is at most the same with a loss for W_s, c_i = 1/log2(1+i)."""

    def claim(r: Rankings) -> Comparison:
        f, y = along_g(r.y_hat, r).astype(float), along_g(r.y, r).astype(float)
        weight = relevance_gain(ideal(r.y)).astype(float) * logarithmic(r.n)
        losses = np.stack([loss(f, y, s) for s in range(r.n)], axis=1)
        right = (weight * losses)[:, : r.n - 1].sum(axis=1)
        left = (weight * wrong_tasks(r).astype(float)).sum(axis=1)
        # at most n^2 terms, each of four factors that carry at most 3 roundings
        return Comparison(left, right, slack=r.n**2 * 12 * UNIT * (1 + right))

    return claim


PROOF = "docs/prove/ndcg_bounds.md, A sequence of classification tasks"
FIRST = 'Chen et al. 2009, Abstract: "an upper bound of the measure-based ranking errors"'
SECOND = 'Chen et al. 2009, Abstract: "a lower bound of the loss functions in the aforementioned methods"'
ROWS = table("ndcg.essential_loss", "Chen et al.",
    Line("", "1 - NDCG <= sum_{s < n} z_s c_s W_s / DCG_g, any non-increasing c >= 0", "", settle_tied(essential)),
    Line("step1", "W_s = 0: the s-th document of g is at place s of pi or before", "one task",
     settle(step1), OURS),
    Line("step2", "DCG_pi >= sum of z_s c_s over the tasks that are right", "the others have c >= 0",
     settle_tied(step2), OURS),
    Line("variant-sharp", "1 - NDCG <= sum_{s < n} z_s (c_s - c_n) W_s / DCG_g", "the others have c_n", settle(sharp)),
    Line("variant-pairwise", "sum z_s c_s W_s <= sum_s z_s c_s sum_{y_j < y_(s)} log2(1 + e^-(f_(s) - f_j))",
     "pairwise losses", settle(below(pairwise)), CITED, SECOND),
    Line("variant-listwise", "sum z_s c_s W_s <= sum_s z_s c_s log2 sum_{t >= s} e^(f_(t) - f_(s))",
     "ListMLE", settle(below(listwise)), CITED, SECOND),
    Line("variant-err", "ERR_g - ERR_pi <= sum_{s < n} F_s(g) (1/s - 1/n) W_s", "ERR",
     settle(err_tasks, instances=in_order_of_pi)),
    source=CITED, where=FIRST, proof=PROOF,
)  # fmt: skip
