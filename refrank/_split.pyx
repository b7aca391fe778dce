# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""THE KERNEL of the hot path: the functions of refrank/splitting.py, with the same names, arguments and steps, fast.

What makes it fast, and changes no bit, since every sum over rows is a sum of integers:
- eight columns of codes lie side by side, so that one load brings the bins of eight features;
- a residual and a count share one int64, so that a histogram takes one addition an entry (`flush` takes them apart);
- threads share out the groups of columns, and need no merge.
"""

import numpy as np

from cython.parallel cimport prange
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

cdef extern from *:
    """
    #ifdef _OPENMP
    #define REFRANK_OPENMP 1
    #else
    #define REFRANK_OPENMP 0
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

# Below so many steps of a few nanoseconds, waking a thread costs more than it saves, above all on a busy machine.
cdef Py_ssize_t WORTH_THREADS = 100_000

ctypedef fused code_t:
    uint8_t
    uint16_t

ctypedef fused real_t:
    float
    double


def bin_starts(const double[::1] values, double length, Py_ssize_t n_bins):
    cdef Py_ssize_t n_values = values.shape[0], n_starts = 1, i
    cdef double end = values[0] + length
    starts = np.zeros(min(n_bins, n_values), np.int64)
    cdef int64_t[::1] start = starts
    for i in range(1, n_values):
        if values[i] >= end:  # always so for the value after a start, even where start + length == start
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
    """Count the edges that are at most x, by halving without a branch."""
    cdef Py_ssize_t first = 0, half
    while n_edges > 1:
        half = n_edges >> 1
        first += half * (edges[first + half - 1] <= x)
        n_edges -= half
    return first + (n_edges == 1 and edges[first] <= x)


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

    count_bits is as large as lets 2**count_bits terms fit one int64: with |q| < 2**b, 2**c terms of |q| << c stay
    below 2**(b + 2c) <= 2**62.
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
            # flush: take sums and counts apart
            for f in range(first, last):
                for i in range(offsets[f + 1] - offsets[f]):
                    slot = offsets[f] + i
                    slots[slot, column] += packed[(f - first) * 256 + i] >> count_bits
                    if counted:
                        slots[slot, column + 1] += packed[(f - first) * 256 + i] & n_block
            start = stop
    else:
        # With up to 65,536 bins a feature the slots do not fit a cache, and there is nothing to gain by packing.
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
    """Find the best cut of one feature: of two ways, or of three where rows miss it (its last bin).

    `bins` lists the bins that hold rows, in ascending order; NULL lists all.
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
    """Find the best cut between the listed bins, whose rows add up to `total`."""
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
            break  # no later cut leaves more
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
    # Each part of the rows is sorted into two buffers; the parts' pieces then follow one another, in the order they had.
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
    """Copy rows that go left and rows that go right, without a branch; return how many go left."""
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


def add_trees(
    const real_t[:, :] X,
    const int64_t[::1] roots,
    const int32_t[::1] feature,
    const double[::1] cut,
    const int32_t[::1] left,
    const int32_t[::1] right,
    const double[::1] value,
    double[::1] scores,
    int n_threads,
):
    cdef Py_ssize_t n_samples = X.shape[0], n_trees = roots.shape[0], block, tree, i, node
    cdef Py_ssize_t n_blocks = (n_samples + 255) // 256
    for block in prange(n_blocks, nogil=True, schedule="static", num_threads=n_threads):
        for tree in range(n_trees):
            for i in range(block * 256, min(n_samples, block * 256 + 256)):
                node = roots[tree]
                while feature[node] >= 0:
                    node = roots[tree] + (left[node] if X[i, feature[node]] < cut[node] else right[node])
                scores[i] += value[node]


cdef uint64_t GOLDEN = 0x9E3779B97F4A7C15
cdef Py_ssize_t CHILDREN = 2


cdef inline uint64_t draw(uint64_t key, uint64_t i) noexcept nogil:
    """refrank.draws.draw."""
    cdef uint64_t z = key + (i + 1) * GOLDEN
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline uint64_t below(uint64_t bits, uint64_t n) noexcept nogil:
    """refrank.draws.below, for n < 2**32."""
    return ((bits >> 32) * n + ((bits & <uint64_t>0xFFFFFFFF) * n >> 32)) >> 32


cdef void feature_subset(uint64_t key, Py_ssize_t n_candidates, Py_ssize_t n_features, int32_t* features) noexcept nogil:
    """refrank.draws.feature_subset: the first n_candidates of `features`, (n_features,), ascend."""
    cdef Py_ssize_t j, i
    cdef int32_t other, moved
    for j in range(n_features):
        features[j] = <int32_t>j
    for j in range(n_candidates):
        i = j + below(draw(key, CHILDREN + j), n_features - j)
        features[j], features[i] = features[i], features[j]
    for j in range(1, n_candidates):  # sort: insertion is quick for the few that are drawn
        moved = features[j]
        i = j
        while i > 0 and features[i - 1] > moved:
            features[i] = features[i - 1]
            i -= 1
        features[i] = moved


cdef struct Pending:
    Py_ssize_t number, start, stop, depth
    uint64_t key


cdef struct Deep:  # what a growing tree is made of; arrays have one entry a node
    int32_t* feature
    int32_t* bin
    int32_t* left
    int32_t* right
    double* gain
    int64_t* totals  # three a node: sum, count, weight
    Py_ssize_t n_nodes
    int32_t* rows
    int32_t* moved  # (n_rows,), the right-hand rows while a node is parted


def grow_deep(
    const code_t[:, ::1] row_codes,
    const int64_t[::1] offsets,
    rows,
    const int64_t[::1] integers,
    const int64_t[::1] counts,
    const int64_t[::1] weights,
    const int8_t[::1] missing,
    Py_ssize_t max_depth,
    Py_ssize_t min_samples_leaf,
    Py_ssize_t n_candidates,
    key,
):
    cdef Py_ssize_t n_rows = len(rows), most = 2 * n_rows - 1, n_features = row_codes.shape[1]
    cdef Py_ssize_t widest = int(np.max(np.diff(offsets)))
    cdef int n_columns = 2 if weights is None else 3
    cdef uint64_t root_key = key
    cdef Deep tree
    # Memory, all of it; from here on nothing is allocated.
    arrays = [np.full(most, -1, np.int32), *(np.zeros(most, np.int32) for _ in range(3))]
    gains, totals = np.zeros(most), np.zeros((most, 3), np.int64)
    cdef int32_t[::1] feature = arrays[0], bin = arrays[1], left = arrays[2], right = arrays[3]
    cdef double[::1] gain = gains
    cdef int64_t[:, ::1] total = totals
    cdef int32_t[::1] own_rows = np.array(rows, np.int32), moved = np.empty(n_rows, np.int32)
    cdef int32_t[::1] drawn = np.empty(n_features, np.int32), listed = np.empty(widest, np.int32)
    cdef int64_t[:, ::1] terms = np.empty((n_rows, n_columns), np.int64)
    cdef int64_t[::1] slots = np.zeros(widest * n_columns, np.int64)
    cdef code_t[::1] gathered = np.empty(n_candidates * n_rows, np.asarray(row_codes).dtype)
    cdef uint64_t[::1] marks = np.zeros(widest // 64 + 1, np.uint64)
    cdef uint8_t[::1] memory = np.empty((n_rows + 1) * sizeof(Pending), np.uint8)
    tree.feature, tree.bin, tree.left, tree.right = &feature[0], &bin[0], &left[0], &right[0]
    tree.gain, tree.totals, tree.rows, tree.moved = &gain[0], &total[0, 0], &own_rows[0], &moved[0]
    with nogil:
        grow_nodes(
            &tree, row_codes, offsets, n_rows, integers, counts, weights, missing, max_depth, min_samples_leaf, n_candidates,
            root_key, &drawn[0], &gathered[0], &listed[0], &terms[0, 0], &slots[0], &marks[0], <Pending*>&memory[0],
        )
    n_nodes = tree.n_nodes
    return *(array[:n_nodes].copy() for array in (*arrays, gains)), *totals[:n_nodes].T.copy()


cdef void grow_nodes(
    Deep* tree,
    const code_t[:, ::1] row_codes,
    const int64_t[::1] offsets,
    Py_ssize_t n_rows,
    const int64_t[::1] integers,
    const int64_t[::1] counts,
    const int64_t[::1] weights,
    const int8_t[::1] missing,
    Py_ssize_t max_depth,
    Py_ssize_t min_samples_leaf,
    Py_ssize_t n_candidates,
    uint64_t root_key,
    int32_t* drawn,
    code_t* gathered,
    int32_t* listed,
    int64_t* terms,
    int64_t* slots,
    uint64_t* marks,
    Pending* stack,
) noexcept nogil:
    """Grow every node of a tree, depth first."""
    cdef Py_ssize_t n_features = row_codes.shape[1], n_stack = 1, n_listed, n_bins, i, j, f, best_feature, place = 0, middle, number
    cdef int n_columns = 2 if weights is None else 3, column
    cdef int64_t total[3]
    cdef Pending node
    cdef Cut best, cut = no_cut()
    cdef const int32_t* rows = tree.rows
    gather_terms(rows, n_rows, integers, counts, weights, n_columns, terms)
    for i in range(n_rows):
        for column in range(3):
            tree.totals[column] += terms[i * n_columns + min(column, n_columns - 1)]
    tree.n_nodes = 1
    stack[0].number, stack[0].start, stack[0].stop, stack[0].depth, stack[0].key = 0, 0, n_rows, 0, root_key
    while n_stack > 0:
        n_stack -= 1
        node = stack[n_stack]
        rows, n_rows = tree.rows + node.start, node.stop - node.start
        if node.depth == max_depth or tree.totals[3 * node.number + 1] < 2 * min_samples_leaf:
            continue
        if gather_terms(rows, n_rows, integers, counts, weights, n_columns, terms) and n_columns == 2:
            continue  # equal residuals: every cut's gain is exactly 0
        # 1. Draw the features, and sum the node's rows in their bins.
        feature_subset(node.key, n_candidates, n_features, drawn)
        gather_codes(&row_codes[0, 0], n_features, rows, n_rows, drawn, n_candidates, gathered)
        best, best_feature = no_cut(), -1
        for j in range(n_candidates):
            f = drawn[j]
            n_bins = offsets[f + 1] - offsets[f]
            n_listed = sum_terms(gathered + j * n_rows, terms, n_rows, n_columns, n_bins, slots, marks, listed)
            # 2. Find the best cut.
            cut = best_of_feature(
                slots, n_columns, listed, n_listed, n_bins, min_samples_leaf, missing is not None and missing[f]
            )
            if cut.gain > best.gain:
                best, best_feature, place = cut, f, j
            clear(slots, n_columns, listed, n_listed)
        if best_feature < 0:
            continue
        # 3. Part the rows. A cut three ways is two cuts: first the rows that miss the feature, then the others.
        f, n_bins, number = best_feature, offsets[best_feature + 1] - offsets[best_feature], node.number
        if missing is not None and missing[f] and best.bin < n_bins - 2:
            n_listed = sum_terms(gathered + place * n_rows, terms, n_rows, n_columns, n_bins, slots, marks, listed)
            if listed[n_listed - 1] == n_bins - 1:
                for column in range(3):
                    total[column] = (
                        tree.totals[3 * number + column] - slots[(n_bins - 1) * n_columns + min(column, n_columns - 1)]
                    )
                best = best_cut(slots, n_columns, listed, n_listed - 1, total, min_samples_leaf)
                cut.gain = gain_of_parting(total, slots + (n_bins - 1) * n_columns, n_columns - 1)
                cut.bin, cut.left_sum, cut.left_count, cut.left_weight = n_bins - 2, total[0], total[1], total[2]
                middle = part_node(tree, number, node.start, node.stop, &row_codes[0, f], n_features, f, cut)
                push(stack, &n_stack, tree.n_nodes - 1, middle, node.stop, node.depth + 1, draw(node.key, 1))
                number, node.stop, node.key = tree.n_nodes - 2, middle, draw(node.key, 0)
            clear(slots, n_columns, listed, n_listed)
        middle = part_node(tree, number, node.start, node.stop, &row_codes[0, f], n_features, f, best)
        push(stack, &n_stack, tree.n_nodes - 1, middle, node.stop, node.depth + 1, draw(node.key, 1))
        push(stack, &n_stack, tree.n_nodes - 2, node.start, middle, node.depth + 1, draw(node.key, 0))


cdef bint gather_terms(
    const int32_t* rows,
    Py_ssize_t n_rows,
    const int64_t[::1] integers,
    const int64_t[::1] counts,
    const int64_t[::1] weights,
    int n_columns,
    int64_t* terms,
) noexcept nogil:
    """Gather what each row of a node adds to its bins; return whether all residuals are equal."""
    cdef Py_ssize_t i
    cdef int64_t m, first = integers[rows[0]]
    cdef bint equal = True
    for i in range(n_rows):
        m = counts[rows[i]]
        equal &= integers[rows[i]] == first
        terms[i * n_columns] = m * integers[rows[i]]
        terms[i * n_columns + 1] = m
        if n_columns == 3:
            terms[i * n_columns + 2] = m * weights[rows[i]]
    return equal


cdef void gather_codes(
    const code_t* row_codes,
    Py_ssize_t n_features,
    const int32_t* rows,
    Py_ssize_t n_rows,
    const int32_t* drawn,
    Py_ssize_t n_candidates,
    code_t* gathered,
) noexcept nogil:
    """Bring the drawn features of a node's rows together, feature by feature.

    The codes of a row share a few cache lines, those of a column do not: a small node would wait for each one.
    """
    cdef Py_ssize_t i, j, n_bytes = n_features * sizeof(code_t)
    cdef const code_t* row
    for i in range(n_rows):
        if i + 4 < n_rows:
            for j in range(0, n_bytes, 64):
                prefetch(<const uint8_t*>(row_codes + rows[i + 4] * n_features) + j)
        row = row_codes + rows[i] * n_features
        for j in range(n_candidates):
            gathered[j * n_rows + i] = row[drawn[j]]


cdef Py_ssize_t sum_terms(
    const code_t* codes,
    const int64_t* terms,
    Py_ssize_t n_rows,
    int n_columns,
    Py_ssize_t n_bins,
    int64_t* slots,
    uint64_t* marks,
    int32_t* listed,
) noexcept nogil:
    """Sum a node's rows in the bins of one feature; list the bins that hold rows, ascending; return their number.

    A small node marks its bins, one bit each, and so never looks at the others.
    """
    cdef Py_ssize_t i, bin, word, n_listed = 0
    cdef uint64_t bits
    cdef int64_t* slot
    cdef bint small = 2 * n_rows < n_bins
    for i in range(n_rows):
        bin = codes[i]
        slot = slots + bin * n_columns
        slot[0] += terms[i * n_columns]
        slot[1] += terms[i * n_columns + 1]
        if n_columns == 3:
            slot[2] += terms[i * n_columns + 2]
        if small:
            marks[bin >> 6] |= <uint64_t>1 << (bin & 63)
    if not small:
        for bin in range(n_bins):
            if slots[bin * n_columns + 1] != 0:
                listed[n_listed] = <int32_t>bin
                n_listed += 1
        return n_listed
    for word in range((n_bins + 63) // 64):
        bits = marks[word]
        while bits:
            listed[n_listed] = <int32_t>(word * 64 + lowest_bit(bits))
            n_listed += 1
            bits &= bits - 1
        marks[word] = 0
    return n_listed


cdef inline void clear(int64_t* slots, int n_columns, const int32_t* listed, Py_ssize_t n_listed) noexcept nogil:
    """Set the listed slots back to 0."""
    cdef Py_ssize_t i
    for i in range(n_listed):
        memset(slots + listed[i] * n_columns, 0, n_columns * sizeof(int64_t))


cdef Py_ssize_t part_node(
    Deep* tree,
    Py_ssize_t number,
    Py_ssize_t start,
    Py_ssize_t stop,
    const code_t* column_codes,
    Py_ssize_t n_features,
    Py_ssize_t f,
    Cut cut,
) noexcept nogil:
    """Make the two children of a node, each side in the order it had; return where the right one's rows begin."""
    cdef Py_ssize_t i, middle = start, n_right = 0, left = tree.n_nodes, column
    cdef int32_t row
    for i in range(start, stop):
        row = tree.rows[i]
        if column_codes[row * n_features] <= cut.bin:
            tree.rows[middle] = row
            middle += 1
        else:
            tree.moved[n_right] = row
            n_right += 1
    memcpy(tree.rows + middle, tree.moved, n_right * sizeof(int32_t))
    tree.feature[number], tree.bin[number], tree.gain[number] = <int32_t>f, <int32_t>cut.bin, cut.gain
    tree.left[number], tree.right[number] = <int32_t>left, <int32_t>(left + 1)
    tree.totals[3 * left], tree.totals[3 * left + 1], tree.totals[3 * left + 2] = (
        cut.left_sum, cut.left_count, cut.left_weight
    )
    for column in range(3):
        tree.totals[3 * left + 3 + column] = tree.totals[3 * number + column] - tree.totals[3 * left + column]
    tree.n_nodes += 2
    return middle


cdef inline void push(
    Pending* stack,
    Py_ssize_t* n_stack,
    Py_ssize_t number,
    Py_ssize_t start,
    Py_ssize_t stop,
    Py_ssize_t depth,
    uint64_t key,
) noexcept nogil:
    """Put a node on the stack."""
    cdef Pending* top = stack + n_stack[0]
    top.number, top.start, top.stop, top.depth, top.key = number, start, stop, depth, key
    n_stack[0] += 1
