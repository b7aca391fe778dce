"""`refrank.trees.cuts`: quantiles by their definition, and what both ways of placing cuts have in common.

McRank App. I's own bins are held to the paper in tests/trees/test_binning.py.
"""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees import splitting
from refrank.trees.binning import bin_features
from refrank.trees.cuts import equal_lengths, find_cuts, quantiles
from refrank.trees.engine import DEFAULT_SPLITTER, Engine
from tests.oracles import binning as naive_binning
from tests.strategies import DTYPES, ENGINE, SEEDS, THREADS, columns, columns_of, features, rng_of

pytestmark = pytest.mark.kernel

N_BINS = st.sampled_from([2, 3, 4, 5, 7, 16, 256, 65536])
ROWS = st.integers(1, 300)
LARGEST, SMALLEST = np.finfo(np.float64).max, np.nextafter(0.0, 1.0)
NEXT = np.nextafter(1e16, np.inf)


@st.composite
def with_missing(draw, arrays):
    """Some entries are +inf; a column may have no others."""
    X = draw(arrays)
    X[rng_of(draw(SEEDS)).random(X.shape) < draw(st.sampled_from([0.0, 0.0, 0.1, 0.7, 1.0]))] = np.inf
    return X


def quantize(X, n_bins, engine=ENGINE):
    return bin_features(X, n_bins, quantiles, engine=engine)


def same_bins(ours, theirs) -> None:
    np.testing.assert_array_equal(ours.codes, theirs.codes, strict=True)
    assert [cuts.tobytes() for cuts in ours.cuts] == [cuts.tobytes() for cuts in theirs.cuts]


def label(bins):
    """The values, ascending, and the label of each."""
    return [(x, b) for b, members in enumerate(bins) for x in members]


@given(with_missing(columns(ROWS)), N_BINS, DTYPES)
@pytest.mark.parametrize("splitter", [DEFAULT_SPLITTER, splitting])
def test_quantiles_equal_the_definition(splitter, values, n_bins, dtype):
    values = values.astype(dtype)
    binned = quantize(values[:, None], n_bins, Engine(splitter))
    finite = values[np.isfinite(values)].astype(np.float64).tolist()
    n_missing = len(values) - len(finite)
    bins = naive_binning.quantile_bins(finite, n_bins - (n_missing > 0)) if finite else []
    cuts = [naive_binning.middle_cut(below[-1], above[0]) for below, above in pairwise(bins)]
    if n_missing:
        bins, cuts = [*bins, [math.inf] * n_missing], [*cuts, *[math.inf] * (len(bins) > 0)]
    assert binned.cuts[0].tolist() == cuts
    assert binned.codes.dtype == (np.uint8 if n_bins <= 256 else np.uint16)
    assert sorted(zip(values.tolist(), *columns_of(binned), strict=True)) == label(bins)


@given(with_missing(features()), N_BINS, SEEDS, THREADS)
def test_quantiles_depend_neither_on_the_order_of_rows_nor_on_layout_or_threads(X, n_bins, seed, n_threads):
    binned, rows = quantize(X, n_bins), rng_of(seed).permutation(len(X))
    moved = quantize(X[rows], n_bins, Engine(DEFAULT_SPLITTER, n_threads))
    same_bins(quantize(X[rows], n_bins, Engine(splitting)), moved)
    for same in (np.asfortranarray(X), np.ascontiguousarray(X), X.astype(np.float64), np.repeat(X, 2, 0)[::2]):
        same_bins(quantize(same, n_bins, Engine(DEFAULT_SPLITTER, n_threads)), binned)
    np.testing.assert_array_equal(binned.codes[:, rows], moved.codes, strict=True)
    assert [cuts.tobytes() for cuts in binned.cuts] == [cuts.tobytes() for cuts in moved.cuts]


@given(with_missing(columns(ROWS)), N_BINS)
def test_quantiles_see_ranks_and_ties_alone(values, n_bins):
    """Any increasing transform of a feature has the same labels."""
    ranks = np.unique(values, return_inverse=True)[1]
    ranks = np.where(np.isinf(values), np.inf, ranks)
    np.testing.assert_array_equal(quantize(ranks[:, None], n_bins).codes, quantize(values[:, None], n_bins).codes)


