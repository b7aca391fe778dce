"""The part of the kernel for prediction, included by _split.pyx: `add_trees` of refrank/trees/splitting.py.

A block of rows goes through all trees while it stays in a core's cache. In a small tree, each node answers for all rows
of the block at once, from the last node to the root: its answer for a row is the number of the leaf that the row would
reach from it. The answer of a leaf is its own number. That of a cut is the answer of its right child for a row whose
code is above the cut's bin, and that of its left child for the others. For a tree with the leaves 1, 3 and 4:

    row                                                a  b  c
    code of feature 0                                  0  2  1
    code of feature 2                                  5  4  3
    node 2: code of feature 0 > 1 ? leaf 4 : leaf 3    3  4  3
    node 0: code of feature 2 > 3 ? node 2 : leaf 1    3  4  1

This compares a row with every cut, not only with those on its path, but no comparison waits for another or for a
branch: the compiler makes instructions on sixteen rows of them. The codes come from the sorted cuts of all small trees,
once per block: the code of x is the number of its feature's cuts that are at most x, and the bin of a cut is the number
of smaller ones, so that x < cut if and only if code <= bin. In a larger tree, each row walks.
"""

cimport cython

cdef enum:
    BLOCK_ROWS = 256
    FEW_TREES = 32  # with fewer small trees, rows walk
    SMALL_TREE = 255  # nodes of the largest tree whose nodes all answer; in a larger one, paths are much shorter

ctypedef fused label_t:  # holds codes, bins and answers
    uint8_t
    int32_t

cdef struct Choice:  # a cut of a small tree; all but the bin are columns of a block's table
    int32_t answer, code, bin, left, right


@cython.auto_pickle(False)
cdef class SmallTrees:
    """The cuts of the small trees, with what turns a block's rows into a table of labels, (n_columns, BLOCK_ROWS).

    Its columns: each node number k, filled with k, as a leaf's answer; the answers of the nodes; the codes of features.
    """

    cdef Py_ssize_t n_nodes  # of the largest
    cdef int32_t[:, ::1] choices  # a Choice each, node after node
    cdef int64_t[::1] starts  # (n_trees + 1,): tree t has choices[starts[t]:starts[t + 1]]
    cdef int32_t[::1] features  # those that are cut on, ascending
    cdef double[::1] edges  # the distinct cuts of these features, ascending in each
    cdef int64_t[::1] first  # (n_features + 1,): the edges of feature j are edges[first[j]:first[j + 1]]

    def __init__(self, roots, feature, cut, left, right):
        ends = np.append(roots, len(feature))
        sizes = np.diff(ends)
        is_small = sizes <= SMALL_TREE
        nodes = np.flatnonzero((feature >= 0) & np.repeat(is_small, sizes))
        order = np.lexsort((cut[nodes], feature[nodes]))
        features, edges = feature[nodes[order]], cut[nodes[order]]
        new_feature = features != np.append(-1, features)[: len(nodes)]
        new_edge = new_feature | (edges != np.append(0.0, edges)[: len(nodes)])
        place, column = np.cumsum(new_edge, dtype=np.int64) - 1, np.cumsum(new_feature) - 1
        first = np.append(place[new_feature], np.count_nonzero(new_edge))
        self.n_nodes = n = sizes.max(initial=0, where=is_small)
        self.starts = np.searchsorted(nodes, ends).astype(np.int64)
        self.features, self.edges, self.first = features[new_feature], edges[new_edge], first
        root = np.repeat(roots, sizes)[nodes]
        choices = np.empty((len(nodes), 5), np.int32)
        choices[:, 0] = n + nodes - root
        choices[order, 1] = 2 * n + column
        choices[order, 2] = place - first[column]
        for side, child in ((3, left[nodes]), (4, right[nodes])):
            choices[:, side] = child + n * (feature[root + child] >= 0)
        self.choices = choices

    cdef tables(self, int n_threads):
        """Allocate a table per thread, of bytes where all codes fit."""
        n_columns = 2 * self.n_nodes + len(self.features) + 1
        label = np.uint8 if np.diff(self.first).max(initial=0) <= 255 else np.int32
        tables = np.zeros((n_threads, n_columns, BLOCK_ROWS), label)
        tables[:, : self.n_nodes] = np.arange(self.n_nodes)[:, None]
        return tables


def add_trees(
    const real_t[:, :] X,
    const int64_t[::1] roots,
    const int32_t[::1] feature,
    const double[::1] cut,
    const int32_t[::1] left,
    const int32_t[::1] right,
    const double[::1] value,
    double[::1] scores,
    int n_threads,
):
    cdef Py_ssize_t n_samples = X.shape[0], n_trees = roots.shape[0], part, start, tree
    n_small = np.count_nonzero(np.diff(roots, append=feature.shape[0]) <= SMALL_TREE)
    # Few rows or small trees do not pay for sorted cuts and codes; and a cut that is NaN has no place among them.
    if n_samples < BLOCK_ROWS or n_small < FEW_TREES or np.isnan(cut).any():
        for start in prange(0, n_samples, BLOCK_ROWS, nogil=True, schedule="static", num_threads=n_threads):
            for tree in range(n_trees):
                walk(X, start, roots[tree], feature, cut, left, right, value, scores)
        return
    cdef SmallTrees small = SmallTrees(
        np.asarray(roots), np.asarray(feature), np.asarray(cut), np.asarray(left), np.asarray(right)
    )
    tables = small.tables(n_threads)
    cdef uint8_t[:, :, ::1] bytes
    cdef int32_t[:, :, ::1] words
    if tables.dtype == np.uint8:
        bytes = tables
        for part in prange(n_threads, nogil=True, schedule="static", num_threads=n_threads):
            add_part(part, n_threads, X, roots, feature, cut, left, right, value, scores, small, &bytes[part, 0, 0])
    else:
        words = tables
        for part in prange(n_threads, nogil=True, schedule="static", num_threads=n_threads):
            add_part(part, n_threads, X, roots, feature, cut, left, right, value, scores, small, &words[part, 0, 0])


