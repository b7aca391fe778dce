"""The part of the kernel for cuts without histograms, included by _split.pyx: `best_split_of_rows`.

A feature is summed and cut at once, while its slots are in a core's cache, and only bins that hold rows are scored.
"""

cdef enum:
    COLUMNS = 4  # features whose codes are gathered at a time: with two bytes each, one load per row


def best_split_of_rows(
    const code_t[:, :, ::1] codes,
    const int64_t[::1] offsets,
    const int32_t[::1] rows,
    const int64_t[::1] integers,
    const int64_t[::1] weights,
    const int32_t[::1] features,
    Py_ssize_t min_samples_leaf,
    int n_threads,
    const int8_t[::1] missing=None,
):
    cdef Py_ssize_t n_rows = rows.shape[0], n_features = features.shape[0], widest = 0, i, part, task
    cdef Py_ssize_t n_tasks = (offsets.shape[0] - 1 + COLUMNS - 1) // COLUMNS
    cdef int n_columns = 2 if weights is None else 3
    cdef int n_parts = n_threads if n_rows * n_features > WORTH_THREADS // 4 else 1
    cdef Cut best = no_cut()
    if n_rows == 0:
        return best.feature, best.bin, best.gain, best.left_sum, best.left_count, best.left_weight
    for i in range(n_features):
        widest = max(widest, offsets[features[i] + 1] - offsets[features[i]])
    cdef int64_t[:, ::1] terms = np.empty((n_rows, n_columns), np.int64)
    cdef code_t[:, :, ::1] gathered = np.empty((n_parts, n_rows, COLUMNS), np.asarray(codes).dtype)
    cdef int64_t[:, :, ::1] slots = np.zeros((n_parts, widest, n_columns), np.int64)
    cdef uint64_t[:, ::1] marks = np.zeros((n_parts, widest // 64 + 1), np.uint64)
    cdef int32_t[:, ::1] listed = np.empty((n_parts, widest + 1), np.int32)
    cdef double[:, :, ::1] lefts = np.empty((n_parts, 4, widest))
    cdef uint8_t[::1] memory = np.empty(n_tasks * sizeof(Cut), np.uint8)
    cdef uint8_t[::1] wanted = np.zeros(offsets.shape[0] - 1, np.uint8)
    cdef Cut* cuts = <Cut*>&memory[0]
    for i in range(n_features):
        wanted[features[i]] = 1
    for i in prange(n_rows, nogil=True, schedule="static", num_threads=n_parts):
        terms[i, 0], terms[i, 1] = integers[rows[i]], 1
        if n_columns == 3:
            terms[i, 2] = weights[rows[i]]
    for part in prange(n_parts, nogil=True, schedule="static", num_threads=n_parts):
        cut_columns(
            codes, offsets, rows, &terms[0, 0], n_columns, &wanted[0], min_samples_leaf, missing, part, n_parts, n_tasks,
            &gathered[part, 0, 0], &slots[part, 0, 0], &marks[part, 0], &listed[part, 0], &lefts[part, 0, 0], widest,
            cuts,
        )
    for task in range(n_tasks):
        if cuts[task].gain > best.gain:
            best = cuts[task]
    return best.feature, best.bin, best.gain, best.left_sum, best.left_count, best.left_weight


cdef void cut_columns(
    const code_t[:, :, ::1] codes,
    const int64_t[::1] offsets,
    const int32_t[::1] rows,
    const int64_t* terms,
    int n_columns,
    const uint8_t* wanted,
    Py_ssize_t min_samples_leaf,
    const int8_t[::1] missing,
    Py_ssize_t part,
    Py_ssize_t n_parts,
    Py_ssize_t n_tasks,
    code_t* gathered,
    int64_t* slots,
    uint64_t* marks,
    int32_t* listed,
    double* left,
    Py_ssize_t widest,
    Cut* cuts,
) noexcept nogil:
    """Find the best cut of each few features that lie side by side."""
    cdef Py_ssize_t task, f, i, n_bins, n_listed, n_rows = rows.shape[0]
    cdef LeftSides sides = left_sides(left, widest, n_columns)
    cdef Cut cut
    cdef const code_t* column
    sides.bins = listed
    for task in range(n_tasks * part // n_parts, n_tasks * (part + 1) // n_parts):
        cuts[task] = no_cut()
        column = &codes[task * COLUMNS // 8, 0, task * COLUMNS % 8]
        for i in range(n_rows):
            if i + 32 < n_rows:
                prefetch(column + rows[i + 32] * <Py_ssize_t>8)
            memcpy(gathered + i * COLUMNS, column + rows[i] * <Py_ssize_t>8, COLUMNS * sizeof(code_t))
        for f in range(task * COLUMNS, min((task + 1) * COLUMNS, offsets.shape[0] - 1)):
            if not wanted[f]:
                continue
            n_bins = offsets[f + 1] - offsets[f]
            n_listed = sum_terms(
                gathered + f % COLUMNS, COLUMNS, terms, n_rows, n_columns, n_bins, slots, marks, listed, &sides
            )
            if missing is not None and missing[f] and listed[n_listed - 1] == n_bins - 1:
                cut = best_three_way(&sides, n_listed, n_bins, min_samples_leaf, missing[f])
            else:
                cut = best_two_way(&sides, n_listed, min_samples_leaf)
            if cut.gain > cuts[task].gain:
                cuts[task], cuts[task].feature = cut, f


cdef Py_ssize_t sum_terms(
    const code_t* codes,
    Py_ssize_t step,
    const int64_t* terms,
    Py_ssize_t n_rows,
    int n_columns,
    Py_ssize_t n_bins,
    int64_t* slots,
    uint64_t* marks,
    int32_t* listed,
    LeftSides* sides,
) noexcept nogil:
    """Sum a node's rows in the bins of one feature; list the bins that hold rows, and the sums up to each.

    A small node marks its bins, one bit each, and never reads the others.
    """
    cdef Py_ssize_t i, bin, word, n_listed = 0
    cdef int column
    cdef uint64_t bits
    cdef int64_t left[3]
    cdef int64_t* slot
    cdef bint small = 2 * n_rows < n_bins
    left[0] = left[1] = left[2] = 0
    for i in range(n_rows):
        bin = codes[step * i]
        slot = slots + bin * n_columns
        slot[0] += terms[i * n_columns]
        slot[1] += terms[i * n_columns + 1]
        if n_columns == 3:
            slot[2] += terms[i * n_columns + 2]
        if small:
            marks[bin >> 6] |= <uint64_t>1 << (bin & 63)
    if small:
        for word in range((n_bins + 63) // 64):
            bits = marks[word]
            while bits:
                bin = word * 64 + lowest_bit(bits)
                listed[n_listed] = <int32_t>bin
                n_listed += slots[bin * n_columns + 1] != 0
                bits &= bits - 1
            marks[word] = 0
    else:
        for bin in range(n_bins):
            listed[n_listed] = <int32_t>bin
            n_listed += slots[bin * n_columns + 1] != 0
    for i in range(n_listed):
        slot = slots + listed[i] * n_columns
        for column in range(n_columns):
            left[column] += slot[column]
            slot[column] = 0
        sides.sum[i], sides.count[i] = <double>left[0], <double>left[1]
        sides.weight[i] = <double>left[n_columns - 1]
    return n_listed
