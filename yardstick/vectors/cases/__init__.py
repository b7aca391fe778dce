"""The cases of the vectors, a module per family; `FAMILIES` lists them in the order of a computation."""

from yardstick.vectors.cases import (
    binning,
    boosting,
    cocr,
    conventions,
    draws,
    igbrt,
    lambdas,
    leaves,
    metrics,
    numbers,
    probabilities,
    regression,
    rounds,
    splits,
    trees,
)
from yardstick.vectors.cases.case import Answer, Case, Family, Function

FAMILIES: tuple[Family, ...] = tuple(
    module.FAMILY
    for module in (
        *(numbers, draws, binning, splits, leaves, trees, rounds, regression, probabilities, boosting, igbrt, cocr),
        *(lambdas, metrics, conventions),
    )
)

__all__ = ["FAMILIES", "Answer", "Case", "Family", "Function"]
