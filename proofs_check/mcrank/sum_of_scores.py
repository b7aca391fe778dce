"""McRank, Alg. 1: whether sum_k F_{i,k} = 0 is kept from round to round, as in Friedman's K-class boosting.

F starts at 0. The score updates of Alg. 1, lines 3 to 8, for given regions:

    p_{i,k} = exp(F_{i,k}) / sum_s exp(F_{i,s})                                                       line 4
    R_{j,k} = leaves of the tree for class k, grown on r_{i,k} = 1[y_i = k] - p_{i,k}                line 5
    beta_{j,k} = (K-1)/K * sum_{R_{j,k}} r_{i,k} / sum_{R_{j,k}} p_{i,k} (1 - p_{i,k})                line 6
    F_{i,k} += nu beta_{j,k}                                                                          line 7

As printed, line 4 is inside the loop over k ("sequential": each class sees the F that the classes before it changed);
Friedman's Algorithm 6 computes all p of a round first ("simultaneous").

Sequential: the sum is lost in the first round, even for K = 2 and one document. With y = 0, class 0 first gets
beta = 1, then class 1 gets beta = -(1 + e^-nu)/2: the sum is nu (1 - e^-nu)/2 > 0 for every nu > 0. Simultaneous,
K = 2: kept, because r_{i,1} = -r_{i,0} and p(1-p) agree, so both trees have the same regions and beta_1 = -beta_0
(variant-simultaneous-K2; a tie between two cuts must be broken in the same way). Simultaneous, K > 2: lost in the first
round if the trees of two classes differ (variant-simultaneous). With the same regions for all classes the first round
keeps it, since p = 1/K makes the denominators equal and sum_k r_{i,k} = 0 (variant-one-leaf); the second does not
(variant-one-leaf-twice).

The probabilities do not change: softmax ignores a common constant, and lines 4 to 7 use F only through p. Subtracting
the mean over classes after each round gives the same p, trees and beta (variant-centred).

How it is made exact. With nu = log 2, exp(F) = 2^(sum of beta) is rational as long as the betas before it are integers.
Instances that need an irrational power are left to the checks in floats, whose slack is derived at `slack`. Sums are
in units of nu.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from proofs_check.engine.exact import UNIT
from proofs_check.engine.records import IDENTITY, OURS, REFUTED, Effort, Finding, Line, table

Regions = Callable[[list[Fraction]], list[list[int]]]
Check = Callable[[Effort], Finding]
Round = Callable[[list[int], int, Regions], list[Fraction]]


class IrrationalError(ArithmeticError):
    """Need for a power 2^beta with a fractional beta."""


# ---- one round, exact: the sum over classes of the betas of each document, in units of nu = log 2 ----


def sequential_round(y: list[int], n_classes: int, regions: Regions) -> list[Fraction]:
    """Run Alg. 1 as printed: p is computed anew for each class."""
    power = [[Fraction(1)] * n_classes for _ in y]  # exp(F)
    total = [Fraction(0) for _ in y]
    for k in range(n_classes):
        for i, beta in enumerate(leaf_values(y, power, k, n_classes, regions)):
            total[i] += beta
            if k + 1 < n_classes:
                power[i][k] *= power_of_two(beta)
    return total


def simultaneous_round(y: list[int], n_classes: int, regions: Regions) -> list[Fraction]:
    """Compute all p of the round first; in the first round p = 1/K, so nothing is irrational."""
    power = [[Fraction(1)] * n_classes for _ in y]
    values = [leaf_values(y, power, k, n_classes, regions) for k in range(n_classes)]
    return [sum((beta[i] for beta in values), Fraction(0)) for i in range(len(y))]


def leaf_values(y: list[int], power: list[list[Fraction]], k: int, n_classes: int, regions: Regions) -> list[Fraction]:
    """Compute beta of each document's leaf, lines 4 to 6."""
    p = [row[k] / sum(row) for row in power]
    residual = [(label == k) - share for label, share in zip(y, p, strict=True)]
    value = [Fraction(0)] * len(y)
    for region in regions(residual):
        top = sum(residual[i] for i in region)
        beta = Fraction(n_classes - 1, n_classes) * top / sum(p[i] * (1 - p[i]) for i in region)
        for i in region:
            value[i] = beta
    return value


