"""Claims of McRank about Table 1 and Figure 1, as differences of a run.

    claim                                                              where
    ordinal > classification > regression > LambdaRank at L = 10       Table 1, Sec. 6.3
    LAD is "considerably worse than the least-square tree boost"       Sec. 5
    the same order at every truncation level                           Figure 1, Sec. 6.4

A run has a few polynomials or folds: it prints differences and their intervals, and no verdict. Verdicts are those of
`refrank.reproduce.replication`, on more training sets, by the same differences.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from refrank.arrays import Floats
from refrank.reproduce.intervals import is_significant
from refrank.reproduce.mcrank.rankers import RANKERS, TRUNCATIONS
from refrank.reproduce.tables import write_table
from refrank.reproduce.verdicts import Differences, judge_claims, write_intervals

Levels = Mapping[str, Floats]  # ranker -> NDCG of the queries of one run at L = 1..10, (n_queries, 10)

# McRank Table 1, then Sec. 5
ORDERS = (*pairwise(RANKERS), ("ordinal", "regression"), ("regression", "LAD"))
# McRank Sec. 6.3 calls it "considerably": ordinal classification above regression, on the artificial data
CONSIDERABLE = 85.0 - 82.9
BY_LEVEL = (("ordinal", "classification"), ("classification", "regression"), ("ordinal", "regression"))


def measure_claims(levels: Levels) -> Differences:
    """Measure, in percent, the differences that the claims say are positive, for each query of one run."""

    def compare(above: str, below: str, level: int) -> Floats:
        return 100 * (levels[above][:, level - 1] - levels[below][:, level - 1])

    # McRank Table 1
    differences = {f"{above} above {below}": compare(above, below, 10) for above, below in ORDERS}
    # McRank Sec. 5: "considerably worse than the least-square tree boost"
    considerably = f"regression above LAD by more than {CONSIDERABLE:.1f}"
    differences[considerably] = compare("regression", "LAD", 10) - CONSIDERABLE
    # McRank Fig. 1: the order at the first level, where it is closest
    return differences | {f"{above} above {below}, L = 1": compare(above, below, 1) for above, below in BY_LEVEL}


def write_claims(runs: Sequence[Levels], kind: str) -> list[str]:
    """Write a line per claim, and the differences at every level; one run per polynomial or fold, the kind of them."""
    rows = [("", ["mean", "over queries", f"over {kind}"])]
    rows += [(f"  {of.claim}", write_intervals(of, 2)) for of in judge_claims([measure_claims(run) for run in runs])]
    joined = {name: 100 * np.vstack([run[name] for run in runs]) for name in runs[0]}
    return [
        "the paper's claims, at L = 10 if nothing else is said: mean difference, and 95% intervals by t",
        *write_table(rows, 42, 20),
        f'  {CONSIDERABLE:.1f} points: ordinal above regression in the paper\'s Table 1, "considerably" (Sec. 6.3)',
        "  a verdict needs more training sets: docs/learn/verdicts.md",
        "",
        *write_levels(joined),
    ]


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
            reversed_orders.append(
                f"  {below} leads {above} at L = {levels}: on these queries, the paper's order is reversed"
            )
    return [
        "Figure 1 in differences; * where the paired t-test over the queries finds one at the 5% level (single tests)",
        *write_table(rows, 34, 7),
        *(reversed_orders or ["  on these queries, no order is significantly reversed at any level"]),
    ]
