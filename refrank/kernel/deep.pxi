"""The part of the kernel for deep trees, included by _split.pyx: `grow_deep` of refrank/trees/splitting.py.

Three things make it fast, and change no bit; `deep_bins.pxi`, for the bins of one node, has more:
- the codes of a row lie side by side: a node of few rows reads a few cache lines per row, not one per row and feature;
- a node small enough for a core's own cache is copied once, and all nodes below it work on the copy, so that threads do
  not wait for each other;
- no cut gains more than one whose sides have equal residuals each, and ties go to the lowest feature: the features after
  it are not tried. Many nodes of a full tree end so.
"""

include "deep_bins.pxi"

cdef uint64_t GOLDEN = 0x9E3779B97F4A7C15
cdef Py_ssize_t CHILDREN = 2

# Bytes of codes of the rows that are copied into a core's own cache, where threads do not wait for each other.
cdef Py_ssize_t NEAR_BYTES = 1 << 19

# Rows of a node that is asked whether its residuals are two numbers: a cut of more seldom leaves equal ones on each side.
cdef Py_ssize_t SOON_EVEN = 32


cdef inline uint64_t draw(uint64_t key, uint64_t i) noexcept nogil:
    """Compute refrank.trees.numbers.draws.draw."""
    cdef uint64_t z = key + (i + 1) * GOLDEN
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline uint64_t below(uint64_t bits, uint64_t n) noexcept nogil:
    """Compute refrank.trees.numbers.draws.below, for n < 2**32."""
    return ((bits >> 32) * n + ((bits & <uint64_t>0xFFFFFFFF) * n >> 32)) >> 32


