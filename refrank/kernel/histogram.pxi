"""The part of the kernel for histograms, included by _split.pyx: `histogram` of refrank/trees/splitting.py.

Three things make histograms fast. None of them changes a bit, because every sum over rows is a sum of integers:
- eight columns of codes lie side by side, so that one load brings the bins of eight features;
- a residual and a count share one int64, so that a histogram takes one addition per entry (`flush` separates them);
- threads divide the groups of columns among themselves, and merge only the last few.

A parallel loop of one thread takes OpenMP half a microsecond, and a small node has five: one thread does without them.
"""

# With fewer rows in a node, merging a group's histograms costs more than sharing out its rows saves.
cdef Py_ssize_t WORTH_SHARING = 8_192

cdef Py_ssize_t WORTH_PACKING = 100  # rows; fewer take less time than the slots that packing has to read

cdef enum:
    # Rows between the one that is added and the one whose codes are fetched: those of a small node lie in lines of their
    # own, and memory takes as long as adding about a hundred rows.
    AHEAD = 128
    # Slots from one packed feature to the next. With 256, the stores to bin 0 of every other feature would be 4096
    # bytes apart, and a processor that compares the low 12 bits of addresses makes each load wait for an earlier one.
    STRIDE = 256 + 8


cdef struct Shared:  # how threads share out the groups of a node
    int n_threads
    Py_ssize_t n_whole  # groups that a thread takes whole; the others, fewer than threads, are shared out by rows
    Py_ssize_t n_parts  # of the rows of such a group
    Py_ssize_t n_slots  # of such groups; each part has its own, at most 200 MB in all


def histogram(
    const code_t[:, :, ::1] codes,
    const int64_t[::1] offsets,
    const int32_t[::1] rows,
    const int64_t[::1] integers,
    const int64_t[::1] weights,
    int n_threads,
):
    cdef Py_ssize_t n_rows = rows.shape[0]
    cdef int n_columns = 2 if weights is None else 3
    sums = np.zeros((offsets[offsets.shape[0] - 1], n_columns), np.int64)
    if n_rows == 0:
        return sums
    cdef Shared shared = share_out(codes, offsets, n_rows, n_threads)
    cdef int64_t[:, ::1] slots = sums, terms = np.empty((n_rows, n_columns - 1), np.int64)
    cdef int64_t[::1] parts = np.empty(max(1, shared.n_parts * shared.n_slots * n_columns), np.int64)
    with nogil:
        add_node(
            codes, offsets, &rows[0], n_rows, &integers[0], NULL if weights is None else &weights[0], shared, n_threads,
            &terms[0, 0], &parts[0], &slots[0, 0],
        )
    return sums


