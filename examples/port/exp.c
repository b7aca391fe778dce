/* exp and softmax: refrank/trees/numbers/exponential.py. */
#include <math.h>

#include "port.h"

double port_exp(double x) {
    /* 14!, 13!, ..., 2! */
    static const double factorials[] = {87178291200.0, 6227020800.0, 479001600.0, 39916800.0, 3628800.0, 362880.0,
                                        40320.0, 5040.0, 720.0, 120.0, 24.0, 6.0, 2.0};
    double k, high, low, r, series, p;
    if (x < -746.0) x = -746.0; /* 0 in any case */
    if (x > 710.0) x = 710.0;   /* inf in any case */
    k = rint(x * 1.4426950408889634);
    high = x - k * 0.6931471805598903;
    low = k * 5.497923018708371e-14;
    r = high - low;
    series = 1.0 / factorials[0];
    for (int n = 1; n < 13; n++) series = series * r + 1.0 / factorials[n];
    p = 1.0 + (high + (r * r * series - low));
    return ldexp(p, (int)k);
}

int64_t refrank_exp(const double *x, int64_t n, double *result) {
    for (int64_t i = 0; i < n; i++) result[i] = port_exp(x[i]);
    return 0;
}

int64_t refrank_softmax(
    const double *scores, int64_t n_samples, int64_t n_classes, int64_t first, int64_t n_columns, double *proba,
    int32_t n_threads) {
    (void)n_threads;
    for (int64_t i = 0; i < n_samples; i++) {
        double highest = scores[i], total = 0.0;
        for (int64_t k = 1; k < n_classes; k++) {
            if (scores[k * n_samples + i] > highest) highest = scores[k * n_samples + i];
        }
        for (int64_t k = 0; k < n_classes; k++) total += port_exp(scores[k * n_samples + i] - highest);
        for (int64_t k = 0; k < n_columns; k++) {
            proba[k * n_samples + i] = port_exp(scores[(first + k) * n_samples + i] - highest) / total;
        }
    }
    return 0;
}
