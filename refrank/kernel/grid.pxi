"""The part of the kernel for grids, included by _split.pyx: two functions of refrank/trees/numbers/grid.py."""


def largest_magnitude(const double[::1] value, int n_threads):
    cdef Py_ssize_t n_samples = value.shape[0], part, first
    cdef int n_parts = n_threads if n_samples > WORTH_THREADS else 1
    cdef int64_t largest = 0
    cdef double magnitude
    cdef int64_t[::1] of_part = np.zeros(n_parts, np.int64)
    for part in prange(n_parts, nogil=True, schedule="static", num_threads=n_parts):
        first = n_samples * part // n_parts
        of_part[part] = largest_bits(&value[first], n_samples * (part + 1) // n_parts - first)
    for part in range(n_parts):
        largest = max(largest, of_part[part])
    memcpy(&magnitude, &largest, 8)
    return magnitude


cdef int64_t largest_bits(const double* value, Py_ssize_t n_samples) noexcept nogil:
    """Find the largest |value|, as bits: read as integers they ascend as the numbers do, then inf, then nan."""
    cdef Py_ssize_t i
    cdef int64_t bits, largest = 0
    for i in range(n_samples):
        memcpy(&bits, value + i, 8)
        bits = bits & <int64_t>0x7FFFFFFFFFFFFFFF
        largest = bits if bits > largest else largest
    return largest


def round_to_grid(const double[::1] value, int exponent, int n_threads):
    cdef Py_ssize_t n_samples = value.shape[0], i
    cdef int used_threads = n_threads if n_samples > WORTH_THREADS else 1
    rounded = np.empty(n_samples, np.int64)
    cdef int64_t[::1] q = rounded
    cdef double factor = grid_factor(exponent)
    for i in prange(n_samples, nogil=True, schedule="static", num_threads=used_threads):
        q[i] = on_grid(value[i], factor, exponent)
    return rounded


cdef inline double grid_factor(int exponent) noexcept nogil:
    """Return 2**exponent where it is a float64 and so is every product with it; else 0."""
    return ldexp(1.0, exponent) if -1000 < exponent < 1000 else 0.0


cdef inline int64_t on_grid(double value, double factor, int exponent) noexcept nogil:
    """Round a value to the grid; it is multiplied where that is exact, since ldexp takes long."""
    return llrint(value * factor) if factor > 0.0 else llrint(ldexp(value, exponent))
