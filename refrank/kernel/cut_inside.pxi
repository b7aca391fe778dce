"""The part of the kernel for cuts between many bins, included by _split.pyx: `best_split_inside`.

The histogram over coarse bins bounds what a cut inside a coarse bin can gain. Only where that is as much as the best
cut between coarse bins are rows summed in their own bins: in a few coarse bins of a few features.

Where some rows of the node lack a feature, its last coarse bin holds them. The gain of separating them is known, so the
gain that a cut among the others may add is bounded.
"""

cdef struct FineBins:  # of coarse bins, and the bins that they hold
    const int64_t* offsets
    const int64_t* coarse_offsets
    const int64_t* ends  # (n_coarse_slots,): the last bin of each coarse bin
    Py_ssize_t n_samples  # of the columns of labels


cdef struct Inside:  # buffers of one thread
    int32_t* places  # (n_rows,): rows of the node in the runs that are looked into
    int64_t* slots  # (n_bins, n_terms): the bins of one feature; 0 between uses
    uint64_t* marks  # one bit per bin; 0 between uses
    int32_t* listed  # (n_listed,): the bins in which a cut may be best, ascending
    uint64_t* looked_into  # one bit per bin, 1 where rows are summed; 0 between uses
    int64_t starts[3 * N_PIECES]  # (n_runs, n_terms): the sums to the left of each run
    uint8_t chosen[256]  # of the coarse bins
    Pieces pieces
    LeftSides left  # (n_listed,) each: the cuts after the listed bins
    double low, high  # the extremes of some of a node's values
    Range among  # of the node's rows that have the feature
    double enough[2]  # a gain that some cut of a node has, less its slack and more: what gains less is not looked for


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
    cdef Cut best = no_cut()
    if rows.shape[0] == 0:
        return as_split(&best)
    cdef int64_t[::1] values = np.empty(rows.shape[0], np.int64)
    cdef uint8_t[::1] cuts = np.empty(features.shape[0] * sizeof(Cut), np.uint8)
    cdef uint8_t[::1] buffers = np.empty(n_threads * sizeof(Inside), np.uint8)
    cdef CoarseNode node
    cdef FineBins bins
    bins.offsets, bins.coarse_offsets, bins.ends = &offsets[0], &coarse_offsets[0], &ends[0]
    bins.n_samples = column_codes.shape[1]
    node.sums, node.n_terms, node.rows, node.n_rows = &coarse_sums[0, 0], 2, &rows[0], rows.shape[0]
    node.integers, node.weights, node.values, node.number = &integers[0], NULL, &values[0], 0
    if weights is not None:
        node.n_terms, node.weights = 3, &weights[0]
    alive = allocate_inside(n_threads, find_widest(offsets, features), node.n_terms, node.n_rows, <Inside*>&buffers[0])
    with nogil:
        find_inside(
            &column_codes[0, 0], &bins, &node, 1, features, min_samples_leaf, missing, n_threads, <Inside*>&buffers[0],
            <Cut*>&cuts[0], &best,
        )
    return as_split(&best)


