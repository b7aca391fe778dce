"""How queries are put into blocks: all of them once, blocks that stay in the cache."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from refrank.metrics.ordering import BLOCK_ENTRIES, lay_out_blocks


@given(st.lists(st.integers(1, 50) | st.integers(BLOCK_ENTRIES // 5, BLOCK_ENTRIES * 2), min_size=1, max_size=40))
def test_blocks_hold_every_query_once_and_as_many_as_fit(lengths):
    n_positions = np.array(lengths)
    blocks = list(lay_out_blocks(n_positions))
    assert sorted(np.concatenate([query for query, _ in blocks])) == list(range(len(lengths)))
    for query, width in blocks:
        assert width == n_positions[query].max()
        assert len(query) == 1 or len(query) * width <= BLOCK_ENTRIES
    for (query, _), (following, _) in pairwise(blocks):
        assert n_positions[query].max() <= n_positions[following].min()
        assert (len(query) + 1) * n_positions[following].min() > BLOCK_ENTRIES  # one more would not have fitted
