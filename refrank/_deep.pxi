"""The part of the kernel for deep trees, included by _split.pyx: `grow_deep` of refrank/trees/splitting.py.

Five things make it fast, and change no bit:
- the codes of a row lie side by side: a node of few rows reads a few cache lines per row, not one per row and feature;
- a node small enough for a core's own cache is copied once, and all nodes below it work on the copy, so that threads do
  not wait for each other;
- the drawn features of its rows are gathered in groups of eight, and a sum and a count share one int64, which takes one
  addition per entry;
- only the bins that hold rows are scored, and all of a feature in one loop, of which the compiler makes several
  divisions at a time;
- a feature subset is sorted by setting bits.
"""

cdef uint64_t GOLDEN = 0x9E3779B97F4A7C15
cdef Py_ssize_t CHILDREN = 2

# Bytes of codes of the rows that are copied into a core's own cache, where threads do not wait for each other.
cdef Py_ssize_t NEAR_BYTES = 1 << 19

cdef enum:
    # Slots from one packed feature to the next. With 256, the stores to bin 0 of every other feature would be 4096 bytes
    # apart, and a processor that compares the low 12 bits of addresses makes each load wait for an earlier one.
    STRIDE = 256 + 8


cdef inline uint64_t draw(uint64_t key, uint64_t i) noexcept nogil:
    """Compute refrank.trees.draws.draw."""
    cdef uint64_t z = key + (i + 1) * GOLDEN
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline uint64_t below(uint64_t bits, uint64_t n) noexcept nogil:
    """Compute refrank.trees.draws.below, for n < 2**32."""
    return ((bits >> 32) * n + ((bits & <uint64_t>0xFFFFFFFF) * n >> 32)) >> 32


