"""Lin and Li's reduction in expectation: the regret of the cost is at most the weighted regrets of the answers.

One document's grade y is random, with probabilities p; C[k] = E c_y[k] is the expected cost of rank k, where each c_y
is V-shaped with its minimum at y, and k* a rank of least C. The k-th binary problem asks "is the grade k or higher?",
with the weight w_k = |c_y[k] - c_y[k-1]|; its weighted error in expectation is smallest for one of the two answers, and
an answer g_k exceeds it by e_k >= 0. With r = sum_k g_k,

    C[r] - C[k*] <= sum_k e_k    for rank-monotone answers, and for any answers if C is convex.

Proof:

    1  c_y[k] - c_y[k-1] = w_k if y < k, and -w_k otherwise: so the weighted error of the answer 1 exceeds that of the
       answer 0 by D_k = C[k] - C[k-1], and e_k = (D_k)_+ if g_k = 1, (-D_k)_+ if g_k = 0
    2  rank-monotone, r > k*: C[r] - C[k*] = sum_{k* < k <= r} D_k <= sum of (D_k)_+ there, where g_k = 1; r < k* alike
    3  convex: D_k does not fall. If r > k*, then r - k* or more of the k > k* are answered 1, and their D_k >= 0
       sum to at least those of the r - k* smallest, D_{k*+1} + ... + D_r; r < k* alike

For the oERR cost, which is not convex, the claim fails for other answers (variant-any), as it does for a known grade
(lin_li.reduction). With noise, a bound by errors is weak, since the least weighted error is not 0; a bound by
regrets goes to 0 for the answers that a good learner gives. Lin and Li 2012 have a regret form, too; this one is
restated and proved here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.instances import Cases
from proofs_check.engine.probabilities import distributions
from proofs_check.engine.records import OURS, Line, table
from proofs_check.engine.search import settle_cases
from refrank.cocr.costs import absolute, oerr, squared

Cost = Callable[[np.ndarray, int], np.ndarray]
PARTS = {1: 8, 2: 8, 3: 6, 4: 4}  # K -> parts of the probabilities


def noisy_answers(cost: Cost, monotone: bool, max_grade: int) -> Iterator[Cases]:
    """Yield the probabilities of the grades, the expected costs C, (m, K + 1), and the answers, (m, K)."""
    p = distributions(max_grade + 1, PARTS[max_grade])
    answers = np.indices((2,) * max_grade).reshape(max_grade, -1).T
    if monotone:
        answers = answers[(np.diff(answers, axis=1) <= 0).all(axis=1)]
    which, asked = (part.ravel() for part in np.meshgrid(np.arange(len(p)), np.arange(len(answers))))
    expected = p @ cost(np.arange(max_grade + 1), max_grade)
    parts = {"p": PARTS[max_grade], "C": PARTS[max_grade]}
    yield Cases({"p": p[which], "C": expected[which], "g": answers[asked]}, parts)


def weighted_errors(cost: Cost, case: Cases) -> np.ndarray:
    """Compute the expected weighted errors of the answers 0 and 1 from Eq. 1 and 5, (m, K, 2), in parts."""
    p = case.columns["p"]
    max_grade = p.shape[1] - 1
    weight = abs(np.diff(cost(np.arange(max_grade + 1), max_grade), axis=1))  # (K + 1, K): a line per grade
    right = (np.arange(max_grade + 1)[:, np.newaxis] >= np.arange(1, max_grade + 1)).astype(int)
    return np.stack([p @ (weight * right), p @ (weight * (1 - right))], axis=2)


def regret_bound(cost: Cost, case: Cases) -> Comparison:
    """Claim C[r] - min C <= the sum of the excess errors of the answers."""
    g, expected = case.columns["g"], case.columns["C"]
    errors = weighted_errors(cost, case)
    excess = np.take_along_axis(errors, g[:, :, np.newaxis], axis=2)[:, :, 0] - errors.min(axis=2)
    left = np.take_along_axis(expected, g.sum(axis=1)[:, np.newaxis], axis=1)[:, 0] - expected.min(axis=1)
    return Comparison(left, excess.sum(axis=1), unit=case.scale["p"])


def difference(cost: Cost, case: Cases) -> Iterator[Comparison]:
    """Compare the excess cost of the answer 1 over the answer 0 with C[k] - C[k-1]."""
    errors, steps = weighted_errors(cost, case), np.diff(case.columns["C"], axis=1)
    for k in range(steps.shape[1]):
        yield Comparison(errors[:, k, 1] - errors[:, k, 0], steps[:, k], "==", unit=case.scale["p"], label=f"k={k + 1}")


def line(name: str, statement: str, step: str, claim: Callable, cost: Cost, monotone: bool) -> Line:
    """Build a line of the table for one cost; K = 1 to 4."""
    return Line(name, statement, step, settle_cases(partial(claim, cost), partial(noisy_answers, cost, monotone), 4))


PROOF = "docs/prove/regret.md, Binary answers in expectation"
MONOTONE = "C[r] - min C <= sum of the weighted regrets of rank-monotone answers"
ANY = "C[r] - min C <= sum of the weighted regrets of any answers"
ROWS = table("regret.lin_li", "Lin-Li",
    line("", f"{MONOTONE}, oERR cost", "n = K", regret_bound, oerr, True),
    line("step1", "the weighted error of the answer 1 exceeds that of 0 by C[k] - C[k-1]", "one answer", difference,
         oerr, False),
    line("variant-absolute", f"{ANY}, absolute cost", "convex", regret_bound, absolute, False),
    line("variant-squared", f"{ANY}, squared cost", "convex", regret_bound, squared, False),
    line("variant-any", f"{ANY}, oERR cost", "not convex", regret_bound, oerr, False),
    source=OURS, proof=PROOF,
)  # fmt: skip
