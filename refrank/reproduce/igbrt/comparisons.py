"""Which methods of iGBRT's Table 3 can be told apart: paired t-tests over the test queries.

symbol    in code         shape
d         difference      (n_queries,): of one method minus another, at each query
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from refrank.metrics import paired_test, summarize
from refrank.reproduce.igbrt.runs import TASKS, Sizes
from refrank.reproduce.igbrt.tables import Choice, FoldResults, choose_all
from refrank.reproduce.tables import Row, write_table

# The claims of Sec. 1 and 7 about Table 3, pair by pair: (method, task) minus (method, task)
PAIRS = (
    *(((method, "C"), (method, "R")) for method in ("GBRT", "RF", "iGBRT")),
    *((("RF", task), ("GBRT", task)) for task in TASKS),
    *((("iGBRT", task), (other, task)) for task in TASKS for other in ("RF", "GBRT")),
)
LEVEL = 0.95
RESOLVED = 0.002  # about what the paper's methods differ by
POWER = 0.8


def write_tests(results: Sequence[FoldResults], sizes: Sizes) -> list[str]:
    """Write the mean difference of each pair, its interval and p-value; folds of one collection are joined."""
    chosen = choose_all(results, sizes)
    joined = len(results) > 1 and all(result.name.startswith("Fold") for result in results)
    groups = {"all folds": [*range(len(results))]} if joined else {of.name: [i] for i, of in enumerate(results)}
    lines = []
    for name, folds in groups.items():
        queries = {key: join_queries([choices[i] for i in folds]) for key, choices in chosen.items()}
        n_queries = queries["RF", "R"].shape[1]
        rows: list[Row] = [("", ["ERR", "NDCG@10"])]
        for one, other in PAIRS:
            cells = [compare(a, b) for a, b in zip(queries[one], queries[other], strict=True)]
            rows.append((f"{' '.join(one)} - {' '.join(other)}", cells))
        lines += [
            f"Paired t-tests, two-sided, {n_queries:,} test queries of {name}, convention {sizes.convention}:",
            f"mean difference [{LEVEL:.0%} interval] p",
            *write_table(rows, 20, 38),
        ]
        spread = max(summarize(a - b).sd for one, other in PAIRS for a, b in [(queries[one][0], queries[other][0])])
        if spread > 0:
            needed = count_needed(spread)
            rule = f"queries tell a difference of {RESOLVED} in ERR in {POWER:.0%} of cases"
            lines.append(f"The largest standard deviation of a difference in ERR is {spread:.3f}: {needed:,} {rule}.")
    return lines


def join_queries(choices: Sequence[Choice]) -> NDArray[np.float64]:
    """Join ERR and NDCG@10 of the test queries of several folds, (2, n_queries)."""
    return np.concatenate([choice.queries for choice in choices], axis=1)


def compare(a: NDArray[np.float64], b: NDArray[np.float64]) -> str:
    """Write mean, interval and p-value of a - b, (n_queries,) each; no interval where all differences are equal.

    >>> compare(np.array([0.5, 0.7, 0.6]), np.array([0.4, 0.5, 0.5]))
    '+0.1333 [-0.0101, +0.2768] p 0.057'
    >>> compare(np.ones(3), np.ones(3))
    '+0.0000'
    """
    from scipy import stats

    of_difference = summarize(a - b)
    mean, n = of_difference.mean, of_difference.n_queries
    if not of_difference.sd > 0:
        return f"{mean:+.4f}"
    half = stats.t.ppf((1 + LEVEL) / 2, n - 1) * of_difference.sd / math.sqrt(n)
    return f"{mean:+.4f} [{mean - half:+.4f}, {mean + half:+.4f}] p {paired_test(a, b).p_value:.2g}"


def count_needed(spread: float) -> int:
    """Count the queries that tell a mean difference of RESOLVED at LEVEL with probability POWER.

    Parameters
    ----------
    spread : float
        Standard deviation of the difference over queries.

    Returns
    -------
    int
        ((z_{(1 + LEVEL)/2} + z_POWER) * spread / RESOLVED)^2, rounded up.

    Examples
    --------
    >>> count_needed(0.1)
    19623
    """
    from scipy import stats

    z = stats.norm.ppf((1 + LEVEL) / 2) + stats.norm.ppf(POWER)
    return math.ceil((z * spread / RESOLVED) ** 2)
