"""The part of the kernel for probabilities, included by _split.pyx: refrank/trees/numbers/exponential.py."""

cdef extern from "kernel/exp.h":
    void exp_all "refrank_exp_all" (double* x, Py_ssize_t n) noexcept nogil
    void raise_highest "refrank_raise_highest" (const double* scores, double* highest, Py_ssize_t n) noexcept nogil
    void add_terms "refrank_add_terms" (
        const double* scores, const double* highest, double* term, double* total, Py_ssize_t n
    ) noexcept nogil
    void divide "refrank_divide" (double* term, const double* total, Py_ssize_t n) noexcept nogil

cdef enum:
    PROBA_BLOCK = 512  # rows whose terms stay in the cache


def exp(x):
    result = np.array(x, np.float64, order="C")
    cdef double[::1] flat = result.reshape(-1)
    if flat.shape[0] > 0:
        exp_all(&flat[0], flat.shape[0])
    return result


def softmax(const double[::1, :] scores, Py_ssize_t first, double[::1, :] proba, int n_threads):
    cdef Py_ssize_t n_samples = scores.shape[0], n_classes = scores.shape[1], start
    cdef int used_threads = n_threads if n_samples * n_classes > WORTH_THREADS else 1
    for start in prange(0, n_samples, PROBA_BLOCK, nogil=True, schedule="static", num_threads=used_threads):
        softmax_block(
            &scores[start, 0], n_samples, n_classes, first, &proba[start, 0], proba.shape[1],
            min(<Py_ssize_t>PROBA_BLOCK, n_samples - start),
        )


cdef void softmax_block(
    const double* scores,
    Py_ssize_t stride,
    Py_ssize_t n_classes,
    Py_ssize_t first,
    double* proba,
    Py_ssize_t n_columns,
    Py_ssize_t n_rows,
) noexcept nogil:
    """Compute the probabilities of up to PROBA_BLOCK rows; the columns of scores and proba are `stride` apart."""
    cdef double highest[PROBA_BLOCK]
    cdef double total[PROBA_BLOCK]
    cdef double unused[PROBA_BLOCK]
    cdef double* term
    cdef Py_ssize_t k, i
    for i in range(n_rows):
        highest[i], total[i] = scores[i], 0.0
    for k in range(1, n_classes):
        raise_highest(scores + k * stride, highest, n_rows)
    for k in range(n_classes):
        term = proba + (k - first) * stride if first <= k < first + n_columns else unused
        add_terms(scores + k * stride, highest, term, total, n_rows)
    for k in range(n_columns):
        divide(proba + k * stride, total, n_rows)
