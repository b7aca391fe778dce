"""trees.best_first_is_depth_first, trees.histogram_is_exact_split, trees.monotone_transforms."""

from fractions import Fraction

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from proofs_check.engine import refrank_trees
from proofs_check.engine.exact_tree import (
    best_cut,
    cuts,
    gain_of,
    grow_best_first,
    grow_depth_first,
    leaf_at,
    leaves,
    shape,
)
from proofs_check.engine.records import CI
from proofs_check.engine.refrank_trees import tree_leaves
from proofs_check.engine.strategies import some_data
from proofs_check.engine.tree_cases import one_feature, two_features, weak_orders
from proofs_check.trees import best_first_is_depth_first as trees_best_first_is_depth_first
from proofs_check.trees import histogram_is_exact_split as trees_histogram_is_exact_split
from proofs_check.trees.histogram_is_exact_split import exact_best, reduction

# ---- the transcription ----


def test_a_tree_by_hand():
    # y = 0, 0, 6, 9 on x = 0..3: the cut in the middle gains 7.5^2, then 6 | 9 gains 3^2 / 2
    nodes = grow_best_first([[0], [1], [2], [3]], [0, 0, 6, 9], n_leaves=4)
    made = [(node.bin, node.gain) for node in nodes if node.feature == 0]
    assert made == [(1, Fraction(225, 4)), (2, Fraction(9, 2))]
    assert leaves(nodes) == [(0, 1), (2,), (3,)]
    assert leaf_at(nodes, [5]) == (3,)
    assert shape(nodes) == (0, 1, (0, 1), (0, 2, (2,), (3,)))
    assert leaves(grow_best_first([[0], [1], [2], [3]], [0, 0, 6, 9], n_leaves=2)) == [(0, 1), (2, 3)]


def test_weights_and_least_rows():
    x, y = [[0], [1], [2]], [0, 3, 3]
    assert best_cut(x, y, [1, 1, 1], (0, 1, 2), min_rows=2) is None
    assert gain_of(y, [3, 1, 1], (0,), (1, 2)) == Fraction(9 * 3 * 2, 5)
    assert best_cut([[0], [0]], [0, 1], [1, 1], (0, 1)) is None


def test_ties_go_to_the_first_feature_then_the_lowest_bin():
    x = [[0, 0], [1, 1], [2, 2]]
    listed = [(cut.feature, cut.bin) for cut in cuts(x, [0, 1, 0], [1] * 3, (0, 1, 2))]
    assert listed == [(0, 0), (0, 1), (1, 0), (1, 1)]
    cut = best_cut(x, [0, 1, 0], [1, 1, 1], (0, 1, 2))
    assert (cut.feature, cut.bin) == (0, 0)


def test_the_transcription_keeps_the_best_of_waiting_nodes():
    # the middle cut first, then the right half, whose cut gains more
    nodes = grow_best_first([[0], [1], [2], [3]], [0, 1, 10, 14], n_leaves=3)
    assert leaves(nodes) == [(0, 1), (2,), (3,)]


def clear(x, y, w) -> bool:
    """Return whether no node of the tree has two cuts of equal gain."""
    for node in grow_best_first(x, y, w, n_leaves=len(y)):
        gains = sorted({cut.gain for cut in cuts(x, y, w, node.rows)}, reverse=True)
        top = [cut for cut in cuts(x, y, w, node.rows) if cut.gain == gains[0]]
        if len(top) > 1 and gains[0] > 0:
            return False
    return True


@given(some_data(max_n=9, weighted=True))
def test_refrank_grows_the_exact_tree_where_no_cuts_tie(case):
    x, y, w = case
    assume(clear(x, y, w))
    # integers below 2^10: gains are quotients of integers below 2^40, so different ones differ by more than
    # 2^-40 of themselves, far above the few roundings of a gain
    assert tree_leaves(x, y, w, len(y)) == leaves(grow_best_first(x, y, w, n_leaves=len(y)))


@given(some_data(max_n=9))
def test_two_orders_of_growth_for_larger_data(case):
    x, y, _ = case
    assert shape(grow_best_first(x, y, n_leaves=len(y))) == shape(grow_depth_first(x, y))


@given(some_data(max_n=12))
def test_the_cut_of_refrank_gains_the_most(case):
    x, y, _ = case
    best, cut = exact_best(x, y), refrank_trees.best_cut(x, y, 256)
    assert (best is None) == (cut is None)
    assert best is None or reduction(y, cut[1]) == best[0]


@given(
    st.lists(st.tuples(st.integers(-30, 30), st.integers(0, 4)), min_size=1, max_size=15),
    st.sampled_from([lambda v: v**3, lambda v: 2.0**v, lambda v: 7 * v - 2, lambda v: np.arctan(v)]),
    st.integers(1, 6),
)
def test_transforms_of_larger_data(rows, transform, n_leaves):
    x, y = [v for v, _ in rows], [label for _, label in rows]
    moved = [float(transform(v)) for v in x]
    # App. I bins by an absolute length: bring the least gap to 1
    gaps = np.diff(np.unique(moved))
    moved = np.array(moved) / (gaps.min() if len(gaps) else 1.0)
    assert tree_leaves([[v] for v in x], y, None, n_leaves) == tree_leaves([[v] for v in moved], y, None, n_leaves)


def test_a_planted_fault_is_found(monkeypatch):
    """Growing to depth that stops after one cut: the check of refrank's two ways to grow refutes it."""
    row = next(row for row in trees_best_first_is_depth_first.ROWS if row.id.endswith("variant-refrank"))
    honest = refrank_trees.to_depth
    monkeypatch.setattr(refrank_trees, "to_depth", lambda *arguments: honest(*arguments, max_depth=1))
    finding = row.check(CI)
    assert (finding.verdict, finding.exhaustive_n) == ("refuted", 3)


def test_a_histogram_off_by_one_bin_is_found(monkeypatch):
    row = next(row for row in trees_histogram_is_exact_split.ROWS if row.id.endswith("variant-floats"))
    honest = refrank_trees.best_bin

    def off_by_one(*arguments):
        feature, bin = honest(*arguments)
        return feature, max(bin - 1, 0)

    monkeypatch.setattr(refrank_trees, "best_bin", off_by_one)
    assert row.check(CI).verdict == "refuted"


# ---- what is enumerated ----


def test_weak_orders_are_all():
    assert [len(weak_orders(n)) for n in range(1, 6)] == [1, 3, 13, 75, 541]


def test_sizes_of_what_is_exhausted():
    (cases,) = one_feature((0, 1, 2))(4)
    assert cases.m == 2**3 * 3**4
    assert len({(str(x), str(y)) for x, y in zip(*cases.columns.values(), strict=True)}) == cases.m
    (cases,) = two_features((0, 1))(3)
    assert cases.m == 2**2 * 13 * 2**3
    assert cases.columns["x"].shape == (cases.m, 3, 2)
