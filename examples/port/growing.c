/* A tree, from its residual to its leaves: refrank/trees/growth/grower.py and growing.py. */
#include <math.h>
#include <stdlib.h>

#include "training.h"

static int64_t bin_of(const port_training *t, int64_t f, int64_t i) {
    return label(t->codes, t->code_bytes, in_groups(t->n_samples + t->n_unseen, f, i));
}

/* Bin all features: McRank App. I. */
int port_bin(port_training *t) {
    int64_t n = t->n_samples, f = t->n_features, n_groups = (f + 7) / 8, n_rows = n + t->n_unseen;
    int64_t *by_row = malloc((size_t)(n * f) * sizeof *by_row);
    t->codes = calloc((size_t)(n_groups * n_rows * 8), (size_t)t->code_bytes);
    if (!by_row || !t->codes) return free(by_row), REFRANK_NO_MEMORY;
    refrank_quantize(t->X, 8, n_rows, f, t->cuts, t->offsets, t->codes, t->code_bytes, 1);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < f; j++) by_row[i * f + j] = bin_of(t, j, i);
    }
    t->tell("bins", "cuts", -1, -1, -1, TYPE_DOUBLE, t->cuts, t->offsets[f] - f, 0, 0);
    t->tell("bins", "offsets", -1, -1, -1, TYPE_INT64, t->offsets, f + 1, 0, 0);
    t->tell("bins", "codes", -1, -1, -1, TYPE_INT64, by_row, n, f, 0);
    free(by_row);
    return 0;
}

/* The exponent of a quantity's grid: docs/reference/numerics.md, rule 1. */
int32_t port_exponent(const double *value, int64_t n) {
    double largest;
    int n_bits = 0, exponent;
    refrank_largest_magnitude(value, n, &largest, 1);
    if (largest == 0.0) return 0;
    while (n > (int64_t)1 << n_bits) n_bits++;
    frexp(largest, &exponent);
    return 53 - n_bits - exponent;
}

/* Put a quantity on its grid; return the exponent. */
int32_t port_to_grid(const double *value, int64_t n, int64_t *integers) {
    int32_t exponent = port_exponent(value, n);
    refrank_round_to_grid(value, n, exponent, integers, 1);
    return exponent;
}

/* Sum a quantity on its grid. */
double port_sum(const double *value, int64_t n) {
    int64_t sum = 0, *integers = malloc((size_t)n * sizeof *integers);
    int32_t exponent = port_to_grid(value, n, integers);
    for (int64_t i = 0; i < n; i++) sum += integers[i];
    free(integers);
    return ldexp((double)sum, -exponent);
}

/* Multiply a quantity by the weights of the rows, if they have any, in a new array. */
double *port_weigh(const port_training *t, const double *value) {
    double *weighed = malloc((size_t)t->n_samples * sizeof *weighed);
    for (int64_t i = 0; i < t->n_samples; i++) weighed[i] = t->weight ? t->weight[i] * value[i] : value[i];
    return weighed;
}

/* Find the best cut of a node, whose histogram is there. */
static void look(const port_training *t, int64_t n_columns, port_node *node) {
    int32_t *features = malloc((size_t)t->n_features * sizeof *features);
    for (int32_t f = 0; f < t->n_features; f++) features[f] = f;
    refrank_best_split(
        node->sums, n_columns, t->offsets, t->n_features, features, t->n_features, t->min_samples_leaf, t->missing,
        &node->split, 1);
    node->looked = 1;
    free(features);
}

/* Return whether the best cut of a node goes three ways. */
static int goes_three_ways(const port_training *t, const port_tree *tree, const port_node *node) {
    int64_t f = node->split.feature, last = t->offsets[f + 1] - t->offsets[f] - 1;
    return t->missing && t->missing[f] && node->split.bin < last - 1 &&
           node->sums[(t->offsets[f] + last) * tree->n_columns + 1];
}

