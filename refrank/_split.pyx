# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""THE KERNEL of the hot path: the functions of refrank/trees/splitting.py, with their names, arguments and steps, fast.

Three things make it fast. None of them changes a bit, because every sum over rows is a sum of integers:
- eight columns of codes lie side by side, so that one load brings the bins of eight features;
- a residual and a count share one int64, so that a histogram takes one addition per entry (`flush` separates them);
- threads divide the groups of columns among themselves, and need no merge but for the last few.
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

# With fewer rows in a node, merging a group's histograms costs more than sharing out its rows saves.
cdef Py_ssize_t WORTH_SHARING = 32_768

cdef enum:
    # Slots from one packed feature to the next. With 256, the stores to bin 0 of every other feature would be 4096 bytes
    # apart, and a processor that compares the low 12 bits of addresses makes each load wait for an earlier one.
    STRIDE = 256 + 8

ctypedef fused code_t:
    uint8_t
    uint16_t

ctypedef fused real_t:
    float
    double


include "_softmax.pxi"


def bin_starts(const real_t[::1] values, double length, Py_ssize_t n_bins):
    cdef Py_ssize_t n_values = values.shape[0], n_starts
    starts = np.empty(min(n_bins, n_values), np.int64)
    cdef int64_t[::1] start = starts
    with nogil:
        n_starts = cover(&values[0], n_values, length, &start[0], start.shape[0])
    return starts[:n_starts]


cdef Py_ssize_t cover(
    const real_t* values, Py_ssize_t n_values, double length, int64_t* starts, Py_ssize_t n_bins
) noexcept nogil:
    """Write the starts of the bins, and return their number; 0 where n_bins bins do not suffice."""
    cdef Py_ssize_t n_starts = 0, at = 0, step, after, middle
    cdef double end
    while n_starts < n_bins:
        starts[n_starts] = at
        n_starts += 1
        # The next start is looked for in doubling steps, then by bisection: most values are never read.
        end, step = values[at] + length, 1
        while at + step < n_values and not begins_bin(values[at + step], values[starts[n_starts - 1]], end):
            at += step
            step *= 2
        after = min(at + step, n_values)
        while after - at > 1:
            middle = at + (after - at) // 2
            if begins_bin(values[middle], values[starts[n_starts - 1]], end):
                after = middle
            else:
                at = middle
        at = after
        if at == n_values:
            return n_starts
    return 0


cdef inline bint begins_bin(double x, double start, double end) noexcept nogil:
    return x >= end and x > start  # x = start never does, even where start + length == start


cdef enum:
    N_CELLS = 1024


cdef struct Edges:
    const double* edge  # (n_edges,) of one feature, ascending
    Py_ssize_t n_edges
    double first, last, cells_per_unit  # the range that is parted into cells of equal width
    const uint16_t* window  # (N_CELLS,) place of the first edge to compare with in each cell
    Py_ssize_t width  # number of edges to compare with, in any cell


