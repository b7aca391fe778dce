/* The gains of one feature's cuts, and the largest: loops that compilers turn into vector instructions. */
#ifndef REFRANK_CUT_H
#define REFRANK_CUT_H

#include <stddef.h>

enum { REFRANK_LANES = 8 };

/* gains = split_gain, the reduction of the sum of squared errors; sum[i] and weight[i] are those of the rows left of
 * cut i, total and n_node those of the node's rows. Returns the largest, 0 where n is 0. */
REFRANK_CLONES static double refrank_compute_gains(
    const double *sum, const double *weight, ptrdiff_t n, double total, double n_node, double *gains) {
    double largest = 0.0, of_lane[REFRANK_LANES] = {0.0};
    ptrdiff_t i, j;
    for (i = 0; i < n; i++) {
        double n_left = weight[i], n_right = n_node - n_left;
        double d = sum[i] / n_left - (total - sum[i]) / n_right;
        gains[i] = d * d * (n_left * n_right / n_node);
    }
    for (i = 0; i + REFRANK_LANES <= n; i += REFRANK_LANES)
        for (j = 0; j < REFRANK_LANES; j++)
            of_lane[j] = gains[i + j] > of_lane[j] ? gains[i + j] : of_lane[j];
    for (j = 0; i > 0 && j < REFRANK_LANES; j++)
        largest = of_lane[j] > largest ? of_lane[j] : largest;
    for (; i < n; i++)
        largest = gains[i] > largest ? gains[i] : largest;
    return largest;
}

#endif
