"""iGBRT of a port: ERR of the perfect ranking (Mohan et al. App. A)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from proofs_check.engine.instances import Rankings, batch
from proofs_check.engine.strategies import some_ranking, with_order
from proofs_check.ports.check import Claim, PortCheck

REVERSED = batch(np.array([[0, 4]]), np.array([[0, 0]]))


def perfect_ranker(err: Callable, ranked: tuple[Rankings, list]) -> Iterator[Claim]:
    r, order = ranked
    y = r.y[0].astype(np.int64)  # (n,)
    # ERR of one query is at most 1 and a sum of at most 25 products of 25 factors: 25 * 26 roundings of it
    yield Claim(err(y, np.array(order, dtype=float)), "<=", err(y, y.astype(float)), 25 * 26 * 2.0**-53, "ERR")


CHECKS = (
    PortCheck(
        "igbrt.perfect_ranker",
        "ERR is largest when documents are ranked by label",
        ("err",),
        {"ranked": with_order(some_ranking(min_n=1, max_n=25))},
        perfect_ranker,
        first=({"ranked": (REVERSED, [1, 0])},),
    ),
)
