"""The part of the kernel for whole trees, included by _split.pyx: the loop of refrank/trees/growth/grower.py in one call.

On a few thousand rows, a step of Python between two functions of the kernel costs more than either of them, and trees
that grow side by side wait for each other at every step.
"""

include "sprouts.pxi"


def grow_trees(
    const uint8_t[:, :, ::1] codes,
    const int64_t[::1] offsets,
    lists,
    fine,
    roots,
    Py_ssize_t n_leaves,
    Py_ssize_t max_depth,
    Py_ssize_t min_samples_leaf,
    Py_ssize_t most_held,
    int n_threads,
):
    """Grow the trees of roots, (sums, integers, weights) each; cuts go two ways, and a limit of -1 is none.

    `lists` are those of `list_entries` with the most frequent bins, or None. Where the bins are coarse, `fine` has the
    bins inside them: column_codes, offsets and ends, as in `best_split_inside`; else it is None.

    As many trees as there are threads grow side by side, and those left over one after the other, on all threads. The
    sums are overwritten. Returns, for each tree, the rows, leaf after leaf, and (feature, bin, left, split_gain, start,
    count, residual_sum, weight_sum) of its nodes.
    """
    cdef Py_ssize_t n_trees = len(roots), k, n_together = n_trees - n_trees % n_threads if n_threads > 1 else 0
    cdef const int32_t[::1] features = np.arange(offsets.shape[0] - 1, dtype=np.int32)
    cdef Limits limits
    limits.n_leaves, limits.max_depth = n_leaves, max_depth
    limits.min_samples_leaf, limits.most_held = min_samples_leaf, most_held
    cdef int n_workers = min(n_threads, max(<Py_ssize_t>1, n_together)), worker
    cdef uint8_t[::1] of_trees = np.zeros(n_trees * sizeof(Sprouts), np.uint8)
    cdef uint8_t[::1] of_workers = np.zeros(n_workers * sizeof(Memory), np.uint8)
    cdef Sprouts* trees = <Sprouts*>&of_trees[0]
    cdef Memory* memory = <Memory*>&of_workers[0]
    n_columns, widest = roots[0][0].shape[1], find_widest(offsets, features)
    # Of two children, the smaller is summed; where not all that wait keep their histograms, any node may be.
    n_summed = (codes.shape[1] + 1) // 2 if 0 <= n_leaves <= most_held else codes.shape[1]
    alive = [
        # only the first worker grows trees on all threads: those left over
        allocate(
            codes, offsets, lists is not None, fine, n_summed, n_columns, widest,
            1 if worker > 0 or n_together == n_trees else n_threads, memory + worker,
        )
        for worker in range(n_workers)
    ]
    rows = [plant(root, offsets, lists, fine, codes.shape[1], widest, trees + k) for k, root in enumerate(roots)]
    try:
        with nogil:
            for k in prange(n_together, schedule="dynamic", num_threads=n_workers):
                trees[k].memory = memory + threadid()
                grow_sprouts(codes, offsets, features, limits, 1, trees + k)
                free_histograms(trees + k)
            for k in range(n_together, n_trees):
                trees[k].memory = memory
                grow_sprouts(codes, offsets, features, limits, n_threads, trees + k)
                free_histograms(trees + k)
        return [(rows[k], *list_sprouts(trees + k)) for k in range(n_trees)]
    finally:
        for k in range(n_trees):
            free(trees[k].nodes)
            free(trees[k].waiting)


cdef list allocate(
    const uint8_t[:, :, ::1] codes,
    const int64_t[::1] offsets,
    bint are_listed,
    fine,
    Py_ssize_t n_summed,
    Py_ssize_t n_columns,
    Py_ssize_t widest,
    int n_threads,
    Memory* memory,
):
    """Allocate the memory of a worker; it lasts as long as the arrays that are returned."""
    cdef Py_ssize_t n_rows = codes.shape[1], n_features = offsets.shape[0] - 1
    cdef Shared shared = share_out(codes, offsets, n_rows, n_threads)
    cdef int64_t[::1] went_left = np.empty(n_threads, np.int64), terms = np.empty(n_summed * (n_columns - 1), np.int64)
    cdef Py_ssize_t n_values = shared.n_parts * shared.n_slots * n_columns + 1
    if are_listed:
        n_values = n_threads * count_values(offsets[n_features], n_columns)
    cdef int64_t[::1] parts = np.empty(n_values, np.int64)
    cdef double[::1] lefts = np.empty(n_threads * 4 * widest)
    cdef uint8_t[::1] cuts = np.empty(2 * max(<Py_ssize_t>n_threads, n_features) * sizeof(Cut), np.uint8)
    cdef int64_t[::1] values = np.empty(n_rows if fine else 1, np.int64)
    cdef uint8_t[::1] buffers = np.empty(n_threads * sizeof(Inside) if fine else 1, np.uint8)
    memory.went_left, memory.terms, memory.parts = &went_left[0], &terms[0], &parts[0]
    memory.lefts, memory.cuts, memory.values, memory.inside = &lefts[0], <Cut*>&cuts[0], &values[0], <Inside*>&buffers[0]
    alive = [went_left, terms, parts, lefts, cuts, values, buffers]
    return alive + (allocate_inside(n_threads, np.diff(fine[1]).max(), n_columns, n_rows, memory.inside) if fine else [])


cdef plant(
    root, const int64_t[::1] coarse_offsets, lists, fine, Py_ssize_t n_rows, Py_ssize_t widest, Sprouts* tree
):
    """Set a tree up; return its rows."""
    cdef const uint16_t[:, ::1] columns
    cdef const int64_t[::1] offsets, ends
    in_order = np.arange(n_rows, dtype=np.int32)
    cdef int32_t[::1] rows = in_order
    cdef int64_t[:, ::1] root_sums = root[0]
    cdef const int64_t[::1] integers = root[1], weights = root[2]
    tree.root_sums, tree.n_columns, tree.n_values = &root_sums[0, 0], <int>root_sums.shape[1], root_sums.size
    tree.integers, tree.weights = &integers[0], NULL if weights is None else &weights[0]
    tree.rows, tree.widest = &rows[0], widest
    if lists is not None:
        tree.lists = make_lists(lists[0], lists[1], lists[2])
    if fine is not None:
        columns, offsets, ends = fine
        tree.columns = &columns[0, 0]
        tree.bins.coarse_offsets, tree.bins.offsets, tree.bins.ends = &coarse_offsets[0], &offsets[0], &ends[0]
        tree.bins.n_samples = n_rows
    return in_order


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
    const uint8_t[:, :, ::1] codes,
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
