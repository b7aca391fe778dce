# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""LETOR text, compiled: it finds the rows, and reads the numbers in them.

It knows the common form of a line and gives up on any other; refrank/datasets/letor.py then turns to the specification,
scikit-learn's loader. The text must end with a newline: no loop below passes one, so none reads beyond the text.
"""

import numpy as np

from cython.parallel cimport prange
from libc.float cimport DBL_MAX, FLT_MAX
from libc.math cimport NAN
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memchr

cdef extern from "../kernel/machine.h":
    const Py_ssize_t WORTH_THREADS "REFRANK_WORTH_THREADS"

ctypedef fused real_t:
    float
    double

ctypedef const uint8_t* place_t

cdef enum Kind:  # of a row
    IRREGULAR
    NUMBERED
    NAMED  # its query is not an integer

cdef double[23] POWER_OF_TEN  # those that a float64 holds exactly
POWER_OF_TEN[:] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
]


cdef inline uint64_t digit_at(place_t p) noexcept nogil:
    return <uint8_t>(p[0] - 48)  # above 9 where there is no digit


cdef inline bint is_blank(place_t p) noexcept nogil:
    return p[0] == 32 or p[0] == 9 or p[0] == 13  # space, tab, carriage return


cdef inline place_t skip_blanks(place_t p) noexcept nogil:
    while is_blank(p):
        p += 1
    return p


cdef inline bint ends_data(place_t p) noexcept nogil:
    return p[0] == 10 or p[0] == 35  # newline, #


cdef int check_end(const uint8_t[::1] text) except -1:
    if text.shape[0] == 0 or text[text.shape[0] - 1] != 10:
        raise ValueError("text must end with a newline")
    return 0


def find_rows(const uint8_t[::1] text):
    """Return where the lines start that hold data, (n_rows,), and the highest index that stands last on one of them."""
    cdef Py_ssize_t size = text.shape[0], n_lines = 0, n_rows = 0
    cdef int64_t highest = 0, index, scale
    cdef place_t begin, stop, newline, p, q
    check_end(text)
    begin, stop = &text[0], &text[0] + size
    p = begin
    while p < stop:
        p = <place_t>memchr(p, 10, stop - p) + 1
        n_lines += 1
    starts = np.empty(n_lines, np.int64)
    cdef int64_t[::1] start = starts
    p = begin
    while p < stop:
        newline = <place_t>memchr(p, 10, stop - p)
        if not ends_data(skip_blanks(p)):
            start[n_rows] = p - begin
            n_rows += 1
            q = <place_t>memchr(p, 35, newline - p)
            q = newline if q == NULL else q
            while q > p and q[0] != 58:  # back to the last colon
                q -= 1
            index, scale = 0, 1
            while q > p and digit_at(q - 1) <= 9 and scale < 10**18:
                q -= 1
                index += scale * <int64_t>digit_at(q)
                scale *= 10
            highest = max(highest, index)
        p = newline + 1
    return starts[:n_rows], highest


def parse_rows(
    const uint8_t[::1] text,
    const int64_t[::1] starts,
    double absent,
    double sentinel,
    real_t[:, ::1] X,
    int64_t[::1] y,
    int64_t[::1] qid,
    int64_t[:, ::1] marks,
    int n_threads,
):
    """Fill a row of X, y, qid and marks, the (start, stop) of its comment, per start; return (n_irregular, n_named).

    A value equal to `sentinel` (NaN: none) is `absent`. The query of a named row is not an integer: its qid is not
    filled.
    """
    cdef Py_ssize_t n_rows = starts.shape[0], n_features = X.shape[1], i, n_irregular = 0, n_named = 0
    cdef int kind
    cdef place_t begin
    cdef int used_threads = n_threads if text.shape[0] > WORTH_THREADS else 1
    check_end(text)
    if n_rows == 0:
        return 0, 0
    begin = &text[0]
    for i in prange(n_rows, nogil=True, schedule="static", num_threads=used_threads):
        kind = parse_row(
            begin, starts[i], <real_t>absent, sentinel, &X[i, 0], n_features, &y[i], &qid[i], &marks[i, 0]
        )
        n_irregular += kind == IRREGULAR
        n_named += kind == NAMED
    return n_irregular, n_named


cdef int parse_row(
    place_t begin,
    int64_t start,
    real_t absent,
    double sentinel,
    real_t* x,
    Py_ssize_t n_features,
    int64_t* y,
    int64_t* qid,
    int64_t* mark,
) noexcept nogil:
    cdef place_t p = skip_blanks(begin + start), before
    cdef int kind = NUMBERED
    cdef Py_ssize_t n_filled = 0, index
    cdef uint64_t digits
    cdef double value = 0, largest = FLT_MAX if real_t is float else DBL_MAX
    # 1. The label, and the query. A blank must follow each, and not a 19th digit.
    if not read_integer(&p, y) or y[0] > <int64_t>1 << 53:
        return IRREGULAR
    before = p
    p = skip_blanks(p)
    if p == before or p[0] != 113 or p[1] != 105 or p[2] != 100 or p[3] != 58:  # qid:
        return IRREGULAR
    p += 4
    before = p
    if not read_integer(&p, qid) or (p[0] > 32 and p[0] != 35):
        p, kind = before, NAMED  # printable, and without the signs of a feature and a comment
        while p[0] > 32 and p[0] != 58 and p[0] != 35:
            p += 1
        if p == before or not (p[0] == 10 or is_blank(p)):
            return IRREGULAR
    # 2. The features, by increasing index; those between two of them are absent, and so is the sentinel.
    while True:
        before = p
        p = skip_blanks(p)
        if ends_data(p):
            break
        if p == before:
            return IRREGULAR
        before = p
        digits = 0
        while digit_at(p) <= 9:
            digits = digits * 10 + digit_at(p)
            p += 1
        index = <Py_ssize_t>digits if p - before <= 9 else 0
        if p[0] != 58 or index <= n_filled or index > n_features:
            return IRREGULAR
        p += 1
        if not read_number(&p, &value) or not (value == sentinel or -largest <= value <= largest):
            return IRREGULAR
        while n_filled < index - 1:
            x[n_filled] = absent
            n_filled += 1
        x[n_filled] = absent if value == sentinel else <real_t>value
        n_filled += 1
    while n_filled < n_features:
        x[n_filled] = absent
        n_filled += 1
    # 3. The comment, from after # to the end of the line; empty where there is none.
    mark[0] = p - begin + (p[0] == 35)
    while p[0] != 10:
        p += 1
    mark[1] = p - begin
    return kind


cdef inline bint read_integer(place_t* place, int64_t* value) noexcept nogil:
    cdef place_t p = place[0], first
    cdef bint negative = p[0] == 45
    p += p[0] == 45 or p[0] == 43
    first = p
    value[0] = 0
    while digit_at(p) <= 9 and p - first < 18:
        value[0] = value[0] * 10 + <int64_t>digit_at(p)
        p += 1
    if negative:
        value[0] = -value[0]
    place[0] = p
    return p > first


cdef inline bint read_number(place_t* place, double* value) noexcept nogil:
    cdef place_t p = place[0], first, point
    cdef bint negative = p[0] == 45, shrinks
    cdef uint64_t digits = 0
    cdef Py_ssize_t n_digits, exponent = 0, power = 0
    # 1. sign, digits, fraction, exponent: the number is digits * 10^exponent.
    p += p[0] == 45 or p[0] == 43
    first = p
    while digit_at(p) <= 9:
        digits = digits * 10 + digit_at(p)
        p += 1
    n_digits = p - first
    if p[0] == 46:
        p += 1
        point = p
        while digit_at(p) <= 9:
            digits = digits * 10 + digit_at(p)
            p += 1
        exponent = point - p
        n_digits -= exponent
    if n_digits == 0:
        return False
    if p[0] == 101 or p[0] == 69:
        p += 1
        shrinks = p[0] == 45
        p += p[0] == 45 or p[0] == 43
        if digit_at(p) > 9:
            return False
        while digit_at(p) <= 9:
            power = min(power * 10 + <Py_ssize_t>digit_at(p), 99999)
            p += 1
        exponent += -power if shrinks else power
    # 2. Both are exact in float64, so one operation rounds once, which is correct rounding (Clinger 1990).
    if n_digits <= 19 and digits <= <uint64_t>1 << 53 and -22 <= exponent <= 22:
        value[0] = <double>digits
        if exponent < 0:
            value[0] /= POWER_OF_TEN[-exponent]
        else:
            value[0] *= POWER_OF_TEN[exponent]
        if negative:
            value[0] = -value[0]
    else:
        value[0] = read_by_python(place[0], p - place[0])
    place[0] = p
    return True


cdef double read_by_python(place_t p, Py_ssize_t size) noexcept with gil:
    try:
        return float((<const char*>p)[:size])
    except MemoryError:
        return NAN  # which is not finite, so irregular
