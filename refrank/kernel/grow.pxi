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
    int n_columns  # of a histogram
    Py_ssize_t n_values
    int64_t* root_sums  # the histogram of the root
    int64_t* spare  # a histogram that is free, and holds the address of the next one
    int64_t* batch  # memory of several histograms, after the address of the batch before it
    bint is_out_of_memory
    const int64_t* integers
    const int64_t* weights  # NULL where all rows weigh the same
    int32_t* rows
    # memory of the functions that work on a node
    int32_t* moved
    int64_t* went_left
    int64_t* terms
    int64_t* parts
    double* lefts
    Py_ssize_t widest
    Cut* cuts


cdef struct Limits:
    Py_ssize_t n_leaves, max_depth  # -1: no limit
    Py_ssize_t min_samples_leaf
    Py_ssize_t most_held  # histograms that wait


def grow_trees(
    const code_t[:, :, ::1] codes,
    const int64_t[::1] offsets,
    roots,
    Py_ssize_t n_leaves,
    Py_ssize_t max_depth,
    Py_ssize_t min_samples_leaf,
    Py_ssize_t most_held,
    int n_threads,
):
    """Grow the trees of roots, (sums, integers, weights) each; cuts go two ways, and a limit of -1 is none.

    As many trees as there are threads grow side by side, and those left over one after the other, on all threads. The
    sums are overwritten. Returns, for each tree, the rows, leaf after leaf, and (feature, bin, left, split_gain, start,
    count, residual_sum, weight_sum) of its nodes.
    """
    cdef Py_ssize_t n_trees = len(roots), k
    cdef Py_ssize_t n_together = n_trees - n_trees % n_threads if n_threads > 1 else 0
    cdef const int32_t[::1] features = np.arange(offsets.shape[0] - 1, dtype=np.int32)
    cdef uint8_t[::1] memory = np.zeros(max(<Py_ssize_t>1, n_trees) * sizeof(Sprouts), np.uint8)
    cdef Sprouts* trees = <Sprouts*>&memory[0]
    cdef Limits limits
    limits.n_leaves, limits.max_depth = n_leaves, max_depth
    limits.min_samples_leaf, limits.most_held = min_samples_leaf, most_held
    alive = [plant(root, codes, offsets, features, 1 if k < n_together else n_threads, trees + k) for k, root in enumerate(roots)]
    try:
        with nogil:
            for k in prange(n_together, schedule="dynamic", num_threads=n_threads):
                grow_sprouts(codes, offsets, features, limits, 1, trees + k)
            for k in range(n_together, n_trees):
                grow_sprouts(codes, offsets, features, limits, n_threads, trees + k)
        return [(alive[k][0], *list_sprouts(trees + k)) for k in range(n_trees)]
    finally:
        for k in range(n_trees):
            fell(trees + k)


cdef list plant(
    root,
    const code_t[:, :, ::1] codes,
    const int64_t[::1] offsets,
    const int32_t[::1] features,
    int n_threads,
    Sprouts* tree,
):
    """Set a tree up; return its rows, and the other arrays that it refers to."""
    cdef int64_t[:, ::1] root_sums = root[0]
    cdef const int64_t[::1] integers = root[1], weights = root[2]
    cdef Py_ssize_t n_rows = codes.shape[1], n_columns = root_sums.shape[1]
    cdef Shared shared = share_out(codes, offsets, n_rows, n_threads)
    tree.widest = find_widest(offsets, features)
    arrays = [
        np.arange(n_rows, dtype=np.int32),
        np.empty(n_rows, np.int32),
        np.empty(n_threads, np.int64),
        np.empty(n_rows * (n_columns - 1), np.int64),
        np.empty(shared.n_parts * shared.n_slots * n_columns + 1, np.int64),
        np.empty(n_threads * 4 * tree.widest),
        np.empty(2 * n_threads * sizeof(Cut), np.uint8),
        root,
    ]
    cdef int32_t[::1] rows = arrays[0], moved = arrays[1]
    cdef int64_t[::1] went_left = arrays[2], terms = arrays[3], parts = arrays[4]
    cdef double[::1] lefts = arrays[5]
    cdef uint8_t[::1] cuts = arrays[6]
    tree.root_sums, tree.n_values, tree.n_columns = &root_sums[0, 0], root_sums.shape[0] * n_columns, <int>n_columns
    tree.integers, tree.weights = &integers[0], NULL if weights is None else &weights[0]
    tree.rows, tree.moved, tree.went_left, tree.terms = &rows[0], &moved[0], &went_left[0], &terms[0]
    tree.parts, tree.lefts, tree.cuts = &parts[0], &lefts[0], <Cut*>&cuts[0]
    return arrays


