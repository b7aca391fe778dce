/* The smallest case in which a port differs from refrank: `cc $name.c -lm && ./a.out` ends with 0 once it agrees.
 * $parameters */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { n_samples = $n_samples, n_features = $n_features, n_expected = $n_expected };
static const double *const X = $X; /* (n_samples, n_features) in C order */
static const int64_t *const y = $y, *const qid = $qid; /* (n_samples) */
static const double *const weight = $weight; /* (n_samples); NULL: there are no weights */
static const $type *const expected = $expected; /* $shape in C order */

/* Here, call your port: write $field of stage $stage$at to `found`, and return the number of entries. */
static int compute($type *found) {
    (void)X, (void)y, (void)qid, (void)weight, (void)found;
    return -1;
}

int main(void) {
    static $type found[n_expected + 1];
    int differs = compute(found) != n_expected;
    for (int i = 0; i < n_expected && !differs; i++) differs = memcmp(found + i, expected + i, sizeof *found) != 0;
    return differs && puts("$field of stage $stage differs") >= 0;
}
