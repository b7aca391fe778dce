"""The part of the kernel that sorts columns, included by _split.pyx: `sort_columns` of refrank/trees/bins/sorted_columns.py.

A value becomes a key, an unsigned integer of its size that ascends as the values do. A column of few distinct values is
counted. Another is sorted by one digit of 11 bits after the other, from the lowest to the highest: sorting by a digit
leaves in order what the lower ones put in order.
"""

cdef enum:
    DIGIT_BITS = 11
    N_DIGITS = 2048  # values of a digit: their places fill a core's nearest cache
    MOST_DIGITS = 6  # of a key of 64 bits
    SLOT_BITS = 14
    N_SLOTS = 16384
    FEW_VALUES = 4096  # a quarter of the slots: most values are at the first slot that is looked at
    SORT_ROWS = 1024  # in a block

ctypedef fused key_t:
    uint32_t
    uint64_t


def sort_columns(X, Py_ssize_t first, columns, int n_threads):
    if X.itemsize == sizeof(uint32_t):
        sort_bits[uint32_t](X.view(np.uint32), first, columns.view(np.uint32), n_threads)
    else:
        sort_bits[uint64_t](X.view(np.uint64), first, columns.view(np.uint64), n_threads)


cdef int sort_bits(const key_t[:, :] X, Py_ssize_t first, key_t[:, ::1] columns, int n_threads) except -1:
    cdef Py_ssize_t n_columns = columns.shape[0], n_rows = columns.shape[1], block, c, i
    cdef Py_ssize_t n_blocks = (n_rows + SORT_ROWS - 1) // SORT_ROWS
    if n_rows == 0:
        return 0
    if n_rows * n_columns < WORTH_THREADS:
        n_threads = 1
    cdef int n_sorting = max(1, min(n_threads, <int>n_columns))  # each has memory for a column, and tables
    cdef key_t[:, ::1] spare = np.empty((n_sorting, n_rows), np.asarray(columns).dtype)
    cdef key_t[:, ::1] slots = np.empty((n_sorting, N_SLOTS), np.asarray(columns).dtype)
    cdef uint32_t[:, ::1] counts = np.empty((n_sorting, N_SLOTS + (MOST_DIGITS + 1) * N_DIGITS), np.uint32)
    for block in prange(n_blocks, nogil=True, schedule="static", num_threads=n_threads):
        for c in range(n_columns):  # a block's part of the lines of X stays in the nearest cache
            for i in range(block * SORT_ROWS, min(n_rows, (block + 1) * SORT_ROWS)):
                columns[c, i] = to_key(X[i, first + c])
    for c in prange(n_columns, nogil=True, schedule="dynamic", num_threads=n_sorting):
        i = threadid()
        sort_keys(&columns[c, 0], n_rows, &spare[i, 0], &slots[i, 0], &counts[i, 0])
    return 0


cdef inline key_t to_key(key_t bits) noexcept nogil:
    """Return the key of a value, given its bits: the sign comes first, and then, of negative ones, the opposite bits."""
    cdef key_t sign = (<key_t>1) << (8 * sizeof(key_t) - 1)
    bits = 0 if bits == sign else bits  # -0.0 is 0.0
    return bits ^ (sign if bits < sign else ~(<key_t>0))


cdef inline key_t to_bits(key_t key) noexcept nogil:
    cdef key_t sign = (<key_t>1) << (8 * sizeof(key_t) - 1)
    return key ^ (~(<key_t>0) if key < sign else sign)


cdef void sort_keys(key_t* keys, Py_ssize_t n_keys, key_t* spare, key_t* slots, uint32_t* counts) noexcept nogil:
    """Replace keys by the bits of their values, in ascending order."""
    cdef Py_ssize_t n_distinct = count_keys(keys, n_keys, spare, slots, counts), i, j = 0, end
    cdef uint32_t* tables = counts + N_SLOTS
    cdef const key_t* ascending
    if n_distinct == 0:
        ascending = sort_digits(keys, n_keys, spare, tables)
        for i in range(n_keys):
            keys[i] = to_bits(ascending[i])
        return
    ascending = sort_digits(spare, n_distinct, keys, tables)
    if ascending == keys:
        memcpy(spare, keys, n_distinct * sizeof(key_t))
    for i in range(n_distinct):
        end = j + counts[find_slot(slots, spare[i])]
        while j < end:
            keys[j] = to_bits(spare[i])
            j += 1


