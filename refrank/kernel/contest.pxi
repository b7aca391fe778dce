"""The part of the kernel for traces, included by _split.pyx: `rank_cuts` of refrank/trees/contest.py."""


def rank_cuts(
    const int64_t[:, ::1] sums,
    const int64_t[::1] offsets,
    const int32_t[::1] features,
    Py_ssize_t min_samples_leaf,
):
    """Compare all cuts of a node; before the fields of a Contest, return those of its best cut, as `best_split` does."""
    cdef Py_ssize_t n_features = features.shape[0], widest = 0, i, j, f, n_bins, first, stop
    cdef Py_ssize_t last_feature = -1, last_bin = -1
    for j in range(n_features):
        widest = max(widest, offsets[features[j] + 1] - offsets[features[j]])
    cdef double[:, ::1] memory = np.empty((4, widest))
    cdef LeftSides left = left_sides(&memory[0, 0], widest, <int>sums.shape[1])
    cdef Cut cut, best = no_cut(), second = no_cut()
    cdef double total, n_node, largest, low
    cdef int order
    tied = []
    for j in range(n_features):
        f = features[j]
        n_bins = offsets[f + 1] - offsets[f]
        sum_left(&sums[offsets[f], 0], <int>sums.shape[1], n_bins, &left)
        find_allowed(&left, n_bins, min_samples_leaf, &first, &stop)
        total, n_node = left.sum[n_bins - 1], left.weight[n_bins - 1]
        largest = compute_gains(left.sum + first, left.weight + first, stop - first, total, n_node, left.gains + first)
        low = second.gain - 2.0 * second.slack
        if largest < low or largest == 0.0:  # most features
            continue
        for i in range(first, stop):
            if left.gains[i] < low or left.gains[i] == 0.0:  # most cuts
                continue
            cut = make_cut(&left, i, total, n_node, left.gains[i])
            cut.feature, cut.bin = f, i
            order = compare_gains(&cut, &best)
            if order < 0:
                raise_best(&cut, &second)
                low = second.gain - 2.0 * second.slack
                continue
            if order > 0:  # none that was the best before is a tie
                second, best = best, cut
                low = second.gain - 2.0 * second.slack
                tied, last_feature = [], -1
            if f != last_feature or i != last_bin + 1:
                tied.append([f, i, i])
            last_feature, last_bin = f, i
            tied[len(tied) - 1][2] = i
    return as_split(&best), [tuple(run) for run in tied], (second.feature, second.bin), best.gain - second.gain
