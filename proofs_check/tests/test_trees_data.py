"""trees.duplicated_rows, trees.permuted_rows, trees.permuted_features."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine.exact_tree import grow_best_first, leaves
from proofs_check.engine.records import CI
from proofs_check.engine.strategies import some_data
from proofs_check.engine.tree_cases import agree, compare, lines, one_feature, scaled, weights_of, with_column
from proofs_check.trees import duplicated_rows as trees_duplicated_rows
from proofs_check.trees import permuted_rows as trees_permuted_rows
from proofs_check.trees.duplicated_rows import copies, predictions
from proofs_check.trees.permuted_features import alike, alike_everywhere


@given(some_data(max_n=8, weighted=True), st.integers(1, 5))
def test_weights_or_copies_of_larger_data(case, n_leaves):
    x, y, w = case
    assert copies(predictions(x, y, w, n_leaves), w) == predictions(copies(x, w), copies(y, w), None, n_leaves)


@given(some_data(max_n=8), st.permutations(range(3)))
def test_features_without_ties_in_any_order(case, order):
    x, y, _ = case
    order = [f for f in order if f < len(x[0])]
    moved = [[row[f] for f in order] for row in x]
    if alike_everywhere(x, y):
        assert leaves(grow_best_first(x, y, n_leaves=len(y))) == leaves(grow_best_first(moved, y, n_leaves=len(y)))


def test_candidates_that_part_alike():
    rows = (0, 1, 2)
    assert not alike([[0, 0], [0, 1], [1, 0]], [1, 0, 0], rows)
    assert alike([[0, 2], [1, 1], [2, 0]], [0, 0, 1], rows)  # the second feature is the first, reversed
    assert alike([[0, 0], [0, 1], [1, 1]], [2, 0, 0], rows)  # the second feature alone is best
    assert alike([[0, 0], [0, 0], [0, 0]], [1, 0, 0], rows)  # no cut at all


def test_a_tree_that_forgets_weights_is_found(monkeypatch):
    row = next(row for row in trees_duplicated_rows.ROWS if row.id.endswith("variant-refrank"))
    honest = trees_duplicated_rows.tree
    monkeypatch.setattr(trees_duplicated_rows, "tree", lambda x, y, w, n_leaves: honest(x, y, None, n_leaves))
    assert row.check(CI).verdict == "refuted"


def test_sums_in_the_order_of_rows_are_found(monkeypatch):
    """A mean added up in floats, row after row: the permuted rows reveal it."""
    row = next(row for row in trees_permuted_rows.ROWS if row.id.endswith("variant-refrank"))

    def naive_mean(x, y, w, n_leaves):
        total = 0.0
        for value in y:
            total += value
        return np.full(len(y), total / len(y))

    monkeypatch.setattr(trees_permuted_rows, "tree", naive_mean)
    assert row.check(CI).verdict == "refuted"


# ---- the tools ----


def test_fractions_are_compared_exactly():
    claim = compare([(Fraction(1, 3), Fraction(1, 2)), (Fraction(1, 3) + Fraction(1, 10**30), Fraction(1, 3))])
    assert claim.find_violations().tolist() == [False, True]
    assert claim.unit == 6 * 10**30 // 2
    assert agree([((1,), (1,)), ((1,), (2,))]).find_violations().tolist() == [False, True]


def test_columns_are_crossed_with_every_instance():
    (cases,) = with_column(one_feature((0, 1)), "w", weights_of(1, 2))(2)
    assert cases.m == 2 * 4 * 4
    assert len({str(line) for line in lines(cases)}) == cases.m
    (tenths,) = scaled(one_feature((0, 1)), "y", 10)(1)
    assert tenths.describe(1) == "x=((0)), y=(1/10)"
