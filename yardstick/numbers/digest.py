"""The digest of an array: 64 bits, the same in any order of adding and on any number of threads.

    digest(x) = sum over i of M[i // BLOCK] * m[i % BLOCK] * fold(bits(x_i))   modulo 2**64

    symbol     in code        meaning
    bits(x)    bits           the 64 bits of a float64, or of an int64; narrower numbers become one of these first
    fold(b)    b ^ b >> 32    so that the exponent of a float, its highest bits, meets the lower half of m, too
    m_i        WITHIN         draw(KEY, i) | 1: number i of SplitMix64 (refrank/trees/numbers/draws.py), made odd
    M_b        OF_BLOCK       draw(KEY + 1, b) | 1
    BLOCK      BLOCK          2**14

One changed entry always changes the digest: fold maps no two numbers to one, and its factor is odd. Two changed entries
cancel at most once in 2**32 times. All NaN count as equal. The digest finds mistakes; it does not prevent forgery.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from refrank.kernel import load_extension
from refrank.trees.numbers.draws import draw

COMPILED = load_extension("yardstick.numbers._digest")  # None: the specification computes digests
KEY = int.from_bytes(b"refrank")
BLOCK = 2**14  # entries: the intermediate arrays stay in the cache
WITHIN: NDArray[np.uint64] = draw(KEY, np.arange(BLOCK, dtype=np.uint64)) | np.uint64(1)
OF_BLOCK: NDArray[np.uint64] = draw(KEY + 1, np.arange(1024, dtype=np.uint64)) | np.uint64(1)


def digest(values: ArrayLike) -> int:
    """Compute the digest of an array of any shape, in C order; 0 <= result < 2**64."""
    array = np.asarray(values)
    if COMPILED is not None:
        total: int | None = COMPILED.digest(np.ascontiguousarray(array), WITHIN, tabulate_factors(array.size))
        if total is not None:  # the type is one of a trace
            return total
    return digest_bits(to_bits(array), tabulate_factors(array.size))


def tabulate_factors(n_entries: int) -> NDArray[np.uint64]:
    """Return the block factors of this many entries, or more factors."""
    if n_entries <= len(OF_BLOCK) * BLOCK:
        return OF_BLOCK
    return draw(KEY + 1, np.arange(-(-n_entries // BLOCK), dtype=np.uint64)) | np.uint64(1)


def digest_bits(bits: NDArray[np.uint64], of_block: NDArray[np.uint64]) -> int:
    """Specify the loop of the extension: bits are (n,), the factors of their blocks (n_blocks,) or longer."""
    total = 0
    for block, factor in enumerate(of_block[: -(-len(bits) // BLOCK)].tolist()):
        own = bits[block * BLOCK : (block + 1) * BLOCK]
        total += factor * int(np.dot(own ^ (own >> np.uint64(32)), WITHIN[: len(own)]))
    return total % 2**64


def to_bits(values: ArrayLike) -> NDArray[np.uint64]:
    """Return the bits of each entry in C order, (n,)."""
    array = np.asarray(values)
    kind = array.dtype.kind
    wide: Any = np.float64 if kind == "f" else np.uint64 if kind == "u" else np.int64
    flat = np.ascontiguousarray(array, wide).reshape(-1)
    if kind == "f" and np.isnan(flat).any():
        flat = np.where(np.isnan(flat), np.nan, flat)
    return flat.view(np.uint64)
