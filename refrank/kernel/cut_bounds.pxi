"""The part of the kernel that bounds the gains of cuts inside coarse bins, included by _split.pyx: `bound_gain`.

For a cut with sum S and weight w (the number of rows where they have no weights) on its left, of a node with mean m and
weight W, split_gain is D * D * W / (w * (W - w)) with D = S - m * w. Inside a coarse bin, D exceeds its value at the
bin's start by at most what the rows above m deviate in all, and falls below it by at most what the others do. Rows
between a lowest and a highest value deviate most, given their sum and weight, where each has one of these two values:
that bounds D. And since no row is farther from m than some distance, |D| is at most that times the lighter side: few
rows, or light ones, beside an end of the feature do not gain much.
"""

cdef struct Range:  # of the rows of a node, or of those among them that have a feature
    double total, n_rows, weight, mean
    double low, high  # no row has a value outside
    double share_above, share_below  # of the span between them: what lies above the mean and below it, or more
    bint has_span  # whether it is finite
    double farthest  # the largest distance of a row from the mean, or more
    double slack  # more than all rounding in a bound and in a gain: a bound exceeds each gain that it stands for


cdef struct CoarseNode:  # a node whose histogram is over coarse bins
    const int64_t* sums  # (n_coarse_slots, n_terms)
    int n_terms  # 2: sum and count; 3: sum, count and weight
    const int32_t* rows
    Py_ssize_t n_rows
    const int64_t* integers  # (n_samples,)
    const int64_t* weights  # NULL where all rows weigh the same
    int64_t* values  # (n_rows,): the residuals of its rows
    Range range
    int number  # 0 or 1: its place among the nodes whose cuts are found together


cdef Range range_of(const CoarseNode* node, Py_ssize_t n_slots, int n_parts, Inside* buffers) noexcept nogil:
    """Find the mean of a node's rows, from the first slots, those of one feature, and how far they lie from it; copy these rows' residuals."""
    cdef Py_ssize_t i, part
    cdef int64_t total = 0, weight = 0
    cdef Range found
    for i in range(n_slots):
        total += node.sums[node.n_terms * i]
        weight += node.sums[node.n_terms * (i + 1) - 1]
    for part in prange(n_parts, schedule="static", num_threads=n_parts):
        buffers[part].low = buffers[part].high = <double>total / <double>weight
        widen(node, node.n_rows * part // n_parts, node.n_rows * (part + 1) // n_parts, buffers + part)
    found.low, found.high = buffers[0].low, buffers[0].high
    for part in range(1, n_parts):
        found.low, found.high = min(found.low, buffers[part].low), max(found.high, buffers[part].high)
    found.slack = ldexp(max(found.high, -found.low) * <double>weight, -40)
    return range_among(found, <double>total, <double>node.n_rows, <double>weight)


cdef Range range_among(Range node, double total, double n_rows, double weight) noexcept nogil:
    """Return the range of some rows of a node, given their sums: their values are not outside the node's."""
    node.total, node.n_rows, node.weight, node.mean = total, n_rows, weight, total / weight
    node.farthest = max(node.high - node.mean, node.mean - node.low) + ldexp(max(node.high, -node.low), -40)
    cdef double span = node.high - node.low
    node.share_above = node.share_below = 0.0
    node.has_span = span < INFINITY
    if span > 0.0 and node.has_span:
        node.share_above = (node.high - node.mean) / span * (1.0 + ldexp(1.0, -40))
        node.share_below = (node.mean - node.low) / span * (1.0 + ldexp(1.0, -40))
    return node


cdef void widen(const CoarseNode* node, Py_ssize_t first, Py_ssize_t end, Inside* buffers) noexcept nogil:
    """Lower `low` and raise `high` to the extremes of the values of rows[first:end]; copy their residuals."""
    cdef Py_ssize_t i
    cdef double q, w = 1.0, low = buffers.low, high = buffers.high
    for i in range(first, end):
        node.values[i] = node.integers[node.rows[i]]
        q = <double>node.values[i]
        if node.weights != NULL:
            w = <double>node.weights[node.rows[i]]
        # Where a weight is 0 on its grid, but not what it weighs, q / w is infinite. A product is faster than q / w.
        if q > high * w:
            high = q / w
        elif q < low * w:
            low = q / w
    buffers.low, buffers.high = low, high


cdef double bound_gain(const int64_t* sums, int n_terms, const int64_t* left, const Range* node) noexcept nogil:
    """Bound the gain of a cut inside or at the end of a run of bins from above, given the sums to its left."""
    cdef double start_weight = <double>left[n_terms - 1], weight = <double>sums[n_terms - 1]
    cdef double end_weight = start_weight + weight
    cdef double start = <double>left[0] - node.mean * start_weight
    cdef double above = INFINITY, below = INFINITY
    if node.has_span:
        above = (<double>sums[0] - weight * node.low) * node.share_above
        below = (weight * node.high - <double>sums[0]) * node.share_below
    cdef double most = max(start + above, below - start) + node.slack
    # Both sides of a cut weigh 1 or more: weights are whole numbers on their grid.
    cdef double low = max(start_weight, 1.0), high = min(end_weight, node.weight - 1.0)
    cdef double heavier = max(start_weight, node.weight - end_weight)  # the heavier side weighs as much or more
    return most * node.weight * min(
        most / min(low * (node.weight - low), high * (node.weight - high)), node.farthest / heavier
    )
