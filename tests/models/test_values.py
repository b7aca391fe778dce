"""Values of parameters, as they are written: numbers of any type as those of Python, arrays as members or as lists."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from refrank import COCRRanker
from refrank.models import check_savable
from refrank.models.codec import Codec


@pytest.mark.parametrize("kind", ["?", "i1", "u2", ">i2", "u8", "f2"])
def test_arrays_of_other_types_are_written_as_numbers(kind):
    written = Codec().write(np.array([[1, 0]], kind), "base.alphas", False)
    assert written == [[1, 0]]
    assert {type(number) for number in written[0]} == {float if kind == "f2" else int}


@pytest.mark.parametrize("kind", [">f8", "<f4", ">i8", "i4", "u1"])
def test_arrays_of_the_types_of_a_file_are_members(kind):
    writer, array = Codec(), np.array([1, 0], kind)
    assert writer.write(array, "base.alphas", False) == {"npy": "base.alphas.npy"}
    assert writer.arrays["base.alphas"] is array


@pytest.mark.parametrize("kind", ["U1", "S1", "O", "c8", "M8[s]"])
def test_arrays_of_what_is_no_number_are_not_written(kind):
    with pytest.raises(ValueError, match=r"^base\.alphas is array.*: a model file cannot hold a ndarray; give"):
        Codec().write(np.array([1, 0]).astype(kind), "base.alphas", False)


@pytest.mark.parametrize("value", [np.float32(0.5), np.array(0.5), np.int64(3), np.True_, np.str_("x"), np.array(3)])
def test_numbers_of_numpy_are_written_as_those_of_python(value):
    written = Codec().write(value, "base.alpha", False)
    assert written == value
    assert type(written) in (float, int, bool, str)


def test_integers_have_a_thousand_digits_at_most():
    for value in (10**1000 - 1, 1 - 10**1000):
        assert Codec().write(value, "base.max_iter", False) == value
    for value in (10**1000, -(10**1000)):
        with pytest.raises(ValueError, match=r"^base\.max_iter has more than 1000 digits: a file holds no more$"):
            Codec().write(value, "base.max_iter", False)
    with pytest.raises(ValueError, match=r"^base\.max_iter has more than 1000 digits"):
        check_savable(COCRRanker(Ridge(max_iter=10**1000)))
