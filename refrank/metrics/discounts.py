"""The discount of each position: McRank Sec. 2, Eq. 2.

    symbol    in code     shape
    c_[i]     discount    (n_positions,), weight of position i = 1, 2, ...
    L         k

Metrics, bounds and LambdaRank read this one table. A discount is rounded twice: its logarithm to the nearest float64,
and one division. It therefore has the same bits on every machine.
"""

from functools import lru_cache

import numpy as np

from refrank.arrays import Floats
from refrank.metrics.logarithms import round_logarithms
from refrank.metrics.spec import Discount

SHORTEST_TABLE = 64


def tabulate_discounts(n_positions: int, k: int | None = None, discount: Discount = "log2(1+i)") -> Floats:
    """Return c_[i] for i = 1..n_positions, McRank Eq. 2, (n_positions,): read-only where no position is truncated.

    Positions beyond the truncation level k have discount 0; None: all positions count. `MetricSpec` lists the rules.
    """
    length = max(SHORTEST_TABLE, 1 << max(n_positions - 1, 0).bit_length())  # few lengths: each table serves many calls
    # Paper is silent: the base of the logarithm. It cancels in NDCG; base 2 makes c_[1] = 1.
    table = _compute_table(length, discount)[:n_positions]
    if k is None or k >= n_positions:
        return table
    # McRank Eq. 2: c_[i] = 1/log(1+i) if i <= L, and 0 if i > L
    return np.concatenate((table[:k], np.zeros(n_positions - k)))


@lru_cache(maxsize=16)
def _compute_table(length: int, discount: Discount) -> Floats:
    logarithms = round_logarithms(length + 1, "e" if discount == "ln(1+i)" else "2")
    if discount == "letor":  # 1 for i = 1, and log2(i)
        logarithms = [1.0, *logarithms[:-1]]
    table = 1.0 / np.array(logarithms)
    table.flags.writeable = False
    return table
