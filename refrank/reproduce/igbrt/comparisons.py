"""Paired t-tests over the test queries between methods of iGBRT's Table 3."""

from collections.abc import Sequence

import numpy as np

from refrank.arrays import Floats
from refrank.metrics import count_needed_queries, find_resolved_difference, paired_test, summarize
from refrank.reproduce.igbrt.runs import TASKS, Sizes
from refrank.reproduce.igbrt.tables import FoldResults
from refrank.reproduce.intervals import compute_t_interval
from refrank.reproduce.tables import Row, write_table

# The claims of Sec. 1 and 7 about Table 3, pair by pair: (method, task) minus (method, task)
PAIRS = (
    *(((method, "C"), (method, "R")) for method in ("GBRT", "RF", "iGBRT")),
    *((("RF", task), ("GBRT", task)) for task in TASKS),
    *((("iGBRT", task), (other, task)) for task in TASKS for other in ("RF", "GBRT")),
)
RESOLVED = 0.002  # about the size of the differences of the paper's methods


def write_tests(results: Sequence[FoldResults], sizes: Sizes) -> list[str]:
    """Write the mean difference of each pair, its interval and p-value; folds of one collection are joined."""
    joined = len(results) > 1 and all(result.name.startswith("Fold") for result in results)
    groups = {"all folds": results} if joined else {result.name: [result] for result in results}
    lines = []
    for name, folds in groups.items():  # (2, n_queries) ERR and NDCG@10 of each method and task
        queries = {key: np.concatenate([of.queries[key] for of in folds], axis=1) for key in folds[0].queries}
        n_queries = queries["RF", "R"].shape[1]
        rows: list[Row] = [("", ["ERR", "NDCG@10"])]
        for a_key, b_key in PAIRS:
            cells = [compare(a, b) for a, b in zip(queries[a_key], queries[b_key], strict=True)]
            rows.append((f"{' '.join(a_key)} - {' '.join(b_key)}", cells))
        lines += [
            f"Paired t-tests, two-sided, {n_queries:,} test queries of {name}, convention {sizes.convention}:",
            "mean difference [95% interval over the queries] p",
            *write_table(rows, 20, 38),
        ]
        spread = max(summarize(queries[a_key][0] - queries[b_key][0]).sd for a_key, b_key in PAIRS)
        if spread > 0:
            resolved, needed = find_resolved_difference(n_queries, spread), count_needed_queries(RESOLVED, spread)
            lines += [
                f"The largest standard deviation of a difference in ERR is {spread:.3f}: given the",
                f"training rows, in 80% of cases these {n_queries:,} queries tell a difference of {resolved:.4f};",
                f"{RESOLVED} needs {needed:,}. Other training rows can change it by more: docs/learn/verdicts.md.",
            ]
    return lines


def compare(a: Floats, b: Floats) -> str:
    """Write mean, interval and p-value of a - b, (n_queries,) each; no interval if all differences are equal.

    >>> compare(np.array([0.5, 0.7, 0.6]), np.array([0.4, 0.5, 0.5]))
    '+0.1333 [-0.0101, +0.2768] p 0.057'
    >>> compare(np.ones(3), np.ones(3))
    '+0.0000'
    """
    of_difference = summarize(a - b)
    if not of_difference.sd > 0:
        return f"{of_difference.mean:+.4f}"
    low, high = compute_t_interval(a - b)
    return f"{of_difference.mean:+.4f} [{low:+.4f}, {high:+.4f}] p {paired_test(a, b).p_value:.2g}"
