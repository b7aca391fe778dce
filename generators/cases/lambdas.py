"""Cases of the pair gradients of RankNet and LambdaRank, for one query.

The contract excludes these: they use exp, log1p and sums of floats. The answers are computed pair by pair in decimals
of 50 digits and rounded once, and a port may differ by a few units in the last place.
"""

from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from generators.cases.making import Cases, Family
from refrank.mcrank.pairwise_gradients import lambdarank_gradient, list_preferred_pairs, ranknet_gradient
from refrank.mcrank.swap_change import err_swap_change, ndcg_swap_change

FAMILY = Family("lambdas", "Pair gradients of RankNet and LambdaRank, within a stated tolerance.")

DIGITS = Context(prec=50)
ULPS = 256  # exp and log1p err by some units, sums over the pairs by one each, err_swap_change by up to 2^max_grade
SCORES = {"scores": "s, float64, (n,)", "y": "grades, int64, (n,), not all equal"}
GRADIENT = {"cost": "float64", "lambdas": "float64, (n,): dC/ds"}
CHANGES = {"change": "float64, (n_pairs,), for the pairs (i, j) with y_i > y_j, sorted by i, then by j"}
RANKNET = FAMILY.function(
    "ranknet_gradients",
    "C = sum over y_i > y_j of log(1 + exp(-(s_i - s_j))), and its derivative by each score.",
    "Burges 2010 Sec. 2 and 2.1",
    SCORES,
    GRADIENT,
    ranknet_gradient,
)
LAMBDA = FAMILY.function(
    "lambda_gradients",
    "The same, each pair times the absolute change of NDCG at `truncation` if i and j swapped places.",
    "Burges 2010 Sec. 4; McRank Sec. 1",
    {**SCORES, "truncation": "L, an integer"},
    GRADIENT,
    lambda scores, y, truncation: lambdarank_gradient(scores, y, partial(ndcg_swap_change, truncation=truncation)),
)
ERR_LAMBDA = FAMILY.function(
    "err_lambda_gradients",
    "The same, each pair times the absolute change of ERR.",
    "Burges 2010 Sec. 4; COCR Eq. 8",
    {**SCORES, "max_grade": "K, an integer"},
    GRADIENT,
    lambda scores, y, max_grade: lambdarank_gradient(scores, y, partial(err_swap_change, max_grade=max_grade)),
)
NDCG_CHANGE = FAMILY.function(
    "ndcg_swap_change",
    "Absolute change of NDCG at `truncation` where two documents swap places.",
    "McRank Eq. 1 to 3",
    {**SCORES, "truncation": "L, an integer"},
    CHANGES,
    lambda scores, y, truncation: ndcg_swap_change(scores, y, *list_preferred_pairs(y), truncation=truncation),
)
ERR_CHANGE = FAMILY.function(
    "err_swap_change",
    "Absolute change of ERR where two documents swap places.",
    "COCR Eq. 8",
    {**SCORES, "max_grade": "K, an integer"},
    CHANGES,
    lambda scores, y, max_grade: err_swap_change(scores, y, *list_preferred_pairs(y), max_grade=max_grade),
)
Measure = Callable[[list[int]], Decimal]


def list_pairs(y: Any) -> list[tuple[int, int]]:
    """List (i, j) with y_i > y_j, sorted."""
    return [(i, j) for i in range(len(y)) for j in range(len(y)) if y[i] > y[j]]


def compute_changes(scores: Any, y: Any, measure: Measure) -> list[Decimal]:
    """Swap the documents of each pair, and recompute the measure."""
    order = [int(document) for document in np.argsort(-scores, kind="stable")]
    before, absolute = measure([int(y[d]) for d in order]), []
    for i, j in list_pairs(y):
        swapped = [{i: j, j: i}.get(d, d) for d in order]
        absolute.append(abs(measure([int(y[d]) for d in swapped]) - before))
    return absolute


def measure_ndcg(y: Any, truncation: int) -> Measure:
    """Compute NDCG in decimals."""

    def dcg(ranked: list[int]) -> Decimal:
        terms = [Decimal(2**label - 1) / Decimal(r + 1).ln() for r, label in enumerate(ranked[:truncation], start=1)]
        return add(terms)

    ideal = dcg(sorted((int(label) for label in y), reverse=True))
    return lambda ranked: dcg(ranked) / ideal


