"""`refrank.trees.bins.cuts`: quantiles by their definition, with weights, and what all ways of placing cuts have in
common.

McRank App. I's own bins are held to the paper in tests/trees/test_binning.py.
"""

import math
from bisect import bisect_left
from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees import splitting
from refrank.trees.bins.binning import bin_features
from refrank.trees.bins.cuts import equal_lengths, exact, find_cuts, quantiles
from refrank.trees.engine import DEFAULT_SPLITTER, Engine
from tests.oracles import binning as naive_binning
from tests.strategies import DTYPES, ENGINE, SEEDS, THREADS, columns, columns_of, features, rng_of
from tests.trees.compare import same_bins

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


@given(with_missing(columns(ROWS)), N_BINS, DTYPES, st.data())
@pytest.mark.parametrize("splitter", [DEFAULT_SPLITTER, splitting])
@pytest.mark.parametrize("weighted", [False, True])
def test_quantiles_equal_the_definition(splitter, weighted, values, n_bins, dtype, drawn):
    values = values.astype(dtype)
    weight = draw_weights(drawn, len(values)) if weighted else None
    binned = bin_features(values[:, None], n_bins, quantiles, weight, engine=Engine(splitter))
    assert binned.codes.dtype == (np.uint8 if n_bins <= 256 else np.uint16)
    finite = np.isfinite(values)
    n_missing, present = np.count_nonzero(~finite), values[finite].astype(np.float64).tolist()
    if weight is not None and not weight[finite].any():
        return  # without weight there are no quantiles
    weights = None if weight is None else weight[finite].tolist()
    bins = naive_binning.quantile_bins(present, n_bins - (n_missing > 0), weights) if present else []
    cuts = [naive_binning.middle_cut(below[-1], above[0]) for below, above in pairwise(bins)]
    if n_missing:
        bins, cuts = [*bins, [math.inf] * n_missing], [*cuts, *[math.inf] * (len(bins) > 0)]
    assert binned.cuts[0].tolist() == cuts
    labels = [(x, b) for b, members in enumerate(bins) for x in members]  # of the values, ascending
    assert sorted(zip(values.tolist(), *columns_of(binned), strict=True)) == labels


def draw_weights(drawn, n):
    """Weights that a grid holds exactly, so that the oracle adds the same numbers."""
    q = np.array(drawn.draw(st.lists(st.integers(0, 2**20) | st.sampled_from([1, 2, 3]), min_size=n, max_size=n)))
    return np.maximum(q, q.max() == 0).astype(np.float64) / drawn.draw(st.sampled_from([1.0, 64.0, 2.0**-30]))


@given(with_missing(columns(st.integers(1, 60))), N_BINS, st.data())
def test_a_weight_of_k_counts_as_k_rows(values, n_bins, drawn):
    times = np.array(drawn.draw(st.lists(st.integers(1, 5), min_size=len(values), max_size=len(values))))
    scale = drawn.draw(st.sampled_from([1.0, 0.37, 1e-200, 3e9]))  # a common factor
    weighted = bin_features(values[:, None], n_bins, quantiles, times * scale, engine=ENGINE)
    repeated = quantize(np.repeat(values, times)[:, None], n_bins)
    if scale == 1.0:
        same_bins(weighted, repeated, np.repeat(np.arange(len(values)), times))
    for equal in (1.0, scale):
        ours = bin_features(values[:, None], n_bins, quantiles, np.full(len(values), equal), engine=ENGINE)
        same_bins(ours, quantize(values[:, None], n_bins))


