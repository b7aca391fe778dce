"""The bins of one node of a deep tree, included by deep.pxi; cut.pxi finds the best cut between them.

Two things make it fast, and change no bit:
- the drawn features of the node's rows are gathered in groups of eight, and a sum and a count share one int64: one
  addition per entry, and eight that do not wait for each other;
- only the bins that hold rows are scored.
"""

cdef struct Buffers:
    int32_t* order  # (n_features,): 0, 1, 2 ..., between draws
    int32_t* drawn  # (8 * n_groups,): the drawn features, ascending, and 0 after them
    uint64_t* marks  # one bit per feature, or per bin; 0 between uses
    void* gathered  # code_t (n_groups, n_rows, 8): the codes of the drawn features
    int64_t* terms  # (n_rows, n_columns): what each row adds to its bins
    int64_t* packed_terms  # (n_rows,): the same, packed in one integer
    int64_t* packed  # (8, STRIDE): packed sums in the bins of eight features; 0 between uses
    int64_t* slots  # (n_bins, n_columns): the bins of one feature; 0 between uses
    int32_t* listed  # (n_listed,): the bins of one feature that hold rows, ascending
    int64_t* packed_left  # (n_listed,): packed sums over all bins up to each of these
    LeftSides left  # (n_listed,) each: the cuts after these bins


cdef Py_ssize_t FEW_ROWS = 32  # clearing the bins of more takes longer than clearing all


cdef void gather_codes(
    const code_t* row_codes,
    Py_ssize_t n_features,
    const int32_t* rows,
    Py_ssize_t n_rows,
    const int32_t* drawn,
    Py_ssize_t n_candidates,
    code_t* gathered,
) noexcept nogil:
    """Gather the drawn features of a node's rows, eight by eight; feature 0 fills the last eight.

    The codes of a row share a few cache lines, those of a column do not: a small node would wait for each line.
    """
    cdef Py_ssize_t i, j, k, n_bytes = n_features * sizeof(code_t)
    cdef const code_t* row
    cdef code_t* eight
    for i in range(n_rows):
        if i + 4 < n_rows:
            for j in range(0, n_bytes, 64):
                prefetch(<const uint8_t*>(row_codes + rows[i + 4] * n_features) + j)
        row = row_codes + rows[i] * n_features
        for j in range(0, n_candidates, 8):
            eight = gathered + (j * n_rows + i * 8)
            for k in range(8):
                eight[k] = row[drawn[j + k]]


cdef int pack_terms(
    const int64_t* terms, Py_ssize_t n_rows, int n_columns, int64_t* packed_terms, int64_t* unit
) noexcept nogil:
    """Pack each row's sum and count in one integer, `sum // unit << count_bits | count`; return count_bits.

    Return 0 where a sum of the node, or a third column, does not fit. The unit is the largest power of 2 that divides
    all: labels, which are small integers, take few bits of their grid.
    """
    cdef Py_ssize_t i
    cdef uint64_t bits = 0, most = 0, count = 0
    cdef int count_bits = 1, shift
    if n_columns == 3:
        return 0
    for i in range(n_rows):
        bits |= <uint64_t>terms[2 * i]
        most += <uint64_t>(terms[2 * i] if terms[2 * i] >= 0 else -terms[2 * i])
        count += <uint64_t>terms[2 * i + 1]
    if bits == 0:
        return 0
    shift = lowest_bit(bits)
    unit[0] = <int64_t>1 << shift
    while count >> count_bits != 0:
        count_bits += 1
    if most >> shift >> (62 - count_bits) != 0:
        return 0
    for i in range(n_rows):
        packed_terms[i] = (terms[2 * i] >> shift) * (<int64_t>1 << count_bits) + terms[2 * i + 1]
    return count_bits


cdef void add_eight(
    const code_t* codes, const int64_t* packed_terms, Py_ssize_t n_rows, int64_t* packed
) noexcept nogil:
    """Add each row's packed term to its bin in eight features: no addition waits for the one before."""
    cdef Py_ssize_t i
    cdef uint64_t eight
    cdef int64_t term
    if code_t is uint8_t:
        for i in range(n_rows):
            memcpy(&eight, codes + i * 8, 8)
            term = packed_terms[i]
            packed[eight & 255] += term
            packed[STRIDE + ((eight >> 8) & 255)] += term
            packed[2 * STRIDE + ((eight >> 16) & 255)] += term
            packed[3 * STRIDE + ((eight >> 24) & 255)] += term
            packed[4 * STRIDE + ((eight >> 32) & 255)] += term
            packed[5 * STRIDE + ((eight >> 40) & 255)] += term
            packed[6 * STRIDE + ((eight >> 48) & 255)] += term
            packed[7 * STRIDE + (eight >> 56)] += term


cdef void clear_rest(const code_t* codes, Py_ssize_t n_rows, Py_ssize_t n_listed, int64_t* packed) noexcept nogil:
    """Clear the sums of what fills the last eight: these features are in no list, which would clear them."""
    cdef Py_ssize_t i, k
    if n_rows >= FEW_ROWS:
        memset(packed + n_listed * STRIDE, 0, (8 - n_listed) * STRIDE * sizeof(int64_t))
        return
    for i in range(n_rows):
        for k in range(n_listed, 8):
            packed[k * STRIDE + codes[i * 8 + k]] = 0


cdef Py_ssize_t list_packed(
    int64_t* packed, Py_ssize_t n_bins, int count_bits, int64_t unit, Buffers* buffers
) noexcept nogil:
    """List the bins of one feature that hold rows, and the sums up to each; return their number, and clear `packed`."""
    cdef Py_ssize_t start, bin, i, n_listed = 0
    cdef int64_t count_mask = (<int64_t>1 << count_bits) - 1, left = 0
    cdef int64_t* p
    cdef int64_t* packed_left = buffers.packed_left
    cdef double* left_sum = buffers.left.sum
    cdef double* left_count = buffers.left.count
    cdef int32_t* listed = buffers.listed
    for start in range(0, n_bins, 8):
        p = packed + start
        if p[0] | p[1] | p[2] | p[3] | p[4] | p[5] | p[6] | p[7]:
            for bin in range(8):
                left += p[bin]
                listed[n_listed] = <int32_t>(start + bin)
                packed_left[n_listed] = left
                n_listed += p[bin] != 0
            memset(p, 0, 8 * sizeof(int64_t))
    for i in range(n_listed):
        left_sum[i] = <double>((packed_left[i] >> count_bits) * unit)
        left_count[i] = <double>(packed_left[i] & count_mask)
    return n_listed


cdef inline Py_ssize_t sum_node(
    const code_t* codes, const int64_t* terms, Py_ssize_t n_rows, int n_columns, Py_ssize_t n_bins, Buffers* buffers
) noexcept nogil:
    """Sum a node's rows in the bins of one gathered feature; list the bins that hold rows, and the sums up to each."""
    return sum_terms(
        codes, 8, terms, n_rows, n_columns, n_bins, buffers.slots, buffers.marks, buffers.listed, &buffers.left
    )


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
