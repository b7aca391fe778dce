r"""The regret of ERR under noisy labels: the expected loss of the ranking against the best one.

proofs_check/regret/ settles the bounds; docs/prove/regret.md has the proofs. DCG and NDCG need no separate function:
`regression_error` with E[2^y - 1], or with E[(2^y - 1) / ideal DCG], as the gains bounds the regret.
"""

import numpy as np
from numpy.typing import ArrayLike

from refrank.checks import check_column, check_entries


def err_regret(expected_relevance: ArrayLike) -> float:
    r"""Compute the regret of a DCG with discount 1/i and gains E R_i (`regret.err`).

    :math:`\sum_i (1/g_i - 1/\pi_i) E R_i`, for the `expected_relevance` of each document in the order of the ranking,
    (n,), from 0 to 1; g sorts by them. It bounds the regret of ERR if the labels are independent; if they are not,
    the bound fails.

    Examples
    --------
    >>> err_regret([0.25, 0.75])  # (1 - 1/2) (3/4 - 1/4): two documents attain it
    0.25
    """
    relevance = check_column("expected_relevance", expected_relevance).astype(np.float64)
    wrong = ~((relevance >= 0.0) & (relevance <= 1.0))
    check_entries("expected_relevance", relevance, wrong, "relevances must be from 0 to 1")
    return float(((-np.sort(-relevance) - relevance) / np.arange(1.0, len(relevance) + 1.0)).sum())
