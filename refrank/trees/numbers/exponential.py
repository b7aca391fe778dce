"""exp and softmax by fixed sequences of IEEE operations: one value on every machine (docs/reference/numerics.md, rule
5).

The exp of a C library or of NumPy may differ in the last bit between CPUs and versions, and one bit of a probability
can reverse a near-tie between two cuts. Here exp(x) is 2**k * exp(r), with k the integer nearest to x / ln 2:

    symbol    in code       size
    k         k             integer, -1076 <= k <= 1024
    r         high - low    |r| < ln(2) / 2 + 2**-30
    exp(r)    p             1 + r + r**2 * series(r), where series(r) = 1/2! + r/3! + ... + r**12/14!

ln 2 is stored in two parts. The upper part has 42 bits, so that k * UPPER and x - k * UPPER are exact; `low`, the rest,
is below 2**-33. Every other operation rounds once, and none may be fused with the next: C compilers need
-ffp-contract=off. `refrank/kernel/exp.h` is the same in C, for a port to copy. A normal result is less than one unit
in the last place away from the true value (docs/reference/numerics.md has the proof).

Domain: every float64 but NaN, which no caller passes on. Above 709.79 the result is inf, below -745.13 it is 0; results
below 2**-1022 are subnormal, and rounded once more. exp(0) and exp(-0) are exactly 1.
"""

import math

import numpy as np

from refrank.arrays import Floats

INVERSE_LN_2 = 1.4426950408889634
UPPER, LOWER = 0.6931471805598903, 5.497923018708371e-14  # UPPER + LOWER is ln 2, to 2**-97
COEFFICIENTS = [1 / math.factorial(n) for n in range(14, 1, -1)]  # of the series, highest power first


def exp(x: Floats) -> Floats:
    """Compute exp of each entry of x, an array of any shape; the error is below one unit in the last place.

    >>> exp(np.array([-np.inf, -1.0, 0.0, 710.0])).tolist()
    [0.0, 0.36787944117144233, 1.0, inf]
    """
    x = np.clip(x, -746.0, 710.0)  # beyond, the result is 0 or inf in any case, and k stays small
    k = np.rint(x * INVERSE_LN_2)
    high, low = x - k * UPPER, k * LOWER
    r = high - low
    series = np.full_like(r, COEFFICIENTS[0])
    for coefficient in COEFFICIENTS[1:]:
        series = series * r + coefficient
    p = 1.0 + (high + (r * r * series - low))
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(p, k.astype(np.int32))


def softmax(scores: Floats, first: int, proba: Floats, n_threads: int) -> None:
    """Write columns first, first + 1, ... of p_k = exp(F_k - highest) / sum_s exp(F_s - highest) into `proba`.

    `scores`, F, is (n_samples, n_classes), and `proba` (n_samples, number of columns asked for).
    """
    # McRank Alg. 1, line 4
    # Departs from McRank Alg. 1, line 4: the largest F of a row is taken off, which changes p by rounding only
    highest = scores.max(axis=1)
    total = np.zeros(len(scores))
    for k in range(scores.shape[1]):
        term = exp(scores[:, k] - highest)
        total += term
        if first <= k < first + proba.shape[1]:
            proba[:, k - first] = term
    proba /= total[:, np.newaxis]
