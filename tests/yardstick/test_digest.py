"""The digest: by its definition, entry by entry, in Python's integers; and what it tells apart."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from refrank.trees.numbers.draws import draw
from yardstick.numbers.digest import BLOCK, KEY, OF_BLOCK, digest, digest_bits, to_bits
from yardstick.numbers.encoding import FLOATS, INTEGERS


def naive(values) -> int:
    """The sum of the definition."""
    array = np.asarray(values)
    total = 0
    for i, x in enumerate(array.ravel().tolist()):
        if array.dtype.kind == "f":
            bits = struct.unpack("<Q", struct.pack("<d", float("nan") if x != x else x))[0]
        else:
            bits = x % 2**64
        total += (draw(KEY + 1, i // BLOCK) | 1) * (draw(KEY, i % BLOCK) | 1) * (bits ^ bits >> 32)
    return total % 2**64


pytestmark = pytest.mark.kernel

DTYPES = st.sampled_from(  # the last three are not widened by the extension
    [*FLOATS, *INTEGERS, "bool", ">f8", ">i4"]
)


@given(DTYPES.flatmap(lambda dtype: hnp.arrays(dtype, hnp.array_shapes(max_dims=2, max_side=6))))
def test_digest_is_its_definition(array):
    assert digest(array) == naive(array)
    assert digest(array) == digest_bits(to_bits(array), OF_BLOCK)
    assert digest(array.T) == naive(array.T)
    assert digest(array[::2]) == naive(array[::2])


@pytest.mark.parametrize("n", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 7])
def test_blocks_are_digested_by_their_own_factors(n):
    values = np.random.default_rng(n).normal(size=n)
    bits = to_bits(values)
    assert digest(values) == digest_bits(bits, OF_BLOCK[: -(-n // BLOCK)])
    if n > BLOCK:
        swapped = values.copy()
        swapped[[0, BLOCK]] = swapped[[BLOCK, 0]]
        assert digest(swapped) != digest(values)
    assert digest(values[: BLOCK + 1]) == naive(values[: BLOCK + 1])


def test_more_blocks_than_factors_at_hand():
    values = np.zeros((len(OF_BLOCK) + 1) * BLOCK, np.int8)
    values[-1] = 1
    assert digest(values) == (draw(KEY + 1, len(OF_BLOCK)) | 1) * (draw(KEY, BLOCK - 1) | 1) % 2**64


@given(hnp.arrays("float64", st.integers(1, 5)), st.data())
def test_one_changed_entry_changes_the_digest(array, data):
    at = data.draw(st.integers(0, len(array) - 1))
    other = array.copy()
    other[at] = data.draw(st.floats(allow_nan=False))
    same = to_bits(other)[at] == to_bits(array)[at]
    assert (digest(other) == digest(array)) == same


def test_what_is_one_number_has_one_digest():
    assert digest(np.float32([0.5, 3.0])) == digest(np.float64([0.5, 3.0]))
    assert digest(np.uint8([1, 200])) == digest(np.int64([1, 200]))
    assert digest([np.nan]) == digest([-np.nan])
    assert digest([0.0]) != digest([-0.0])
    assert digest([1.0, 2.0]) != digest([2.0, 1.0])
