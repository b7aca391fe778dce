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

/* Compute what a pair adds to the document that comes first: `more` is how much its gain is above the other's, `apart`
 * how far their discounts are apart, and `margin`, at least 0, how far their scores are. */
static inline void refrank_weigh_pair(
    double more, double apart, double margin, double sigma, double unit, int64_t *slope, int64_t *curvature) {
    double change = (more < 0 ? -more : more) * apart;
    double odds = refrank_exp_of(-(sigma * margin));
    double share = 1.0 / (1.0 + odds);
    double rho = (more > 0 ? odds : 1.0) * share;
    int64_t q = refrank_round(change * rho * unit);
    *slope = more > 0 ? q : -q;
    *curvature = refrank_round(change * (odds * share * share) * unit);
}

/* Add the terms of a document's pairs with n others, all of lower scores, to the sums of all of them.
 *
 * No two pointers lead to the same memory: without this word, the loop is one of single numbers. */
REFRANK_CLONES static void refrank_add_pairs(
    double score, double gain, double mean, double sigma, double unit, const double *__restrict scores,
    const double *__restrict gains, const double *__restrict means, ptrdiff_t n, int64_t *__restrict slope,
    int64_t *__restrict curvature, int64_t *__restrict own_slope, int64_t *__restrict own_curvature) {
    ptrdiff_t i;
    int64_t slopes = 0, curvatures = 0;
    for (i = 0; i < n; i++) {
        double less = mean - means[i];
        int64_t q, w;
        refrank_weigh_pair(gain - gains[i], less < 0 ? -less : less, score - scores[i], sigma, unit, &q, &w);
        slope[i] -= q;
        slopes += q;
        curvature[i] += w;
        curvatures += w;
    }
    *own_slope += slopes;
    *own_curvature += curvatures;
}

#endif
