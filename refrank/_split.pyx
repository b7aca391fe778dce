# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""THE KERNEL of the hot path: the functions of refrank/trees/splitting.py, with their names, arguments and steps, fast.

This file finds cuts, parts rows and adds up leaves. Its other parts are included in the order of the specification:
probabilities, bins, grids and histograms, prediction, deep trees, rankings, text.
"""

import numpy as np

from cython.parallel cimport prange
from libc.math cimport INFINITY, ldexp, llrint
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memmove, memset

cdef extern from *:
    """
    #ifdef _OPENMP
    #define REFRANK_OPENMP 1
    #else
    #define REFRANK_OPENMP 0
    #endif
    /* The loop it marks is compiled for AVX-512, AVX2 and the plain processor; the one that fits is chosen when the
       module is loaded. Each does the same IEEE operations on integers or on single floats: no bit depends on it. */
    #ifdef REFRANK_CLONES /* -DREFRANK_CLONES= compiles for one processor */
    #elif defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
    #define REFRANK_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
    #else
    #define REFRANK_CLONES
    #endif
    #ifdef __GNUC__
    #define refrank_prefetch(address) __builtin_prefetch(address)
    #define refrank_lowest_bit(bits) __builtin_ctzll(bits)
    #else
    #define refrank_prefetch(address) ((void)(address))
    static int refrank_lowest_bit(unsigned long long bits) {
        int place = 0;
        while (!(bits & 1)) { bits >>= 1; place++; }
        return place;
    }
    #endif
    """
    const int REFRANK_OPENMP
    void prefetch "refrank_prefetch" (const void* address) noexcept nogil
    int lowest_bit "refrank_lowest_bit" (uint64_t bits) noexcept nogil

OPENMP = bool(REFRANK_OPENMP)

# With fewer steps of a few nanoseconds, waking a thread costs more than it saves, above all on a busy machine.
cdef Py_ssize_t WORTH_THREADS = 100_000

ctypedef fused code_t:
    uint8_t
    uint16_t

ctypedef fused real_t:
    float
    double


include "_softmax.pxi"
include "_binning.pxi"
include "_grid.pxi"
include "_histogram.pxi"
include "_root_sums.pxi"


cdef struct Cut:
    double gain  # 0 where no cut gains
    Py_ssize_t bin
    int64_t left_sum, left_count, left_weight


def best_split(
    const int64_t[:, ::1] sums,
    const int64_t[::1] offsets,
    const int32_t[::1] features,
    Py_ssize_t min_samples_leaf,
    int n_threads,
    const int8_t[::1] missing=None,
):
    cdef Py_ssize_t n_features = features.shape[0], i, f, best = -1
    cdef int used_threads = n_threads if sums.shape[0] > WORTH_THREADS // 16 else 1
    cdef int n_columns = <int>sums.shape[1]
    cdef uint8_t[::1] memory = np.empty(n_features * sizeof(Cut), np.uint8)
    cdef Cut* cuts = <Cut*>&memory[0]
    for i in prange(n_features, nogil=True, schedule="static", num_threads=used_threads):
        f = features[i]
        cuts[i] = best_of_feature(
            &sums[offsets[f], 0], n_columns, NULL, offsets[f + 1] - offsets[f], offsets[f + 1] - offsets[f],
            min_samples_leaf, missing is not None and missing[f],
        )
    # 3. The best of them; ties go to the lowest feature.
    for i in range(n_features):
        if cuts[i].gain > (cuts[best].gain if best >= 0 else 0.0):
            best = i
    if best < 0:
        return -1, -1, 0.0, 0, 0, 0
    return (
        features[best], cuts[best].bin, cuts[best].gain,
        cuts[best].left_sum, cuts[best].left_count, cuts[best].left_weight,
    )


cdef inline Cut no_cut() noexcept nogil:
    cdef Cut cut
    cut.gain, cut.bin, cut.left_sum, cut.left_count, cut.left_weight = 0.0, -1, 0, 0, 0
    return cut


cdef Cut best_of_feature(
    const int64_t* slots,
    int n_columns,
    const int32_t* bins,
    Py_ssize_t n_listed,
    Py_ssize_t n_bins,
    Py_ssize_t min_samples_leaf,
    bint may_miss,
) noexcept nogil:
    """Find the best cut of one feature: two ways, or three ways where rows miss it (its last bin).

    `bins` lists the bins that hold rows, in ascending order; NULL stands for all bins.
    """
    cdef int64_t total[3]
    cdef int64_t* missed = <int64_t*>slots + (n_bins - 1) * n_columns
    cdef Py_ssize_t i
    cdef int column, last = n_columns - 1
    cdef double parting
    cdef Cut cut = no_cut()
    for column in range(n_columns):
        total[column] = 0
    for i in range(n_listed):
        for column in range(n_columns):
            total[column] += slots[(bins[i] if bins else i) * n_columns + column]
    if not may_miss or missed[1] == 0:
        return best_cut(slots, n_columns, bins, n_listed, total, min_samples_leaf)
    for column in range(n_columns):
        total[column] -= missed[column]
    if min(total[1], missed[1]) < min_samples_leaf or min(total[last], missed[last]) <= 0:
        return cut
    parting = gain_of_parting(total, missed, last)
    cut = best_cut(slots, n_columns, bins, n_listed - 1, total, min_samples_leaf)
    if parting + cut.gain > parting:
        cut.gain = parting + cut.gain
        return cut
    cut.gain, cut.bin = parting, n_bins - 2
    cut.left_sum, cut.left_count, cut.left_weight = total[0], total[1], total[last]
    return cut


cdef double gain_of_parting(const int64_t* present, const int64_t* missed, int last) noexcept nogil:
    """Compute the gain of parting the rows that miss a feature from the others."""
    cdef double n_present = <double>present[last], n_missed = <double>missed[last]
    cdef double d = <double>present[0] / n_present - <double>missed[0] / n_missed
    return d * d * (n_present * n_missed / <double>(present[last] + missed[last]))


cdef Cut best_cut(
    const int64_t* slots,
    int n_columns,
    const int32_t* bins,
    Py_ssize_t n_listed,
    const int64_t* total,
    Py_ssize_t min_samples_leaf,
) noexcept nogil:
    """Find the best cut between the listed bins, whose sums add up to `total`."""
    cdef Py_ssize_t i, bin
    cdef int last = n_columns - 1
    cdef int64_t left_sum = 0, left_count = 0, left_weight = 0
    cdef double n_left, n_right, d, split_gain, n_node = <double>total[last]
    cdef const int64_t* slot
    cdef Cut best = no_cut()
    for i in range(n_listed):
        bin = bins[i] if bins else i
        slot = slots + bin * n_columns
        if slot[1] == 0:
            continue  # the cut before this bin parts the same rows, and its bin is lower
        left_sum += slot[0]
        left_count += slot[1]
        left_weight += slot[last]
        # 1. Both sides hold enough rows, and some weight (the last column: the weight, or the count).
        if total[1] - left_count < min_samples_leaf or total[last] - left_weight <= 0:
            break  # later cuts leave less on the right
        if left_count < min_samples_leaf or left_weight <= 0:
            continue
        # 2. The gain of each cut: the reduction of the sum of squared errors, never negative, 0 for equal means.
        n_left = <double>left_weight
        n_right = <double>(total[last] - left_weight)
        d = <double>left_sum / n_left - <double>(total[0] - left_sum) / n_right
        split_gain = d * d * (n_left * n_right / n_node)
        # 3. The best of them; ties go to the lowest bin.
        if split_gain > best.gain:
            best.gain, best.bin = split_gain, bin
            best.left_sum, best.left_count, best.left_weight = left_sum, left_count, left_weight
    return best


def partition(
    const code_t[:, :, ::1] codes, int32_t[::1] rows, Py_ssize_t feature, Py_ssize_t bin, int n_threads
):
    cdef Py_ssize_t n_rows = rows.shape[0], part, count, n_left = 0, n_right = 0
    cdef int n_parts = n_threads if n_rows > WORTH_THREADS // 4 else 1
    if n_rows == 0:
        return 0
    # Each part of the rows moves those that go left to its front, and the others to a buffer; the pieces are then
    # concatenated in the order of the parts.
    right = np.empty(n_rows, np.int32)
    lefts, ends = np.zeros(n_parts, np.int64), np.arange(n_parts + 1) * n_rows // n_parts
    cdef int32_t[::1] right_rows = right
    cdef int64_t[::1] left_counts = lefts, end = ends
    cdef const code_t* column = &codes[feature // 8, 0, feature % 8]
    for part in prange(n_parts, nogil=True, schedule="static", num_threads=n_parts):
        left_counts[part] = part_rows(column, &rows[end[part]], end[part + 1] - end[part], bin, &right_rows[end[part]])
    for part in range(n_parts):
        memmove(&rows[0] + n_left, &rows[0] + end[part], left_counts[part] * sizeof(int32_t))
        n_left += left_counts[part]
    for part in range(n_parts):
        count = end[part + 1] - end[part] - left_counts[part]
        memcpy(&rows[0] + n_left + n_right, &right_rows[0] + end[part], count * sizeof(int32_t))
        n_right += count
    return n_left


cdef Py_ssize_t part_rows(
    const code_t* column, int32_t* rows, Py_ssize_t n_rows, Py_ssize_t bin, int32_t* right
) noexcept nogil:
    """Move the rows that go left to the front, and copy the others, without a branch; return how many go left."""
    cdef Py_ssize_t i, n_left = 0
    cdef int32_t row
    cdef bint goes_left
    for i in range(n_rows):
        if i + 32 < n_rows:
            prefetch(column + rows[i + 32] * <Py_ssize_t>8)
        row = rows[i]
        goes_left = column[row * <Py_ssize_t>8] <= bin
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
        sum_leaves(value, exponent, rows, starts, n_rows * part // n_parts, n_rows * (part + 1) // n_parts, sums[part])
    return shares.sum(axis=0)


cdef void sum_leaves(
    const double[::1] value,
    int exponent,
    const int32_t[::1] rows,
    const int64_t[::1] starts,
    Py_ssize_t first,
    Py_ssize_t end,
    int64_t[::1] sums,
) noexcept nogil:
    """Add the values of rows[first:end], on the grid, to the sums of their leaves."""
    cdef Py_ssize_t leaf, i
    cdef int64_t total
    cdef double factor = grid_factor(exponent)
    for leaf in range(sums.shape[0]):
        total = 0
        for i in range(max(first, starts[leaf]), min(end, starts[leaf + 1])):
            total += on_grid(value[rows[i]], factor, exponent)
        sums[leaf] += total


def add_to_leaves(
    double[::1] scores, const int32_t[::1] rows, const int64_t[::1] starts, const double[::1] values, int n_threads
):
    cdef Py_ssize_t n_rows = rows.shape[0], part
    cdef int n_parts = n_threads if n_rows > WORTH_THREADS else 1
    for part in prange(n_parts, nogil=True, schedule="static", num_threads=n_parts):
        raise_leaves(scores, rows, starts, n_rows * part // n_parts, n_rows * (part + 1) // n_parts, values)


cdef void raise_leaves(
    double[::1] scores,
    const int32_t[::1] rows,
    const int64_t[::1] starts,
    Py_ssize_t first,
    Py_ssize_t end,
    const double[::1] values,
) noexcept nogil:
    """Add the values of their leaves to the scores of rows[first:end]."""
    cdef Py_ssize_t leaf, i
    for leaf in range(values.shape[0]):
        for i in range(max(first, starts[leaf]), min(end, starts[leaf + 1])):
            scores[rows[i]] += values[leaf]


include "_predict.pxi"
include "_deep.pxi"
include "_order.pxi"
include "_letor.pxi"
