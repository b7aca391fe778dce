"""Cases of `best_split` and `best_split_inside`: gains, ties, sizes of sides, three-way cuts, coarse bins."""

from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from refrank.arrays import Flags, Ints
from refrank.trees import splitting
from refrank.trees.bins.coarse import coarsen
from refrank.trees.splitting import NEEDS_CUT, PARTED
from yardstick.kernel.case import KernelCase
from yardstick.kernel.nodes import KINDS, SampleNode, make_node, make_rng

FLAGS = {"no feature may be missing": None, "parted": PARTED, "a cut is needed": NEEDS_CUT, "flags of all kinds": -1}


def list_cut_cases() -> Iterator[KernelCase]:
    """List the cases of both functions."""
    for kind in KINDS:
        for least in (1, 2, 5, 20):
            for words, flag in FLAGS.items():
                name = f"{kind}, min_samples_leaf {least}, {words}"
                yield KernelCase("best_split", name, partial(cut_node, kind, least, flag, 1))
                if least in (1, 5):
                    yield KernelCase("best_split_inside", name, partial(cut_inside, kind, least, flag))
        yield KernelCase("best_split", f"{kind}, 3 threads", partial(cut_node, kind, 1, None, 3))
        yield KernelCase("best_split", f"{kind}, every other feature", partial(cut_node, kind, 1, None, 1, 2))
    for name, sums in BY_HAND.items():
        n_features = len(sums)
        for least in (1, 2, 3):
            for words, flag in FLAGS.items():
                flags = make_flags(flag, n_features)
                made = partial(cut_by_hand, sums, least, flags)
                yield KernelCase("best_split", f"{name}, min_samples_leaf {least}, {words}", made)
    for total in (1000, -(2**40) + 1, 2**53 - 1, -(2**53)):
        for spread in (1, 4, 100):
            name = f"means near {total} that differ by rounding, spread {spread}"
            yield KernelCase("best_split", name, partial(cut_rounding, total, spread))
    for n_bins in (2, 255, 256, 257, 65_536):
        yield KernelCase("best_split", f"equal gains at both ends of {n_bins} bins", partial(cut_at_ends, n_bins))


BY_HAND: dict[str, list[list[list[int]]]] = {  # features, bins, (sum, count) or (sum, count, weight)
    "one bin": [[[5, 3]]],
    "no rows": [[[0, 0], [0, 0], [0, 0]]],
    "equal means": [[[2, 1], [4, 2], [6, 3]]],
    "equal cuts of one feature": [[[1, 1], [0, 1], [1, 1]]],
    "equal cuts of two features": [[[-3, 2], [3, 2]], [[3, 2], [-3, 2]]],
    "a better cut in the second feature": [[[-3, 2], [3, 2]], [[4, 2], [-4, 2]]],
    "empty bins between": [[[0, 0], [-5, 2], [0, 0], [0, 0], [5, 2], [0, 0]]],
    "a side of no weight": [[[0, 2, 0], [7, 1, 4], [-7, 1, 4], [0, 2, 0]]],
    "all of one side without weight": [[[0, 2, 0], [7, 3, 4]]],
    "rows that miss it alone": [[[0, 0], [0, 0], [9, 4]]],
    "a cut that parting swallows": [[[0, 1], [1, 1], [0, 1], [2**41, 3]]],
    "a cut among the others beside parting": [[[-4, 2], [4, 2], [30, 2]], [[-4, 2], [4, 2], [0, 0]]],
    "parting is best, without a cut": [[[4, 2], [4, 2], [30, 2]], [[-1, 2], [12, 4], [27, 0]]],
    "sums of 2**53 and -2**53": [[[2**53, 1], [-(2**53), 1], [2**53, 1]]],
    "gains one unit apart": [[[2**52 + 1, 3], [7, 5]], [[2**52 + 2, 3], [7, 5]], [[2**52 + 1, 3], [8, 5]]],
    "equal fractions that round apart": [[[0, 1], [4, 3]], [[2, 3], [2, 1]]],
    "three ways, equal fractions that round apart": [[[-2, 3], [3, 1], [2, 1]], [[-2, 1], [2, 3], [3, 1]]],
    "weights of 1 and 2**53": [[[5, 1, 1], [-5, 1, 2**53 - 1]], [[5, 1, 2**52], [-5, 1, 2**52]]],
}


