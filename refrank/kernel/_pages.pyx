# cython: language_level=3, cdivision=True
"""Memory for the arrays of a training, in pages of 2 MB, which freed arrays leave to the next ones.

A round makes and frees arrays of one number per row. In pages of 4 kB, the system's default, a processor looks up where
a page is a thousand times for 4 MB: on a virtual machine, an eighth to a fifth of a round of 500,000 rows. NumPy asks
for large pages for arrays of 4 MB and more only, and they come where no small page was used before.

NumPy lets a program provide the memory of its arrays (NEP 49). Outside the `with` block, nothing changes.

    region    span    span      span    span                  spans are in order of their addresses, region by region;
              used    free      used    free                  an array takes the first that is free and long enough
"""

from contextlib import contextmanager

from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset, strcpy

cdef extern from "pages.h":
    const int REFRANK_HAS_PAGES
    char* map_memory "refrank_map" (size_t n_bytes) noexcept
    void unmap_memory "refrank_unmap" (char* memory, size_t n_bytes) noexcept
    void clear_memory "refrank_clear" (char* memory, size_t n_bytes) noexcept

cdef extern from *:
    """
    #define NPY_TARGET_VERSION NPY_1_22_API_VERSION
    #include <numpy/arrayobject.h>
    """
    ctypedef struct Allocator "PyDataMemAllocator":
        void* ctx
        void* (*malloc)(void* context, size_t n_bytes) noexcept
        void* (*calloc)(void* context, size_t n_items, size_t n_bytes) noexcept
        void* (*realloc)(void* context, void* array, size_t n_bytes) noexcept
        void (*free)(void* context, void* array, size_t n_bytes) noexcept

    ctypedef struct Handler "PyDataMem_Handler":
        char name[127]
        unsigned char version
        Allocator allocator

    int import_array "_import_array" () except -1
    object set_handler "PyDataMem_SetHandler" (object handler)

cdef extern from "Python.h":
    object PyCapsule_New(void* pointer, const char* name, void* destructor)

cdef enum:
    LEAST = 1 << 20  # bytes; smaller arrays are malloc's
    REGION = 1 << 28  # taken from the system at a time; what no array has used takes no memory
    GRAIN = 64  # a cache line: an array begins with one

cdef struct Span:
    char* start
    size_t n_bytes
    bint is_used
    bint is_first  # of its region
    Span* after

cdef Span* SPANS = NULL
cdef int n_blocks = 0  # `with` blocks that have begun and not ended


# NumPy calls these while it holds the GIL.


cdef void* allocate(void* context, size_t n_bytes) noexcept:
    if n_bytes < LEAST:
        return malloc(n_bytes)
    cdef size_t needed = (n_bytes + GRAIN - 1) // GRAIN * GRAIN
    cdef Span* span = SPANS
    while span != NULL and (span.is_used or span.n_bytes < needed):
        span = span.after
    if span == NULL:
        span = take_region(needed)
    if span == NULL or not split(span, needed):
        return NULL
    span.is_used = True
    return span.start


cdef void* allocate_zeros(void* context, size_t n_items, size_t n_bytes) noexcept:
    if n_items * n_bytes < LEAST:
        return calloc(n_items, n_bytes)
    cdef void* array = allocate(context, n_items * n_bytes)
    if array != NULL:
        memset(array, 0, n_items * n_bytes)
    return array


cdef void* resize(void* context, void* array, size_t n_bytes) noexcept:
    cdef Span* span = find_span(array)
    if span == NULL:
        return realloc(array, n_bytes)
    cdef void* resized = allocate(context, n_bytes)
    if resized != NULL:
        memcpy(resized, array, min(n_bytes, span.n_bytes))
        release(context, array, n_bytes)
    return resized


cdef void release(void* context, void* array, size_t n_bytes) noexcept:
    cdef Span* span = find_span(array)
    if span == NULL:
        free(array)
        return
    span.is_used = False
    join_free()
    if n_blocks == 0:
        give_back()


cdef Span* find_span(void* array) noexcept:
    """Find the span of an array; NULL where it is malloc's."""
    cdef Span* span = SPANS
    while span != NULL and span.start != array:
        span = span.after
    return span


cdef Span* take_region(size_t needed) noexcept:
    """Take a region from the system, as one free span; NULL where there is no memory."""
    global SPANS
    cdef Span* span = <Span*>malloc(sizeof(Span))
    if span == NULL:
        return NULL
    span.n_bytes = max(needed, <size_t>REGION)
    span.start = map_memory(span.n_bytes)
    if span.start == NULL:  # as under a limit
        span.n_bytes = needed
        span.start = map_memory(needed)
    if span.start == NULL:
        free(span)
        return NULL
    span.is_used, span.is_first, span.after = False, True, SPANS
    SPANS = span
    return span


cdef bint split(Span* span, size_t needed) noexcept:
    """Make a span as long as needed, and what is left over one of its own; False where there is no memory for it."""
    cdef Span* left_over
    if span.n_bytes == needed:
        return True
    left_over = <Span*>malloc(sizeof(Span))
    if left_over == NULL:
        return False
    left_over.start, left_over.n_bytes, left_over.after = span.start + needed, span.n_bytes - needed, span.after
    left_over.is_used = left_over.is_first = False
    span.n_bytes, span.after = needed, left_over
    return True


cdef void join_free() noexcept:
    """Join free spans of one region that are neighbours."""
    cdef Span* span = SPANS
    cdef Span* after
    while span != NULL:
        after = span.after
        if after != NULL and not (span.is_used or after.is_used or after.is_first):
            span.n_bytes, span.after = span.n_bytes + after.n_bytes, after.after
            free(after)
        else:
            span = after


cdef void give_back() noexcept:
    """Give free memory back to the system, and regions without an array."""
    global SPANS
    cdef Span** place = &SPANS
    cdef Span* span
    while place[0] != NULL:
        span = place[0]
        if span.is_used:
            place = &span.after
        elif span.is_first and (span.after == NULL or span.after.is_first):
            place[0] = span.after
            unmap_memory(span.start, span.n_bytes)
            free(span)
        else:
            clear_memory(span.start, span.n_bytes)
            place = &span.after


cdef Handler HANDLER
strcpy(HANDLER.name, b"refrank: pages of 2 MB")
HANDLER.version = 1
HANDLER.allocator = Allocator(NULL, allocate, allocate_zeros, resize, release)
import_array()
CAPSULE = PyCapsule_New(&HANDLER, "mem_handler", NULL)
HAS_PAGES = bool(REFRANK_HAS_PAGES)


@contextmanager
def use_large_pages():
    global n_blocks
    if not HAS_PAGES:
        yield
        return
    give_back()  # of the arrays before, which the next ones hardly fit
    earlier = set_handler(CAPSULE)
    n_blocks += 1
    try:
        yield
    finally:
        n_blocks -= 1
        set_handler(earlier)
        if n_blocks == 0:
            give_back()
