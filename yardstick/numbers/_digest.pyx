# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Digests, compiled: the sum over blocks of yardstick/numbers/digest.py."""

from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport uint64_t

cdef extern from "digest.h":
    ctypedef uint64_t (*digest_loop "refrank_digest_loop")(
        const void* entries, const uint64_t* multipliers, Py_ssize_t n
    ) noexcept nogil
    digest_loop find_digest_loop "refrank_find_digest_loop" (const char* format, Py_ssize_t n_bytes) noexcept nogil


def digest(array, within, of_block):
    """Digest a contiguous array; None where its type is not one that a trace holds.

    The arrays are looked at through Python's buffers, which cost a fraction of a typed view: most arrays are small.
    """
    cdef Py_buffer entries, multipliers, factors
    cdef Py_ssize_t n, n_within, block
    cdef uint64_t total = 0
    cdef digest_loop digest_block
    PyObject_GetBuffer(array, &entries, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)
    PyObject_GetBuffer(within, &multipliers, PyBUF_C_CONTIGUOUS)
    PyObject_GetBuffer(of_block, &factors, PyBUF_C_CONTIGUOUS)
    digest_block = find_digest_loop(entries.format, entries.itemsize)
    if digest_block != NULL:
        n, n_within = entries.len // entries.itemsize, multipliers.len // sizeof(uint64_t)
        for block in range((n + n_within - 1) // n_within):
            total += (<const uint64_t*>factors.buf)[block] * digest_block(
                <const char*>entries.buf + block * n_within * entries.itemsize,
                <const uint64_t*>multipliers.buf,
                min(n_within, n - block * n_within),
            )
    PyBuffer_Release(&factors)
    PyBuffer_Release(&multipliers)
    PyBuffer_Release(&entries)
    return total if digest_block != NULL else None
