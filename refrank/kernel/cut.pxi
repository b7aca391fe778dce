"""The part of the kernel for cuts, included by _split.pyx: `best_split` of refrank/trees/splitting.py.

The gains of a feature are computed in a loop of their own, which compilers turn into vector instructions.
"""

cdef extern from "kernel/cut.h":
    void compute_gains "refrank_compute_gains" (
        const double* sum, const double* weight, Py_ssize_t n, double total, double n_node, double* gains
    ) noexcept nogil


cdef int8_t NEEDS_CUT = 2


cdef struct Cut:
    double gain  # 0 where no cut gains
    Py_ssize_t feature, bin
    int64_t left_sum, left_count, left_weight


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
    cdef Py_ssize_t n_features = features.shape[0], widest = 0, part, i
    cdef int n_parts = n_threads if sums.shape[0] > WORTH_THREADS // 4 else 1
    for i in range(n_features):
        widest = max(widest, offsets[features[i] + 1] - offsets[features[i]])
    cdef double[:, :, ::1] lefts = np.empty((n_parts, 4, widest))
    cdef uint8_t[::1] memory = np.empty(n_parts * sizeof(Cut), np.uint8)
    cdef Cut* cuts = <Cut*>&memory[0]
    cdef Cut best = no_cut()
    for part in prange(n_parts, nogil=True, schedule="static", num_threads=n_parts):
        cuts[part] = best_of_features(
            sums, offsets, features, n_features * part // n_parts, n_features * (part + 1) // n_parts,
            min_samples_leaf, missing, left_sides(&lefts[part, 0, 0], widest, <int>sums.shape[1]),
        )
    for part in range(n_parts):
        if cuts[part].gain > best.gain:
            best = cuts[part]
    return best.feature, best.bin, best.gain, best.left_sum, best.left_count, best.left_weight


cdef inline LeftSides left_sides(double* memory, Py_ssize_t n_bins, int n_columns) noexcept nogil:
    """Divide memory of 4 * n_bins floats."""
    cdef LeftSides left
    left.bins, left.sum, left.count, left.gains = NULL, memory, memory + n_bins, memory + 2 * n_bins
    left.weight = left.count if n_columns == 2 else memory + 3 * n_bins
    return left


cdef inline Cut no_cut() noexcept nogil:
    cdef Cut cut
    cut.gain, cut.feature, cut.bin, cut.left_sum, cut.left_count, cut.left_weight = 0.0, -1, -1, 0, 0, 0
    return cut


cdef Cut best_of_features(
    const int64_t[:, ::1] sums,
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
    cdef Cut cut, best = no_cut()
    for i in range(first, end):
        f = features[i]
        n_bins = offsets[f + 1] - offsets[f]
        sum_left(&sums[offsets[f], 0], <int>sums.shape[1], n_bins, &left)
        if missing is not None and missing[f] and sums[offsets[f + 1] - 1, 1] > 0:
            cut = best_three_way(&left, n_bins, n_bins, min_samples_leaf, missing[f])
        else:
            cut = best_two_way(&left, n_bins, min_samples_leaf)
        # 3. The best of them; ties go to the lowest feature.
        if cut.gain > best.gain:
            best, best.feature = cut, f
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


cdef Cut best_two_way(const LeftSides* left, Py_ssize_t n_listed, Py_ssize_t min_samples_leaf) noexcept nogil:
    """Find the best cut between the first n_listed listed bins."""
    cdef Py_ssize_t i, first, stop, at = -1
    cdef const double* gains = left.gains
    cdef Cut best = no_cut()
    gain_of_each(left, n_listed, min_samples_leaf, &first, &stop)
    # 3. The best of them; ties go to the lowest bin.
    for i in range(first, stop):  # a bin without rows repeats the gain of the bin before it
        if gains[i] > best.gain:
            best.gain, at = gains[i], i
    if at >= 0:
        best.bin, best.left_sum = left.bins[at] if left.bins else at, <int64_t>left.sum[at]
        best.left_count, best.left_weight = <int64_t>left.count[at], <int64_t>left.weight[at]
    return best


cdef inline void gain_of_each(
    const LeftSides* left, Py_ssize_t n_listed, Py_ssize_t min_samples_leaf, Py_ssize_t* first, Py_ssize_t* stop
) noexcept nogil:
    """Compute the gains of the cuts after listed bins first..stop-1; the others leave a side with too few rows."""
    first[0], stop[0] = 0, n_listed - 1
    if n_listed < 2:
        return
    cdef double least = <double>min_samples_leaf
    cdef double total = left.sum[n_listed - 1], n_rows = left.count[n_listed - 1], n_node = left.weight[n_listed - 1]
    # 1. Both sides hold enough rows, and some weight (which is the count where rows have no weights).
    while first[0] < stop[0] and (left.count[first[0]] < least or left.weight[first[0]] <= 0):
        first[0] += 1
    while first[0] < stop[0] and (
        n_rows - left.count[stop[0] - 1] < least or n_node - left.weight[stop[0] - 1] <= 0
    ):
        stop[0] -= 1
    # 2. The gain of each cut: the reduction of the sum of squared errors, never negative, 0 for equal means.
    # From here on, both sides have weight: nothing is divided by 0.
    compute_gains(
        left.sum + first[0], left.weight + first[0], stop[0] - first[0], total, n_node, left.gains + first[0]
    )


cdef Cut best_three_way(
    const LeftSides* left, Py_ssize_t n_listed, Py_ssize_t n_bins, Py_ssize_t min_samples_leaf, int8_t missing
) noexcept nogil:
    """Find the best cut of a feature that some rows of the node lack: those in the last listed bin."""
    if not can_part(left, n_listed, min_samples_leaf):
        return no_cut()
    return join_cuts(
        part_missing(left, n_listed, n_bins), best_two_way(left, n_listed - 1, min_samples_leaf), missing
    )


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
    both.gain = parting.gain + among.gain
    if both.gain > parting.gain or (missing == NEEDS_CUT and among.gain > 0):
        return both
    return no_cut() if missing == NEEDS_CUT else parting


cdef Cut part_missing(const LeftSides* left, Py_ssize_t n_listed, Py_ssize_t n_bins) noexcept nogil:
    """Make the cut that separates the rows in the last listed bin from the others."""
    cdef Py_ssize_t last = n_listed - 1
    cdef double n_node = left.weight[last]
    cdef Cut cut = no_cut()
    compute_gains(left.sum + last - 1, left.weight + last - 1, 1, left.sum[last], n_node, &cut.gain)
    cut.bin, cut.left_sum = n_bins - 2, <int64_t>left.sum[last - 1]
    cut.left_count, cut.left_weight = <int64_t>left.count[last - 1], <int64_t>left.weight[last - 1]
    return cut