cdef void feature_subset(
    uint64_t key, Py_ssize_t n_candidates, Py_ssize_t n_features, int32_t* order, uint64_t* marks, int32_t* drawn
) noexcept nogil:
    """Compute refrank.trees.draws.feature_subset: `drawn`, (n_candidates,), ascending.

    `order` holds 0 .. n_features - 1 and `marks` one bit 0 for each of them, before and after.
    """
    cdef Py_ssize_t j, i, word, n_drawn = 0
    cdef uint64_t bits
    for j in range(n_candidates):
        i = j + below(draw(key, CHILDREN + j), n_features - j)
        drawn[j] = <int32_t>i
        i = order[i]
        order[drawn[j]] = order[j]
        marks[i >> 6] |= <uint64_t>1 << (i & 63)
    for j in range(n_candidates):  # only these places have changed
        order[drawn[j]] = drawn[j]
    for word in range((n_features + 63) // 64):
        bits = marks[word]
        while bits:
            drawn[n_drawn] = <int32_t>(word * 64 + lowest_bit(bits))
            n_drawn += 1
            bits &= bits - 1
        marks[word] = 0


cdef struct Pending:
    Py_ssize_t number, start, stop, depth
    uint64_t key


cdef struct Rows:  # the arrays in which the rows of a node are looked up
    void* codes  # (n_rows, n_features) code_t
    int64_t* integers
    int64_t* counts
    int64_t* weights  # NULL where all rows weigh the same


cdef struct Near:  # a copy of the rows of one small node, on which all nodes below it work
    Rows rows
    Py_ssize_t room  # number of rows that fit
    Py_ssize_t stop  # end of that node's rows in Deep.rows


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
    double* left_sum  # (n_listed,) each: sums over all bins up to each of these, as floats, which hold them exactly
    double* left_count
    double* left_weight  # left_count where rows have no weights
    double* gains  # (n_listed,): of the cuts after these bins


cdef struct Deep:  # a growing tree; arrays have one entry per node
    int32_t* feature
    int32_t* bin
    int32_t* left
    int32_t* right
    double* gain
    int64_t* totals  # three per node: sum, count, weight
    Py_ssize_t n_nodes
    int32_t* rows
    int32_t* moved  # (n_rows,), buffer of the rows that go right


def grow_deep(
    const code_t[:, ::1] row_codes,
    const int64_t[::1] offsets,
    rows,
    const int64_t[::1] integers,
    const int64_t[::1] counts,
    const int64_t[::1] weights,
    const int8_t[::1] missing,
    Py_ssize_t max_depth,
    Py_ssize_t min_samples_leaf,
    Py_ssize_t n_candidates,
    key,
):
    cdef Py_ssize_t n_rows = len(rows), most = 2 * n_rows - 1, n_features = row_codes.shape[1]
    cdef Py_ssize_t widest = int(np.max(np.diff(offsets)))
    cdef int n_columns = 2 if weights is None else 3
    cdef uint64_t root_key = key
    cdef Deep tree
    # All memory; nothing is allocated after this.
    arrays = [np.full(most, -1, np.int32), *(np.zeros(most, np.int32) for _ in range(3))]
    gains, totals = np.zeros(most), np.zeros((most, 3), np.int64)
    cdef int32_t[::1] feature = arrays[0], bin = arrays[1], left = arrays[2], right = arrays[3]
    cdef double[::1] gain = gains
    cdef int64_t[:, ::1] total = totals
    cdef int32_t[::1] own_rows = np.array(rows, np.int32), moved = np.empty(n_rows, np.int32)
    cdef Py_ssize_t n_groups = (n_candidates + 7) // 8
    cdef int32_t[::1] order = np.arange(n_features, dtype=np.int32), drawn = np.zeros(8 * n_groups, np.int32)
    cdef int32_t[::1] listed = np.empty(widest + 1, np.int32)
    cdef int64_t[::1] packed_left = np.empty(widest + 1, np.int64)
    cdef double[:, ::1] lefts = np.empty((4, widest))
    cdef int64_t[:, ::1] terms = np.empty((n_rows, n_columns), np.int64)
    cdef int64_t[::1] packed_terms = np.empty(n_rows, np.int64), packed = np.zeros(8 * STRIDE, np.int64)
    cdef int64_t[:, ::1] slots = np.zeros((widest, n_columns), np.int64)
    cdef code_t[:, :, ::1] gathered = np.empty((n_groups, n_rows, 8), np.asarray(row_codes).dtype)
    cdef uint64_t[::1] marks = np.zeros(max(widest, n_features) // 64 + 1, np.uint64)
    cdef Buffers buffers
    cdef uint8_t[::1] memory = np.empty((n_rows + 1) * sizeof(Pending), np.uint8)
    cdef Rows all_rows
    cdef Near near
    near.room, near.stop = max(1, min(n_rows, NEAR_BYTES // (n_features * sizeof(code_t)))), 0
    cdef code_t[:, ::1] near_codes = np.empty((near.room, n_features), np.asarray(row_codes).dtype)
    cdef int64_t[:, ::1] near_terms = np.empty((3, near.room), np.int64)
    all_rows.codes, all_rows.integers, all_rows.counts = <void*>&row_codes[0, 0], <int64_t*>&integers[0], <int64_t*>&counts[0]
    near.rows.codes, near.rows.integers, near.rows.counts = &near_codes[0, 0], &near_terms[0, 0], &near_terms[1, 0]
    all_rows.weights = near.rows.weights = NULL
    if weights is not None:
        all_rows.weights, near.rows.weights = <int64_t*>&weights[0], &near_terms[2, 0]
    tree.feature, tree.bin, tree.left, tree.right = &feature[0], &bin[0], &left[0], &right[0]
    tree.gain, tree.totals, tree.rows, tree.moved = &gain[0], &total[0, 0], &own_rows[0], &moved[0]
    buffers.order, buffers.drawn, buffers.marks, buffers.gathered = &order[0], &drawn[0], &marks[0], &gathered[0, 0, 0]
    buffers.terms, buffers.packed_terms, buffers.packed = &terms[0, 0], &packed_terms[0], &packed[0]
    buffers.slots, buffers.listed, buffers.packed_left = &slots[0, 0], &listed[0], &packed_left[0]
    buffers.left_sum, buffers.left_count, buffers.gains = &lefts[0, 0], &lefts[1, 0], &lefts[2, 0]
    buffers.left_weight = buffers.left_count if weights is None else &lefts[3, 0]
    with nogil:
        grow_nodes(
            &tree, all_rows, &near, &buffers, n_features, offsets, n_rows, missing, max_depth, min_samples_leaf,
            n_candidates, root_key, &row_codes[0, 0], <Pending*>&memory[0],
        )
    n_nodes = tree.n_nodes
    return *(array[:n_nodes].copy() for array in (*arrays, gains)), *totals[:n_nodes].T.copy()


cdef void grow_nodes(
    Deep* tree,
    Rows all_rows,
    Near* near,
    Buffers* buffers,
    Py_ssize_t n_features,
    const int64_t[::1] offsets,
    Py_ssize_t n_rows,
    const int8_t[::1] missing,
    Py_ssize_t max_depth,
    Py_ssize_t min_samples_leaf,
    Py_ssize_t n_candidates,
    uint64_t root_key,
    const code_t* row_codes,
    Pending* stack,
) noexcept nogil:
    """Grow every node of a tree, depth first."""
    cdef Py_ssize_t n_stack = 1, n_listed, n_bins, i, j, f, best_feature, place = 0, middle, number
    cdef int n_columns = 2 if all_rows.weights == NULL else 3, column
    cdef Rows here = all_rows
    cdef const code_t* codes
    cdef code_t* gathered = <code_t*>buffers.gathered
    cdef int32_t* drawn = buffers.drawn
    cdef int64_t* terms = buffers.terms
    cdef int64_t unit = 0
    cdef int count_bits = 0
    cdef bint missed
    cdef Pending node
    cdef Cut best, cut = no_cut()
    cdef const int32_t* rows = tree.rows
    gather_terms(all_rows, rows, n_rows, n_columns, terms)
    for i in range(n_rows):
        for column in range(3):
            tree.totals[column] += terms[i * n_columns + min(column, n_columns - 1)]
    tree.n_nodes = 1
    stack[0].number, stack[0].start, stack[0].stop, stack[0].depth, stack[0].key = 0, 0, n_rows, 0, root_key
    while n_stack > 0:
        n_stack -= 1
        node = stack[n_stack]
        rows, n_rows = tree.rows + node.start, node.stop - node.start
        if node.depth == max_depth or tree.totals[3 * node.number + 1] < 2 * min_samples_leaf:
            continue
        if node.start >= near.stop:  # nodes come from left to right: this one is not below the node copied last
            here = all_rows
            if n_rows <= near.room:
                bring_near(near, all_rows, tree.rows, node, n_features * sizeof(code_t))
                here = near.rows
        row_codes = <const code_t*>here.codes
        if gather_terms(here, rows, n_rows, n_columns, terms) and n_columns == 2:
            continue  # equal residuals: the gain of every cut is exactly 0
        # 1. Draw the features, and sum the node's rows in their bins.
        feature_subset(node.key, n_candidates, n_features, buffers.order, buffers.marks, drawn)
        gather_codes(row_codes, n_features, rows, n_rows, drawn, n_candidates, gathered)
        if code_t is uint8_t:
            count_bits = pack_terms(terms, n_rows, n_columns, buffers.packed_terms, &unit)
        best, best_feature = no_cut(), -1
        for j in range(n_candidates):
            f = drawn[j]
            n_bins = offsets[f + 1] - offsets[f]
            codes = gathered + (j // 8 * n_rows * 8 + j % 8)
            if count_bits > 0:
                if j % 8 == 0:
                    add_eight(codes, buffers.packed_terms, n_rows, buffers.packed)
                n_listed = list_packed(buffers.packed + j % 8 * STRIDE, n_bins, count_bits, unit, buffers)
            else:
                n_listed = sum_terms(codes, terms, n_rows, n_columns, n_bins, buffers)
            # 2. Find the best cut.
            missed = missing is not None and missing[f] and buffers.listed[n_listed - 1] == n_bins - 1
            if missed:
                cut = best_three_way(buffers, n_listed, n_bins, min_samples_leaf)
            else:
                cut = best_listed(buffers, n_listed, min_samples_leaf)
            if cut.gain > best.gain:
                best, best_feature, place = cut, f, j
        if count_bits > 0 and n_candidates % 8 != 0:  # what fills the last eight is in no list
            memset(buffers.packed + n_candidates % 8 * STRIDE, 0, (8 - n_candidates % 8) * STRIDE * sizeof(int64_t))
        if best_feature < 0:
            continue
        # 3. Part the rows. A cut three ways is two cuts: first the rows that miss the feature, then the others.
        f, n_bins, number = best_feature, offsets[best_feature + 1] - offsets[best_feature], node.number
        if missing is not None and missing[f] and best.bin < n_bins - 2:
            codes = gathered + (place // 8 * n_rows * 8 + place % 8)
            n_listed = sum_terms(codes, terms, n_rows, n_columns, n_bins, buffers)
            if buffers.listed[n_listed - 1] == n_bins - 1:
                best, cut = best_listed(buffers, n_listed - 1, min_samples_leaf), part_missing(buffers, n_listed, n_bins)
                middle = part_node(tree, number, node.start, node.stop, row_codes + f, n_features, f, cut)
                push(stack, &n_stack, tree.n_nodes - 1, middle, node.stop, node.depth + 1, draw(node.key, 1))
                number, node.stop, node.key = tree.n_nodes - 2, middle, draw(node.key, 0)
        middle = part_node(tree, number, node.start, node.stop, row_codes + f, n_features, f, best)
        push(stack, &n_stack, tree.n_nodes - 1, middle, node.stop, node.depth + 1, draw(node.key, 1))
        push(stack, &n_stack, tree.n_nodes - 2, node.start, middle, node.depth + 1, draw(node.key, 0))


cdef void bring_near(Near* near, Rows all_rows, int32_t* rows, Pending node, Py_ssize_t n_bytes) noexcept nogil:
    """Copy the rows of a node, n_bytes of codes each; renumber the rows by their places in the copy."""
    cdef Py_ssize_t i
    cdef int32_t row
    for i in range(node.stop - node.start):
        row = rows[node.start + i]
        memcpy(<uint8_t*>near.rows.codes + i * n_bytes, <uint8_t*>all_rows.codes + row * n_bytes, n_bytes)
        near.rows.integers[i], near.rows.counts[i] = all_rows.integers[row], all_rows.counts[row]
        if all_rows.weights != NULL:
            near.rows.weights[i] = all_rows.weights[row]
        rows[node.start + i] = <int32_t>i
    near.stop = node.stop


cdef bint gather_terms(
    Rows here, const int32_t* rows, Py_ssize_t n_rows, int n_columns, int64_t* terms
) noexcept nogil:
    """Gather the terms that each row of a node adds to its bins; return whether all residuals are equal."""
    cdef Py_ssize_t i
    cdef int64_t m, first = here.integers[rows[0]]
    cdef bint equal = True
    for i in range(n_rows):
        m = here.counts[rows[i]]
        equal &= here.integers[rows[i]] == first
        terms[i * n_columns] = m * here.integers[rows[i]]
        terms[i * n_columns + 1] = m
        if n_columns == 3:
            terms[i * n_columns + 2] = m * here.weights[rows[i]]
    return equal


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


cdef void add_eight(const code_t* codes, const int64_t* packed_terms, Py_ssize_t n_rows, int64_t* packed) noexcept nogil:
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


cdef Py_ssize_t list_packed(
    int64_t* packed, Py_ssize_t n_bins, int count_bits, int64_t unit, Buffers* buffers
) noexcept nogil:
    """List the bins of one feature that hold rows, and the sums up to each; return their number, and clear `packed`."""
    cdef Py_ssize_t start, bin, i, n_listed = 0
    cdef int64_t count_mask = (<int64_t>1 << count_bits) - 1, left = 0
    cdef int64_t* p
    cdef int64_t* packed_left = buffers.packed_left
    cdef double* left_sum = buffers.left_sum
    cdef double* left_count = buffers.left_count
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


cdef Py_ssize_t sum_terms(
    const code_t* codes,
    const int64_t* terms,
    Py_ssize_t n_rows,
    int n_columns,
    Py_ssize_t n_bins,
    Buffers* buffers,
) noexcept nogil:
    """Sum a node's rows in the bins of one feature; list the bins that hold rows, and the sums up to each.

    A small node marks its bins, one bit each, and never reads the others.
    """
    cdef Py_ssize_t i, bin, word, n_listed = 0
    cdef int column
    cdef uint64_t bits
    cdef int64_t left[3]
    cdef int64_t* slot
    cdef int64_t* slots = buffers.slots
    cdef uint64_t* marks = buffers.marks
    cdef int32_t* listed = buffers.listed
    cdef bint small = 2 * n_rows < n_bins
    left[0] = left[1] = left[2] = 0
    for i in range(n_rows):
        bin = codes[8 * i]
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
        buffers.left_sum[i], buffers.left_count[i] = <double>left[0], <double>left[1]
        buffers.left_weight[i] = <double>left[n_columns - 1]
    return n_listed


cdef Cut best_listed(Buffers* buffers, Py_ssize_t n_listed, Py_ssize_t min_samples_leaf) noexcept nogil:
    """Find the best cut between the first n_listed listed bins."""
    cdef Py_ssize_t i, first = 0, stop = n_listed - 1, at = -1
    cdef double least = <double>min_samples_leaf, n_left, n_right, d
    cdef const double* left_sum = buffers.left_sum
    cdef const double* left_count = buffers.left_count
    cdef const double* left_weight = buffers.left_weight
    cdef double* gains = buffers.gains
    cdef double total = left_sum[stop], n_rows = left_count[stop], n_node = left_weight[stop]
    cdef Cut best = no_cut()
    # 1. Both sides hold enough rows, and some weight (which is the count where rows have no weights).
    while first < stop and (left_count[first] < least or left_weight[first] <= 0):
        first += 1
    while first < stop and (n_rows - left_count[stop - 1] < least or n_node - left_weight[stop - 1] <= 0):
        stop -= 1
    # 2. The gain of each cut: the reduction of the sum of squared errors, never negative, 0 for equal means.
    for i in range(first, stop):  # a loop of its own: the compiler makes several divisions in one
        n_left, n_right = left_weight[i], n_node - left_weight[i]
        d = left_sum[i] / n_left - (total - left_sum[i]) / n_right
        gains[i] = d * d * (n_left * n_right / n_node)
    # 3. The best of them; ties go to the lowest bin.
    for i in range(first, stop):
        if gains[i] > best.gain:
            best.gain, at = gains[i], i
    if at >= 0:
        best.bin, best.left_sum = buffers.listed[at], <int64_t>left_sum[at]
        best.left_count, best.left_weight = <int64_t>left_count[at], <int64_t>left_weight[at]
    return best


cdef Cut best_three_way(
    Buffers* buffers, Py_ssize_t n_listed, Py_ssize_t n_bins, Py_ssize_t min_samples_leaf
) noexcept nogil:
    """Find the best cut of a feature that some rows of the node miss: those in the last listed bin."""
    cdef Py_ssize_t last = n_listed - 1
    cdef Cut parting, among = no_cut()
    if last == 0:
        return among
    cdef double present = buffers.left_count[last - 1], present_weight = buffers.left_weight[last - 1]
    cdef double missed = buffers.left_count[last] - present, missed_weight = buffers.left_weight[last] - present_weight
    if min(present, missed) < min_samples_leaf or min(present_weight, missed_weight) <= 0:
        return among
    parting, among = part_missing(buffers, n_listed, n_bins), best_listed(buffers, last, min_samples_leaf)
    if parting.gain + among.gain > parting.gain:
        among.gain = parting.gain + among.gain
        return among
    return parting


cdef Cut part_missing(Buffers* buffers, Py_ssize_t n_listed, Py_ssize_t n_bins) noexcept nogil:
    """Make the cut that parts the rows in the last listed bin from the others."""
    cdef int64_t present[3]
    cdef int64_t missed[3]
    cdef Py_ssize_t last = n_listed - 1
    cdef Cut cut
    present[0], present[1] = <int64_t>buffers.left_sum[last - 1], <int64_t>buffers.left_count[last - 1]
    present[2] = <int64_t>buffers.left_weight[last - 1]
    missed[0], missed[1] = <int64_t>buffers.left_sum[last] - present[0], <int64_t>buffers.left_count[last] - present[1]
    missed[2] = <int64_t>buffers.left_weight[last] - present[2]
    cut.gain, cut.bin = gain_of_parting(present, missed, 2), n_bins - 2
    cut.left_sum, cut.left_count, cut.left_weight = present[0], present[1], present[2]
    return cut


cdef Py_ssize_t part_node(
    Deep* tree,
    Py_ssize_t number,
    Py_ssize_t start,
    Py_ssize_t stop,
    const code_t* column_codes,
    Py_ssize_t n_features,
    Py_ssize_t f,
    Cut cut,
) noexcept nogil:
    """Make the two children of a node, each side in its order; return the start of the right one's rows."""
    cdef Py_ssize_t i, middle = start, n_right = 0, left = tree.n_nodes, column
    cdef int32_t row
    for i in range(start, stop):
        row = tree.rows[i]
        if column_codes[row * n_features] <= cut.bin:
            tree.rows[middle] = row
            middle += 1
        else:
            tree.moved[n_right] = row
            n_right += 1
    memcpy(tree.rows + middle, tree.moved, n_right * sizeof(int32_t))
    tree.feature[number], tree.bin[number], tree.gain[number] = <int32_t>f, <int32_t>cut.bin, cut.gain
    tree.left[number], tree.right[number] = <int32_t>left, <int32_t>(left + 1)
    tree.totals[3 * left], tree.totals[3 * left + 1], tree.totals[3 * left + 2] = (
        cut.left_sum, cut.left_count, cut.left_weight
    )
    for column in range(3):
        tree.totals[3 * left + 3 + column] = tree.totals[3 * number + column] - tree.totals[3 * left + column]
    tree.n_nodes += 2
    return middle


cdef inline void push(
    Pending* stack,
    Py_ssize_t* n_stack,
    Py_ssize_t number,
    Py_ssize_t start,
    Py_ssize_t stop,
    Py_ssize_t depth,
    uint64_t key,
) noexcept nogil:
    """Push a node on the stack."""
    cdef Pending* top = stack + n_stack[0]
    top.number, top.start, top.stop, top.depth, top.key = number, start, stop, depth, key
    n_stack[0] += 1
