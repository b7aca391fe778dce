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
branch: the compiler makes instructions on many rows of them (answers.h). The codes come from the sorted cuts of all
small trees, once per block: the code of x is the number of its feature's cuts that are at most x, and the bin of a cut
is the number of smaller ones, so that x < cut if and only if code <= bin. In a larger tree, each row walks.

The sorted cuts take longer than a query. A model has them made once (refrank/trees/model/packed.py).
"""

cimport cython

cdef enum:
    BLOCK_ROWS = 256  # at most; a multiple of LANES, or one
    LANES = 16
    FEW_TREES = 32  # with fewer small trees, rows walk
    SMALL_TREE = 255  # nodes of the largest tree whose nodes all answer; in a larger one, paths are much shorter

ctypedef fused label_t:  # holds codes, bins and answers
    uint8_t
    int32_t

cdef extern from "kernel/answers.h":
    struct Choice "refrank_choice":
        int32_t answer, code, bin, left, right
    const uint8_t* ask_bytes "refrank_ask_bytes" (
        const Choice* first, const Choice* stop, Py_ssize_t n_rows, uint8_t* table
    ) noexcept nogil
    const int32_t* ask_words "refrank_ask_words" (
        const Choice* first, const Choice* stop, Py_ssize_t n_rows, int32_t* table
    ) noexcept nogil


@cython.auto_pickle(False)
cdef class PackedTrees:
    """The arguments of `add_trees`, and what turns a block's rows into a table of labels, (n_columns, block_rows).

    The trees are those of n_outputs sums, one sum after the other, as many for each. The columns of the table: each
    node number k, filled with k, as a leaf's answer; the answers of the nodes; the codes of features.
    """

    cdef const int64_t[::1] roots
    cdef const int32_t[::1] feature, left, right
    cdef const double[::1] cut, value
    cdef Py_ssize_t n_outputs
    cdef Py_ssize_t n_nodes  # of the largest small tree
    cdef Py_ssize_t n_columns
    cdef bint has_bytes  # whether all codes fit in bytes
    cdef int32_t[:, ::1] choices  # a Choice each, node after node
    cdef int64_t[::1] starts  # (n_trees + 1,): tree t has choices[starts[t]:starts[t + 1]]
    cdef int32_t[::1] features  # those that are cut on, ascending
    cdef double[::1] edges  # the distinct cuts of these features, ascending in each
    cdef int64_t[::1] first  # (n_features + 1,): the edges of feature j are edges[first[j]:first[j + 1]]

    def __init__(self, roots, feature, cut, left, right, value, n_outputs=1, answers=True):
        """Prepare the small trees to answer, if there are enough; a cut that is NaN has no place among sorted cuts."""
        self.roots, self.feature, self.left, self.right, self.cut, self.value = roots, feature, left, right, cut, value
        self.n_outputs, self.n_nodes, self.n_columns, self.has_bytes = n_outputs, 0, 0, True
        self.starts, self.choices = np.zeros(len(roots) + 1, np.int64), np.zeros((0, 5), np.int32)
        self.features = np.zeros(0, np.int32)
        if not answers or len(roots) < FEW_TREES:
            return
        ends = np.append(roots, len(feature))
        sizes = np.diff(ends)
        is_small = sizes <= SMALL_TREE
        if np.count_nonzero(is_small) < FEW_TREES or np.isnan(cut).any():
            return
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
        self.n_columns, self.has_bytes = 2 * n + len(self.features), np.diff(first).max(initial=0) <= 255
        root = np.repeat(roots, sizes)[nodes]
        choices = np.empty((len(nodes), 5), np.int32)
        choices[:, 0] = n + nodes - root
        choices[order, 1] = 2 * n + column
        choices[order, 2] = place - first[column]
        for side, child in ((3, left[nodes]), (4, right[nodes])):
            choices[:, side] = child + n * (feature[root + child] >= 0)
        self.choices = choices


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
    # Few rows do not pay for sorted cuts.
    cdef PackedTrees trees = PackedTrees(
        np.asarray(roots), np.asarray(feature), np.asarray(cut), np.asarray(left), np.asarray(right), np.asarray(value),
        1, X.shape[0] >= BLOCK_ROWS,
    )
    add_shares(X, trees, 0, roots.shape[0], &scores[0], n_threads)


def add_rounds(
    const real_t[:, :] X, PackedTrees trees, Py_ssize_t first, Py_ssize_t stop, double[::1, :] scores, int n_threads
):
    """Add the trees first to stop - 1 of each output to its column of the scores, (n_samples, n_outputs)."""
    add_shares(X, trees, first, stop, &scores[0, 0], n_threads)


cdef add_shares(
    const real_t[:, :] X, PackedTrees trees, Py_ssize_t first, Py_ssize_t stop, double* scores, int n_threads
):
    """Share the rows out, in blocks, if there is enough to do."""
    cdef Py_ssize_t n_samples = X.shape[0], n_walks = n_samples * (stop - first) * trees.n_outputs
    cdef Py_ssize_t n_blocks, block_rows, part
    cdef int n_parts = n_threads if n_walks > (WORTH_THREADS // 16 if trees.n_nodes == 0 else 4 * WORTH_THREADS) else 1
    cdef uint8_t[:, ::1] bytes
    cdef int32_t[:, ::1] words
    if n_walks == 0:
        return
    n_blocks = (n_samples + n_parts * BLOCK_ROWS - 1) // (n_parts * BLOCK_ROWS) * n_parts
    block_rows = 1 if n_samples == 1 else ((n_samples + n_blocks - 1) // n_blocks + LANES - 1) // LANES * LANES
    tables = np.zeros((n_parts, trees.n_columns * block_rows + 1), np.uint8 if trees.has_bytes else np.int32)
    if trees.has_bytes:
        bytes = tables
        for part in prange(n_parts, nogil=True, schedule="static", num_threads=n_parts):
            add_part(part, n_parts, X, trees, first, stop, block_rows, scores, &bytes[part, 0])
    else:
        words = tables
        for part in prange(n_parts, nogil=True, schedule="static", num_threads=n_parts):
            add_part(part, n_parts, X, trees, first, stop, block_rows, scores, &words[part, 0])


cdef void add_part(
    Py_ssize_t part,
    Py_ssize_t n_parts,
    const real_t[:, :] X,
    PackedTrees trees,
    Py_ssize_t first,
    Py_ssize_t stop,
    Py_ssize_t block_rows,
    double* scores,
    label_t* table,
) noexcept nogil:
    """Send one of n_parts parts of the rows down the trees first to stop - 1 of each output."""
    cdef Py_ssize_t n_samples = X.shape[0], n_blocks = (n_samples + block_rows - 1) // block_rows
    cdef Py_ssize_t n_each = trees.roots.shape[0] // trees.n_outputs, block, start, n_rows, output, tree, i
    cdef const label_t* answer
    cdef const double* values
    cdef double* sums
    cdef const Choice* choices = <const Choice*>&trees.choices[0, 0]
    cdef bint all_walk = (stop - first) * trees.n_outputs < FEW_TREES
    cdef const Choice* begin
    cdef const Choice* end
    for i in range(trees.n_nodes * block_rows):
        table[i] = <label_t>(i // block_rows)
    for block in range(n_blocks * part // n_parts, n_blocks * (part + 1) // n_parts):
        start = block * block_rows
        n_rows = min(n_samples - start, block_rows)
        if not all_walk:
            encode(X, start, n_rows, trees, block_rows, table)
        for output in range(trees.n_outputs):
            sums = scores + output * n_samples + start
            for tree in range(output * n_each + first, output * n_each + stop):
                begin, end = choices + trees.starts[tree], choices + trees.starts[tree + 1]
                if all_walk or begin == end or end - begin > 32 * n_rows:  # a row walks as fast as 32 nodes answer
                    walk(X, start, n_rows, trees, trees.roots[tree], sums)
                    continue
                values = &trees.value[trees.roots[tree]]
                if label_t is uint8_t:
                    answer = ask_bytes(begin, end, block_rows, table)
                else:
                    answer = ask_words(begin, end, block_rows, table)
                for i in range(n_rows):
                    sums[i] += values[answer[i]]


cdef void encode(
    const real_t[:, :] X, Py_ssize_t start, Py_ssize_t n_rows, PackedTrees trees, Py_ssize_t block_rows, label_t* table
) noexcept nogil:
    """Write the codes of a block's rows to the last columns of its table."""
    cdef Py_ssize_t j, f, i, n_edges
    cdef label_t* codes
    cdef const double* edges
    for j in range(trees.features.shape[0]):
        f, codes = trees.features[j], table + (2 * trees.n_nodes + j) * block_rows
        edges, n_edges = &trees.edges[trees.first[j]], trees.first[j + 1] - trees.first[j]
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


cdef void walk(
    const real_t[:, :] X, Py_ssize_t start, Py_ssize_t n_rows, PackedTrees trees, Py_ssize_t root, double* sums
) noexcept nogil:
    """Send a block's rows down one tree, from node to node."""
    cdef Py_ssize_t i, node
    for i in range(n_rows):
        node = root
        while trees.feature[node] >= 0:
            node = root + (
                trees.left[node] if X[start + i, trees.feature[node]] < trees.cut[node] else trees.right[node]
            )
        sums[i] += trees.value[node]
