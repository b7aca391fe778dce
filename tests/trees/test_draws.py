"""`refrank.trees.numbers.draws` against an independent writing of each draw; its docstrings hold published integers."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees.numbers import draws
from refrank.trees.numbers.draws import (
    BOOTSTRAP,
    FEATURES,
    below_each,
    bootstrap_rows,
    child_key,
    draw,
    feature_subset,
    tree_key,
)
from tests.oracles import igbrt as naive_igbrt

KEYS = st.integers(0, 2**64 - 1)


@given(KEYS, st.integers(0, 300))
def test_number_i_is_reached_without_the_numbers_before_it(key, i):
    assert draw(key, i) == next(islice(naive_igbrt.splitmix64(key), i, None))


@given(st.integers(0, 2**63), st.integers(0, 10**6), st.integers(1, 300))
def test_rows_equal_those_drawn_one_by_one(seed, tree, n):
    rows = bootstrap_rows(seed, tree, n)
    assert rows.dtype == np.int32
    assert rows.tolist() == naive_igbrt.drawn_rows(seed, tree, n)


@pytest.mark.parametrize("n", [2**20, 2**20 + 7, 10**6 + 3, 3_000_001])
def test_rows_of_large_data_equal_the_definition_where_looked_at(n):
    """The high half of a product is put together from halves of 32 bits; where n has 20 bits, some carry a bit."""
    rows, looked_at = bootstrap_rows(3, 1, n), [*range(0, n, 97), n - 1]
    assert rows[looked_at].tolist() == [naive_igbrt.drawn_row(3, 1, n, i) for i in looked_at]


@pytest.mark.parametrize("n", [2**31 - 1, 2**31])
def test_rows_of_as_many_as_int32_numbers_equal_the_definition(n):
    """One draw in four carries; none of the other draws are made."""
    numbers = [*range(500), *range(n - 500, n)]
    bits = draw(tree_key(5, 7, BOOTSTRAP), np.array(numbers, np.uint64))
    assert below_each(bits, n).tolist() == [naive_igbrt.drawn_row(5, 7, n, i) for i in numbers]


@given(st.one_of(st.integers(1, 2**31), st.sampled_from([1, 2, 3, 10**6 + 3, 2**20, 2**31 - 1, 2**31])), st.data())
def test_a_row_is_the_next_one_from_the_very_bits_on_at_which_the_definition_is(n, data):
    """At the first bits of a row and at those before, every bit of both halves decides."""
    row = data.draw(st.integers(0, n - 1))
    first = -(-row * 2**64 // n)
    bits = [one for one in (first - 1, first, first + 1) if 0 <= one < 2**64]
    assert below_each(np.array(bits, np.uint64), n).tolist() == [naive_igbrt.scaled_down(one, n) for one in bits]
    assert naive_igbrt.scaled_down(first, n) == row


@given(KEYS, st.data())
def test_features_equal_those_of_an_urn(key, data):
    n_features = data.draw(st.integers(1, 80))
    n_candidates = data.draw(st.integers(1, n_features))
    found = feature_subset(key, n_candidates, n_features)
    assert found.dtype == np.int32
    assert found.tolist() == naive_igbrt.drawn_features(key, n_candidates, n_features)
    assert len(set(found.tolist())) == n_candidates


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bootstrap_rows(-1, 0, 5), "seed is -1: it must be an integer from 0 to 34028236692093846346"),
        (lambda: bootstrap_rows(0, -1, 5), "tree is -1: it must be an integer of at least 0"),
        (lambda: bootstrap_rows(0, 0, 2**31 + 1), "n_samples is 2147483649: it must be an integer from 1 to 21474"),
        (lambda: feature_subset(0, 4, 3), "n_candidates is 4: it must be an integer from 1 to 3"),
        (lambda: feature_subset(0, 0, 3), "n_candidates is 0: it must be an integer from 1 to 3"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_streams_do_not_meet():
    """The keys of trees, of their two streams and of ten levels of nodes differ, and differ from what is drawn."""
    keys = [tree_key(seed, tree, s) for seed in range(5) for tree in range(50) for s in (BOOTSTRAP, FEATURES)]
    level = [tree_key(0, 0, FEATURES)]
    for _ in range(10):
        level = [child_key(key, child) for key in level for child in (0, 1)]
        keys += level
    assert len(set(keys)) == len(keys)
    # the numbers that pick a node's features are not those that name its children
    assert {draw(keys[0], draws.CHILDREN + j) for j in range(9)}.isdisjoint(
        {child_key(keys[0], 0), child_key(keys[0], 1)}
    )