cdef Shared share_out(
    const code_t[:, :, ::1] codes, const int64_t[::1] offsets, Py_ssize_t n_rows, int n_threads
) noexcept nogil:
    """Share out the groups of a node of so many rows."""
    cdef Py_ssize_t n_groups = codes.shape[0], last = offsets.shape[0] - 1
    cdef Shared shared
    shared.n_threads = n_threads if n_rows * n_groups > WORTH_THREADS // 4 else 1
    shared.n_whole = n_groups - n_groups % shared.n_threads if n_rows > WORTH_SHARING else n_groups
    shared.n_parts = min(
        <Py_ssize_t>shared.n_threads, max(<Py_ssize_t>2, 4096 // max(<Py_ssize_t>1, n_groups - shared.n_whole))
    )
    shared.n_slots = offsets[last] - offsets[min(shared.n_whole * 8, last)]
    return shared


cdef void add_node(
    const code_t[:, :, ::1] codes,
    const int64_t[::1] offsets,
    const int32_t* rows,
    Py_ssize_t n_rows,
    const int64_t* integers,
    const int64_t* weights,
    Shared shared,
    int n_threads,
    int64_t* terms,
    int64_t* parts,
    int64_t* slots,
) noexcept nogil:
    """Add a node's rows to the slots of all groups; `terms` and `parts` are memory of the sizes in `histogram`.

    `weights` is NULL where all rows weigh the same.
    """
    cdef int n_columns = 2 if weights == NULL else 3
    cdef int count_bits = gather(rows, n_rows, integers, weights, terms, n_threads)
    cdef Py_ssize_t task, group, part, first, slot, n_own, n_values = shared.n_slots * n_columns
    cdef Py_ssize_t n_tasks = shared.n_whole + (codes.shape[0] - shared.n_whole) * shared.n_parts
    if shared.n_threads == 1:
        for group in range(codes.shape[0]):
            add_group(
                codes, group, offsets, rows, terms, n_rows, count_bits, n_columns,
                slots + offsets[group * 8] * n_columns,
            )
        return
    for task in prange(n_tasks, schedule="dynamic", num_threads=shared.n_threads):
        if task < shared.n_whole:
            add_group(
                codes, task, offsets, rows, terms, n_rows, count_bits, n_columns,
                slots + offsets[task * 8] * n_columns,
            )
        else:
            group = shared.n_whole + (task - shared.n_whole) // shared.n_parts
            part = (task - shared.n_whole) % shared.n_parts
            first = n_rows * part // shared.n_parts
            slot = part * n_values + (offsets[group * 8] - offsets[shared.n_whole * 8]) * n_columns
            n_own = (offsets[min(group * 8 + 8, offsets.shape[0] - 1)] - offsets[group * 8]) * n_columns
            memset(parts + slot, 0, n_own * sizeof(int64_t))
            add_group(
                codes, group, offsets, rows + first, terms + first * (n_columns - 1),
                n_rows * (part + 1) // shared.n_parts - first, count_bits, n_columns, parts + slot,
            )
    if n_values > 0:
        slot = offsets[shared.n_whole * 8] * n_columns
        add_parts(parts, shared.n_parts, n_values, n_values, n_threads, slots + slot)


cdef void add_parts(
    const int64_t* parts, Py_ssize_t n_parts, Py_ssize_t stride, Py_ssize_t n_values, int n_threads, int64_t* slots
) noexcept nogil:
    """Add the first values of parts, (n_parts, stride), to slots, (n_values,)."""
    cdef Py_ssize_t share, part, i
    cdef int n_shares = n_threads if n_parts * n_values > WORTH_THREADS // 4 else 1
    for share in prange(n_shares, schedule="static", num_threads=n_shares):
        for part in range(n_parts):
            for i in range(n_values * share // n_shares, n_values * (share + 1) // n_shares):
                slots[i] += parts[part * stride + i]


cdef int gather(
    const int32_t* rows,
    Py_ssize_t n_rows,
    const int64_t* integers,
    const int64_t* weights,
    int64_t* terms,
    int n_threads,
) noexcept nogil:
    """Gather what each row of a node adds to its bins, once for all groups; return count_bits.

    A row adds integers[row] << count_bits | 1 to a slot. With weights, it adds integers[row] to one slot, and
    weights[row] << count_bits | 1 to the next. count_bits is the largest number such that 2**count_bits such terms fit
    in one int64: with |q| < 2**b, 2**c terms of |q| << c stay below 2**(b + 2c) <= 2**62.
    """
    cdef Py_ssize_t i, part
    cdef int n_parts = n_threads if n_rows > WORTH_THREADS // 4 else 1, count_bits = 31
    cdef uint64_t bits = 0
    if n_parts == 1:
        bits = gather_part(rows, 0, n_rows, integers, weights, terms)
    else:
        for part in prange(n_parts, schedule="static", num_threads=n_parts):
            bits |= gather_part(
                rows, n_rows * part // n_parts, n_rows * (part + 1) // n_parts, integers, weights, terms
            )
    while bits >> (62 - 2 * count_bits) != 0:
        count_bits = count_bits - 1
    if weights != NULL:  # a single term is shifted where it is added, a pair here, so that both are loaded at once
        for i in prange(n_rows, schedule="static", num_threads=n_parts):
            terms[2 * i + 1] = terms[2 * i + 1] * (<int64_t>1 << count_bits) + 1
    return count_bits


cdef uint64_t gather_part(
    const int32_t* rows,
    Py_ssize_t first,
    Py_ssize_t end,
    const int64_t* integers,
    const int64_t* weights,
    int64_t* terms,
) noexcept nogil:
    """Gather those of rows[first:end]; return the bits of what shares an int64 with the count."""
    cdef Py_ssize_t i
    cdef uint64_t bits = 0
    cdef int64_t q
    for i in range(first, end):
        if weights == NULL:
            q = terms[i] = integers[rows[i]]
        else:
            terms[2 * i] = integers[rows[i]]
            q = terms[2 * i + 1] = weights[rows[i]]
        bits |= <uint64_t>(q if q >= 0 else -q)
    return bits


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
    if code_t is uint8_t and n_rows > WORTH_PACKING:
        while start < n_rows:
            stop = min(start + n_block, n_rows)
            memset(packed, 0, (n_columns - 1) * n_features * STRIDE * sizeof(int64_t))
            add_packed(
                <const uint8_t*>&codes[group, 0, 0], n_features, rows + start, terms + start * (n_columns - 1), stop - start, n_columns,
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
        # The slots of up to 65,536 bins per feature do not fit in a cache, and few rows take less time than all slots:
        # packing gains nothing.
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
    """Add each row's term to its bins."""
    # The compiler makes a loop of its own for each pair of constants; the loop for all of them asks at every row.
    if n_features < 8:
        add_each(codes, n_features, rows, terms, n_rows, n_columns, count_bits, packed)
    elif n_columns == 2:
        add_each(codes, 8, rows, terms, n_rows, 2, count_bits, packed)
    else:
        add_each(codes, 8, rows, terms, n_rows, 3, count_bits, packed)


cdef inline void add_each(
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
        if i + AHEAD < n_rows:
            prefetch(codes + rows[i + AHEAD] * <Py_ssize_t>8)
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
