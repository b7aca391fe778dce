"""McRank, Alg. 2: the decrease of the loss in one round of least-squares boosting.

A round adds nu times the mean residual of its leaf to each score. r_i are the residuals, R the leaves, S = sum r_i^2
the loss. For any leaves,

    S_after = S - nu (2 - nu) sum_R (sum_{i in R} r_i)^2 / |R|.

Proof: within a leaf of mean b, sum (r_i - nu b)^2 = sum r_i^2 - 2 nu b |R| b + nu^2 b^2 |R|. (trees.ls_training_error
proves the same for the tree that Alg. 2 grows.)

How small can the sum be? After line 1 of Alg. 2 the residuals add up to 0, in every round. Let a feature have a
different value for each of n rows; then the best cut removes at least the share 1/s_n of S, times nu (2 - nu), with

    s_n = sum_{b=1..n} (sqrt(w_b) + sqrt(w_{b-1}))^2,  w_b = b (n - b) / n;      s_n <= 2 (n^2 - 1) / 3.

Proof: with T_b = r_1 + ... + r_b the cut after b gains T_b^2 / w_b. If G is the largest gain, |T_b| <= sqrt(G w_b), and
sum r_b^2 = sum (T_b - T_{b-1})^2 <= G s_n. This is attained by T_b = (-1)^b sqrt(w_b). Last, (x + y)^2 <= 2 x^2 + 2 y^2
and sum w_b = (n^2 - 1) / 6.

So S_M <= (1 - nu (2 - nu) / s_n)^M S_0: the training loss of Alg. 2 goes to 0 for any 0 < nu < 2 if such a feature
exists, and |z - f| in the bound by the regression error (cossock_zhang.thm2) with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.exact import UNIT
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import OURS, Line, table
from proofs_check.engine.search import settle_cases

EIGHTHS = 8  # of nu
WIDEST = {2: 6, 3: 6, 4: 5, 5: 3, 6: 2, 7: 1}  # residuals are -w..w, by the number of rows


def two_leaves(n: int) -> Iterator[Cases]:
    """Yield residuals -2..2, all partitions of n rows into two leaves, of which one may be empty, and nu."""
    r = np.indices((5,) * n).reshape(n, -1).T - 2
    for inside in np.indices((2,) * n).reshape(n, -1).T[: 2 ** (n - 1)]:
        for nu in (1, 4, 8, 12, 16, 20):
            yield Cases({"r": r, "leaf": np.tile(inside, (len(r), 1)), "nu": np.full(len(r), nu)}, {"nu": EIGHTHS})


def identity(case: Cases) -> Comparison:
    """Compare the loss after the round, row by row, with the identity."""
    r, leaf, nu = (case.columns[name] for name in ("r", "leaf", "nu"))
    unit = lcm(*range(1, r.shape[1] + 1))
    step, taken = np.zeros_like(r), np.zeros(case.m, dtype=np.int64)
    for side in (leaf == 0, leaf == 1):
        total, count = (r * side).sum(axis=1), np.maximum(side.sum(axis=1), 1)
        step += side * (nu * total * unit // count)[:, np.newaxis]  # in eighths of 1/unit
        taken += total**2 * unit // count
    after = ((EIGHTHS * unit * r - step) ** 2).sum(axis=1)
    right = EIGHTHS**2 * unit**2 * (r**2).sum(axis=1) - nu * (2 * EIGHTHS - nu) * unit * taken
    return Comparison(after, right, "==", unit=EIGHTHS**2 * unit**2)


# ---- the best cut of n rows ----


def centred(n: int) -> Iterator[Cases]:
    """Yield residuals of n rows that add up to 0, in the order of the feature."""
    width = WIDEST[n]
    r = np.indices((2 * width + 1,) * n).reshape(n, -1).T - width
    yield Cases({"r": r[r.sum(axis=1) == 0]})


def largest_gain(r: np.ndarray) -> np.ndarray:
    """Compute max_b T_b^2 / (b (n - b)), times lcm of the denominators and without the factor n, (m,)."""
    n = r.shape[1]
    b = np.arange(1, n)
    scale = lcm(*(b * (n - b)).tolist())
    return np.asarray((np.cumsum(r, axis=1)[:, :-1] ** 2 * (scale // (b * (n - b)))).max(axis=1))


def share(case: Cases) -> Comparison:
    """Claim S <= (2 (n^2 - 1) / 3) G."""
    r = case.columns["r"]
    n = r.shape[1]
    b = np.arange(1, n)
    scale = lcm(*(b * (n - b)).tolist())
    right = 2 * (n**2 - 1) * n * largest_gain(r)
    return Comparison(3 * scale * (r**2).sum(axis=1), right, unit=3 * scale)


def sharp_share(case: Cases) -> Comparison:
    """Claim S <= s_n G, in floats."""
    r = case.columns["r"]
    n = r.shape[1]
    w = np.arange(n + 1) * (n - np.arange(n + 1)) / n
    gain = (np.cumsum(r, axis=1)[:, :-1] ** 2 / w[1:-1]).max(axis=1)
    right = ((np.sqrt(w[1:]) + np.sqrt(w[:-1])) ** 2).sum() * gain
    return Comparison((r**2).sum(axis=1).astype(float), right, slack=8 * n * UNIT * right)


PROOF = "docs/prove/boosting_rounds.md, Least squares"
ROWS = table("losses.ls_boosting", "new",
    Line("", "S_after = S - nu (2 - nu) sum_R (sum_{i in R} r_i)^2 / |R|, for any leaves R", "",
     settle_cases(identity, two_leaves, 4)),
    Line("variant-share", "S <= (2 (n^2 - 1) / 3) (gain of the best cut), n rows of different values, sum r = 0",
     "share of a cut", settle_cases(share, centred, 7, smallest=2)),
    Line("variant-share-sharp", "S <= s_n (gain of the best cut), s_n = sum (sqrt(w_b) + sqrt(w_{b-1}))^2",
     "least share", settle_cases(sharp_share, centred, 7, smallest=2)),
    source=OURS, proof=PROOF,
)  # fmt: skip
