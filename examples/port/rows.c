/* Rows: refrank/trees/splitting.py, from partition to add_trees. */
#include <math.h>
#include <stdlib.h>

#include "port.h"

int64_t refrank_partition(
    const void *codes, int32_t code_bytes, int64_t n_samples, int32_t *rows, int64_t n_rows, int64_t feature,
    int64_t bin, int32_t n_threads) {
    int64_t n_left = 0, n_right = 0;
    int32_t *right = malloc((size_t)(n_rows + 1) * sizeof *right);
    (void)n_threads;
    if (!right) return REFRANK_NO_MEMORY;
    for (int64_t j = 0; j < n_rows; j++) {
        if (label(codes, code_bytes, in_groups(n_samples, feature, rows[j])) <= bin) rows[n_left++] = rows[j];
        else right[n_right++] = rows[j];
    }
    for (int64_t j = 0; j < n_right; j++) rows[n_left + j] = right[j];
    free(right);
    return n_left;
}

int64_t refrank_leaf_sums(
    const double *value, int64_t n_samples, int32_t exponent, const int32_t *rows, const int64_t *starts,
    int64_t n_leaves, int64_t *sums, int32_t n_threads) {
    (void)n_samples, (void)n_threads;
    for (int64_t leaf = 0; leaf < n_leaves; leaf++) {
        int64_t sum = 0;
        for (int64_t j = starts[leaf]; j < starts[leaf + 1]; j++) sum += (int64_t)rint(ldexp(value[rows[j]], exponent));
        sums[leaf] = sum;
    }
    return 0;
}

int64_t refrank_add_to_leaves(
    double *scores, int64_t n_samples, const int32_t *rows, const int64_t *starts, int64_t n_leaves,
    const double *values, int32_t n_threads) {
    (void)n_samples, (void)n_threads;
    for (int64_t leaf = 0; leaf < n_leaves; leaf++) {
        for (int64_t j = starts[leaf]; j < starts[leaf + 1]; j++) scores[rows[j]] += values[leaf];
    }
    return 0;
}

int64_t refrank_add_trees(
    const void *X, int32_t float_bytes, int64_t n_samples, int64_t n_features, const int64_t *roots, int64_t n_trees,
    const int32_t *feature, const double *cut, const int32_t *left, const int32_t *right, const double *value,
    int64_t n_nodes, double *scores, int32_t n_threads) {
    (void)n_nodes, (void)n_threads;
    for (int64_t t = 0; t < n_trees; t++) {
        for (int64_t i = 0; i < n_samples; i++) {
            int64_t node = roots[t];
            while (feature[node] >= 0) {
                double x = number(X, float_bytes, i * n_features + feature[node]);
                node = roots[t] + (x < cut[node] ? left[node] : right[node]);
            }
            scores[i] += value[node];
        }
    }
    return 0;
}
