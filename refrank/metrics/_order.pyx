# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Rankings, compiled: `rank_first` of refrank/metrics/ordering.py, with its name, arguments and steps."""

import numpy as np

from cython.parallel cimport prange, threadid
from libc.math cimport INFINITY
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t
from libc.string cimport memcpy, memset

cdef extern from "../kernel/machine.h":
    const Py_ssize_t WORTH_THREADS "REFRANK_WORTH_THREADS"

# With more slots than these, sorting all documents takes less time than inserting them into their places.
cdef Py_ssize_t MOST_SLOTS = 32

cdef struct Ranked:
    double score
    int64_t place


def rank_first(
    const double[::1] scores,
    const int8_t[::1] labels,
    const int64_t[::1] second,
    const int64_t[::1] starts,
    const int64_t[::1] lengths,
    Py_ssize_t width,
    int n_threads,
):
    cdef Py_ssize_t n_block = starts.shape[0], line, longest = 0, n_documents = 0
    cdef int used_threads
    cdef const int64_t* keys = NULL
    places = np.empty((n_block, width), np.int64)
    first_labels, highest = np.empty((n_block, width), np.int8), np.empty((n_block, width), np.int8)
    cdef int64_t[:, ::1] ranked_places = places
    cdef int8_t[:, ::1] ranked_labels = first_labels, best_labels = highest
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
            &scores[0], &labels[0], keys, starts[line], lengths[line], width, <Ranked*>&memory[threadid(), 0],
            &ranked_places[line, 0], &ranked_labels[line, 0], &best_labels[line, 0],
        )
    return places, first_labels, highest


cdef void rank_query(
    const double* scores,
    const int8_t* labels,
    const int64_t* second,
    Py_ssize_t start,
    Py_ssize_t length,
    Py_ssize_t width,
    Ranked* ranked,
    int64_t* ranked_places,
    int8_t* ranked_labels,
    int8_t* best_labels,
) noexcept nogil:
    cdef Py_ssize_t n = min(length, width), n_listed, i
    cdef double bound = bound_of_first(scores + start, length, n)
    cdef Ranked* listed = ranked + length
    # 1. Descending scores; equal scores by ascending second key, then in the order of the input.
    n_listed = list_reaching(bound, scores, start, length, listed)
    if n <= MOST_SLOTS:
        insert_first(listed, n_listed, second, n, ranked)
    else:
        ranked = sort_all(listed, n_listed, second, ranked)
    # 2. The labels in this order.
    for i in range(n):
        ranked_places[i] = ranked[i].place
        ranked_labels[i] = labels[ranked[i].place]
    # 3. The labels in the best order.
    best_first(labels + start, length, n, best_labels)
    for i in range(n, width):
        ranked_places[i], ranked_labels[i], best_labels[i] = -1, 0, 0


cdef void best_first(const int8_t* labels, Py_ssize_t length, Py_ssize_t n, int8_t* best) noexcept nogil:
    """Write the n highest labels, which are below 64: sorted by counting."""
    cdef int32_t count[2][64]  # two tables: equal labels side by side do not wait for each other
    cdef Py_ssize_t i, written = 0
    cdef int32_t label = 0, times
    memset(count, 0, sizeof(count))
    for i in range(0, length - 1, 2):
        count[0][labels[i]] += 1
        count[1][labels[i + 1]] += 1
        label |= labels[i] | labels[i + 1]
    if length % 2:
        count[0][labels[length - 1]] += 1
        label |= labels[length - 1]
    while written < n:  # from `label` down, which no label exceeds
        times = count[0][label] + count[1][label]
        times = <int32_t>min(times, n - written)
        memset(best + written, label, times)
        written += times
        label -= 1


cdef inline bint is_before(const Ranked document, const Ranked other, const int64_t* second) noexcept nogil:
    if document.score == other.score and second:
        return second[document.place] < second[other.place]
    return document.score > other.score


cdef double bound_of_first(const double* scores, Py_ssize_t length, Py_ssize_t n) noexcept nogil:
    """Return a score that n documents reach, and few more: the n-th highest of the maxima of about 3n/2 groups."""
    cdef double highest[48]  # MOST_SLOTS + MOST_SLOTS // 2
    cdef double bound = INFINITY
    cdef Py_ssize_t n_groups = max(8, n + n // 2), i, j
    cdef int64_t n_above
    if n > MOST_SLOTS or length < 4 * n + 16:  # then inserting all takes less time
        return -INFINITY
    memcpy(highest, scores, n_groups * sizeof(double))
    for i in range(1, length // n_groups):
        scores += n_groups
        for j in range(n_groups):
            highest[j] = scores[j] if scores[j] > highest[j] else highest[j]
    for i in range(n_groups):
        n_above = 0
        for j in range(n_groups):
            if highest[j] > highest[i]:
                n_above += 1
        if n_above < n and highest[i] < bound:
            bound = highest[i]
    return bound


cdef Py_ssize_t list_reaching(
    double bound, const double* scores, Py_ssize_t start, Py_ssize_t length, Ranked* listed
) noexcept nogil:
    """List the documents that reach a bound; return their number."""
    cdef Py_ssize_t i, n_listed = 0
    for i in range(start, start + length):  # without a branch, which would often be predicted wrongly
        listed[n_listed].score, listed[n_listed].place = scores[i], i
        n_listed += scores[i] >= bound
    return n_listed


cdef void insert_first(
    const Ranked* listed, Py_ssize_t length, const int64_t* second, Py_ssize_t n, Ranked* slots
) noexcept nogil:
    """Insert each document that is before the last of n slots."""
    cdef Py_ssize_t i, slot
    cdef Ranked document
    for i in range(length):
        # Field by field, as they were written: reading both at once would wait for the writes.
        document.score, document.place = listed[i].score, listed[i].place
        slot = min(i, n - 1)
        if i >= n and not is_before(document, slots[slot], second):
            continue
        while slot > 0 and is_before(document, slots[slot - 1], second):
            slots[slot].score, slots[slot].place = slots[slot - 1].score, slots[slot - 1].place
            slot = slot - 1
        slots[slot].score, slots[slot].place = document.score, document.place


cdef Ranked* sort_all(Ranked* listed, Py_ssize_t length, const int64_t* second, Ranked* ranked) noexcept nogil:
    """Sort by merging runs: first of 8 documents, then of 16, 32, ...; return which of the two buffers is sorted."""
    cdef Py_ssize_t run = 8, first, middle, stop, a, b, i
    cdef Ranked* spare = listed
    cdef bint later
    for first in range(0, length, 8):
        stop = min(8, length - first)
        insert_first(listed + first, stop, second, stop, ranked + first)
    while run < length:
        first = 0
        while first < length:
            middle, stop = min(first + run, length), min(first + 2 * run, length)
            a, b, i = first, middle, first
            while a < middle and b < stop:
                later = is_before(ranked[b], ranked[a], second)  # equal ones: the earlier first
                spare[i] = ranked[b if later else a]
                a += not later
                b += later
                i += 1
            memcpy(spare + i, ranked + a, (middle - a) * sizeof(Ranked))
            memcpy(spare + i + (middle - a), ranked + b, (stop - b) * sizeof(Ranked))
            first = stop
        ranked, spare = spare, ranked
        run *= 2
    return ranked