def power_of_two(beta: Fraction) -> Fraction:
    if beta.denominator != 1:
        raise IrrationalError(f"2^({beta})")
    return Fraction(2) ** int(beta)


def one_leaf(residual: list[Fraction]) -> list[list[int]]:
    return [list(range(len(residual)))]


def one_split(residual: list[Fraction]) -> list[list[int]]:
    """Find the best split of documents with x = 1..N into two leaves: largest SSE reduction, then lowest threshold."""
    n, best, cut = len(residual), Fraction(0), 0
    for left in range(1, n):
        means = sum(residual[:left], Fraction(0)) / left - sum(residual[left:], Fraction(0)) / (n - left)
        gain = means * means * left * (n - left)
        if gain > best:
            best, cut = gain, left
    return [list(range(cut)), list(range(cut, n))] if cut else one_leaf(residual)


def settle_round(one_round: Round, classes: tuple[int, ...], regions: Regions, sizes: range) -> Check:
    """Check every y of N documents: the smallest with a non-zero sum refutes; irrational ones are skipped."""

    def check(effort: Effort) -> Finding:
        decided = 0
        for n, n_classes in product(sizes, classes):
            for y in product(range(n_classes), repeat=n):
                try:
                    total = one_round(list(y), n_classes, regions)
                except IrrationalError:
                    continue
                decided += 1
                for i, value in enumerate(total):
                    if value != 0:
                        where = f"K={n_classes}, N={n}, y={y}, nu = log 2"
                        at = f"{where}: sum of F of document {i + 1} is {value} nu"
                        return Finding(REFUTED, at, exhaustive_n=n, instances=decided)
        if not decided:
            raise ValueError("no instance was decided: every one needed an irrational power")
        return Finding(IDENTITY, exhaustive_n=sizes[-1], instances=decided)

    return check


# ---- several rounds, and the irrational ones, in floats ----


def boost_simultaneous(y: np.ndarray, n_classes: int, regions: Regions, nu: float) -> Iterator[np.ndarray]:
    """Run Alg. 1 on x = 1..N, computing all p of a round first, and yield F after each round, (N, K)."""
    scores = np.zeros((len(y), n_classes))
    while True:
        p = softmax(scores)
        for k in range(n_classes):
            scores[:, k] += nu * float_leaf_values(y, p[:, k], k, n_classes, regions)
        yield scores.copy()


def boost_sequential(y: np.ndarray, n_classes: int, regions: Regions, nu: float) -> Iterator[np.ndarray]:
    """Run Alg. 1 on x = 1..N as printed."""
    scores = np.zeros((len(y), n_classes))
    while True:
        for k in range(n_classes):
            p = softmax(scores)[:, k]
            scores[:, k] += nu * float_leaf_values(y, p, k, n_classes, regions)
        yield scores.copy()


def float_leaf_values(y: np.ndarray, p: np.ndarray, k: int, n_classes: int, regions: Regions) -> np.ndarray:
    residual, value = (y == k) - p, np.zeros(len(y))
    for region in regions(list(residual)):
        bottom = (p[region] * (1 - p[region])).sum()
        value[region] = (n_classes - 1) / n_classes * residual[region].sum() / bottom
    return value


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def slack(scores: np.ndarray, n_rounds: int) -> float:
    """Bound the rounding of sum_k F_{i,k} after n_rounds.

    p is correct to 8 UNIT (exp, sum, division) plus the error inherited from F. Numerator and denominator of beta are
    sums of N terms, so the error of beta is at most (2 N + 20) UNIT |beta| / min p(1-p). Errors of F pass to p at most
    doubled in each round: 2^n_rounds of it, for n_rounds additions of K terms.
    """
    p = softmax(scores)
    one_beta = (2 * len(scores) + 20) * UNIT * (1 + abs(scores).max()) / (p * (1 - p)).min()
    return one_beta * 2**n_rounds * n_rounds * scores.shape[1]


