"""The part of the kernel for traces, included by _split.pyx: `rank_cuts` of yardstick/traces/contest.py."""

cdef struct Ranking:  # of cuts
    Cut best
    double next_gain  # of the best cut that gains less; 0 where there is none
    int64_t next_feature, next_bin
    Py_ssize_t n_tied  # runs of neighbouring cuts that gain as much as the best


cdef Py_ssize_t FEW_RUNS = 64  # memory for every run of a large histogram takes longer than to rank its cuts


def rank_cuts(
    const int64_t[:, ::1] sums,
    const int64_t[::1] offsets,
    const int32_t[::1] features,
    Py_ssize_t min_samples_leaf,
    int n_threads,
):
    cut, tied, second, is_whole = rank_some(sums, offsets, features, min_samples_leaf, n_threads, FEW_RUNS)
    if not is_whole:
        cut, tied, second, _ = rank_some(sums, offsets, features, min_samples_leaf, n_threads, sums.shape[0])
    return cut, tied, second


cdef tuple rank_some(
    const int64_t[:, ::1] sums,
    const int64_t[::1] offsets,
    const int32_t[::1] features,
    Py_ssize_t min_samples_leaf,
    int n_threads,
    Py_ssize_t most_runs,
):
    """Rank the cuts; each part of the features lists at most `most_runs` runs of ties. Last, whether these are all."""
    cdef Py_ssize_t n_features = features.shape[0], widest = 0, part, i
    cdef int n_parts = n_threads if sums.shape[0] > WORTH_THREADS // 4 else 1
    for i in range(n_features):
        widest = max(widest, offsets[features[i] + 1] - offsets[features[i]])
    cdef double[:, :, ::1] lefts = np.empty((n_parts, 4, widest))
    cdef int64_t[:, :, ::1] tied = np.empty((n_parts, most_runs, 3), np.int64)
    cdef uint8_t[::1] memory = np.empty(n_parts * sizeof(Ranking), np.uint8)
    cdef Ranking* rankings = <Ranking*>&memory[0]
    cdef Cut best = no_cut()
    cdef Ranking own
    cdef bint is_whole = True
    for part in prange(n_parts, nogil=True, schedule="static", num_threads=n_parts):
        rankings[part] = rank_cuts_of_features(
            sums, offsets, features, n_features * part // n_parts, n_features * (part + 1) // n_parts,
            min_samples_leaf, left_sides(&lefts[part, 0, 0], widest, <int>sums.shape[1]), tied[part],
        )
    for part in range(n_parts):
        if rankings[part].best.gain > best.gain:
            best = rankings[part].best
    second = (0.0, -1, -1)
    listed = []
    for part in range(n_parts):
        own = rankings[part]
        if own.best.gain == best.gain:
            listed += [(tied[part, i, 0], tied[part, i, 1], tied[part, i, 2]) for i in range(min(own.n_tied, most_runs))]
            is_whole = is_whole and own.n_tied <= most_runs
        elif own.best.gain > second[0]:
            second = own.best.gain, own.best.feature, own.best.bin
        if own.next_gain > second[0]:
            second = own.next_gain, own.next_feature, own.next_bin
    cut = best.feature, best.bin, best.gain, best.left_sum, best.left_count, best.left_weight
    return cut, listed, second, is_whole


cdef Ranking rank_cuts_of_features(
    const int64_t[:, ::1] sums,
    const int64_t[::1] offsets,
    const int32_t[::1] features,
    Py_ssize_t begin,
    Py_ssize_t end,
    Py_ssize_t min_samples_leaf,
    LeftSides left,
    int64_t[:, ::1] tied,
) noexcept nogil:
    """Find the best cut of features[begin:end], its ties, and the next; count all runs, and list those that fit."""
    cdef Py_ssize_t i, j, f, first, stop, most_runs = tied.shape[0]
    cdef double gain
    cdef bint goes_on
    cdef Ranking ranking
    ranking.best, ranking.n_tied = no_cut(), 0
    ranking.next_gain, ranking.next_feature, ranking.next_bin = 0.0, -1, -1
    for i in range(begin, end):
        f = features[i]
        sum_left(&sums[offsets[f], 0], <int>sums.shape[1], offsets[f + 1] - offsets[f], &left)
        gain_of_each(&left, offsets[f + 1] - offsets[f], min_samples_leaf, &first, &stop)
        for j in range(first, stop):
            gain = left.gains[j]
            if gain <= ranking.next_gain:  # most cuts
                continue
            if gain == ranking.best.gain:
                goes_on = j > first and left.gains[j - 1] == gain
                ranking.n_tied += not goes_on
                if ranking.n_tied <= most_runs:
                    if not goes_on:
                        tied[ranking.n_tied - 1, 0], tied[ranking.n_tied - 1, 1] = f, j
                    tied[ranking.n_tied - 1, 2] = j
            elif gain < ranking.best.gain:
                ranking.next_gain, ranking.next_feature, ranking.next_bin = gain, f, j
            else:
                ranking.next_gain = ranking.best.gain
                ranking.next_feature, ranking.next_bin = ranking.best.feature, ranking.best.bin
                ranking.best.gain, ranking.best.feature, ranking.best.bin = gain, f, j
                ranking.best.left_sum, ranking.best.left_count = <int64_t>left.sum[j], <int64_t>left.count[j]
                ranking.best.left_weight = <int64_t>left.weight[j]
                tied[0, 0], tied[0, 1], tied[0, 2] = f, j, j
                ranking.n_tied = 1
    return ranking
