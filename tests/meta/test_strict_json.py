"""JSON from strangers: another document is one sentence, and numbers are as long as they need be."""

import math

import pytest

from refrank.datasets.strict_json import MOST_DIGITS, parse_json


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (b"{", "x is not JSON: Expecting property name"),
        (b"\xff", "x is not UTF-8: invalid start byte at byte 0"),
        (b'{"a": 1, "a": 1}', "x has a field twice: a"),
        (b"[NaN]", "x holds NaN: numbers must be finite"),
        (b"[-Infinity]", "x holds -Infinity"),
        (b"[1e999]", "x holds 1e999"),
        (b"[-1e999]", "x holds -1e999"),
        (b"[" + b"1" * (MOST_DIGITS + 1) + b"]", "x holds 1111.*: numbers must be of at most 1000 digits"),
        (b"[-" + b"1" * (MOST_DIGITS + 1) + b"]", "x holds -1111"),
        (b"[" * 100_000, "x is nested too deeply"),
    ],
)
def test_json_is_read_strictly(text, fault):
    with pytest.raises(ValueError, match=fault):
        parse_json(text, "x")


def test_integers_are_exact_and_may_be_long():
    digits = "-" + "7" * MOST_DIGITS
    assert parse_json(f"[{digits}]".encode(), "x") == [int(digits)]


def test_numbers_need_not_be_finite_where_a_format_has_them():
    nan, *others = parse_json(b"[NaN, Infinity, -Infinity, -1e999, 0.5]", "x", finite=False)
    assert math.isnan(nan)
    assert others == [math.inf, -math.inf, -math.inf, 0.5]
    with pytest.raises(ValueError, match="x has a field twice: a"):
        parse_json(b'{"a": 1, "a": 1}', "x", finite=False)