cdef Py_ssize_t count_keys(
    const key_t* keys, Py_ssize_t n_keys, key_t* distinct, key_t* slots, uint32_t* counts
) noexcept nogil:
    """List the distinct keys, and count each in its slot; return their number, or 0 where they are not few."""
    cdef Py_ssize_t i, start = 0, n_distinct = 0, slot
    memset(slots, 0, N_SLOTS * sizeof(key_t))  # 0 is the key of a NaN alone
    memset(counts, 0, N_SLOTS * sizeof(uint32_t))
    while start < n_keys:
        if n_distinct > FEW_VALUES:
            return 0
        for i in range(start, min(n_keys, start + SORT_ROWS)):
            slot = find_slot(slots, keys[i])
            if slots[slot] == 0:
                slots[slot] = distinct[n_distinct] = keys[i]
                n_distinct += 1
            counts[slot] += 1
        start += SORT_ROWS
    return n_distinct


cdef inline Py_ssize_t find_slot(const key_t* slots, key_t key) noexcept nogil:
    """Return the slot that holds the key, or else the empty one where it belongs."""
    cdef Py_ssize_t slot = <Py_ssize_t>((key * <uint64_t>0x9E3779B97F4A7C15) >> (64 - SLOT_BITS))
    while slots[slot] != key and slots[slot] != 0:
        slot = (slot + 1) & (N_SLOTS - 1)
    return slot


cdef key_t* sort_digits(key_t* keys, Py_ssize_t n_keys, key_t* spare, uint32_t* tables) noexcept nogil:
    """Sort keys, and return the memory where they are: `keys` or `spare`."""
    cdef Py_ssize_t i, d, n_digits = (8 * sizeof(key_t) + DIGIT_BITS - 1) // DIGIT_BITS
    cdef uint32_t* places
    cdef uint32_t count, below
    cdef key_t* held = keys
    memset(tables, 0, n_digits * N_DIGITS * sizeof(uint32_t))
    for i in range(n_keys):
        for d in range(n_digits):
            tables[d * N_DIGITS + digit_of(keys[i], d)] += 1
    for d in range(n_digits):
        places = tables + d * N_DIGITS
        if places[digit_of(keys[0], d)] == <uint32_t>n_keys:  # all keys share the digit
            continue
        below = 0
        for i in range(N_DIGITS):
            count = places[i]
            places[i] = below
            below += count
            tables[MOST_DIGITS * N_DIGITS + i] = below
        move(held, n_keys, spare, d, places, tables + MOST_DIGITS * N_DIGITS)
        held, spare = spare, held
    return held


cdef inline Py_ssize_t digit_of(key_t key, Py_ssize_t d) noexcept nogil:
    return <Py_ssize_t>((key >> (d * DIGIT_BITS)) & (N_DIGITS - 1))


cdef void move(
    const key_t* keys, Py_ssize_t n_keys, key_t* sorted, Py_ssize_t d, uint32_t* places, uint32_t* ends
) noexcept nogil:
    """Sort keys by one digit, given where the keys of each of its values begin and end; equal ones keep their order."""
    cdef Py_ssize_t i, half = n_keys // 2, digit
    cdef key_t key
    # From both ends to the middle: two moves wait less often for the same place than one.
    for i in range(half):
        key = keys[i]
        digit = digit_of(key, d)
        sorted[places[digit]] = key
        places[digit] += 1
        key = keys[n_keys - 1 - i]
        digit = digit_of(key, d)
        ends[digit] -= 1
        sorted[ends[digit]] = key
    if n_keys % 2:
        sorted[places[digit_of(keys[half], d)]] = keys[half]
