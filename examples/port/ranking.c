/* Ranking and its quality: McRank Eq. 3 and 5, COCR Eq. 8. */
#include <math.h>
#include <stdlib.h>

#include "training.h"

enum { CUTOFF = 10 };

/* McRank Eq. 5: proba is (n_classes, n_samples), relevance is T, scores a result. */
void port_relevance(
    const double *proba, int64_t n_samples, int64_t n_classes, const double *relevance, double *scores) {
    for (int64_t i = 0; i < n_samples; i++) {
        scores[i] = 0.0;
        for (int64_t k = 0; k < n_classes; k++) scores[i] += proba[k * n_samples + i] * relevance[k];
    }
}

/* McRank Eq. 1: labels in ranked order. */
static double dcg(const int64_t *labels, int64_t n) {
    double sum = 0.0;
    for (int64_t i = 0; i < n && i < CUTOFF; i++) sum += (ldexp(1.0, (int)labels[i]) - 1.0) * (1.0 / log2((double)(i + 2)));
    return sum;
}

/* COCR Eq. 8. */
static double err(const int64_t *labels, int64_t n, int64_t max_grade) {
    double sum = 0.0, examined = 1.0;
    for (int64_t i = 0; i < n; i++) {
        double stop = ldexp(ldexp(1.0, (int)labels[i]) - 1.0, -(int)max_grade);
        sum += examined * stop / (double)(i + 1);
        examined *= 1.0 - stop;
    }
    return sum;
}

/* Sort rows by descending score, or labels by themselves; equal ones stay in order. */
static void sort_rows(const double *scores, int32_t *rows, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        int32_t row = rows[i];
        int64_t j = i;
        for (; j > 0 && scores[rows[j - 1]] < scores[row]; j--) rows[j] = rows[j - 1];
        rows[j] = row;
    }
}

int port_rank(
    const double *scores, const int64_t *y, const int64_t *queries, int64_t n_queries, int64_t max_grade,
    port_tell *tell) {
    int64_t n = queries[n_queries];
    int32_t *rows = malloc((size_t)n * sizeof *rows), *best = malloc((size_t)n * sizeof *best);
    int64_t *labels = malloc((size_t)n * sizeof *labels);
    double *grades = malloc((size_t)n * sizeof *grades);
    double *ndcg = malloc((size_t)n_queries * sizeof *ndcg), *errs = malloc((size_t)n_queries * sizeof *errs);
    int code = !rows || !best || !labels || !grades || !ndcg || !errs ? REFRANK_NO_MEMORY : 0;
    for (int64_t i = 0; i < n && code == 0; i++) rows[i] = best[i] = (int32_t)i, grades[i] = (double)y[i];
    for (int64_t q = 0; q < n_queries && code == 0; q++) {
        int64_t first = queries[q], length = queries[q + 1] - first;
        sort_rows(scores, rows + first, length);
        for (int64_t i = 0; i < length; i++) labels[i] = y[rows[first + i]];
        double found = dcg(labels, length);
        errs[q] = err(labels, length, max_grade);
        sort_rows(grades, best + first, length);
        for (int64_t i = 0; i < length; i++) labels[i] = y[best[first + i]];
        double ideal = dcg(labels, length);
        ndcg[q] = ideal > 0.0 ? found / ideal : 0.0;
    }
    if (code == 0) {
        tell("prediction", "values", -1, -1, -1, TYPE_DOUBLE, scores, n, 0, 0);
        tell("order", "rows", -1, -1, -1, TYPE_INT32, rows, n, 0, 0);
        tell("metric", "ndcg", -1, -1, -1, TYPE_DOUBLE, ndcg, n_queries, 0, 0);
        tell("metric", "err", -1, -1, -1, TYPE_DOUBLE, errs, n_queries, 0, 0);
    }
    free(rows), free(best), free(labels), free(grades), free(ndcg), free(errs);
    return code;
}
