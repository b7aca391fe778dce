"""The part of the kernel for whole trees, included by _split.pyx: the loop of refrank/trees/growth/grower.py in one call.

On a few thousand rows, a step of Python between two functions of the kernel costs more than either of them, and trees
that grow side by side wait for each other at every step.
"""

from libc.stdlib cimport free, malloc, realloc


cdef Py_ssize_t BATCH_VALUES = 1 << 16  # of the histograms that are allocated together


cdef struct Sprout:  # a node of the growing tree
    Py_ssize_t start, stop, depth  # its rows are rows[start:stop]
    int64_t residual_sum, weight_sum
    Cut cut  # its best cut
    Py_ssize_t left  # number of its left child, which the right one follows; 0 where it is not cut
    int64_t* sums  # its histogram while it waits; NULL where no more are held


cdef struct Sprouts:  # the growing tree
    Sprout* nodes
    Py_ssize_t n_nodes, room
    Py_ssize_t* waiting  # numbers of the nodes that a cut improves
    Py_ssize_t n_waiting, n_held
    Py_ssize_t n_values  # of a histogram
    int64_t* spare  # a histogram that is free, and holds the address of the next one
    int64_t* batch  # memory of several histograms, after the address of the batch before it
    bint is_out_of_memory


cdef struct Memory:  # of the functions that work on a node
    int32_t* rows
    int32_t* moved
    int64_t* went_left
    int64_t* terms
    int64_t* parts
    double* lefts
    Py_ssize_t widest
    Cut* cuts


def grow_tree(
    const code_t[:, :, ::1] codes,
    const int64_t[::1] offsets,
    int64_t[:, ::1] root_sums,
    const int64_t[::1] integers,
    const int64_t[::1] weights,
    Py_ssize_t n_leaves,
    Py_ssize_t max_depth,
    Py_ssize_t min_samples_leaf,
    Py_ssize_t most_held,
    int n_threads,
):
    """Grow the tree of a root whose cuts go two ways; a limit of -1 is none. The histogram of the root is overwritten.

    Returns the rows, leaf after leaf, and (feature, bin, left, split_gain, start, count, residual_sum, weight_sum) of
    the nodes.
    """
    cdef Py_ssize_t n_rows = codes.shape[1], n_columns = root_sums.shape[1], i
    every, in_order = np.arange(offsets.shape[0] - 1, dtype=np.int32), np.arange(n_rows, dtype=np.int32)
    cdef const int32_t[::1] features = every
    cdef int32_t[::1] rows = in_order, moved = np.empty(n_rows, np.int32)
    cdef Shared shared = share_out(codes, offsets, n_rows, n_threads)
    cdef int64_t[::1] went_left = np.empty(n_threads, np.int64)
    cdef int64_t[:, ::1] terms = np.empty((n_rows, n_columns - 1), np.int64)
    cdef int64_t[::1] parts = np.empty(shared.n_parts * shared.n_slots * n_columns + 1, np.int64)
    cdef Memory memory
    memory.widest = find_widest(offsets, features)
    cdef double[::1] lefts = np.empty(n_threads * 4 * memory.widest)
    cdef uint8_t[::1] cuts = np.empty(2 * n_threads * sizeof(Cut), np.uint8)
    memory.rows, memory.moved, memory.went_left, memory.terms = &rows[0], &moved[0], &went_left[0], &terms[0, 0]
    memory.parts, memory.lefts, memory.cuts = &parts[0], &lefts[0], <Cut*>&cuts[0]
    cdef Sprouts tree
    memset(&tree, 0, sizeof(tree))
    tree.n_values = root_sums.shape[0] * n_columns
    try:
        with nogil:
            grow_sprouts(
                codes, offsets, root_sums, integers, weights, features, n_leaves, max_depth, min_samples_leaf,
                most_held, n_threads, &tree, memory,
            )
        if tree.is_out_of_memory:
            raise MemoryError("no memory for the histograms of a tree")
        return in_order, *list_sprouts(&tree)
    finally:
        free_batches(&tree)
        free(tree.nodes)
        free(tree.waiting)


cdef list_sprouts(const Sprouts* tree):
    """List the fields of the nodes, (n_nodes,) each."""
    cdef Py_ssize_t i, n = tree.n_nodes
    cdef const Sprout* node
    whole, totals, gains = np.empty((3, n), np.int32), np.empty((4, n), np.int64), np.empty(n)
    cdef int32_t[:, ::1] small = whole
    cdef int64_t[:, ::1] total = totals
    cdef double[::1] gain = gains
    for i in range(n):
        node = tree.nodes + i
        small[0, i], small[1, i], small[2, i], gain[i] = -1, 0, 0, 0.0
        if node.left > 0:
            small[0, i], small[1, i] = <int32_t>node.cut.feature, <int32_t>node.cut.bin
            small[2, i], gain[i] = <int32_t>node.left, node.cut.gain
        total[0, i], total[1, i] = node.start, node.stop - node.start
        total[2, i], total[3, i] = node.residual_sum, node.weight_sum
    return *whole, gains, *totals


