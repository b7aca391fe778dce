/* exp by a fixed sequence of IEEE operations: refrank/trees/numbers/exponential.py in C, for every double but NaN.
 *
 * Compile without fused multiply-add (-ffp-contract=off), in the default rounding mode. */
#ifndef REFRANK_EXP_H
#define REFRANK_EXP_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Adding 1.5 * 2**52 rounds a double to the nearest integer, ties to even, and leaves it in the lowest bits. */
#define REFRANK_SHIFT 6755399441055744.0

/* 2**k, given k + REFRANK_SHIFT: the bits of k, plus the bias, become the exponent. */
static inline double refrank_power_of_two(double shifted) {
    uint64_t bits;
    double power;
    memcpy(&bits, &shifted, 8);
    bits = (bits + 1023) << 52;
    memcpy(&power, &bits, 8);
    return power;
}

static inline double refrank_exp_of(double x) {
    double k, half, high, low, r, series, p;
    x = x > -746.0 ? x : -746.0;
    x = x < 710.0 ? x : 710.0;
    k = (x * 1.4426950408889634 + REFRANK_SHIFT) - REFRANK_SHIFT;
    high = x - k * 0.6931471805598903;
    low = k * 5.497923018708371e-14;
    r = high - low;
    series = 1 / 87178291200.0;
    series = series * r + 1 / 6227020800.0;
    series = series * r + 1 / 479001600.0;
    series = series * r + 1 / 39916800.0;
    series = series * r + 1 / 3628800.0;
    series = series * r + 1 / 362880.0;
    series = series * r + 1 / 40320.0;
    series = series * r + 1 / 5040.0;
    series = series * r + 1 / 720.0;
    series = series * r + 1 / 120.0;
    series = series * r + 1 / 24.0;
    series = series * r + 1 / 6.0;
    series = series * r + 1 / 2.0;
    p = 1.0 + (high + (r * r * series - low));
    /* ldexp(p, k) in two factors: the first product is exact, so that a subnormal result is rounded once. */
    half = k * 0.5 + REFRANK_SHIFT;
    return p * refrank_power_of_two(half) * refrank_power_of_two(k - (half - REFRANK_SHIFT) + REFRANK_SHIFT);
}

/* Loops that compilers turn into vector instructions, whose lanes do the same operations. */

REFRANK_CLONES static void refrank_exp_all(double *x, ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) x[i] = refrank_exp_of(x[i]);
}

/* highest = max(highest, scores) */
REFRANK_CLONES static void refrank_raise_highest(const double *scores, double *highest, ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) highest[i] = scores[i] > highest[i] ? scores[i] : highest[i];
}

/* term = exp(scores - highest), total += term */
REFRANK_CLONES static void refrank_add_terms(
    const double *scores, const double *highest, double *term, double *total, ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) {
        double found = refrank_exp_of(scores[i] - highest[i]);
        term[i] = found;
        total[i] += found;
    }
}

/* term /= total */
REFRANK_CLONES static void refrank_divide(double *term, const double *total, ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) term[i] /= total[i];
}

#endif
