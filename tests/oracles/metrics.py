"""Metrics of rankings from their definitions: one query, one document, one position at a time.

This module shares only the record of the choices with `refrank.metrics`. Rational definitions are also computed in
fractions, over every order of tied documents.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache, partial

from refrank.metrics import MetricSpec

NAN = math.nan
DIGITS = Context(prec=60)


@cache
def ln(n: int) -> Decimal:
    return Decimal(n).ln(DIGITS)


def log2(n: int) -> float:
    """Round to the nearest float64: among the first million no logarithm is so near to a tie that digit 60 matters."""
    return float(DIGITS.divide(ln(n), ln(2)))


DISCOUNTS = {
    "log2(1+i)": lambda i: 1 / log2(1 + i),
    "ln(1+i)": lambda i: 1 / float(ln(1 + i)),
    "letor": lambda i: 1.0 if i <= 2 else 1 / log2(i),
}


def ndcg_per_query(y, score, qid, k, spec, doc_id=None) -> list[float]:
    """Compute the NDCG of each query, in order of first appearance; NaN if skipped."""
    return [
        _rules(_has_gain(labels, spec), labels, k, spec, ranked, _ndcg, spec.no_relevant)
        for labels, ranked in _rankings(y, score, qid, spec, doc_id)
    ]


def dcg_per_query(y, score, qid, k, spec, doc_id=None) -> list[float]:
    """Compute the DCG of each query."""
    return [
        _rules(_has_gain(labels, spec), labels, k, spec, ranked, _dcg_of_query, 0.0)
        for labels, ranked in _rankings(y, score, qid, spec, doc_id)
    ]


def err_per_query(y, score, qid, k, spec, max_grade, doc_id=None) -> list[float]:
    """Compute the ERR of each query, for every tie rule except averaged."""
    return [
        _rules(max(labels) > 0, labels, k, spec, ranked, partial(_err, max_grade=max_grade), 0.0)
        for labels, ranked in _rankings(y, score, qid, spec, doc_id)
    ]


def average_precision_per_query(y, score, qid, k, spec, doc_id=None) -> list[float]:
    """Compute the AP of each query, for every tie rule except averaged."""
    empty = spec.no_relevant if spec.map_no_relevant is None else spec.map_no_relevant
    return _binary_per_query(y, score, qid, k, spec, doc_id, average_precision, empty)


def reciprocal_rank_per_query(y, score, qid, k, spec, doc_id=None) -> list[float]:
    """Compute the reciprocal rank of each query, for every tie rule except averaged."""
    return _binary_per_query(y, score, qid, k, spec, doc_id, reciprocal_rank, 0.0)


def precision_per_query(y, score, qid, k, spec, doc_id=None) -> list[float]:
    """Compute the precision of each query, for every tie rule except averaged."""
    return _binary_per_query(y, score, qid, k, spec, doc_id, precision, 0.0)


def recall_per_query(y, score, qid, k, spec, doc_id=None) -> list[float]:
    """Compute the recall of each query, for every tie rule except averaged."""
    return _binary_per_query(y, score, qid, k, spec, doc_id, recall, spec.no_relevant)


def average_precision(ranked, n_relevant, k, spec, number=float):
    """Compute AP of one order, from whether each document is relevant; `number=Fraction` makes it exact."""
    total = number(0)
    for position, relevant in enumerate(ranked[:k], start=1):
        if relevant:
            total += number(sum(ranked[:position])) / position
    return total / (n_relevant if k is None or spec.map_divisor == "relevant" else min(n_relevant, k))


def reciprocal_rank(ranked, n_relevant, k, spec, number=float):
    return next((number(1) / position for position, relevant in enumerate(ranked[:k], 1) if relevant), number(0))


def precision(ranked, n_relevant, k, spec, number=float):
    few = k is None or (spec.precision_divisor == "at most documents" and len(ranked) < k)
    return number(sum(ranked[:k])) / (len(ranked) if few else k) if ranked else number(0)


def recall(ranked, n_relevant, k, spec, number=float):
    return number(sum(ranked[:k])) / n_relevant


def exact_mean(value, labels, scores, k, spec) -> Fraction:
    """Average a value of binary relevance over every order of tied documents, in fractions."""
    n_relevant = sum(label >= spec.relevant for label in labels)
    orders = [[label >= spec.relevant for label in order] for order in tied_orders(labels, scores)]
    return sum((value(order, n_relevant, k, spec, Fraction) for order in orders), Fraction(0)) / len(orders)


def _binary_per_query(y, score, qid, k, spec, doc_id, value, empty):
    values = []
    for labels, ranked in _rankings(y, score, qid, spec, doc_id):
        relevant, n_relevant = [label >= spec.relevant for label, _ in ranked], sum(y >= spec.relevant for y in labels)
        measure = lambda *_, of=relevant, n=n_relevant: value(of, n, k, spec)  # noqa: E731
        values.append(_rules(n_relevant > 0, labels, k, spec, ranked, measure, empty))
    return values


def tied_orders(labels: Sequence[int], scores: Sequence[float]) -> Iterator[list[int]]:
    """Yield every order of one query's labels by descending score, once per order of the documents."""
    groups = [
        [label for label, s in zip(labels, scores, strict=True) if s == level]
        for level in sorted(set(scores), reverse=True)
    ]
    for choice in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield [label for group in choice for label in group]


