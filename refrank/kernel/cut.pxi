"""The part of the kernel for cuts, included by _split.pyx: `best_split` of refrank/trees/splitting.py.

The gains of a feature are computed in a loop of their own, which compilers turn into vector instructions. Where rounding
may hide which of two gains is larger, they are compared as fractions: that order is total, so the best cut does not
depend on how features are shared out among threads.
"""

cdef extern from "kernel/cut.h":
    double compute_gains "refrank_compute_gains" (
        const double* sum, const double* weight, Py_ssize_t n, double total, double n_node, double* gains
    ) noexcept nogil
    double estimate_gains "refrank_estimate_gains" (
        const double* sum, const double* weight, Py_ssize_t n, double total, double n_node, double* gains
    ) noexcept nogil
    double compute_gain "refrank_compute_gain" (double sum, double n_left, double total, double n_node) noexcept nogil

cdef extern from "kernel/fractions.h":
    int compare_squares "refrank_compare_squares" (
        const int64_t* sum, const int64_t* weight, const int64_t* other_sum, const int64_t* other_weight
    ) noexcept nogil


cdef int8_t NEEDS_CUT = 2
cdef double TINY = 2.0 ** -25  # refrank.trees.numbers.exact_gain.TINY


cdef struct Cut:
    double gain  # 0 where no cut gains
    double slack  # the gain as a fraction is no farther from it
    Py_ssize_t feature, bin
    int64_t left_count
    int64_t sum[3]  # of the rows on the left, on the right, and of those that lack the feature, if it parts them
    int64_t weight[3]  # their weights' sums; 1 where no row is parted


cdef struct LeftSides:  # of the cuts of one feature: its sums up to each listed bin, as floats, which hold them exactly
    const int32_t* bins  # ascending; all other bins hold no rows; NULL lists every bin
    double* sum  # (n_listed,) each
    double* count
    double* weight  # count where rows have no weights
    double* gains  # of the cuts after these bins


def best_split(
    const int64_t[:, ::1] sums,
    const int64_t[::1] offsets,
    const int32_t[::1] features,
    Py_ssize_t min_samples_leaf,
    int n_threads,
    const int8_t[::1] missing=None,
):
    cdef Py_ssize_t widest = find_widest(offsets, features)
    cdef double[::1] lefts = np.empty(n_threads * 4 * widest)
    cdef uint8_t[::1] memory = np.empty(n_threads * sizeof(Cut), np.uint8)
    cdef Cut* cuts = <Cut*>&memory[0]
    with nogil:
        find_best(
            &sums[0, 0], <int>sums.shape[1], offsets, features, min_samples_leaf, n_threads, missing, &lefts[0],
            widest, cuts,
        )
    return as_split(cuts)


cdef Py_ssize_t find_widest(const int64_t[::1] offsets, const int32_t[::1] features) noexcept nogil:
    """Find the largest number of bins of these features."""
    cdef Py_ssize_t i, widest = 1
    for i in range(features.shape[0]):
        widest = max(widest, offsets[features[i] + 1] - offsets[features[i]])
    return widest


cdef void find_best(
    const int64_t* sums,
    int n_columns,
    const int64_t[::1] offsets,
    const int32_t[::1] features,
    Py_ssize_t min_samples_leaf,
    int n_threads,
    const int8_t[::1] missing,
    double* lefts,
    Py_ssize_t widest,
    Cut* cuts,
) noexcept nogil:
    """Write the best cut of a node to cuts[0]; `lefts`, 4 * widest floats per thread, and `cuts` are memory."""
    cdef Py_ssize_t part, n_features = features.shape[0]
    cdef int n_parts = n_threads if offsets[offsets.shape[0] - 1] > WORTH_THREADS // 4 else 1
    for part in prange(n_parts, schedule="static", num_threads=n_parts):
        cuts[part] = best_of_features(
            sums, n_columns, offsets, features, n_features * part // n_parts, n_features * (part + 1) // n_parts,
            min_samples_leaf, missing, left_sides(lefts + part * 4 * widest, widest, n_columns),
        )
    for part in range(1, n_parts):
        raise_best(&cuts[part], cuts)


cdef tuple as_split(const Cut* cut):
    """Make the fields of a Split."""
    return cut.feature, cut.bin, cut.gain, cut.sum[0], cut.left_count, cut.weight[0]


cdef inline LeftSides left_sides(double* memory, Py_ssize_t n_bins, int n_columns) noexcept nogil:
    """Divide memory of 4 * n_bins floats."""
    cdef LeftSides left
    left.bins, left.sum, left.count, left.gains = NULL, memory, memory + n_bins, memory + 2 * n_bins
    left.weight = left.count if n_columns == 2 else memory + 3 * n_bins
    return left


cdef inline Cut no_cut() noexcept nogil:
    cdef Cut cut
    cut.gain, cut.slack, cut.feature, cut.bin, cut.left_count = 0.0, 0.0, -1, -1, 0
    cut.sum[0] = cut.sum[1] = cut.sum[2] = cut.weight[0] = 0
    cut.weight[1] = cut.weight[2] = 1
    return cut


