"""The digest: by its definition, entry by entry, in Python's integers."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from refrank.trees.numbers.draws import draw
from yardstick.numbers.digest import BLOCK, KEY, OF_BLOCK, digest, digest_bits, to_bits
from yardstick.numbers.encoding import FLOATS, INTEGERS

pytestmark = pytest.mark.kernel

DTYPES = st.sampled_from([*FLOATS, *INTEGERS, "bool", ">f8", ">i4"])  # the extension does not widen the last three


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


@given(DTYPES.flatmap(lambda dtype: hnp.arrays(dtype, hnp.array_shapes(max_dims=2, max_side=6))))
def test_digest_is_its_definition(array):
    for of in (array, array.T, array[::2]):
        assert digest(of) == digest_bits(to_bits(of), OF_BLOCK) == naive(of)


@pytest.mark.parametrize("n", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 7])
def test_blocks_are_digested_by_their_own_factors(n):
    values = np.random.default_rng(n).normal(size=n)
    assert digest(values) == digest_bits(to_bits(values), OF_BLOCK[: -(-n // BLOCK)])
    assert digest(values[: BLOCK + 1]) == naive(values[: BLOCK + 1])


def test_more_blocks_than_factors_at_hand():
    values = np.zeros((len(OF_BLOCK) + 1) * BLOCK, np.int8)
    values[-1] = 1
    assert digest(values) == (draw(KEY + 1, len(OF_BLOCK)) | 1) * (draw(KEY, BLOCK - 1) | 1) % 2**64
