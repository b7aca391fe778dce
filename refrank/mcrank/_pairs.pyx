# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Lambdas, compiled: `sum_pairs` of refrank/mcrank/query_lambdas.py, with its name, arguments and steps."""

import numpy as np

from cython.parallel cimport prange, threadid
from libc.math cimport ldexp
from libc.stdint cimport int64_t
from libc.stdlib cimport qsort
from libc.string cimport memset

cdef extern from "pairs.h":
    const Py_ssize_t WORTH_THREADS "REFRANK_WORTH_THREADS"
    void add_pairs "refrank_add_pairs" (
        double score, double gain, double mean, double spread, double sigma, double unit, const double* scores,
        const double* gains, const double* means, Py_ssize_t n, int64_t* slope, int64_t* curvature, int64_t* own
    ) noexcept nogil

cdef struct Document:
    double score
    int64_t place

cdef struct Ranking:  # of the documents of one query, from the highest score to the lowest
    Document* documents
    double* scores
    double* gains
    double* means
    int64_t* slope
    int64_t* curvature


def sum_pairs(
    const double[::1] scores,
    const double[::1] gains,
    const int64_t[::1] starts,
    const double[::1] discount,
    double sigma,
    int exponent,
    int n_threads,
):
    cdef Py_ssize_t n_queries = starts.shape[0] - 1, longest = discount.shape[0], query
    cdef int used_threads = n_threads if scores.shape[0] > WORTH_THREADS // 64 else 1
    summed = np.zeros((scores.shape[0], 2), np.int64)
    cdef int64_t[:, ::1] sums = summed
    # Each thread has one piece of memory for all its queries: it stays in the cache.
    cdef double[:, ::1] memory = np.empty((used_threads, 7 * longest))
    for query in prange(n_queries, nogil=True, schedule="dynamic", chunksize=16, num_threads=used_threads):
        sum_query(
            &scores[starts[query]], &gains[starts[query]], starts[query + 1] - starts[query], &discount[0], sigma, ldexp(1.0, exponent),
            lay_out(&memory[threadid(), 0], longest), &sums[starts[query], 0],
        )
    return summed


cdef inline Ranking lay_out(double* memory, Py_ssize_t longest) noexcept nogil:
    """Divide the memory of a thread."""
    cdef Ranking ranking
    ranking.documents = <Document*>memory
    ranking.scores, ranking.gains, ranking.means = memory + 2 * longest, memory + 3 * longest, memory + 4 * longest
    ranking.slope, ranking.curvature = <int64_t*>(memory + 5 * longest), <int64_t*>(memory + 6 * longest)
    return ranking


cdef int compare(const void* one, const void* other) noexcept nogil:
    cdef double first = (<const Document*>one).score, second = (<const Document*>other).score
    return (first < second) - (first > second)


cdef void sum_query(
    const double* scores,
    const double* gains,
    Py_ssize_t n,
    const double* discount,
    double sigma,
    double unit,
    Ranking ranked,
    int64_t* sums,
) noexcept nogil:
    cdef Py_ssize_t i, j, end = 0
    cdef double total, apart, spread = 0.0
    cdef int64_t own[2]
    # 1. Descending scores; equal ones in any order, of which nothing depends.
    for i in range(n):
        ranked.documents[i].score, ranked.documents[i].place = scores[i], i
    qsort(ranked.documents, n, sizeof(Document), &compare)
    for i in range(n):
        ranked.scores[i], ranked.gains[i] = ranked.documents[i].score, gains[ranked.documents[i].place]
    # 2. The mean discount of each score.
    while end < n:
        i, total = end, 0.0
        while end < n and ranked.scores[end] == ranked.scores[i]:
            total += discount[end]
            end += 1
        for j in range(i, end):
            ranked.means[j] = total / (end - i)
    # 3. Pairs: below the truncation, where the mean discount is 0, no swap changes NDCG.
    memset(ranked.slope, 0, n * sizeof(int64_t))
    memset(ranked.curvature, 0, n * sizeof(int64_t))
    end = 0
    for i in range(n):
        if ranked.means[i] == 0.0:
            break
        if i == end:
            apart = 0.0
            while end < n and ranked.scores[end] == ranked.scores[i]:
                end += 1
            for j in range(i, end):
                apart += (i + end - 1 - 2 * j) * discount[j]
            spread = apart / ((end - i) * (end - i - 1) // 2) if end - i > 1 else 0.0
        own[0] = own[1] = 0
        add_pairs(
            ranked.scores[i], ranked.gains[i], 0.0, spread, sigma, unit, ranked.scores + i + 1, ranked.gains + i + 1,
            ranked.means + i + 1, end - i - 1, ranked.slope + i + 1, ranked.curvature + i + 1, own,
        )
        add_pairs(
            ranked.scores[i], ranked.gains[i], ranked.means[i], -1.0, sigma, unit, ranked.scores + end,
            ranked.gains + end, ranked.means + end, n - end, ranked.slope + end, ranked.curvature + end, own,
        )
        ranked.slope[i] += own[0]
        ranked.curvature[i] += own[1]
    # 4. The sums of each document, in the order of the input.
    for i in range(n):
        sums[2 * ranked.documents[i].place] = ranked.slope[i]
        sums[2 * ranked.documents[i].place + 1] = ranked.curvature[i]
