"""NDCG: every bound of the DCG error, divided by the ideal, bounds 1 - NDCG.

For labels with at least one positive and discounts c_1 >= ... >= c_n >= 0 with c_1 > 0, DCG_g is positive and
NDCG = DCG_pi / DCG_g, so

    1 - NDCG = (DCG_g - DCG_pi) / DCG_g

and each bound B of the DCG error gives 1 - NDCG <= B / DCG_g. Both sides scale with the gains, and no longer depend on
the unit of c.

The bound B / DCG_g also depends on the labels. The number of errors alone gives no bound: one document of
grade K that is predicted 0 and ranked last behind documents of grade 0 has 1 - NDCG = 1 - c_n / c_1, and this is the
largest possible value of 1 - NDCG (variant-errors, variant-errors-attained). Proof: each document keeps at
least c_n, so DCG_pi >= c_n sum z_i, and DCG_g <= c_1 sum z_i. This needs c_n >= 0: with c = (2, -1, -1) it fails
(variant-negative).

How it is checked. Both sides are multiplied by DCG_g, so they are integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import integer_discounts, name
from proofs_check.engine.evidence import Claim, list_comparisons
from proofs_check.engine.exact import dcg_error, ideal, relevance_gain
from proofs_check.engine.instances import Rankings, in_order_of_pi
from proofs_check.engine.records import OURS, Effort, Finding, Line, table
from proofs_check.engine.search import settle
from proofs_check.mcrank.lemma1 import by_errors, lemma1, worst_of_each_count
from proofs_check.new.dcg_threshold import bound as thresholds
from proofs_check.new.isotonic import isotonic
from proofs_check.new.min_pairing import bound as min_pairing


def identity(r: Rankings) -> Iterator[Comparison]:
    """Compare (1 - NDCG) DCG_g, from the definition of NDCG, with the DCG error."""
    for c in integer_discounts(r.n):
        dcg, best = dcg_of(r.y, c), dcg_of(ideal(r.y), c)
        yield Comparison(best - dcg, dcg_error(r.y, c), "==", label=name(c))


def dcg_of(y: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Compute the DCG of labels in the order of a ranking, (m,)."""
    return (relevance_gain(y) * c).sum(axis=1)


def over_ideal(claim: Claim, r: Rankings) -> Iterator[Comparison]:
    """Claim a bound of the DCG error wherever NDCG is defined."""
    defined = (r.y > 0).any(axis=1)
    for comparison in list_comparisons(claim(r)):
        yield comparison.keep_only(defined)


def by_any_errors(
    r: Rankings, discounts: Callable[[int], list[np.ndarray]] = integer_discounts
) -> Iterator[Comparison]:
    """Claim (1 - NDCG) DCG_g <= (1 - c_n / c_1) DCG_g if there is an error and DCG_g > 0; both sides times c_1."""
    for c in discounts(r.n):
        best = dcg_of(ideal(r.y), c)
        right = (c[0] - c[-1]) * best * (r.errors > 0)
        yield Comparison(c[0] * dcg_error(r.y, c), right, label=name(c)).keep_only(best > 0)


def below_zero(n: int) -> list[np.ndarray]:
    """List c = (2, -1, ..., -1), whose sum with gains is not in general positive."""
    return [3 * integer_discounts(n)[0] - 1]


def attained(r: Rankings) -> Iterator[Comparison]:
    for comparison in by_any_errors(r):
        yield Comparison(comparison.left, comparison.right, "==", label=comparison.label)


def one_error(n: int, max_grade: int) -> Iterator[Rankings]:
    """Yield one document of grade K, predicted 0 and last, behind documents of grade 0."""
    _, instance, *_ = [*worst_of_each_count(n, max_grade), None]
    if instance is not None:
        yield instance


def divided(claim: Claim, **options: object) -> Callable[[Effort], Finding]:
    """Build the check of a bound divided by the ideal."""
    return settle(partial(over_ideal, claim), **options)


PROOF = "docs/prove/ndcg_bounds.md, Divided by the ideal"
ROWS = table("ndcg.by_ideal", "new",
    Line("", "1 - NDCG = (DCG_g - DCG_pi) / DCG_g", "", settle(identity, instances=in_order_of_pi)),
    Line("variant-lemma1", "1 - NDCG <= (McRank's Lemma 1) / DCG_g", "number of errors",
     divided(partial(lemma1, integer_discounts))),
    Line("variant-lemma1-sharp", "1 - NDCG <= 15 S(min(errors, n/2)) / DCG_g", "number of errors", divided(by_errors)),
    Line("variant-min-pairing", "1 - NDCG <= (sum (c_i - c_{n+1-i})^2 sum (2^y - 2^yhat)^2)^(1/2) / DCG_g",
     "gain differences", divided(min_pairing)),
    Line("variant-thresholds", "1 - NDCG <= sum_t 2^(t-1) S(max(U_t, O_t)) / DCG_g", "thresholds", divided(thresholds)),
    Line("variant-isotonic", "1 - NDCG <= (sum (c_i - c_{n+1-i})^2)^(1/2) |z - pava(z)| / DCG_g", "the ranking itself",
     divided(isotonic, instances=in_order_of_pi)),
    Line("variant-errors", "1 - NDCG <= 1 - c_n / c_1 if there is an error", "errors alone", settle(by_any_errors)),
    Line("variant-negative", "the same with c_n < 0, where DCG_g > 0", "c >= 0 is needed",
     settle(partial(by_any_errors, discounts=below_zero))),
    Line("variant-errors-attained", "attained with one error, for every n and all c", "errors alone",
     settle(attained, instances=one_error, climbing=False, smallest=2)),
    source=OURS, proof=PROOF,
)  # fmt: skip
