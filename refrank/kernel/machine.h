/* What depends on the compiler and the processor, for every extension of refrank; no bit of a result depends on it. */
#ifndef REFRANK_MACHINE_H
#define REFRANK_MACHINE_H

#ifdef _OPENMP
#define REFRANK_OPENMP 1
#else
#define REFRANK_OPENMP 0
#endif

/* With fewer steps of a few nanoseconds, waking a thread costs more than it saves, above all on a busy machine. */
#define REFRANK_WORTH_THREADS 100000

/* The loop it marks is compiled for AVX-512, AVX2 and the plain processor; the one that fits is chosen when the module
   is loaded. Each does the same IEEE operations on integers or on single floats. Products of 64-bit integers, which
   neither AVX2 nor AVX-512F has, take half as long again with the latter. */
#ifdef REFRANK_CLONES /* -DREFRANK_CLONES= compiles for one processor */
#define REFRANK_CLONES_OF_PRODUCTS REFRANK_CLONES
#elif defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define REFRANK_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#define REFRANK_CLONES_OF_PRODUCTS __attribute__((target_clones("avx2", "default")))
#else
#define REFRANK_CLONES
#define REFRANK_CLONES_OF_PRODUCTS
#endif

#ifdef __GNUC__
#define refrank_prefetch(address) __builtin_prefetch(address)
#define refrank_lowest_bit(bits) __builtin_ctzll(bits)
#else
#define refrank_prefetch(address) ((void)(address))
static inline int refrank_lowest_bit(unsigned long long bits) {
    int place = 0;
    while (!(bits & 1)) { bits >>= 1; place++; }
    return place;
}
#endif

#endif
