# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Lambdas, compiled: `sum_pairs` of refrank/mcrank/query_lambdas.py, with its name, arguments and steps.

Two things make it fast. Neither changes a bit, because all sums are sums of integers, in whatever order:
- only the documents at the first L positions, and those that tie with the last of them, are sorted: no pair of two
  others changes NDCG, and the order of the others does not matter;
- documents of one score and one gain have equal terms: ties are weighed once for each two gains, not for each pair.
"""

import numpy as np

from cython.parallel cimport prange, threadid
from libc.math cimport ldexp
from libc.stdint cimport int64_t
from libc.string cimport memset

cdef extern from "pairs.h":
    const Py_ssize_t WORTH_THREADS "REFRANK_WORTH_THREADS"
    void weigh_pair "refrank_weigh_pair" (
        double more, double apart, double margin, double sigma, double unit, int64_t* slope, int64_t* curvature
    ) noexcept nogil
    void add_pairs "refrank_add_pairs" (
        double score, double gain, double mean, double sigma, double unit, const double* scores, const double* gains,
        const double* means, Py_ssize_t n, int64_t* slope, int64_t* curvature, int64_t* own_slope,
        int64_t* own_curvature
    ) noexcept nogil

cdef struct Sums:
    int64_t* slope
    int64_t* curvature

cdef struct Ranking:  # of the documents of one query: those at the first positions, from the highest score, then others
    int64_t* places  # in the input
    double* scores
    double* gains
    double* means
    Sums sums
    # Of the documents of one score: the gains that occur, how often, the sums of each, and which gain a document has
    double* levels
    int64_t* counts
    Sums of_level
    int64_t* level

cdef enum:
    N_COLUMNS = 11  # of a Ranking


def sum_pairs(
    const double[::1] scores,
    const double[::1] gains,
    const int64_t[::1] starts,
    const double[::1] discount,
    double sigma,
    int exponent,
    int n_threads,
):
    cdef Py_ssize_t n_queries = starts.shape[0] - 1, longest = discount.shape[0], n_discounted = 0, query
    cdef int used_threads = n_threads if scores.shape[0] > WORTH_THREADS // 64 else 1
    summed = np.zeros((scores.shape[0], 2), np.int64)
    cdef int64_t[:, ::1] sums = summed
    # Each thread has one piece of memory for all its queries: it stays in the cache.
    cdef double[:, ::1] memory = np.empty((used_threads, N_COLUMNS * (longest + 1)))
    while n_discounted < longest and discount[n_discounted] != 0.0:
        n_discounted += 1
    for query in prange(n_queries, nogil=True, schedule="dynamic", chunksize=16, num_threads=used_threads):
        sum_query(
            &scores[starts[query]], &gains[starts[query]], starts[query + 1] - starts[query], &discount[0],
            min(n_discounted, starts[query + 1] - starts[query]), sigma, ldexp(1.0, exponent),
            lay_out(&memory[threadid(), 0], longest + 1), &sums[starts[query], 0],
        )
    return summed


cdef inline Ranking lay_out(double* memory, Py_ssize_t length) noexcept nogil:
    """Divide the memory of a thread."""
    cdef Ranking ranking
    ranking.scores, ranking.gains = memory, memory + length
    ranking.means, ranking.levels = memory + 2 * length, memory + 3 * length
    cdef int64_t* integers = <int64_t*>(memory + 4 * length)
    ranking.places, ranking.level, ranking.counts = integers, integers + length, integers + 2 * length
    ranking.sums.slope, ranking.sums.curvature = integers + 3 * length, integers + 4 * length
    ranking.of_level.slope, ranking.of_level.curvature = integers + 5 * length, integers + 6 * length
    return ranking


cdef void sum_query(
    const double* scores,
    const double* gains,
    Py_ssize_t n,
    const double* discount,
    Py_ssize_t n_discounted,
    double sigma,
    double unit,
    Ranking ranked,
    int64_t* sums,
) noexcept nogil:
    cdef Py_ssize_t i, j, n_first, end = 0
    cdef double total, apart
    if n_discounted == 0:
        return
    # 1. Descending scores; equal ones in any order, of which nothing depends.
    n_first = rank_first(scores, n, n_discounted, ranked.scores, ranked.places)
    for i in range(n):
        ranked.scores[i], ranked.gains[i] = scores[ranked.places[i]], gains[ranked.places[i]]
        ranked.means[i] = 0.0
    memset(ranked.sums.slope, 0, n * sizeof(int64_t))
    memset(ranked.sums.curvature, 0, n * sizeof(int64_t))
    # 2. The mean discount of each score, and how far two of its discounts are apart.
    while end < n_first:
        i, end, total, apart = end, end + 1, discount[end], 0.0
        while end < n_first and ranked.scores[end] == ranked.scores[i]:
            total += discount[end]
            end += 1
        for j in range(i, end):
            ranked.means[j] = total / (end - i)
            apart += (i + end - 1 - 2 * j) * discount[j]
        # 3. The terms of each pair: below the truncation, no swap changes NDCG.
        if end - i > 1:
            add_ties(&ranked, i, end, apart / ((end - i) * (end - i - 1) // 2), sigma, unit)
    end = 0
    for i in range(n_first):
        while end < n and ranked.scores[end] == ranked.scores[i]:
            end += 1
        add_pairs(
            ranked.scores[i], ranked.gains[i], ranked.means[i], sigma, unit, ranked.scores + end, ranked.gains + end,
            ranked.means + end, n - end, ranked.sums.slope + end, ranked.sums.curvature + end, ranked.sums.slope + i,
            ranked.sums.curvature + i,
        )
    # 4. The sums of each document, in the order of the input.
    for i in range(n):
        sums[2 * ranked.places[i]] = ranked.sums.slope[i]
        sums[2 * ranked.places[i] + 1] = ranked.sums.curvature[i]


cdef Py_ssize_t rank_first(
    const double* scores, Py_ssize_t n, Py_ssize_t n_discounted, double* first, int64_t* places
) noexcept nogil:
    """Write the places of the n_discounted highest scores, in descending order, of those that equal the last, and of
    the others; return how many are not below the last. One more place is used as memory.
    """
    cdef Py_ssize_t i, j, length = 0, n_above = 0, n_below = 0, rest
    cdef double last
    for i in range(n):  # most scores are compared once
        if length == n_discounted and scores[i] <= first[length - 1]:
            continue
        length = min(length + 1, n_discounted)
        j = length - 1
        while j > 0 and first[j - 1] < scores[i]:
            first[j], places[j] = first[j - 1], places[j - 1]
            j -= 1
        first[j], places[j] = scores[i], i
    last = first[n_discounted - 1]
    for i in range(n):
        n_above += scores[i] > last
        n_below += scores[i] < last
    j, rest = n_above, n - n_below
    for i in range(n):
        if not (scores[i] > last or scores[i] < last):
            places[j] = i
            j += 1
        places[rest] = i
        rest += scores[i] < last
    return n - n_below


cdef void add_ties(
    Ranking* ranked, Py_ssize_t start, Py_ssize_t stop, double spread, double sigma, double unit
) noexcept nogil:
    """Add the terms of all pairs of documents start..stop - 1, which have one score."""
    cdef Py_ssize_t i, level, other, n_levels = 0
    cdef int64_t q = 0, w = 0
    cdef Sums of_level = ranked.of_level
    for i in range(start, stop):
        level = 0
        while level < n_levels and ranked.levels[level] != ranked.gains[i]:
            level += 1
        if level == n_levels:
            ranked.levels[level], ranked.counts[level] = ranked.gains[i], 0
            n_levels += 1
        ranked.level[i] = level
        ranked.counts[level] += 1
    memset(of_level.slope, 0, n_levels * sizeof(int64_t))
    memset(of_level.curvature, 0, n_levels * sizeof(int64_t))
    for level in range(n_levels):
        for other in range(level):
            weigh_pair(ranked.levels[level] - ranked.levels[other], spread, 0.0, sigma, unit, &q, &w)
            of_level.slope[level] += q * ranked.counts[other]
            of_level.slope[other] -= q * ranked.counts[level]
            of_level.curvature[level] += w * ranked.counts[other]
            of_level.curvature[other] += w * ranked.counts[level]
    for i in range(start, stop):
        ranked.sums.slope[i] += of_level.slope[ranked.level[i]]
        ranked.sums.curvature[i] += of_level.curvature[ranked.level[i]]
