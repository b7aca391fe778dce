"""Mohan et al., App. A, Definition 1: the ranker that sorts by label is perfect: it maximises ERR.

As printed: "A ranker, g is a perfect ranker, if it ranks documents according to their original label y_i"; that no
ranking has a larger ERR is taken for granted. It is true, by adjacent swaps. Let a, b be the stop probabilities at
positions i, i+1 of some ranking, and P the probability of reaching position i. Exchanging the two documents changes ERR
by

    P (a/i + (1-a) b/(i+1)) - P (b/i + (1-b) a/(i+1)) = P (a - b) / (i (i+1)),          step 1

since the term ab/(i+1) is in both, and the product of the two factors after them stays the same. So every swap that
puts the larger stop probability first gains, and swaps lead from any ranking to g. The proof uses only that
0 <= R <= 1 and that R does not fall in y; a cut-off k only removes positions at the end.

Instances: labels in the order of a ranking pi, all arrangements.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import reciprocal
from proofs_check.engine.exact import (
    discounted_looks,
    err,
    exchanged,
    ideal,
    relevance_gain,
    stops,
    stops_by_relevance,
    unit,
)
from proofs_check.engine.instances import Cases, Rankings, grade_vectors, in_order_of_pi
from proofs_check.engine.records import IMPLIED, OURS, Line, table
from proofs_check.engine.search import settle, settle_cases, settle_tied

FOURTHS = 4


def perfect(r: Rankings) -> Comparison:
    return Comparison(err(r.y, r.scale), err(ideal(r.y), r.scale), unit=unit(r.n, r.scale))


def step1(r: Rankings) -> Iterator[Comparison]:
    """Compare the change of ERR, times i (i+1), with P (a - b), where C(i) = P/i."""
    c, gain = discounted_looks(r.y, r.scale), relevance_gain(r.y)
    for i in range(r.n - 1):
        change = (err(r.y, r.scale) - err(exchanged(r.y, i), r.scale)) * (i + 1) * (i + 2)
        yield Comparison(change, c[:, i] * (i + 1) * (gain[:, i] - gain[:, i + 1]), "==")


def ties(r: Rankings) -> Comparison:
    """Claim that any order of equal labels gives the same ERR: every g has the same sequence of labels."""
    by_g = np.empty_like(r.y)
    np.put_along_axis(by_g, r.g.astype(np.int64) - 1, r.y, axis=1)
    return Comparison(err(by_g, r.scale), err(ideal(r.y), r.scale), "==", unit=unit(r.n, r.scale))


def cut_off(r: Rankings) -> Iterator[Comparison]:
    for k in range(1, r.n):
        left, best = ((reciprocal(r.n) * stops(y, r.scale))[:, :k].sum(axis=1) for y in (r.y, ideal(r.y)))
        yield Comparison(left, best, unit=unit(r.n, r.scale))


# ---- any stop probabilities in [0, 1], 0 and 1 included ----


def probabilities(n: int) -> Iterator[Cases]:
    """Yield R in the order of pi, in quarters."""
    yield Cases({"R": grade_vectors(n)}, {"R": FOURTHS})


def any_probabilities(cases: Cases) -> Comparison:
    quarters = cases.columns["R"]
    n = quarters.shape[1]
    common = FOURTHS**n * int(reciprocal(n)[0])
    return Comparison(err_of_quarters(quarters), err_of_quarters(ideal(quarters)), unit=common)


def err_of_quarters(quarters: np.ndarray) -> np.ndarray:
    """Compute ERR for R in quarters, times 4^n lcm(1..n), (m,)."""
    return (reciprocal(quarters.shape[1]) * stops_by_relevance(quarters, FOURTHS)).sum(axis=1)


DEFINITION = 'App. A, Definition 1: "A ranker, g is a perfect ranker, if it ranks documents according to their label"'
ARBITRARY = 'App. A, Definition 1: "When y_i = y_j, then document i and document j are arbitrarily ranked"'
ROWS = table("igbrt.perfect_ranker", "iGBRT",
    Line("", "ERR_pi <= ERR_g: sorting by label maximises ERR",
     "", settle(perfect, instances=in_order_of_pi), IMPLIED),
    Line("step1", "an adjacent swap changes ERR by P (R_a - R_b)/(i (i+1))",
     "adjacent swap", settle(step1, instances=in_order_of_pi), OURS),
    Line("variant-ties", "every order of equal labels has the same ERR", "Definition 1",
     settle_tied(ties), IMPLIED, ARBITRARY),
    Line("variant-cut-off", "sorting by label maximises ERR@k for every k",
     "any k", settle(cut_off, instances=in_order_of_pi, smallest=2)),
    Line("variant-any-R", "the statement for any stop probabilities in [0, 1]",
     "any R", settle_cases(any_probabilities, probabilities)),
    where=DEFINITION, proof="docs/reference/errata.md, iGBRT Definition 1",
)  # fmt: skip