cdef list allocate_inside(int n_threads, Py_ssize_t widest, int n_terms, Py_ssize_t n_rows, Inside* buffers):
    """Allocate the buffers of so many threads; they last as long as the arrays that are returned."""
    cdef Py_ssize_t part
    cdef int32_t[:, ::1] places = np.empty((n_threads, n_rows), np.int32)
    cdef int64_t[:, :, ::1] slots = np.zeros((n_threads, widest, n_terms), np.int64)
    cdef uint64_t[:, :, ::1] bits = np.zeros((n_threads, 2, widest // 64 + 1), np.uint64)
    cdef int32_t[:, ::1] listed = np.empty((n_threads, widest + 1), np.int32)
    cdef uint16_t[:, ::1] piece_of_bin = np.empty((n_threads, widest), np.uint16)
    cdef uint16_t[:, ::1] piece_of_row = np.empty((n_threads, n_rows), np.uint16)
    cdef double[:, :, ::1] lefts = np.empty((n_threads, 4, widest))
    for part in range(n_threads):
        buffers[part].places, buffers[part].slots = &places[part, 0], &slots[part, 0, 0]
        buffers[part].marks, buffers[part].looked_into = &bits[part, 0, 0], &bits[part, 1, 0]
        buffers[part].listed = &listed[part, 0]
        buffers[part].pieces.of_bin, buffers[part].pieces.of_row = &piece_of_bin[part, 0], &piece_of_row[part, 0]
        buffers[part].left = left_sides(&lefts[part, 0, 0], widest, n_terms)
    return [places, slots, bits, listed, piece_of_bin, piece_of_row, lefts]


cdef void find_inside(
    const code_t* columns,
    const FineBins* bins,
    CoarseNode* nodes,
    int n_nodes,
    const int32_t[::1] features,
    Py_ssize_t min_samples_leaf,
    const int8_t[::1] missing,
    int n_threads,
    Inside* buffers,
    Cut* cuts,
    Cut* best,
) noexcept nogil:
    """Find the best cuts of one or two nodes; `buffers`, of each thread, and `cuts`, (n_nodes, n_features), are memory."""
    cdef Py_ssize_t n_features = features.shape[0], n_rows = 0, i, f, place, part
    cdef Py_ssize_t leading[2]
    cdef int k, n_parts
    cdef Cut cut
    for k in range(n_nodes):
        n_parts = n_threads if nodes[k].n_rows * n_features > WORTH_THREADS // 4 else 1
        nodes[k].range = range_of(&nodes[k], bins.coarse_offsets[1], n_parts, buffers)
        n_rows += nodes[k].n_rows
        cut, leading[k] = no_cut(), 0
        for i in range(n_features):
            raise_coarse(&nodes[k], bins, features[i], min_samples_leaf, missing, &buffers[0].left, &cut)
            if cut.feature == features[i]:
                leading[k] = i
        for part in range(n_threads):
            buffers[part].enough[k] = cut.gain - 2.0 * cut.slack
    n_parts = n_threads if n_rows * n_features > WORTH_THREADS // 4 else 1
    # The feature with the best cut between coarse bins goes first: its best cut leaves little to do in the others.
    for i in prange(n_nodes * n_features, schedule="dynamic", num_threads=n_parts):
        k = i % n_nodes
        place = i // n_nodes
        place = leading[k] if place == 0 else place - (place <= leading[k])
        f = features[place]
        cuts[k * n_features + place] = cut_feature(
            columns + f * bins.n_samples, bins, &nodes[k], f, min_samples_leaf, missing, buffers + threadid()
        )
    for k in range(n_nodes):
        best[k] = no_cut()
        for i in range(n_features):
            raise_best(&cuts[k * n_features + i], &best[k])


cdef void raise_coarse(
    const CoarseNode* node,
    const FineBins* bins,
    Py_ssize_t f,
    Py_ssize_t min_samples_leaf,
    const int8_t[::1] missing,
    LeftSides* left,
    Cut* best,
) noexcept nogil:
    """Raise `best` to the best cut between the coarse bins of one feature."""
    cdef Py_ssize_t n_coarse = bins.coarse_offsets[f + 1] - bins.coarse_offsets[f]
    sum_left(node.sums + node.n_terms * bins.coarse_offsets[f], node.n_terms, n_coarse, left)
    left.bins = NULL
    if some_miss(node, bins, f, missing):
        best_three_way(left, n_coarse, n_coarse, min_samples_leaf, missing[f], f, best)
    else:
        best_two_way(left, n_coarse, min_samples_leaf, f, best)


cdef bint some_miss(
    const CoarseNode* node, const FineBins* bins, Py_ssize_t f, const int8_t[::1] missing
) noexcept nogil:
    """Whether some rows of the node lack a feature: those in its last coarse bin."""
    cdef Py_ssize_t last = bins.coarse_offsets[f + 1] - 1
    return missing is not None and missing[f] and node.sums[node.n_terms * last + 1] > 0


cdef Cut cut_feature(
    const code_t* column,
    const FineBins* bins,
    const CoarseNode* node,
    Py_ssize_t f,
    Py_ssize_t min_samples_leaf,
    const int8_t[::1] missing,
    Inside* buffers,
) noexcept nogil:
    """Find the best cut of a feature, where it may be the best of all."""
    cdef Py_ssize_t n_bins = bins.offsets[f + 1] - bins.offsets[f], first = bins.coarse_offsets[f], n_inside
    cdef LeftSides* left = &buffers.left
    cdef double* enough = buffers.enough + node.number
    cdef Cut cut = no_cut(), parting = no_cut()
    cdef Runs runs
    runs.n, runs.chosen = bins.coarse_offsets[f + 1] - first, buffers.chosen
    runs.ends, runs.sums = bins.ends + first, node.sums + node.n_terms * first
    buffers.among = node.range
    left.bins = NULL
    if some_miss(node, bins, f, missing):
        sum_left(runs.sums, node.n_terms, runs.n, left)
        if not can_part(left, runs.n, min_samples_leaf):
            return no_cut()
        parting = part_missing(left, runs.n, n_bins, f)
        runs.n -= 1
        buffers.among = range_among(
            node.range, left.sum[runs.n - 1], left.count[runs.n - 1], left.weight[runs.n - 1]
        )
    memset(runs.chosen, 1, runs.n)
    n_inside = choose_runs(&runs, node.n_terms, parting.gain, enough[0], &buffers.among)
    if n_inside * 8 > node.n_rows > WORTH_PIECES:
        divide_runs(&runs, n_bins, &buffers.pieces)
        runs = sum_pieces(column, node, &buffers.pieces)
        sum_left(runs.sums, node.n_terms, runs.n, left)
        best_two_way(left, runs.n, min_samples_leaf, f, &cut)
        if parting.bin >= 0:
            cut = join_cuts(parting, cut, missing[f])
        enough[0] = max(enough[0], cut.gain - 2.0 * cut.slack)
        n_inside = choose_runs(&runs, node.n_terms, parting.gain, enough[0], &buffers.among)
    if n_inside < 0:
        return no_cut()
    mark_runs(&runs, node.n_terms, buffers)
    if n_inside > 0:
        if runs.sums == buffers.pieces.sums:
            n_inside = list_in_pieces(node, &buffers.pieces, buffers.places)
        else:
            n_inside = list_in_runs(column, &runs, n_bins, node, buffers)
        add_rows_inside(column, n_inside, node, buffers)
    cut = best_listed(n_bins, runs.ends, node.n_terms, min_samples_leaf, f, buffers)
    if parting.bin >= 0:
        cut = join_cuts(parting, cut, missing[f])
    enough[0] = max(enough[0], cut.gain - 2.0 * cut.slack)
    return cut


cdef Py_ssize_t choose_runs(Runs* runs, int n_terms, double parting, double enough, const Range* among) noexcept nogil:
    """Keep the chosen runs in which a cut may gain `enough`, together with the gain of separating the other rows.

    Return the number of rows in those of several bins; -1 where none is kept.
    """
    cdef Py_ssize_t i, term, n_inside = -1
    cdef int64_t previous = -1
    cdef int64_t left[3]
    cdef const int64_t* sums = runs.sums
    left[0] = left[1] = left[2] = 0
    for i in range(runs.n):
        # A bound exceeds the gains that it stands for, and rounded sums do not change their order: a cut that ties is
        # looked for, too.
        if runs.chosen[i]:
            runs.chosen[i] = sums[1] > 0 and (
                parting + bound_gain(sums, n_terms, left, among) >= enough
            )
        if runs.chosen[i]:
            n_inside = max(n_inside, <Py_ssize_t>0) + (sums[1] if runs.ends[i] - previous > 1 else 0)
        for term in range(n_terms):
            left[term] += sums[term]
        previous = runs.ends[i]
        sums += n_terms
    return n_inside


cdef void mark_runs(const Runs* runs, int n_terms, Inside* buffers) noexcept nogil:
    """Mark the chosen runs of one bin, with their sums; the rows of those that stay chosen will be summed in their bins."""
    cdef Py_ssize_t i, term
    cdef int64_t end, previous = -1
    cdef int64_t left[3]
    cdef const int64_t* sums = runs.sums
    left[0] = left[1] = left[2] = 0
    for i in range(runs.n):
        end = runs.ends[i]
        memcpy(buffers.starts + n_terms * i, left, n_terms * sizeof(int64_t))
        if runs.chosen[i] and end - previous == 1:
            memcpy(buffers.slots + n_terms * end, sums, n_terms * sizeof(int64_t))
            buffers.marks[end >> 6] |= <uint64_t>1 << (end & 63)
            runs.chosen[i] = 0
        for term in range(n_terms):
            left[term] += sums[term]
        previous = end
        sums += n_terms


cdef void set_bits(uint64_t* bits, int64_t first, int64_t last) noexcept nogil:
    """Set the bits first..last, both among them."""
    cdef int64_t word, start = first >> 6, end = last >> 6
    cdef uint64_t every = ~<uint64_t>0, from_first = every << (first & 63), up_to_last = every >> (63 - (last & 63))
    for word in range(start, end + 1):
        bits[word] |= (from_first if word == start else every) & (up_to_last if word == end else every)


cdef Py_ssize_t list_in_runs(
    const code_t* column, const Runs* runs, Py_ssize_t n_bins, const CoarseNode* node, Inside* buffers
) noexcept nogil:
    """List a node's rows in the chosen runs; return how many there are."""
    cdef Py_ssize_t i, n_places = 0, bin
    for i in range(runs.n):
        if runs.chosen[i]:
            set_bits(buffers.looked_into, runs.ends[i - 1] + 1 if i > 0 else 0, runs.ends[i])
    for i in range(node.n_rows):
        if i + AHEAD < node.n_rows:
            prefetch(column + node.rows[i + AHEAD])
        bin = column[node.rows[i]]
        buffers.places[n_places] = node.rows[i]
        n_places += (buffers.looked_into[bin >> 6] >> (bin & 63)) & 1
    memset(buffers.looked_into, 0, ((n_bins + 63) >> 6) * sizeof(uint64_t))
    return n_places


cdef void add_rows_inside(
    const code_t* column, Py_ssize_t n_places, const CoarseNode* node, Inside* buffers
) noexcept nogil:
    """Sum the listed rows in their own bins, and mark these."""
    cdef Py_ssize_t i, bin
    cdef int32_t row
    cdef int64_t* slot
    for i in range(n_places):
        row = buffers.places[i]
        bin = column[row]
        slot = buffers.slots + node.n_terms * bin
        slot[0] += node.integers[row]
        slot[1] += 1
        if node.weights != NULL:
            slot[2] += node.weights[row]
        buffers.marks[bin >> 6] |= <uint64_t>1 << (bin & 63)


cdef Cut best_listed(
    Py_ssize_t n_bins, const int64_t* ends, int n_terms, Py_ssize_t min_samples_leaf, Py_ssize_t f, Inside* buffers
) noexcept nogil:
    """Find the best cut after one of the marked bins; clear marks and slots."""
    cdef Py_ssize_t word, bin, i, term, c = -1, n_listed = 0, first = 0, stop
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