def settle_rounds(boost: Callable, n_classes: int, regions: Regions, nu: float, rounds: int) -> Check:
    """Check every y of N <= n_max documents: the first sum that rounding cannot explain refutes."""

    def check(effort: Effort) -> Finding:
        for n in range(1, effort.n_max + 1):
            for y in product(range(n_classes), repeat=n):
                for m, scores in zip(range(1, rounds + 1), boost(np.array(y), n_classes, regions, nu), strict=False):
                    sums = scores.sum(axis=1)
                    far = int(abs(sums).argmax())
                    if abs(sums[far]) > slack(scores, m):
                        where = f"K={n_classes}, N={n}, y={y}, nu={nu:g}, round {m}"
                        at = f"{where}: sum of F of document {far + 1} is {sums[far]:.6f}"
                        return Finding(REFUTED, at, exhaustive_n=n)
        return Finding(IDENTITY, exhaustive_n=effort.n_max)

    return check


def both(first: Check, second: Check) -> Check:
    """Run the first check and, if it finds nothing, the second."""

    def check(effort: Effort) -> Finding:
        finding = first(effort)
        return finding if finding.verdict == REFUTED else second(effort)

    return check


def centred(effort: Effort) -> Finding:
    """Compare p from F and from F less its mean over classes, F on a grid of quarters: equal up to 8 roundings."""
    f = np.array(list(product(np.arange(-8, 9, 4) / 4, repeat=3)))
    off = abs(softmax(f) - softmax(f - f.mean(axis=1, keepdims=True))).max()
    if off > 8 * UNIT * (1 + abs(f).max()):
        return Finding(REFUTED, f"p differs by {off}")
    return Finding(IDENTITY, exhaustive_n=3, instances=len(f))


ERRATA = "docs/reference/errata.md, McRank Alg. 1"
ROWS = table("mcrank.sum_of_scores", "McRank",
    Line("", "sum_k F_{i,k} = 0 is kept by Alg. 1 as printed (p inside the class loop)",
     "", settle_round(sequential_round, (2, 3, 5), one_split, range(1, 4))),
    Line("variant-sequential-K2", "the statement for K = 2",
     "sequential, K = 2", settle_round(sequential_round, (2,), one_split, range(1, 4))),
    Line("variant-sequential-K3", "the statement for K = 3",
     "sequential, K > 2", settle_rounds(boost_sequential, 3, one_split, 1.0, 1)),
    Line("variant-simultaneous-K2", "kept when all p of a round come first, K = 2",
     "simultaneous, K = 2",
     both(settle_round(simultaneous_round, (2,), one_split, range(1, 6)),
          settle_rounds(boost_simultaneous, 2, one_split, 0.25, 6))),
    Line("variant-simultaneous", "kept when all p of a round come first, K > 2",
     "simultaneous, K > 2", settle_round(simultaneous_round, (3, 4, 5), one_split, range(1, 5))),
    Line("variant-one-leaf", "kept in the first round if all classes share regions",
     "simultaneous, J = 1", settle_round(simultaneous_round, (2, 3, 4, 5), one_leaf, range(1, 5))),
    Line("variant-one-leaf-twice", "kept in the second round, too, K = 3",
     "simultaneous, J = 1", settle_rounds(boost_simultaneous, 3, one_leaf, 1.0, 2)),
    Line("variant-centred", "subtracting the mean over classes from F keeps p", "harmless", centred),
    source=OURS, proof=ERRATA,
)  # fmt: skip
