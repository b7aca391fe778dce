"""The part of the kernel for cuts between many bins, included by _split.pyx: `best_split_inside`.

The histogram over coarse bins bounds what a cut inside a coarse bin can gain. Only where that is as much as the best
cut between coarse bins are rows summed in their own bins: in a few coarse bins of a few features.

Where some rows of the node lack a feature, its last coarse bin holds them. The gain of separating them is known, so the
gain that a cut among the others may add is bounded.
"""

cdef struct Inside:  # buffers of one thread
    int32_t* places  # (n_rows,): rows of the node in the runs that are looked into
    int n_terms  # 2: sum and count; 3: sum, count and weight
    int64_t* slots  # (n_bins, n_terms): the bins of one feature; 0 between uses
    uint64_t* marks  # one bit per bin; 0 between uses
    int32_t* listed  # (n_listed,): the bins in which a cut may be best, ascending
    uint64_t* looked_into  # one bit per bin, 1 where rows are summed; 0 between uses
    int64_t starts[3 * N_PIECES]  # (n_runs, n_terms): the sums to the left of each run
    uint8_t chosen[256]  # of the coarse bins
    Pieces pieces
    LeftSides left  # (n_listed,) each: the cuts after the listed bins
    Range node
    Range among  # of the rows that have the feature
    double enough  # a gain that some cut has, less its slack and more: what gains less is not looked for


