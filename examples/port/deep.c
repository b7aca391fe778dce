/* Deep trees: refrank/trees/splitting.py, grow_deep; the draws are those of refrank/trees/numbers/draws.py. */
#include <stdlib.h>
#include <string.h>

#include "port.h"

/* Number i of the stream of this key. */
static uint64_t draw(uint64_t key, uint64_t i) {
    uint64_t z = key + (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* The high half of bits * n, for n < 2^32. */
static int64_t below(uint64_t bits, uint64_t n) {
    uint64_t low = (bits & UINT64_C(0xFFFFFFFF)) * n, high = (bits >> 32) * n;
    return (int64_t)((high + (low >> 32)) >> 32);
}

static int by_number(const void *a, const void *b) {
    int32_t one = *(const int32_t *)a, other = *(const int32_t *)b;
    return (one > other) - (one < other);
}

/* Draw n_candidates features, ascending, to the front of order, which has room for all. */
static void draw_features(uint64_t key, int64_t n_candidates, int64_t n_features, int32_t *order) {
    for (int64_t f = 0; f < n_features; f++) order[f] = (int32_t)f;
    for (int64_t j = 0; j < n_candidates; j++) {
        int64_t other = j + below(draw(key, (uint64_t)(2 + j)), (uint64_t)(n_features - j));
        int32_t drawn = order[other];
        order[other] = order[j];
        order[j] = drawn;
    }
    qsort(order, (size_t)n_candidates, sizeof *order, by_number);
}

/* What the tree is grown from, what it has become, and memory to work in. */
typedef struct {
    const void *row_codes;
    int32_t code_bytes;
    int64_t n_features, n_columns;
    const int64_t *offsets, *integers, *counts, *weights;
    int32_t *feature, *bin, *left, *right;
    double *split_gain;
    int64_t *sum, *count, *weight;
    int64_t n_nodes, capacity;
    int is_full;
    int32_t *rows, *buffer;
    int64_t *slots; /* (widest feature, n_columns) */
} Growth;

typedef struct {
    int64_t node, start, stop, depth; /* its rows are rows[start:stop] */
    uint64_t key;
} Pending;

static int64_t label_of(const Growth *tree, int64_t row, int64_t f) {
    return label(tree->row_codes, tree->code_bytes, row * tree->n_features + f);
}

static void add_row(const Growth *tree, int64_t row, int64_t *total) {
    total[0] += tree->counts[row] * tree->integers[row];
    total[1] += tree->counts[row];
    if (tree->weights) total[2] += tree->counts[row] * tree->weights[row];
}

/* Make a leaf of rows[start:stop]; return its number. */
static int64_t make_node(Growth *tree, int64_t start, int64_t stop) {
    int64_t node = tree->n_nodes++, total[3] = {0, 0, 0};
    for (int64_t j = start; j < stop; j++) add_row(tree, tree->rows[j], total);
    tree->feature[node] = -1;
    tree->bin[node] = tree->left[node] = tree->right[node] = 0;
    tree->split_gain[node] = 0.0;
    tree->sum[node] = total[0];
    tree->count[node] = total[1];
    tree->weight[node] = total[tree->n_columns - 1];
    return node;
}

/* Sum the rows of a node in the bins of one feature. */
static void sum_bins(const Growth *tree, int64_t start, int64_t stop, int64_t f) {
    int64_t n_bins = tree->offsets[f + 1] - tree->offsets[f];
    memset(tree->slots, 0, (size_t)(n_bins * tree->n_columns) * sizeof *tree->slots);
    for (int64_t j = start; j < stop; j++) {
        add_row(tree, tree->rows[j], tree->slots + label_of(tree, tree->rows[j], f) * tree->n_columns);
    }
}

/* Cut a node in two; return where the rows of the right child begin. */
static int64_t cut_node(Growth *tree, Pending at, int64_t f, int64_t bin, double split_gain) {
    int64_t middle = at.start, n_right = 0;
    for (int64_t j = at.start; j < at.stop; j++) {
        if (label_of(tree, tree->rows[j], f) <= bin) tree->rows[middle++] = tree->rows[j];
        else tree->buffer[n_right++] = tree->rows[j];
    }
    memcpy(tree->rows + middle, tree->buffer, (size_t)n_right * sizeof *tree->rows);
    tree->feature[at.node] = (int32_t)f;
    tree->bin[at.node] = (int32_t)bin;
    tree->split_gain[at.node] = split_gain;
    tree->left[at.node] = (int32_t)make_node(tree, at.start, middle);
    tree->right[at.node] = (int32_t)make_node(tree, middle, at.stop);
    return middle;
}

/* The rows of rows[start:stop] that lie at most at this bin of a feature: their sums. */
static void sum_up_to(const Growth *tree, int64_t start, int64_t stop, int64_t f, int64_t bin, int64_t *total) {
    for (int64_t j = start; j < stop; j++) {
        if (label_of(tree, tree->rows[j], f) <= bin) add_row(tree, tree->rows[j], total);
    }
}

/* Cut a pending node by its best cut, push its right child, and let *at be its left child. */
static void follow(Growth *tree, Pending *at, Pending *stack, int64_t *n_stack, int64_t f, int64_t bin, double gain) {
    int64_t middle;
    Pending left = {0, at->start, 0, at->depth, draw(at->key, 0)};
    Pending right = {0, 0, at->stop, at->depth + 1, draw(at->key, 1)};
    tree->is_full = tree->n_nodes + 2 > tree->capacity;
    if (tree->is_full) return;
    middle = cut_node(tree, *at, f, bin, gain);
    left.node = tree->left[at->node], left.stop = middle;
    right.node = tree->right[at->node], right.start = middle;
    stack[(*n_stack)++] = right;
    *at = left;
}

static void grow(
    Growth *tree, Pending *stack, int32_t *order, const int8_t *missing, int64_t n_rows, int64_t max_depth,
    int64_t min_samples_leaf, int64_t n_candidates, uint64_t key) {
    int64_t n_stack = 0, last = tree->n_columns - 1;
    Pending root = {make_node(tree, 0, n_rows), 0, n_rows, 0, key};
    stack[n_stack++] = root;
    while (n_stack > 0 && !tree->is_full) {
        Pending at = stack[--n_stack];
        port_cut raised = port_no_cut;
        refrank_split best;
        int64_t all[3] = {0, 0, 0}, present[3] = {0, 0, 0}, n_bins;
        if (at.depth == max_depth) continue;
        draw_features(at.key, n_candidates, tree->n_features, order);
        for (int64_t j = 0; j < n_candidates; j++) {
            int64_t f = order[j];
            sum_bins(tree, at.start, at.stop, f);
            port_raise_best(
                &raised, f, tree->slots, tree->offsets[f + 1] - tree->offsets[f], tree->n_columns, min_samples_leaf,
                missing ? missing[f] : 0);
        }
        best = raised.split;
        if (best.feature < 0) continue;
        n_bins = tree->offsets[best.feature + 1] - tree->offsets[best.feature];
        sum_up_to(tree, at.start, at.stop, best.feature, n_bins - 1, all);
        sum_up_to(tree, at.start, at.stop, best.feature, n_bins - 2, present);
        if (missing && missing[best.feature] && present[1] < all[1] && best.bin < n_bins - 2) {
            /* a cut three ways is two cuts: the first parts the rows that miss the feature */
            int64_t missed[3], left[3] = {0, 0, 0}, right[3];
            sum_up_to(tree, at.start, at.stop, best.feature, best.bin, left);
            for (int c = 0; c < 3; c++) missed[c] = all[c] - present[c], right[c] = present[c] - left[c];
            follow(tree, &at, stack, &n_stack, best.feature, n_bins - 2, port_gain(present, missed, last));
            best.split_gain = port_gain(left, right, last);
        }
        follow(tree, &at, stack, &n_stack, best.feature, best.bin, best.split_gain);
        at.depth++;
        stack[n_stack++] = at;
    }
}

int64_t refrank_grow_deep(
    const void *row_codes, int32_t code_bytes, int64_t n_samples, int64_t n_features, const int64_t *offsets,
    const int32_t *rows, int64_t n_rows, const int64_t *integers, const int64_t *counts, const int64_t *weights,
    const int8_t *missing, int64_t max_depth, int64_t min_samples_leaf, int64_t n_candidates, uint64_t key,
    int64_t capacity, int32_t *feature, int32_t *bin, int32_t *left, int32_t *right, double *split_gain, int64_t *sum,
    int64_t *count, int64_t *weight) {
    int64_t widest = 0;
    int32_t *order = malloc((size_t)n_features * sizeof *order);
    Pending *stack = malloc((size_t)(capacity + 1) * sizeof *stack);
    Growth tree = {row_codes, code_bytes, n_features, weights ? 3 : 2, offsets, integers, counts, weights, feature, bin,
                   left, right, split_gain, sum, count, weight, 0, capacity, 0, NULL, NULL, NULL};
    (void)n_samples;
    for (int64_t f = 0; f < n_features; f++) {
        if (offsets[f + 1] - offsets[f] > widest) widest = offsets[f + 1] - offsets[f];
    }
    tree.rows = malloc((size_t)(n_rows + 1) * sizeof *tree.rows);
    tree.buffer = malloc((size_t)(n_rows + 1) * sizeof *tree.buffer);
    tree.slots = malloc((size_t)(widest * tree.n_columns) * sizeof *tree.slots);
    if (order && stack && tree.rows && tree.buffer && tree.slots) {
        memcpy(tree.rows, rows, (size_t)n_rows * sizeof *rows);
        grow(&tree, stack, order, missing, n_rows, max_depth, min_samples_leaf, n_candidates, key);
    }
    free(order), free(stack), free(tree.rows), free(tree.buffer), free(tree.slots);
    if (tree.is_full) return REFRANK_REFUSED;
    return tree.n_nodes > 0 ? tree.n_nodes : REFRANK_NO_MEMORY;
}
