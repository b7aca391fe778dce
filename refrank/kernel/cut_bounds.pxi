"""The part of the kernel that bounds the gains of cuts inside coarse bins, included by _split.pyx: `bound_gain`.

For a cut with sum S and weight w (the number of rows where they have no weights) on its left, of a node with mean m and
weight W, split_gain is D * D * W / (w * (W - w)) with D = S - m * w. With P the sum of the positive residuals of a
coarse bin, and N that of the others, negated, D lies between its value at the bin's start less N and that plus P, each
corrected for m. Since no row is farther from m than some distance, |D| is at most that times the lighter side: few
rows, or light ones, beside an end of the feature do not gain much.
"""

cdef struct Range:  # of the rows of a node, or of those among them that have a feature
    double total, n_rows, weight, mean
    double low, high  # no row has a value outside
    double farthest  # the largest distance of a row from the mean, or more
    double slack  # more than all rounding in a bound and in a gain: a bound exceeds each gain that it stands for


cdef Range range_of(
    const int64_t[:, ::1] coarse_sums,
    Py_ssize_t n_slots,
    const int32_t[::1] rows,
    const int64_t[::1] integers,
    const int64_t[::1] weights,
    int n_parts,
):
    """Find the mean of a node's rows, from the first slots, those of one feature, and how far they lie from it."""
    cdef Py_ssize_t i, part, n_rows = rows.shape[0], last = coarse_sums.shape[1] - 1
    cdef int64_t total = 0, weight = 0, positive = 0
    cdef double[::1] lows = np.empty(n_parts), highs = np.empty(n_parts)
    cdef Range node
    for i in range(n_slots):
        total += coarse_sums[i, 0]
        weight += coarse_sums[i, last - 1]
        positive += coarse_sums[i, last]
    for part in range(n_parts):
        lows[part] = highs[part] = <double>total / <double>weight
    for part in prange(n_parts, nogil=True, schedule="static", num_threads=n_parts):
        widen(
            rows[n_rows * part // n_parts:n_rows * (part + 1) // n_parts], integers, weights, &lows[part], &highs[part]
        )
    node.low, node.high, node.slack = min(lows), max(highs), ldexp(<double>(2 * positive - total), -40)
    return range_among(node, <double>total, <double>n_rows, <double>weight)


cdef Range range_among(Range node, double total, double n_rows, double weight) noexcept nogil:
    """Return the range of some rows of a node, given their sums: their values are not outside the node's."""
    node.total, node.n_rows, node.weight, node.mean = total, n_rows, weight, total / weight
    node.farthest = max(node.high - node.mean, node.mean - node.low) + ldexp(max(node.high, -node.low), -40)
    return node


cdef void widen(
    const int32_t[::1] rows, const int64_t[::1] integers, const int64_t[::1] weights, double* low, double* high
) noexcept nogil:
    """Lower `low` and raise `high` to the extremes of the rows' values."""
    cdef Py_ssize_t i
    cdef double q, w = 1.0
    for i in range(rows.shape[0]):
        q = <double>integers[rows[i]]
        if weights is not None:
            w = <double>weights[rows[i]]
        # Where a weight is 0 on its grid, but not what it weighs, q / w is infinite. A product is faster than q / w.
        if q > high[0] * w:
            high[0] = q / w
        elif q < low[0] * w:
            low[0] = q / w


cdef double bound_gain(const int64_t* sums, Py_ssize_t n_terms, const int64_t* left, Range node) noexcept nogil:
    """Bound the gain of a cut inside or at the end of a coarse bin from above, given the sums to its left."""
    cdef double start_weight = <double>left[n_terms - 1], weight = <double>sums[n_terms - 1]
    cdef double end_weight = start_weight + weight
    cdef double start = <double>left[0] - node.mean * start_weight
    cdef double positive = <double>sums[n_terms] + weight * max(-node.mean, 0.0)
    cdef double negative = <double>(sums[n_terms] - sums[0]) + weight * max(node.mean, 0.0)
    cdef double most = max(start + positive, negative - start) + node.slack
    # Both sides of a cut weigh 1 or more: weights are whole numbers on their grid.
    cdef double low = max(start_weight, 1.0), high = min(end_weight, node.weight - 1.0)
    cdef double heavier = max(start_weight, node.weight - end_weight)  # the heavier side weighs as much or more
    return most * node.weight * min(
        most / min(low * (node.weight - low), high * (node.weight - high)), node.farthest / heavier
    )