def quantize(
    const real_t[:, :] X,
    const double[::1] cuts,
    const int64_t[::1] offsets,
    code_t[:, :, ::1] codes,
    int n_threads,
):
    cdef Py_ssize_t n_samples = X.shape[0], n_features = X.shape[1], block, f
    cdef Py_ssize_t n_blocks = (n_samples + 255) // 256
    cdef uint16_t[:, ::1] windows = np.empty((n_features, N_CELLS), np.uint16)
    cdef uint8_t[::1] memory = np.empty(n_features * sizeof(Edges), np.uint8)
    cdef Edges* edges = <Edges*>&memory[0]
    for f in range(n_features):
        edges[f] = part_into_cells(&cuts[0] + (offsets[f] - f), offsets[f + 1] - offsets[f] - 1, &windows[f, 0])
    for block in prange(n_blocks, nogil=True, schedule="static", num_threads=n_threads):
        for f in range(n_features):
            label(X, f, block * 256, min(n_samples, block * 256 + 256), edges[f], &codes[f // 8, 0, f % 8])


cdef void label(
    const real_t[:, :] X, Py_ssize_t f, Py_ssize_t start, Py_ssize_t stop, Edges edges, code_t* codes
) noexcept nogil:
    """Write the labels of a block of rows for one feature."""
    cdef Py_ssize_t i, place
    cdef double x
    for i in range(start, stop):
        x, place = X[i, f], 0
        if edges.n_edges > 0:
            place = edges.window[cell_of(x, edges)]
            place = place + edges_up_to(edges.edge + place, edges.width, x)
        codes[i * 8] = <code_t>place


cdef Edges part_into_cells(const double* edge, Py_ssize_t n_edges, uint16_t* window) noexcept nogil:
    """Note which edges lie in each cell: bins of equal length leave few for the bisection to choose among."""
    cdef Edges edges
    cdef Py_ssize_t cell, place = 0, first
    cdef Py_ssize_t n_finite = n_edges - (n_edges > 0 and edge[n_edges - 1] == INFINITY)
    edges.edge, edges.n_edges, edges.window, edges.width = edge, n_edges, window, 1
    edges.first, edges.last, edges.cells_per_unit = 0.0, 0.0, 0.0  # one cell, where the range is empty or overflows
    if n_finite > 1 and 0.0 < (N_CELLS - 1) / (edge[n_finite - 1] - edge[0]) < INFINITY:
        edges.first, edges.last = edge[0], edge[n_finite - 1]
        edges.cells_per_unit = (N_CELLS - 1) / (edges.last - edges.first)
    for cell in range(N_CELLS):
        first = place
        while place < n_edges and cell_of(edge[place], edges) == cell:
            place += 1
        window[cell] = <uint16_t>first
        edges.width = max(edges.width, place - first)
    for cell in range(N_CELLS):
        window[cell] = <uint16_t>max(0, min(<Py_ssize_t>window[cell], n_edges - edges.width))
    return edges


cdef inline Py_ssize_t cell_of(double x, Edges edges) noexcept nogil:
    """Return the cell of x. Where x rises it never falls, however it is rounded: edges in lower cells are below x."""
    x = x if x < edges.last else edges.last  # compared with variables, so that no compiler makes a branch of it
    x = x if x > edges.first else edges.first
    return <Py_ssize_t>((x - edges.first) * edges.cells_per_unit)


cdef inline Py_ssize_t edges_up_to(const double* edges, Py_ssize_t n_edges, double x) noexcept nogil:
    """Count those of one or more edges that x is not below, by bisection without a branch."""
    cdef Py_ssize_t first = 0, half
    while n_edges > 1:
        half = n_edges >> 1
        first += half * (not x < edges[first + half - 1])
        n_edges -= half
    return first + (not x < edges[first])


def largest_magnitude(const double[::1] value, int n_threads):
    cdef Py_ssize_t n_samples = value.shape[0], part, first
    cdef int n_parts = n_threads if n_samples > WORTH_THREADS else 1
    largest = np.zeros(n_parts, np.int64)
    cdef int64_t[::1] found = largest
    for part in prange(n_parts, nogil=True, schedule="static", num_threads=n_parts):
        first = n_samples * part // n_parts
        found[part] = largest_bits(&value[first], n_samples * (part + 1) // n_parts - first)
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
    cdef Py_ssize_t n_groups = codes.shape[0], n_rows = rows.shape[0], task, group, part, first, slot
    cdef int n_columns = 2 if weights is None else 3, count_bits
    cdef int used_threads = n_threads if n_rows * n_groups > WORTH_THREADS // 4 else 1
    # Threads take whole groups of columns. The groups that are left over, fewer than threads, are shared out by rows.
    cdef Py_ssize_t n_whole = n_groups - n_groups % used_threads if n_rows > WORTH_SHARING else n_groups
    cdef Py_ssize_t n_tasks = n_whole + (n_groups - n_whole) * used_threads
    sums = np.zeros((offsets[offsets.shape[0] - 1], n_columns), np.int64)
    if n_rows == 0:
        return sums
    packed = np.empty((n_rows, n_columns - 1), np.int64)
    shares = np.zeros((used_threads, len(sums) - offsets[min(n_whole * 8, offsets.shape[0] - 1)], n_columns), np.int64)
    cdef int64_t[:, ::1] slots = sums, terms = packed
    cdef int64_t[:, :, ::1] shared = shares
    with nogil:
        count_bits = gather(rows, integers, weights, terms, n_threads)
    for task in prange(n_tasks, nogil=True, schedule="dynamic", num_threads=used_threads):
        if task < n_whole:
            add_group(
                codes, task, offsets, &rows[0], &terms[0, 0], n_rows, count_bits, n_columns, &slots[offsets[task * 8], 0]
            )
        else:
            group, part = n_whole + (task - n_whole) // used_threads, (task - n_whole) % used_threads
            first, slot = n_rows * part // used_threads, offsets[group * 8] - offsets[n_whole * 8]
            add_group(
                codes, group, offsets, &rows[first], &terms[first, 0], n_rows * (part + 1) // used_threads - first,
                count_bits, n_columns, &shared[part, slot, 0],
            )
    if n_whole < n_groups:
        np.sum(shares, axis=0, out=sums[offsets[n_whole * 8]:])
    return sums


cdef int gather(
    const int32_t[::1] rows,
    const int64_t[::1] integers,
    const int64_t[::1] weights,
    int64_t[:, ::1] terms,
    int n_threads,
) noexcept nogil:
    """Gather what each row of a node adds to its bins, once for all groups; return count_bits.

    A row adds integers[row] << count_bits | 1 to a slot. With weights, it adds integers[row] to one slot, and
    weights[row] << count_bits | 1 to the next. count_bits is the largest number such that 2**count_bits such terms fit
    in one int64: with |q| < 2**b, 2**c terms of |q| << c stay below 2**(b + 2c) <= 2**62.
    """
    cdef Py_ssize_t n_rows = rows.shape[0], i, last = terms.shape[1] - 1
    cdef int used_threads = n_threads if n_rows > WORTH_THREADS else 1, count_bits = 31
    cdef uint64_t bits = 0
    cdef int64_t q
    cdef const int64_t* counted = &integers[0] if last == 0 else &weights[0]  # what shares an int64 with the count
    for i in prange(n_rows, schedule="static", num_threads=used_threads):
        q = counted[rows[i]]
        terms[i, last] = q
        if last == 1:
            terms[i, 0] = integers[rows[i]]
        bits |= <uint64_t>(q if q >= 0 else -q)
    while bits >> (62 - 2 * count_bits) != 0:
        count_bits = count_bits - 1
    if last == 1:  # a single term is shifted where it is added, a pair here, so that both are loaded at once
        for i in prange(n_rows, schedule="static", num_threads=used_threads):
            terms[i, 1] = terms[i, 1] * (<int64_t>1 << count_bits) + 1
    return count_bits


cdef void add_group(
    const code_t[:, :, ::1] codes,
    Py_ssize_t group,
    const int64_t[::1] offsets,
    const int32_t* rows,
    const int64_t* terms,
    Py_ssize_t n_rows,
    int count_bits,
    int n_columns,
    int64_t* slots,
) noexcept nogil:
    """Add a node's terms to the slots of the features of one group, the first of which is `slots`."""
    cdef Py_ssize_t first = group * 8, n_features = min(<Py_ssize_t>8, offsets.shape[0] - 1 - first), f, i, start = 0, stop
    cdef Py_ssize_t n_block = (<Py_ssize_t>1 << count_bits) - 1
    cdef int64_t* slot
    cdef int64_t packed[2 * 8 * STRIDE]
    if code_t is uint8_t:
        while start < n_rows:
            stop = min(start + n_block, n_rows)
            memset(packed, 0, (n_columns - 1) * n_features * STRIDE * sizeof(int64_t))
            add_packed(
                &codes[group, 0, 0], n_features, rows + start, terms + start * (n_columns - 1), stop - start, n_columns,
                count_bits, packed,
            )
            # flush: separate sums and counts
            slot = slots
            for f in range(n_features):
                for i in range(f * STRIDE, f * STRIDE + offsets[first + f + 1] - offsets[first + f]):
                    if n_columns == 2:
                        slot[0] += packed[i] >> count_bits
                        slot[1] += packed[i] & n_block
                    else:
                        slot[0] += packed[2 * i]
                        slot[1] += packed[2 * i + 1] & n_block
                        slot[2] += packed[2 * i + 1] >> count_bits
                    slot += n_columns
            start = stop
    else:
        # With up to 65,536 bins per feature the slots do not fit in a cache: packing gains nothing.
        for f in range(n_features):
            for i in range(n_rows):
                slot = slots + (offsets[first + f] - offsets[first] + codes[group, rows[i], f]) * n_columns
                slot[1] += 1
                slot[0] += terms[i * (n_columns - 1)]
                if n_columns == 3:
                    slot[2] += terms[2 * i + 1] >> count_bits


cdef void add_packed(
    const uint8_t* codes,
    Py_ssize_t n_features,
    const int32_t* rows,
    const int64_t* terms,
    Py_ssize_t n_rows,
    int n_columns,
    int count_bits,
    int64_t* packed,
) noexcept nogil:
    """Add each row's term to its bins: the innermost loop of the library."""
    cdef Py_ssize_t i, f
    cdef uint64_t eight
    cdef int64_t one = <int64_t>1 << count_bits
    for i in range(n_rows):
        if i + 32 < n_rows:
            prefetch(codes + rows[i + 32] * <Py_ssize_t>8)
        if n_columns == 2:
            add_to_eight(codes + rows[i] * <Py_ssize_t>8, n_features, terms[i] * one + 1, packed)
        else:
            memcpy(&eight, codes + rows[i] * <Py_ssize_t>8, 8)
            for f in range(n_features):
                add_pair(packed + 2 * (STRIDE * f + (eight & 255)), terms + 2 * i)
                eight >>= 8


cdef inline void add_to_eight(const uint8_t* codes, Py_ssize_t n_features, int64_t term, int64_t* packed) noexcept nogil:
    """Add a row's term to its bin in up to eight features: the innermost step of the library."""
    cdef Py_ssize_t f
    cdef uint64_t eight
    memcpy(&eight, codes, 8)
    if n_features == 8:
        packed[eight & 255] += term
        packed[STRIDE + ((eight >> 8) & 255)] += term
        packed[2 * STRIDE + ((eight >> 16) & 255)] += term
        packed[3 * STRIDE + ((eight >> 24) & 255)] += term
        packed[4 * STRIDE + ((eight >> 32) & 255)] += term
        packed[5 * STRIDE + ((eight >> 40) & 255)] += term
        packed[6 * STRIDE + ((eight >> 48) & 255)] += term
        packed[7 * STRIDE + (eight >> 56)] += term
    else:
        for f in range(n_features):
            packed[STRIDE * f + (eight & 255)] += term
            eight >>= 8


cdef inline void add_pair(int64_t* slot, const int64_t* pair) noexcept nogil:
    """Add two int64 side by side: one vector instruction, and one store."""
    slot[0] += pair[0]
    slot[1] += pair[1]


def root_sums(const code_t[:, :, ::1] codes, const int64_t[::1] offsets, integers, int n_threads):
    cdef Py_ssize_t n_groups = codes.shape[0], n_samples = codes.shape[1], n_features = offsets.shape[0] - 1
    cdef Py_ssize_t n_quantities = len(integers), first, lane, part, slot
    cdef int n_parts = n_threads if n_samples > WORTH_SHARING else 1
    cdef const int64_t[::1] quantity
    cdef const int64_t* lanes[4]
    sums = np.empty((n_quantities, offsets[n_features]), np.int64)
    nothing = np.zeros(n_samples, np.int64)
    cdef int64_t[:, ::1] total = sums
    # Four quantities lie side by side in a slot: each entry is read once for all, and added by one or two instructions.
    for first in range(0, n_quantities, 4):
        for lane in range(4):
            quantity = integers[first + lane] if first + lane < n_quantities else nothing
            lanes[lane] = &quantity[0]
        sum_lanes(codes, offsets, lanes, n_parts, min(<Py_ssize_t>4, n_quantities - first), total[first:])
    return sums


cdef sum_lanes(
    const code_t[:, :, ::1] codes,
    const int64_t[::1] offsets,
    const int64_t** lanes,
    int n_parts,
    Py_ssize_t n_lanes,
    int64_t[:, ::1] total,
):
    """Sum four quantities, of which n_lanes are asked for; the rows are shared out, and the parts added up."""
    cdef Py_ssize_t n_samples = codes.shape[1], part, slot, lane
    cdef int64_t[:, :, ::1] shares = np.zeros((n_parts, offsets[offsets.shape[0] - 1], 4), np.int64)
    for part in prange(n_parts, nogil=True, schedule="static", num_threads=n_parts):
        add_rows(
            codes, offsets, lanes, n_samples * part // n_parts, n_samples * (part + 1) // n_parts, &shares[part, 0, 0]
        )
    with nogil:
        for slot in range(shares.shape[1]):
            for lane in range(n_lanes):
                total[lane, slot] = 0
                for part in range(n_parts):
                    total[lane, slot] += shares[part, slot, lane]


cdef enum:
    LANE_ROWS = 2048  # rows whose four quantities stay in a core's cache for all features


cdef void add_rows(
    const code_t[:, :, ::1] codes,
    const int64_t[::1] offsets,
    const int64_t** lanes,
    Py_ssize_t first,
    Py_ssize_t end,
    int64_t* slots,
) noexcept nogil:
    """Add the quantities of rows first..end - 1 to their slots, block after block."""
    cdef int64_t terms[4 * LANE_ROWS]
    cdef Py_ssize_t start = first, n_rows, i, lane, f, n_features = offsets.shape[0] - 1
    while start < end:
        n_rows = min(<Py_ssize_t>LANE_ROWS, end - start)
        for i in range(n_rows):
            for lane in range(4):
                terms[4 * i + lane] = lanes[lane][start + i]
        f = 0
        while f + 4 <= n_features:  # four features at a time: f and f + 3 are in one group of eight
            add_four_features(&codes[f // 8, start, f % 8], n_rows, terms, slots, &offsets[f])
            f = f + 4
        while f < n_features:
            add_feature(&codes[f // 8, start, f % 8], n_rows, terms, slots + 4 * offsets[f])
            f = f + 1
        start += n_rows


cdef void add_four_features(
    const code_t* codes, Py_ssize_t n_rows, const int64_t* terms, int64_t* slots, const int64_t* offsets
) noexcept nogil:
    """Add each row's four quantities to its slots in four features, which do not wait for each other."""
    cdef Py_ssize_t i
    cdef int64_t* one = slots + 4 * offsets[0]
    cdef int64_t* two = slots + 4 * offsets[1]
    cdef int64_t* three = slots + 4 * offsets[2]
    cdef int64_t* four = slots + 4 * offsets[3]
    for i in range(n_rows):
        add_lanes(one + 4 * codes[8 * i], terms + 4 * i)
        add_lanes(two + 4 * codes[8 * i + 1], terms + 4 * i)
        add_lanes(three + 4 * codes[8 * i + 2], terms + 4 * i)
        add_lanes(four + 4 * codes[8 * i + 3], terms + 4 * i)


cdef void add_feature(const code_t* codes, Py_ssize_t n_rows, const int64_t* terms, int64_t* slots) noexcept nogil:
    """Add each row's four quantities to its slot in one feature."""
    cdef Py_ssize_t i
    for i in range(n_rows):
        add_lanes(slots + 4 * codes[8 * i], terms + 4 * i)


cdef inline void add_lanes(int64_t* slot, const int64_t* term) noexcept nogil:
    """Add four int64 side by side."""
    cdef int64_t first = slot[0] + term[0], second = slot[1] + term[1], third = slot[2] + term[2]
    slot[3] = slot[3] + term[3]
    slot[0], slot[1], slot[2] = first, second, third


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


def leaf_sums(const int64_t[::1] integers, const int32_t[::1] rows, const int64_t[::1] starts, int n_threads):
    cdef Py_ssize_t n_rows = rows.shape[0], part
    cdef int n_parts = n_threads if n_rows > WORTH_THREADS else 1
    shares = np.zeros((n_parts, starts.shape[0] - 1), np.int64)
    cdef int64_t[:, ::1] sums = shares
    for part in prange(n_parts, nogil=True, schedule="static", num_threads=n_parts):
        sum_leaves(integers, rows, starts, n_rows * part // n_parts, n_rows * (part + 1) // n_parts, sums[part])
    return shares.sum(axis=0)


cdef void sum_leaves(
    const int64_t[::1] integers,
    const int32_t[::1] rows,
    const int64_t[::1] starts,
    Py_ssize_t first,
    Py_ssize_t end,
    int64_t[::1] sums,
) noexcept nogil:
    """Add the integers of rows[first:end] to the sums of their leaves."""
    cdef Py_ssize_t leaf, i
    cdef int64_t total
    for leaf in range(sums.shape[0]):
        total = 0
        for i in range(max(first, starts[leaf]), min(end, starts[leaf + 1])):
            total += integers[rows[i]]
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
