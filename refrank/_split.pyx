# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""THE KERNEL of the hot path: the functions of refrank/trees/splitting.py, with their names, arguments and steps, fast.

Three things make it fast. None of them changes a bit, because every sum over rows is a sum of integers:
- eight columns of codes lie side by side, so that one load brings the bins of eight features;
- a residual and a count share one int64, so that a histogram takes one addition per entry (`flush` separates them);
- threads divide the groups of columns among themselves, and need no merge.
"""

import numpy as np

from cython.parallel cimport prange
from libc.math cimport ldexp, llrint
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

cdef extern from *:
    """
    #ifdef _OPENMP
    #define REFRANK_OPENMP 1
    #else
    #define REFRANK_OPENMP 0
    #endif
    /* The loop it marks is compiled for AVX-512, AVX2 and the plain processor; the one that fits is chosen when the
       module is loaded. Each does the same IEEE operations on integers or on single floats: no bit depends on it. */
    #if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
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


def bin_starts(const double[::1] values, double length, Py_ssize_t n_bins):
    cdef Py_ssize_t n_values = values.shape[0], n_starts = 1, i
    cdef double end = values[0] + length
    starts = np.zeros(min(n_bins, n_values), np.int64)
    cdef int64_t[::1] start = starts
    for i in range(1, n_values):
        if values[i] >= end:  # always true of the value after a start, even where start + length == start
            if n_starts == n_bins:
                return starts[:0]
            start[n_starts] = i
            n_starts += 1
            end = values[i] + length
    return starts[:n_starts]


