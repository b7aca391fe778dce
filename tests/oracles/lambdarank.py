"""RankNet and LambdaRank pair by pair, from the definitions, in plain Python: slow and literal.

The change of a measure: two documents swap places in the ranked list, and the measure is evaluated again.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from tests.oracles.metrics import exact_err

Measure = Callable[[Sequence[int]], float | Fraction]


def ndcg(ranked_grades: Sequence[int], truncation: int) -> float:
    """McRank Eq. 2 and 3: DCG of the list over the DCG of the list sorted by grade."""
    return dcg(ranked_grades, truncation) / dcg(sorted(ranked_grades, reverse=True), truncation)


def dcg(ranked_grades: Sequence[int], truncation: int) -> float:
    return math.fsum((2**y - 1) / math.log2(1 + r) for r, y in enumerate(ranked_grades[:truncation], start=1))


def err(ranked_grades: Sequence[int], max_grade: int) -> Fraction:
    """Mean of 1/place over the places at which the user stops, 0 for a user who never stops; exact."""
    return exact_err([int(y) for y in ranked_grades], None, max_grade)


def swap_change(scores: Sequence[float], y: Sequence[int], i: int, j: int, measure: Measure) -> float | Fraction:
    """Change of `measure` when documents i and j trade places in the list by score, ties in file order."""
    ranked = sorted(range(len(y)), key=lambda document: -scores[document])
    swapped = [{i: j, j: i}.get(document, document) for document in ranked]
    return measure([y[d] for d in swapped]) - measure([y[d] for d in ranked])


def weighted_cost(scores: Sequence[float], y: Sequence[int], weight: Callable[[int, int], float]) -> float:
    """Sum over the pairs with y_i > y_j of -log P_ij times a weight, which is 1 for RankNet."""
    return math.fsum(
        weight(i, j) * math.log1p(math.exp(-(scores[i] - scores[j])))  # log1p: P_ij itself rounds near 1
        for i in range(len(y))
        for j in range(len(y))
        if y[i] > y[j]
    )


def lambdas(scores: Sequence[float], y: Sequence[int], weight: Callable[[int, int], float]) -> list[float]:
    """Each document's sum of its pairs' slopes; `weight` is 1 for RankNet, |Delta Z_ij| for LambdaRank."""
    terms: list[list[float]] = [[] for _ in y]
    for i in range(len(y)):
        for j in range(len(y)):
            if y[i] > y[j]:
                slope = -weight(i, j) / (1 + math.exp(scores[i] - scores[j]))
                terms[i].append(slope)
                terms[j].append(-slope)
    return [math.fsum(of_document) for of_document in terms]
