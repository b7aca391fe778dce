r"""The regret of ERR and DCG under noisy labels: the expected loss of the ranking against the best one.

proofs_check/regret/ settles the bounds; docs/prove/regret.md has the proofs. By squared errors, DCG and NDCG need no
separate function: `regression_error` with E[2^y - 1], or with E[(2^y - 1) / ideal DCG], as the gains bounds the regret.
"""

import numpy as np
from numpy.typing import ArrayLike

from refrank.bounds.checks import check_discount, check_values
from refrank.checks import check_column, check_entries, check_numbers, check_shape


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
    name, rule = "expected_relevance", "relevances must be from 0 to 1"
    relevance = check_numbers(name, check_column(name, expected_relevance), rule)
    check_entries(name, relevance, ~((relevance >= 0.0) & (relevance <= 1.0)), rule)
    return float(((-np.sort(-relevance) - relevance) / np.arange(1.0, len(relevance) + 1.0)).sum())


def dcg_pair_regret(discount: ArrayLike, expected_gain: ArrayLike, wins: ArrayLike) -> float:
    r"""Compute the bound on the regret of DCG by that of answers on pairs (`regret.pairwise`): Sun, Jin and Wang 2012.

    :math:`2 \max_i (c_i - c_{i+1}) \sum_{wrong} |v_i - v_j|` over the pairs whose answer puts the document of the
    smaller `expected_gain` v, (n,), first; the `discount` is c, (n,), of any sign. `wins`, (n, n), is true where the
    answer puts the document of the row before that of the column. The ranking sorts by the number of wins, ties in any
    order. If the answers compare the scores by which it sorts, half of this is a bound.

    Examples
    --------
    >>> cycle = [[False, False, True], [True, False, False], [False, True, False]]
    >>> dcg_pair_regret([2.0, 1.0, 0.0], [0.0, 0.0, 1.0], cycle)  # attained if the third document is ranked last
    2.0
    """
    c = check_discount(discount)
    v = check_values("expected_gain", expected_gain, len(c))
    answers = np.asarray(wins, dtype=bool)
    check_shape("wins", answers, (len(c), len(c)), "(n, n), one row and one column per document")
    once = answers ^ answers.T
    np.fill_diagonal(once, ~np.diagonal(answers))
    check_entries("wins", answers, ~once, "each pair must have one winner, and no document wins over itself")
    wrong = np.maximum(v - v[:, np.newaxis], 0.0)[answers]
    return 2.0 * float((c[:-1] - c[1:]).max(initial=0.0)) * float(wrong.sum())
