/* Bins, grids, histograms: refrank/trees/splitting.py, from bin_starts to root_sums. */
#include <math.h>
#include <string.h>

#include "port.h"

int32_t refrank_splitter_version(void) { return REFRANK_SPLITTER_VERSION; }

int64_t refrank_bin_starts(
    const void *values, int32_t float_bytes, int64_t n_values, double length, int64_t n_bins, int64_t *starts) {
    int64_t n_starts = 0, i = 0;
    while (i < n_values) {
        double start = number(values, float_bytes, i);
        if (n_starts == n_bins) return 0;
        starts[n_starts++] = i;
        /* the values of this bin; those that equal its start belong to it even where start + length is start */
        while (i < n_values) {
            double x = number(values, float_bytes, i);
            if (x > start && x >= start + length) break;
            i++;
        }
    }
    return n_starts;
}

int64_t refrank_quantize(
    const void *X, int32_t float_bytes, int64_t n_samples, int64_t n_features, const double *cuts,
    const int64_t *offsets, void *codes, int32_t code_bytes, int32_t n_threads) {
    (void)n_threads;
    for (int64_t f = 0; f < n_features; f++) {
        const double *edges = cuts + offsets[f] - f;
        for (int64_t i = 0; i < n_samples; i++) {
            double x = number(X, float_bytes, i * n_features + f);
            int64_t low = 0, high = offsets[f + 1] - offsets[f] - 1, place = in_groups(n_samples, f, i);
            while (low < high) { /* the bin is from low to high */
                int64_t middle = low + (high - low) / 2;
                if (x < edges[middle]) high = middle;
                else low = middle + 1;
            }
            if (code_bytes == 1) ((uint8_t *)codes)[place] = (uint8_t)low;
            else ((uint16_t *)codes)[place] = (uint16_t)low;
        }
    }
    return 0;
}

int64_t refrank_largest_magnitude(const double *value, int64_t n_samples, double *largest, int32_t n_threads) {
    (void)n_threads;
    *largest = 0.0;
    for (int64_t i = 0; i < n_samples; i++) {
        if (!(fabs(value[i]) <= *largest)) *largest = fabs(value[i]);
        if (!isfinite(*largest)) return 0; /* NaN would be below the next value */
    }
    return 0;
}

int64_t refrank_round_to_grid(
    const double *value, int64_t n_samples, int32_t exponent, int64_t *integers, int32_t n_threads) {
    (void)n_threads;
    for (int64_t i = 0; i < n_samples; i++) integers[i] = (int64_t)rint(ldexp(value[i], exponent));
    return 0;
}

int64_t refrank_histogram(
    const void *codes, int32_t code_bytes, int64_t n_samples, const int64_t *offsets, int64_t n_features,
    const int32_t *rows, int64_t n_rows, const int64_t *integers, const int64_t *weights, int64_t *sums,
    int32_t n_threads) {
    int64_t n_columns = weights ? 3 : 2;
    (void)n_threads;
    memset(sums, 0, (size_t)(offsets[n_features] * n_columns) * sizeof *sums);
    for (int64_t f = 0; f < n_features; f++) {
        for (int64_t j = 0; j < n_rows; j++) {
            int64_t i = rows[j], bin = label(codes, code_bytes, in_groups(n_samples, f, i));
            int64_t *slot = sums + (offsets[f] + bin) * n_columns;
            slot[0] += integers[i];
            slot[1] += 1;
            if (weights) slot[2] += weights[i];
        }
    }
    return 0;
}

int64_t refrank_root_sums(
    const void *codes, int32_t code_bytes, int64_t n_samples, const int64_t *offsets, int64_t n_features,
    const int64_t *quantities, int64_t n_quantities, int64_t *sums, int32_t n_threads) {
    int64_t n_slots = offsets[n_features];
    (void)n_threads;
    memset(sums, 0, (size_t)(n_quantities * n_slots) * sizeof *sums);
    for (int64_t q = 0; q < n_quantities; q++) {
        for (int64_t f = 0; f < n_features; f++) {
            for (int64_t i = 0; i < n_samples; i++) {
                int64_t bin = label(codes, code_bytes, in_groups(n_samples, f, i));
                sums[q * n_slots + offsets[f] + bin] += quantities[q * n_samples + i];
            }
        }
    }
    return 0;
}
