"""The two variants of M5', each put together once, of functions.

| step | published | Weka |
|---|---|---|
| what a cut gains | SDR: standard deviation | the same with the fifth root of the variance |
| least weight of a side | none | max(1, floor(n / 5)) + 1 |
| neighbouring values count as equal | if equal | if closer than 1e-10 |
| a later attribute wins | if it gains more | if it gains 1e-6 more |
| which term is tried next | each | the smallest standardised coefficient; first those above 1.5 |
| a term is dropped | if (n + v) / (n - v) times the mean absolute error falls | if Akaike's criterion falls |
| least squares | independent columns | ridge 1e-8 on standardised columns |
| error of a model | mean absolute, times (n + v) / (n - v) | root mean square, times (n + 2v) / (n - v) |
| error of a subtree | mean of the children's | as one model with the leaves' parameters and one a test |
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from . import pruning
from .cuts import ROUNDING, GrowthRule
from .elimination import simplify_published, simplify_weka
from .least_squares import Fit, Regression


@dataclass(frozen=True)
class Variant:
    """How a tree grows, how a node's model is simplified, how the tree is pruned."""

    growth: GrowthRule
    simplify: Callable[[Regression], Fit]
    pruning: pruning.PruningRule


PUBLISHED = Variant(
    growth=GrowthRule(
        spread=np.sqrt,
        smallest_side=lambda n: 0.0,
        same_value=float(np.nextafter(0.0, 1.0)),
        lead=lambda spread: ROUNDING * spread,  # the papers are silent on ties; rounding does not decide
    ),
    simplify=partial(simplify_published, inflate=pruning.inflate_published),
    pruning=pruning.PruningRule(
        pruning.estimate_model_published, pruning.estimate_subtree_published, pruning.cuts_back_published
    ),
)

WEKA = Variant(
    growth=GrowthRule(
        spread=lambda variance: variance**0.2,
        smallest_side=lambda n: max(1.0, n // 5) + 1.0,
        same_value=1e-10,
        lead=lambda spread: 1e-6,
    ),
    simplify=simplify_weka,
    pruning=pruning.PruningRule(pruning.estimate_model_weka, pruning.estimate_subtree_weka, pruning.cuts_back_weka),
)

VARIANTS = {"weka": WEKA, "published": PUBLISHED}