cdef void add_part(
    Py_ssize_t part,
    Py_ssize_t n_parts,
    const real_t[:, :] X,
    const int64_t[::1] roots,
    const int32_t[::1] feature,
    const double[::1] cut,
    const int32_t[::1] left,
    const int32_t[::1] right,
    const double[::1] value,
    double[::1] scores,
    SmallTrees small,
    label_t* table,
) noexcept nogil:
    """Send one of n_parts parts of the rows down all trees."""
    cdef Py_ssize_t n_samples = X.shape[0], n_blocks = (n_samples + BLOCK_ROWS - 1) // BLOCK_ROWS
    cdef Py_ssize_t block, start, n_rows, tree, i
    cdef const label_t* answer
    cdef const double* values
    cdef const Choice* choices = <const Choice*>&small.choices[0, 0]
    for block in range(n_blocks * part // n_parts, n_blocks * (part + 1) // n_parts):
        start, n_rows = block * BLOCK_ROWS, min(n_samples - block * BLOCK_ROWS, <Py_ssize_t>BLOCK_ROWS)
        encode(X, start, small, table)
        for tree in range(roots.shape[0]):
            if small.starts[tree] == small.starts[tree + 1]:
                walk(X, start, roots[tree], feature, cut, left, right, value, scores)
            else:
                answer = ask(choices + small.starts[tree], choices + small.starts[tree + 1], table)
                values = &value[roots[tree]]
                for i in range(n_rows):
                    scores[start + i] += values[answer[i]]


cdef void encode(const real_t[:, :] X, Py_ssize_t start, SmallTrees small, label_t* table) noexcept nogil:
    """Write the codes of a block's rows to the last columns of its table."""
    cdef Py_ssize_t n_rows = min(X.shape[0] - start, <Py_ssize_t>BLOCK_ROWS), j, f, i, n_edges
    cdef label_t* codes
    cdef const double* edges
    for j in range(small.features.shape[0]):
        f, codes = small.features[j], table + (2 * small.n_nodes + j) * BLOCK_ROWS
        edges, n_edges = &small.edges[small.first[j]], small.first[j + 1] - small.first[j]
        for i in range(n_rows):
            codes[i] = <label_t>edges_up_to(edges, n_edges, X[start + i, f])


cdef inline Py_ssize_t edges_up_to(const double* edges, Py_ssize_t n_edges, double x) noexcept nogil:
    """Count those of one or more edges that x is not below, by bisection without a branch."""
    cdef Py_ssize_t first = 0, half
    while n_edges > 1:
        half = n_edges >> 1
        first += half * (not x < edges[first + half - 1])
        n_edges -= half
    return first + (not x < edges[first])


cdef label_t* ask(const Choice* first, const Choice* stop, label_t* table) noexcept nogil:
    """Answer by the nodes of a small tree, children before parents; return the answer of the root."""
    cdef const Choice* choice = stop
    while choice != first:
        choice -= 1
        choose(
            table + choice.answer * BLOCK_ROWS, table + choice.code * BLOCK_ROWS, <label_t>choice.bin,
            table + choice.left * BLOCK_ROWS, table + choice.right * BLOCK_ROWS,
        )
    return table + first.answer * BLOCK_ROWS


cdef void choose(
    label_t* answer, const label_t* code, label_t bin, const label_t* left, const label_t* right
) noexcept nogil:
    """Compute code > bin ? right : left for the rows of a block."""
    cdef Py_ssize_t i
    for i in range(BLOCK_ROWS):
        # a mask of all bits or none: with a choice, compilers make a branch
        answer[i] = right[i] ^ ((left[i] ^ right[i]) & <label_t>((code[i] > bin) - 1))


cdef void walk(
    const real_t[:, :] X,
    Py_ssize_t start,
    Py_ssize_t root,
    const int32_t[::1] feature,
    const double[::1] cut,
    const int32_t[::1] left,
    const int32_t[::1] right,
    const double[::1] value,
    double[::1] scores,
) noexcept nogil:
    """Send a block's rows down one tree, from node to node."""
    cdef Py_ssize_t i, node
    for i in range(start, min(X.shape[0], start + BLOCK_ROWS)):
        node = root
        while feature[node] >= 0:
            node = root + (left[node] if X[i, feature[node]] < cut[node] else right[node])
        scores[i] += value[node]
