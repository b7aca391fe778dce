"""The answers of joins, and joins that are refused."""

import pickle

import numpy as np
import pytest

from refrank.cluster.joins import JoinError, Lost, Message, Stopped, join, simplify
from refrank.cluster.member import NOTHING, STOP, Member

ARRAYS = [np.array([[1, -5]]), np.array([[2**62, 3]]), np.array([[4, -6]])]


def test_joins_give_each_shard_its_answer():
    assert [answer.tolist() for answer in join([Message("sum", a) for a in ARRAYS])] == [[[2**62 + 5, -8]]] * 3
    assert [answer.tolist() for answer in join([Message("maximum", a) for a in ARRAYS])] == [[[2**62, 3]]] * 3
    assert join([Message("gather", value) for value in "abc"]) == [["a", "b", "c"]] * 3
    assert join([Message("exchange", [*values]) for values in ("ab", "cd")]) == [["a", "c"], ["b", "d"]]


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (Message("maximum", ARRAYS[0]), r"shard 2 joins in maximum of int64 \(1, 2\), and shard 0 in sum of"),
        (Message("sum", ARRAYS[0].T), r"shard 2 joins in sum of int64 \(2, 1\), and shard 0 in sum of int64 \(1, 2\)"),
        (Message("sum", ARRAYS[0].astype(np.int32)), "shard 2 joins in sum of int32"),
        (Message("end", None), "shard 2 joins in end"),
    ],
)
def test_joins_that_differ_are_refused(other, sentence):
    with pytest.raises(JoinError, match=sentence):
        join([Message("sum", ARRAYS[0]), Message("sum", ARRAYS[1]), other])


def test_an_exchange_with_fewer_shards_than_there_are_is_refused():
    with pytest.raises(ValueError, match="shorter"):
        join([Message("exchange", [1, 2]), Message("exchange", [3])])


def test_a_shard_that_is_stopped_talks_no_more():
    talked = []
    member = Member(0, 2, lambda message: talked.append(message) or STOP, NOTHING)
    for _ in range(2):
        with pytest.raises(Stopped):
            member.gather(1)
    assert talked == [Message("gather", 1)]


class OwnError(ValueError):
    """A fault that only its own arguments make again."""

    def __init__(self, row, rule):
        super().__init__(f"row {row} is not {rule}")


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (OwnError(3, "even"), ValueError("row 3 is not even")),
        (FileNotFoundError(2, "No such file", "a.txt"), OSError("[Errno 2] No such file: 'a.txt'")),
        (JoinError("differs"), JoinError("differs")),
        (MemoryError("no room"), Lost("MemoryError: no room")),
        (RuntimeError(), Lost("RuntimeError: ")),
    ],
)
def test_a_fault_that_travels_is_one_of_four_kinds(fault, expected):
    arrived = pickle.loads(pickle.dumps(simplify(fault)))
    assert (type(arrived), str(arrived)) == (type(expected), str(expected))
    assert repr(simplify(arrived)) == repr(arrived)
