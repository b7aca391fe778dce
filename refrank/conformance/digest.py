"""The digest of an array: 64 bits, the same in any order of adding and on any number of threads.

    digest(x) = sum over i of m_i * fold(bits(x_i))   modulo 2**64

    symbol     in code        what
    bits(x)    bits           the 64 bits of a float64, or of an int64; narrower numbers become one of these first
    fold(b)    b ^ b >> 32    so that the exponent of a float, its highest bits, meets the lower half of m_i, too
    m_i        multipliers    draw(KEY, i) | 1: number i of the stream of SplitMix64 (refrank/trees/draws.py), made odd

In C, where `next` is SplitMix64 started at KEY:

    for (i = 0; i < n; i++) digest += (next() | 1) * (bits[i] ^ bits[i] >> 32);

One changed entry always changes the digest: fold tells all numbers apart, and m_i is odd. Two changed entries cancel
once in 2**32 times at most. All NaN count as one. It finds mistakes; against forgery it is useless.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from refrank.trees.draws import draw

KEY = int.from_bytes(b"refrank")
BLOCK = 2**14  # entries at a time: what is computed on the way stays in the cache
KEPT = 256  # blocks whose multipliers are kept


def digest(values: ArrayLike) -> int:
    """Compute the digest of an array of any shape, in C order; 0 <= result < 2**64.

    Examples
    --------
    >>> hex(digest([1.0, 2.0]))
    '0x66e3b6c10f100000'
    >>> digest([0.0]) == digest([-0.0])
    False
    """
    bits, total = to_bits(values), 0
    for block in range(-(-len(bits) // BLOCK)):
        part = bits[block * BLOCK : (block + 1) * BLOCK]
        total += int(np.dot(part ^ (part >> np.uint64(32)), multipliers(block)[: len(part)]))
    return total % 2**64


def to_bits(values: ArrayLike) -> NDArray[np.uint64]:
    """Return the bits of each entry in C order, (n,)."""
    array = np.asarray(values)
    wide: Any = np.float64 if array.dtype.kind == "f" else np.uint64 if array.dtype.kind == "u" else np.int64
    flat = np.ascontiguousarray(array, wide).reshape(-1)
    if array.dtype.kind == "f" and np.isnan(flat).any():
        flat = np.where(np.isnan(flat), np.nan, flat)
    return flat.view(np.uint64)


def multipliers(block: int) -> NDArray[np.uint64]:
    """Return m_i of the entries of one block, (BLOCK,)."""
    made = MADE.get(block)
    if made is None:
        made = draw(KEY, np.arange(block * BLOCK, (block + 1) * BLOCK, dtype=np.uint64)) | np.uint64(1)
        if block < KEPT:
            MADE[block] = made
    return made


MADE: dict[int, NDArray[np.uint64]] = {}
