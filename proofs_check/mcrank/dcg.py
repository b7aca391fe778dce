"""McRank, Eq. 2: three identities of DCG; an implementation that satisfies all of them is right.

    DCG = sum_i c_[pi_i] (2^y_i - 1),   c_[i] = 1/log(1+i) for i <= L, else 0

The base of the logarithm is open: it scales all c alike. Three identities, for any c:

    DCG = sum_t 2^(t-1) sum_{y_i >= t} c_[pi_i]                                     as 2^y - 1 = sum_{t <= y} 2^(t-1)
    exchanging the documents at places i < j adds (c_i - c_j) (2^y_j - 2^y_i)                          variant-exchange
    with c_i = 0 for i > L, the labels below place L do not matter                                      variant-cut-off

The exchange checks gain and discount separately: gains y or 1[y > 0], discounts 1 or 1/log(2+i) fail it, although a
bound from above may hold for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import integer_discounts, name, steps, truncated
from proofs_check.engine.exact import relevance_gain
from proofs_check.engine.instances import Rankings, in_order_of_pi
from proofs_check.engine.records import OURS, Line, table
from proofs_check.engine.search import settle
from proofs_check.losses.lambdarank import swap_identity


def by_thresholds(r: Rankings) -> Iterator[Comparison]:
    for c in steps(r.n):
        dcg = (relevance_gain(r.y) * c).sum(axis=1)
        parts = sum(2 ** (t - 1) * ((r.y >= t) * c).sum(axis=1) for t in range(1, r.max_grade + 1))
        yield Comparison(dcg, parts, "==", label=name(c))


def cut_off(r: Rankings) -> Iterator[Comparison]:
    """Set the labels below place L to 0."""
    for c in integer_discounts(r.n):
        for level in range(1, r.n + 1):
            cut = truncated(c, level)
            shown = np.where(np.arange(r.n) < level, r.y, 0)
            left, right = ((relevance_gain(y) * of).sum(axis=1) for y, of in ((r.y, cut), (shown, c)))
            yield Comparison(left, right, "==", label=f"L={level}, {name(c)}")


over_orders = partial(settle, instances=in_order_of_pi)
ROWS = table("mcrank.dcg", "McRank",
    Line("", "DCG = sum_t 2^(t-1) sum_{y_i >= t} c_[pi_i]", "gains 2^y - 1", over_orders(by_thresholds)),
    Line("variant-exchange", "exchanging places i < j adds (c_i - c_j) (2^y_j - 2^y_i) to DCG", "any two documents",
     over_orders(swap_identity)),
    Line("variant-cut-off", "with c_i = 0 for i > L, labels behind place L play no part", "L", over_orders(cut_off)),
    source=OURS,
)  # fmt: skip
