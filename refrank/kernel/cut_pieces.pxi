"""The part of the kernel that looks at pieces of coarse bins, included by _split.pyx, for `best_split_inside`.

Where the gains of many cuts are nearly equal, many coarse bins may hold the best one. They are divided into up to 16
pieces each, and a node's rows are summed in these, in one pass. A piece holds so few rows that its bound leaves hardly
any other than the best cut's own: only there, rows are summed in their own bins.
"""

cdef enum:
    N_PARTS = 16  # pieces of a coarse bin
    N_PIECES = 256 * N_PARTS

cdef Py_ssize_t WORTH_PIECES = 4096  # with fewer rows, writing the piece of every bin costs more than it saves


cdef struct Runs:  # of neighbouring bins of one feature: its coarse bins, or pieces of them
    Py_ssize_t n, n_columns
    const int64_t* ends  # (n,): the last bin of each
    const int64_t* sums  # (n, n_columns)
    uint8_t* chosen  # (n,): whether the best cut may be inside or at the end of each


cdef struct Pieces:
    Py_ssize_t n
    uint16_t* of_bin  # (n_bins,)
    int64_t ends[N_PIECES]
    int64_t sums[4 * (N_PIECES + 1)]  # (n + 1, n_columns)
    uint8_t chosen[N_PIECES]


cdef void divide_runs(const Runs* runs, Py_ssize_t n_bins, Pieces* pieces) noexcept nogil:
    """Divide the chosen runs into pieces of equally many bins, and leave the others whole."""
    cdef Py_ssize_t i, part, n_parts, n = 0
    cdef int64_t bin, width, previous = -1, last = -1
    for i in range(runs.n):
        width = runs.ends[i] - previous
        n_parts = min(width, <int64_t>N_PARTS) if runs.chosen[i] else 1
        for part in range(n_parts):
            pieces.ends[n] = previous + width * (part + 1) // n_parts
            pieces.chosen[n] = runs.chosen[i]
            for bin in range(last + 1, pieces.ends[n] + 1):
                pieces.of_bin[bin] = <uint16_t>n
            last = pieces.ends[n]
            n += 1
        previous = runs.ends[i]
    pieces.n = n
    for bin in range(last + 1, n_bins):  # that of the rows that lack the feature is no piece, and has the number n
        pieces.of_bin[bin] = <uint16_t>n


cdef Runs sum_pieces(
    const code_t* column,
    const int32_t[::1] rows,
    const int64_t[::1] values,
    const int64_t[::1] weights,
    bint is_narrow,
    Pieces* pieces,
) noexcept nogil:
    """Sum a node's rows, whose residuals are `values`, in the pieces; positive residuals, too, where they bound better."""
    cdef Py_ssize_t i
    cdef int64_t q
    cdef int64_t* slot
    cdef Runs runs
    runs.n, runs.n_columns = pieces.n, 4 if weights is not None else 2 if is_narrow else 3
    runs.ends, runs.sums, runs.chosen = pieces.ends, pieces.sums, pieces.chosen
    memset(pieces.sums, 0, runs.n_columns * (pieces.n + 1) * sizeof(int64_t))
    if runs.n_columns == 2:
        for i in range(rows.shape[0]):
            slot = pieces.sums + 2 * pieces.of_bin[column[rows[i]]]
            slot[0] += values[i]
            slot[1] += 1
    elif runs.n_columns == 3:
        for i in range(rows.shape[0]):
            q, slot = values[i], pieces.sums + 3 * pieces.of_bin[column[rows[i]]]
            slot[0] += q
            slot[1] += 1
            slot[2] += max(q, <int64_t>0)
    else:
        for i in range(rows.shape[0]):
            q, slot = values[i], pieces.sums + 4 * pieces.of_bin[column[rows[i]]]
            slot[0] += q
            slot[1] += 1
            slot[2] += weights[rows[i]]
            slot[3] += max(q, <int64_t>0)
    return runs
