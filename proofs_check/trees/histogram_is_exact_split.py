"""A cut found from a histogram is the exact one if each value has its own bin (McRank, App. I).

Exact, from the definition: try every position between two distinct values, compute the sums of squared errors of both
sides about their means, and take the largest reduction. Histogram: one pass over the rows sums and counts residuals per
bin, and one pass over the bins finds

    split_gain = (S_l/n_l - S_r/n_r)^2 n_l n_r / n                                                     step 1

which is the reduction SSE - SSE_l - SSE_r. With one bin per value both try the same cuts, so they find the same one
(the bare statement). *Proof of step 1.* sum r^2 cancels: the reduction is S_l^2/n_l + S_r^2/n_r - (S_l + S_r)^2/n, and
n_l n_r n times that is a square: (S_l n_r - S_r n_l)^2. QED

Fewer bins try fewer cuts: they never gain more (variant-two-bins), and they gain less from three rows on: "It does not
really result in loss of accuracy" is false as a theorem (variant-two-bins-lossless).

Figure 2 prints another criterion, the MSE left plus the MSE right, without weights by rows. Its best cut is not the
best from four rows on (variant-printed-criterion).

In float64 the cut that refrank makes still gains the most, exactly (variant-floats). Equal gains may differ in their
last bit: rows x = 0, 1, 1, 2 with y = 0, 0, 1, 1 gain 1/3 by the first cut, where d = 0 - 2/3, and by the second, where
d = 1/3 - 1, which rounds to a larger number. The cut is the first of equals all the same (variant-floats-ties,
variant-floats-two-features): nearly equal gains are compared as fractions (docs/reference/numerics.md, rule 3).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from proofs_check.engine import refrank_trees
from proofs_check.engine.comparison import Comparison
from proofs_check.engine.exact_tree import best_cut, gain_of
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import IMPLIED, OURS, PRINTED, Line, table
from proofs_check.engine.tree_cases import compare, lines, one_feature, same, settle_trees, two_features


def sse(labels: list[int]) -> Fraction:
    """Compute the sum of squared errors about the mean."""
    centre = Fraction(sum(labels), len(labels))
    return sum(((label - centre) ** 2 for label in labels), Fraction(0))


def exact_cuts(x: list[int], y: list[int]) -> Iterator[tuple[Fraction, tuple[int, ...]]]:
    """Yield every cut of one sorted feature, from the definition: its reduction and the rows that go left."""
    order = sorted(range(len(x)), key=lambda i: x[i])
    for place in range(1, len(x)):
        if x[order[place - 1]] < x[order[place]]:
            left, right = ([y[i] for i in side] for side in (order[:place], order[place:]))
            yield sse(y) - sse(left) - sse(right), tuple(sorted(order[:place]))


def exact_best(x: list[list[int]], y: list[int]) -> tuple[Fraction, int, tuple[int, ...]] | None:
    """Find the first of the best cuts over all features: its reduction, its feature, and the rows that go left."""
    candidates = [(gain, f, left) for f in range(len(x[0])) for gain, left in exact_cuts([row[f] for row in x], y)]
    best = max(candidates, key=lambda cut: cut[0], default=None)
    return best if best is not None and best[0] > 0 else None


def step1(cases: Cases) -> Comparison:
    """Compare the reduction and the formula of each cut, and sum the differences over the cuts."""
    pairs = []
    for x, y in lines(cases):
        for gain, left in exact_cuts([row[0] for row in x], y):
            right = tuple(i for i in range(len(y)) if i not in left)
            pairs.append((gain, gain_of(y, [1] * len(y), left, right)))
        pairs += [(Fraction(0), Fraction(0))] * (len(y) - len({row[0] for row in x}))
    comparison = compare(pairs, "==")
    differs = abs(comparison.left - comparison.right).reshape(cases.m, -1).sum(axis=1)
    return Comparison(differs, np.zeros_like(differs), "==")


def printed_criterion(cases: Cases) -> Comparison:
    """Claim, as Figure 2 prints, that the cut with the least MSE left plus MSE right has the largest reduction."""
    pairs = []
    for x, y in lines(cases):
        candidates = [(mse_sum(y, left), gain) for gain, left in exact_cuts([row[0] for row in x], y)]
        least, most = min((mse for mse, _ in candidates), default=0), max((gain for _, gain in candidates), default=0)
        pairs.append((most, max((gain for mse, gain in candidates if mse == least), default=0)))
    return compare(pairs, "==", "split_gain")


def mse_sum(y: list[int], left: tuple[int, ...]) -> Fraction:
    sides = [[y[i] for i in range(len(y)) if (i in left) == low] for low in (True, False)]
    return sum((sse(side) / len(side) for side in sides), Fraction(0))


@same
def same_cut(x, y):
    """Compare the transcription that cuts bins with the definition: gain, feature and rows."""
    cut = best_cut(x, y, [1] * len(y), tuple(range(len(y))))
    return None if cut is None else (cut.gain, cut.feature, cut.sides[0]), exact_best(x, y)


def reduction(y: list[int], left: tuple[int, ...]) -> Fraction:
    return sse(y) - sse([y[i] for i in left]) - sse([y[i] for i in range(len(y)) if i not in left])


def gains(cases: Cases, n_bins: int) -> list[tuple[Fraction, Fraction]]:
    """Compute the exact reduction of refrank's cut, and the largest possible one."""
    pairs = []
    for x, y in lines(cases):
        cut, best = refrank_trees.best_cut(x, y, n_bins), exact_best(x, y)
        pairs.append((reduction(y, cut[1]) if cut else Fraction(0), best[0] if best else Fraction(0)))
    return pairs