cdef list_sprouts(const Sprouts* tree):
    """List the fields of the nodes, (n_nodes,) each."""
    cdef Py_ssize_t i, n = tree.n_nodes
    cdef const Sprout* node
    if tree.is_out_of_memory:
        raise MemoryError("there is no memory for the histograms of a tree")
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
    const int32_t[::1] features,
    Limits limits,
    int n_threads,
    Sprouts* tree,
) noexcept nogil:
    """Grow the nodes of a tree: best first with a number of leaves, else left before right."""
    cdef Py_ssize_t first = 0, n_children = 1, child, number, slot, small, large
    cdef int64_t* sums = tree.root_sums  # of the node cut last; its largest child overwrites them
    cdef Sprout* node
    if not make_room(tree):
        return
    node = tree.nodes
    memset(node, 0, sizeof(Sprout))
    node.stop = codes.shape[1]
    for slot in range(offsets[1]):  # every row is in a bin of the first feature
        node.residual_sum += sums[slot * tree.n_columns]
        node.weight_sum += sums[(slot + 1) * tree.n_columns - 1]
    tree.n_nodes = 1
    # McRank Alg. 1, line 5: "J-terminal node regression tree"
    while (tree.n_nodes + 1) // 2 != limits.n_leaves:
        # iGBRT Eq. 1: "the maximum depth of the resulting tree"
        if tree.nodes[first].depth == limits.max_depth:
            release(tree, sums)
        else:
            small, large = -1, first
            if n_children == 2:
                small = first + (count_rows(tree, first) > count_rows(tree, first + 1))
                large = 2 * first + 1 - small
                tree.nodes[small].sums = sum_sprout(codes, offsets, n_threads, tree, small)
            tree.nodes[large].sums = sums
            if tree.is_out_of_memory:
                return
            find_cuts(
                offsets, features, limits.min_samples_leaf, n_threads, tree, tree.nodes + large,
                NULL if small < 0 else tree.nodes + small,
            )
            for child in range(first + n_children - 1, first - 1, -1):
                node = tree.nodes + child
                if node.cut.feature >= 0:
                    tree.waiting[tree.n_waiting] = child
                    tree.n_waiting += 1
                if node.cut.feature >= 0 and tree.n_held < limits.most_held:
                    tree.n_held += 1
                else:
                    release(tree, node.sums)
                    node.sums = NULL
        if tree.n_waiting == 0:
            return
        number = take_next(tree, limits.n_leaves >= 0)
        if tree.nodes[number].sums == NULL:
            sums = sum_sprout(codes, offsets, n_threads, tree, number)
        else:
            sums, tree.nodes[number].sums = tree.nodes[number].sums, NULL
            tree.n_held -= 1
        first, n_children = tree.n_nodes, 2
        if tree.is_out_of_memory or not make_room(tree):
            return
        cut_sprout(codes, tree, number, n_threads)
    release(tree, sums)


cdef inline Py_ssize_t count_rows(const Sprouts* tree, Py_ssize_t number) noexcept nogil:
    return tree.nodes[number].stop - tree.nodes[number].start


cdef int64_t* sum_sprout(
    const code_t[:, :, ::1] codes,
    const int64_t[::1] offsets,
    int n_threads,
    Sprouts* tree,
    Py_ssize_t number,
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
            codes, offsets, tree.rows + tree.nodes[number].start, n_rows, tree.integers, tree.weights,
            share_out(codes, offsets, n_rows, n_threads), n_threads, tree.terms, tree.parts, sums,
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


cdef void fell(Sprouts* tree) noexcept nogil:
    """Free what was allocated for the nodes of a tree."""
    cdef int64_t* batch
    while tree.batch != NULL:
        batch = tree.batch
        tree.batch = (<int64_t**>batch)[0]
        free(batch)
    free(tree.nodes)
    free(tree.waiting)


cdef void find_cuts(
    const int64_t[::1] offsets,
    const int32_t[::1] features,
    Py_ssize_t min_samples_leaf,
    int n_threads,
    const Sprouts* tree,
    Sprout* large,
    Sprout* small,
) noexcept nogil:
    """Find the best cuts of a node and of its smaller sibling, if there is one, whose sums are taken off the node's."""
    cdef Py_ssize_t part, n_features = features.shape[0]
    cdef int n_parts = n_threads if 2 * offsets[n_features] > WORTH_THREADS // 4 else 1
    for part in prange(n_parts, schedule="static", num_threads=n_parts):
        find_cuts_of_part(
            offsets, features, tree.n_columns, n_features * part // n_parts, n_features * (part + 1) // n_parts,
            min_samples_leaf, large, small, tree.cuts + 2 * part,
            left_sides(tree.lefts + part * 4 * tree.widest, tree.widest, tree.n_columns),
        )
    for part in range(1, n_parts):
        raise_best(&tree.cuts[2 * part], tree.cuts)
        raise_best(&tree.cuts[2 * part + 1], tree.cuts + 1)
    large.cut = tree.cuts[0]
    if small != NULL:
        small.cut = tree.cuts[1]


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


cdef Py_ssize_t take_next(Sprouts* tree, bint best_first) noexcept nogil:
    """Take the node that is cut next from those that wait."""
    cdef Py_ssize_t i, best = tree.n_waiting - 1, number
    cdef const Sprout* node
    if best_first:
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
    const code_t[:, :, ::1] codes, Sprouts* tree, Py_ssize_t number, int n_threads
) noexcept nogil:
    """Make the two children of a node."""
    cdef Sprout* node = tree.nodes + number
    cdef Sprout* left = tree.nodes + tree.n_nodes
    cdef Sprout* right = left + 1
    memset(left, 0, 2 * sizeof(Sprout))
    node.left = tree.n_nodes
    left.start, right.stop, left.depth, right.depth = node.start, node.stop, node.depth + 1, node.depth + 1
    left.stop = right.start = node.start + part_in_place(
        codes, tree.rows + node.start, node.stop - node.start, node.cut.feature, node.cut.bin, n_threads,
        tree.moved, tree.went_left,
    )
    left.residual_sum, left.weight_sum = node.cut.sum[0], node.cut.weight[0]
    right.residual_sum, right.weight_sum = node.residual_sum - left.residual_sum, node.weight_sum - left.weight_sum
    tree.n_nodes += 2
