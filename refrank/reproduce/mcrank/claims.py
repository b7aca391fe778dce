"""Claims of McRank about Table 1 and Figure 1, tested on a run: each claim with a difference and a verdict.

    claim                                                              where
    ordinal > classification > regression > LambdaRank at L = 10       Table 1, Sec. 6.3
    LAD is "considerably worse than the least-square tree boost"       Sec. 5
    the same order at every truncation level                           Figure 1, Sec. 6.4

A claim holds if the whole 95% interval of the paired difference is above 0. So the choice of queries is not the reason;
the choice of polynomial may be, so the polynomials with a positive difference are counted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from refrank.arrays import Floats
from refrank.reproduce.intervals import compute_difference, is_significant
from refrank.reproduce.mcrank.rankers import RANKERS, TRUNCATIONS
from refrank.reproduce.tables import write_table

Levels = Mapping[str, Floats]  # ranker -> NDCG of the queries of one run at L = 1..10, (n_queries, 10)

# McRank Table 1, then Sec. 5
ORDERS = (*pairwise(RANKERS), ("ordinal", "regression"), ("regression", "LAD"))
# McRank Sec. 6.3 calls it "considerably": ordinal classification above regression, on the artificial data
CONSIDERABLE = 85.0 - 82.9
BY_LEVEL = (("ordinal", "classification"), ("classification", "regression"), ("ordinal", "regression"))


def write_claims(runs: Sequence[Levels]) -> list[str]:
    """Write a line per claim at L = 10, and the differences at every level; one run per polynomial or fold."""
    joined = {name: 100 * np.vstack([run[name] for run in runs]) for name in runs[0]}
    heading = "difference, paired 95% interval over the queries, runs in which it is positive"
    lines = [f"the paper's claims at L = 10: {heading}"]
    # McRank Table 1
    for above, below in ORDERS:
        difference = compute_difference(joined[above][:, -1], joined[below][:, -1])
        positive = sum(bool(run[above][:, -1].mean() > run[below][:, -1].mean()) for run in runs)
        claim = f"{above} above {below}"
        lines.append(f"  {claim:32}{difference!s:>24}   {positive} of {len(runs)}   {difference.verdict}")
    # McRank Sec. 5: "considerably worse than the least-square tree boost"
    lad = compute_difference(joined["regression"][:, -1], joined["LAD"][:, -1])
    verdict = replace(lad, low=lad.low - CONSIDERABLE, high=lad.high - CONSIDERABLE).verdict
    lines.append(f'  LAD is "considerably worse" (Sec. 5), by more than {CONSIDERABLE:.1f} points: {verdict}')
    lines.append(
        '    so far is ordinal classification above regression in the paper, "considerably" (Sec. 6.3, Table 1)'
    )
    return [*lines, "", *write_levels(joined)]


def write_levels(joined: Levels) -> list[str]:
    """Write Figure 1 as differences at each truncation level, and where its order is reversed."""
    rows, reversed_orders = [("  L =", [f"{level} " for level in TRUNCATIONS])], []
    for above, below in BY_LEVEL:
        a, b = joined[above].T, joined[below].T  # (10, n_queries)
        differences = (a - b).mean(axis=1)
        significant = [is_significant(*columns) for columns in zip(a, b, strict=True)]
        cells = [f"{d:+.1f}{'*' if is_so else ' '}" for d, is_so in zip(differences, significant, strict=True)]
        rows.append((f"  {above} minus {below}", cells))
        led = [str(L) for L, d, is_so in zip(TRUNCATIONS, differences, significant, strict=True) if is_so and d < 0]
        if led:
            levels = ", ".join(led)
            reversed_orders.append(f"  {below} leads {above} at L = {levels}: the paper's order is reversed there")
    return [
        "Figure 1 in differences; * where the paired t-test finds one at the 5% level (single tests)",
        *write_table(rows, 34, 7),
        *(reversed_orders or ["  no order is significantly reversed at any level"]),
    ]
