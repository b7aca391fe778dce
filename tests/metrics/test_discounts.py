"""The table of discounts, from its definition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.metrics.discounts import tabulate_discounts
from tests.oracles.metrics import DISCOUNTS


@given(st.integers(0, 300), st.none() | st.integers(1, 310), st.sampled_from(list(DISCOUNTS)))
def test_every_discount_is_its_definition(n_positions, k, rule):
    expected = [DISCOUNTS[rule](i) if k is None or i <= k else 0.0 for i in range(1, n_positions + 1)]
    assert tabulate_discounts(n_positions, k, rule).tolist() == expected


def test_the_default_is_the_papers_discount_and_nobody_can_write_into_the_table():
    assert tabulate_discounts(5).tolist() == tabulate_discounts(5, None, "log2(1+i)").tolist()
    with pytest.raises(ValueError, match="read-only"):
        tabulate_discounts(3)[0] = 2.0
