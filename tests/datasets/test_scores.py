"""Files of scores: one number per line, as Python's `float` reads it, without underscores."""

import io

import numpy as np
import pytest

from refrank.datasets.scores import read_scores


def test_numbers_are_read_in_their_order():
    scores = read_scores(io.BytesIO(b"1\n-2.5e-3\r\n inf \nnan\n7"))
    np.testing.assert_array_equal(scores, [1.0, -0.0025, np.inf, np.nan, 7.0])
    assert read_scores(io.BytesIO(b"")).shape == (0,)


@pytest.mark.parametrize("text", ["1_0", "0x1", "1 2", "", "1,5", "1\xff"])
def test_a_line_that_is_no_number_is_named(text):
    given = io.BytesIO(b"1\n" + text.encode("latin-1") + b"\n2\n")
    with pytest.raises(ValueError, match=r"^the input, line 2, is .*: it must be a number, one per line$"):
        read_scores(given)
