"""Cossock and Zhang 2006, 2008: the regret of DCG is bounded by the excess squared error.

The gains z_i are random, with any dependence; f_i are real predictions by which pi sorts, ties in any order. Then, for
non-increasing c >= 0 (restated; the abstract of 2008: "bounds that relate the approximate optimization of DCG to the
approximate minimization of certain regression errors"),

    max_tau E DCG_tau - E DCG_pi <= (2 sum c_i^2)^(1/2) |E z - f|,
    |E z - f|^2 = E |z - f|^2 - min_f' E |z - f'|^2.

Proof: DCG is linear in z, so E DCG is the DCG of the gains E z, real numbers, and cossock_zhang.thm2 holds for them.
The mean E z makes E |z - f|^2 smallest, and the rest is Pythagoras. Its sharp form gives the factor K, K^2 = sum_i (c_i
- c_{n+1-i})^2, for c of any sign (variant-sharp).

So the objective of least squares bounds the regret, not only the error: with noisy labels E |z - f|^2 stays above the
variance of the labels, while the right side goes to 0 (variant-error is weaker: it has E |z - f|^2 itself).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import integer_discounts, name
from proofs_check.engine.exact import relevance_gain
from proofs_check.engine.instances import Cases, sorted_grades
from proofs_check.engine.records import CITED, OURS, Line, table
from proofs_check.engine.search import settle_cases
from proofs_check.new.min_pairing import pairing

PARTS = 3
MAX_GRADE = 2


def noisy(n: int) -> Iterator[Cases]:
    """Yield two label vectors in the order of pi, the probability of the first in thirds, and f in the same parts."""
    y = np.indices((MAX_GRADE + 1,) * (2 * n)).reshape(2 * n, -1).T
    for p in range(1, PARTS):
        for f in sorted_grades(n, range(0, PARTS * (2**MAX_GRADE - 1) + 1, 1 if n <= 2 else 3)):
            yield Cases({"y": y[:, :n], "x": y[:, n:], "p": np.full(len(y), p), "f": np.tile(f, (len(y), 1))},
                        {"p": PARTS, "f": PARTS})  # fmt: skip


def means(case: Cases) -> np.ndarray:
    """Compute E z_i, in thirds, (m, n)."""
    z, w = (relevance_gain(case.columns[part]) for part in ("y", "x"))
    p = case.columns["p"][:, np.newaxis]
    return np.asarray(p * z + (PARTS - p) * w)


def squared_error(case: Cases, f: np.ndarray) -> np.ndarray:
    """Compute E |z - f|^2, in 27ths, (m,)."""
    first, second = (((PARTS * relevance_gain(case.columns[part]) - f) ** 2).sum(axis=1) for part in ("y", "x"))
    return np.asarray(case.columns["p"] * first + (PARTS - case.columns["p"]) * second)


def regret(case: Cases, c: np.ndarray) -> np.ndarray:
    """Compute max_tau E DCG_tau - E DCG_pi over all rankings tau, in thirds, (m,)."""
    mean = means(case)
    every = [(mean[:, list(order)] * c).sum(axis=1) for order in permutations(range(mean.shape[1]))]
    return np.asarray(np.max(every, axis=0) - every[0])


def by_excess(factor: Callable[[np.ndarray], int], case: Cases) -> Iterator[Comparison]:
    """Claim the bound with the excess of the squared error, times the root of a factor that depends on c."""
    f, mean = case.columns["f"], means(case)
    excess = squared_error(case, f) - squared_error(case, mean)
    for c in integer_discounts(f.shape[1]):
        left = PARTS * regret(case, c) ** 2
        yield Comparison(left, factor(c) * excess, squared=True, label=name(c))


def twice_squares(c: np.ndarray) -> int:
    """Compute 2 sum c_i^2."""
    return int(2 * (c**2).sum())


def pythagoras(case: Cases) -> Comparison:
    f, mean = case.columns["f"], means(case)
    excess = squared_error(case, f) - squared_error(case, mean)
    return Comparison(PARTS * ((mean - f) ** 2).sum(axis=1), excess, "==", unit=PARTS**3)


def by_error(case: Cases) -> Iterator[Comparison]:
    """Claim the bound with the squared error itself."""
    f = case.columns["f"]
    for c in integer_discounts(f.shape[1]):
        right = pairing(c) * squared_error(case, f)
        yield Comparison(PARTS * regret(case, c) ** 2, right, squared=True, label=name(c))


over = partial(settle_cases, instances=noisy, largest=3)
PROOF = "docs/prove/regret.md, Squared errors in expectation"
WORDS = (
    'Cossock and Zhang 2008, Abstract: "bounds that relate the approximate optimization of DCG to the approximate '
    'minimization of certain regression errors"'
)
ROWS = table("regret.cossock_zhang", "Cossock-Zhang",
    Line("", "max_tau E DCG_tau - E DCG_pi <= (2 sum c_i^2)^(1/2) (E |z - f|^2 - min E |z - f'|^2)^(1/2), c >= 0",
     "", over(partial(by_excess, twice_squares))),
    Line("step1", "E |z - f|^2 - min_f' E |z - f'|^2 = |E z - f|^2", "Pythagoras", over(pythagoras), OURS),
    Line("variant-sharp", "the same with sum (c_i - c_{n+1-i})^2 for 2 sum c_i^2", "the least factor",
     over(partial(by_excess, pairing))),
    Line("variant-error", "max_tau E DCG_tau - E DCG_pi <= (sum (c_i - c_{n+1-i})^2)^(1/2) (E |z - f|^2)^(1/2)",
     "the error, with the noise", over(by_error)),
    source=CITED, where=WORDS, proof=PROOF,
)  # fmt: skip
