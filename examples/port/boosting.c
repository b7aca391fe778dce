/* Boosting: McRank Alg. 1 (classes), Sec. 4 (ordinal problems) and Alg. 2 (regression), iGBRT Alg. 2. */
#include <math.h>
#include <stdlib.h>

#include "training.h"

static double quotient(double numerator, double denominator) { return denominator == 0.0 ? 0.0 : numerator / denominator; }

/* The mean of a target: sums on their grids, and one division. */
double port_mean(const port_training *t, const double *target) {
    double *weighed = port_weigh(t, target), sum = port_sum(weighed, t->n_samples);
    free(weighed);
    return sum / (t->weight ? port_sum(t->weight, t->n_samples) : (double)t->n_samples);
}

/* Fit one tree to a residual by least squares: its values are the means of the leaves. NULL where memory is short. */
static port_tree *fit_means(const port_training *t, int64_t round, const double *residual) {
    port_tree *tree = port_grow(t, round, t->output, residual);
    if (!tree) return NULL;
    for (int64_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        tree->values[leaf] = quotient(tree->numerator[leaf], tree->denominator[leaf]);
    }
    t->tell("leaf_sums", "denominator", round, -1, t->output, TYPE_DOUBLE, tree->denominator, tree->n_leaves, 0, 0);
    return tree;
}

/* McRank Alg. 2: scores, a result, is S. */
int port_ls(port_training *t, const double *target, double *scores) {
    int64_t n = t->n_samples;
    double *residual = malloc((size_t)n * sizeof *residual), start = port_mean(t, target);
    int code = !residual ? REFRANK_NO_MEMORY : port_bin(t);
    t->tell("start", "values", -1, -1, -1, TYPE_DOUBLE, &start, 1, 0, 0);
    for (int64_t i = 0; i < n + t->n_unseen; i++) scores[i] = start; /* line 1 */
    for (int64_t m = 1; m <= t->n_rounds && code == 0; m++) { /* line 2 */
        for (int64_t i = 0; i < n; i++) residual[i] = target[i] - scores[i];
        port_tree *tree = fit_means(t, m, residual); /* lines 3 and 4 */
        if (!tree) { code = REFRANK_NO_MEMORY; break; }
        port_step(t, tree, m, 0, t->learning_rate, scores); /* line 5 */
        port_free(tree);
    }
    free(residual), free(t->codes);
    return code;
}

/* iGBRT Alg. 2: scores is T, which starts at what it is. */
int port_gbrt(port_training *t, const double *target, double *scores) {
    int64_t n = t->n_samples;
    double *residual = malloc((size_t)n * sizeof *residual);
    int code = !residual ? REFRANK_NO_MEMORY : port_bin(t);
    for (int64_t i = 0; i < n && code == 0; i++) residual[i] = target[i] - scores[i]; /* line 1 */
    for (int64_t m = 1; m <= t->n_rounds && code == 0; m++) { /* line 2 */
        port_tree *tree = fit_means(t, m, residual); /* line 3 */
        if (!tree) { code = REFRANK_NO_MEMORY; break; }
        port_step(t, tree, m, t->output, -t->learning_rate, residual); /* line 5 */
        for (int64_t i = 0; i < n && t->holds; i++) residual[i] = fmin(fmax(residual[i], target[i] - 1.0), target[i]);
        for (int64_t leaf = 0; leaf < tree->n_leaves; leaf++) tree->values[leaf] *= t->learning_rate;
        port_add(t, tree, tree->values, scores); /* line 8 */
        for (int64_t i = 0; i < n + t->n_unseen && t->holds; i++) scores[i] = fmin(fmax(scores[i], 0.0), 1.0);
        port_free(tree);
    }
    free(residual), free(t->codes);
    return code;
}

/* One column of p, given F, (n_classes, n_samples). */
static void column_of_proba(const double *F, int64_t n_samples, int64_t n_classes, int64_t k, double *proba) {
    refrank_softmax(F, n_samples, n_classes, k, 1, proba, 1);
}

