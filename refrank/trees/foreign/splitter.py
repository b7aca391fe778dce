"""A foreign splitter: a shared library, in C or any language that exports C functions, in the place of the kernel.

    >>> load_splitter("libport.so")  # doctest: +SKIP
    <libport.so: not offered: softmax, grow_deep>

The functions, their arguments and what a port must keep to are in `refrank/kernel/refrank_splitter.h`. Arrays are
handed over as that header has them, copied where they lie otherwise in memory. Results begin as a number that no port
means, so that entries that it forgets show. What a library does not offer is answered by the specification, so that
whole fits run on it.
"""

import os
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from refrank.arrays import Codes, Flags, Floats, Ints, Matrix, Rows
from refrank.trees import splitting
from refrank.trees.foreign.contiguous import as_array, as_bins, as_floats, as_node, in_place, make_result
from refrank.trees.foreign.library import SIGNATURES, Library
from refrank.trees.splitting import Split

SPLIT = np.dtype(  # refrank_split
    [
        *((name, np.int64) for name in ("feature", "bin")),
        ("split_gain", np.float64),
        *((name, np.int64) for name in ("left_sum", "left_count", "left_weight")),
    ]
)


def load_splitter(path: str | os.PathLike[str]) -> "ForeignSplitter":
    """Load a shared library that implements `refrank/kernel/refrank_splitter.h`, or some of it.

    Parameters
    ----------
    path : str or path
        The library: libport.so, port.dll, ... Loading it runs its code.

    Returns
    -------
    ForeignSplitter
        A splitter for `Engine`.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is not a shared library, or does not export the version of the functions that refrank knows.
    """
    return ForeignSplitter(Library(os.fspath(path)))


class UnusableSplitter:
    """In the place of a library that does not load: says why whenever anything is asked of it."""

    def __init__(self, fault: ValueError) -> None:
        self._fault = fault

    def __getattr__(self, name: str) -> NoReturn:
        """Raise the ValueError that loading ended in."""
        if name.startswith("__"):  # what Python itself asks of any object
            raise AttributeError(name)
        raise self._fault