def measure_err(max_grade: int) -> Measure:
    """Compute ERR in fractions."""

    def err(ranked: list[int]) -> Decimal:
        total, looking = Fraction(0), Fraction(1)
        for r, label in enumerate(ranked, start=1):
            stop = Fraction(2**label - 1, 2**max_grade)
            total, looking = total + looking * stop / r, looking * (1 - stop)
        return Decimal(total.numerator) / Decimal(total.denominator)

    return err


def add(terms: list[Decimal]) -> Decimal:
    """Add decimals."""
    total = Decimal(0)
    for term in terms:
        total += term
    return total


def add_pairs(scores: Any, y: Any, weights: list[Decimal]) -> Any:
    """Add up the pairs."""
    cost, lambdas = Decimal(0), [Decimal(0)] * len(y)
    for (i, j), weight in zip(list_pairs(y), weights, strict=True):
        margin = Decimal(float(scores[i])) - Decimal(float(scores[j]))
        cost += weight * (1 + (-margin).exp()).ln()
        slope = -weight / (1 + margin.exp())
        lambdas[i], lambdas[j] = lambdas[i] + slope, lambdas[j] - slope
    return float(cost), np.array(lambdas, float)


def weigh(scores: Any, y: Any, measure_of: Any = None, answer_changes: bool = False) -> Any:
    """Compute a gradient, or the changes of a measure, in decimals."""
    with localcontext(DIGITS):
        pairs = list_pairs(y)
        weights = [Decimal(1)] * len(pairs) if measure_of is None else compute_changes(scores, y, measure_of(y))
        return np.array(weights, float) if answer_changes else add_pairs(scores, y, weights)


def weigh_by_ndcg(scores: Any, y: Any, truncation: int, **choices: Any) -> Any:
    """Weigh pairs by NDCG."""
    return weigh(scores, y, lambda labels: measure_ndcg(labels, truncation), **choices)


def weigh_by_err(scores: Any, y: Any, max_grade: int, **choices: Any) -> Any:
    """Weigh pairs by ERR."""
    return weigh(scores, y, lambda labels: measure_err(max_grade), **choices)


@FAMILY.part
def list_cases() -> Cases:
    """Yield the cases of pair gradients."""
    queries = (
        ("tied", [0.0, 0.0, 0.0], [0, 1, 2], "Equal scores: every pair is a coin toss."),
        ("four-documents", [0.5, -1.25, 2.0, 0.1], [2, 0, 1, 3], "Right and wrong orders."),
        ("far-apart", [40.0, -40.0, 3.0], [0, 1, 1], "exp must not overflow where the order is badly wrong."),
        ("two-grades", [0.3, 0.2, 0.1, 0.0, -0.1], [0, 1, 0, 1, 1], "K = 2."),
        ("very-far-apart", [800.0, -800.0], [0, 1], "exp(1600) is infinite in float64; the slope is 1."),
    )
    for name, scores, y, said in queries:
        input = {"scores": scores, "y": y}
        plain = name in ("tied", "four-documents")
        mutants = "sign-swapped slopes-halved" if plain else ""
        flags = ("float-sums",)
        given: dict[str, Any] = {"ulps": ULPS, "flags": flags}
        yield from RANKNET.valid(name, input, said, mutants=mutants, compute=weigh, **given)
        for function, more, compute, other in (
            (LAMBDA, {"truncation": 2}, weigh_by_ndcg, "other-truncation"),
            (ERR_LAMBDA, {"max_grade": 4}, weigh_by_err, "other-max-grade"),
        ):
            changed = f"{mutants} change-ignored {other}" if plain else ""
            yield from function.valid(name, {**input, **more}, said, mutants=changed, compute=compute, **given)
        for function, more, compute in (
            (NDCG_CHANGE, {"truncation": 2}, weigh_by_ndcg),
            (ERR_CHANGE, {"max_grade": 4}, weigh_by_err),
        ):
            answer = partial(compute, answer_changes=True)
            yield from function.valid(name, {**input, **more}, said, compute=answer, **given)
