/* The digest of one block of refrank/conformance/numbers/digest.py: a loop that compilers turn into vector instructions. */
#ifndef REFRANK_DIGEST_H
#define REFRANK_DIGEST_H

#include <stddef.h>
#include <stdint.h>

REFRANK_CLONES static uint64_t refrank_digest(const uint64_t *bits, const uint64_t *multipliers, ptrdiff_t n) {
    uint64_t digest = 0;
    ptrdiff_t i;
    for (i = 0; i < n; i++)
        digest += (bits[i] ^ bits[i] >> 32) * multipliers[i];
    return digest;
}

#endif