cdef void feature_subset(
    uint64_t key, Py_ssize_t n_candidates, Py_ssize_t n_features, int32_t* order, uint64_t* marks, int32_t* drawn
) noexcept nogil:
    """Compute refrank.trees.numbers.draws.feature_subset: `drawn`, (n_candidates,), ascending.

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
    for word in range((n_features + 63) // 64):  # sorts them: faster than comparing
        bits = marks[word]
        while bits:
            drawn[n_drawn] = <int32_t>(word * 64 + lowest_bit(bits))
            n_drawn += 1
            bits &= bits - 1
        marks[word] = 0


cdef struct Pending:
    Py_ssize_t number, start, stop, depth
    uint64_t key


cdef struct Rows:  # the arrays that hold the rows of a node
    void* codes  # (n_rows, n_features) code_t
    int64_t* integers
    int64_t* counts
    int64_t* weights  # NULL where all rows weigh the same


cdef struct Near:  # a copy of the rows of one small node, on which all nodes below it work
    Rows rows
    Py_ssize_t room  # number of rows that fit
    Py_ssize_t stop  # end of that node's rows in Deep.rows


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
    all_rows.codes = <void*>&row_codes[0, 0]
    all_rows.integers, all_rows.counts = <int64_t*>&integers[0], <int64_t*>&counts[0]
    near.rows.codes, near.rows.integers, near.rows.counts = &near_codes[0, 0], &near_terms[0, 0], &near_terms[1, 0]
    all_rows.weights = near.rows.weights = NULL
    if weights is not None:
        all_rows.weights, near.rows.weights = <int64_t*>&weights[0], &near_terms[2, 0]
    tree.feature, tree.bin, tree.left, tree.right = &feature[0], &bin[0], &left[0], &right[0]
    tree.gain, tree.totals, tree.rows, tree.moved = &gain[0], &total[0, 0], &own_rows[0], &moved[0]
    buffers.order, buffers.drawn, buffers.marks, buffers.gathered = &order[0], &drawn[0], &marks[0], &gathered[0, 0, 0]
    buffers.terms, buffers.packed_terms, buffers.packed = &terms[0, 0], &packed_terms[0], &packed[0]
    buffers.slots, buffers.listed, buffers.packed_left = &slots[0, 0], &listed[0], &packed_left[0]
    buffers.left = left_sides(&lefts[0, 0], widest, n_columns)
    buffers.left.bins = buffers.listed
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
    cdef Py_ssize_t n_stack = 1, n_listed, n_bins, n_tried = 0, i, j, f, middle, number
    cdef int n_columns = 2 if all_rows.weights == NULL else 3, column
    cdef Rows here = all_rows
    cdef const code_t* codes
    cdef code_t* gathered = <code_t*>buffers.gathered
    cdef int32_t* drawn = buffers.drawn
    cdef int64_t* terms = buffers.terms
    cdef int64_t unit = 0
    cdef int64_t residuals[2]
    cdef int count_bits = 0
    cdef bint missed, two
    cdef Pending node
    cdef Cut best, parting
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
        two = n_columns == 2 and n_rows <= SOON_EVEN and find_two_residuals(here, rows, n_rows, residuals)
        # 1. Draw the features, and sum the node's rows in their bins.
        feature_subset(node.key, n_candidates, n_features, buffers.order, buffers.marks, drawn)
        gather_codes(row_codes, n_features, rows, n_rows, drawn, n_candidates, gathered)
        if code_t is uint8_t:
            count_bits = pack_terms(terms, n_rows, n_columns, buffers.packed_terms, &unit)
        best = no_cut()
        for j in range(n_candidates):
            f = drawn[j]
            n_bins = offsets[f + 1] - offsets[f]
            codes = gathered + (j // 8 * n_rows * 8 + j % 8)
            if count_bits > 0:
                if j % 8 == 0:
                    add_eight(codes, buffers.packed_terms, n_rows, buffers.packed)
                n_listed = list_packed(buffers.packed + j % 8 * STRIDE, n_bins, count_bits, unit, buffers)
            else:
                n_listed = sum_node(codes, terms, n_rows, n_columns, n_bins, buffers)
            # 2. Find the best cut.
            missed = missing is not None and missing[f] and buffers.listed[n_listed - 1] == n_bins - 1
            if missed:
                best_three_way(&buffers.left, n_listed, n_bins, min_samples_leaf, missing[f], j, &best)
            else:
                best_two_way(&buffers.left, n_listed, min_samples_leaf, j, &best)
            n_tried = j + 1
            if two and has_even_sides(&best, residuals):
                break
        if count_bits > 0 and n_tried % 8 != 0:
            clear_rest(gathered + n_tried // 8 * n_rows * 8, n_rows, n_tried % 8, buffers.packed)
        if best.feature < 0:
            continue
        # 3. Part the rows. A cut three ways is two cuts: first the rows that miss the feature, then the others.
        j, number = best.feature, node.number
        f = drawn[j]
        n_bins = offsets[f + 1] - offsets[f]
        if missing is not None and missing[f] and best.bin < n_bins - 2:
            codes = gathered + (j // 8 * n_rows * 8 + j % 8)
            n_listed = sum_node(codes, terms, n_rows, n_columns, n_bins, buffers)
            if buffers.listed[n_listed - 1] == n_bins - 1:
                best = no_cut()
                best_two_way(&buffers.left, n_listed - 1, min_samples_leaf, j, &best)
                parting = part_missing(&buffers.left, n_listed, n_bins, j)
                middle = part_node(tree, number, node.start, node.stop, row_codes + f, n_features, f, &parting)
                push(stack, &n_stack, tree.n_nodes - 1, middle, node.stop, node.depth + 1, draw(node.key, 1))
                number, node.stop, node.key = tree.n_nodes - 2, middle, draw(node.key, 0)
        middle = part_node(tree, number, node.start, node.stop, row_codes + f, n_features, f, &best)
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


cdef inline bint find_two_residuals(
    Rows here, const int32_t* rows, Py_ssize_t n_rows, int64_t* residuals
) noexcept nogil:
    """Whether the residuals of a node's rows are two numbers, or one; write them."""
    cdef Py_ssize_t i
    cdef int64_t residual
    cdef bint more = False
    residuals[0] = residuals[1] = here.integers[rows[0]]
    for i in range(n_rows):
        residual = here.integers[rows[i]]
        residuals[1] = residual if residuals[1] == residuals[0] else residuals[1]
        more |= (residual != residuals[0]) & (residual != residuals[1])
    return not more


cdef Py_ssize_t part_node(
    Deep* tree,
    Py_ssize_t number,
    Py_ssize_t start,
    Py_ssize_t stop,
    const code_t* column_codes,
    Py_ssize_t n_features,
    Py_ssize_t f,
    const Cut* cut,
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
        cut.sum[0], cut.left_count, cut.weight[0]
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