def quantize(
    const real_t[:, :] X,
    const double[::1] cuts,
    const int64_t[::1] offsets,
    code_t[:, :, ::1] codes,
    int n_threads,
):
    cdef Py_ssize_t n_samples = X.shape[0], n_features = X.shape[1], block, f, i, n_edges
    cdef Py_ssize_t n_blocks = (n_samples + 1023) // 1024
    cdef const double* edges
    for block in prange(n_blocks, nogil=True, schedule="static", num_threads=n_threads):
        for f in range(n_features):
            edges = &cuts[0] + (offsets[f] - f)
            n_edges = offsets[f + 1] - offsets[f] - 1
            for i in range(block * 1024, min(n_samples, block * 1024 + 1024)):
                codes[f // 8, i, f % 8] = <code_t>edges_up_to(edges, n_edges, X[i, f])


cdef inline Py_ssize_t edges_up_to(const double* edges, Py_ssize_t n_edges, double x) noexcept nogil:
    """Count the edges that are at most x, by bisection without a branch."""
    cdef Py_ssize_t first = 0, half
    while n_edges > 1:
        half = n_edges >> 1
        first += half * (not x < edges[first + half - 1])
        n_edges -= half
    return first + (n_edges == 1 and not x < edges[first])


def largest_magnitude(const double[::1] value, int n_threads):
    cdef Py_ssize_t n_samples = value.shape[0], part
    cdef int n_parts = n_threads if n_samples > WORTH_THREADS else 1
    largest = np.zeros(n_parts, np.int64)
    cdef int64_t[::1] found = largest
    for part in prange(n_parts, nogil=True, schedule="static", num_threads=n_parts):
        found[part] = largest_bits(&value[0] + part * n_samples // n_parts, n_samples * (part + 1) // n_parts - n_samples * part // n_parts)
    return float(largest.view(np.float64)[np.argmax(largest)])


cdef int64_t largest_bits(const double* value, Py_ssize_t n_samples) noexcept nogil:
    """Find the largest |value|, as bits: read as integers they ascend as the numbers do, then inf, then nan."""
    cdef Py_ssize_t i
    cdef int64_t bits, largest = 0
    for i in range(n_samples):
        memcpy(&bits, value + i, 8)
        bits = bits & <int64_t>0x7FFFFFFFFFFFFFFF
        largest = bits if bits > largest else largest
    return largest


def round_to_grid(const double[::1] value, int exponent, int n_threads):
    cdef Py_ssize_t n_samples = value.shape[0], i
    cdef int used_threads = n_threads if n_samples > WORTH_THREADS else 1
    rounded = np.empty(n_samples, np.int64)
    cdef int64_t[::1] q = rounded
    cdef double factor
    if -1000 < exponent < 1000:  # then 2**exponent is a float64, and so is every product
        factor = ldexp(1.0, exponent)
        for i in prange(n_samples, nogil=True, schedule="static", num_threads=used_threads):
            q[i] = llrint(value[i] * factor)
    else:
        for i in prange(n_samples, nogil=True, schedule="static", num_threads=used_threads):
            q[i] = llrint(ldexp(value[i], exponent))
    return rounded


def histogram(
    const code_t[:, :, ::1] codes,
    const int64_t[::1] offsets,
    const int32_t[::1] rows,
    const int64_t[::1] integers,
    const int64_t[::1] weights,
    int n_threads,
):
    cdef Py_ssize_t n_groups = codes.shape[0], n_samples = codes.shape[1], n_rows = rows.shape[0], group
    cdef int n_columns = 2 if weights is None else 3, count_bits
    sums = np.zeros((offsets[offsets.shape[0] - 1], n_columns), np.int64)
    packed = np.empty(n_rows, np.int64)
    cdef int64_t[:, ::1] slots = sums
    cdef int64_t[::1] terms = packed
    cdef int used_threads = n_threads if n_rows * n_groups > WORTH_THREADS else 1
    if n_rows == 0:
        return sums
    count_bits = gather(rows, integers, terms, n_threads)
    for group in prange(n_groups, nogil=True, schedule="dynamic", num_threads=used_threads):
        add_group(&codes[group, 0, 0], group, offsets, &rows[0], &terms[0], n_rows, count_bits, slots, 0, True)
    if weights is not None:
        count_bits = gather(rows, weights, terms, n_threads)
        for group in prange(n_groups, nogil=True, schedule="dynamic", num_threads=used_threads):
            add_group(&codes[group, 0, 0], group, offsets, &rows[0], &terms[0], n_rows, count_bits, slots, 2, False)
    return sums


cdef int gather(const int32_t[::1] rows, const int64_t[::1] integers, int64_t[::1] terms, int n_threads) noexcept nogil:
    """Gather a node's integers once for all groups: terms = integers[rows] << count_bits | 1; return count_bits.

    count_bits is the largest number such that 2**count_bits terms fit in one int64: with |q| < 2**b, 2**c terms of
    |q| << c stay below 2**(b + 2c) <= 2**62.
    """
    cdef Py_ssize_t n_rows = rows.shape[0], i
    cdef int used_threads = n_threads if n_rows > WORTH_THREADS else 1, count_bits = 31
    cdef uint64_t bits = 0
    cdef int64_t q
    for i in prange(n_rows, schedule="static", num_threads=used_threads):
        q = integers[rows[i]]
        terms[i] = q
        bits |= <uint64_t>(q if q >= 0 else -q)
    while bits >> (62 - 2 * count_bits) != 0:
        count_bits = count_bits - 1
    for i in prange(n_rows, schedule="static", num_threads=used_threads):
        terms[i] = (<int64_t>(<uint64_t>terms[i] << count_bits)) + 1
    return count_bits


cdef void add_group(
    const code_t* codes,
    Py_ssize_t group,
    const int64_t[::1] offsets,
    const int32_t* rows,
    const int64_t* terms,
    Py_ssize_t n_rows,
    int count_bits,
    int64_t[:, ::1] slots,
    int column,
    bint counted,
) noexcept nogil:
    """Add a node's terms to the slots of the features of one group: sums to `column`, counts to the next."""
    cdef Py_ssize_t first = group * 8, last = min(first + 8, offsets.shape[0] - 1), f, i, start = 0, stop, slot
    cdef Py_ssize_t n_block = (<Py_ssize_t>1 << count_bits) - 1
    cdef int64_t packed[8 * 256]
    if code_t is uint8_t:
        while start < n_rows:
            stop = min(start + n_block, n_rows)
            memset(packed, 0, sizeof(packed))
            add_packed(codes, rows + start, terms + start, stop - start, packed)
            # flush: separate sums and counts
            for f in range(first, last):
                for i in range(offsets[f + 1] - offsets[f]):
                    slot = offsets[f] + i
                    slots[slot, column] += packed[(f - first) * 256 + i] >> count_bits
                    if counted:
                        slots[slot, column + 1] += packed[(f - first) * 256 + i] & n_block
            start = stop
    else:
        # With up to 65,536 bins per feature the slots do not fit in a cache: packing gains nothing.
        for f in range(first, last):
            for i in range(n_rows):
                slot = offsets[f] + codes[rows[i] * <Py_ssize_t>8 + f - first]
                slots[slot, column] += terms[i] >> count_bits
                if counted:
                    slots[slot, column + 1] += 1


cdef void add_packed(
    const uint8_t* codes, const int32_t* rows, const int64_t* terms, Py_ssize_t n_rows, int64_t* packed
) noexcept nogil:
    """Add each row's term to its bin in eight features: the innermost loop of the library."""
    cdef Py_ssize_t i
    cdef uint64_t eight
    cdef int64_t term
    for i in range(n_rows):
        if i + 32 < n_rows:
            prefetch(codes + rows[i + 32] * <Py_ssize_t>8)
        memcpy(&eight, codes + rows[i] * <Py_ssize_t>8, 8)
        term = terms[i]
        packed[eight & 255] += term
        packed[256 + ((eight >> 8) & 255)] += term
        packed[512 + ((eight >> 16) & 255)] += term
        packed[768 + ((eight >> 24) & 255)] += term
        packed[1024 + ((eight >> 32) & 255)] += term
        packed[1280 + ((eight >> 40) & 255)] += term
        packed[1536 + ((eight >> 48) & 255)] += term
        packed[1792 + (eight >> 56)] += term


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
    cdef int used_threads = n_threads if sums.shape[0] > WORTH_THREADS // 4 else 1
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
    cdef int n_parts = n_threads if n_rows > WORTH_THREADS else 1
    if n_rows == 0:
        return 0
    # Each part of the rows is sorted into two buffers; the pieces are then concatenated in the order of the parts.
    left, right = np.empty(n_rows, np.int32), np.empty(n_rows, np.int32)
    lefts, ends = np.zeros(n_parts, np.int64), np.arange(n_parts + 1) * n_rows // n_parts
    cdef int32_t[::1] left_rows = left, right_rows = right
    cdef int64_t[::1] left_counts = lefts, end = ends
    cdef const code_t* column = &codes[feature // 8, 0, feature % 8]
    for part in prange(n_parts, nogil=True, schedule="static", num_threads=n_parts):
        left_counts[part] = part_rows(
            column, &rows[end[part]], end[part + 1] - end[part], bin, &left_rows[end[part]], &right_rows[end[part]]
        )
    for part in range(n_parts):
        memcpy(&rows[0] + n_left, &left_rows[0] + end[part], left_counts[part] * sizeof(int32_t))
        n_left += left_counts[part]
    for part in range(n_parts):
        count = end[part + 1] - end[part] - left_counts[part]
        memcpy(&rows[0] + n_left + n_right, &right_rows[0] + end[part], count * sizeof(int32_t))
        n_right += count
    return n_left


cdef Py_ssize_t part_rows(
    const code_t* column, const int32_t* rows, Py_ssize_t n_rows, Py_ssize_t bin, int32_t* left, int32_t* right
) noexcept nogil:
    """Copy the rows that go left and those that go right, without a branch; return how many go left."""
    cdef Py_ssize_t i, n_left = 0
    cdef bint goes_left
    for i in range(n_rows):
        goes_left = column[rows[i] * <Py_ssize_t>8] <= bin
        left[n_left] = rows[i]
        right[i - n_left] = rows[i]
        n_left += goes_left
    return n_left


def leaf_sums(const int64_t[::1] integers, const int32_t[::1] rows, const int64_t[::1] starts, int n_threads):
    cdef Py_ssize_t n_leaves = starts.shape[0] - 1, leaf, start, stop, i
    cdef int64_t total
    cdef int used_threads
    sums = np.empty(n_leaves, np.int64)
    cdef int64_t[::1] leaf_sum = sums
    for leaf in range(n_leaves):
        start, stop, total = starts[leaf], starts[leaf + 1], 0
        used_threads = n_threads if stop - start > WORTH_THREADS else 1
        for i in prange(start, stop, nogil=True, schedule="static", num_threads=used_threads):
            total += integers[rows[i]]
        leaf_sum[leaf] = total
    return sums


def add_to_leaves(
    double[::1] scores, const int32_t[::1] rows, const int64_t[::1] starts, const double[::1] values, int n_threads
):
    cdef Py_ssize_t leaf, start, stop, i
    cdef int used_threads
    for leaf in range(values.shape[0]):
        start, stop = starts[leaf], starts[leaf + 1]
        used_threads = n_threads if stop - start > WORTH_THREADS else 1
        for i in prange(start, stop, nogil=True, schedule="static", num_threads=used_threads):
            scores[rows[i]] += values[leaf]


include "_predict.pxi"
include "_deep.pxi"
