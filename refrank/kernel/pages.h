/* Memory of the system in pages of 2 MB, for _pages.pyx; none where the system is not Linux. */
#ifndef REFRANK_PAGES_H
#define REFRANK_PAGES_H
#include <stddef.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

#ifdef MADV_HUGEPAGE
#define REFRANK_HAS_PAGES 1

static char* refrank_map(size_t n_bytes) {
    void* memory = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    madvise(memory, n_bytes, MADV_HUGEPAGE); /* where the system has none, its pages stay small */
    return memory;
}

static void refrank_unmap(char* memory, size_t n_bytes) { munmap(memory, n_bytes); }

/* Give whole pages back to the system; they are zero when they are used again. */
static void refrank_clear(char* memory, size_t n_bytes) {
    size_t skipped = -(size_t)memory % 4096;
    if (n_bytes > skipped + 4096) madvise(memory + skipped, (n_bytes - skipped) / 4096 * 4096, MADV_DONTNEED);
}
#else
#define REFRANK_HAS_PAGES 0
static char* refrank_map(size_t n_bytes) { (void)n_bytes; return NULL; }
static void refrank_unmap(char* memory, size_t n_bytes) { (void)memory; (void)n_bytes; }
static void refrank_clear(char* memory, size_t n_bytes) { (void)memory; (void)n_bytes; }
#endif

#endif
