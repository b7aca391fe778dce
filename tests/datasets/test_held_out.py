"""held_out: the validation queries follow the stated rule, and every row stays with its query."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.datasets import LetorData
from refrank.datasets.held_out import draw_queries, hold_out

QUERIES = st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=30, unique=True)
SHARES = st.sampled_from([0.01, 0.1, 0.2, 1 / 3, 0.5])


def make_rows(queries, rng):
    qid = rng.permutation(np.repeat(np.array(queries), rng.integers(1, 4, len(queries))))
    n_samples = len(qid)
    return LetorData(rng.random((n_samples, 2)), np.arange(n_samples), qid, tuple(map(str, range(n_samples))))


@given(queries=QUERIES, share=SHARES, seed=st.integers(0, 99))
def test_rows_stay_with_their_query_and_in_their_order(queries, share, seed):
    data = make_rows(queries, np.random.default_rng(seed))
    train, valid = hold_out(data, share)
    drawn = set(valid.qid.tolist())
    assert drawn.isdisjoint(train.qid.tolist())
    assert len(drawn) == max(round(share * len(queries)), 1) < len(queries)
    assert sorted([*train.y, *valid.y]) == data.y.tolist()
    for part in (train, valid):  # the label of a row is its number
        assert part.y.tolist() == sorted(part.y)
        assert part.qid.tolist() == data.qid[part.y].tolist()
        assert part.X.tolist() == data.X[part.y].tolist()
        assert part.comments == tuple(map(str, part.y))


@given(queries=QUERIES, share=SHARES)
def test_the_drawn_ids_have_the_first_digests(queries, share):
    """One by one: each drawn id is before each other id in the order of `printf ID | sha256sum`."""
    drawn = set(draw_queries(np.array(queries), share).tolist())
    place = {query: hashlib.sha256(b"%d" % query).hexdigest() for query in queries}
    others = set(queries) - drawn
    assert max(place[query] for query in drawn) < min(place[query] for query in others)


def test_the_drawn_ids_are_these():
    """The lowest of `printf 1 | sha256sum` and so on: 9 has 195..., 8 has 2c6..., 10 has 4a4..., 4 has 4b2...."""
    assert sorted(draw_queries(np.arange(1, 11), 0.4).tolist()) == [4, 8, 9, 10]


def test_one_query_cannot_be_divided():
    with pytest.raises(ValueError, match=r"valid_share is 0.2: it must divide at least two queries, and there is 1"):
        draw_queries(np.array([7]), 0.2)
