"""Predictions within [min y, max y]: a tree and a forest never leave this range, boosting does.

None of the papers says so, but McRank compares its regression with classification (Sec. 5), where a prediction beyond
the grades has no meaning, and `bounds` clips scores to [0, max_grade].

A leaf predicts the mean of labels, with weights a convex combination, and a forest the mean of its trees: all are
within the range of y, at any x (the bare statement, variant-weights, variant-forest).

Boosting adds trees that are each fitted to the residuals. Between or beyond the training rows the sum leaves the range
in the second round: three rows of two features, y = 0 or 1 (variant-boosting). At the training rows themselves it takes
three rows, y = 0, 1, 2, and two rounds of nu = 1 (variant-boosting-training-rows), and it also happens for nu = 1/2
(variant-boosting-training-rows-small-nu: four rows, three leaves, round 7).

In float64 (variant-floats...) integer labels stay in range, because sums of integers are exact and rounding is
monotone. Other labels need not. Three trees that all predict 0.1 have the float64 mean 0.10000000000000002.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, islice, product

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.exact_tree import grow_best_first, leaf_at, ls_boosting, mean
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import OURS, Line, table
from proofs_check.engine.refrank_trees import random_forest, tree
from proofs_check.engine.tree_cases import (
    compare,
    lines,
    one_feature,
    scaled,
    settle_trees,
    two_features,
    weights_of,
    with_column,
)


def within(predicted: list[list[Fraction]], y: list[list[Fraction]], label: str) -> Iterator[Comparison]:
    """Claim min y <= least prediction and largest prediction <= max y, for every instance."""
    yield compare([(min(b), min(a)) for a, b in zip(predicted, y, strict=True)], "<=", f"{label}, min")
    yield compare([(max(a), max(b)) for a, b in zip(predicted, y, strict=True)], "<=", f"{label}, max")


def everywhere(x: list[list[int]]) -> list[tuple[int, ...]]:
    """List a point in every cell that cuts between the values of x can make."""
    return list(product(*(sorted({row[f] for row in x}) for f in range(len(x[0])))))


def of_a_tree(cases: Cases) -> Iterator[Comparison]:
    for n_leaves in (1, 2, 4):
        predictions = []
        for x, y, *more in lines(cases):
            w = more[0] if more else [1] * len(y)
            grown = grow_best_first(x, y, w, n_leaves=n_leaves)
            predictions.append([mean(y, w, leaf_at(grown, place)) for place in everywhere(x)])
        yield from within(predictions, cases.columns["y"].tolist(), f"J={n_leaves}")


def of_a_forest(cases: Cases) -> Iterator[Comparison]:
    """Check two full trees, on every pair of bootstrap draws of n rows."""
    predictions = []
    for x, y in lines(cases):
        trees = [tree_on(drawn, x, y) for drawn in combinations_with_replacement(range(len(y)), len(y))]
        means = [
            (a + b) / 2
            for first, second in combinations_with_replacement(trees, 2)
            for a, b in zip(first, second, strict=True)
        ]
        predictions.append(means)
    yield from within(predictions, cases.columns["y"].tolist(), "two trees")


def tree_on(drawn: tuple[int, ...], x: list[list[int]], y: list[int]) -> list[Fraction]:
    """Predict everywhere by the full tree on the drawn rows."""
    some_x, some_y = [x[i] for i in drawn], [y[i] for i in drawn]
    grown = grow_best_first(some_x, some_y, n_leaves=len(drawn))
    return [mean(some_y, [1] * len(drawn), leaf_at(grown, place)) for place in everywhere(x)]


def of_boosting(
    nu: Fraction, training_rows: bool, n_leaves: int = 2, n_rounds: int = 3
) -> Callable[[Cases], Iterator[Comparison]]:
    def claim(cases: Cases) -> Iterator[Comparison]:
        by_round: list[list[list[Fraction]]] = [[] for _ in range(n_rounds)]
        for x, y in lines(cases):
            places = everywhere(x)
            rounds = ls_boosting(x, y, nu, n_leaves, at=lambda tree, at=places: [leaf_at(tree, place) for place in at])
            for m, (turn, elsewhere) in enumerate(islice(rounds, n_rounds)):
                by_round[m].append(turn.scores if training_rows else elsewhere)
        for m, predicted in enumerate(by_round, start=1):
            yield from within(predicted, cases.columns["y"].tolist(), f"nu={nu}, J={n_leaves}, round {m}")

    return claim


def in_floats(unit: int) -> Callable[[Cases], Iterator[Comparison]]:
    """Check the tree of refrank and forests of 3 trees, labels y/unit as float64."""

    def claim(cases: Cases) -> Iterator[Comparison]:
        labels = [[value / unit for value in y] for y in cases.columns["y"].tolist()]
        xs = cases.columns["x"]
        for n_leaves in (1, 2):
            predictions = [exactly(tree(x, y, None, n_leaves)) for x, y in zip(xs, labels, strict=True)]
            yield from within(predictions, [exactly(y) for y in labels], f"y/{unit}, tree, J={n_leaves}")
        predictions = [exactly(random_forest(x, y, 3, seed=0)) for x, y in zip(xs, labels, strict=True)]
        yield from within(predictions, [exactly(y) for y in labels], f"y/{unit}, forest of 3")

    return claim


def exactly(values) -> list[Fraction]:
    return [Fraction(float(value)) for value in values]


WIDE = two_features((0, 1))

ROWS = table("trees.predictions_in_range", "trees",
    Line("", "min y <= tree(x) <= max y for every x", "tree", settle_trees(4, of_a_tree, WIDE)),
    Line("variant-weights", "the statement for rows of weight 1 or 3",
     "tree", settle_trees(3, of_a_tree, with_column(two_features((0, 1, 2)), "w", weights_of(1, 3)))),
    Line("variant-forest", "the statement for the mean of two trees, on any bootstrap draws",
     "forest", settle_trees(4, of_a_forest, one_feature((0, 1)))),
    Line("variant-boosting", "LS-boost (nu = 1, J = 2) stays in range for every x",
     "boosting", settle_trees(3, of_boosting(Fraction(1), False), WIDE)),
    Line("variant-boosting-small-nu", "LS-boost (nu = 1/2, J = 2) stays in range for every x",
     "boosting", settle_trees(4, of_boosting(Fraction(1, 2), False), WIDE)),
    Line("variant-boosting-training-rows", "LS-boost (nu = 1, J = 2) stays in range at the training rows",
     "boosting", settle_trees(4, of_boosting(Fraction(1), True), one_feature((0, 1, 2, 3, 4)))),
    Line("variant-boosting-training-rows-small-nu", "LS-boost (nu = 1/2, J = 3) stays in range at the training rows",
     "boosting", settle_trees(4, of_boosting(Fraction(1, 2), True, 3, 8), one_feature((0, 1, 4)))),
    Line("variant-floats", "float64, integer labels: tree and forest stay in range",
     "refrank", settle_trees(4, in_floats(1), one_feature((0, 1, 4)))),
    Line("variant-floats-any-labels", "float64, labels y/10: tree and forest stay in range",
     "refrank", settle_trees(3, in_floats(10), scaled(one_feature((0, 1, 2, 3)), "y", 10))),
    source=OURS,
)  # fmt: skip
