"""Oracle: exp by the operations that refrank/trees/numbers/exponential.py prescribes, on one Python float.

`nearest_exp` is the definition: exp correctly rounded, by decimal arithmetic. Nothing here imports refrank.
"""

import math
from decimal import Decimal, localcontext

LN_2 = Decimal("0.69314718055994530941723212145817656807550013436025525412068")
UPPER = math.floor(LN_2 * 2**42) / 2**42  # the first 42 bits
LOWER = float(LN_2 - Decimal(UPPER))


def exp(x: float) -> float:
    """The series of exp to r**14, times 2**k."""
    x = min(max(x, -746.0), 710.0)
    k = round(x * float(1 / LN_2))  # ties to even
    high, low = x - k * UPPER, k * LOWER
    r = high - low
    series = 1 / math.factorial(14)
    for n in range(13, 1, -1):
        series = series * r + 1 / math.factorial(n)
    p = 1.0 + (high + (r * r * series - low))
    try:
        return math.ldexp(p, k)
    except OverflowError:
        return math.inf


def nearest_exp(x: float) -> float:
    """exp(x), correctly rounded: 40 digits leave no doubt but in one of 10**23 cases."""
    with localcontext() as context:
        context.prec = 40
        return float(Decimal(x).exp())
