/* Which of two cuts of a node gains more, exactly: gains are compared as fractions of integers. */
#ifndef REFRANK_FRACTIONS_H
#define REFRANK_FRACTIONS_H

#include <stdint.h>

enum { REFRANK_GROUPS = 3, REFRANK_LIMBS = 15, REFRANK_BITS = 27 };

/* limb, the digits of a number to the base 2^27, times by < 2^54; the product is below 2^405 */
static void refrank_multiply(uint64_t *limb, uint64_t by) {
    uint64_t mask = ((uint64_t)1 << REFRANK_BITS) - 1, low = by & mask, high = by >> REFRANK_BITS;
    uint64_t before = 0, carry = 0;
    int i;
    if (by == 1)
        return;
    for (i = 0; i < REFRANK_LIMBS; i++) {
        uint64_t digit = limb[i], sum = digit * low + before * high + carry;
        limb[i] = sum & mask;
        carry = sum >> REFRANK_BITS;
        before = digit;
    }
}

/* The numerator of the sum of squares over weights, with the product of the weights as denominator, times `other`. */
static void refrank_add_squares(
    const int64_t *sum, const int64_t *weight, const int64_t *other, uint64_t *numerator) {
    int group, h, i;
    for (i = 0; i < REFRANK_LIMBS; i++)
        numerator[i] = 0;
    for (group = 0; group < REFRANK_GROUPS; group++) {
        uint64_t magnitude = sum[group] < 0 ? -(uint64_t)sum[group] : (uint64_t)sum[group], carry = 0;
        uint64_t term[REFRANK_LIMBS] = {1};
        refrank_multiply(term, magnitude);
        refrank_multiply(term, magnitude);
        for (h = 0; h < REFRANK_GROUPS; h++) {
            if (h != group)
                refrank_multiply(term, (uint64_t)weight[h]);
            refrank_multiply(term, (uint64_t)other[h]);
        }
        for (i = 0; i < REFRANK_LIMBS; i++) {
            uint64_t digit = numerator[i] + term[i] + carry;
            numerator[i] = digit & (((uint64_t)1 << REFRANK_BITS) - 1);
            carry = digit >> REFRANK_BITS;
        }
    }
}

/* 1, 0 or -1: whether sum_g sum[g]^2 / weight[g] is larger than, equal to or smaller than that of the others. Both are
 * partitions of a node's rows into three groups; an absent group has the sum 0 and the weight 1. Sums and weights are
 * at most 2^53 in magnitude: a product has 2 * 53 bits of sums and 5 * 53 of weights. */
static int refrank_compare_squares(
    const int64_t *sum, const int64_t *weight, const int64_t *other_sum, const int64_t *other_weight) {
    uint64_t left[REFRANK_LIMBS], right[REFRANK_LIMBS];
    int i;
    refrank_add_squares(sum, weight, other_weight, left);
    refrank_add_squares(other_sum, other_weight, weight, right);
    for (i = REFRANK_LIMBS - 1; i >= 0; i--)
        if (left[i] != right[i])
            return left[i] > right[i] ? 1 : -1;
    return 0;
}

#endif
