/* Random forests: iGBRT Alg. 1, with the draws of refrank/trees/numbers/draws.py. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "training.h"

/* Number i of the stream of SplitMix64 that starts at `key`. */
static uint64_t draw(uint64_t key, uint64_t i) {
    uint64_t z = key + (i + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* One of 0..n-1, by the high half of a product; n < 2^31. */
static int64_t below(uint64_t bits, uint64_t n) {
    return (int64_t)(((bits >> 32) * n + ((bits & 0xFFFFFFFFu) * n >> 32)) >> 32);
}

static uint64_t tree_key(uint64_t seed, uint64_t tree, uint64_t stream) { return draw(draw(draw(0, seed), tree), stream); }

/* The arrays of a tree, each (n_nodes). */
typedef struct {
    int32_t *feature, *bin, *left, *right;
    double *gain, *cut, *value;
    int64_t *sum, *count, *weight;
} arrays;

static int make_arrays(arrays *a, int64_t n) {
    *a = (arrays){malloc((size_t)n * 4), malloc((size_t)n * 4), malloc((size_t)n * 4), malloc((size_t)n * 4),
                  malloc((size_t)n * 8), malloc((size_t)n * 8), malloc((size_t)n * 8), malloc((size_t)n * 8),
                  malloc((size_t)n * 8), malloc((size_t)n * 8)};
    return a->feature && a->bin && a->left && a->right && a->gain && a->cut && a->value && a->sum && a->count && a->weight
               ? 0 : REFRANK_NO_MEMORY;
}

static void free_arrays(arrays *a) {
    free(a->feature), free(a->bin), free(a->left), free(a->right), free(a->gain);
    free(a->cut), free(a->value), free(a->sum), free(a->count), free(a->weight);
}

static void tell_tree(const port_training *t, int64_t tree, const arrays *a, int64_t n) {
    int64_t output = t->output;
    t->tell("tree", "feature", -1, tree, output, TYPE_INT32, a->feature, n, 0, 0);
    t->tell("tree", "bin", -1, tree, output, TYPE_INT32, a->bin, n, 0, 0);
    t->tell("tree", "left", -1, tree, output, TYPE_INT32, a->left, n, 0, 0);
    t->tell("tree", "right", -1, tree, output, TYPE_INT32, a->right, n, 0, 0);
    t->tell("tree", "cut", -1, tree, output, TYPE_DOUBLE, a->cut, n, 0, 0);
    t->tell("tree", "split_gain", -1, tree, output, TYPE_DOUBLE, a->gain, n, 0, 0);
    t->tell("tree", "n_node_samples", -1, tree, output, TYPE_INT64, a->count, n, 0, 0);
    t->tell("tree", "value", -1, tree, output, TYPE_DOUBLE, a->value, n, 0, 0);
}

/* Move each cut just above the middle of the rows that were drawn on its two sides. */
static void move_cuts(const port_training *t, arrays *a, int64_t n_nodes, const int32_t *rows, int64_t n_rows) {
    double *highest = malloc((size_t)n_nodes * 8), *lowest = malloc((size_t)n_nodes * 8);
    for (int64_t i = 0; i < n_nodes; i++) highest[i] = -INFINITY, lowest[i] = INFINITY;
    for (int64_t j = 0; j < n_rows; j++) {
        int64_t node = 0;
        while (a->feature[node] >= 0) {
            double x = t->X[rows[j] * t->n_features + a->feature[node]] + 0.0;
            int is_left = x < a->cut[node];
            if (is_left) highest[node] = fmax(highest[node], x);
            else lowest[node] = fmin(lowest[node], x);
            node = is_left ? a->left[node] : a->right[node];
        }
    }
    for (int64_t i = 0; i < n_nodes; i++) {
        if (a->feature[i] >= 0) a->cut[i] = fmin(nextafter(highest[i] / 2 + lowest[i] / 2, INFINITY), lowest[i]);
    }
    free(highest), free(lowest);
}

/* iGBRT Alg. 1. */
int port_forest(port_training *t, const double *target, int64_t n_trees, int64_t n_candidates, uint64_t seed, double *scores) {
    int64_t n = t->n_samples, f = t->n_features, capacity = 2 * n, root = 0, n_all = n + t->n_unseen;
    int code = port_bin(t);
    arrays a;
    uint16_t *row_codes = malloc((size_t)(n * f) * sizeof *row_codes);
    int64_t *weights = t->weight ? malloc((size_t)n * 8) : NULL;
    double *weighed = port_weigh(t, target);
    int32_t weight_exponent = weights ? port_to_grid(t->weight, n, weights) : 0;
    int64_t *counts = malloc((size_t)n * 8), *integers = malloc((size_t)n * 8);
    int32_t *rows = malloc((size_t)n * 4);
    if (make_arrays(&a, capacity) || !row_codes || !counts || !integers || !rows) code = REFRANK_NO_MEMORY;
    if (code == 0) {
        for (int64_t i = 0; i < n * f; i++)
            row_codes[i] = (uint16_t)label(t->codes, t->code_bytes, in_groups(n_all, i % f, i / f));
        memset(scores, 0, (size_t)n_all * 8);
    }
    for (int64_t tree = 0; tree < n_trees && code == 0; tree++) { /* line 1 */
        int64_t n_rows = 0;
        uint64_t key = tree_key(seed, (uint64_t)tree, 0);
        memset(counts, 0, (size_t)n * 8);
        for (int64_t i = 0; i < n; i++) counts[below(draw(key, (uint64_t)i), (uint64_t)n)] += 1; /* line 2 */
        t->tell("draws", "counts", -1, tree, t->output, TYPE_INT64, counts, n, 0, 0);
        for (int32_t i = 0; i < n; i++) {
            if (counts[i]) rows[n_rows++] = i;
        }
        int32_t exponent = port_to_grid(weighed, n, integers);
        int64_t n_nodes = refrank_grow_deep( /* line 3 */
            row_codes, 2, n, f, t->offsets, rows, n_rows, integers, counts, weights, t->missing, -1, t->min_samples_leaf,
            n_candidates, tree_key(seed, (uint64_t)tree, 1), capacity, a.feature, a.bin, a.left, a.right, a.gain, a.sum,
            a.count, a.weight);
        if (n_nodes < 0) { code = (int)n_nodes; break; }
        for (int64_t i = 0; i < n_nodes; i++) {
            int leaf = a.feature[i] < 0;
            a.value[i] = leaf ? ldexp((double)a.sum[i], -exponent) / ldexp((double)a.weight[i], -weight_exponent) : 0.0;
            a.gain[i] = ldexp(a.gain[i], weight_exponent - 2 * exponent);
            a.cut[i] = leaf ? 0.0 : t->cuts[t->offsets[a.feature[i]] - a.feature[i] + a.bin[i]];
        }
        if (t->at_midpoints) move_cuts(t, &a, n_nodes, rows, n_rows);
        tell_tree(t, tree, &a, n_nodes);
        refrank_add_trees(t->X, 8, n_all, f, &root, 1, a.feature, a.cut, a.left, a.right, a.value, n_nodes, scores, 1);
    }
    for (int64_t i = 0; i < n_all && code == 0; i++) scores[i] /= (double)n_trees; /* line 5 */
    free_arrays(&a);
    free(row_codes), free(weights), free(weighed), free(counts), free(integers), free(rows), free(t->codes);
    return code;
}
