/* The gains of one feature's cuts: loops that compilers turn into vector instructions, whose lanes do the same
 * operations. sum[i] and weight[i] are those of the rows left of cut i; total and n_node, those of the node's rows. */
#ifndef REFRANK_CUT_H
#define REFRANK_CUT_H

#include <stddef.h>
#include <stdint.h>

/* gains = split_gain, the reduction of the sum of squared errors */
REFRANK_CLONES static void refrank_compute_gains(
    const double *sum, const double *weight, ptrdiff_t n, double total, double n_node, double *gains) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) {
        double n_left = weight[i], n_right = n_node - n_left;
        double d = sum[i] / n_left - (total - sum[i]) / n_right;
        gains[i] = d * d * (n_left * n_right / n_node);
    }
}

/* Whether a gain may be larger than to_beat. It takes no division per cut, and a "no" is always true.
 *
 * With mean = total / n_node and t = sum - mean * n_left, a gain is t**2 * n_node / (n_left * n_right). Sums of
 * residuals are at most 2**53 on their grid. So t rounds by less than 4: by 2 in mean * n_left, and by 1 in the
 * difference. The d of the gain rounds as if t were off by 1: by 2**-53 of both means, times n_left * n_right / n_node.
 * Adding 8 covers both; each other operation rounds by 2**-53 of its result, and the factor of 0.999999 covers those. */
REFRANK_CLONES static int refrank_may_gain(
    const double *sum, const double *weight, ptrdiff_t n, double total, double n_node, double to_beat) {
    double mean = total / n_node, least = to_beat / n_node * 0.999999;
    int64_t found = 0;
    ptrdiff_t i;
    for (i = 0; i < n; i++) {
        double t = sum[i] - mean * weight[i];
        t = (t < 0 ? -t : t) + 8.0;
        found |= t * t > least * (weight[i] * (n_node - weight[i]));
    }
    return found != 0;
}

#endif