cdef void grow_sprouts(
    const code_t[:, :, ::1] codes,
    const int64_t[::1] offsets,
    int64_t[:, ::1] root_sums,
    const int64_t[::1] integers,
    const int64_t[::1] weights,
    const int32_t[::1] features,
    Py_ssize_t n_leaves,
    Py_ssize_t max_depth,
    Py_ssize_t min_samples_leaf,
    Py_ssize_t most_held,
    int n_threads,
    Sprouts* tree,
    Memory memory,
) noexcept nogil:
    """Grow the nodes of a tree: best first with a number of leaves, else left before right."""
    cdef Py_ssize_t first = 0, n_children = 1, child, number, slot
    cdef Py_ssize_t small, large, n_columns = root_sums.shape[1]
    cdef int64_t* sums = &root_sums[0, 0]  # of the node cut last; its largest child overwrites them
    cdef Sprout* node
    if not make_room(tree):
        return
    node = tree.nodes
    memset(node, 0, sizeof(Sprout))
    node.stop = codes.shape[1]
    for slot in range(offsets[1]):  # every row is in a bin of the first feature
        node.residual_sum += root_sums[slot, 0]
        node.weight_sum += root_sums[slot, n_columns - 1]
    tree.n_nodes = 1
    # McRank Alg. 1, line 5: "J-terminal node regression tree"
    while (tree.n_nodes + 1) // 2 != n_leaves:
        # iGBRT Eq. 1: "the maximum depth of the resulting tree"
        if tree.nodes[first].depth == max_depth:
            release(tree, sums)
        else:
            small, large = -1, first
            if n_children == 2:
                small = first + (count_rows(tree, first) > count_rows(tree, first + 1))
                large = 2 * first + 1 - small
                tree.nodes[small].sums = sum_sprout(codes, offsets, integers, weights, n_threads, tree, small, memory)
            tree.nodes[large].sums = sums
            if tree.is_out_of_memory:
                return
            find_cuts(
                offsets, features, <int>n_columns, min_samples_leaf, n_threads, tree.nodes + large,
                NULL if small < 0 else tree.nodes + small, memory,
            )
            for child in range(first + n_children - 1, first - 1, -1):
                node = tree.nodes + child
                if node.cut.feature >= 0:
                    tree.waiting[tree.n_waiting] = child
                    tree.n_waiting += 1
                if node.cut.feature >= 0 and tree.n_held < most_held:
                    tree.n_held += 1
                else:
                    release(tree, node.sums)
                    node.sums = NULL
        if tree.n_waiting == 0:
            return
        number = take_next(tree, n_leaves)
        if tree.nodes[number].sums == NULL:
            sums = sum_sprout(codes, offsets, integers, weights, n_threads, tree, number, memory)
        else:
            sums, tree.nodes[number].sums = tree.nodes[number].sums, NULL
            tree.n_held -= 1
        first, n_children = tree.n_nodes, 2
        if tree.is_out_of_memory or not make_room(tree):
            return
        cut_sprout(codes, tree, number, n_threads, memory)
    release(tree, sums)


cdef inline Py_ssize_t count_rows(const Sprouts* tree, Py_ssize_t number) noexcept nogil:
    return tree.nodes[number].stop - tree.nodes[number].start


cdef int64_t* sum_sprout(
    const code_t[:, :, ::1] codes,
    const int64_t[::1] offsets,
    const int64_t[::1] integers,
    const int64_t[::1] weights,
    int n_threads,
    Sprouts* tree,
    Py_ssize_t number,
    Memory memory,
) noexcept nogil:
    """Sum the rows of a node in free memory; NULL where there is none."""
    cdef Py_ssize_t n_rows = count_rows(tree, number)
    cdef int64_t* sums
    if tree.spare == NULL:
        add_batch(tree)
    sums = tree.spare
    if sums != NULL:
        tree.spare = (<int64_t**>sums)[0]
        memset(sums, 0, tree.n_values * sizeof(int64_t))
        add_node(
            codes, offsets, memory.rows + tree.nodes[number].start, n_rows, integers, weights,
            share_out(codes, offsets, n_rows, n_threads), n_threads, memory.terms, memory.parts, sums,
        )
    return sums


cdef inline void release(Sprouts* tree, int64_t* sums) noexcept nogil:
    """Free a histogram for the next node."""
    (<int64_t**>sums)[0] = tree.spare
    tree.spare = sums


