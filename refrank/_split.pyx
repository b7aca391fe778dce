# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""THE KERNEL of the hot path: the functions of refrank/trees/splitting.py, with their names, arguments and steps, fast.

This file partitions rows and adds up leaves. The files of refrank/kernel/, whose README gives a reading order, hold the
rest: probabilities, bins, grids and histograms, cuts, prediction, deep trees, and the rivals of a cut for traces.
"""

import numpy as np

from cython.parallel cimport prange, threadid
from libc.math cimport INFINITY, ldexp, llrint
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

cdef extern from "kernel/machine.h":
    const int REFRANK_OPENMP
    const Py_ssize_t WORTH_THREADS "REFRANK_WORTH_THREADS"
    void prefetch "refrank_prefetch" (const void* address) noexcept nogil
    int lowest_bit "refrank_lowest_bit" (uint64_t bits) noexcept nogil

OPENMP = bool(REFRANK_OPENMP)

ctypedef fused code_t:
    uint8_t
    uint16_t

ctypedef fused real_t:
    float
    double


include "kernel/softmax.pxi"
include "kernel/derivatives.pxi"
include "kernel/sorting.pxi"
include "kernel/binning.pxi"
include "kernel/grid.pxi"
include "kernel/histogram.pxi"
include "kernel/lists.pxi"
include "kernel/root_sums.pxi"
include "kernel/cut.pxi"
include "kernel/cut_bounds.pxi"
include "kernel/cut_pieces.pxi"
include "kernel/cut_inside.pxi"


def partition(
    const code_t[:, :, ::1] codes, int32_t[::1] rows, Py_ssize_t feature, Py_ssize_t bin, int n_threads
):
    cdef Py_ssize_t n_rows = rows.shape[0], n_left
    if n_rows == 0:
        return 0
    cdef int32_t[::1] moved = np.empty(n_rows, np.int32)
    cdef int64_t[::1] lefts = np.empty(n_threads, np.int64)
    with nogil:
        n_left = part_in_place(
            &codes[feature // 8, 0, feature % 8], 8, &rows[0], n_rows, bin, n_threads, &moved[0], &lefts[0]
        )
    return n_left


cdef Py_ssize_t part_in_place(
    const code_t* column,
    Py_ssize_t stride,
    int32_t* rows,
    Py_ssize_t n_rows,
    Py_ssize_t bin,
    int n_threads,
    int32_t* moved,
    int64_t* lefts,
) noexcept nogil:
    """Move the rows that go left to the front, given the bin of row i at column[stride * i].

    `moved`, (n_rows,), and `lefts`, (n_threads,), are memory.
    """
    cdef int n_parts = n_threads if n_rows > WORTH_THREADS // 4 else 1
    cdef Py_ssize_t part, n_left = 0
    if n_parts == 1:  # without OpenMP, see histogram.pxi
        n_left = part_rows(column, stride, rows, n_rows, bin, moved)
        memcpy(rows + n_left, moved, (n_rows - n_left) * sizeof(int32_t))
        return n_left
    # Each part of the rows moves those that go left to its front, copies the others to a buffer, and the former behind
    # them. Then the pieces are put together in the order of the parts.
    for part in prange(n_parts, schedule="static", num_threads=n_parts):
        lefts[part] = part_piece(
            column, stride, rows, n_rows * part // n_parts, n_rows * (part + 1) // n_parts, bin, moved
        )
    for part in range(n_parts):
        n_left += lefts[part]
    for part in prange(n_parts, schedule="static", num_threads=n_parts):
        put_piece(rows, n_rows, part, n_parts, n_left, moved, lefts)
    return n_left


cdef Py_ssize_t part_piece(
    const code_t* column,
    Py_ssize_t stride,
    int32_t* rows,
    Py_ssize_t first,
    Py_ssize_t end,
    Py_ssize_t bin,
    int32_t* moved,
) noexcept nogil:
    """Move those of rows[first:end] that go left to the front; return how many."""
    cdef Py_ssize_t n_left = part_rows(column, stride, rows + first, end - first, bin, moved + first)
    memcpy(moved + end - n_left, rows + first, n_left * sizeof(int32_t))
    return n_left


cdef void put_piece(
    int32_t* rows,
    Py_ssize_t n_rows,
    Py_ssize_t part,
    int n_parts,
    Py_ssize_t n_left,
    const int32_t* moved,
    const int64_t* lefts,
) noexcept nogil:
    """Put the rows of a part in their places: `n_left` of all parts go left, `lefts[part]` of this one."""
    cdef Py_ssize_t first = n_rows * part // n_parts, end = n_rows * (part + 1) // n_parts, before, left_before = 0
    for before in range(part):
        left_before += lefts[before]
    memcpy(rows + n_left + first - left_before, moved + first, (end - first - lefts[part]) * sizeof(int32_t))
    memcpy(rows + left_before, moved + end - lefts[part], lefts[part] * sizeof(int32_t))


cdef Py_ssize_t part_rows(
    const code_t* column, Py_ssize_t stride, int32_t* rows, Py_ssize_t n_rows, Py_ssize_t bin, int32_t* right
) noexcept nogil:
    """Move the rows that go left to the front, and copy the others, without a branch; return how many go left."""
    cdef Py_ssize_t i, n_left = 0
    cdef int32_t row
    cdef bint goes_left
    for i in range(n_rows):
        if i + 32 < n_rows:
            prefetch(column + stride * rows[i + 32])
        row = rows[i]
        goes_left = column[stride * row] <= bin
        rows[n_left] = row
        right[i - n_left] = row
        n_left += goes_left
    return n_left


def leaf_sums(
    const double[::1] value, int exponent, const int32_t[::1] rows, const int64_t[::1] starts, int n_threads
):
    cdef Py_ssize_t n_rows = rows.shape[0], part
    cdef int n_parts = n_threads if n_rows > WORTH_THREADS else 1
    shares = np.zeros((n_parts, starts.shape[0] - 1), np.int64)
    cdef int64_t[:, ::1] sums = shares
    for part in prange(n_parts, nogil=True, schedule="static", num_threads=n_parts):
        sum_leaves(value, exponent, rows, starts, part, n_parts, sums[part])
    return shares.sum(axis=0)


cdef inline Py_ssize_t start_of(
    const int64_t[::1] starts, Py_ssize_t leaf, Py_ssize_t part, Py_ssize_t n_parts
) noexcept nogil:
    """Find where a part of the rows of a leaf starts.

    The rows of a leaf ascend: a part of each leaf, instead of some leaves, keeps threads off each other's cache lines.
    """
    return starts[leaf] + (starts[leaf + 1] - starts[leaf]) * part // n_parts


cdef void sum_leaves(
    const double[::1] value,
    int exponent,
    const int32_t[::1] rows,
    const int64_t[::1] starts,
    Py_ssize_t part,
    Py_ssize_t n_parts,
    int64_t[::1] sums,
) noexcept nogil:
    """Add the values of a part of the rows of each leaf, on the grid, to the sums of the leaves."""
    cdef Py_ssize_t leaf, i
    cdef int64_t total
    cdef double factor = grid_factor(exponent)
    for leaf in range(sums.shape[0]):
        total = 0
        for i in range(start_of(starts, leaf, part, n_parts), start_of(starts, leaf, part + 1, n_parts)):
            total += on_grid(value[rows[i]], factor, exponent)
        sums[leaf] += total


def add_to_leaves(
    double[::1] scores, const int32_t[::1] rows, const int64_t[::1] starts, const double[::1] values, int n_threads
):
    cdef Py_ssize_t n_rows = rows.shape[0], part
    cdef int n_parts = n_threads if n_rows > WORTH_THREADS else 1
    for part in prange(n_parts, nogil=True, schedule="static", num_threads=n_parts):
        raise_leaves(scores, rows, starts, part, n_parts, values)


cdef void raise_leaves(
    double[::1] scores,
    const int32_t[::1] rows,
    const int64_t[::1] starts,
    Py_ssize_t part,
    Py_ssize_t n_parts,
    const double[::1] values,
) noexcept nogil:
    """Add the values of the leaves to the scores of a part of the rows of each."""
    cdef Py_ssize_t leaf, i
    for leaf in range(values.shape[0]):
        for i in range(start_of(starts, leaf, part, n_parts), start_of(starts, leaf, part + 1, n_parts)):
            scores[rows[i]] += values[leaf]


include "kernel/grow.pxi"
include "kernel/predict.pxi"
include "kernel/deep.pxi"
include "kernel/contest.pxi"
