"""Oracles: McRank's Algorithm 1, Sec. 4 and Algorithm 2, Friedman's Algorithm 3, line by line, in plain loops.

Sums over rows are those of the contract (`grid_total`), or what the paper's formula means (`plain_total`). Nothing here
imports refrank.
"""

import math
from collections.abc import Callable, Sequence
from statistics import median

from tests.oracles.trees import Columns, best_first_tree, grid_total

Labels = Sequence[int]
Regions = Callable[[Sequence[float]], list[list[int]]]  # fits a J-terminal node regression tree, returns {R_j}
Exp = Callable[[float], float]
Total = Callable[[Sequence[float], Sequence[int]], float]  # sum of a quantity over some rows


def regions(columns: Columns, n_leaves: int) -> Regions:
    """The J-terminal node regression tree of lines 5 and 3."""

    def fit(residual: Sequence[float]) -> list[list[int]]:
        growth = best_first_tree(columns, residual, n_leaves=n_leaves)
        return [node.rows for node in growth.nodes if node.feature == -1]

    return fit


def plain_total(values: Sequence[float], rows: Sequence[int]) -> float:
    """Sum over rows, correctly rounded: what the paper's formula means."""
    return math.fsum(values[i] for i in rows)


def softmax(row: Sequence[float], exp: Exp) -> list[float]:
    """Line 4. The largest F is taken off each, which changes nothing but the rounding."""
    highest = max(row)
    terms = [exp(F - highest) for F in row]
    total = 0.0
    for term in terms:
        total += term
    return [term / total for term in terms]


def softmax_as_printed(row: Sequence[float], exp: Exp) -> list[float]:
    """Line 4, to the letter."""
    return [exp(F) / math.fsum(exp(other) for other in row) for F in row]


def algorithm_1(
    y: Labels, K: int, M: int, nu: float, tree: Regions, exp: Exp, *, sequential=True, total=grid_total, line_4=softmax
) -> list[list[float]]:
    """F, (n_samples, K). Sequential: line by line as printed. Simultaneous: line 4 moved out of the loop over k."""
    N = len(y)
    y_tilde = [[1.0 if y[i] == k else 0.0 for k in range(K)] for i in range(N)]  # line 0
    F = [[0.0] * K for i in range(N)]  # line 1
    for _m in range(1, M + 1):  # line 2
        p = [line_4(F[i], exp) for i in range(N)]
        for k in range(K):  # line 3
            if sequential:
                p = [line_4(F[i], exp) for i in range(N)]  # line 4
            residual = [y_tilde[i][k] - p[i][k] for i in range(N)]
            R = tree(residual)  # line 5
            curvature = [(1.0 - p[i][k]) * p[i][k] for i in range(N)]
            for R_j in R:
                denominator = total(curvature, R_j)
                beta = (K - 1) / K * total(residual, R_j) / denominator if denominator else 0.0  # line 6
                for i in R_j:
                    F[i][k] = F[i][k] + nu * beta  # line 7
    return F


def section_4(y: Labels, K: int, M: int, nu: float, tree: Regions, exp: Exp, *, sequential: bool) -> list[list[float]]:
    """Pr(y <= k), (n_samples, K - 1): "partition the training data points into two groups", then Algorithm 1."""
    N = len(y)
    cumulative = [[0.0] * (K - 1) for i in range(N)]
    for k in range(K - 1):
        group = [1 if y[i] > k else 0 for i in range(N)]
        if len(set(group)) == 1:  # nothing to learn: Pr(y <= k) is 0 or 1
            for i in range(N):
                cumulative[i][k] = float(group[i] == 0)
            continue
        F = algorithm_1(group, 2, M, nu, tree, exp) if sequential else mirrored(group, M, nu, tree, exp)
        for i in range(N):
            cumulative[i][k] = softmax(F[i], exp)[0]
    return cumulative


def mirrored(y: Sequence[int], M: int, nu: float, tree: Regions, exp: Exp) -> list[list[float]]:
    """Algorithm 1, simultaneous, with K = 2, whose second tree is not grown: F_1 = -F_0."""
    N = len(y)
    F = [[0.0, 0.0] for i in range(N)]
    for _m in range(1, M + 1):
        p = [softmax(F[i], exp)[0] for i in range(N)]
        residual = [(1.0 if y[i] == 0 else 0.0) - p[i] for i in range(N)]
        curvature = [(1.0 - p[i]) * p[i] for i in range(N)]
        for R_j in tree(residual):
            denominator = grid_total(curvature, R_j)
            beta = 1 / 2 * grid_total(residual, R_j) / denominator if denominator else 0.0
            for i in R_j:
                F[i][0] = F[i][0] + nu * beta
                F[i][1] = -F[i][0]
    return F


def equation_8(cumulative: Sequence[float]) -> list[float]:
    """p_k = Pr(y <= k) - Pr(y <= k - 1); nothing lies below 0, everything at or below K - 1."""
    K = len(cumulative) + 1
    at_most = {-1: 0.0, **dict(enumerate(cumulative)), K - 1: 1.0}
    return [at_most[k] - at_most[k - 1] for k in range(K)]


def equation_5(p: Sequence[float], T: Sequence[float]) -> float:
    """S = sum_k p_k T(k)."""
    S = 0.0
    for k in range(len(p)):
        S = S + p[k] * T[k]
    return S


def algorithm_2(y: Sequence[int], M: int, nu: float, tree: Regions, *, total: Total = grid_total) -> list[list[float]]:
    """S after each round 0..M, (M + 1, n_samples)."""
    N = len(y)
    everyone = range(N)
    y_tilde = [float(2 ** y[i] - 1) for i in range(N)]  # line 0
    S = [total(y_tilde, everyone) / N for i in range(N)]  # line 1
    rounds = [list(S)]
    for _m in range(1, M + 1):  # line 2
        residual = [y_tilde[i] - S[i] for i in range(N)]
        for R_j in tree(residual):  # line 3
            beta = total(residual, R_j) / len(R_j)  # line 4
            for i in R_j:
                S[i] = S[i] + nu * beta  # line 5
        rounds.append(list(S))
    return rounds


def friedman_algorithm_3(y: Sequence[float], M: int, nu: float, tree: Regions) -> list[list[float]]:
    """F after each round 0..M, (M + 1, n_samples): Friedman's "LAD_TreeBoost", with his shrinkage."""
    N = len(y)
    F = [median(y)] * N  # line 1
    rounds = [list(F)]
    for _m in range(1, M + 1):  # line 2
        residual = [y[i] - F[i] for i in range(N)]
        sign = [float((r > 0) - (r < 0)) for r in residual]  # line 3
        for R_j in tree(sign):  # line 4
            gamma = median([residual[i] for i in R_j])  # line 5
            for i in R_j:
                F[i] = F[i] + nu * gamma  # line 6
        rounds.append(list(F))
    return rounds