/* Choose the node that is cut next: the one whose cut gains most, or the leftmost; -1 where none gains. */
static int64_t choose(const port_training *t, const port_tree *tree) {
    int64_t best = -1;
    for (int64_t i = 0; i < tree->n_nodes; i++) {
        const port_node *node = &tree->nodes[i];
        if (!node->looked || node->cut || node->split.feature < 0) continue;
        if (tree->n_leaves + 1 == t->n_leaves && goes_three_ways(t, tree, node)) continue; /* it adds two leaves */
        if (best < 0) best = i;
        else if (t->n_leaves && node->split.split_gain > tree->nodes[best].split.split_gain) best = i;
        else if (!t->n_leaves && node->start < tree->nodes[best].start) best = i;
    }
    return best;
}

/* Sum the rows of a node. */
static void sum_rows(const port_training *t, const port_tree *tree, port_node *node) {
    node->sums = malloc((size_t)(tree->n_columns * t->offsets[t->n_features]) * sizeof *node->sums);
    refrank_histogram(
        t->codes, t->code_bytes, t->n_samples + t->n_unseen, t->offsets, t->n_features, tree->rows + node->start,
        node->stop - node->start, tree->integers, tree->weights, node->sums, 1);
}

/* Make the two children of a node; return the left one. */
static port_node *part(const port_training *t, port_tree *tree, port_node *node, int64_t bin, int64_t depth) {
    int64_t n_left = refrank_partition(
        t->codes, t->code_bytes, t->n_samples + t->n_unseen, tree->rows + node->start, node->stop - node->start,
        node->split.feature, bin, 1);
    port_node *child = &tree->nodes[tree->n_nodes];
    node->cut = 1, node->left = tree->n_nodes, node->split.bin = bin;
    child[0] = (port_node){.start = node->start, .stop = node->start + n_left, .depth = depth};
    child[1] = (port_node){.start = node->start + n_left, .stop = node->stop, .depth = depth};
    tree->n_nodes += 2, tree->n_leaves += 1;
    return child;
}

/* Cut a node in two or three; the larger of two children has the difference of the sums. */
static void cut(const port_training *t, port_tree *tree, int64_t at) {
    int64_t n_slots = tree->n_columns * t->offsets[t->n_features];
    port_node *node = &tree->nodes[at], *child, *missed = NULL;
    int64_t f = node->split.feature, bin = node->split.bin, last = t->offsets[f + 1] - t->offsets[f] - 1;
    node->best = node->split;
    if (goes_three_ways(t, tree, node)) {
        child = part(t, tree, node, last - 1, node->depth + 1); /* first those that lack the feature part */
        missed = &child[1];
        child->split = node->best;
        child = part(t, tree, child, bin, node->depth + 1);
    } else child = part(t, tree, node, bin, node->depth + 1);
    if (child->depth == t->max_depth || tree->n_leaves == t->n_leaves) return;
    port_node *small = child[0].stop - child[0].start <= child[1].stop - child[1].start ? &child[0] : &child[1];
    port_node *large = small == &child[0] ? &child[1] : &child[0];
    sum_rows(t, tree, small);
    sum_rows(t, tree, missed ? missed : large);
    if (missed) sum_rows(t, tree, large);
    for (int64_t i = 0; i < n_slots && !missed; i++) large->sums[i] = node->sums[i] - small->sums[i];
    look(t, tree->n_columns, &child[0]);
    look(t, tree->n_columns, &child[1]);
    if (missed) look(t, tree->n_columns, missed);
}

/* Where the cut of a node lies: between two bins, or just above the middle of its own rows. */
static double place_cut(const port_training *t, const port_tree *tree, const port_node *node) {
    int64_t f = node->split.feature, middle = tree->nodes[node->left].stop;
    double highest = -INFINITY, lowest = INFINITY;
    if (!t->at_midpoints) return t->cuts[t->offsets[f] - f + node->split.bin];
    for (int64_t j = node->start; j < node->stop; j++) {
        double x = t->X[tree->rows[j] * t->n_features + f] + 0.0;
        if (j < middle) highest = fmax(highest, x);
        else lowest = fmin(lowest, x);
    }
    return fmin(nextafter(highest / 2 + lowest / 2, INFINITY), lowest);
}

