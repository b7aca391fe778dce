"""The part of the kernel for the derivatives of a softmax, included by _split.pyx: refrank/mcrank/softmax_boosting.py."""

ctypedef fused grade_t:  # labels of any signed type
    int8_t
    int16_t
    int32_t
    int64_t


def compute_residual(const grade_t[:] y, int k, const double[::1] proba, int n_threads):
    cdef Py_ssize_t n_samples = y.shape[0], i
    cdef int used_threads = n_threads if n_samples > WORTH_THREADS else 1
    computed = np.empty(n_samples)
    cdef double[::1] residual = computed
    for i in prange(n_samples, nogil=True, schedule="static", num_threads=used_threads):
        residual[i] = <double>(y[i] == k) - proba[i]
    return computed


def compute_curvature(const double[::1] proba, int n_threads):
    cdef Py_ssize_t n_samples = proba.shape[0], i
    cdef int used_threads = n_threads if n_samples > WORTH_THREADS else 1
    computed = np.empty(n_samples)
    cdef double[::1] curvature = computed
    for i in prange(n_samples, nogil=True, schedule="static", num_threads=used_threads):
        curvature[i] = (1.0 - proba[i]) * proba[i]
    return computed
