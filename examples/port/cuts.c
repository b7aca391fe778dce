/* Cuts: refrank/trees/splitting.py, best_split and best_split_inside; docs/reference/numerics.md, rules 3 and 6. */
#include <stdlib.h>
#include <string.h>

#include "port.h"

double port_gain(const int64_t *left, const int64_t *right, int64_t last) {
    double n_left = (double)left[last], n_right = (double)right[last], n_node = (double)(left[last] + right[last]);
    double d = (double)left[0] / n_left - (double)right[0] / n_right;
    return d * d * (n_left * n_right / n_node);
}

/* Whether a side holds enough rows, and some weight. */
static int is_enough(const int64_t *side, int64_t last, int64_t min_samples_leaf) {
    return side[1] >= min_samples_leaf && side[last] > 0;
}

/* Add up some slots. */
static void add_up(const int64_t *slots, int64_t n_bins, int64_t n_columns, int64_t *total) {
    memset(total, 0, 3 * sizeof *total);
    for (int64_t b = 0; b < n_bins; b++) {
        for (int64_t c = 0; c < n_columns; c++) total[c] += slots[b * n_columns + c];
    }
}

const port_cut port_no_cut = {{-1, -1, 0.0, 0, 0, 0}, {0, 0, 0}, {1, 1, 1}, 0};

static port_cut make_cut(int64_t f, int64_t bin, double split_gain, const int64_t *left, const int64_t *right, int64_t last) {
    port_cut cut = {
        {f, bin, split_gain, left[0], left[1], left[last]}, {left[0], right[0], 0}, {left[last], right[last], 1}, 0};
    return cut;
}

/* The best cut of one feature into two, which gains more than 0; feature is -1 where there is none. */
static port_cut cut_in_two(
    int64_t f, const int64_t *slots, int64_t n_bins, int64_t n_columns, int64_t min_samples_leaf) {
    int64_t node[3], left[3] = {0, 0, 0}, right[3], last = n_columns - 1;
    port_cut best = port_no_cut;
    add_up(slots, n_bins, n_columns, node);
    for (int64_t b = 0; b + 1 < n_bins; b++) {
        for (int64_t c = 0; c < n_columns; c++) {
            left[c] += slots[b * n_columns + c];
            right[c] = node[c] - left[c];
        }
        if (is_enough(left, last, min_samples_leaf) && is_enough(right, last, min_samples_leaf)) {
            port_cut cut = make_cut(f, b, port_gain(left, right, last), left, right, last);
            if (port_gains_more(&cut, &best)) best = cut;
        }
    }
    return best;
}

/* The best cut of a feature whose last bin holds the rows that miss it: rule 6. */
static port_cut cut_in_three(
    int64_t f, const int64_t *slots, int64_t n_bins, int64_t n_columns, int64_t min_samples_leaf, int missing) {
    const int64_t *missed = slots + (n_bins - 1) * n_columns;
    int64_t present[3], last = n_columns - 1;
    port_cut among;
    double parting, both;
    add_up(slots, n_bins - 1, n_columns, present);
    if (!is_enough(present, last, min_samples_leaf) || !is_enough(missed, last, min_samples_leaf)) return port_no_cut;
    parting = port_gain(present, missed, last);
    among = cut_in_two(f, slots, n_bins - 1, n_columns, min_samples_leaf);
    both = parting + among.split.split_gain;
    if (among.split.feature >= 0 && (both > parting || missing == REFRANK_NEEDS_CUT)) {
        among.split.split_gain = both;
        among.sum[2] = missed[0], among.weight[2] = missed[last], among.three_ways = 1;
        return among;
    }
    return missing == REFRANK_NEEDS_CUT ? port_no_cut : make_cut(f, n_bins - 2, parting, present, missed, last);
}

void port_raise_best(
    port_cut *best, int64_t f, const int64_t *slots, int64_t n_bins, int64_t n_columns, int64_t min_samples_leaf,
    int missing) {
    int some_miss_it = missing && slots[(n_bins - 1) * n_columns + 1] > 0;
    port_cut cut = some_miss_it ? cut_in_three(f, slots, n_bins, n_columns, min_samples_leaf, missing)
                                : cut_in_two(f, slots, n_bins, n_columns, min_samples_leaf);
    if (port_gains_more(&cut, best)) *best = cut; /* of equal cuts, the first */
}

int64_t refrank_best_split(
    const int64_t *sums, int64_t n_columns, const int64_t *offsets, int64_t n_features, const int32_t *features,
    int64_t n_listed, int64_t min_samples_leaf, const int8_t *missing, refrank_split *split, int32_t n_threads) {
    port_cut best = port_no_cut;
    (void)n_features, (void)n_threads;
    for (int64_t j = 0; j < n_listed; j++) {
        int64_t f = features[j], n_bins = offsets[f + 1] - offsets[f];
        const int64_t *slots = sums + offsets[f] * n_columns;
        port_raise_best(&best, f, slots, n_bins, n_columns, min_samples_leaf, missing ? missing[f] : 0);
    }
    *split = best.split;
    return 0;
}

int64_t refrank_best_split_inside(
    const void *column_codes, int32_t code_bytes, int64_t n_samples, const int64_t *offsets, int64_t n_features,
    const int64_t *coarse_offsets, const int64_t *ends, const int64_t *coarse_sums, const int32_t *rows, int64_t n_rows,
    const int64_t *integers, const int64_t *weights, const int32_t *features, int64_t n_listed,
    int64_t min_samples_leaf, const int8_t *missing, refrank_split *split, int32_t n_threads) {
    int64_t n_columns = weights ? 3 : 2, widest = 0;
    int64_t *slots;
    port_cut best = port_no_cut;
    (void)coarse_offsets, (void)ends, (void)coarse_sums, (void)n_threads; /* this port looks into every bin */
    for (int64_t f = 0; f < n_features; f++) {
        if (offsets[f + 1] - offsets[f] > widest) widest = offsets[f + 1] - offsets[f];
    }
    slots = malloc((size_t)(widest * n_columns) * sizeof *slots);
    if (!slots) return REFRANK_NO_MEMORY;
    for (int64_t j = 0; j < n_listed; j++) {
        int64_t f = features[j], n_bins = offsets[f + 1] - offsets[f];
        memset(slots, 0, (size_t)(n_bins * n_columns) * sizeof *slots);
        for (int64_t k = 0; k < n_rows; k++) {
            int64_t *slot = slots + label(column_codes, code_bytes, f * n_samples + rows[k]) * n_columns;
            slot[0] += integers[rows[k]];
            slot[1] += 1;
            if (weights) slot[2] += weights[rows[k]];
        }
        port_raise_best(&best, f, slots, n_bins, n_columns, min_samples_leaf, missing ? missing[f] : 0);
    }
    free(slots);
    *split = best.split;
    return 0;
}