@given(columns(ROWS), N_BINS)
def test_how_many_rows_a_quantile_bin_holds(values, n_bins):
    """At least its lowest value's and less than ceil(n / B) others; that follows from where starts can lie.

    A value of ceil(n / B) rows covers one of the places ceil(b n / B), so it starts a bin.
    """
    code, share = quantize(values[:, None], n_bins).codes[0, :, 0], -(-len(values) // n_bins)
    assert sorted(set(code.tolist())) == list(range(code.max() + 1))
    assert code.max() < n_bins
    starts = [values[code == b].min() for b in range(code.max() + 1)]
    for b, start in enumerate(starts):
        assert ((code == b) & (values > start)).sum() < share
    distinct, counts = np.unique(values, return_counts=True)
    assert {*distinct[counts >= share].tolist()} <= {*starts}
    if len(distinct) == len(values) >= n_bins:
        assert len(starts) == n_bins  # all of them are used, and hold n / B rows, rounded down or up
        assert {*np.bincount(code).tolist()} <= {len(values) // n_bins, share}
    if len(distinct) <= n_bins:
        assert starts == distinct.tolist()


def test_heavy_tails_leave_equal_lengths_one_bin_for_most_rows_and_quantiles_equal_shares():
    X = np.exp(3 * rng_of(0).normal(size=(10_000, 1)))
    by_length = bin_features(X, 256, engine=ENGINE).bin_counts
    assert by_length.max() > 0.7 * len(X)
    by_rows = quantize(X, 256).bin_counts
    assert len(by_rows) == 256
    assert {*by_rows.tolist()} == {39, 40}


def test_products_of_rows_and_bins_beyond_32_bits():
    values = np.repeat(np.arange(70_000, dtype=np.float32), 2)
    cuts = quantiles(values, 65_536, DEFAULT_SPLITTER)
    assert cuts.tolist() == [math.ceil(b * 140_000 / 65_536) // 2 - 0.5 for b in range(1, 65_536)]


EVEN_LENGTHS = equal_lengths()
CUTS_BY_HAND = {
    "a gap parts in its middle": (EVEN_LENGTHS, [0.0, 1.0], 256, [(1e-8 + 1.0) / 2]),
    "the end of a bin is outside": (EVEN_LENGTHS, [0.0, 1e-8], 256, [1e-8]),
    # where start + length is start, a bin is its start alone, and the cut is the next start
    "neighbours are told apart": (EVEN_LENGTHS, [1e16, NEXT, 1e17], 256, [NEXT, NEXT / 2 + 1e17 / 2]),
    "quantiles tell neighbours apart": (quantiles, [1e16, NEXT, 1e17], 256, [NEXT, NEXT / 2 + 1e17 / 2]),
    "quantiles tell tiny values apart": (quantiles, [0.0, 1e-9, 3e-9], 256, [5e-10, 2e-9]),
    "no float is smaller": (quantiles, [-SMALLEST, 0.0, SMALLEST], 256, [0.0, SMALLEST]),
    "the largest range": (quantiles, [-LARGEST, LARGEST / 2, LARGEST], 256, [-LARGEST / 4, LARGEST * 0.75]),
    # v[ceil(5/3)] = v[2] = 2 and v[ceil(10/3)] = v[4] = 9
    "the quantile is rounded up": (quantiles, [0.0, 1.0, 2.0, 3.0, 9.0], 3, [1.5, 6.0]),
    "no cut below the lowest value": (quantiles, [*[0.0] * 7, 1.0, 2.0, 3.0], 3, [0.5]),
    "equal cuts are one": (quantiles, [0.0, *[1.0] * 8, 2.0, 3.0], 3, [0.5]),
    "half in one bin": (quantiles, [0.0, 1.0, 2.0, 3.0], 2, [1.5]),
    "infinity takes the second bin of two": (quantiles, [0.0, 1.0, np.inf], 2, [np.inf]),
    "infinity leaves one bin less": (quantiles, [0.0, 1.0, 2.0, 3.0, np.inf], 3, [1.5, np.inf]),
}


@pytest.mark.parametrize(("place_cuts", "values", "n_bins", "cuts"), CUTS_BY_HAND.values(), ids=CUTS_BY_HAND)
def test_cuts_by_hand(place_cuts, values, n_bins, cuts):
    assert find_cuts(np.array(values), n_bins, place_cuts, DEFAULT_SPLITTER).tolist() == cuts


SMALL = st.floats(-1.5e-8, 1.5e-8) | st.sampled_from([SMALLEST, -SMALLEST, 1.0, -1.0])


@given(st.lists(SMALL, max_size=12), st.integers(2, 4), st.sampled_from([EVEN_LENGTHS, quantiles]))
def test_either_zero_gives_the_same_cuts(values, n_bins, place_cuts):
    """A sort may put either of two equal zeros first."""
    plus, minus = (np.unique([*(value for value in values if value != 0), zero]) for zero in (0.0, -0.0))
    cuts = [find_cuts(of, n_bins, place_cuts, DEFAULT_SPLITTER) for of in (plus, minus)]
    assert cuts[0].tobytes() == cuts[1].tobytes()
