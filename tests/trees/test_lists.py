"""Histograms from lists of the entries outside the most frequent bins: equal to the specification in every bit."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.kernel import KERNEL
from refrank.trees import splitting
from refrank.trees.bins import lists
from refrank.trees.bins.binning import bin_features
from refrank.trees.bins.cuts import quantiles
from refrank.trees.engine import Engine
from refrank.trees.growth.grower import Grower
from refrank.trees.numbers.grid import to_grid
from tests.strategies import THREADS, binned_case, rng_of
from tests.strategies.splitting import cases, same
from tests.trees.compare import same_tree
from tests.trees.shards import shard

pytestmark = pytest.mark.kernel


@pytest.fixture(autouse=True)
def _little_data(monkeypatch):
    """Lists are made for few rows, too."""
    monkeypatch.setattr(lists, "LEAST_ENTRIES", 0)


def agree(compiled, case, frequent, integers, weight, n_threads: int) -> None:
    """The lists' sums are the histogram of the specification."""
    made = *compiled.list_entries(case.codes, case.offsets, frequent, n_threads), frequent
    for rows in (case.rows, case.rows[:0], case.rows[:1]):
        node = case.offsets, rows, integers, weight, n_threads
        same(compiled.sum_lists(*made, *node), splitting.histogram(case.codes, *node))


@given(cases(), THREADS, st.data())
def test_any_bin_may_be_left_out(compiled, drawn, n_threads, data):
    """The most frequent bin, one without rows, one that holds all: the sums are exact for each."""
    case, integers, weight = drawn
    if case.codes.itemsize == 1:
        frequent = [data.draw(st.integers(0, n - 1)) for n in np.diff(case.offsets).tolist()]
        agree(compiled, case, np.array(frequent, np.int64), integers, weight, n_threads)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_features", [1, 8, 9, 19])
def test_threads_change_no_bit_of_a_large_node(compiled, weighted, n_features):
    """Rows of each thread, several blocks of them where weights are large."""
    rng, n = rng_of(5), 60_001
    case = binned_case(rng, n, n - 2, [256, 2, 1, 255, 37][:n_features] + [200] * (n_features - 5), np.uint8)
    integers = to_grid(rng.normal(size=n)).integers
    weight = rng.integers(0, 2**37, n) if weighted else None
    frequent = np.diff(case.offsets) // 2
    for n_threads in (1, 2, 3):
        agree(compiled, case, frequent, integers, weight, n_threads)


def draw_zeros(n: int = 500, zeros: float = 0.7):
    """Features that are mostly zero, one always, one never; some values are missing where it says so."""
    rng = rng_of(3)
    X = np.where(rng.random((n, 11)) < zeros, 0.0, rng.integers(1, 40, (n, 11)))
    X[:, 1], X[:, 2] = 0.0, rng.normal(size=n)
    return X, rng.normal(size=n), rng.integers(0, 3, n).astype(float)


def list_binned(splitter, n_threads=1, missing=False, zeros=0.7):
    """These features on a splitter."""
    X, *_ = draw_zeros(zeros=zeros)
    binned = bin_features(X, 256, quantiles, engine=Engine(splitter, n_threads))
    return replace(binned, missing=np.array([1, 2] * 5 + [0], np.int8)) if missing else binned


@pytest.mark.parametrize("limits", [{"max_depth": 4}, {"n_leaves": 9}, {}])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_trees_are_those_of_the_specification(compiled, limits, missing, weighted):
    _, residual, weight = draw_zeros()
    given = residual, weight if weighted else None
    expected = Grower(list_binned(splitting, missing=missing), **limits)(*given)[0]
    for n_threads in (1, 3):
        binned = list_binned(compiled, n_threads, missing)
        assert binned.lists is not None
        same_tree(Grower(binned, **limits)(*given)[0], expected)
        both = Grower(binned, **limits).make_roots([residual, residual], given[1])  # their sums are made together
        same_tree(Grower(binned, **limits).grow_from(both[1])[0], expected)


def test_lists_are_made_where_most_entries_are_left_out(compiled):
    """By the kernel itself, for labels of one byte and the rows of one process."""
    assert list_binned(compiled).lists is not None
    assert list_binned(compiled, zeros=0.3).lists is None
    assert list_binned(splitting).lists is None
    assert list_binned(shard(2)).lists is None
    X, *_ = draw_zeros()
    assert bin_features(X, 257, quantiles, engine=Engine(compiled)).lists is None


def test_little_data_have_no_lists(compiled, monkeypatch):
    monkeypatch.setattr(lists, "LEAST_ENTRIES", 501 * 11)
    assert list_binned(compiled).lists is None


def test_of_equally_frequent_bins_the_first_is_left_out(compiled):
    X = np.zeros((4, 3))
    X[:2, 0] = 1.0
    made = bin_features(X, 256, engine=Engine(compiled)).lists
    assert made is not None
    assert made.frequent.tolist() == [0, 0, 0]
    assert (made.starts.tolist(), made.entries.tolist()) == ([0, 1, 2, 2, 2], [1, 1])


def test_features_where_every_entry_is_left_out(compiled):
    """No entry is listed; all rows are in the bins that are left out."""
    binned = bin_features(np.zeros((5, 9)), 256, engine=Engine(compiled))
    assert binned.lists is not None
    assert len(binned.lists.entries) == 0
    node = binned.offsets, np.array([0, 4], np.int32), np.arange(5), None, 1
    same(KERNEL.sum_lists(*binned.lists, *node), splitting.histogram(binned.codes, *node))


def test_lists_stay_with_the_kernel(compiled):
    """A copy on other threads has them; one on the specification makes none."""
    binned = list_binned(compiled)
    made = binned.lists
    assert binned.on(Engine(compiled, 2)).lists is made
    assert binned.on(Engine(splitting)).lists is None
    entries = pickle.loads(pickle.dumps(made))
    for again, first in zip(entries, made, strict=True):
        same(again, first)
