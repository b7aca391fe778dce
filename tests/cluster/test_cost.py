"""The joins and bytes of a tree, which the docs state and the model of time counts on."""

from benchmarks.cluster.joins import N_LEAVES, count_joins
from benchmarks.cluster.model import BYTES, N_JOINS, N_SMALL


def test_a_tree_of_ten_leaves_takes_eleven_joins():
    n_joins, n_bytes, described = count_joins(n_rounds=2)
    assert N_LEAVES == 10
    assert described == ["gather", "sum of int64 (1, 34816)", *["sum of int64 (34816, 2)"] * 8, "turn"]
    assert n_joins == N_JOINS + 1 + N_SMALL == 11
    assert n_bytes == BYTES // 2 + N_JOINS * BYTES == 4_734_976
