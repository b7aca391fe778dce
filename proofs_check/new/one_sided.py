"""New: too high a prediction costs at the top, too low a one at the bottom.

pi sorts by real predictions f_i of the gains z_i, ties in any order; the documents are numbered in the order of pi, c
is non-increasing, and x_+ = max(x, 0). Then

    DCG_g - DCG_pi <= sum_i [ (c_1 - c_i) (z_i - f_i)_+ + (c_i - c_n) (f_i - z_i)_+ ].

Proof: the left side is at most sum (c_{g_i} - c_i) (z_i - f_i), by rearrangement (cossock_zhang.thm2.step2), and c_n <=
c_{g_i} <= c_1 (step 1).

The L1 bound (c_1 - c_n) sum |z_i - f_i| is never smaller (variant-l1). With c = [i <= L] the right side sums the
excess of predictions among the first L, and their deficit below. It is then an equality for every ranking and one f,
the L-th largest gain for all documents (variant-attained): each document missing from the first L adds its gain above
this f, each one in its place its gain below f, and there are as many of one kind as of the other.

How all real f are covered. For given z, pi and c the right side is convex and piecewise linear in f, with its kinks at
the z_i; so some best non-increasing f takes only values of z. Dynamic programming finds it (variant-real).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import at, integer_discounts, name, reciprocal, steps
from proofs_check.engine.exact import dcg_error, err_error, gain_difference, ideal, relevance_gain, unit
from proofs_check.engine.instances import Rankings, in_order_of_pi
from proofs_check.engine.records import OURS, Line, table
from proofs_check.engine.search import settle, settle_tied


def one_sided(r: Rankings) -> Iterator[Comparison]:
    for c in steps(r.n):
        yield Comparison(dcg_error(r.y, c), right_side(c, gain_difference(r)).sum(axis=1), label=name(c))


def right_side(c: np.ndarray, apart: np.ndarray) -> np.ndarray:
    """Compute the term of each document on the right side, from z_i - f_i, (m, n)."""
    return (c[0] - c) * np.maximum(apart, 0) + (c - c[-1]) * np.maximum(-apart, 0)


def step1(r: Rankings) -> Iterator[Comparison]:
    """Compare document by document."""
    apart = gain_difference(r)
    for c in steps(r.n):
        left, right = (at(c, r.g) - c) * apart, right_side(c, apart)
        for i in range(r.n):
            yield Comparison(left[:, i], right[:, i], label=f"document {i + 1}, {name(c)}")


# ---- every real f ----


def real_valued(r: Rankings) -> Iterator[Comparison]:
    """Claim the bound for the f with the smallest right side."""
    for c in integer_discounts(r.n):
        yield Comparison(dcg_error(r.y, c), least_right_side(r, c), label=name(c))


def least_right_side(r: Rankings, c: np.ndarray) -> np.ndarray:
    """Compute the least right side over all non-increasing f, (m,): a path through the gains, place by place."""
    z, values = relevance_gain(r.y), relevance_gain(np.arange(r.max_grade + 1))
    cost = np.zeros((r.m, len(values)), dtype=z.dtype)  # of the best f so far that ends at each value
    for i in range(r.n):
        from_above = np.minimum.accumulate(cost[:, ::-1], axis=1)[:, ::-1]
        apart = z[:, i : i + 1] - values
        cost = from_above + (c[0] - c[i]) * np.maximum(apart, 0) + (c[i] - c[-1]) * np.maximum(-apart, 0)
    return cost.min(axis=1)


def attained(r: Rankings) -> Iterator[Comparison]:
    """Claim equality for c = [i <= L] and f the L-th largest gain."""
    gain = relevance_gain(ideal(r.y))
    for level, c in enumerate(steps(r.n), start=1):
        apart = relevance_gain(r.y) - gain[:, level - 1 : level]
        yield Comparison(dcg_error(r.y, c), right_side(c, apart).sum(axis=1), "==", label=name(c))


# ---- beside the L1 bound, and ERR ----


def below_l1(r: Rankings) -> Iterator[Comparison]:
    apart = gain_difference(r)
    for c in steps(r.n):
        right = (c[0] - c[-1]) * abs(apart).sum(axis=1)
        yield Comparison(right_side(c, apart).sum(axis=1), right, label=name(c))


def err_bound(r: Rankings) -> Comparison:
    """Claim the bound for ERR, c_i = 1/i, over 2^K."""
    right = right_side(reciprocal(r.n), gain_difference(r)).sum(axis=1) * r.scale ** (r.n - 1)
    return Comparison(err_error(r.y, r.scale), right, unit=unit(r.n, r.scale))


over_orders = partial(settle, instances=in_order_of_pi, climbing=False)
PROOF = "docs/prove/bounds.md, One-sided errors"
ROWS = table("new.one_sided", "new",
    Line("", "DCG_g - DCG_pi <= sum (c_1 - c_i) (z_i - f_i)_+ + (c_i - c_n) (f_i - z_i)_+, f = 2^yhat - 1", "",
     settle(one_sided)),
    Line("step1", "(c_{g_i} - c_i) (z_i - f_i) <= (c_1 - c_i) (z_i - f_i)_+ + (c_i - c_n) (f_i - z_i)_+",
     "one document", settle_tied(step1)),
    Line("variant-real", "the same for every real-valued f", "the best f", over_orders(real_valued)),
    Line("variant-attained", "an equality for every ranking, c = [i <= L], f_i = the L-th largest gain",
     "tightness", over_orders(attained)),
    Line("variant-l1", "the right side is at most (c_1 - c_n) sum |z_i - f_i|", "never above L1", settle(below_l1)),
    Line("variant-err", "ERR_g - ERR_pi <= (1/16) (the right side with c_i = 1/i)", "ERR", settle(err_bound)),
    source=OURS, proof=PROOF,
)  # fmt: skip
