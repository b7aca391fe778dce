"""The part of the kernel for grids and histograms, included by _split.pyx: functions of refrank/trees/splitting.py.

Three things make histograms fast. None of them changes a bit, because every sum over rows is a sum of integers:
- eight columns of codes lie side by side, so that one load brings the bins of eight features;
- a residual and a count share one int64, so that a histogram takes one addition per entry (`flush` separates them);
- threads divide the groups of columns among themselves, and need no merge but for the last few.
"""

# With fewer rows in a node, merging a group's histograms costs more than sharing out its rows saves.
cdef Py_ssize_t WORTH_SHARING = 32_768

cdef enum:
    # Slots from one packed feature to the next. With 256, the stores to bin 0 of every other feature would be 4096
    # bytes apart, and a processor that compares the low 12 bits of addresses makes each load wait for an earlier one.
    STRIDE = 256 + 8


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
    cdef double factor = grid_factor(exponent)
    for i in prange(n_samples, nogil=True, schedule="static", num_threads=used_threads):
        q[i] = on_grid(value[i], factor, exponent)
    return rounded


cdef inline double grid_factor(int exponent) noexcept nogil:
    """Return 2**exponent where it is a float64 and so is every product with it; else 0."""
    return ldexp(1.0, exponent) if -1000 < exponent < 1000 else 0.0


cdef inline int64_t on_grid(double value, double factor, int exponent) noexcept nogil:
    """Round a value to the grid; it is multiplied where that is exact, since ldexp takes long."""
    return llrint(value * factor) if factor > 0.0 else llrint(ldexp(value, exponent))


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
                codes, task, offsets, &rows[0], &terms[0, 0], n_rows, count_bits, n_columns,
                &slots[offsets[task * 8], 0],
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
    cdef Py_ssize_t first = group * 8, n_features = min(<Py_ssize_t>8, offsets.shape[0] - 1 - first)
    cdef Py_ssize_t f, i, start = 0, stop
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


cdef inline void add_to_eight(
    const uint8_t* codes, Py_ssize_t n_features, int64_t term, int64_t* packed
) noexcept nogil:
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
        if first == n_quantities - 1:
            quantity = integers[first]
            sum_one(codes, offsets, quantity, n_parts, sums[first])
            break
        for lane in range(4):
            quantity = integers[first + lane] if first + lane < n_quantities else nothing
            lanes[lane] = &quantity[0]
        sum_lanes(codes, offsets, lanes, n_parts, min(<Py_ssize_t>4, n_quantities - first), total[first:])
    return sums


cdef sum_one(
    const code_t[:, :, ::1] codes, const int64_t[::1] offsets, const int64_t[::1] quantity, int n_parts, total
):
    """Sum one quantity; the rows are shared out, and the parts added up."""
    cdef Py_ssize_t n_samples = codes.shape[1], n_groups = codes.shape[0], part, group
    shares = np.zeros((n_parts, len(total)), np.int64)
    cdef int64_t[:, ::1] shared = shares
    for part in prange(n_parts, nogil=True, schedule="static", num_threads=n_parts):
        for group in range(n_groups):
            add_quantity(
                codes, group, offsets, &quantity[0], n_samples * part // n_parts, n_samples * (part + 1) // n_parts,
                &shared[part, 0],
            )
    np.sum(shares, axis=0, out=total)


cdef void add_quantity(
    const code_t[:, :, ::1] codes,
    Py_ssize_t group,
    const int64_t[::1] offsets,
    const int64_t* quantity,
    Py_ssize_t first,
    Py_ssize_t end,
    int64_t* slots,
) noexcept nogil:
    """Add a quantity of rows first..end - 1 to the slots of one group's features."""
    cdef Py_ssize_t n_features = min(<Py_ssize_t>8, offsets.shape[0] - 1 - group * 8), f, i
    cdef int64_t* slot
    cdef int64_t near[8 * STRIDE]
    if code_t is uint8_t:
        memset(near, 0, sizeof(near))
        for i in range(first, end):
            add_to_eight(&codes[group, i, 0], n_features, quantity[i], near)
        for f in range(n_features):
            slot = slots + offsets[group * 8 + f]
            for i in range(offsets[group * 8 + f + 1] - offsets[group * 8 + f]):
                slot[i] += near[f * STRIDE + i]
    else:
        for f in range(n_features):
            slot = slots + offsets[group * 8 + f]
            for i in range(first, end):
                slot[codes[group, i, f]] += quantity[i]


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
