"""THE SPECIFICATION of the hot path: bins, grids, histograms, cuts, leaves, probabilities, and whole deep trees.

`_split.pyx` is the kernel: the same functions, argument order and numbered steps, fast. The two are bit-for-bit
identical, which tests/trees/test_splitting_kernel.py asserts. The algorithm is McRank App. I: binning makes a "bucket
sort" of every feature, so that one pass over a node's rows and one over its bins find its best cut.
Arguments of the same name mean the same in every function:

    symbol            in code      shape
    x                 X            (n_samples, n_features) float32 or float64
    bin labels        codes        (n_groups, n_samples, 8) uint8 or uint16; feature f is codes[f // 8, :, f % 8]
    slots of bins     offsets      (n_features + 1,) int64; feature f has slots offsets[f] .. offsets[f + 1] - 1
    edges of bins     cuts         (n_slots - n_features,) float64; those of feature f begin at cuts[offsets[f] - f]
    rows of a node    rows         (n_rows,) int32
    rows of leaves    starts       (n_leaves + 1,) int64; leaf j has rows[starts[j]:starts[j + 1]]
    residual          integers     (n_samples,) int64, on its grid (refrank/trees/numbers/grid.py)
    w                 weights      (n_samples,) int64, on its grid; None where all rows weigh the same
    histogram         sums         (n_slots, 2 or 3) int64: sum of residuals, count of rows, and with weights their sum
    -                 n_threads    int, without effect here
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from refrank.arrays import Bools, Codes, Flags, Floats, Ints, Matrix, Rows
from refrank.trees.numbers.draws import child_key, feature_subset
from refrank.trees.numbers.exact_gain import bound_rounding, compute_exact_gain, find_first_best, list_sides
from refrank.trees.numbers.exponential import exp as exp
from refrank.trees.numbers.exponential import softmax as softmax
from refrank.trees.numbers.grid import largest_magnitude as largest_magnitude
from refrank.trees.numbers.grid import round_to_grid as round_to_grid

GROUP = 8  # columns of codes that lie side by side
PARTED, NEEDS_CUT = 1, 2  # entries of `missing`: whether separating the rows that lack a feature is a cut by itself


class Split(NamedTuple):
    """A cut, and the sums of the rows on its left, those with code <= bin, in units of the grids."""

    feature: int  # -1 where no cut gains, and so is bin
    bin: int
    split_gain: float
    left_sum: int  # of residuals
    left_count: int  # of rows
    left_weight: int  # their weights' sum; left_count where rows have no weights


NO_SPLIT = Split(-1, -1, 0.0, 0, 0, 0)
Choose = Callable[[int, Rows, Ints, Ints, Split], Split]  # (node, its features, their slots, its histogram, best cut)


def bin_starts(values: Matrix, length: float, n_bins: int) -> Ints:
    """Cover ascending values with bins [start, start + length).

    Returns the places of the starts among the values, of equal ones the first; an empty array where n_bins bins do not
    suffice.
    """
    values = values.astype(np.float64)
    # McRank App. I: "we only bin the data where there are indeed data"
    starts = [0]
    while True:
        start = values[starts[-1]]
        # x = start always belongs, even where float64 cannot tell start + length from start
        following = max(int(values.searchsorted(start + length)), int(values.searchsorted(start, side="right")))
        if following == len(values):
            return np.array(starts, np.int64)
        if len(starts) == n_bins:
            return np.empty(0, np.int64)
        starts.append(following)


def quantize(X: Matrix, cuts: Floats, offsets: Ints, codes: Codes, n_threads: int) -> None:
    """Write the bin of every entry of X into `codes`: the bin with cuts[bin - 1] <= x < cuts[bin]."""
    for f in range(X.shape[1]):
        edges = cuts[offsets[f] - f : offsets[f + 1] - f - 1]
        codes[f // GROUP, :, f % GROUP] = np.searchsorted(edges, X[:, f], side="right")


def histogram(codes: Codes, offsets: Ints, rows: Rows, integers: Ints, weights: Ints | None, n_threads: int) -> Ints:
    """Sum the residuals of a node's rows, count the rows, and sum their weights, in each bin of each feature."""
    sums = np.zeros((offsets[-1], 2 if weights is None else 3), np.int64)
    # McRank App. I: "we conduct 'bucket sort' implicitly"
    for f in range(len(offsets) - 1):
        code = codes[f // GROUP, rows, f % GROUP]  # (n_rows,)
        slots = sums[offsets[f] : offsets[f + 1]]  # (n_bins, 2 or 3)
        # A float64 holds each of these sums exactly: bincount's floats equal the kernel's integers.
        slots[:, 0] = np.bincount(code, integers[rows], len(slots))
        slots[:, 1] = np.bincount(code, None, len(slots))
        if weights is not None:
            slots[:, 2] = np.bincount(code, weights[rows], len(slots))
    return sums


def root_sums(codes: Codes, offsets: Ints, quantities: Sequence[Ints], n_threads: int) -> Ints:
    """Sum several quantities, (n_samples,) each, of all rows in each bin of each feature: (n_quantities, n_slots)."""
    sums = np.zeros((len(quantities), offsets[-1]), np.int64)
    for f in range(len(offsets) - 1):
        for row, quantity in zip(sums, quantities, strict=True):
            slots = row[offsets[f] : offsets[f + 1]]
            slots[:] = np.bincount(codes[f // GROUP, :, f % GROUP], quantity, len(slots))
    return sums


def best_split(
    sums: Ints, offsets: Ints, features: Rows, min_samples_leaf: int, n_threads: int, missing: Flags | None = None
) -> Split:
    """Find the cut with the largest split_gain among `features`, which ascend; rows with code <= bin go left.

    Where `missing`, (n_features,), is 1, the last bin of the feature holds the rows that miss it, and a cut goes three
    ways: it parts these rows, and cuts the others. Its gain is the sum of both gains; its bin and left side are those
    of the cut among the others; the last bin but one if this adds nothing. Where `missing` is 2, it must add something.
    """
    two_ways = np.zeros(len(offsets) - 1, np.bool_)
    two_ways[features] = True
    three_ways = []
    if missing is not None:
        for f in features[(missing[features] > 0) & (sums[offsets[features + 1] - 1, 1] > 0)].tolist():
            two_ways[f] = False
            three_ways.append(best_three_way(f, sums[offsets[f] : offsets[f + 1]], min_samples_leaf, int(missing[f])))
    best = best_two_way(np.ascontiguousarray(sums.T), offsets, two_ways, min_samples_leaf)
    cuts = [cut for cut in (best, *three_ways) if cut.split_gain > 0.0]
    if not three_ways or len(cuts) < 2:
        return cuts[0] if cuts else NO_SPLIT
    slots = {f: sums[offsets[f] : offsets[f + 1]] for f, *_ in cuts}
    sides = {f: list_sides(slots[f], bin, f != best.feature) for f, bin, *_ in cuts}
    return max(cuts, key=lambda cut: (compute_exact_gain(*sides[cut.feature]), -cut.feature))


def best_two_way(sums: Ints, offsets: Ints, listed: Bools, min_samples_leaf: int) -> Split:
    """Find the best cut of the listed features, (n_features,), given the histogram column by column."""
    feature, bin, left, right = list_cuts(sums, offsets, listed, min_samples_leaf)
    if len(feature) == 0:
        return NO_SPLIT
    # 2. The gain of each cut: the reduction of the sum of squared errors, never negative, 0 for equal means.
    split_gain = compute_gains(left, right)
    # McRank App. I: "the current 'best' feature that will reduce the mean square errors (MSE) the most"
    # 3. The best of them, compared as fractions; ties go to the lowest feature, then to the lowest bin.
    # Paper is silent: which of equal cuts is made, and whether one that gains nothing is (here it is not).
    largest = float(split_gain.max())
    if largest == 0.0:
        return NO_SPLIT
    node = (left[0] + right[0]).astype(np.float64)
    low = largest - 2.0 * bound_rounding(largest, node[0], node[-1])
    [contenders] = ((split_gain > 0.0) & (split_gain >= low)).nonzero()
    at = contenders[find_first_best(left[contenders], right[contenders])]
    sums_left = left[at].tolist()
    return Split(int(feature[at]), int(bin[at]), float(split_gain[at]), sums_left[0], sums_left[1], sums_left[-1])


def list_cuts(sums: Ints, offsets: Ints, listed: Bools, min_samples_leaf: int) -> tuple[Ints, Ints, Ints, Ints]:
    """List the cuts of the listed features, (n_features,), given the histogram column by column.

    Returns (feature, bin, left, right): the sums of both sides are (n_cuts, 2 or 3).
    """
    # a cut after a bin without rows is the cut before it
    [slots] = np.nonzero(sums.any(axis=0))
    # The sums on both sides of the cut after each slot, (2 or 3, n_slots). int64 may wrap: differences are exact.
    up_to = np.zeros((len(sums), len(slots) + 1), np.int64)
    sums.take(slots, axis=1).cumsum(axis=1, out=up_to[:, 1:])
    features, first = offsets.searchsorted(slots, side="right") - 1, slots.searchsorted(offsets)
    left = up_to[:, 1:] - up_to.take(first[features], axis=1)
    right = up_to.take(first[features + 1], axis=1) - up_to[:, 1:]
    # 1. Both sides hold enough rows, and some weight (the last column: the weight, or the count).
    # Paper is silent: how few rows a side may hold. At least min_samples_leaf, by default 1.
    enough = (left[1] >= min_samples_leaf) & (right[1] >= min_samples_leaf) & (left[-1] > 0) & (right[-1] > 0)
    [cuts] = (enough & listed[features]).nonzero()
    feature = features[cuts]
    return feature, slots[cuts] - offsets[feature], left.take(cuts, axis=1).T, right.take(cuts, axis=1).T


def compute_gains(left: Ints, right: Ints) -> Floats:
    """Compute the gains of cuts, given the sums of both sides, (..., 2 or 3) each."""
    # iGBRT Eq. 1: "argmin" over trees of the squared error, greedily
    n_left, n_right = left[..., -1].astype(np.float64), right[..., -1].astype(np.float64)
    n_node = (left[..., -1] + right[..., -1]).astype(np.float64)
    d = left[..., 0] / n_left - right[..., 0] / n_right
    return d * d * (n_left * n_right / n_node)


def best_split_inside(
    column_codes: Codes,
    offsets: Ints,
    coarse_offsets: Ints,
    ends: Ints,
    coarse_sums: Ints,
    rows: Rows,
    integers: Ints,
    weights: Ints | None,
    features: Rows,
    min_samples_leaf: int,
    n_threads: int,
    missing: Flags | None = None,
) -> Split:
    """Find the cut that `best_split` finds in the histogram of a node's rows, given that over coarse bins.

    The coarse bins (refrank/trees/bins/coarse.py), and the node's histogram over them, only say where the cut cannot
    be. Where `missing` is not 0, the last coarse bin of the feature has one bin, the last.
    """
    whole_groups = np.pad(column_codes[:, rows], ((0, -len(column_codes) % GROUP), (0, 0)))  # of this node alone
    codes = cast(Codes, whole_groups.reshape(-1, GROUP, len(rows)).transpose(0, 2, 1))
    every, weights = np.arange(len(rows), dtype=np.int32), None if weights is None else weights[rows]
    sums = histogram(codes, offsets, every, integers[rows], weights, n_threads)
    return best_split(sums, offsets, features, min_samples_leaf, n_threads, missing)


def best_three_way(f: int, slots: Ints, min_samples_leaf: int, missing: int) -> Split:
    """Find the best cut of a feature that some rows of the node lack; `missing` is its entry in `best_split`."""
    present, missed = slots[:-1].sum(axis=0), slots[-1]  # (2 or 3,) each
    if min(present[1], missed[1]) < min_samples_leaf or min(present[-1], missed[-1]) <= 0:
        return NO_SPLIT
    parting = part_missing(f, len(slots), present, missed)
    among = best_split(slots[:-1], np.array([0, len(slots) - 1]), np.zeros(1, np.int32), min_samples_leaf, 1)
    both = parting.split_gain + among.split_gain
    if both > parting.split_gain or (missing == NEEDS_CUT and among.feature >= 0):
        return among._replace(feature=f, split_gain=both)
    return NO_SPLIT if missing == NEEDS_CUT else parting


def part_missing(f: int, n_bins: int, present: Ints, missed: Ints) -> Split:
    """Make the cut that separates the rows in a feature's last bin from the others, given the sums of both."""
    return Split(f, n_bins - 2, float(compute_gains(present, missed)), *present[[0, 1, -1]].tolist())


def take_apart(split: Split, n_bins: int, node: Ints, missed: Ints) -> list[Split]:
    """List the two-way cuts that make up a cut on a feature with missing values, in the order in which they are made.

    The arguments are the sums of the node's rows, and of those that lack the feature, (2 or 3,) each. There is one cut
    where no row lacks it, or the others are not cut. Else there are two: the first sends the rows that lack the feature
    to the right, and the second cuts the others.
    """
    if missed[1] == 0 or split.bin == n_bins - 2:
        return [split]
    present, left = node - missed, np.array([split.left_sum, split.left_count, split.left_weight])[: len(node)]
    among = split._replace(split_gain=float(compute_gains(left, present - left)))
    return [part_missing(split.feature, n_bins, present, missed), among]


def partition(codes: Codes, rows: Rows, feature: int, bin: int, n_threads: int) -> int:
    """Reorder a node's rows in place, those that go left first, each side in its order; return how many go left."""
    goes_left = codes[feature // GROUP, rows, feature % GROUP] <= bin
    rows[:] = np.concatenate([rows[goes_left], rows[~goes_left]])
    return int(np.count_nonzero(goes_left))


def leaf_sums(value: Floats, exponent: int, rows: Rows, starts: Ints, n_threads: int) -> Ints:
    """Sum values, (n_samples,), each on the grid, over each leaf, (n_leaves,); a shard may have no row of a leaf."""
    return np.diff(np.append(0, round_to_grid(value, exponent, n_threads)[rows].cumsum())[starts])


def add_to_leaves(scores: Floats, rows: Rows, starts: Ints, values: Floats, n_threads: int) -> None:
    """Add the value of each leaf, (n_leaves,), to the scores, (n_samples,), of its rows, in place."""
    scores[rows] += values.repeat(np.diff(starts))


def add_trees(
    X: Matrix,
    roots: Ints,
    feature: Rows,
    cut: Floats,
    left: Rows,
    right: Rows,
    value: Floats,
    scores: Floats,
    n_threads: int,
) -> None:
    """Add the value of the leaf that each row falls into to its score, tree after tree, in place.

    The fields of all nodes of all trees are concatenated. Tree t begins at node roots[t]; `left` and `right` count from
    there; children come after their parent; `feature` is -1 in a leaf. A row goes left where x < cut, that is, where
    its code is at most the cut's bin.
    """
    for root in roots:
        node = np.full(len(X), root)
        inner = np.flatnonzero(feature[node] >= 0)
        while len(inner):
            at = node[inner]
            goes_left = X[inner, feature[at]] < cut[at]
            node[inner] = root + np.where(goes_left, left[at], right[at])
            inner = inner[feature[node[inner]] >= 0]
        scores += value[node]


def grow_deep(
    row_codes: Codes,
    offsets: Ints,
    rows: Rows,
    integers: Ints,
    counts: Ints,
    weights: Ints | None,
    missing: Flags | None,
    max_depth: int,
    min_samples_leaf: int,
    n_candidates: int,
    key: int,
    *,
    choose: Choose = lambda number, drawn, places, sums, best: best,
) -> tuple[Rows, Rows, Rows, Rows, Floats, Ints, Ints, Ints]:
    """Grow a whole tree; each cut is the best among n_candidates features drawn for its node.

    Row i counts as counts[i] rows of integers[i] (and weights[i]). `row_codes`, (n_samples, n_features), holds the
    codes row by row; max_depth is -1 for no limit; `choose`, which the kernel lacks, may prefer another cut. Returns
    (feature, bin, left, right, split_gain, sum, count, weight) of each node, numbered as made, left subtrees first.
    """
    columns = [counts * integers, counts] if weights is None else [counts * integers, counts, counts * weights]
    quantities = np.stack(columns)  # (2 or 3, n_samples)
    nodes: list[list[Any]] = []  # rows, feature, bin, left, right, split_gain, and the sums of the quantities

    def make_node(inside: Rows, sums: Ints) -> int:
        nodes.append([inside, -1, 0, 0, 0, 0.0, sums])
        return len(nodes) - 1

    n_bins, candidates = np.diff(offsets), np.arange(n_candidates, dtype=np.int32)
    stack = [(make_node(rows, quantities[:, rows].sum(axis=1)), 0, key)]
    while stack:
        number, depth, key = stack.pop()
        inside = nodes[number][0]
        residual = integers[inside]
        # Equal residuals: no cut gains.
        if depth == max_depth or (weights is None and (residual[1:] == residual[:-1]).all()):
            continue
        # 1. Draw the features, and sum the node's rows in their bins.
        drawn = feature_subset(key, n_candidates, row_codes.shape[1])
        places = np.concatenate(([0], n_bins[drawn].cumsum()))
        slots = (row_codes[inside[:, np.newaxis], drawn] + places[:-1]).ravel()  # (n_rows * n_candidates,)
        values = quantities[:, inside].repeat(n_candidates, axis=1)
        sums = np.array([np.bincount(slots, of_slots, places[-1]) for of_slots in values], np.int64).T
        # 2. Find the best cut.
        split = best_split(sums, places, candidates, min_samples_leaf, 1, None if missing is None else missing[drawn])
        split = choose(number, drawn, places, sums, split)
        if split.feature < 0:
            continue
        # 3. Part the rows. A cut three ways is two cuts: first the rows that miss the feature, then the others.
        f, slots = int(drawn[split.feature]), sums[places[split.feature] : places[split.feature + 1]]
        three_way = missing is not None and missing[f]
        in_two = take_apart(split, len(slots), nodes[number][6], slots[-1]) if three_way else [split]
        for part in in_two:
            inside, *_, node = nodes[number]
            goes_left, left_sums = row_codes[inside, f] <= part.bin, np.array(part[3:])[: len(node)]
            left, right = make_node(inside[goes_left], left_sums), make_node(inside[~goes_left], node - left_sums)
            nodes[number][1:6] = f, part.bin, left, right, part.split_gain
            number = left
            stack.append((right, depth + 1, child_key(key, 1)))
            key = child_key(key, 0)
        stack.append((number, depth + 1, key))
    _, *fields, split_gain, of_nodes = zip(*nodes, strict=True)
    feature, bins, left_child, right_child = (np.array(field, np.int32) for field in fields)
    total, count, weight = np.array(of_nodes)[:, [0, 1, -1]].T.copy()
    return feature, bins, left_child, right_child, np.array(split_gain), total, count, weight