cdef void add_batch(Sprouts* tree) noexcept nogil:
    """Allocate several small histograms at a time: the system takes the memory of each back as soon as it is freed."""
    cdef Py_ssize_t i, n_together = max(<Py_ssize_t>1, BATCH_VALUES // tree.n_values)
    cdef int64_t* batch = <int64_t*>malloc((1 + n_together * tree.n_values) * sizeof(int64_t))
    tree.is_out_of_memory = batch == NULL
    if batch != NULL:
        (<int64_t**>batch)[0] = tree.batch
        tree.batch = batch
        for i in range(n_together):
            release(tree, batch + 1 + i * tree.n_values)


cdef void free_batches(Sprouts* tree) noexcept nogil:
    cdef int64_t* batch
    while tree.batch != NULL:
        batch = tree.batch
        tree.batch = (<int64_t**>batch)[0]
        free(batch)


cdef void find_cuts(
    const int64_t[::1] offsets,
    const int32_t[::1] features,
    int n_columns,
    Py_ssize_t min_samples_leaf,
    int n_threads,
    Sprout* large,
    Sprout* small,
    Memory memory,
) noexcept nogil:
    """Find the best cuts of a node and of its smaller sibling, if there is one, whose sums are taken off the node's."""
    cdef Py_ssize_t part, n_features = features.shape[0]
    cdef int n_parts = n_threads if 2 * offsets[n_features] > WORTH_THREADS // 4 else 1
    for part in prange(n_parts, schedule="static", num_threads=n_parts):
        find_cuts_of_part(
            offsets, features, n_columns, n_features * part // n_parts, n_features * (part + 1) // n_parts,
            min_samples_leaf, large, small, memory.cuts + 2 * part,
            left_sides(memory.lefts + part * 4 * memory.widest, memory.widest, n_columns),
        )
    for part in range(1, n_parts):
        raise_best(&memory.cuts[2 * part], memory.cuts)
        raise_best(&memory.cuts[2 * part + 1], memory.cuts + 1)
    large.cut = memory.cuts[0]
    if small != NULL:
        small.cut = memory.cuts[1]


cdef void find_cuts_of_part(
    const int64_t[::1] offsets,
    const int32_t[::1] features,
    int n_columns,
    Py_ssize_t first,
    Py_ssize_t end,
    Py_ssize_t min_samples_leaf,
    Sprout* large,
    const Sprout* small,
    Cut* cuts,
    LeftSides left,
) noexcept nogil:
    """Do so for features[first:end]."""
    cdef Py_ssize_t i
    cdef int64_t* sums = large.sums
    cuts[0] = cuts[1] = no_cut()
    if small != NULL:
        for i in range(offsets[first] * n_columns, offsets[end] * n_columns):
            sums[i] -= small.sums[i]
        if small.stop - small.start >= 2 * min_samples_leaf:
            cuts[1] = best_of_features(
                small.sums, n_columns, offsets, features, first, end, min_samples_leaf, None, left
            )
    if large.stop - large.start >= 2 * min_samples_leaf:
        cuts[0] = best_of_features(sums, n_columns, offsets, features, first, end, min_samples_leaf, None, left)


cdef Py_ssize_t take_next(Sprouts* tree, Py_ssize_t n_leaves) noexcept nogil:
    """Take the node that is cut next from those that wait."""
    cdef Py_ssize_t i, best = tree.n_waiting - 1, number
    cdef const Sprout* node
    if n_leaves >= 0:
        # Paper is silent: which node is cut next. The one whose cut gains most; ties go to the node made first.
        for i in range(tree.n_waiting):
            node, number = tree.nodes + tree.waiting[i], tree.waiting[best]
            if node.cut.gain > tree.nodes[number].cut.gain or (
                node.cut.gain == tree.nodes[number].cut.gain and tree.waiting[i] < number
            ):
                best = i
    number = tree.waiting[best]
    tree.n_waiting -= 1
    tree.waiting[best] = tree.waiting[tree.n_waiting]
    return number


cdef bint make_room(Sprouts* tree) noexcept nogil:
    """Make room for two more nodes; return whether there is memory for them."""
    cdef void* nodes
    cdef void* waiting
    if tree.n_nodes + 2 <= tree.room:
        return True
    tree.room = 2 * tree.room + 32
    nodes = realloc(tree.nodes, tree.room * sizeof(Sprout))
    tree.nodes = <Sprout*>nodes if nodes != NULL else tree.nodes
    waiting = realloc(tree.waiting, tree.room * sizeof(Py_ssize_t))
    tree.waiting = <Py_ssize_t*>waiting if waiting != NULL else tree.waiting
    tree.is_out_of_memory = nodes == NULL or waiting == NULL
    return not tree.is_out_of_memory


cdef void cut_sprout(
    const code_t[:, :, ::1] codes, Sprouts* tree, Py_ssize_t number, int n_threads, Memory memory
) noexcept nogil:
    """Make the two children of a node."""
    cdef Sprout* node = tree.nodes + number
    cdef Sprout* left = tree.nodes + tree.n_nodes
    cdef Sprout* right = left + 1
    memset(left, 0, 2 * sizeof(Sprout))
    node.left = tree.n_nodes
    left.start, right.stop, left.depth, right.depth = node.start, node.stop, node.depth + 1, node.depth + 1
    left.stop = right.start = node.start + part_in_place(
        codes, memory.rows + node.start, node.stop - node.start, node.cut.feature, node.cut.bin, n_threads,
        memory.moved, memory.went_left,
    )
    left.residual_sum, left.weight_sum = node.cut.sum[0], node.cut.weight[0]
    right.residual_sum, right.weight_sum = node.residual_sum - left.residual_sum, node.weight_sum - left.weight_sum
    tree.n_nodes += 2
