"""Random draws as functions of their place: no generator is passed around, so the order of growth changes no draw.

The draws are those of SplitMix64 (Steele, Lea and Flood 2014): draw(key, i) is number i of the stream that starts at
`key`. Every stream has its own key, which is itself a draw: from the seed for a tree, from the parent's key for a node.
The kernel draws the same integers (`refrank/kernel/deep.pxi`), and they can be recorded for a port.

    symbol                       in code           shape
    stream of tree t             tree_key          64-bit integer
    stream of a child            child_key         64-bit integer; depends only on the path from the root to the node
    n of n rows, replaced        bootstrap_rows    (n_samples,) int32
    K of f features              feature_subset    (n_candidates,) int32, ascending
"""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from refrank.checks import check_integer, check_seed

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15  # 2**64 over the golden ratio: the step of SplitMix64
BOOTSTRAP, FEATURES = 0, 1  # the purposes of a tree's two streams
CHILDREN = 2  # the first numbers of a node's stream are the keys of its children

Place = TypeVar("Place", int, NDArray[Any])  # one number of a stream, or uint64 of any shape


def draw(key: int, i: Place) -> Place:
    """Return number i of the stream of this key, 0 <= result < 2**64; of an array of places, the array of numbers.

    >>> [draw(1234567, i) for i in range(2)]  # as the reference implementation begins
    [6457827717110365317, 3203168211198807973]
    """
    z = (key + (i + 1) * GOLDEN) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def below(bits: int, n: int) -> int:
    """Turn 64 random bits into one of 0..n-1, by the high half of a product (Lemire 2019, without rejection).

    The probability of each value is off by less than 2**-64.
    """
    return (bits * n) >> 64


def tree_key(seed: int, tree: int, stream: int) -> int:
    """Return the key of one stream of a tree: BOOTSTRAP, or FEATURES for the stream of its root."""
    return draw(draw(draw(0, seed), tree), stream)


def child_key(key: int, child: int) -> int:
    """Return the key of a child of a node: 0 left, 1 right."""
    return draw(key, child)


def bootstrap_rows(seed: int, tree: int, n_samples: int) -> NDArray[np.int32]:
    """Draw n of n rows with replacement, (n_samples,): those that a tree of a forest is grown on, in the order drawn.

    >>> bootstrap_rows(seed=0, tree=0, n_samples=5)
    array([0, 0, 3, 3, 1], dtype=int32)
    """
    check_integer("n_samples", n_samples, 1, 2**31)
    key = tree_key(check_seed("seed", seed), check_integer("tree", tree, at_least=0), BOOTSTRAP)
    return below_each(draw(key, np.arange(n_samples, dtype=np.uint64)), n_samples)


def below_each(bits: NDArray[np.uint64], n: int) -> NDArray[np.int32]:
    """Return `below` of each, for n of at most 2**31.

    >>> below_each(np.array([2**63, 2**64 - 1], np.uint64), 2**31)
    array([1073741824, 2147483647], dtype=int32)
    """
    # the high half of a product of 64 bits, put together from halves of 32 bits
    low, high = (bits & 0xFFFFFFFF) * n, (bits >> 32) * n
    return ((high + (low >> 32)) >> 32).astype(np.int32)


def feature_subset(key: int, n_candidates: int, n_features: int) -> NDArray[np.int32]:
    """Draw K of f features without replacement for one node, (n_candidates,): a partial Fisher-Yates shuffle.

    >>> feature_subset(tree_key(seed=0, tree=0, stream=FEATURES), n_candidates=3, n_features=10)
    array([1, 6, 7], dtype=int32)
    """
    check_integer("n_candidates", n_candidates, 1, n_features)
    drawn, moved = [], dict[int, int]()  # moved: place -> feature, where the shuffle has put another one
    for j in range(n_candidates):
        other = j + below(draw(key, CHILDREN + j), n_features - j)
        drawn.append(moved.get(other, other))
        moved[other] = moved.get(j, j)
    return np.array(sorted(drawn), np.int32)
