"""COCR, Theorem 1 (Sec. 3.2): soft answers close to P(y >= k | x) make a score close to the expected grade.

As printed. For any h_k, k = 0..K, real-valued, with sum_{k=1..K} (h_k(x) - P(y >= k|x))^2 <= eps^2,

    (r_h(x) - E(y|x))^2 <= K eps^2,     r_h = sum_{k=1..K} h_k     (Eq. 6).

The proof, line by line, at one x:

    1  r_h - E(y|x) = sum h_k - sum P(y >= k|x)
    2  (sum 1 (h_k - P(y >= k|x)))^2 <= (sum 1^2) (sum (h_k - P(y >= k|x))^2)       Eq. 7, Cauchy-Schwarz
    3  <= K eps^2                                                                   the premise

The index k = 0 does not matter: P(y >= 0|x) = 1, and Eq. 6 starts at 1. No premise requires h to lie in [0, 1]
or to fall with k. The factor K is attained if all h_k are wrong by the same amount on the same side.

How it is checked. Every distribution P(y = k) in fourths, and every h in fourths from -1/2 to 3/2: integers. eps^2 is
as small as the premise allows, so line 3 is the premise itself. The size n is K.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from proofs_check.cocr.lin_li_reduction import FOURTHS, beyond
from proofs_check.engine.comparison import Comparison
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import PRINTED, Line, table
from proofs_check.engine.search import settle_cases


def instances(max_grade: int) -> Iterator[Cases]:
    """Yield every P(y = k), k = 0..K, with every h_1..h_K, all in fourths."""
    h = beyond(max_grade)  # (m, K)
    for p in product(range(FOURTHS + 1), repeat=max_grade + 1):
        if sum(p) == FOURTHS:
            both = {"P": np.broadcast_to(np.array(p), (len(h), max_grade + 1)), "h": h}
            yield Cases(both, {"P": FOURTHS, "h": FOURTHS})


def at_least(case: Cases) -> np.ndarray:
    """Compute P(y >= k) for k = 1..K, (m, K)."""
    return np.cumsum(case.columns["P"][:, ::-1], axis=1)[:, ::-1][:, 1:]


def expected_grade(case: Cases) -> np.ndarray:
    """Compute E(y|x) = sum k P(y = k), (m,)."""
    p = case.columns["P"]
    return (np.arange(p.shape[1]) * p).sum(axis=1)


def theorem1(case: Cases) -> Comparison:
    # COCR Theorem 1
    h = case.columns["h"]
    left = (h.sum(axis=1) - expected_grade(case)) ** 2
    eps_squared = ((h - at_least(case)) ** 2).sum(axis=1)
    return Comparison(left, h.shape[1] * eps_squared, squared=True, unit=FOURTHS)


def step1(case: Cases) -> Comparison:
    scores = case.columns["h"].sum(axis=1)
    return Comparison(scores - expected_grade(case), scores - at_least(case).sum(axis=1), "==", unit=FOURTHS)


def step2(case: Cases) -> Comparison:
    # COCR Eq. 7: Cauchy-Schwarz
    off = case.columns["h"] - at_least(case)  # (m, K)
    right = off.shape[1] * (off**2).sum(axis=1)
    return Comparison(off.sum(axis=1) ** 2, right, squared=True, unit=FOURTHS)


def perfect(case: Cases) -> Comparison:
    """Claim, as Sec. 3.2 does, that r_h is E(y|x) if every h_k is P(y >= k|x)."""
    return Comparison(at_least(case).sum(axis=1), expected_grade(case), "==", unit=FOURTHS)


PROOF_OF_1 = "Sec. 3.2, Theorem 1, proof"
ROWS = table("cocr.theorem1", "COCR",
    Line("", "(r_h - E(y|x))^2 <= K eps^2, sum (h_k - P(y >= k|x))^2 <= eps^2",
     "n = K", settle_cases(theorem1, instances, 4), where='Sec. 3.2, Theorem 1: "Consider any binary classifiers h_k"'),
    Line("step1", "r_h - E(y|x) = sum h_k - sum P(y >= k|x)", "n = K", settle_cases(step1, instances, 4),
     where=f"{PROOF_OF_1}, line 2"),
    Line("step2", "(sum (h_k - P(y >= k|x)))^2 <= K sum (h_k - P(y >= k|x))^2",
     "Eq. 7; n = K", settle_cases(step2, instances, 4),
     where=f'{PROOF_OF_1}: "Inequality (7) is based on the Cauchy-Schwarz inequality"'),
    Line("variant-perfect", "h_k = P(y >= k|x) gives r_h = E(y|x)", "Sec. 3.2; n = K",
     settle_cases(perfect, instances, 4), PRINTED,
     'Sec. 3.2: "the soft ranker r_h(x) can also perfectly estimate the expected rank given x"'),
)  # fmt: skip