cdef inline void raise_best(const Cut* cut, Cut* best) noexcept nogil:
    """Put a cut in the place of the best one if it gains more."""
    if compare_gains(cut, best) > 0:
        best[0] = cut[0]


cdef int compare_gains(const Cut* cut, const Cut* other) noexcept nogil:
    """Return 1, 0 or -1: whether a cut gains more than another, as much or less; as fractions where rounding may decide."""
    cdef double distance = cut.gain - other.gain, slack = cut.slack + other.slack
    if distance > slack or distance < -slack or cut.gain == 0.0 or other.gain == 0.0:
        return (distance > 0.0) - (distance < 0.0)
    return 0 if has_sides_of(cut, other) else compare_squares(cut.sum, cut.weight, other.sum, other.weight)


cdef inline bint has_sides_of(const Cut* cut, const Cut* other) noexcept nogil:
    """Whether two cuts have the same sums on their sides, which may have changed places: most ties are such."""
    cdef int side = cut.sum[0] != other.sum[0] or cut.weight[0] != other.weight[0]
    return (
        cut.sum[0] == other.sum[side] and cut.weight[0] == other.weight[side]
        and cut.sum[1] == other.sum[1 - side] and cut.weight[1] == other.weight[1 - side]
    )


cdef inline bint has_even_sides(const Cut* cut, const int64_t* residuals) noexcept nogil:
    """Whether each side of a cut has one row, or equal residuals; its rows have these two, and no weights."""
    cdef int side
    if cut.feature < 0:
        return False
    for side in range(3):
        if (
            cut.weight[side] != 1
            and cut.sum[side] != cut.weight[side] * residuals[0]
            and cut.sum[side] != cut.weight[side] * residuals[1]
        ):
            return False
    return True


cdef inline double bound_rounding(double gain, double total, double n_node) noexcept nogil:
    """Bound how far a gain of a node's cut is from its fraction: docs/reference/numerics.md, rule 3, has the proof."""
    return TINY * gain + (TINY * TINY * TINY) * (total * total / n_node)


cdef inline double bound_estimate(double largest, double total, double n_node) noexcept nogil:
    """Bound how far below the largest estimate that of the best cut is: docs/reference/numerics.md, rule 3."""
    return 4.0 * TINY * largest + 32.0 * (TINY * TINY * TINY) * (total * total * n_node)


cdef Cut best_of_features(
    const int64_t* sums,
    int n_columns,
    const int64_t[::1] offsets,
    const int32_t[::1] features,
    Py_ssize_t first,
    Py_ssize_t end,
    Py_ssize_t min_samples_leaf,
    const int8_t[::1] missing,
    LeftSides left,
) noexcept nogil:
    """Find the best cut of features[first:end]."""
    cdef Py_ssize_t i, f, n_bins
    cdef Cut best = no_cut()
    # 3. The best of them; ties go to the lowest feature.
    for i in range(first, end):
        f = features[i]
        n_bins = offsets[f + 1] - offsets[f]
        sum_left(sums + offsets[f] * n_columns, n_columns, n_bins, &left)
        if missing is not None and missing[f] and sums[(offsets[f + 1] - 1) * n_columns + 1] > 0:
            best_three_way(&left, n_bins, n_bins, min_samples_leaf, missing[f], f, &best)
        else:
            best_two_way(&left, n_bins, min_samples_leaf, f, &best)
    return best


cdef void sum_left(const int64_t* slots, int n_columns, Py_ssize_t n_bins, LeftSides* left) noexcept nogil:
    """Sum the slots of one feature up to each bin."""
    cdef Py_ssize_t i
    cdef int64_t left_sum = 0, left_count = 0, left_weight = 0
    cdef double* sums = left.sum
    cdef double* counts = left.count
    cdef double* weights = left.weight
    for i in range(n_bins):
        left_sum += slots[i * n_columns]
        left_count += slots[i * n_columns + 1]
        sums[i], counts[i] = <double>left_sum, <double>left_count
        if n_columns == 3:
            left_weight += slots[i * n_columns + 2]
            weights[i] = <double>left_weight


cdef void best_two_way(
    const LeftSides* left, Py_ssize_t n_listed, Py_ssize_t min_samples_leaf, Py_ssize_t f, Cut* best
) noexcept nogil:
    """Raise `best` to the best cut between the first n_listed listed bins of feature f."""
    cdef Py_ssize_t first, stop
    if n_listed < 2:
        return
    find_allowed(left, n_listed, min_samples_leaf, &first, &stop)
    best_between(left, first, stop, left.sum[n_listed - 1], left.weight[n_listed - 1], f, best)


cdef inline void find_allowed(
    const LeftSides* left, Py_ssize_t n_listed, Py_ssize_t min_samples_leaf, Py_ssize_t* first, Py_ssize_t* stop
) noexcept nogil:
    """Find the listed bins first..stop-1 after which a cut is allowed; the others leave a side with too few rows."""
    cdef double least = <double>min_samples_leaf
    cdef double n_rows = left.count[n_listed - 1], n_node = left.weight[n_listed - 1]
    first[0], stop[0] = 0, n_listed - 1
    # 1. Both sides hold enough rows, and some weight (which is the count where rows have no weights).
    while first[0] < stop[0] and (left.count[first[0]] < least or left.weight[first[0]] <= 0):
        first[0] += 1
    while first[0] < stop[0] and (
        n_rows - left.count[stop[0] - 1] < least or n_node - left.weight[stop[0] - 1] <= 0
    ):
        stop[0] -= 1


