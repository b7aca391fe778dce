/* The gains of one feature's cuts: a loop that compilers turn into vector instructions. */
#ifndef REFRANK_CUT_H
#define REFRANK_CUT_H

#include <stddef.h>

/* gains = split_gain, the reduction of the sum of squared errors; sum[i] and weight[i] are those of the rows left of
 * cut i, total and n_node those of the node's rows */
REFRANK_CLONES static void refrank_compute_gains(
    const double *sum, const double *weight, ptrdiff_t n, double total, double n_node, double *gains) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) {
        double n_left = weight[i], n_right = n_node - n_left;
        double d = sum[i] / n_left - (total - sum[i]) / n_right;
        gains[i] = d * d * (n_left * n_right / n_node);
    }
}

#endif