/* Tell of the histograms and the best cuts, node after node, and of the nodes in the order in which they were cut. */
static void tell_tree(const port_training *t, const port_tree *tree, int64_t round, int64_t output) {
    int64_t n_slots = t->offsets[t->n_features], n = 0, n_cuts = tree->n_leaves - 1, size = tree->n_columns * n_slots;
    int64_t *nodes = malloc((size_t)tree->n_nodes * sizeof *nodes);
    int64_t *sums = malloc((size_t)(tree->n_nodes * size) * sizeof *sums);
    int64_t *lines = malloc((size_t)tree->n_nodes * 5 * sizeof *lines);
    double *gains = malloc((size_t)tree->n_nodes * sizeof *gains);
    for (int64_t i = 0; i < tree->n_nodes; i++) {
        const port_node *node = &tree->nodes[i];
        const refrank_split *split = node->cut ? &node->best : &node->split;
        if (!node->looked) continue;
        int64_t line[5] = {split->feature, split->bin, split->left_sum, split->left_count, split->left_weight};
        for (int64_t j = 0; j < size; j++) sums[n * size + j] = node->sums[j];
        for (int64_t j = 0; j < 5; j++) lines[n * 5 + j] = line[j];
        gains[n] = split->split_gain;
        nodes[n++] = i;
    }
    t->tell("histogram", "nodes", round, -1, output, TYPE_INT64, nodes, n, 0, 0);
    t->tell("histogram", "sums", round, -1, output, TYPE_INT64, sums, n, n_slots, tree->n_columns);
    t->tell("cut", "nodes", round, -1, output, TYPE_INT64, nodes, n, 0, 0);
    t->tell("cut", "cut", round, -1, output, TYPE_INT64, lines, n, 5, 0);
    t->tell("cut", "split_gain", round, -1, output, TYPE_DOUBLE, gains, n, 0, 0);
    for (int64_t i = 0; i < tree->n_nodes; i++) { /* children are numbered when their parent is cut */
        const port_node *node = &tree->nodes[i];
        if (!node->cut) continue;
        int64_t turn = (node->left - 1) / 2;
        nodes[turn] = i;
        lines[turn] = tree->nodes[node->left].stop - tree->nodes[node->left].start;
        gains[turn] = place_cut(t, tree, node);
    }
    t->tell("partition", "nodes", round, -1, output, TYPE_INT64, nodes, n_cuts, 0, 0);
    t->tell("partition", "cut", round, -1, output, TYPE_DOUBLE, gains, n_cuts, 0, 0);
    t->tell("partition", "n_left", round, -1, output, TYPE_INT64, lines, n_cuts, 0, 0);
    t->tell("partition", "rows", round, -1, output, TYPE_INT32, tree->rows, t->n_samples, 0, 0);
    free(nodes), free(sums), free(lines), free(gains);
}

/* List the leaves from left to right, and sum the residual over each. */
static void sum_leaves(const port_training *t, port_tree *tree, int64_t round, int64_t output) {
    int64_t *leaves = malloc((size_t)tree->n_leaves * sizeof *leaves), at = 0;
    for (int64_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        for (int64_t i = 0; i < tree->n_nodes; i++) {
            if (!tree->nodes[i].cut && tree->nodes[i].start == at) leaves[leaf] = i;
        }
        tree->starts[leaf] = at;
        at = tree->nodes[leaves[leaf]].stop;
        int64_t sum = 0, weight = 0;
        for (int64_t j = tree->starts[leaf]; j < at; j++) {
            sum += tree->integers[tree->rows[j]];
            weight += tree->weights ? tree->weights[tree->rows[j]] : 1;
        }
        tree->numerator[leaf] = ldexp((double)sum, -tree->exponent);
        tree->denominator[leaf] = ldexp((double)weight, -tree->weight_exponent);
    }
    tree->starts[tree->n_leaves] = at;
    t->tell("leaf_sums", "nodes", round, -1, output, TYPE_INT64, leaves, tree->n_leaves, 0, 0);
    t->tell("leaf_sums", "numerator", round, -1, output, TYPE_DOUBLE, tree->numerator, tree->n_leaves, 0, 0);
    free(leaves);
}