cdef inline void best_between(
    const LeftSides* left, Py_ssize_t first, Py_ssize_t stop, double total, double n_node, Py_ssize_t f, Cut* best
) noexcept nogil:
    """Raise `best` to the best of the cuts after listed bins first..stop-1 of rows with these sums."""
    cdef double largest, slack, gain, low = best.gain - 2.0 * best.slack
    cdef Py_ssize_t i
    cdef Cut cut
    # Few cuts can be the best: estimates of all gains, which take a third of the divisions, find them.
    largest = estimate_gains(left.sum + first, left.weight + first, stop - first, total, n_node, left.gains + first)
    slack = bound_estimate(largest, total, n_node)
    if largest + slack <= low * n_node or largest + slack == 0.0:  # most features: no fraction is as large
        return
    # 2. The gain of each cut: the reduction of the sum of squared errors, never negative, 0 for equal means.
    # Both sides have weight: nothing is divided by 0.
    # 3. The best of them; ties go to the lowest bin.
    for i in range(first, stop):  # a bin without rows repeats the gain of the bin before it
        if left.gains[i] >= largest - slack:
            gain = compute_gain(left.sum[i], left.weight[i], total, n_node)
            if gain > 0.0:
                cut = make_cut(left, i, total, n_node, gain)
                cut.feature, cut.bin = f, left.bins[i] if left.bins else i
                raise_best(&cut, best)


cdef inline Cut make_cut(const LeftSides* left, Py_ssize_t i, double total, double n_node, double gain) noexcept nogil:
    """Make the cut after listed bin i of rows with these sums."""
    cdef Cut cut
    cut.gain, cut.slack, cut.left_count = gain, bound_rounding(gain, total, n_node), <int64_t>left.count[i]
    cut.sum[0], cut.weight[0] = <int64_t>left.sum[i], <int64_t>left.weight[i]
    cut.sum[1], cut.weight[1] = <int64_t>(total - left.sum[i]), <int64_t>(n_node - left.weight[i])
    cut.sum[2], cut.weight[2] = 0, 1
    return cut


cdef void best_three_way(
    const LeftSides* left,
    Py_ssize_t n_listed,
    Py_ssize_t n_bins,
    Py_ssize_t min_samples_leaf,
    int8_t missing,
    Py_ssize_t f,
    Cut* best,
) noexcept nogil:
    """Raise `best` to the best cut of a feature that some rows of the node lack: those in the last listed bin."""
    cdef Cut among = no_cut()
    if can_part(left, n_listed, min_samples_leaf):
        best_two_way(left, n_listed - 1, min_samples_leaf, f, &among)
        among = join_cuts(part_missing(left, n_listed, n_bins, f), among, missing)
        raise_best(&among, best)


cdef bint can_part(const LeftSides* left, Py_ssize_t n_listed, Py_ssize_t min_samples_leaf) noexcept nogil:
    """Whether the rows in the last listed bin, and the others, are enough for a side of a cut."""
    cdef Py_ssize_t last = n_listed - 1
    if last == 0:
        return False
    cdef double present = left.count[last - 1], present_weight = left.weight[last - 1]
    cdef double missed = left.count[last] - present, missed_weight = left.weight[last] - present_weight
    return min(present, missed) >= min_samples_leaf and min(present_weight, missed_weight) > 0


cdef Cut join_cuts(Cut parting, Cut among, int8_t missing) noexcept nogil:
    """Join the cut of the rows that lack a feature with the best one among the others, if that adds to the gain."""
    cdef Cut both = among
    cdef double total = <double>parting.sum[0], present = <double>parting.weight[0]
    both.gain = parting.gain + among.gain
    if both.gain > parting.gain or (missing == NEEDS_CUT and among.gain > 0):
        both.sum[2], both.weight[2] = parting.sum[1], parting.weight[1]
        both.slack = bound_rounding(both.gain, total, present) + bound_rounding(
            both.gain, total + <double>parting.sum[1], present + <double>parting.weight[1]
        )
        return both
    return no_cut() if missing == NEEDS_CUT else parting


cdef Cut part_missing(const LeftSides* left, Py_ssize_t n_listed, Py_ssize_t n_bins, Py_ssize_t f) noexcept nogil:
    """Make the cut that separates the rows in the last listed bin from the others."""
    cdef Py_ssize_t last = n_listed - 1
    cdef double gain
    cdef Cut cut
    compute_gains(left.sum + last - 1, left.weight + last - 1, 1, left.sum[last], left.weight[last], &gain)
    cut = make_cut(left, last - 1, left.sum[last], left.weight[last], gain)
    cut.feature, cut.bin = f, n_bins - 2
    return cut
