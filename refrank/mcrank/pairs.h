/* The loop over the pairs of one document, which compilers turn into vector instructions.
 *
 * Compile without fused multiply-add (-ffp-contract=off), in the default rounding mode. */
#ifndef REFRANK_PAIRS_H
#define REFRANK_PAIRS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../kernel/machine.h"
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wunused-function"  /* loops of exp.h that are not for pairs */
#endif
#include "../kernel/exp.h"

/* Round a double of at most 2**51 in size to the nearest integer, ties to even. */
static inline int64_t refrank_round(double x) {
    double shifted = x + REFRANK_SHIFT, zero = REFRANK_SHIFT;
    int64_t bits, bits_of_zero;
    memcpy(&bits, &shifted, 8);
    memcpy(&bits_of_zero, &zero, 8);
    return bits - bits_of_zero;
}

/* Add the terms of a document's pairs with n others, none of which scores higher, to the sums of all of them.
 *
 * `spread` is the mean difference of two discounts where all have one score, else negative: then the mean discounts
 * differ. */
REFRANK_CLONES static void refrank_add_pairs(
    double score, double gain, double mean, double spread, double sigma, double unit, const double *scores,
    const double *gains, const double *means, ptrdiff_t n, int64_t *slope, int64_t *curvature, int64_t own[2]) {
    ptrdiff_t i;
    int64_t own_slope = 0, own_curvature = 0;
    for (i = 0; i < n; i++) {
        double less = mean - means[i], more = gain - gains[i];
        double apart = spread < 0 ? (less < 0 ? -less : less) : spread;
        double change = (more < 0 ? -more : more) * apart;
        double odds = refrank_exp_of(-(sigma * (score - scores[i])));
        double share = 1.0 / (1.0 + odds);
        double rho = (gain > gains[i] ? odds : 1.0) * share;
        int64_t q = refrank_round(change * rho * unit);
        int64_t w = refrank_round(change * (odds * share * share) * unit);
        q = gain > gains[i] ? q : -q;
        slope[i] -= q;
        own_slope += q;
        curvature[i] += w;
        own_curvature += w;
    }
    own[0] += own_slope;
    own[1] += own_curvature;
}

#endif
