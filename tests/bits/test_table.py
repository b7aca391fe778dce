"""The committed table of digests: one small model per ranker, bit-for-bit identical on every machine."""

import numpy as np

from refrank.estimators.registry import RANKERS
from tests.bits.table import (
    COMMITTED,
    LEFT_OUT,
    OTHER_LOSSES,
    TEST,
    TRAIN,
    compute_table,
    digest,
    list_cases,
    list_differences,
    read_table,
    write_table,
)
from tests.regenerate import renew_with


def test_each_ranker_has_the_digests_of_the_table():
    assert list_differences(compute_table(), read_table()) == [], renew_with("tests/bits/digests.json")


def test_the_table_has_every_ranker_or_says_why_not():
    assert {name.split()[0] for name in (*list_cases(), *LEFT_OUT, *OTHER_LOSSES)} == set(RANKERS)
    assert {name for name in read_table() if name.split()[0] not in ("file", "metrics")} == set(list_cases())


def test_the_file_is_sorted_and_says_what_is_left_out(tmp_path):
    table = read_table()
    assert list(table) == sorted(table)
    write_table(table, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == COMMITTED.read_text()


def test_the_data_are_what_they_were():
    assert np.bincount(TRAIN.y).tolist() == [104, 125, 111, 40, 20]
    assert digest(TRAIN.X, TRAIN.y, TEST.X, TEST.y) == "8312a538b1b1"


def test_a_digest_reads_bits_types_and_shapes():
    tiny = np.nextafter(0.0, 1.0)
    arrays = [np.array(*of) for of in (([0.0],), ([-0.0],), ([tiny],), ([[0.0]],), ([0],), ([0.0], np.float32))]
    assert len({digest(array) for array in arrays}) == len(arrays)
    assert digest(np.array([1.5], ">f8")) == digest(np.array([1.5], "<f8"))


def test_a_difference_names_the_ranker_and_its_first_quantity():
    table = {"a": {"trees": "1", "scores": "2"}, "b": {"trees": "3"}}
    assert list_differences(table, table) == []
    assert list_differences({"a": {"trees": "1", "scores": "0"}}, table) == [
        "a: scores is 0, the table says 2",
        "b: trees is None, the table says 3",
    ]
