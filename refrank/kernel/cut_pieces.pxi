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
    Py_ssize_t n
    const int64_t* ends  # (n,): the last bin of each
    const int64_t* sums  # (n, n_terms)
    uint8_t* chosen  # (n,): whether the best cut may be inside or at the end of each


cdef struct Pieces:
    Py_ssize_t n
    uint16_t* of_bin  # (n_bins,)
    uint16_t* of_row  # (n_rows,), of the node
    int64_t ends[N_PIECES]
    int64_t sums[3 * (N_PIECES + 1)]  # (n + 1, n_terms)
    uint8_t chosen[N_PIECES + 1]


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
    pieces.n, pieces.chosen[n] = n, 0
    for bin in range(last + 1, n_bins):  # that of the rows that lack the feature is no piece, and has the number n
        pieces.of_bin[bin] = <uint16_t>n


cdef Runs sum_pieces(const code_t* column, const CoarseNode* node, Pieces* pieces) noexcept nogil:
    """Sum a node's rows in the pieces."""
    cdef Py_ssize_t i
    cdef uint16_t piece
    cdef int64_t* slot
    cdef Runs runs
    runs.n, runs.ends, runs.sums, runs.chosen = pieces.n, pieces.ends, pieces.sums, pieces.chosen
    memset(pieces.sums, 0, node.n_terms * (pieces.n + 1) * sizeof(int64_t))
    if node.weights == NULL:
        for i in range(node.n_rows):
            piece = pieces.of_bin[column[node.rows[i]]]
            pieces.of_row[i], slot = piece, pieces.sums + 2 * piece
            slot[0] += node.values[i]
            slot[1] += 1
    else:
        for i in range(node.n_rows):
            piece = pieces.of_bin[column[node.rows[i]]]
            pieces.of_row[i], slot = piece, pieces.sums + 3 * piece
            slot[0] += node.values[i]
            slot[1] += 1
            slot[2] += node.weights[node.rows[i]]
    return runs


cdef Py_ssize_t list_in_pieces(const CoarseNode* node, const Pieces* pieces, int32_t* places) noexcept nogil:
    """List a node's rows in the chosen pieces; return how many there are."""
    cdef Py_ssize_t i, n_places = 0
    for i in range(node.n_rows):
        places[n_places] = node.rows[i]
        n_places += pieces.chosen[pieces.of_row[i]]
    return n_places
