"""The nodes of a tree that the kernel grows as a whole (grow.pxi): their memory, their histograms and their cuts.

The histogram of the larger child of a node is that of the node minus that of the other, as in
refrank/trees/growth/growing.py, and it takes its place.
"""

from libc.stdlib cimport free, malloc, realloc


cdef struct Sprout:  # a node of the growing tree
    Py_ssize_t start, stop, depth  # its rows are rows[start:stop]
    int64_t residual_sum, weight_sum
    Cut cut  # its best cut
    Py_ssize_t left  # number of its left child, which the right one follows; 0 where it is not cut
    int64_t* sums  # its histogram while it waits; NULL where no more are held


cdef struct Memory:  # of the functions that work on a node; a thread has one for all its trees
    int64_t* went_left
    int64_t* terms
    int64_t* parts
    double* lefts
    Cut* cuts
    int64_t* values  # where bins are coarse, as is the next
    Inside* inside


cdef struct Sprouts:  # the growing tree
    Sprout* nodes
    Py_ssize_t n_nodes, room
    Py_ssize_t* waiting  # numbers of the nodes that a cut improves
    Py_ssize_t n_waiting, n_held
    int n_columns  # of a histogram
    Py_ssize_t n_values
    int64_t* root_sums  # the histogram of the root
    int64_t* spare  # a histogram that is free, and holds the address of the next one
    int64_t* allocated  # the histogram allocated last, after the address of the one before it
    bint is_out_of_memory
    const int64_t* integers
    const int64_t* weights  # NULL where all rows weigh the same
    int32_t* rows
    Py_ssize_t widest
    Lists lists
    const uint16_t* columns  # (n_features, n_samples), the bins of rows where those of histograms are coarse; or NULL
    FineBins bins  # inside coarse bins
    Memory* memory


cdef struct Limits:
    Py_ssize_t n_leaves, max_depth  # -1: no limit
    Py_ssize_t min_samples_leaf
    Py_ssize_t most_held  # histograms that wait


cdef inline Py_ssize_t count_rows(const Sprouts* tree, Py_ssize_t number) noexcept nogil:
    return tree.nodes[number].stop - tree.nodes[number].start


cdef int64_t* sum_sprout(
    const uint8_t[:, :, ::1] codes,
    const int64_t[::1] offsets,
    int n_threads,
    Sprouts* tree,
    Py_ssize_t number,
) noexcept nogil:
    """Sum the rows of a node in free memory; NULL where there is none."""
    cdef Py_ssize_t n_rows = count_rows(tree, number)
    cdef const int32_t* rows = tree.rows + tree.nodes[number].start
    cdef int64_t* sums = take_spare(tree)
    if sums != NULL and tree.lists.entries != NULL:
        add_listed_node(
            tree.lists, offsets, rows, n_rows, tree.integers, tree.weights, n_threads, tree.memory.terms,
            tree.memory.parts, sums,
        )
    elif sums != NULL:
        memset(sums, 0, tree.n_values * sizeof(int64_t))
        add_node(
            codes, offsets, rows, n_rows, tree.integers, tree.weights, share_out(codes, offsets, n_rows, n_threads),
            n_threads, tree.memory.terms, tree.memory.parts, sums,
        )
    return sums


cdef inline void release(Sprouts* tree, int64_t* sums) noexcept nogil:
    """Free a histogram for the next node."""
    (<int64_t**>sums)[0] = tree.spare
    tree.spare = sums


cdef int64_t* take_spare(Sprouts* tree) noexcept nogil:
    """Take a histogram that is free, or allocate one; NULL where there is no memory."""
    cdef int64_t* sums = tree.spare
    if sums != NULL:
        tree.spare = (<int64_t**>sums)[0]
        return sums
    sums = <int64_t*>malloc((1 + tree.n_values) * sizeof(int64_t))
    tree.is_out_of_memory = sums == NULL
    if sums == NULL:
        return NULL
    (<int64_t**>sums)[0] = tree.allocated
    tree.allocated = sums
    return sums + 1


