"""The part of the kernel for metrics, included by _split.pyx: `rank_first` of refrank/metrics/ordering.py."""

from cython.parallel cimport threadid

# With more slots than these, sorting all documents takes less time than inserting each into its place.
cdef Py_ssize_t MOST_SLOTS = 32

cdef struct Ranked:
    double score
    int64_t row


def rank_first(
    const double[::1] scores,
    const int8_t[::1] labels,
    const int64_t[::1] second,
    const int64_t[::1] rows,
    const int64_t[::1] starts,
    const int64_t[::1] lengths,
    Py_ssize_t width,
    int n_threads,
):
    cdef Py_ssize_t n_block = starts.shape[0], line, longest = 0, n_documents = 0
    cdef int used_threads
    cdef const int64_t* keys = NULL
    ranked = np.empty((n_block, width), np.int64)
    found, best = np.empty((n_block, width), np.int8), np.empty((n_block, width), np.int8)
    cdef int64_t[:, ::1] ranked_rows = ranked
    cdef int8_t[:, ::1] ranked_labels = found, best_labels = best
    if second is not None:
        keys = &second[0]
    for line in range(n_block):
        longest = max(longest, lengths[line])
        n_documents += lengths[line]
    used_threads = n_threads if n_documents > WORTH_THREADS // 4 else 1
    # Each thread has one piece of memory for all its queries: it stays in the cache.
    cdef uint8_t[:, ::1] memory = np.empty((used_threads, 2 * longest * sizeof(Ranked)), np.uint8)
    for line in prange(n_block, nogil=True, schedule="dynamic", chunksize=64, num_threads=used_threads):
        rank_query(
            &scores[0], &labels[0], keys, &rows[starts[line]], lengths[line], width, <Ranked*>&memory[threadid(), 0],
            &ranked_rows[line, 0], &ranked_labels[line, 0], &best_labels[line, 0],
        )
    return ranked, found, best


cdef void rank_query(
    const double* scores,
    const int8_t* labels,
    const int64_t* second,
    const int64_t* rows,
    Py_ssize_t length,
    Py_ssize_t width,
    Ranked* ranked,
    int64_t* ranked_rows,
    int8_t* ranked_labels,
    int8_t* best_labels,
) noexcept nogil:
    cdef int32_t count[128]
    cdef Py_ssize_t n = min(length, width), i
    cdef int label, top = 0
    # 1. Descending scores; equal scores by ascending second key, then in the order of the input.
    if n <= MOST_SLOTS:
        insert_first(scores, second, rows, length, n, ranked)
    else:
        ranked = sort_all(scores, second, rows, length, ranked, ranked + length)
    # 2. The labels in this order.
    for i in range(n):
        ranked_rows[i] = ranked[i].row
        ranked_labels[i] = labels[ranked[i].row]
    # 3. The labels in the best order: sorted by counting.
    memset(count, 0, sizeof(count))
    for i in range(length):
        label = labels[rows[i]]
        count[label] += 1
        top = max(top, label)
    for i in range(n):
        while count[top] == 0:
            top = top - 1
        best_labels[i] = <int8_t>top
        count[top] -= 1
    for i in range(n, width):
        ranked_rows[i], ranked_labels[i], best_labels[i] = -1, 0, 0


cdef inline bint is_before(const Ranked one, const Ranked other, const int64_t* second) noexcept nogil:
    if one.score == other.score and second:
        return second[one.row] < second[other.row]
    return one.score > other.score


cdef void insert_first(
    const double* scores, const int64_t* second, const int64_t* rows, Py_ssize_t length, Py_ssize_t n, Ranked* slots
) noexcept nogil:
    """Insert each document that is before the last of n slots: most are not."""
    cdef Py_ssize_t i, slot
    cdef Ranked document
    for i in range(length):
        document.score, document.row = scores[rows[i]], rows[i]
        slot = min(i, n - 1)
        if i >= n and not is_before(document, slots[slot], second):
            continue
        while slot > 0 and is_before(document, slots[slot - 1], second):
            slots[slot] = slots[slot - 1]
            slot = slot - 1
        slots[slot] = document


cdef Ranked* sort_all(
    const double* scores,
    const int64_t* second,
    const int64_t* rows,
    Py_ssize_t length,
    Ranked* ranked,
    Ranked* spare,
) noexcept nogil:
    """Sort by merging runs: first of 8 documents, then of 16, 32, ...; return which of the two buffers is sorted."""
    cdef Py_ssize_t run = 8, start, middle, stop, a, b, i
    cdef bint later
    for start in range(0, length, 8):
        insert_first(scores, second, rows + start, min(8, length - start), min(8, length - start), ranked + start)
    while run < length:
        start = 0
        while start < length:
            middle, stop = min(start + run, length), min(start + 2 * run, length)
            a, b, i = start, middle, start
            while a < middle and b < stop:
                later = is_before(ranked[b], ranked[a], second)  # equal ones: the earlier first
                spare[i] = ranked[b if later else a]
                a += not later
                b += later
                i += 1
            memcpy(spare + i, ranked + a, (middle - a) * sizeof(Ranked))
            memcpy(spare + i + (middle - a), ranked + b, (stop - b) * sizeof(Ranked))
            start = stop
        ranked, spare = spare, ranked
        run *= 2
    return ranked
