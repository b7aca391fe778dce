"""Bytes of a file, and how faults and descriptions are laid out."""

import io
from contextlib import nullcontext
from textwrap import wrap

import numpy as np
import pytest

from refrank import LSBoostRanker
from refrank.models import describe_model, load_model, save_model
from refrank.models.archive import read_npy, write_npy
from refrank.models.codec import find_kind
from refrank.models.foreign_bytes import refuse


@pytest.mark.parametrize("shape", [(), (0,), (1,), (7, 13), (123_456, 1, 2)])
def test_an_array_begins_at_a_multiple_of_64_bytes(shape):
    array = np.zeros(shape, np.uint8)
    content = write_npy(array)
    assert (len(content) - array.size) % 64 == 0
    assert content[: len(content) - array.size].endswith(b"\n")
    np.testing.assert_array_equal(np.load(io.BytesIO(content)), array)


def test_the_bytes_of_an_array_are_of_no_version_of_numpy():
    head = b"\x93NUMPY\x01\x00v\x00{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }"
    assert write_npy(np.array([1, 2], ">i4")) == head.ljust(127) + b"\n\x01\0\0\0\x02\0\0\0"


FORMS = [(b"<i4", b">i4"), (b"(2,)", b"(-1, -2)"), (b"(2,)", b"(" * 40), (b"(2,)", b"(2.0,)"), (b"'shape'", b"'shame'")]


@pytest.mark.parametrize(("old", "new"), FORMS)
def test_an_array_of_another_form_is_refused(old, new):
    content = write_npy(np.array([1, 2], np.int32))
    assert content.count(old) == 1
    changed = content.replace(old, new).replace(b" " * (len(new) - len(old)), b"", len(new) > len(old))
    message = r"^a\.npy must be a \.npy array of version 1\.0, of one of the types <f4, <f8"
    with pytest.raises(ValueError, match=message):
        read_npy(changed, "a.npy")


def test_a_header_that_goes_on_is_refused():
    for length, refused in ((256, False), (257, True)):
        content = b"\x93NUMPY\x01\x00" + length.to_bytes(2, "little")
        content += b"{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}".ljust(length - 1) + b"\n\x07"
        with pytest.raises(ValueError, match=r"must be a \.npy array") if refused else nullcontext():
            assert read_npy(content, "a.npy").tolist() == [7]


def test_a_value_of_eighty_characters_is_cut_short():
    shown, cut = (tuple("a" * n for n in (9, 9, 9, 9, 9, last)) for last in (10, 11))
    assert (len(repr(shown)), len(repr(cut))) == (79, 80)
    for value, text in ((shown, repr(shown)), (cut, f"{repr(cut)[:76]} ...")):
        with pytest.raises(ValueError, match=r"^x is ") as fault:
            refuse("x", value, "short")
        assert str(fault.value) == f"x is {text}: it must be short"


def test_the_place_of_what_is_nested_too_deeply_is_told_in_sixty_characters():
    where = "estimators_.0." * 6
    assert find_kind("RidgeRanker", where[: 14 * 5]) is None
    with pytest.raises(ValueError, match="nested too deeply") as fault:
        find_kind("BaggingRegressor", where)
    rule = "is nested too deeply: an estimator may be in 5 others at most"
    assert str(fault.value) == f"{where[:60]} {rule}"


def test_a_long_line_of_a_description_goes_on_below_its_value(tmp_path):
    names = ["x" * (number % 5 + 1) for number in range(99)]
    ranker = LSBoostRanker(n_rounds=1).fit(np.random.default_rng(0).random((20, 99)), np.arange(20) % 3)
    ranker.feature_names_in_ = np.array(names, dtype=object)
    save_model(ranker, tmp_path / "m")
    lines = describe_model(tmp_path / "m").split("\n")
    [first] = (number for number, line in enumerate(lines) if line.startswith("  feature names  "))
    column = lines[first].index("0 x")
    assert len(lines) > first + 2
    assert all(line[:column].isspace() for line in lines[first + 1 :])
    expected = ", ".join(f"{number} {name}" for number, name in enumerate(names))
    assert [line[column:] for line in lines[first:]] == wrap(expected, 90)
    assert wrap(expected, 89) != wrap(expected, 90) != wrap(expected, 91)  # so that either would be seen


def test_a_long_path_is_told_in_two_hundred_characters(tmp_path):
    for n in (200, 201):
        path = tmp_path / ("a" * (n - len(str(tmp_path)) - 1))
        path.write_bytes(b"")
        with pytest.raises(ValueError, match="is not a refrank model") as fault:
            load_model(path)
        assert (str(path) in str(fault.value)) == (n == 200)
