"""The part of the kernel for the sums of all rows, included by _split.pyx: `root_sums` of refrank/trees/splitting.py.

All rows are added in their order: nothing is looked up by row, no row is counted, and threads share out the rows.
"""


cdef Py_ssize_t MOST_SHARED = 1 << 20  # slots of features summed in one go: each thread has its own, of up to 32 bytes


def root_sums(const code_t[:, :, ::1] codes, const int64_t[::1] offsets, quantities, int n_threads):
    cdef Py_ssize_t n_groups = codes.shape[0], n_features = offsets.shape[0] - 1, group = 0, end, first, stop
    cdef const code_t[:, :, ::1] some
    cdef const int64_t[::1] theirs
    cdef int n_parts = n_threads if codes.shape[1] > 4 * WORTH_SHARING else 1
    sums = np.empty((len(quantities), offsets[n_features]), np.int64)
    while group < n_groups:
        end = group + 1
        while end < n_groups and offsets[min(8 * (end + 1), n_features)] - offsets[8 * group] <= MOST_SHARED:
            end += 1
        first, stop = 8 * group, min(8 * end, n_features)
        some, theirs = codes[group:end], np.asarray(offsets[first : stop + 1]) - offsets[first]
        of_groups = sum_groups(some, theirs, quantities, n_parts)
        if end - group == n_groups:
            return of_groups
        sums[:, offsets[first] : offsets[stop]] = of_groups
        group = end
    return sums


cdef sum_groups(const code_t[:, :, ::1] codes, const int64_t[::1] offsets, quantities, int n_parts):
    """Sum the quantities of all rows in each bin of the features of some groups."""
    cdef Py_ssize_t n_quantities = len(quantities), first, lane
    cdef const int64_t[::1] quantity
    cdef const int64_t* lanes[4]
    sums = np.zeros((n_quantities, offsets[offsets.shape[0] - 1]), np.int64)
    cdef int64_t[:, ::1] total = sums
    # Four quantities lie side by side in a slot, or the last two: each entry is read once for all, and added by one or
    # two instructions.
    for first in range(0, n_quantities, 4):
        if first == n_quantities - 1:
            quantity = quantities[first]
            sum_one(codes, offsets, quantity, n_parts, &total[first, 0])
            break
        for lane in range(4):
            quantity = quantities[min(first + lane, n_quantities - 1)]  # of a lane beyond them, the sums are dropped
            lanes[lane] = &quantity[0]
        sum_lanes(codes, offsets, lanes, n_parts, min(<Py_ssize_t>4, n_quantities - first), total[first:])
    return sums


cdef sum_one(
    const code_t[:, :, ::1] codes, const int64_t[::1] offsets, const int64_t[::1] quantity, int n_parts, int64_t* total
):
    """Sum one quantity; the rows are shared out, and the parts added up."""
    cdef Py_ssize_t n_samples = codes.shape[1], n_groups = codes.shape[0], part, group
    cdef Py_ssize_t n_slots = offsets[offsets.shape[0] - 1]
    cdef int64_t[:, ::1] shared = np.zeros((n_parts, n_slots), np.int64)
    for part in prange(n_parts, nogil=True, schedule="static", num_threads=n_parts):
        for group in range(n_groups):
            add_quantity(
                codes, group, offsets, &quantity[0], n_samples * part // n_parts, n_samples * (part + 1) // n_parts,
                &shared[part, 0],
            )
    add_parts(&shared[0, 0], n_parts, n_slots, n_slots, n_parts, total)


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
            # Some processors fetch too little by themselves, though all is read in order: a root took half as long again.
            if i + AHEAD < end:
                prefetch(&codes[group, i + AHEAD, 0])
                prefetch(quantity + i + AHEAD)
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
    """Sum up to four quantities; the rows are shared out, and the parts added up."""
    cdef Py_ssize_t n_samples = codes.shape[1], part, slot, lane, width = 2 if n_lanes == 2 else 4
    cdef int64_t[:, :, ::1] shares = np.zeros((n_parts, offsets[offsets.shape[0] - 1], width), np.int64)
    for part in prange(n_parts, nogil=True, schedule="static", num_threads=n_parts):
        add_rows(
            codes, offsets, lanes, width, n_samples * part // n_parts, n_samples * (part + 1) // n_parts,
            &shares[part, 0, 0],
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
    Py_ssize_t width,
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
            for lane in range(width):
                terms[width * i + lane] = lanes[lane][start + i]
        f = 0
        while f + 4 <= n_features:  # four features at a time: f and f + 3 are in one group of eight
            if width == 2:  # the compiler makes a loop of its own for each number
                add_four_features(&codes[f // 8, start, f % 8], n_rows, terms, 2, slots, &offsets[f])
            else:
                add_four_features(&codes[f // 8, start, f % 8], n_rows, terms, 4, slots, &offsets[f])
            f = f + 4
        while f < n_features:
            add_feature(&codes[f // 8, start, f % 8], n_rows, terms, width, slots + width * offsets[f])
            f = f + 1
        start += n_rows


cdef inline void add_four_features(
    const code_t* codes,
    Py_ssize_t n_rows,
    const int64_t* terms,
    Py_ssize_t width,
    int64_t* slots,
    const int64_t* offsets,
) noexcept nogil:
    """Add each row's quantities to its slots in four features, which do not wait for each other."""
    cdef Py_ssize_t i
    cdef int64_t* one = slots + width * offsets[0]
    cdef int64_t* two = slots + width * offsets[1]
    cdef int64_t* three = slots + width * offsets[2]
    cdef int64_t* four = slots + width * offsets[3]
    for i in range(n_rows):
        add_lanes(one + width * codes[8 * i], terms + width * i, width)
        add_lanes(two + width * codes[8 * i + 1], terms + width * i, width)
        add_lanes(three + width * codes[8 * i + 2], terms + width * i, width)
        add_lanes(four + width * codes[8 * i + 3], terms + width * i, width)


cdef void add_feature(
    const code_t* codes, Py_ssize_t n_rows, const int64_t* terms, Py_ssize_t width, int64_t* slots
) noexcept nogil:
    """Add each row's quantities to its slot in one feature."""
    cdef Py_ssize_t i
    for i in range(n_rows):
        add_lanes(slots + width * codes[8 * i], terms + width * i, width)


cdef inline void add_lanes(int64_t* slot, const int64_t* term, Py_ssize_t width) noexcept nogil:
    """Add two or four int64 side by side."""
    cdef int64_t first, second, third
    if width == 2:
        add_pair(slot, term)
        return
    first, second, third = slot[0] + term[0], slot[1] + term[1], slot[2] + term[2]
    slot[3] = slot[3] + term[3]
    slot[0], slot[1], slot[2] = first, second, third