cdef void free_histograms(Sprouts* tree) noexcept nogil:
    """Free the histograms of a complete tree."""
    cdef int64_t* sums
    while tree.allocated != NULL:
        sums = tree.allocated
        tree.allocated = (<int64_t**>sums)[0]
        free(sums)


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
    if tree.columns != NULL:
        find_cuts_inside(features, min_samples_leaf, n_threads, tree, large, small)
        return
    if n_parts == 1:  # without OpenMP, see histogram.pxi
        find_cuts_of_part(
            offsets, features, tree.n_columns, 0, n_features, min_samples_leaf, large, small, tree.memory.cuts,
            left_sides(tree.memory.lefts, tree.widest, tree.n_columns),
        )
    else:
        for part in prange(n_parts, schedule="static", num_threads=n_parts):
            find_cuts_of_part(
                offsets, features, tree.n_columns, n_features * part // n_parts, n_features * (part + 1) // n_parts,
                min_samples_leaf, large, small, tree.memory.cuts + 2 * part,
                left_sides(tree.memory.lefts + part * 4 * tree.widest, tree.widest, tree.n_columns),
            )
    for part in range(1, n_parts):
        raise_best(&tree.memory.cuts[2 * part], tree.memory.cuts)
        raise_best(&tree.memory.cuts[2 * part + 1], tree.memory.cuts + 1)
    large.cut = tree.memory.cuts[0]
    if small != NULL:
        small.cut = tree.memory.cuts[1]


cdef void find_cuts_inside(
    const int32_t[::1] features,
    Py_ssize_t min_samples_leaf,
    int n_threads,
    const Sprouts* tree,
    Sprout* large,
    Sprout* small,
) noexcept nogil:
    """Do so where histograms are over coarse bins."""
    cdef Py_ssize_t i
    cdef int k, n_nodes = 0
    cdef CoarseNode nodes[2]
    cdef Cut cuts[2]
    cdef Sprout* sprouts[2]
    if small != NULL:
        for i in range(tree.n_values):
            large.sums[i] -= small.sums[i]
    for k in range(1 if small == NULL else 2):
        sprouts[n_nodes] = small if k else large
        sprouts[n_nodes].cut = no_cut()
        if sprouts[n_nodes].stop - sprouts[n_nodes].start >= 2 * min_samples_leaf:
            nodes[n_nodes] = as_coarse_node(tree, sprouts[n_nodes], n_nodes)
            n_nodes += 1
    if n_nodes > 0:
        find_inside[uint16_t](
            tree.columns, &tree.bins, nodes, n_nodes, features, min_samples_leaf, None, n_threads, tree.memory.inside,
            tree.memory.cuts, cuts,
        )
    for k in range(n_nodes):
        sprouts[k].cut = cuts[k]


cdef CoarseNode as_coarse_node(const Sprouts* tree, const Sprout* sprout, int number) noexcept nogil:
    """Make a node for `find_inside`."""
    cdef CoarseNode node
    node.sums, node.n_terms, node.number = sprout.sums, tree.n_columns, number
    node.rows, node.n_rows = tree.rows + sprout.start, sprout.stop - sprout.start
    node.integers, node.weights, node.values = tree.integers, tree.weights, tree.memory.values + sprout.start
    return node


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
    const uint8_t[:, :, ::1] codes, Sprouts* tree, Py_ssize_t number, int n_threads
) noexcept nogil:
    """Make the two children of a node."""
    cdef Sprout* node = tree.nodes + number
    cdef Sprout* left = tree.nodes + tree.n_nodes
    cdef Sprout* right = left + 1
    cdef int32_t* rows = tree.rows + node.start
    # No terms are held here, and the terms of half the rows take as many bytes as all rows.
    cdef int32_t* moved = <int32_t*>tree.memory.terms
    cdef Py_ssize_t n_rows = count_rows(tree, number), feature = node.cut.feature, n_left
    memset(left, 0, 2 * sizeof(Sprout))
    if tree.columns == NULL:
        n_left = part_in_place(
            &codes[feature // 8, 0, feature % 8], 8, rows, n_rows, node.cut.bin, n_threads, moved,
            tree.memory.went_left,
        )
    else:
        n_left = part_in_place(
            tree.columns + feature * codes.shape[1], 1, rows, n_rows, node.cut.bin, n_threads, moved,
            tree.memory.went_left,
        )
    node.left = tree.n_nodes
    left.start, right.stop, left.depth, right.depth = node.start, node.stop, node.depth + 1, node.depth + 1
    left.stop = right.start = node.start + n_left
    left.residual_sum, left.weight_sum = node.cut.sum[0], node.cut.weight[0]
    right.residual_sum, right.weight_sum = node.residual_sum - left.residual_sum, node.weight_sum - left.weight_sum
    tree.n_nodes += 2
