/* The gains of one feature's cuts, and the largest: loops that compilers turn into vector instructions. */
#ifndef REFRANK_CUT_H
#define REFRANK_CUT_H

#include <stddef.h>

enum { REFRANK_LANES = 8 };

/* split_gain, the reduction of the sum of squared errors; sum and weight are those of the rows left of a cut, total and
 * n_node those of the node's rows. */
static inline double refrank_compute_gain(double sum, double n_left, double total, double n_node) {
    double n_right = n_node - n_left, d = sum / n_left - (total - sum) / n_right;
    return d * d * (n_left * n_right / n_node);
}

static inline double refrank_find_largest(const double *gains, ptrdiff_t n) {
    double largest = 0.0, of_lane[REFRANK_LANES] = {0.0};
    ptrdiff_t i, j;
    for (i = 0; i + REFRANK_LANES <= n; i += REFRANK_LANES)
        for (j = 0; j < REFRANK_LANES; j++)
            of_lane[j] = gains[i + j] > of_lane[j] ? gains[i + j] : of_lane[j];
    for (j = 0; i > 0 && j < REFRANK_LANES; j++)
        largest = of_lane[j] > largest ? of_lane[j] : largest;
    for (; i < n; i++)
        largest = gains[i] > largest ? gains[i] : largest;
    return largest;
}

/* The gains of n cuts. Returns the largest, 0 where n is 0. */
REFRANK_CLONES static double refrank_compute_gains(
    const double *sum, const double *weight, ptrdiff_t n, double total, double n_node, double *gains) {
    for (ptrdiff_t i = 0; i < n; i++)
        gains[i] = refrank_compute_gain(sum[i], weight[i], total, n_node);
    return refrank_find_largest(gains, n);
}

/* n_node times the gains of n cuts, nearly, with one division each instead of three. Returns the largest. */
REFRANK_CLONES static double refrank_estimate_gains(
    const double *sum, const double *weight, ptrdiff_t n, double total, double n_node, double *gains) {
    for (ptrdiff_t i = 0; i < n; i++) {
        double d = sum[i] * n_node - total * weight[i];
        gains[i] = d * d / (weight[i] * (n_node - weight[i]));
    }
    return refrank_find_largest(gains, n);
}

#endif
