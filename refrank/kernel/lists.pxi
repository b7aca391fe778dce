"""The part of the kernel for features that mostly have one value, included by _split.pyx: histograms from lists.

The sums in a feature's most frequent bin are those of the node less those in its other bins, exactly, as all are
integers. So only the other entries are added: the list of a row holds their slots, two bytes each, one after another.
The functions mirror nothing: `histogram` of refrank/trees/splitting.py specifies the result.
"""


def list_entries(
    const uint8_t[:, :, ::1] codes, const int64_t[::1] offsets, const int64_t[::1] frequent, int n_threads
):
    """List the slots of each row's entries outside the most frequent bins: row i has entries[starts[i]:starts[i + 1]].

    There are fewer than 2**32 such entries, and at most 65,536 slots.
    """
    cdef Py_ssize_t n_samples = codes.shape[1], part
    lengths = np.zeros(n_samples + 1, np.uint32)
    cdef uint32_t[::1] starts = lengths
    cdef uint16_t[::1] slots = np.empty(0, np.uint16)
    for part in prange(n_threads, nogil=True, schedule="static", num_threads=n_threads):
        list_rows(
            codes, offsets, frequent, n_samples * part // n_threads, n_samples * (part + 1) // n_threads, starts, slots
        )
    np.cumsum(lengths, out=lengths)
    entries = np.empty(lengths[n_samples], np.uint16)
    if len(entries) > 0:
        slots = entries
        for part in prange(n_threads, nogil=True, schedule="static", num_threads=n_threads):
            list_rows(
                codes, offsets, frequent, n_samples * part // n_threads, n_samples * (part + 1) // n_threads, starts,
                slots,
            )
    return lengths, entries


