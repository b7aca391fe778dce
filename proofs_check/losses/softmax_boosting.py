"""McRank, Alg. 1: the decrease of Eq. 7's loss by a Newton step, and when the step raises it.

One leaf of the tree of class k holds documents with the probabilities p_i of class k; y~_i is 1 if the document is
of class k. Lines 6 and 7 add t = nu beta to their F_k,

    beta = (K-1)/K G/H,   G = sum (y~_i - p_i),   H = sum p_i (1 - p_i).

Eq. 7's loss changes by D = sum_i [log(1 - p_i + p_i e^t) - y~_i t] (step 1), and, with x = |t|,

    D <= -G t + H (e^x - 1 - x).

Proof. Let q(s) = log(1 - p + p e^s) and p_s = p e^s / (1 - p + p e^s). Then q'(0) = p, the second derivative is
p_s (1 - p_s), and the third is at most that in size, so q''(s) <= p (1 - p) e^|s|. Integrate twice: q(t) <= p t +
p (1 - p) (e^x - 1 - x) (step 2), and add up.

As G t = t^2 H / a with a = nu (K-1)/K, and (e^x - 1 - x) / x^2 rises with x:

    a step of |t| <= 1 lowers the loss, by at least (1/a - (e - 2)) H t^2, e - 2 = .718                  variant-lowers
    a leaf with one document lowers the loss, for any t                                            variant-one-document

A larger step can raise it (variant-never-raises): two documents suffice, one of class k and one of another, if both
have a small p, because H is small then, and t = a G/H overshoots. In the first round all p are 1/K, t = nu (K f - 1)
for a leaf with the share f of class k, and

    D / n = log(1 + (e^t - 1) / K) - f t:

no step with nu = 1 raises the loss for K <= 11 (variant-first-round), so none with the papers' five grades, and two
documents of different classes in one leaf do for K = 12 (variant-first-round-12). Smaller nu lower it whenever nu = 1
does, since D is convex in t and 0 at t = 0.

The bounds are for one tree. The sequential update of the paper changes one class at a time, so D of all its trees add
up; Friedman's simultaneous update changes all classes at once, and D of one tree is not what the round changes.

How it is checked. In floats, with a slack: probabilities in 64ths, 1/64 and 63/64 among them; a in sixteenths.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.exact import UNIT
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import OURS, Line, table
from proofs_check.engine.search import settle_cases

PARTS, PROBABILITIES = 64, (1, 2, 6, 16, 32, 48, 62, 63)
SIXTEENTHS, FACTORS = 16, (1, 4, 8, 12, 15)  # of a = nu (K-1)/K


def leaves(n: int) -> Iterator[Cases]:
    """Yield n documents of one leaf: y~, p and a."""
    kinds = np.array([(y, p) for y in (0, 1) for p in PROBABILITIES])
    which = np.indices((len(kinds),) * n).reshape(n, -1).T
    which = which[(np.diff(which, axis=1) >= 0).all(axis=1)]  # their order does not matter
    for a in FACTORS:
        columns = {"y": kinds[which, 0], "p": kinds[which, 1], "a": np.full(len(which), a)}
        yield Cases(columns, {"p": PARTS, "a": SIXTEENTHS})


def parts_of(case: Cases) -> tuple[np.ndarray, ...]:
    """Compute y~ and p, (m, n), and t, G and H, (m,)."""
    y, p, a = case.columns["y"], case.columns["p"] / PARTS, case.columns["a"] / SIXTEENTHS
    g, h = (y - p).sum(axis=1), (p * (1 - p)).sum(axis=1)
    return y, p, a * g / h, g, h


def change(y: np.ndarray, p: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Compute D, (m,)."""
    t = t[:, np.newaxis]
    return np.asarray((np.logaddexp(np.log1p(-p), np.log(p) + t) - y * t).sum(axis=1))


def excess(x: np.ndarray) -> np.ndarray:
    """Compute e^x - 1 - x, without cancellation for small x."""
    series = x**2 / 2 * (1 + x / 3 * (1 + x / 4 * (1 + x / 5)))
    return np.where(x < 1e-3, series, np.expm1(x) - x)


def room(case: Cases) -> np.ndarray:
    """Bound the rounding of D and of its bound: a few roundings of terms of this size, (m,)."""
    y, _, t, g, h = parts_of(case)
    return np.asarray(64 * y.shape[1] * UNIT * (1 + abs(t) + abs(g * t) + h * np.exp(abs(t)) * (1 + abs(t))))