def exact_err(ranked: Sequence[int], k: int | None, max_grade: int) -> Fraction:
    """Compute the ERR of one order, in fractions."""
    total, examination = Fraction(0), Fraction(1)
    for position, label in enumerate(ranked[:k], start=1):
        stop = Fraction(2**label - 1, 2**max_grade)
        total += examination * stop / position
        examination *= 1 - stop
    return total


def exact_mean_err(labels, scores, k, max_grade) -> Fraction:
    """Average ERR over every order of tied documents, in fractions."""
    values = [exact_err(ranked, k, max_grade) for ranked in tied_orders(labels, scores)]
    return sum(values, Fraction(0)) / len(values)


def mean_dcg(labels, scores, k, spec) -> float:
    """Average DCG over every order of tied documents."""
    values = [_dcg([(label, gain(spec, label)) for label in r], k, spec) for r in tied_orders(labels, scores)]
    return math.fsum(values) / len(values)


def gain(spec: MetricSpec, label: int) -> float:
    if spec.gain == "2^y-1":
        return float(2**label - 1)
    if spec.gain == "y":
        return float(label)
    return float(spec.gain[label])


def _rankings(y, score, qid, spec, doc_id):
    """Yield the labels of each query, and its ranked documents, whose score is not NaN, as (label, gain)."""
    queries: dict = {}
    for row, query in enumerate(qid):
        queries.setdefault(query, []).append(row)
    names = list(range(len(y))) if doc_id is None else doc_id
    falling_names = sorted(names, reverse=True)
    orders = {  # of equal scores; in the others, row order
        "worst": lambda r: y[r],
        "best": lambda r: -y[r],
        "document id descending": lambda r: falling_names.index(names[r]),
    }
    order = orders.get(spec.ties, lambda r: r)
    for rows in queries.values():
        ranked = []
        for r in sorted((r for r in rows if not math.isnan(score[r])), key=lambda r: (-score[r], order(r))):
            worth = gain(spec, y[r])
            if spec.ties == "averaged":
                mates = [gain(spec, y[other]) for other in rows if score[other] == score[r]]
                worth = sum(mates) / len(mates)
            ranked.append((y[r], worth))
        yield [y[r] for r in rows], ranked


def _has_gain(labels, spec):
    return any(gain(spec, label) > 0 for label in labels)


def _rules(relevant, labels, k, spec, ranked, value, when_nothing_is_relevant):
    if (not relevant and spec.no_relevant == "skip") or (not ranked and spec.unranked == "skip"):
        return NAN
    if spec.short == "zero" and k is not None and len(ranked) < k:
        return 0.0
    return value(labels, ranked, k, spec) if relevant else when_nothing_is_relevant


def _ndcg(labels, ranked, k, spec):
    best = [(label, gain(spec, label)) for label in sorted(labels, reverse=True)]
    return _dcg(ranked, k, spec) / _dcg(best, k, spec)


def _dcg_of_query(labels, ranked, k, spec):
    return _dcg(ranked, k, spec)


def _dcg(ranked, k, spec):
    total = 0.0
    for position, (_, worth) in enumerate(ranked[:k], start=1):
        total += DISCOUNTS[spec.discount](position) * worth
    return total


def _err(labels, ranked, k, spec, max_grade):
    total, examination = 0.0, 1.0
    for position, (label, _) in enumerate(ranked[:k], start=1):
        stop = (2**label - 1) / 2**max_grade
        total += examination * stop / position
        examination *= 1 - stop
    return total
