"""Messages: arguments and answers cross over to a port's process and back, and other messages are refused."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from yardstick.numbers.digest import digest
from yardstick.scorecard.messages import pack, read_answer, unpack

TABLES = arrays.arrays(
    st.sampled_from(["f8", "f4", "i8", "i1", "u8"]), arrays.array_shapes(min_dims=1, min_side=0, max_side=3)
)
TEXTS = st.text(max_size=5)
NUMBERS = st.floats() | st.integers(-(2**63), 2**64 - 1) | st.booleans()
VALUES = NUMBERS | TABLES | st.none() | TEXTS | st.lists(TEXTS, min_size=1, max_size=3).map(tuple)


def describe(value):
    array = np.asarray(value)
    return array.dtype, array.shape, digest(array)


def cross(value):
    return json.loads(json.dumps(pack(value), allow_nan=False))


@given(st.dictionaries(TEXTS, VALUES, max_size=3))
def test_arguments_cross_over(given):
    crossed = unpack(cross(given))
    assert [*crossed] == [*given]
    for name, value in given.items():
        same = describe if isinstance(value, np.ndarray) else repr
        assert same(crossed[name]) == same(value)


@given(TABLES | st.floats() | st.integers(-(2**63), 2**63 - 1))
def test_answers_cross_over_alone_and_as_one_of_several(value):
    alone, pair, of = map(read_answer, map(cross, (value, (value, value), {"a": value})))
    assert [*map(describe, (alone, *pair, of["a"]))] == [describe(value)] * 4


@pytest.mark.parametrize(
    ("document", "value"),
    [
        (1.5, np.float64(1.5)),
        ("0x1.8p+1", np.float64(3.0)),
        ("-0x1p-1074", np.float64(-5e-324)),
        (["-0.0", "nan", "-nan", "+Inf", "-Infinity", "1e5"], np.array([-0.0, np.nan, np.nan, np.inf, -np.inf, 1e5])),
        ([[1, 2], ["3", 4]], np.array([[1, 2], [3, 4]])),
        ("18446744073709551615", np.uint64(2**64 - 1)),
        (["6457827717110365317", 9817491932198370423], np.array([6457827717110365317, 9817491932198370423], np.uint64)),
        ([123456789012345680000, 0.5], np.array([123456789012345680000.0, 0.5])),
        ([123456789012345680000, -1], np.array([123456789012345680000.0, -1.0])),
        ([], np.array([])),
        ([True, False], np.array([1, 0])),
    ],
)
def test_plain_numbers_are_answers(document, value):
    assert describe(read_answer(document)) == describe(value)


NO_NUMBERS = [None, "x", "1" * 41, "0x", [[1], [2, 3]], [[[[[1]]]]], [{"a": 1}, 2], {"a": {"b": 1}}, [1, None], 10**999]


@pytest.mark.parametrize("document", NO_NUMBERS, ids=str)
def test_other_answers_are_refused(document):
    with pytest.raises(ValueError, match="it must be numbers, or lists of them of equal lengths"):
        read_answer(document)
