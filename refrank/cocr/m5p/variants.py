"""The two variants of M5', each put together from functions in one place.

    step                      published                                 Weka
    score of a cut            SDR: standard deviation                   SDR: fifth root of the variance
    least weight of a side    none                                      max(1, floor(n / 5)) + 1
    values are equal          if they are the same                      if they are closer than 1e-10
    a later attribute wins    if it gains more                          if it gains 1e-6 more
    term tried next           each                                      any coefficient above 1.5, then the smallest
    term dropped              if the error of the model falls           if Akaike's criterion falls
    least squares             independent columns                       ridge 1e-8 on standardised columns
    error of a model          mean absolute, times (n + v) / (n - v)    root mean square, times (n + 2v) / (n - v)
    error of a subtree        mean of the children's                    as one model, with one more parameter per test

Coefficients are those of the standardised columns. "Weka" is the M5P of Weka 3.6.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from refrank.cocr.m5p import pruning
from refrank.cocr.m5p.cuts import ROUNDING, GrowthRule
from refrank.cocr.m5p.elimination import simplify_published, simplify_weka
from refrank.cocr.m5p.least_squares import Fit, Regression


@dataclass(frozen=True)
class Variant:
    """How a tree grows, how a node's model is simplified, and how the tree is pruned.

    Parameters
    ----------
    growth : GrowthRule
    simplify : function of a Regression
        Fits a node's model and drops terms of it; returns a Fit.
    pruning : PruningRule
    """

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
        np.abs, pruning.inflate_published, pruning.estimate_subtree_published, pruning.cuts_back_published
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
    pruning=pruning.PruningRule(np.square, pruning.inflate_weka, pruning.estimate_subtree_weka, pruning.cuts_back_weka),
)

VARIANTS = {"weka": WEKA, "published": PUBLISHED}
