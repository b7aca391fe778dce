"""Mohan et al., App. A, Definition 1: the ranker that sorts by label is perfect, that is, it maximises ERR.

As printed: "A ranker, g is a perfect ranker, if it ranks documents according to their original label
y_i"; that no ranking has a larger ERR is taken for granted. It holds, by adjacent swaps: let a, b be the
stop probabilities at places i, i+1 of some ranking and P the probability of getting there. Exchanging the
two documents changes ERR by

    P (a/i + (1-a) b/(i+1)) - P (b/i + (1-b) a/(i+1)) = P (a - b) / (i (i+1)),          step 1

since the term ab/(i+1) is in both and the product of the two factors behind them stays. So each swap that
puts the larger stop probability first gains, and swaps lead from any ranking to g. Only 0 <= R <= 1 is
used, and that R does not fall in y; any cut-off k only removes places at the end.

Instances: labels in the order of a ranking pi, all arrangements.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from proofs_check.exact import err, err_unit, reciprocal, relevance_gain, stopping
from proofs_check.instances import Cases, Rankings, batch, grade_vectors, with_ties
from proofs_check.records import Comparison, Row
from proofs_check.search import settle

PAPER = "iGBRT"


def arrangements(n: int) -> Iterator[Rankings]:
    """All labels in the order of pi; predictions all equal, so that every pi is lawful."""
    y = grade_vectors(n)
    yield batch(y, np.zeros_like(y))


def perfect(r: Rankings) -> Comparison:
    return Comparison(err(r.y), err(ideal(r.y)), unit=16 * err_unit(r.n))


def step1(r: Rankings) -> Iterator[Comparison]:
    """The change of ERR, times i (i+1): P (a - b), with C(i) = P/i."""
    c, gain = stopping(r.y), relevance_gain(r.y)
    for i in range(r.n - 1):
        order = np.arange(r.n)
        order[[i, i + 1]] = i + 1, i
        change = (err(r.y) - err(r.y[:, order])) * (i + 1) * (i + 2)
        yield Comparison(change, c[:, i] * (i + 1) * (gain[:, i] - gain[:, i + 1]), "==")


def ties(r: Rankings) -> Comparison:
    """Any order of equal labels gives the same ERR: the labels in the order of g are one sequence."""
    by_g = np.empty_like(r.y)
    np.put_along_axis(by_g, r.g.astype(np.int64) - 1, r.y, axis=1)
    return Comparison(err(by_g), err(ideal(r.y)), "==", unit=16 * err_unit(r.n))


def cut_off(r: Rankings) -> Iterator[Comparison]:
    for k in range(1, r.n):
        left = (stopping(r.y) * relevance_gain(r.y))[:, :k].sum(axis=1)
        best = (stopping(ideal(r.y)) * relevance_gain(ideal(r.y)))[:, :k].sum(axis=1)
        yield Comparison(left, best, unit=16 * err_unit(r.n))


def ideal(y: np.ndarray) -> np.ndarray:
    return -np.sort(-y, axis=1)


# ---- any stop probabilities in [0, 1], 0 and 1 included ----


def probabilities(n: int) -> Iterator[Cases]:
    """R in the order of pi, in quarters."""
    yield Cases({"R": grade_vectors(n)}, {"R": 4})


def any_probabilities(cases: Cases) -> Comparison:
    quarters = cases.columns["R"]
    n = quarters.shape[1]
    unit = 4**n * int(reciprocal(n)[0])
    return Comparison(err_of_quarters(quarters), err_of_quarters(ideal(quarters)), unit=unit)


def err_of_quarters(quarters: np.ndarray) -> np.ndarray:
    """Sum of (1/i) R_i prod_{j<i} (1 - R_j), times 4^n lcm(1..n), (m,)."""
    n = quarters.shape[1]
    total, not_stopped = np.zeros(len(quarters), dtype=np.int64), np.ones(len(quarters), dtype=np.int64)
    for i, share in enumerate(reciprocal(n)):
        total += share * not_stopped * quarters[:, i] * 4 ** (n - 1 - i)
        not_stopped = not_stopped * (4 - quarters[:, i])
    return total


ROWS = [
    Row("igbrt.perfect_ranker", PAPER, "ERR_pi <= ERR_g: sorting by label maximises ERR", "",
        settle(perfect, instances=arrangements), "docs/errata.md, iGBRT Definition 1"),
    Row("igbrt.perfect_ranker.step1", PAPER, "an adjacent swap changes ERR by P (R_a - R_b)/(i (i+1))",
        "adjacent swap", settle(step1, instances=arrangements)),
    Row("igbrt.perfect_ranker.variant-ties", PAPER, "every order of equal labels has the same ERR",
        "Definition 1",
        settle(ties, instances=with_ties)),
    Row("igbrt.perfect_ranker.variant-cut-off", PAPER, "sorting by label maximises ERR@k for every k",
        "any k",
        settle(cut_off, instances=arrangements, smallest=2)),
    Row("igbrt.perfect_ranker.variant-any-R", PAPER, "the same for any stop probabilities in [0, 1]", "any R",
        settle(any_probabilities, instances=probabilities, climb=False)),
]  # fmt: skip
