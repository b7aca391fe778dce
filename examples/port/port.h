/* What the files of this port share. */
#ifndef PORT_H
#define PORT_H

#include <stddef.h>

#include "refrank_splitter.h"

/* One label, of one byte or two. */
static inline int64_t label(const void *codes, int32_t code_bytes, int64_t place) {
    return code_bytes == 1 ? ((const uint8_t *)codes)[place] : ((const uint16_t *)codes)[place];
}

/* Where feature f of row i is among the labels in groups of eight features. */
static inline int64_t in_groups(int64_t n_samples, int64_t f, int64_t i) {
    return (f / 8 * n_samples + i) * 8 + f % 8;
}

/* One number, of four bytes or eight. */
static inline double number(const void *X, int32_t float_bytes, int64_t place) {
    return float_bytes == 4 ? ((const float *)X)[place] : ((const double *)X)[place];
}

/* exp.c: exp of one number. */
double port_exp(double x);

/* A cut, and its three sides, the last one for the rows that miss the feature: sum 0 and weight 1 in a cut two ways. */
typedef struct {
    refrank_split split;
    int64_t sum[3], weight[3];
    int three_ways;
} port_cut;

extern const port_cut port_no_cut;

/* ties.c: whether a cut gains more than another one of the same rows, as fractions. */
int port_gains_more(const port_cut *cut, const port_cut *best);

/* cuts.c: let *best be the best cut of feature f, given its slots, where that gains more than *best. */
void port_raise_best(
    port_cut *best, int64_t f, const int64_t *slots, int64_t n_bins, int64_t n_columns, int64_t min_samples_leaf,
    int missing);

/* cuts.c: the gain of a cut, given the sums of both sides; `last` is the column of the weight, or of the count. */
double port_gain(const int64_t *left, const int64_t *right, int64_t last);

#endif
