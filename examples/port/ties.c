/* Which of two cuts of a node gains more, as fractions: docs/reference/numerics.md, rule 3. */
#include "port.h"

enum { DIGITS = 13 }; /* to the base 2^32; the largest product has 2 * 53 + 5 * 53 bits, and a sum of three two more */

/* number *= by */
static void multiply(uint32_t *number, uint64_t by) {
    uint32_t product[DIGITS] = {0};
    for (int half = 0; half < 2; half++) {
        uint64_t digit = half ? by >> 32 : by & 0xFFFFFFFFu, carry = 0;
        for (int i = half; i < DIGITS; i++) {
            carry += product[i] + digit * number[i - half];
            product[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    for (int i = 0; i < DIGITS; i++) number[i] = product[i];
}

/* total = sum over sides of s^2 times the weights of the other sides, times all weights of the other cut */
static void square_sums(const port_cut *cut, const port_cut *other, uint32_t *total) {
    for (int i = 0; i < DIGITS; i++) total[i] = 0;
    for (int side = 0; side < 3; side++) {
        uint64_t size = (uint64_t)(cut->sum[side] < 0 ? -cut->sum[side] : cut->sum[side]), carry = 0;
        uint32_t term[DIGITS] = {1};
        multiply(term, size), multiply(term, size);
        for (int another = 0; another < 3; another++) {
            if (another != side) multiply(term, (uint64_t)cut->weight[another]);
            multiply(term, (uint64_t)other->weight[another]);
        }
        for (int i = 0; i < DIGITS; i++) {
            carry += (uint64_t)total[i] + term[i];
            total[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
}

/* More than rounding moves the gain of a cut. */
static double slack(const port_cut *cut) {
    const double tiny = 1.0 / 33554432.0; /* 2^-25 */
    double present = (double)(cut->sum[0] + cut->sum[1]), weight = (double)(cut->weight[0] + cut->weight[1]);
    double noise = present * present / weight;
    if (cut->three_ways) {
        present += (double)cut->sum[2], weight += (double)cut->weight[2];
        noise += present * present / weight;
    }
    return tiny * cut->split.split_gain + tiny * tiny * tiny * noise;
}

int port_gains_more(const port_cut *cut, const port_cut *best) {
    uint32_t ours[DIGITS], theirs[DIGITS];
    double distance = cut->split.split_gain - best->split.split_gain, least;
    if (cut->split.split_gain == 0.0 || best->split.split_gain == 0.0) return distance > 0.0;
    least = slack(cut) + slack(best);
    if (distance > least || distance < -least) return distance > 0.0;
    square_sums(cut, best, ours), square_sums(best, cut, theirs);
    for (int i = DIGITS - 1; i >= 0; i--) {
        if (ours[i] != theirs[i]) return ours[i] > theirs[i];
    }
    return 0;
}
