"""McRank, Alg. 2: the training error of least-squares boosting, round by round.

McRank: "[9] suggested setting nu <= 0.1, to avoid over-fitting". Mohan et al., Sec. 1 and 5: "To obtain the true global
minimum, the step-size needs to be infinitesimally small". Neither says what nu does to the training error. With r the
residuals before a round, R_j the leaves of its tree, n_j the number of their rows and mean_j the mean of r there
(line 4), line 5 gives, for any tree,

    SSE_m  = SSE_{m-1} - nu (2 - nu) sum_j n_j mean_j^2                                              step 1
    sum_i r_i = 0 before every round, by line 1                                                      step 2
    sum_j n_j mean_j^2 = sum of the split_gains of the tree                                          step 3

so the training error falls for 0 < nu < 2 in every round whose tree has a cut, stays for nu = 2, and rises for nu > 2
(variant-above-2). The speed depends on nu (2 - nu), not on nu, and is largest at nu = 1.

*Proof.* Step 1: in a leaf, sum (r - nu mean)^2 = sum r^2 - 2 nu n mean^2 + nu^2 n mean^2. Step 2: line 5 subtracts nu
n_j mean_j = nu sum_{R_j} r_i from the sum of each leaf, so a sum of 0 stays 0. Step 3: a cut reduces the sum of squared
errors by its split_gain, n mean^2 of the root is 0 by step 2, and sum r^2 less the errors left in the leaves is sum_j
n_j mean_j^2. QED One round is quadratic in nu: three values of nu settle all.

So no step needs to be infinitesimal: two rows and nu = 1 reach the minimum in one round (variant-small-steps). The
minimum need not be reached, even if all rows differ, for any nu: if no single cut gains, no round changes anything
(variant-falls, "exclusive or").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.exact import UNIT
from proofs_check.engine.exact_tree import ExactRound, leaves, ls_boosting, mean
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import OURS, PRINTED, Line, table
from proofs_check.engine.refrank_trees import ls_boosting as of_refrank
from proofs_check.engine.tree_cases import (
    compare,
    lines,
    one_feature,
    same,
    settle_trees,
    two_features,
    weights_of,
    with_column,
)

ROUNDS, LEAVES = 3, 2
NUS = (Fraction(1, 2), Fraction(1), Fraction(2))
Pair = tuple[Fraction, Fraction]


def sse(residual: list[Fraction], weight: list[int]) -> Fraction:
    return sum((w * r * r for w, r in zip(weight, residual, strict=True)), Fraction(0))


def each_round(
    nus: tuple[Fraction, ...], sides: Callable[..., Pair], relation: str = "=="
) -> Callable[[Cases], Iterator[Comparison]]:
    """Compare sides(nu, round, SSE before, SSE after, weights) of every instance, for each nu and round."""

    def claim(cases: Cases) -> Iterator[Comparison]:
        for nu in nus:
            by_round: list[list[Pair]] = [[] for _ in range(ROUNDS)]
            for x, y, *more in lines(cases):
                w = more[0] if more else [1] * len(y)
                for m, (turn, _) in enumerate(islice(ls_boosting(x, y, nu, LEAVES, w), ROUNDS)):
                    by_round[m].append(sides(nu, turn, sse(turn.residual, w), sse(turn.after(y), w), w))
            for m, pairs in enumerate(by_round, start=1):
                yield compare(pairs, relation, f"nu={nu}, J={LEAVES}, round {m}: SSE")

    return claim


def never_rises(nu: Fraction, turn: ExactRound, before: Fraction, after: Fraction, w: list[int]) -> Pair:
    return after, before


def step1(nu: Fraction, turn: ExactRound, before: Fraction, after: Fraction, w: list[int]) -> Pair:
    parts = [sum(w[i] for i in rows) * mean(turn.residual, w, rows) ** 2 for rows in leaves(turn.tree)]
    return after, before - nu * (2 - nu) * sum(parts)


def step2(nu: Fraction, turn: ExactRound, before: Fraction, after: Fraction, w: list[int]) -> Pair:
    return sum((v * r for v, r in zip(w, turn.residual, strict=True)), Fraction(0)), Fraction(0)


def step3(nu: Fraction, turn: ExactRound, before: Fraction, after: Fraction, w: list[int]) -> Pair:
    return after, before - nu * (2 - nu) * sum(node.gain for node in turn.tree)


@same
def falls(x, y):
    """Claim that the first round lowers an SSE > 0 of pairwise different rows (nu = 1)."""
    turn, _ = next(ls_boosting(x, y, Fraction(1), LEAVES))
    different = len({tuple(row) for row in x}) == len(y) and len(set(y)) > 1
    return different and len(turn.tree) == 1, False


@same
def not_yet(x, y):
    """Claim that an SSE above its minimum (the SSE within equal x) stays above it for a round of nu = 1."""
    turn, _ = next(ls_boosting(x, y, Fraction(1), LEAVES))
    ones = [1] * len(y)
    equal = [tuple(i for i, other in enumerate(x) if other == row) for row in x]
    least = sse([label - mean(y, ones, rows) for label, rows in zip(y, equal, strict=True)], ones)
    return sse(turn.residual, ones) > least and sse(turn.after(y), ones) == least, False


def observed(cases: Cases) -> Iterator[Comparison]:
    """Check the floats of refrank, with their SSE in fractions; at nu = 2 no decrease hides a rounding error."""
    for nu in (0.1, 1.0, 2.0):
        by_round: list[list[tuple[Fraction, Fraction]]] = [[] for _ in range(ROUNDS)]
        slacks = np.zeros((ROUNDS, cases.m))
        for at, (x, y) in enumerate(lines(cases)):
            scores = of_refrank(x, y, ROUNDS, LEAVES, nu)
            errors = [sse([Fraction(b) - Fraction(a) for a, b in zip(s, y, strict=True)], [1] * len(y)) for s in scores]
            for m in range(ROUNDS):
                by_round[m].append((errors[m + 1], errors[m]))
                slacks[m, at] = slack(np.array(y, dtype=float), scores[m], scores[m + 1], nu)
        for m in range(ROUNDS):
            # compared as a difference, so that the two errors themselves are not rounded
            excess = np.array([float(after - before) for after, before in by_round[m]])
            ratio = Comparison(*(np.array([float(pair[k]) for pair in by_round[m]]) for k in (0, 1))).compute_ratios()
            label = f"nu={nu}, round {m + 1}: SSE"
            yield Comparison(excess, np.zeros(cases.m), slack=slacks[m], label=label, ratio=ratio)


def slack(y: np.ndarray, before: np.ndarray, after: np.ndarray, nu: float) -> float:
    """Bound the increase of the SSE by rounding in one round of refrank.

    Let R = max |y - S|. The residual is rounded (UNIT R), and to the grid (at most half a step, N 2 UNIT R), its
    mean is divided (UNIT R) and multiplied by nu (UNIT R): nu (2N + 4) UNIT R in all; S + nu mean is rounded (UNIT max
    |S|). So each residual differs by delta from r - nu mean, which is at most (1 + nu) R, and the SSE by at most
    N (2 (1 + nu) R delta + delta^2).
    """
    n, largest = len(y), float(abs(y - before).max())
    delta = 2 * UNIT * (nu * (n + 2) * largest + float(abs(after).max()))
    return n * (2 * (1 + nu) * largest * delta + delta**2)


SMALL = one_feature((0, 1, 2))
WEIGHTED = with_column(SMALL, "w", weights_of(1, 2))

ROWS = table("trees.ls_training_error", "McRank",
    Line("", "0 < nu <= 2: SSE_m <= SSE_{m-1} on the training data",
     "", settle_trees(4, each_round(NUS, never_rises, "<="), SMALL)),
    Line("step1", "SSE_m = SSE_{m-1} - nu (2 - nu) sum_j n_j mean_j^2",
     "line 5", settle_trees(4, each_round(NUS, step1), SMALL)),
    Line("step2", "sum_i r_i = 0 before every round", "line 1", settle_trees(4, each_round(NUS, step2), SMALL)),
    Line("step3", "SSE_m = SSE_{m-1} - nu (2 - nu) sum of split_gains",
     "line 3", settle_trees(4, each_round(NUS, step3), SMALL)),
    Line("variant-weights", "step 3 with rows of weight 1 or 2",
     "weights", settle_trees(3, each_round(NUS, step3), WEIGHTED)),
    Line("variant-nu-2", "nu = 2: SSE_m = SSE_{m-1}",
     "nu = 2", settle_trees(4, each_round((Fraction(2),), never_rises), SMALL)),
    Line("variant-above-2", "nu = 9/4: SSE_m <= SSE_{m-1}",
     "nu > 2", settle_trees(4, each_round((Fraction(9, 4),), never_rises, "<="), SMALL)),
    *table("trees.ls_training_error", "iGBRT",
        Line("variant-small-steps", "nu = 1 does not reach the least SSE in one round",
         "Sec. 1", settle_trees(4, not_yet, SMALL), PRINTED,
         'Sec. 1: "To obtain the true global minimum, the step-size needs to be infinitesimally small"')),
    Line("variant-falls", "all x different, SSE > 0, 0 < nu < 2: the SSE falls",
     "two features", settle_trees(4, falls, two_features((0, 1)))),
    Line("variant-falls-one-feature", "all x different, SSE > 0, 0 < nu < 2: the SSE falls",
     "one feature", settle_trees(5, falls, one_feature((0, 1, 2)))),
    Line("variant-refrank", "SSE_m <= SSE_{m-1} in float64, nu <= 2", "refrank", settle_trees(4, observed, SMALL)),
    source=OURS,
)  # fmt: skip