@given(columns(ROWS), N_BINS, SEEDS, st.integers(1, 4))
def test_shards_that_add_their_weights_value_by_value_place_the_same_cuts(values, n_bins, seed, n_shards):
    """Sums of weights on the grid merge exactly: no rows need be in one place."""
    weights, shard = rng_of(seed).integers(1, 2**40, len(values)), rng_of(seed).integers(0, n_shards, len(values))
    merged: dict[float, int] = {}
    for s in range(n_shards):
        for x, w in zip(values[shard == s].tolist(), weights[shard == s].tolist(), strict=True):
            merged[x] = merged.get(x, 0) + w
    distinct, order = np.array(sorted(merged)), values.argsort()
    sums = np.array([merged[x] for x in distinct.tolist()])
    cuts = find_cuts(distinct, n_bins, quantiles, DEFAULT_SPLITTER, sums)
    expected = find_cuts(values[order], n_bins, quantiles, DEFAULT_SPLITTER, weights[order])
    assert cuts.tobytes() == expected.tobytes()


def test_products_of_weights_and_bins_beyond_64_bits():
    """W is the largest sum that a grid allows, and W B is above 2**63: the cuts are those of Python's integers."""
    weights = np.tile(np.array([1, 1, 1, 2]), 20_000) * (2**53 // 100_000)
    total, up_to = int(weights.sum()), list(accumulate(weights.tolist()))
    places = {bisect_left(up_to, -(-b * total // 65_536)) for b in range(1, 65_536)} - {79_999}
    cuts = quantiles(np.arange(80_000.0), 65_536, DEFAULT_SPLITTER, weights)
    assert cuts.tolist() == [place + 0.5 for place in sorted(places)]


def test_finite_values_whose_weights_are_0_on_their_grid_have_cuts_or_not_but_no_fault():
    weight, values = np.array([1e-300, 1e-300, 1e-300, 1.0]), np.array([0.0, 1.0, 2.0, np.inf])
    assert bin_features(values[:, None], 3, quantiles, weight, engine=ENGINE).cuts[0].tolist() == [0.5, np.inf]


@given(with_missing(columns(ROWS)), N_BINS, SEEDS)
def test_exact_cuts_are_the_quantiles_of_the_distinct_values_whatever_the_rows_weigh(values, n_bins, seed):
    binned = bin_features(values[:, None], n_bins, exact, engine=ENGINE)
    assert binned.cuts[0].tobytes() == quantize(np.unique(values)[:, None], n_bins).cuts[0].tobytes()
    if len(np.unique(values)) <= n_bins:
        assert len(binned.cuts[0]) == len(np.unique(values)) - 1
    weight = rng_of(seed).exponential(size=len(values))
    same_bins(bin_features(values[:, None], n_bins, exact, weight, engine=ENGINE), binned)
    app_i = [bin_features(values[:, None], n_bins, EVEN_LENGTHS, w, engine=ENGINE) for w in (None, weight)]
    same_bins(*app_i)


@given(with_missing(features()), N_BINS, SEEDS, THREADS)
@pytest.mark.parametrize("weighted", [False, True])
def test_quantiles_depend_neither_on_the_order_of_rows_nor_on_layout_or_threads(weighted, X, n_bins, seed, n_threads):
    rng, every = rng_of(seed), np.arange(len(X))
    rows, weight = rng.permutation(len(X)), rng.exponential(size=len(X)) if weighted else None
    binned = bin_features(X, n_bins, quantiles, weight, engine=ENGINE)
    orders = (np.asfortranarray(X), np.ascontiguousarray(X), X.astype(np.float64), np.repeat(X, 2, 0)[::2])
    for splitter in (DEFAULT_SPLITTER, splitting):
        for same, rows_of in ((X[rows], rows), *((same, every) for same in orders)):
            weight_of = None if weight is None else weight[rows_of]
            other = bin_features(same, n_bins, quantiles, weight_of, engine=Engine(splitter, n_threads))
            same_bins(binned, other, rows_of)


@given(with_missing(columns(ROWS)), N_BINS)
def test_quantiles_see_ranks_and_ties_alone(values, n_bins):
    """Any increasing transform of a feature has the same labels."""
    ranks = np.unique(values, return_inverse=True)[1]
    ranks = np.where(np.isinf(values), np.inf, ranks)
    np.testing.assert_array_equal(quantize(ranks[:, None], n_bins).codes, quantize(values[:, None], n_bins).codes)


@given(columns(ROWS), N_BINS)
def test_how_many_rows_a_quantile_bin_holds(values, n_bins):
    """At least its highest value's and less than ceil(n / B) others; that follows from where ends can lie.

    A value of ceil(n / B) rows covers one of the places ceil(b n / B) - 1 or the last, so it ends a bin.
    """
    code, share = quantize(values[:, None], n_bins).codes[0, :, 0], -(-len(values) // n_bins)
    ends = [values[code == b].max() for b in range(code.max() + 1)]
    for b, end in enumerate(ends):
        assert ((code == b) & (values < end)).sum() < share
    distinct, counts = np.unique(values, return_counts=True)
    assert {*distinct[counts >= share].tolist()} <= {*ends}
    if len(distinct) == len(values) >= n_bins:
        assert code.max() == n_bins - 1  # all of them are used, and hold n / B rows, rounded down or up
        assert {*np.bincount(code).tolist()} <= {len(values) // n_bins, share}


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
    assert cuts.tolist() == [(math.ceil(b * 140_000 / 65_536) - 1) // 2 + 0.5 for b in range(1, 65_536)]


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
    # ceil(5/3) = 2 rows are at or below 1, and ceil(10/3) = 4 at or below 3
    "the quantile is rounded up": (quantiles, [0.0, 1.0, 2.0, 3.0, 9.0], 3, [1.5, 6.0]),
    "both quantiles are the lowest value": (quantiles, [*[0.0] * 7, 1.0, 2.0, 3.0], 3, [0.5]),
    "a quantile at the highest value is no cut": (quantiles, [0.0, 1.0, 2.0, *[3.0] * 7], 3, []),
    "zeros of a third of the rows are alone": (quantiles, [0.0, 0.0, 1.0, 2.0, 3.0, 4.0], 3, [0.5, 2.5]),
    "equal cuts are one": (quantiles, [0.0, *[1.0] * 8, 2.0, 3.0], 3, [1.5]),
    "half in one bin": (quantiles, [0.0, 1.0, 2.0, 3.0], 2, [1.5]),
    "every value has a cut": (exact, [0.0, 1.0, 1.0, 4.0], 4, [0.5, 2.5]),
    # of the values 0, 1, 2, 3, each counted once, two are in each bin
    "too many values have quantiles of the values": (exact, [*[0.0] * 9, 1.0, 2.0, 3.0], 2, [1.5]),
    "infinity takes the second bin of two": (quantiles, [0.0, 1.0, np.inf], 2, [np.inf]),
    "infinity leaves one bin less": (quantiles, [0.0, 1.0, 2.0, 3.0, np.inf], 3, [1.5, np.inf]),
    "so does the infinity below all others": (quantiles, [-np.inf, 0.0, 1.0, 2.0, 3.0], 3, [-LARGEST, 1.5]),
    "which takes the second bin of two": (exact, [-np.inf, 0.0, 1.0], 2, [-LARGEST]),
}


@pytest.mark.parametrize(("place_cuts", "values", "n_bins", "cuts"), CUTS_BY_HAND.values(), ids=CUTS_BY_HAND)
def test_cuts_by_hand(place_cuts, values, n_bins, cuts):
    assert find_cuts(np.array(values), n_bins, place_cuts, DEFAULT_SPLITTER).tolist() == cuts


SMALL = st.floats(-1.5e-8, 1.5e-8) | st.sampled_from([SMALLEST, -SMALLEST, 1.0, -1.0])


@given(st.lists(SMALL, max_size=12), st.integers(2, 4), st.sampled_from([EVEN_LENGTHS, quantiles, exact]))
def test_either_zero_gives_the_same_cuts(values, n_bins, place_cuts):
    """A sort may put either of two equal zeros first."""
    plus, minus = (np.unique([*(value for value in values if value != 0), zero]) for zero in (0.0, -0.0))
    cuts = [find_cuts(of, n_bins, place_cuts, DEFAULT_SPLITTER) for of in (plus, minus)]
    assert cuts[0].tobytes() == cuts[1].tobytes()
