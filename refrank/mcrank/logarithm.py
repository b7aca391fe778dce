"""log by a fixed sequence of IEEE operations: one value on every machine (docs/reference/numerics.md, rule 5).

A number is m 2^e with sqrt(1/2) <= m < sqrt(2), and with z = (m - 1) / (m + 1), |z| < .172,

    log(m 2^e) = e log 2 + 2 (z + z^3/3 + z^5/5 + ...).

The terms left out add up to less than 2^-60 of z. The result is off by a few roundings: 2^-51 of it, or of e log 2.
"""

import math

import numpy as np

from refrank.arrays import Floats

LN_2 = 0.6931471805599453
ODD = range(23, 0, -2)  # of the series, highest power first


def compute_log(x: Floats) -> Floats:
    """Compute log of each entry of x, (n_samples,), normal float64 above 0.

    >>> compute_log(np.array([0.5, 1.0, 2.0])).tolist()
    [-0.6931471805599453, 0.0, 0.6931471805599453]
    """
    m, e = np.frexp(x)
    is_low = m < math.sqrt(0.5)
    m, e = np.where(is_low, 2.0 * m, m), e - is_low
    z = (m - 1.0) / (m + 1.0)
    series = np.zeros_like(z)
    for n in ODD:
        series = series * (z * z) + 1.0 / n
    return e * LN_2 + 2.0 * (z * series)
