"""Mohan et al., Definition of ERR: the expected reciprocal rank of the document at which the user stops.

    ERR = sum_i (1/i) R_i prod_{j < i} (1 - R_j),   R = (2^y - 1)/2^K

Let each document satisfy the user independently, with probability R. Then ERR is E[1/T], T the first place of a
satisfying document, and 1/T = 0 if there is none: an expectation over 2^n sets of documents, which the bare row adds
up. With a cut-off k, documents below place k do not matter (variant-cut-off). Exchanges are those of
new.err_below_rr_dcg.step1.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import reciprocal, truncated
from proofs_check.engine.exact import err, relevance_gain, stops, unit
from proofs_check.engine.instances import Rankings, in_order_of_pi
from proofs_check.engine.records import IMPLIED, OURS, Line, table
from proofs_check.engine.search import settle


def first_of_the_satisfying(r: Rankings) -> Comparison:
    """Compare ERR with E[1/T] over all sets of documents that satisfy the user."""
    gain, c = relevance_gain(r.y), reciprocal(r.n)
    expected = np.zeros_like(gain[:, 0])
    for satisfies in product((True, False), repeat=r.n):
        chance = np.where(np.array(satisfies), gain, r.scale - gain).prod(axis=1)
        if any(satisfies):
            expected = expected + chance * c[satisfies.index(True)]
    return Comparison(err(r.y, r.scale), expected, "==", unit=unit(r.n, r.scale))


def cut_off(r: Rankings) -> Iterator[Comparison]:
    """Set the labels below place k to 0."""
    for k in range(1, r.n + 1):
        left = (truncated(reciprocal(r.n), k) * stops(r.y, r.scale)).sum(axis=1)
        right = err(np.where(np.arange(r.n) < k, r.y, 0), r.scale)
        yield Comparison(left, right, "==", unit=unit(r.n, r.scale), label=f"k={k}")


over_orders = partial(settle, instances=in_order_of_pi)
WORDS = 'App. A: "goes through the documents in order of increasing rank and stops the moment he/she is satisfied"'
ROWS = table("igbrt.err", "iGBRT",
    Line("", "ERR = E[1/T], T the first place of a satisfying document", "definition",
     over_orders(first_of_the_satisfying), IMPLIED, WORDS),
    Line("variant-cut-off", "with a cut-off k, labels behind place k play no part", "k", over_orders(cut_off)),
    source=OURS,
)  # fmt: skip
