"""COCR Sec. 5: the claims of its text about its tables and figures, and what the means of runs say on them.

A claim about a base is judged for every base, since the paper's own bases and data are not available.
"""

from itertools import product
from typing import NamedTuple

import numpy as np

from refrank.arrays import Floats
from refrank.metrics import paired_test, summarize
from refrank.reproduce.cocr.figures import average, join_rounds
from refrank.reproduce.cocr.rankers import Column, Results, Way

LEVEL = 0.05  # level of the two-tailed tests


class PrintedClaim(NamedTuple):
    """Words of Sec. 5, their measure, and pairs of ways of which the first is claimed to be above the second."""

    words: str
    measure: str
    pairs: list[tuple[Way, Way]]


CLAIMS = (
    # COCR Sec. 5, claim 1
    # COCR Sec. 5.3, claim 1: "COCR with the squared cost is better than direct regression on all the data sets"
    # COCR Sec. 5.4, claim 3: "almost all COCR settings are significantly better than direct regression"
    # COCR Sec. 5.6, claim 1: "COCR with any type of costs performs significantly better than direct regression"
    PrintedClaim(
        'claim 1, "the proposed COCR framework can outperform a direct use of regression"',
        "err",
        [("absolute", "direct"), ("squared", "direct"), ("oerr", "direct")],  # Tables 1, 5, 7 and 8
    ),
    # COCR Sec. 5, claim 2
    # COCR Sec. 5.3, claim 2: "further boost the ranking performance over the absolute and the squared costs"
    # COCR Sec. 5.4, claim 4: "COCR with oERR cost achieves the best ERR performance on all data sets"
    # COCR Sec. 5.6, claim 2: "a similar or better performance than direct regression or COCR with other costs"
    PrintedClaim(
        'claim 2, the oERR cost can "boost the quality of ranking in terms of the ERR criterion"',
        "err",
        [("oerr", "direct"), ("oerr", "absolute"), ("oerr", "squared")],
    ),
    # COCR Sec. 5.3, claim 4
    PrintedClaim(
        'Sec. 5.3, "COCR with the squared cost is the best of the three settings" (NDCG@10)',
        "ndcg",
        [("squared", "absolute"), ("squared", "oerr")],
    ),
    # COCR Sec. 5.3, claim 3: "COCR with the squared cost is better than the direct regression on all data sets"
    # COCR Sec. 5.4, claim 5: "the squared and the oERR costs perform better than direct regression", absolute too
    PrintedClaim(
        'Sec. 5.3 and 5.4, "the benefit of COCR on improving NDCG" (NDCG@10)',
        "ndcg",
        [("absolute", "direct"), ("squared", "direct"), ("oerr", "direct")],  # Tables 2 and 6
    ),
)


def write_claims(results: Results, tables: dict[str, dict[str, Column]]) -> list[str]:
    """Write what the means of these runs say on each claim of Sec. 5; `tables` holds a column per base and measure."""
    lines = [
        "Sec. 5's claims by the means of our runs; * where a two-tailed test over the queries agrees at the 95% level",
        "(no verdicts: these need several training sets, docs/learn/verdicts.md):",
    ]
    for claim in CLAIMS:
        lines.append(claim.words)
        for name, table in tables.items():
            column = table[claim.measure]
            verdicts = [f"{high} > {low}: {judge(column[high], column[low])}" for high, low in claim.pairs]
            lines.append(f"  {name:15}{'; '.join(verdicts)}")
    return [*lines, *write_overfitting(results), *write_bagging(results)]


def judge(high: Floats, low: Floats) -> str:
    """Describe whether one mean is above the other, and whether the test distinguishes them."""
    difference = summarize(high).mean - summarize(low).mean
    mark = "*" if compute_p_value(high, low) < LEVEL else ""
    return ("equal" if difference == 0 else "yes" if difference > 0 else "no") + mark


def compute_p_value(a: Floats, b: Floats) -> float:
    """Compute the two-tailed p-value, paired by query; equal rankings have p = 1."""
    # Paper is silent: paired or not. Both rankers rank the same queries.
    return 1.0 if np.array_equal(a, b, equal_nan=True) else paired_test(a, b).p_value


def write_overfitting(results: Results) -> list[str]:
    """Write the verdict of Fig. 1 on the smallest M that every fold has enough rows for."""
    common, means = results.list_common_m(), {}
    for way, split in product(("direct", "oerr"), ("train", "test")):
        means[way, split] = average(results.join(f"m5p-{m}", f"{split}_err")[way] for m in common)
    best = {key: common[int(np.argmax(of))] for key, of in means.items()}
    worst = common[int(np.argmin(means["oerr", "test"]))]
    return [
        # COCR Sec. 5.4, claim 1
        'Sec. 5.4, "direct regression with M5P can reach the best test performance on the default value of M = 4"',
        f"  best test ERR at M = {best['direct', 'test']}",
        # COCR Sec. 5.4, claim 2
        'Sec. 5.4, "COCR with the oERR cost can overfit when M = 4": training ERR high, test ERR low',
        f"  highest training ERR at M = {best['oerr', 'train']}, lowest test ERR at M = {worst}",
    ]


def write_bagging(results: Results) -> list[str]:
    """Write at how many points of Fig. 2 COCR is above direct regression."""
    direct, oerr = (average(join_rounds(results.cells["bagging", way])) for way in ("direct", "oerr"))
    n_problems = len(direct) // len(oerr)  # K
    equal_rounds = [ours > direct[t] for t, ours in enumerate(oerr)]
    equal_trees = [ours > direct[n_problems * (t + 1) - 1] for t, ours in enumerate(oerr)]
    return [
        # COCR Sec. 5.5, claim 1
        'Sec. 5.5, "the whole performance curve of COCR is always better than direct regression"',
        f"  oerr > direct at equal rounds: {sum(equal_rounds)} of {len(oerr)}",
        # COCR Sec. 5.5, claim 2
        'Sec. 5.5, "COCR with the oERR cost continues to perform better" with as many trees',
        f"  oerr > direct at equal numbers of trees: {sum(equal_trees)} of {len(oerr)}",
    ]
