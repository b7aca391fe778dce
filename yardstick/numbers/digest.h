/* The digest of one block of yardstick/numbers/digest.py: a loop per type of entry, which compilers turn into
 * vector instructions. Narrow entries are widened on the way, so that no array is copied. */
#ifndef REFRANK_DIGEST_H
#define REFRANK_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../../refrank/kernel/machine.h" /* REFRANK_CLONES_OF_PRODUCTS */

#define REFRANK_FROM_INTEGER(entry) ((uint64_t)(int64_t)(entry))
#define REFRANK_FROM_UNSIGNED(entry) ((uint64_t)(entry))

/* The bits of a float64; all NaN have those of one. */
static inline uint64_t refrank_from_float(double entry) {
    uint64_t bits;
    memcpy(&bits, &entry, sizeof bits);
    return entry == entry ? bits : UINT64_C(0x7ff8000000000000);
}

#define REFRANK_DIGEST(name, type, widen)                                                                  \
    REFRANK_CLONES_OF_PRODUCTS static uint64_t name(                                                       \
        const void *entries, const uint64_t *multipliers, ptrdiff_t n) {                                   \
        const type *entry = (const type *)entries;                                                        \
        uint64_t digest = 0;                                                                               \
        ptrdiff_t i;                                                                                       \
        for (i = 0; i < n; i++) {                                                                          \
            uint64_t bits = widen(entry[i]);                                                               \
            digest += (bits ^ bits >> 32) * multipliers[i];                                                \
        }                                                                                                  \
        return digest;                                                                                     \
    }

REFRANK_DIGEST(refrank_digest_float64, double, refrank_from_float)
REFRANK_DIGEST(refrank_digest_float32, float, refrank_from_float)
REFRANK_DIGEST(refrank_digest_int64, int64_t, REFRANK_FROM_INTEGER)
REFRANK_DIGEST(refrank_digest_int32, int32_t, REFRANK_FROM_INTEGER)
REFRANK_DIGEST(refrank_digest_int16, int16_t, REFRANK_FROM_INTEGER)
REFRANK_DIGEST(refrank_digest_int8, int8_t, REFRANK_FROM_INTEGER)
REFRANK_DIGEST(refrank_digest_uint32, uint32_t, REFRANK_FROM_UNSIGNED)
REFRANK_DIGEST(refrank_digest_uint16, uint16_t, REFRANK_FROM_UNSIGNED)
REFRANK_DIGEST(refrank_digest_uint8, uint8_t, REFRANK_FROM_UNSIGNED)

typedef uint64_t (*refrank_digest_loop)(const void *, const uint64_t *, ptrdiff_t);

/* The loop for entries of this format of Python's struct module and this many bytes; NULL for any other type. */
static refrank_digest_loop refrank_find_digest_loop(const char *format, ptrdiff_t n_bytes) {
    if (format == NULL || format[0] == '\0' || format[1] != '\0')
        return NULL;
    if (format[0] == 'd' && n_bytes == 8)
        return refrank_digest_float64;
    if (format[0] == 'f' && n_bytes == 4)
        return refrank_digest_float32;
    if (strchr("bhilq", format[0]))
        return n_bytes == 8   ? refrank_digest_int64
               : n_bytes == 4 ? refrank_digest_int32
               : n_bytes == 2 ? refrank_digest_int16
               : n_bytes == 1 ? refrank_digest_int8
                              : NULL;
    if (strchr("BHILQ", format[0]))
        return n_bytes == 8   ? refrank_digest_int64 /* the same bits */
               : n_bytes == 4 ? refrank_digest_uint32
               : n_bytes == 2 ? refrank_digest_uint16
               : n_bytes == 1 ? refrank_digest_uint8
                              : NULL;
    return NULL;
}

#endif