def make_flags(flag: int | None, n_features: int) -> Flags | None:
    """Make `missing`: one flag for all features, flags of all kinds for -1, or no flags for None."""
    if flag is None:
        return None
    return np.arange(n_features, dtype=np.int8) % 3 if flag == -1 else np.full(n_features, flag, np.int8)


def sum_bins(node: SampleNode) -> Ints:
    """Make the histogram of a node by the specification."""
    return splitting.histogram(node.codes, node.offsets, node.rows, node.integers, node.weights, 1)


def cut_node(kind: str, least: int, flag: int | None, n_threads: int, step: int = 1) -> tuple[Any, ...]:
    """Make a node's histogram, and list all or some of its features."""
    node = make_node(kind)
    features = np.arange(0, node.n_features, step, dtype=np.int32)
    return sum_bins(node), node.offsets, features, least, n_threads, make_flags(flag, node.n_features)


def cut_inside(kind: str, least: int, flag: int | None) -> tuple[Any, ...]:
    """Make a node, and its histogram over coarse bins."""
    node = make_node(kind)
    features = np.arange(node.n_features, dtype=np.int32)
    arrays = node.rows, node.integers, node.weights, features
    return (
        node.column_codes,
        node.offsets,
        *sum_coarse_bins(kind, flag),
        *arrays,
        least,
        1,
        make_flags(flag, len(features)),
    )


@cache
def sum_coarse_bins(kind: str, flag: int | None) -> tuple[Ints, Ints, Ints]:
    """Make the coarse bins of a node, where they end, and the node's histogram over them."""
    node, every_row = make_node(kind), [np.ones(make_node(kind).n_samples, np.int64)]
    bin_counts = splitting.root_sums(node.codes, node.offsets, every_row, 1)[0]
    coarse = coarsen(node.codes, node.offsets, bin_counts, make_flags(flag, node.n_features))
    sums = splitting.histogram(coarse.codes, coarse.offsets, node.rows, node.integers, node.weights, 1)
    positive = splitting.histogram(coarse.codes, coarse.offsets, node.rows, np.maximum(node.integers, 0), None, 1)
    return coarse.offsets, coarse.ends, np.column_stack([sums, positive[:, 0]])


def cut_by_hand(features: Sequence[Sequence[Sequence[int]]], least: int, missing: Flags | None) -> tuple[Any, ...]:
    """Return an explicit histogram."""
    sums = np.array([slot for feature in features for slot in feature], np.int64)
    offsets = np.array([0, *np.cumsum([len(feature) for feature in features])], np.int64)
    return sums, offsets, np.arange(len(features), dtype=np.int32), least, 1, missing


def cut_rounding(total: int, spread: int) -> tuple[Any, ...]:
    """Make fifty features of two bins, whose means are large relative to their difference."""
    rng = make_rng("rounding", total, spread)
    n_rows = int(rng.integers(60, 1000))
    n_left = rng.integers(1, n_rows, 50)
    left_sum = [total * n // n_rows for n in n_left.tolist()] + rng.integers(-spread, spread + 1, 50)
    left = np.column_stack([left_sum, n_left])
    sums = np.stack([left, [total, n_rows] - left], axis=1).reshape(-1, 2)
    return sums, np.arange(51) * 2, np.arange(50, dtype=np.int32), 1, 1, None


def cut_at_ends(n_bins: int) -> tuple[Any, ...]:
    """Make three equal features, each with equal gains at both ends."""
    sums = np.tile([0, 1], (n_bins, 1))
    sums[[0, -1], 0] = 5
    return np.tile(sums, (3, 1)), np.arange(4) * n_bins, np.arange(3, dtype=np.int32), 1, 1, None