def floats_gain(cases: Cases) -> Comparison:
    return compare(gains(cases, 256), "==", "split_gain")


@same
def floats_cut(x, y):
    """Compare the cut of refrank, including ties."""
    best = exact_best(x, y)
    return refrank_trees.best_cut(x, y, 256), best and best[1:]


def two_bins(cases: Cases) -> Comparison:
    return compare(gains(cases, 2), "<=", "B=2, split_gain")


def two_bins_lossless(cases: Cases) -> Comparison:
    return compare(gains(cases, 2), "==", "B=2, split_gain")


ONE, WIDE = one_feature((0, 1, 2, 3, 4)), two_features((0, 1, 2))

ROWS = table("trees.histogram_is_exact_split", "McRank",
    Line("", "one bin per value: the cut from the histogram is the exact one", "App. I",
     settle_trees(3, same_cut, WIDE)),
    Line("step1", "SSE - SSE_l - SSE_r = (S_l/n_l - S_r/n_r)^2 n_l n_r/n",
     "every cut", settle_trees(5, step1, one_feature((0, 1, 3)))),
    Line("variant-one-feature", "the statement with labels 0..4", "App. I", settle_trees(4, same_cut, ONE)),
    Line("variant-two-bins", "no cut gains more with B = 2", "fewer bins", settle_trees(4, two_bins, ONE)),
    Line("variant-two-bins-lossless", "the best cut gains as much with B = 2",
     "fewer bins", settle_trees(4, two_bins_lossless, ONE), PRINTED,
     'App. I: "It does not really result in loss of accuracy"'),
    Line("variant-printed-criterion", "a cut with the least MSE left + MSE right gains the most",
     "Figure 2", settle_trees(4, printed_criterion, one_feature((0, 1))), IMPLIED,
     'App. I, Figure 2: "the mean square error (MSE, ...) of the data points at the left plus the MSE at the right"'),
    Line("variant-floats", "refrank's cut has the largest gain, exactly",
     "float64", settle_trees(5, floats_gain, one_feature((0, 1, 3)))),
    Line("variant-floats-ties", "refrank's cut is the first of equal ones",
     "float64", settle_trees(5, floats_cut, one_feature((0, 1, 3)))),
    Line("variant-floats-two-features", "refrank's cut is the first of equal ones among two features",
     "float64", settle_trees(4, floats_cut, two_features((0, 1)))),
    source=OURS,
)  # fmt: skip
