"""The extension's `rank_first` and its specification: equal in every entry, on any number of threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from refrank.metrics import ordering

pytestmark = pytest.mark.kernel


def agree(compiled_order, scores, labels, second, lengths, block, width, n_threads):
    starts = np.cumsum(lengths) - lengths
    case = scores, labels, second, starts[block], lengths[block], width, n_threads
    for ranked, expected in zip(compiled_order.rank_first(*case), ordering.rank_first(*case), strict=True):
        np.testing.assert_array_equal(ranked, expected, strict=True)


@st.composite
def cases(draw):
    """Scores with many ties and infinities, labels, second keys or none, lengths, the queries of a block, a width."""
    lengths = np.array(draw(st.lists(st.integers(1, 70), min_size=1, max_size=5)))
    n = int(lengths.sum())
    levels = st.sampled_from([-np.inf, -1.5, -0.0, 0.0, 0.25, 3.0, np.inf])
    scores = draw(hnp.arrays(np.float64, n, elements=draw(st.sampled_from([levels, st.floats(allow_nan=False)]))))
    labels = draw(hnp.arrays(np.int8, n, elements=st.integers(0, 53)))
    second = draw(st.none() | hnp.arrays(np.int64, n, elements=st.integers(-2, 2)))
    block = np.array(draw(st.lists(st.sampled_from(range(len(lengths))), min_size=1, unique=True)))
    return scores, labels, second, lengths, block, draw(st.integers(1, 75))


@given(cases(), st.integers(1, 3))
def test_extension_and_specification_rank_alike(compiled_order, case, n_threads):
    agree(compiled_order, *case, n_threads)


@pytest.mark.parametrize("width", [1, 10, 32, 33, 1000])  # 32 is the most that is inserted: more are sorted
@pytest.mark.parametrize("levels", [3, 10**6])
def test_extension_threads_change_nothing_in_many_queries(compiled_order, width, levels):
    """Enough documents to wake threads, in queries from 1 document to 5,000."""
    rng = np.random.default_rng(width)
    lengths = np.minimum(rng.zipf(1.2, 300), 5000)
    n = int(lengths.sum())
    scores, labels = rng.integers(levels, size=n) / 8, rng.integers(54, size=n).astype(np.int8)
    assert n > 100_000
    for second in (None, rng.integers(5, size=n)):
        for n_threads in (1, 2, 5):
            agree(compiled_order, scores, labels, second, lengths, rng.permutation(300), width, n_threads)


@pytest.mark.parametrize("n", [1, 7, 8, 9, 16, 33, 64, 100, 129])
@pytest.mark.parametrize("step", [1, -1, 0])
def test_extension_keeps_orders_that_are_ascending_descending_or_all_tied(compiled_order, n, step):
    scores, labels = step * np.arange(float(n)), np.arange(n).astype(np.int8) % 54
    for width in (1, 3, 10, 32, 33, n, 200):
        for second in (None, np.arange(n)[::-1].copy()):
            agree(compiled_order, scores, labels, second, np.array([n]), [0], width, 1)
