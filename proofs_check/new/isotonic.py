"""New: the distance of the gains from a non-increasing sequence bounds the error, for any predictions.

z_i are the gains in the order of pi, pava(z) the non-increasing sequence closest to z in squares (isotonic regression,
by pooling adjacent violators), c non-increasing. Then

    DCG_g - DCG_pi <= K |z - pava(z)|,     K^2 = sum_i (c_i - c_{n+1-i})^2.

Proof: pi sorts by f = pava(z), with ties; so the bound by the regression error holds for this f
(cossock_zhang.thm2.variant-sharp, p = 2), and no f by which pi sorts has a smaller right side. The right side depends
on the ranking alone. If c_1 > c_n it is 0 exactly for a perfect ranking (variant-zero).

The same holds in the other norms: with (c_1 - c_n) min_f sum |z_i - f_i| (variant-l1), and with sum |c_i - c_{n+1-i}|
times half of the largest rise max_{i < j} (z_j - z_i) (variant-sup). For ERR take c_i = 1/i and divide by 2^K.

Attained for every n and c, for real gains: let z_i = c_{n+1-i} - c_i, which rises. Then pava(z) is the mean, 0, and
both sides are sum z_i^2 (variant-attained).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import lcm

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import integer_discounts, name, reciprocal
from proofs_check.engine.exact import dcg_error, err_error, relevance_gain, unit
from proofs_check.engine.instances import Cases, Rankings, in_order_of_pi
from proofs_check.engine.records import OURS, Line, table
from proofs_check.engine.search import settle, settle_cases
from proofs_check.mcrank.cossock_zhang_thm2 import absolute_distance, isotonic_distance, largest_drop
from proofs_check.new.min_pairing import pairing


def isotonic(r: Rankings) -> Iterator[Comparison]:
    """Claim the bound, squared and times lcm(1..n), the unit of the pooled means."""
    parts = lcm(*range(1, r.n + 1))
    for c in integer_discounts(r.n):
        left = parts * dcg_error(r.y, c).astype(object) ** 2
        yield Comparison(left, pairing(c) * distance(r), squared=True, label=name(c))


def distance(r: Rankings) -> np.ndarray:
    """Compute |z - pava(z)|^2 times lcm(1..n), Python integers, (m,)."""
    parts = lcm(*range(1, r.n + 1))
    return np.array([isotonic_distance(row, parts) for row in relevance_gain(r.y)], dtype=object)


def only_of_perfect(r: Rankings) -> Comparison:
    """Claim that the distance is 0 exactly if the gains do not rise."""
    perfect = (np.diff(r.y, axis=1) <= 0).all(axis=1)
    return Comparison((distance(r) == 0).astype(int), perfect.astype(int), "==")


def absolute(r: Rankings) -> Iterator[Comparison]:
    least = absolute_distance(relevance_gain(r.y), relevance_gain(np.arange(r.max_grade + 1)))
    for c in integer_discounts(r.n):
        yield Comparison(dcg_error(r.y, c), (c[0] - c[-1]) * least, label=name(c))


def largest(r: Rankings) -> Iterator[Comparison]:
    rise = np.array([largest_drop(row) for row in relevance_gain(r.y)], dtype=r.y.dtype)
    for c in integer_discounts(r.n):
        yield Comparison(2 * dcg_error(r.y, c), abs(c - c[::-1]).sum() * rise, label=name(c))


def err_bound(r: Rankings) -> Comparison:
    """Claim ERR_g - ERR_pi <= (K_n / 2^K) |z - pava(z)|, squared."""
    parts, scale = lcm(*range(1, r.n + 1)), r.scale ** (2 * r.n - 2)
    left = parts * err_error(r.y, r.scale).astype(object) ** 2
    right = int(pairing(reciprocal(r.n))) * scale * distance(r)
    return Comparison(left, right, squared=True, unit=unit(r.n, r.scale))


def rising(n: int) -> Iterator[Cases]:
    """Yield the gains z_i = c_{n+1-i} - c_i in the order of pi, one line per discount."""
    c = np.array(integer_discounts(n))
    yield Cases({"z": c[:, ::-1] - c, "c": c})


def attained(cases: Cases) -> Comparison:
    """Claim (DCG_g - DCG_pi)^2 = K^2 |z - pava(z)|^2, times lcm(1..n)."""
    z, c = cases.columns["z"].astype(object), cases.columns["c"].astype(object)
    parts = lcm(*range(1, z.shape[1] + 1))
    left = parts * ((z[:, ::-1] - z) * c).sum(axis=1) ** 2
    right = [pairing(discount) * isotonic_distance(gain, parts) for discount, gain in zip(c, z, strict=True)]
    return Comparison(left, np.array(right, dtype=object), "==", squared=True)


over_orders = partial(settle, instances=in_order_of_pi)
PROOF = "docs/prove/bounds.md, Isotonic distance"
ROWS = table("new.isotonic", "new",
    Line("", "DCG_g - DCG_pi <= (sum (c_i - c_{n+1-i})^2)^(1/2) |z - pava(z)|", "", over_orders(isotonic)),
    Line("variant-zero", "the right side is 0 exactly for a perfect ranking", "c_1 > c_n",
     over_orders(only_of_perfect)),
    Line("variant-attained", "an equality for real gains z_i = c_{n+1-i} - c_i, every n", "tightness",
     settle_cases(attained, rising, 12)),
    Line("variant-l1", "DCG_g - DCG_pi <= (c_1 - c_n) min_f sum |z_i - f_i|", "L1", over_orders(absolute)),
    Line("variant-sup", "DCG_g - DCG_pi <= sum |c_i - c_{n+1-i}| max_{i < j} (z_j - z_i) / 2", "largest rise",
     over_orders(largest)),
    Line("variant-err", "ERR_g - ERR_pi <= (K_n/16) |z - pava(z)|", "ERR", over_orders(err_bound)),
    source=OURS, proof=PROOF,
)  # fmt: skip