def newton_step(case: Cases) -> Comparison:
    """Claim the bound; G t is on the left, so that no side is negative."""
    y, p, t, g, h = parts_of(case)
    return Comparison(change(y, p, t) + g * t, h * excess(abs(t)), slack=room(case))


def by_softmax(case: Cases) -> Comparison:
    """Compare D with Eq. 7 before and after, from its definition with three classes; class k is the first."""
    y, p, t, _, _ = parts_of(case)
    scores = np.log(np.stack([p, 2 / 3 * (1 - p), 1 / 3 * (1 - p)], axis=2))  # (m, n, 3)
    after = scores.copy()
    after[:, :, 0] += t[:, np.newaxis]
    losses = []
    for f in (scores, after):
        log_proba = f - np.logaddexp.reduce(f, axis=2)[:, :, np.newaxis]
        losses.append(-np.where(y == 1, log_proba[:, :, 0], log_proba[:, :, 1]).sum(axis=1))
    return Comparison(losses[1] - losses[0], change(y, p, t), "==", slack=8 * room(case))


def one_term(case: Cases) -> Comparison:
    _, p, t, _, _ = parts_of(case)
    p = p[:, 0]
    left = np.logaddexp(np.log1p(-p), np.log(p) + t) - p * t
    return Comparison(left, p * (1 - p) * excess(abs(t)), slack=room(case))


def lowers(case: Cases) -> Comparison:
    """Claim that a step of |t| <= 1 lowers the loss by the stated amount."""
    y, p, t, _, h = parts_of(case)
    a = case.columns["a"] / SIXTEENTHS
    least = (1 / a - (np.e - 2)) * h * t**2
    return Comparison(least, -change(y, p, t), slack=room(case)).keep_only(abs(t) <= 1)


def never_raises(case: Cases) -> Comparison:
    y, p, t, _, _ = parts_of(case)
    return Comparison(change(y, p, t), np.zeros(case.m), slack=room(case))


# ---- the first round: p = 1/K ----


def first_round(n_classes: int) -> Iterator[Cases]:
    """Yield leaves of up to 12 documents, m of them of class k; nu = 1."""
    pairs = [(m, n) for n in range(1, 13) for m in range(n + 1)]
    m, n = np.array(pairs).T
    yield Cases({"K": np.full(len(m), n_classes), "of class k": m, "documents": n})


def first_step(case: Cases) -> Comparison:
    """Claim D <= 0."""
    k, m, n = (case.columns[name].astype(float) for name in ("K", "of class k", "documents"))
    t = k * m / n - 1
    left = n * np.log1p(np.expm1(t) / k) - m * t
    return Comparison(left, np.zeros(case.m), slack=64 * UNIT * n * (1 + abs(t)))


PROOF = "docs/prove/boosting_rounds.md, Softmax"
ROWS = table("losses.softmax_boosting", "new",
    Line("", "a Newton step takes G t - H (e^x - 1 - x) or more off Eq. 7's loss, x = |t|", "",
     settle_cases(newton_step, leaves, 3)),
    Line("step1", "it changes it by sum log(1 - p + p e^t) - y~ t", "Eq. 7", settle_cases(by_softmax, leaves, 3)),
    Line("step2", "log(1 - p + p e^t) <= p t + p (1 - p) (e^x - 1 - x)", "one document",
     settle_cases(one_term, leaves, 1)),
    Line("variant-lowers", "a step of |t| <= 1 takes off (1/a - (e - 2)) H t^2 or more, a = nu (K-1)/K", "small steps",
     settle_cases(lowers, leaves, 3)),
    Line("variant-one-document", "a step in a leaf of one document does not raise the loss", "n = 1",
     settle_cases(never_raises, leaves, 1)),
    Line("variant-never-raises", "a step does not raise the loss", "any leaf", settle_cases(never_raises, leaves, 3)),
    Line("variant-first-round", "nu = 1, p = 1/K: a step does not raise the loss, for K <= 11", "first round; n = K",
     settle_cases(first_step, first_round, 11, smallest=2)),
    Line("variant-first-round-12", "nu = 1, p = 1/K: a step does not raise the loss, for K = 12", "first round; n = K",
     settle_cases(first_step, first_round, 12, smallest=12)),
    source=OURS, proof=PROOF,
)  # fmt: skip