/* Grow the tree of a residual: McRank Alg. 1, line 5. NULL where memory is short. */
port_tree *port_grow(const port_training *t, int64_t round, int64_t output, const double *residual) {
    int64_t n = t->n_samples, exponent;
    int64_t most = t->n_leaves && t->n_leaves < n ? t->n_leaves : n; /* leaves */
    double *weighed = port_weigh(t, residual);
    port_tree *tree = calloc(1, sizeof *tree);
    if (!tree || !weighed) return free(weighed), free(tree), NULL;
    tree->nodes = calloc((size_t)(2 * most + 1), sizeof *tree->nodes);
    tree->rows = malloc((size_t)n * sizeof *tree->rows);
    tree->integers = malloc((size_t)n * sizeof *tree->integers);
    tree->starts = malloc((size_t)(most + 1) * sizeof *tree->starts);
    tree->numerator = malloc((size_t)most * sizeof *tree->numerator);
    tree->denominator = malloc((size_t)most * sizeof *tree->denominator);
    tree->values = malloc((size_t)most * sizeof *tree->values);
    tree->weights = t->weight ? malloc((size_t)n * sizeof *tree->weights) : NULL;
    if (!tree->nodes || !tree->rows || !tree->integers || !tree->starts || !tree->numerator || !tree->denominator ||
        !tree->values || (t->weight && !tree->weights))
        return free(weighed), port_free(tree), NULL;
    exponent = tree->exponent = port_to_grid(weighed, n, tree->integers);
    if (tree->weights) tree->weight_exponent = port_to_grid(t->weight, n, tree->weights);
    tree->n_columns = tree->weights ? 3 : 2;
    t->tell("residual", "values", round, -1, output, TYPE_DOUBLE, weighed, n, 0, 0);
    t->tell("grid", "integers", round, -1, output, TYPE_INT64, tree->integers, n, 0, 0);
    t->tell("grid", "exponent", round, -1, output, TYPE_INT64, &exponent, -1, 0, 0);
    free(weighed);
    for (int32_t i = 0; i < n; i++) tree->rows[i] = i;
    tree->nodes[0] = (port_node){.stop = n};
    tree->n_nodes = tree->n_leaves = 1;
    sum_rows(t, tree, &tree->nodes[0]);
    look(t, tree->n_columns, &tree->nodes[0]);
    while (tree->n_leaves != t->n_leaves) {
        int64_t node = choose(t, tree);
        if (node < 0) break;
        cut(t, tree, node);
    }
    tell_tree(t, tree, round, output);
    sum_leaves(t, tree, round, output);
    return tree;
}

/* Add the value of each leaf to the scores of its rows, and of the unseen rows that reach it. */
void port_add(const port_training *t, const port_tree *tree, const double *values, double *scores) {
    int64_t n = t->n_samples;
    refrank_add_to_leaves(scores, n, tree->rows, tree->starts, tree->n_leaves, values, 1);
    for (int64_t i = n; i < n + t->n_unseen; i++) {
        const port_node *node = tree->nodes;
        int64_t leaf = 0;
        while (node->cut) {
            double x = t->X[i * t->n_features + node->split.feature];
            node = &tree->nodes[node->left + (x >= place_cut(t, tree, node))];
        }
        while (tree->starts[leaf] < node->start) leaf++;
        scores[i] += values[leaf];
    }
}

/* Shrink the values of the leaves, and add them to the scores of their rows: McRank Alg. 1, line 7. */
void port_step(
    const port_training *t, const port_tree *tree, int64_t round, int64_t output, double rate, double *scores) {
    double *step = malloc((size_t)tree->n_leaves * sizeof *step);
    for (int64_t leaf = 0; leaf < tree->n_leaves; leaf++) step[leaf] = rate * tree->values[leaf];
    if (rate > 0) port_add(t, tree, step, scores);
    else refrank_add_to_leaves(scores, t->n_samples, tree->rows, tree->starts, tree->n_leaves, step, 1); /* y - T */
    t->tell("leaf_values", "values", round, -1, output, TYPE_DOUBLE, tree->values, tree->n_leaves, 0, 0);
    t->tell("step", "values", round, -1, output, TYPE_DOUBLE, step, tree->n_leaves, 0, 0);
    t->tell("scores", "values", round, -1, output, TYPE_DOUBLE, scores, t->n_samples, 0, 0);
    free(step);
}

void port_free(port_tree *tree) {
    for (int64_t i = 0; tree->nodes && i < tree->n_nodes; i++) free(tree->nodes[i].sums);
    free(tree->nodes), free(tree->rows), free(tree->integers), free(tree->starts), free(tree->numerator);
    free(tree->denominator), free(tree->weights), free(tree->values), free(tree);
}
