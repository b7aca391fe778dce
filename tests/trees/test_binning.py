"""`refrank.trees.bins.binning`: bins as McRank App. I prints them, and which bin holds which value, at every edge."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees import splitting
from refrank.trees.bins.binning import bin_features
from refrank.trees.bins.cuts import equal_lengths, find_cuts, quantiles
from refrank.trees.engine import DEFAULT_SPLITTER, SPECIFICATION, Engine, default_engine
from tests.oracles import binning as naive_binning
from tests.strategies import DTYPES, ENGINE, NORMAL, SEEDS, THREADS, columns, columns_of, features, rng_of
from tests.trees.compare import same_bins

pytestmark = pytest.mark.kernel

N_BINS = st.sampled_from([2, 3, 5, 16, 256, 257, 65536])
GROWTHS = st.sampled_from([2.0, 1.1, 3.7, 1e6])
PLACINGS = GROWTHS.map(equal_lengths) | st.just(quantiles)
LARGEST = np.finfo(np.float64).max


def codes_of(values: np.ndarray, cuts: np.ndarray) -> list[int]:
    """The one line that a trained model needs."""
    return [sum(cut <= x for cut in cuts.tolist()) for x in np.asarray(values, np.float64).tolist()]


@pytest.mark.paper("McRank App. I", at="INITIAL_LENGTH")
@pytest.mark.paper("McRank App. I", at="bin_features")
@given(features(), N_BINS, GROWTHS, THREADS)
def test_labels_equal_the_definition(X, n_bins, growth, n_threads):
    engine = Engine(DEFAULT_SPLITTER, n_threads)
    binned = bin_features(X, n_bins, equal_lengths(growth), engine=engine)
    assert binned.engine is engine
    assert binned.codes.dtype == (np.uint8 if n_bins <= 256 else np.uint16)
    assert (binned.n_samples, binned.n_features) == X.shape
    for f, code in enumerate(columns_of(binned)):
        values = X[:, f].astype(np.float64).tolist()
        bins, length = naive_binning.adaptive_bins(values, n_bins, growth)
        assert len(binned.cuts[f]) + 1 == len(bins) == binned.offsets[f + 1] - binned.offsets[f]
        assert code == [naive_binning.bin_of(x, bins, length) for x in values]


@pytest.mark.paper("McRank App. I", at="equal_lengths")
@given(columns(), N_BINS, GROWTHS)
def test_values_not_seen_equal_the_definition(values, n_bins, growth):
    cuts = find_cuts(np.unique(values), n_bins, equal_lengths(growth), DEFAULT_SPLITTER)
    bins, length = naive_binning.adaptive_bins(values.tolist(), n_bins, growth)
    starts = np.array([members[0] for members in bins])
    around = np.add.outer(length * NORMAL[:12], values[:3]).ravel()
    places = np.concatenate([values, starts + length, cuts, around])
    for x in np.concatenate([places, np.nextafter(places, -np.inf), np.nextafter(places, np.inf)]).tolist():
        expected = naive_binning.bin_of(x, bins, length)
        # The middle of a gap is rounded to a float64, the cut: that one value is on its right, as the code says.
        assert codes_of([x], cuts) == [expected] or (x in cuts and codes_of([x], cuts) == [expected + 1])


@given(columns(), N_BINS, PLACINGS, st.sampled_from([np.float32, np.float64]))
def test_cuts_hold_at_the_next_float_on_both_sides(values, n_bins, place_cuts, dtype):
    X = values.astype(dtype)
    binned = bin_features(X[:, None], n_bins, place_cuts, engine=ENGINE)
    cuts, edges = binned.cuts[0], binned.cuts[0].astype(dtype)
    assert (np.diff(cuts) > 0).all()
    probes = np.concatenate([X, edges, np.nextafter(edges, dtype(-np.inf)), np.nextafter(edges, dtype(np.inf))])
    codes = np.zeros((1, len(probes), 8), binned.codes.dtype)
    DEFAULT_SPLITTER.quantize(probes[:, None], cuts, binned.offsets, codes, 1)
    assert codes[0, :, 0].tolist() == codes_of(probes, cuts)


@pytest.mark.paper("McRank App. I", at="bin_starts")
def test_a_value_at_the_end_of_a_bin_starts_the_next():
    """Bins are [start, start + length), and only where there are data: none from 1 to 1.75."""
    values = np.array([0.0, 0.25, 0.5, 0.75, 1.75])
    assert DEFAULT_SPLITTER.bin_starts(values, 0.5, 3).tolist() == [0, 2, 4]
    assert DEFAULT_SPLITTER.bin_starts(values, 0.5, 2).tolist() == []


@given(columns(), N_BINS, st.floats(1e-9, 1e9) | st.sampled_from([1e300, math.inf]))
def test_the_number_of_bins_is_the_least_for_their_length(values, n_bins, length):
    """No cover of the data by half-open intervals of one length has fewer: each start needs one of its own."""
    distinct = np.unique(values)
    starts = DEFAULT_SPLITTER.bin_starts(distinct, length, n_bins)
    assert starts.dtype == np.int64
    bins = naive_binning.bins_of_length(distinct.tolist(), length)
    if len(bins) > n_bins:
        assert len(starts) == 0
    else:
        assert distinct[starts].tolist() == [members[0] for members in bins]
        assert all(b[0] + length <= after[0] for b, after in pairwise(bins))


@given(columns(), st.floats(1e-9, 1e9) | st.sampled_from([1e300, math.inf]), DTYPES)
def test_repeated_values_start_the_bins_that_distinct_ones_do(values, length, dtype):
    values = np.sort(values.astype(dtype))
    distinct, first = np.unique(values, return_index=True)
    for n_bins in (2, len(values)):
        starts = DEFAULT_SPLITTER.bin_starts(values, length, n_bins)
        assert starts.tolist() == first[DEFAULT_SPLITTER.bin_starts(distinct, length, n_bins)].tolist()


@given(features(), N_BINS, SEEDS)
def test_bins_depend_on_the_set_of_values_alone(X, n_bins, seed):
    """In any order, repeated, of either memory order, of a wider type: nothing changes."""
    rng, every = rng_of(seed), np.arange(len(X))
    binned = bin_features(X, n_bins, engine=ENGINE)
    rows = rng.permutation(np.concatenate([every, rng.integers(0, len(X), 9)]))
    orders = (np.asfortranarray(X), np.ascontiguousarray(X), X.astype(np.float64), np.repeat(X, 2, 0)[::2])
    for same, rows_of in ((X[rows], rows), *((same, every) for same in orders)):
        same_bins(binned, bin_features(same, n_bins, engine=ENGINE), rows_of)


@given(features(), N_BINS, PLACINGS, THREADS)
def test_kernel_and_specification_make_the_same_bins(kernel, X, n_bins, place_cuts, n_threads):
    engines = Engine(splitting), Engine(kernel, n_threads)
    same_bins(*(bin_features(X, n_bins, place_cuts, engine=engine) for engine in engines))


SPREADS = {
    "even": np.linspace(-3.0, 5.0, 700),
    "one binade after another": np.sort(np.exp(3 * NORMAL)),
    "one beside many": np.array([-1e300, *np.linspace(0.0, 1.0, 300)]),
    "the range overflows": np.array([-LARGEST, -1.0, 0.0, 1.0, LARGEST]),
    "the smallest range": np.array([0.0, 5e-324]),
    "neighbours": np.array([1.0, np.nextafter(1.0, 2.0), 1e300]),
    "one edge": np.array([2.5]),
    "no edge": np.array([]),
}


@pytest.mark.parametrize("edges", SPREADS.values(), ids=SPREADS)
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.filterwarnings("ignore:overflow")
def test_kernel_and_specification_label_alike_however_edges_are_spread(kernel, edges, missing, dtype):
    """Values on the edges, next to them, far beyond them; a feature without edges before and after."""
    edges = np.append(edges, np.inf) if missing else edges
    probes = np.concatenate([edges, NORMAL, [0.0, -0.0, 1e-320, -1e300, 1e300, np.inf]])
    probes = np.concatenate([probes, np.nextafter(probes, -np.inf), np.nextafter(probes, np.inf)]).astype(dtype)
    offsets = np.array([0, 1, len(edges) + 2, len(edges) + 3])
    ours, theirs = (np.full((1, len(probes), 8), 7, np.uint16) for _ in range(2))
    for splitter, codes in ((splitting, ours), (kernel, theirs)):
        splitter.quantize(np.column_stack([probes] * 3), edges, offsets, codes, 1)
    np.testing.assert_array_equal(theirs, ours)


@pytest.mark.parametrize(("n_samples", "n_features"), [(1, 1), (255, 9), (256, 8), (4097, 17), (12_301, 33)])
@pytest.mark.parametrize("n_bins", [256, 65536])
def test_kernel_and_specification_label_blocks_of_rows_alike(kernel, n_samples, n_features, n_bins):
    """Heavy tails, so that nearly all quantiles lie in a small part of the range."""
    X = rng_of(n_samples).normal(size=(n_samples, n_features)).astype(np.float32)
    engines = Engine(splitting), Engine(kernel, 3)
    same_bins(*(bin_features(X, n_bins, equal_lengths(), engine=engine) for engine in engines))
    same_bins(*(bin_features(np.exp(3 * X), min(n_bins, 999), quantiles, engine=engine) for engine in engines))


BY_HAND = {
    "65536 bins label every value apart": (range(65535, -1, -1), 65536, range(65535, -1, -1)),
    # 1e-8 * 2**27 = 1.34 is the first length above 1: two values per bin, and the last one alone
    "one value more than bins lengthens them all": (range(257), 256, [i // 2 for i in range(257)]),
    # the initial length is absolute: what docs/reference/papers.md says of 1e-8
    "a feature of tiny scale is merged": ([0.0, 1e-9, 2e-9, 3e-9], 256, [0, 0, 0, 0]),
    "a scaled one is not": ([0.0, 1.0, 2.0, 3.0], 256, [0, 1, 2, 3]),
    "a constant feature has one bin": ([7.0] * 5, 256, [0] * 5),
    "zeros of either sign are one value": ([0.0, -0.0, 1.0], 256, [0, 0, 1]),
    "the whole range of float64 is binned": ([-LARGEST, -1.0, 0.0, 1.0, LARGEST], 5, [0, 1, 2, 3, 4]),
    "the length grows past the whole range of float64": ([-LARGEST, -1.0, 0.0, 1.0, LARGEST], 2, [0] * 5),
    "infinity has the last bin to itself": ([0.0, np.inf, 1.0, LARGEST], 3, [0, 2, 0, 1]),
    "infinity alone has one bin": ([np.inf, np.inf], 3, [0, 0]),
}


@pytest.mark.parametrize(("values", "n_bins", "labels"), BY_HAND.values(), ids=BY_HAND)
def test_labels_by_hand(values, n_bins, labels):
    binned = bin_features(np.array(values, np.float64)[:, None], n_bins, engine=ENGINE)
    assert binned.codes[0, :, 0].tolist() == list(labels)
    assert binned.offsets.tolist() == [0, max(labels) + 1]
    assert len(binned.cuts[0]) == max(labels)


@pytest.mark.parametrize("bad", [1, 0, 65537, 2.0])
def test_bad_numbers_of_bins(bad):
    with pytest.raises(ValueError, match=f"n_bins is {bad}: it must be an integer from 2 to 65536"):
        bin_features(np.zeros((2, 1)), bad, engine=ENGINE)


@pytest.mark.parametrize("bad", [1.0, 1.0009, 0.5, -2.0, math.inf, math.nan])
def test_bad_growth(bad):
    with pytest.raises(ValueError, match=f"growth is {bad}: it must be a number of at least 1.001"):
        equal_lengths(bad)


@pytest.mark.parametrize("n_bins", [256, 2**16])
def test_features_on_another_engine_keep_what_was_made_on_first_access(n_bins):
    binned = bin_features(np.arange(600.0)[:, np.newaxis], n_bins, engine=default_engine())
    made = [binned.bin_counts, binned.row_codes, binned.column_codes, binned.coarse]
    moved = binned.on(SPECIFICATION)
    assert (moved.engine, binned.engine) == (SPECIFICATION, default_engine())
    for before, after in zip(made, [moved.bin_counts, moved.row_codes, moved.column_codes, moved.coarse], strict=True):
        assert after is before
