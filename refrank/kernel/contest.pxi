"""The part of the kernel for traces, included by _split.pyx: `rank_cuts` of refrank/trees/contest.py."""


def rank_cuts(
    const int64_t[:, ::1] sums,
    const int64_t[::1] offsets,
    const int32_t[::1] features,
    Py_ssize_t min_samples_leaf,
):
    cdef Py_ssize_t n_features = features.shape[0], widest = 0, i, j, f, n_bins, first, stop
    cdef Py_ssize_t last_feature = -1, last_bin = -1
    for j in range(n_features):
        widest = max(widest, offsets[features[j] + 1] - offsets[features[j]])
    cdef double[:, ::1] memory = np.empty((4, widest))
    cdef LeftSides left = left_sides(&memory[0, 0], widest, <int>sums.shape[1])
    cdef Cut best = best_of_features(sums, offsets, features, 0, n_features, min_samples_leaf, None, left)
    cdef Cut cut, second = no_cut()
    cdef double total, n_node
    tied = []
    for j in range(n_features if best.feature >= 0 else 0):
        f = features[j]
        n_bins = offsets[f + 1] - offsets[f]
        sum_left(&sums[offsets[f], 0], <int>sums.shape[1], n_bins, &left)
        find_allowed(&left, n_bins, min_samples_leaf, &first, &stop)
        total, n_node = left.sum[n_bins - 1], left.weight[n_bins - 1]
        compute_gains(left.sum + first, left.weight + first, stop - first, total, n_node, left.gains + first)
        for i in range(first, stop):
            if left.gains[i] < second.gain - 2.0 * second.slack or left.gains[i] == 0.0:  # most cuts
                continue
            cut = make_cut(&left, i, total, n_node, left.gains[i])
            cut.feature, cut.bin = f, i
            if compare_gains(&cut, &best) < 0:
                raise_best(&cut, &second)
                continue
            if f != last_feature or i != last_bin + 1:
                tied.append([f, i, i])
            last_feature, last_bin = f, i
            tied[len(tied) - 1][2] = i
    return [tuple(run) for run in tied], (second.feature, second.bin), best.gain - second.gain
