"""The part of the kernel that bounds the gains of cuts inside coarse bins, included by _split.pyx: `bound_gain`.

For a cut with sum S and weight w (the number of rows where they have no weights) on its left, of a node with mean m and
weight W, split_gain is D * D * W / (w * (W - w)) with D = S - m * w. With P the sum of the positive residuals of a
coarse bin, and N that of the others, negated, D lies between its value at the bin's start less N and that plus P, each
corrected for m. Rows between a lowest and a highest value deviate most, given their sum and weight, where each has one
of these two values: that bounds D where P is larger, or is not summed. And since no row is farther from m than some
distance, |D| is at most that times the lighter side: few rows, or light ones, beside an end of the feature do not gain
much.
"""

cdef struct Range:  # of the rows of a node, or of those among them that have a feature
    double total, n_rows, weight, mean
    double low, high  # no row has a value outside
    double share_above, share_below  # of the span between them: what lies above the mean and below it, or more
    bint has_span  # whether it is finite
    bint is_narrow  # whether the span bounds nearly as well as sums of positive residuals
    double farthest  # the largest distance of a row from the mean, or more
    double slack  # more than all rounding in a bound and in a gain: a bound exceeds each gain that it stands for


cdef Range range_of(
    const int64_t[:, ::1] coarse_sums,
    Py_ssize_t n_slots,
    const int32_t[::1] rows,
    const int64_t[::1] integers,
    const int64_t[::1] weights,
    int64_t[::1] values,
    int n_parts,
):
    """Find the mean of a node's rows, from the first slots, those of one feature, and how far they lie from it; copy these rows' residuals."""
    cdef Py_ssize_t i, part, n_rows = rows.shape[0], n_terms = 2 if weights is None else 3
    cdef int64_t total = 0, weight = 0, positive = 0
    cdef bint has_positive = coarse_sums.shape[1] > n_terms
    cdef double[::1] lows = np.empty(n_parts), highs = np.empty(n_parts)
    cdef Range node
    for i in range(n_slots):
        total += coarse_sums[i, 0]
        weight += coarse_sums[i, n_terms - 1]
        if has_positive:
            positive += coarse_sums[i, n_terms]
    for part in range(n_parts):
        lows[part] = highs[part] = <double>total / <double>weight
    for part in prange(n_parts, nogil=True, schedule="static", num_threads=n_parts):
        widen(
            rows, integers, weights, n_rows * part // n_parts, n_rows * (part + 1) // n_parts, values, &lows[part],
            &highs[part],
        )
    node.low, node.high = min(lows), max(highs)
    node.slack = <double>(2 * positive - total) if has_positive else max(node.high, -node.low) * <double>weight
    node.slack = ldexp(node.slack, -40)
    node = range_among(node, <double>total, <double>n_rows, <double>weight)
    cdef double above = (node.total - node.weight * node.low) * node.share_above
    node.is_narrow = node.has_span and (
        not has_positive or above <= 4.0 * (<double>positive + node.weight * max(-node.mean, 0.0))
    )
    return node


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


cdef void widen(
    const int32_t[::1] rows,
    const int64_t[::1] integers,
    const int64_t[::1] weights,
    Py_ssize_t first,
    Py_ssize_t end,
    int64_t[::1] values,
    double* low,
    double* high,
) noexcept nogil:
    """Lower `low` and raise `high` to the extremes of the values of rows[first:end]; copy their residuals."""
    cdef Py_ssize_t i
    cdef double q, w = 1.0
    for i in range(first, end):
        values[i] = integers[rows[i]]
        q = <double>values[i]
        if weights is not None:
            w = <double>weights[rows[i]]
        # Where a weight is 0 on its grid, but not what it weighs, q / w is infinite. A product is faster than q / w.
        if q > high[0] * w:
            high[0] = q / w
        elif q < low[0] * w:
            low[0] = q / w


cdef double bound_gain(
    const int64_t* sums, Py_ssize_t n_columns, Py_ssize_t n_terms, const int64_t* left, const Range* node
) noexcept nogil:
    """Bound the gain of a cut inside or at the end of a run of bins from above, given the sums to its left."""
    cdef double start_weight = <double>left[n_terms - 1], weight = <double>sums[n_terms - 1]
    cdef double end_weight = start_weight + weight
    cdef double start = <double>left[0] - node.mean * start_weight
    cdef double positive = INFINITY, negative = INFINITY
    if node.has_span:
        positive = (<double>sums[0] - weight * node.low) * node.share_above
        negative = (weight * node.high - <double>sums[0]) * node.share_below
    if n_columns > n_terms:
        positive = min(positive, <double>sums[n_terms] + weight * max(-node.mean, 0.0))
        negative = min(negative, <double>(sums[n_terms] - sums[0]) + weight * max(node.mean, 0.0))
    cdef double most = max(start + positive, negative - start) + node.slack
    # Both sides of a cut weigh 1 or more: weights are whole numbers on their grid.
    cdef double low = max(start_weight, 1.0), high = min(end_weight, node.weight - 1.0)
    cdef double heavier = max(start_weight, node.weight - end_weight)  # the heavier side weighs as much or more
    return most * node.weight * min(
        most / min(low * (node.weight - low), high * (node.weight - high)), node.farthest / heavier
    )
