"""The part of the kernel for bins, included by _split.pyx: two functions of refrank/trees/splitting.py."""


def bin_starts(const real_t[::1] values, double length, Py_ssize_t n_bins):
    cdef Py_ssize_t n_values = values.shape[0], n_starts
    starts = np.empty(min(n_bins, n_values), np.int64)
    cdef int64_t[::1] start = starts
    with nogil:
        n_starts = cover(&values[0], n_values, length, &start[0], start.shape[0])
    return starts[:n_starts]


cdef Py_ssize_t cover(
    const real_t* values, Py_ssize_t n_values, double length, int64_t* starts, Py_ssize_t n_bins
) noexcept nogil:
    """Write the starts of the bins, and return their number; 0 where n_bins bins do not suffice."""
    cdef Py_ssize_t n_starts = 0, at = 0, step = 1, after, middle
    cdef double end
    while n_starts < n_bins:
        starts[n_starts] = at
        n_starts += 1
        # The next start is looked for in doubling steps, then by bisection: most values are never read. The first step is
        # as long as the last bin: most are about as long, and each value that is read waits for memory.
        end = values[at] + length
        while at + step < n_values and not begins_bin(values[at + step], values[starts[n_starts - 1]], end):
            at += step
            step *= 2
        after = min(at + step, n_values)
        while after - at > 1:
            middle = at + (after - at) // 2
            if begins_bin(values[middle], values[starts[n_starts - 1]], end):
                after = middle
            else:
                at = middle
        at = after
        if at == n_values:
            return n_starts
        step = at - starts[n_starts - 1]
    return 0


cdef inline bint begins_bin(double x, double start, double end) noexcept nogil:
    return x >= end and x > start  # x = start never does, even where start + length == start


cdef enum:
    N_CELLS = 1024
    LABEL_ROWS = 256  # in a block


cdef struct Edges:
    const double* edge  # (n_edges,) of one feature, ascending
    Py_ssize_t n_edges
    double first, last, cells_per_unit  # the range that is parted into cells of equal width
    const uint16_t* window  # (N_CELLS,) place of the first edge to compare with in each cell
    Py_ssize_t width  # number of edges to compare with, in any cell


def quantize(
    const real_t[:, :] X,
    const double[::1] cuts,
    const int64_t[::1] offsets,
    code_t[:, :, ::1] codes,
    int n_threads,
):
    cdef Py_ssize_t n_samples = X.shape[0], n_features = X.shape[1], block, f
    cdef Py_ssize_t n_blocks = (n_samples + LABEL_ROWS - 1) // LABEL_ROWS, start, stop
    cdef uint16_t[:, ::1] windows = np.empty((n_features, N_CELLS), np.uint16)
    cdef uint8_t[::1] memory = np.empty(n_features * sizeof(Edges), np.uint8)
    cdef Edges* edges = <Edges*>&memory[0]
    for f in range(n_features):
        edges[f] = part_into_cells(&cuts[0] + (offsets[f] - f), offsets[f + 1] - offsets[f] - 1, &windows[f, 0])
    for block in prange(n_blocks, nogil=True, schedule="static", num_threads=n_threads):
        start = block * LABEL_ROWS
        stop = min(n_samples, start + LABEL_ROWS)
        for f in range(n_features):
            if edges[f].width == 1:
                label(X, f, start, stop, edges[f], &codes[f // 8, 0, f % 8])
            else:
                label_in_step(X, f, start, stop, edges[f], &codes[f // 8, 0, f % 8])


cdef void label(
    const real_t[:, :] X, Py_ssize_t f, Py_ssize_t start, Py_ssize_t stop, Edges edges, code_t* codes
) noexcept nogil:
    """Write the labels of a block of rows for one feature, whose cells hold at most one edge."""
    cdef Py_ssize_t i, place
    cdef double x
    for i in range(start, stop):
        x, place = X[i, f], 0
        if edges.n_edges > 0:
            place = edges.window[cell_of(x, edges)]
            place = place + (not x < edges.edge[place])
        codes[i * 8] = <code_t>place


cdef void label_in_step(
    const real_t[:, :] X, Py_ssize_t f, Py_ssize_t start, Py_ssize_t stop, Edges edges, code_t* codes
) noexcept nogil:
    """Write labels where cells hold more edges, by bisection: all rows take a step before any row takes the next."""
    # A step waits for the step before it, but not for those of other rows: the processor works on several at once.
    cdef Py_ssize_t i, half, n_rows = stop - start, n_edges = edges.width
    cdef const double* middle
    cdef double x[LABEL_ROWS]
    cdef int32_t place[LABEL_ROWS]
    for i in range(n_rows):
        x[i] = X[start + i, f]
        place[i] = edges.window[cell_of(x[i], edges)]
    while n_edges > 1:
        half = n_edges >> 1
        middle = edges.edge + half - 1
        for i in range(n_rows):
            place[i] += <int32_t>half * (not x[i] < middle[place[i]])
        n_edges -= half
    for i in range(n_rows):
        codes[(start + i) * 8] = <code_t>(place[i] + (not x[i] < edges.edge[place[i]]))


cdef Edges part_into_cells(const double* edge, Py_ssize_t n_edges, uint16_t* window) noexcept nogil:
    """Note which edges lie in each cell: at most one, unless most edges crowd into a small part of the range."""
    cdef Edges edges
    cdef Py_ssize_t cell, place = 0, first
    cdef Py_ssize_t n_finite = n_edges - (n_edges > 0 and edge[n_edges - 1] == INFINITY)
    edges.edge, edges.n_edges, edges.window, edges.width = edge, n_edges, window, 1
    edges.first, edges.last, edges.cells_per_unit = 0.0, 0.0, 0.0  # one cell, where the range is empty or overflows
    if n_finite > 1 and 0.0 < (N_CELLS - 1) / (edge[n_finite - 1] - edge[0]) < INFINITY:
        edges.first, edges.last = edge[0], edge[n_finite - 1]
        edges.cells_per_unit = (N_CELLS - 1) / (edges.last - edges.first)
    for cell in range(N_CELLS):
        first = place
        while place < n_edges and cell_of(edge[place], edges) == cell:
            place += 1
        window[cell] = <uint16_t>first
        edges.width = max(edges.width, place - first)
    for cell in range(N_CELLS):
        window[cell] = <uint16_t>max(0, min(<Py_ssize_t>window[cell], n_edges - edges.width))
    return edges


cdef inline Py_ssize_t cell_of(double x, Edges edges) noexcept nogil:
    """Return the cell of x. It never falls where x rises, however it is rounded: edges in lower cells are below x."""
    x = x if x < edges.last else edges.last  # compared with variables, so that no compiler makes a branch of it
    x = x if x > edges.first else edges.first
    return <Py_ssize_t>((x - edges.first) * edges.cells_per_unit)