/* McRank Alg. 1, lines 5 to 7, for one class: y is 1 where a row is of the class; class_scores, its F, is raised. */
static int boost_class(
    const port_training *t, int64_t round, int64_t output, const double *is_class, const double *proba,
    int64_t n_classes, double *class_scores) {
    int64_t n = t->n_samples;
    double *residual = malloc((size_t)n * sizeof *residual), *curvature = malloc((size_t)n * sizeof *curvature), *weighed;
    t->tell("proba", "values", round, -1, output, TYPE_DOUBLE, proba, n, 0, 0);
    for (int64_t i = 0; i < n; i++) {
        residual[i] = is_class[i] - proba[i];
        curvature[i] = (1.0 - proba[i]) * proba[i];
    }
    port_tree *tree = port_grow(t, round, output, residual); /* line 5 */
    if (!tree) return free(residual), free(curvature), REFRANK_NO_MEMORY;
    int64_t *sums = malloc((size_t)tree->n_leaves * sizeof *sums);
    double *denominator = malloc((size_t)tree->n_leaves * sizeof *denominator), k = (double)n_classes;
    int32_t exponent = port_exponent(weighed = port_weigh(t, curvature), n);
    refrank_leaf_sums(weighed, n, exponent, tree->rows, tree->starts, tree->n_leaves, sums, 1);
    for (int64_t leaf = 0; leaf < tree->n_leaves; leaf++) { /* line 6 */
        denominator[leaf] = ldexp((double)sums[leaf], -exponent);
        tree->values[leaf] = quotient((k - 1.0) / k * tree->numerator[leaf], denominator[leaf]);
    }
    t->tell("leaf_sums", "denominator", round, -1, output, TYPE_DOUBLE, denominator, tree->n_leaves, 0, 0);
    port_step(t, tree, round, output, t->learning_rate, class_scores); /* line 7 */
    free(residual), free(curvature), free(weighed), free(sums), free(denominator);
    port_free(tree);
    return 0;
}

/* One round of McRank Alg. 1; output `first` is that of class 0. */
static int boost_round(
    const port_training *t, int64_t round, int64_t first, const int64_t *y, int64_t n_classes, int32_t simultaneous,
    double *F) {
    int64_t n = t->n_samples + t->n_unseen;
    double *proba = malloc((size_t)(n_classes * n) * sizeof *proba), *is_class = malloc((size_t)n * sizeof *is_class);
    int code = !proba || !is_class ? REFRANK_NO_MEMORY : 0;
    for (int64_t k = 0; simultaneous && k < n_classes && code == 0; k++) column_of_proba(F, n, n_classes, k, proba + k * n);
    for (int64_t k = 0; k < n_classes && code == 0; k++) { /* line 3 */
        if (!simultaneous) column_of_proba(F, n, n_classes, k, proba + k * n); /* line 4 */
        for (int64_t i = 0; i < t->n_samples; i++) is_class[i] = y[i] == k;
        code = boost_class(t, round, first + k, is_class, proba + k * n, n_classes, F + k * n);
    }
    free(proba), free(is_class);
    return code;
}

/* McRank Alg. 1: F, a result, is (n_classes, n_rows). */
int port_softmax(port_training *t, const int64_t *y, int64_t n_classes, int32_t simultaneous, double *F) {
    int code = port_bin(t);
    for (int64_t i = 0; i < n_classes * (t->n_samples + t->n_unseen); i++) F[i] = 0.0; /* line 1 */
    t->tell("start", "values", -1, -1, -1, TYPE_DOUBLE, F, n_classes, 0, 0);
    for (int64_t m = 1; m <= t->n_rounds && code == 0; m++) /* line 2 */
        code = boost_round(t, m, 0, y, n_classes, simultaneous, F);
    free(t->codes);
    return code;
}

/* McRank Sec. 4: F, a result, is (n_classes - 1, 2, n_rows); every label from 0 to n_classes - 1 must occur. */
int port_ordinal(port_training *t, const int64_t *y, int64_t n_classes, double *F) {
    int64_t n = t->n_samples + t->n_unseen, *above = malloc((size_t)n * sizeof *above);
    int code = !above ? REFRANK_NO_MEMORY : port_bin(t);
    for (int64_t i = 0; i < 2 * (n_classes - 1) * n; i++) F[i] = 0.0;
    t->tell("start", "values", -1, -1, -1, TYPE_DOUBLE, F, 2 * (n_classes - 1), 0, 0);
    for (int64_t m = 1; m <= t->n_rounds && code == 0; m++) {
        for (int64_t k = 0; k < n_classes - 1 && code == 0; k++) {
            for (int64_t i = 0; i < t->n_samples; i++) above[i] = y[i] > k;
            code = boost_round(t, m, 2 * k, above, 2, 0, F + 2 * k * n);
        }
    }
    free(above), free(t->codes);
    return code;
}