cdef void list_rows(
    const uint8_t[:, :, ::1] codes,
    const int64_t[::1] offsets,
    const int64_t[::1] frequent,
    Py_ssize_t first,
    Py_ssize_t end,
    uint32_t[::1] starts,
    uint16_t[::1] slots,
) noexcept nogil:
    """Count the entries of rows first..end - 1, into starts[first + 1:end + 1]; or write them, where there are slots."""
    cdef Py_ssize_t i, f, at, code
    for i in range(first, end):
        at = 0 if slots.shape[0] == 0 else starts[i]
        for f in range(offsets.shape[0] - 1):
            code = codes[f // 8, i, f % 8]
            if code != frequent[f]:
                if slots.shape[0] > 0:
                    slots[at] = <uint16_t>(offsets[f] + code)
                at += 1
        if slots.shape[0] == 0:
            starts[i + 1] = <uint32_t>at


cdef struct Lists:  # entries is NULL where there are none
    const uint32_t* starts
    const uint16_t* entries
    const int64_t* frequent


def sum_lists(
    const uint32_t[::1] starts,
    const uint16_t[::1] entries,
    const int64_t[::1] frequent,
    const int64_t[::1] offsets,
    const int32_t[::1] rows,
    const int64_t[::1] integers,
    const int64_t[::1] weights,
    int n_threads,
):
    """Compute `histogram` from the lists of `list_entries`."""
    cdef Py_ssize_t n_rows = rows.shape[0], n_slots = offsets[offsets.shape[0] - 1]
    cdef int n_columns = 2 if weights is None else 3
    sums = np.zeros((n_slots, n_columns), np.int64)
    if n_rows == 0:
        return sums
    cdef int64_t[:, ::1] slots = sums, terms = np.empty((n_rows, n_columns - 1), np.int64)
    cdef int64_t[::1] parts = np.empty(n_threads * count_values(n_slots, n_columns), np.int64)
    cdef Lists lists = make_lists(starts, entries, frequent)
    with nogil:
        add_listed_node(
            lists, offsets, &rows[0], n_rows, &integers[0], NULL if weights is None else &weights[0], n_threads,
            &terms[0, 0], &parts[0], &slots[0, 0],
        )
    return sums


cdef Lists make_lists(const uint32_t[::1] starts, const uint16_t[::1] entries, const int64_t[::1] frequent):
    cdef Lists lists
    lists.starts, lists.frequent = &starts[0], &frequent[0]
    lists.entries = &entries[0] if entries.shape[0] > 0 else <const uint16_t*>&starts[0]  # is never read
    return lists


cdef inline Py_ssize_t count_values(Py_ssize_t n_slots, Py_ssize_t n_columns) noexcept nogil:
    """Count the values of a part of the rows: its sums and those of all its rows, once more packed."""
    return (n_slots + 1) * (2 * n_columns - 1)


cdef void add_listed_node(
    Lists lists,
    const int64_t[::1] offsets,
    const int32_t* rows,
    Py_ssize_t n_rows,
    const int64_t* integers,
    const int64_t* weights,
    int n_threads,
    int64_t* terms,
    int64_t* parts,
    int64_t* slots,
) noexcept nogil:
    """Set the sums of a node; `terms` and `parts` are memory of the sizes in `sum_lists`."""
    cdef Py_ssize_t n_slots = offsets[offsets.shape[0] - 1], part
    cdef int n_columns = 2 if weights == NULL else 3, n_parts = n_threads if n_rows > WORTH_SHARING else 1
    cdef int count_bits = gather(rows, n_rows, integers, weights, terms, n_threads)
    cdef Py_ssize_t n_own = (n_slots + 1) * n_columns, n_values = count_values(n_slots, n_columns)
    for part in prange(n_parts, schedule="static", num_threads=n_parts):
        memset(parts + part * n_values, 0, n_own * sizeof(int64_t))
        add_lists(
            lists, rows, terms, n_rows * part // n_parts, n_rows * (part + 1) // n_parts, count_bits, n_columns,
            n_slots, parts + part * n_values + n_own, parts + part * n_values,
        )
    add_parts(parts + n_values, n_parts - 1, n_values, n_own, n_threads, parts)
    memcpy(slots, parts, n_slots * n_columns * sizeof(int64_t))
    fill_frequent(lists.frequent, offsets, parts + n_slots * n_columns, n_columns, n_threads, slots)


cdef void add_lists(
    Lists lists,
    const int32_t* rows,
    const int64_t* terms,
    Py_ssize_t start,
    Py_ssize_t end,
    int count_bits,
    int n_columns,
    Py_ssize_t n_slots,
    int64_t* packed,
    int64_t* slots,
) noexcept nogil:
    """Add the terms of rows[start:end] to the slots of their lists, and to the last."""
    cdef Py_ssize_t i, stop
    cdef Py_ssize_t n_block = (<Py_ssize_t>1 << count_bits) - 1
    while start < end:
        stop = min(start + n_block, end)
        memset(packed, 0, (n_slots + 1) * (n_columns - 1) * sizeof(int64_t))
        if n_columns == 2:  # the compiler makes a loop of its own for each number
            add_listed(lists.starts, lists.entries, rows, terms, start, stop, end, count_bits, 2, n_slots, packed)
        else:
            add_listed(lists.starts, lists.entries, rows, terms, start, stop, end, count_bits, 3, n_slots, packed)
        for i in range(n_slots + 1):
            if n_columns == 2:
                slots[2 * i] += packed[i] >> count_bits
                slots[2 * i + 1] += packed[i] & n_block
            else:
                slots[3 * i] += packed[2 * i]
                slots[3 * i + 1] += packed[2 * i + 1] & n_block
                slots[3 * i + 2] += packed[2 * i + 1] >> count_bits
        start = stop


cdef inline void add_listed(
    const uint32_t* starts,
    const uint16_t* entries,
    const int32_t* rows,
    const int64_t* terms,
    Py_ssize_t start,
    Py_ssize_t stop,
    Py_ssize_t end,
    int count_bits,
    int n_columns,
    Py_ssize_t n_slots,
    int64_t* packed,
) noexcept nogil:
    """Add the terms of rows[start:stop], of which rows[stop:end] come next."""
    cdef Py_ssize_t i, at, line, last
    cdef int64_t term, one = <int64_t>1 << count_bits
    for i in range(start, stop):
        # Where a list begins stands in memory, too: it is fetched before the list, whose first four lines hold most.
        if i + AHEAD // 2 < end:
            prefetch(starts + rows[i + AHEAD // 2])
        if i + AHEAD // 4 < end:
            for line in range(4):
                prefetch(entries + starts[rows[i + AHEAD // 4]] + 32 * line)
        last = starts[rows[i] + 1]
        if n_columns == 2:
            term = terms[i] * one + 1
            packed[n_slots] += term
            at = starts[rows[i]]
            while at + 4 <= last:  # a branch for each entry would take as long as its addition
                packed[entries[at]] += term
                packed[entries[at + 1]] += term
                packed[entries[at + 2]] += term
                packed[entries[at + 3]] += term
                at = at + 4
            while at < last:
                packed[entries[at]] += term
                at = at + 1
        else:
            add_pair(packed + 2 * n_slots, terms + 2 * i)
            for at in range(starts[rows[i]], last):
                add_pair(packed + 2 * <Py_ssize_t>entries[at], terms + 2 * i)


cdef void fill_frequent(
    const int64_t* frequent,
    const int64_t[::1] offsets,
    const int64_t* node,
    int n_columns,
    int n_threads,
    int64_t* slots,
) noexcept nogil:
    """Set the sums in the most frequent bin of each feature to the node's less those in the other bins."""
    cdef Py_ssize_t n_features = offsets.shape[0] - 1, f, slot, column
    cdef int used_threads = n_threads if offsets[n_features] * n_columns > WORTH_THREADS // 4 else 1
    cdef int64_t others
    for f in prange(n_features, schedule="static", num_threads=used_threads):
        for column in range(n_columns):
            others = 0
            for slot in range(offsets[f], offsets[f + 1]):
                others = others + slots[slot * n_columns + column]  # with += it would be a sum over threads
            slots[(offsets[f] + frequent[f]) * n_columns + column] = node[column] - others