def best_split_inside(
    const code_t[:, ::1] column_codes,
    const int64_t[::1] offsets,
    const int64_t[::1] coarse_offsets,
    const int64_t[::1] ends,
    const int64_t[:, ::1] coarse_sums,
    const int32_t[::1] rows,
    const int64_t[::1] integers,
    const int64_t[::1] weights,
    const int32_t[::1] features,
    Py_ssize_t min_samples_leaf,
    int n_threads,
    const int8_t[::1] missing=None,
):
    cdef Py_ssize_t n_rows = rows.shape[0], n_features = features.shape[0], widest = 0, i, part, place
    cdef int n_parts = n_threads if n_rows * n_features > WORTH_THREADS // 4 else 1
    cdef int n_terms = 2 if weights is None else 3
    cdef Cut best = no_cut()
    if n_rows == 0:
        return as_split(&best)
    for i in range(n_features):
        widest = max(widest, offsets[features[i] + 1] - offsets[features[i]])
    cdef int32_t[:, ::1] places = np.empty((n_parts, n_rows), np.int32)
    cdef int64_t[:, :, ::1] slots = np.zeros((n_parts, widest, n_terms), np.int64)
    cdef uint64_t[:, ::1] marks = np.zeros((n_parts, widest // 64 + 1), np.uint64)
    cdef int32_t[:, ::1] listed = np.empty((n_parts, widest + 1), np.int32)
    cdef uint64_t[:, ::1] looked_into = np.zeros((n_parts, widest // 64 + 1), np.uint64)
    cdef uint16_t[:, ::1] piece_of_bin = np.empty((n_parts, widest), np.uint16)
    cdef double[:, :, ::1] lefts = np.empty((n_parts, 4, max(widest, <Py_ssize_t>256)))
    cdef int64_t[::1] values = np.empty(n_rows, np.int64)
    cdef Py_ssize_t leading = 0
    cdef uint8_t[::1] memory = np.empty(n_features * sizeof(Cut), np.uint8)
    cdef uint8_t[::1] buffer_memory = np.empty(n_parts * sizeof(Inside), np.uint8)
    cdef Cut* cuts = <Cut*>&memory[0]
    cdef Inside* buffers = <Inside*>&buffer_memory[0]
    cdef Range node = range_of(coarse_sums, coarse_offsets[1], rows, integers, weights, values, n_parts)
    for part in range(n_parts):
        buffers[part].places, buffers[part].n_terms = &places[part, 0], n_terms
        buffers[part].slots, buffers[part].marks = &slots[part, 0, 0], &marks[part, 0]
        buffers[part].listed, buffers[part].looked_into = &listed[part, 0], &looked_into[part, 0]
        buffers[part].pieces.of_bin = &piece_of_bin[part, 0]
        buffers[part].left = left_sides(&lefts[part, 0, 0], lefts.shape[2], n_terms)
        buffers[part].node = node
    with nogil:
        for i in range(n_features):
            raise_coarse(
                coarse_sums, coarse_offsets, features[i], min_samples_leaf, missing, n_terms, &buffers[0].left, &best
            )
            if best.feature == features[i]:
                leading = i
    for part in range(n_parts):
        buffers[part].enough = best.gain - 2.0 * best.slack
    best = no_cut()
    # The feature with the best cut between coarse bins goes first: its best cut leaves little to do in the others.
    for i in prange(n_features, nogil=True, schedule="dynamic", num_threads=n_parts):
        place = leading if i == 0 else i - (i <= leading)
        cuts[place] = cut_feature(
            column_codes, offsets, coarse_offsets, ends, coarse_sums, rows, integers, weights, values, features[place],
            min_samples_leaf, missing, buffers + threadid(),
        )
    for i in range(n_features):
        raise_best(&cuts[i], &best)
    return as_split(&best)


cdef void raise_coarse(
    const int64_t[:, ::1] coarse_sums,
    const int64_t[::1] coarse_offsets,
    Py_ssize_t f,
    Py_ssize_t min_samples_leaf,
    const int8_t[::1] missing,
    Py_ssize_t n_terms,
    LeftSides* left,
    Cut* best,
) noexcept nogil:
    """Raise `best` to the best cut between the coarse bins of one feature."""
    cdef Py_ssize_t n_coarse = coarse_offsets[f + 1] - coarse_offsets[f]
    sum_left_runs(&coarse_sums[coarse_offsets[f], 0], coarse_sums.shape[1], n_terms, n_coarse, left)
    if some_miss(coarse_sums, coarse_offsets, f, missing):
        best_three_way(left, n_coarse, n_coarse, min_samples_leaf, missing[f], f, best)
    else:
        best_two_way(left, n_coarse, min_samples_leaf, f, best)


cdef bint some_miss(
    const int64_t[:, ::1] coarse_sums, const int64_t[::1] coarse_offsets, Py_ssize_t f, const int8_t[::1] missing
) noexcept nogil:
    """Whether some rows of the node lack a feature: those in its last coarse bin."""
    return missing is not None and missing[f] and coarse_sums[coarse_offsets[f + 1] - 1, 1] > 0


cdef void sum_left_runs(
    const int64_t* sums, Py_ssize_t n_columns, Py_ssize_t n_terms, Py_ssize_t n_runs, LeftSides* left
) noexcept nogil:
    """Sum the slots of one feature up to each of its runs of bins."""
    cdef Py_ssize_t i
    cdef int64_t left_sum = 0, left_count = 0, left_weight = 0
    left.bins = NULL
    for i in range(n_runs):
        left_sum += sums[n_columns * i]
        left_count += sums[n_columns * i + 1]
        left_weight += sums[n_columns * i + n_terms - 1]
        left.sum[i], left.count[i], left.weight[i] = <double>left_sum, <double>left_count, <double>left_weight


cdef Cut cut_feature(
    const code_t[:, ::1] column_codes,
    const int64_t[::1] offsets,
    const int64_t[::1] coarse_offsets,
    const int64_t[::1] ends,
    const int64_t[:, ::1] coarse_sums,
    const int32_t[::1] rows,
    const int64_t[::1] integers,
    const int64_t[::1] weights,
    const int64_t[::1] values,
    Py_ssize_t f,
    Py_ssize_t min_samples_leaf,
    const int8_t[::1] missing,
    Inside* buffers,
) noexcept nogil:
    """Find the best cut of a feature, where it may be the best of all."""
    cdef Py_ssize_t n_bins = offsets[f + 1] - offsets[f], first = coarse_offsets[f], n_inside
    cdef LeftSides* left = &buffers.left
    cdef Cut cut = no_cut(), parting = no_cut()
    cdef Runs runs
    runs.n, runs.n_columns = coarse_offsets[f + 1] - first, coarse_sums.shape[1]
    runs.ends, runs.sums, runs.chosen = &ends[first], &coarse_sums[first, 0], buffers.chosen
    buffers.among = buffers.node
    if some_miss(coarse_sums, coarse_offsets, f, missing):
        sum_left_runs(runs.sums, runs.n_columns, buffers.n_terms, runs.n, left)
        if not can_part(left, runs.n, min_samples_leaf):
            return no_cut()
        parting = part_missing(left, runs.n, n_bins, f)
        runs.n -= 1
        buffers.among = range_among(
            buffers.node, left.sum[runs.n - 1], left.count[runs.n - 1], left.weight[runs.n - 1]
        )
    memset(runs.chosen, 1, runs.n)
    n_inside = choose_runs(&runs, parting.gain, buffers)
    if n_inside * 8 > rows.shape[0] > WORTH_PIECES:
        divide_runs(&runs, n_bins, &buffers.pieces)
        runs = sum_pieces(&column_codes[f, 0], rows, values, weights, buffers.node.is_narrow, &buffers.pieces)
        sum_left_runs(runs.sums, runs.n_columns, buffers.n_terms, runs.n, left)
        best_two_way(left, runs.n, min_samples_leaf, f, &cut)
        if parting.bin >= 0:
            cut = join_cuts(parting, cut, missing[f])
        buffers.enough = max(buffers.enough, cut.gain - 2.0 * cut.slack)
        n_inside = choose_runs(&runs, parting.gain, buffers)
    if n_inside < 0:
        return no_cut()
    mark_runs(&runs, buffers)
    if n_inside > 0:
        add_rows_inside(&column_codes[f, 0], n_bins, rows, integers, weights, buffers)
    cut = best_listed(n_bins, runs.ends, min_samples_leaf, f, buffers)
    if parting.bin >= 0:
        cut = join_cuts(parting, cut, missing[f])
    buffers.enough = max(buffers.enough, cut.gain - 2.0 * cut.slack)
    return cut


cdef Py_ssize_t choose_runs(Runs* runs, double parting, Inside* buffers) noexcept nogil:
    """Keep the chosen runs in which a cut may gain `enough`, together with the gain of separating the other rows.

    Return the number of rows in those of several bins; -1 where none is kept.
    """
    cdef Py_ssize_t i, term, n_terms = buffers.n_terms, n_inside = -1
    cdef int64_t previous = -1
    cdef int64_t left[3]
    cdef const int64_t* sums = runs.sums
    left[0] = left[1] = left[2] = 0
    for i in range(runs.n):
        # A bound exceeds the gains that it stands for, and rounded sums do not change their order: a cut that ties is
        # looked for, too.
        if runs.chosen[i]:
            runs.chosen[i] = sums[1] > 0 and (
                parting + bound_gain(sums, runs.n_columns, n_terms, left, &buffers.among) >= buffers.enough
            )
        if runs.chosen[i]:
            n_inside = max(n_inside, <Py_ssize_t>0) + (sums[1] if runs.ends[i] - previous > 1 else 0)
        for term in range(n_terms):
            left[term] += sums[term]
        previous = runs.ends[i]
        sums += runs.n_columns
    return n_inside


cdef void mark_runs(const Runs* runs, Inside* buffers) noexcept nogil:
    """Mark the chosen runs of one bin, with their sums, and those of several, whose rows will be summed in their bins."""
    cdef Py_ssize_t i, term, n_terms = buffers.n_terms
    cdef int64_t end, previous = -1
    cdef int64_t left[3]
    cdef const int64_t* sums = runs.sums
    left[0] = left[1] = left[2] = 0
    for i in range(runs.n):
        end = runs.ends[i]
        memcpy(buffers.starts + n_terms * i, left, n_terms * sizeof(int64_t))
        if runs.chosen[i]:
            if end - previous > 1:
                set_bits(buffers.looked_into, previous + 1, end)
            else:
                memcpy(buffers.slots + n_terms * end, sums, n_terms * sizeof(int64_t))
                buffers.marks[end >> 6] |= <uint64_t>1 << (end & 63)
        for term in range(n_terms):
            left[term] += sums[term]
        previous = end
        sums += runs.n_columns


cdef void set_bits(uint64_t* bits, int64_t first, int64_t last) noexcept nogil:
    """Set the bits first..last, both among them."""
    cdef int64_t word, start = first >> 6, end = last >> 6
    cdef uint64_t every = ~<uint64_t>0, from_first = every << (first & 63), up_to_last = every >> (63 - (last & 63))
    for word in range(start, end + 1):
        bits[word] |= (from_first if word == start else every) & (up_to_last if word == end else every)


cdef void add_rows_inside(
    const code_t* column,
    Py_ssize_t n_bins,
    const int32_t[::1] rows,
    const int64_t[::1] integers,
    const int64_t[::1] weights,
    Inside* buffers,
) noexcept nogil:
    """Sum the rows of the chosen runs in their own bins, and mark these; clear the choice."""
    cdef Py_ssize_t i, n_places = 0, n_rows = rows.shape[0], bin
    cdef int32_t row
    cdef int64_t* slot
    for i in range(n_rows):
        row = rows[i]
        bin = column[row]
        buffers.places[n_places] = row
        n_places += (buffers.looked_into[bin >> 6] >> (bin & 63)) & 1
    memset(buffers.looked_into, 0, ((n_bins + 63) >> 6) * sizeof(uint64_t))
    for i in range(n_places):
        row = buffers.places[i]
        bin = column[row]
        slot = buffers.slots + buffers.n_terms * bin
        slot[0] += integers[row]
        slot[1] += 1
        if weights is not None:
            slot[2] += weights[row]
        buffers.marks[bin >> 6] |= <uint64_t>1 << (bin & 63)


cdef Cut best_listed(
    Py_ssize_t n_bins, const int64_t* ends, Py_ssize_t min_samples_leaf, Py_ssize_t f, Inside* buffers
) noexcept nogil:
    """Find the best cut after one of the marked bins; clear marks and slots."""
    cdef Py_ssize_t word, bin, i, c = -1, n_listed = 0, first = 0, stop
    cdef Py_ssize_t n_terms = buffers.n_terms, term
    cdef uint64_t bits
    cdef int64_t up_to[3]
    cdef int64_t* slot
    cdef LeftSides* left = &buffers.left
    cdef Range among = buffers.among
    cdef double least = <double>min_samples_leaf
    cdef Cut best = no_cut()
    for word in range((n_bins + 63) // 64):
        bits = buffers.marks[word]
        while bits:
            buffers.listed[n_listed] = <int32_t>(word * 64 + lowest_bit(bits))
            n_listed += 1
            bits &= bits - 1
        buffers.marks[word] = 0
    for i in range(n_listed):
        bin = buffers.listed[i]
        if c < 0 or bin > ends[c]:  # the first one of its run
            c = max(c, <Py_ssize_t>0)
            while bin > ends[c]:
                c += 1
            memcpy(up_to, buffers.starts + n_terms * c, n_terms * sizeof(int64_t))
        slot = buffers.slots + n_terms * bin
        for term in range(n_terms):
            up_to[term] += slot[term]
            slot[term] = 0
        left.sum[i], left.count[i], left.weight[i] = <double>up_to[0], <double>up_to[1], <double>up_to[n_terms - 1]
    stop = n_listed
    while first < stop and (left.count[first] < least or left.weight[first] <= 0):
        first += 1
    while first < stop and (among.n_rows - left.count[stop - 1] < least or among.weight - left.weight[stop - 1] <= 0):
        stop -= 1
    left.bins = buffers.listed
    best_between(left, first, stop, among.total, among.weight, f, &best)
    return best