class ForeignSplitter:
    """The functions of `refrank.trees.engine.Splitter`, by a library where it offers them, else by the specification.

    A result that would lead out of an array is a ValueError; whether it is right is for `refrank conform kernel`.
    """

    def __init__(self, library: Library) -> None:
        self.library, self.name = library, library.name
        self.offered = frozenset(library.functions)
        for name in self.not_offered:
            setattr(self, name, getattr(splitting, name))

    @property
    def not_offered(self) -> list[str]:
        """The functions that the library lacks, in the order of the header."""
        return [name for name in SIGNATURES if name not in self.offered]

    def __repr__(self) -> str:
        """Name the library, and what it lacks."""
        lacks = f": not offered: {', '.join(self.not_offered)}" if self.not_offered else ""
        return f"<{self.name}{lacks}>"

    def bin_starts(self, values: Matrix, length: float, n_bins: int) -> Ints:
        """Cover ascending values with bins of one length."""
        values, starts = as_floats(values), make_result(n_bins, np.int64)
        found = self.library.call(
            "bin_starts", values, values.itemsize, len(values), length, n_bins, starts, at_most=n_bins
        )
        written = starts.array[:found].copy()
        for start in (written.min(initial=0), written.max(initial=0)):
            self.library.check("bin_starts", "a start", int(start), 0, len(values) - 1)
        return written

    def quantize(self, X: Matrix, cuts: Floats, offsets: Ints, codes: Codes, n_threads: int) -> None:
        """Write the bin of every entry of X."""
        X, offsets = as_floats(X), as_array(offsets, np.int64)
        arrays = as_array(cuts, np.float64), offsets
        with in_place(codes) as written:
            sizes = written.itemsize, n_threads
            self.library.call("quantize", X, X.itemsize, *X.shape, *arrays, written, *sizes)
        for f, n_bins in enumerate(np.diff(offsets).tolist()):
            bin = int(codes[f // splitting.GROUP, :, f % splitting.GROUP].max(initial=0))
            self.library.check("quantize", f"a bin of feature {f}", bin, 0, n_bins - 1)

    def largest_magnitude(self, value: Floats, n_threads: int) -> float:
        """Find max |value|."""
        value, largest = as_array(value, np.float64), make_result(1, np.float64)
        self.library.call("largest_magnitude", value, len(value), largest, n_threads)
        return float(largest.array[0])

    def round_to_grid(self, value: Floats, exponent: int, n_threads: int) -> Ints:
        """Round values to multiples of 2**-exponent."""
        value, integers = as_array(value, np.float64), make_result(len(value), np.int64)
        self.library.call("round_to_grid", value, len(value), exponent, integers, n_threads)
        return integers.array

    def histogram(
        self, codes: Codes, offsets: Ints, rows: Rows, integers: Ints, weights: Ints | None, n_threads: int
    ) -> Ints:
        """Sum a node's rows in every bin of every feature."""
        sums = make_result((offsets[-1], 2 if weights is None else 3), np.int64)
        node = as_node(rows, integers, weights)
        self.library.call("histogram", *as_bins(codes, offsets), *node, sums, n_threads)
        return sums.array

    def root_sums(self, codes: Codes, offsets: Ints, integers: Sequence[Ints], n_threads: int) -> Ints:
        """Sum several quantities of all rows in every bin of every feature."""
        quantities, sums = np.array(integers, np.int64), make_result((len(integers), offsets[-1]), np.int64)
        self.library.call("root_sums", *as_bins(codes, offsets), quantities, len(quantities), sums, n_threads)
        return sums.array

    def best_split(
        self,
        sums: Ints,
        offsets: Ints,
        features: Rows,
        min_samples_leaf: int,
        n_threads: int,
        missing: Flags | None = None,
    ) -> Split:
        """Find the cut with the largest split_gain."""
        sums, offsets = as_array(sums, np.int64), as_array(offsets, np.int64)
        arguments = sums, sums.shape[1], offsets, len(offsets) - 1
        return self.find_split("best_split", offsets, arguments, features, min_samples_leaf, missing, n_threads)

    def best_split_inside(
        self,
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
        """Find the cut that `best_split` finds, given the histogram of a node's rows over coarse bins."""
        coarse = (as_array(one, np.int64) for one in (coarse_offsets, ends, coarse_sums))
        arguments = *as_bins(column_codes, offsets), *coarse, *as_node(rows, integers, weights)
        return self.find_split("best_split_inside", offsets, arguments, features, min_samples_leaf, missing, n_threads)

    def find_split(
        self,
        name: str,
        offsets: Ints,
        arguments: tuple[Any, ...],
        features: Rows,
        min_samples_leaf: int,
        missing: Flags | None,
        n_threads: int,
    ) -> Split:
        """Call one of the two functions that find a cut; the cut is one of a feature that was listed, or none."""
        features, split = as_array(features, np.int32), make_result(1, SPLIT)
        flags = as_array(missing, np.int8)
        self.library.call(name, *arguments, features, len(features), min_samples_leaf, flags, split, n_threads)
        found = Split(*split.array[0].item())
        if found.feature == -1:
            self.library.check(name, "the bin, without a feature,", found.bin, -1, -1)
        else:
            self.library.check(name, "the feature", found.feature, 0, len(offsets) - 2)
            last = int(offsets[found.feature + 1] - offsets[found.feature]) - 2
            self.library.check(name, f"the bin of feature {found.feature}", found.bin, 0, last)
        return found

    def partition(self, codes: Codes, rows: Rows, feature: int, bin: int, n_threads: int) -> int:
        """Reorder a node's rows in place, those that go left first; return how many these are."""
        labels, n_rows = np.ascontiguousarray(codes), len(rows)
        with in_place(rows) as written:
            where = written, n_rows, feature, bin, n_threads
            found = self.library.call("partition", labels, labels.itemsize, labels.shape[1], *where, at_most=n_rows)
        for row in (rows.min(initial=0), rows.max(initial=0)):
            self.library.check("partition", "a row", int(row), 0, codes.shape[1] - 1)
        return found

    def leaf_sums(self, value: Floats, exponent: int, rows: Rows, starts: Ints, n_threads: int) -> Ints:
        """Sum values, rounded to multiples of 2**-exponent, over each leaf."""
        value, sums = as_array(value, np.float64), make_result(len(starts) - 1, np.int64)
        leaves = as_array(rows, np.int32), as_array(starts, np.int64), len(starts) - 1
        self.library.call("leaf_sums", value, len(value), exponent, *leaves, sums, n_threads)
        return sums.array

    def add_to_leaves(self, scores: Floats, rows: Rows, starts: Ints, values: Floats, n_threads: int) -> None:
        """Add each leaf's value to the scores of its rows, in place."""
        leaves = as_array(rows, np.int32), as_array(starts, np.int64), len(values), as_array(values, np.float64)
        with in_place(scores) as written:
            self.library.call("add_to_leaves", written, len(written), *leaves, n_threads)

    def add_trees(
        self,
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
        """Add the values of the leaves that each row falls into to its score, tree after tree, in place."""
        X = as_floats(X)
        roots, cut, value = as_array(roots, np.int64), as_array(cut, np.float64), as_array(value, np.float64)
        feature, left, right = (as_array(column, np.int32) for column in (feature, left, right))
        with in_place(scores) as written:
            trees = roots, len(roots), feature, cut, left, right, value, len(feature), written
            self.library.call("add_trees", X, X.itemsize, *X.shape, *trees, n_threads)

    def exp(self, x: Floats) -> Floats:
        """Compute exp, entry by entry."""
        x = np.array(x, np.float64, order="C")
        result = make_result(x.shape, np.float64)
        self.library.call("exp", x, x.size, result)
        return result.array

    def softmax(self, scores: Floats, first: int, proba: Floats, n_threads: int) -> None:
        """Write some columns of the class probabilities."""
        columns = as_array(scores.T, np.float64)  # (n_classes, n_samples)
        with in_place(proba.T) as written:
            sizes = columns.shape[1], columns.shape[0], first, len(written)
            self.library.call("softmax", columns, *sizes, written, n_threads)

    def grow_deep(
        self,
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
    ) -> tuple[Rows, Rows, Rows, Rows, Floats, Ints, Ints, Ints]:
        """Grow a whole tree of a forest."""
        types = *(np.int32,) * 4, np.float64, *(np.int64,) * 3
        capacity = max(1, 2 * len(rows) - 1)
        results = [make_result(capacity, dtype) for dtype in types]
        codes, offsets = np.ascontiguousarray(row_codes), as_array(offsets, np.int64)
        quantities = *as_node(rows, integers), as_array(counts, np.int64), as_array(weights, np.int64)
        limits = as_array(missing, np.int8), max_depth, min_samples_leaf, n_candidates, key, capacity
        bins = codes, codes.itemsize, *codes.shape, offsets
        n_nodes = self.library.call("grow_deep", *bins, *quantities, *limits, *results, at_most=capacity)
        self.library.check("grow_deep", "the number of nodes", n_nodes, 1, capacity)
        feature, bin, left, right, *others = (result.array[:n_nodes].copy() for result in results)
        self.check_nodes(feature, bin, left, right, offsets)
        split_gain, total, count, weight = others
        return feature, bin, left, right, split_gain, total, count, weight

    def check_nodes(self, feature: Rows, bin: Rows, left: Rows, right: Rows, offsets: Ints) -> None:
        """Refuse a tree with a cut that is none, or a child that does not come after its parent."""
        for number in np.flatnonzero(feature != -1).tolist():
            f, place = int(feature[number]), f"of node {number}"
            self.library.check("grow_deep", f"the feature {place}", f, 0, len(offsets) - 2)
            last = int(offsets[f + 1] - offsets[f]) - 2
            self.library.check("grow_deep", f"the bin {place}", int(bin[number]), 0, last)
            for child in (left, right):
                self.library.check("grow_deep", f"a child {place}", int(child[number]), number + 1, len(feature) - 1)
