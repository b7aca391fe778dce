"""XE-NDCG (Bruch 2021): the softmax cross entropy with the weights 2^y_i - gamma_i, gamma_i in [0, 1].

pi sorts by scores s, ties in any order; rho is their softmax; gamma is drawn anew for each document and each round, as
LightGBM's objective rank_xendcg does. The loss (restated) is

    -sum_i phi_i log rho_i,     phi_i = x_i / sum_j x_j,     x_i = 2^y_i - gamma_i.

The abstract: the loss "is a convex bound on NDCG". With x as the gains of NDCG,

    -log NDCG_x <= -sum phi_i log rho_i,

and so with the factor kappa = log2 log2 3 = 0.6645 on the right (variant-constant), which is the least.

Proof: ndcg.cross_entropy holds for any gains x_i >= 0 whose sum is positive.

With gamma = 1, x is the usual gain 2^y - 1. Otherwise documents of label 0 have gains, and NDCG_x is not the usual
NDCG: kappa is then too small for the latter (variant-usual-gain). With the labels (0, 0, 1) in the order of pi, gamma =
(0, 1, 1), so that phi = (1/2, 0, 1/2), and rho = (1/2, 1/4, 1/4), the loss is (3/2) log 2 = 1.04, and -log NDCG is
log 2 = 0.69, two thirds of it.

How it is checked. gamma in halves; e^(s_i) are small integers, so that rho is rational; logarithms in floats.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import logarithmic
from proofs_check.engine.exact import UNIT, relevance_gain
from proofs_check.engine.instances import Cases, grade_vectors, sorted_grades
from proofs_check.engine.records import CITED, Line, table
from proofs_check.engine.search import settle_cases
from proofs_check.ndcg.cross_entropy import KAPPA, minus_log

PARTS = 2
POWERS = (1, 2, 4, 16)  # e^s
GRADES = {1: 4, 2: 4, 3: 2, 4: 1}  # number of documents -> the highest grade


def gammas(n: int) -> Iterator[Cases]:
    """Yield labels in the order of pi, gamma in halves, and e^s, non-increasing, whose x are not all 0."""
    y, gamma, power = grade_vectors(n, GRADES[n]), grade_vectors(n, PARTS), sorted_grades(n, POWERS)
    a, b, c = (part.ravel() for part in np.indices((len(y), len(gamma), len(power))))
    some = (PARTS << y[a]).sum(axis=1) > gamma[b].sum(axis=1)
    yield Cases({"y": y[a][some], "gamma": gamma[b][some], "e^s": power[c][some]}, {"gamma": PARTS})


def shifted_gain(case: Cases) -> np.ndarray:
    """Compute x_i = 2^y_i - gamma_i, (m, n)."""
    return np.exp2(case.columns["y"]) - case.columns["gamma"] / PARTS


def loss(case: Cases) -> np.ndarray:
    """Compute XE-NDCG, (m,)."""
    x, power = shifted_gain(case), case.columns["e^s"].astype(float)
    log_rho = np.log(power / power.sum(axis=1, keepdims=True))
    return np.asarray(-(x * log_rho).sum(axis=1) / x.sum(axis=1))


def minus_log_ndcg(gain: np.ndarray) -> np.ndarray:
    """Compute -log NDCG of gains in the order of pi, (m,); 0 if all are 0."""
    c = logarithmic(gain.shape[1])
    return minus_log((gain * c).sum(axis=1), (-np.sort(-gain, axis=1) * c).sum(axis=1))


def bounded(constant: float, case: Cases) -> Comparison:
    return compare(minus_log_ndcg(shifted_gain(case)), constant * loss(case))


def of_usual_gain(case: Cases) -> Comparison:
    """Claim -log NDCG <= kappa times the loss, NDCG with the gains 2^y - 1, if one of them is positive."""
    y = case.columns["y"]
    return compare(minus_log_ndcg(relevance_gain(y).astype(float)), KAPPA * loss(case)).keep_only(y.any(axis=1))


def compare(left: np.ndarray, right: np.ndarray) -> Comparison:
    """Compare up to a few roundings per document, of which there are at most 4."""
    return Comparison(left, right, slack=64 * UNIT * (1 + right))


over = partial(settle_cases, instances=gammas, largest=max(GRADES))
PROOF = "docs/prove/ndcg_bounds.md, XE-NDCG"
WORDS = 'Bruch 2021, Abstract: "a convex bound on NDCG"'
ROWS = table("ndcg.xe_ndcg", "Bruch",
    Line("", "-log NDCG <= -sum phi_i log rho_i, phi_i ~ 2^y_i - gamma_i, which are also NDCG's gains", "",
     over(partial(bounded, 1.0))),
    Line("variant-constant", "the same with kappa = log2 log2 3 = 0.6645 before the sum", "places are integers",
     over(partial(bounded, KAPPA))),
    Line("variant-usual-gain", "the same with kappa, NDCG with the gains 2^y - 1", "other gains than phi's",
     over(of_usual_gain)),
    source=CITED, where=WORDS, proof=PROOF,
)  # fmt: skip
