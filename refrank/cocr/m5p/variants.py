"""The two variants of M5': the steps in which they differ, each step a function.

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

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from refrank.cocr.m5p.elimination import simplify_published, simplify_weka
from refrank.cocr.m5p.least_squares import Fit, Regression
from refrank.cocr.m5p.linear_models import Floats

ROUNDING = 1e-9  # two figures this close, in units of the spread of the target, are taken for equal


@dataclass(frozen=True)
class Estimate:
    """How well a model, or a subtree, does on its n rows.

    Attributes
    ----------
    weight, loss, error : float
        n; the weighted training loss, summed (of squares in Weka, of absolute values as published); the estimated error
        of one new row.
    n_parameters : int
        v.
    """

    weight: float
    loss: float
    n_parameters: int
    error: float


@dataclass(frozen=True)
class Variant:
    """The steps in which the variants differ.

    Parameters
    ----------
    spread : function of an array of variances
        Cost of a set of rows; a cut's score is spread(T) - sum |T_i| / |T| spread(T_i).
    smallest_side : function of |T|
        Least weight of either side of a cut.
    same_value : float
        No cut separates neighbouring values of a feature that differ by less than this.
    lead : function of spread(T)
        A later feature replaces an earlier one if its score is larger by more than this.
    simplify : function of a Regression
        Fit of a node's model, without the terms that are not worth a parameter.
    loss : function of an array of residuals
        Training loss of each row.
    estimate_error : function of (mean loss, n, v)
        Error of a model on new data.
    estimate_subtree : function of two Estimate
        Estimate of a node's subtree from those of its children.
    cuts_back : function of (model's error, subtree's error, sd of the whole training target)
        Whether a node's model replaces its subtree.
    """

    spread: Callable[[Floats], Floats]
    smallest_side: Callable[[float], float]
    same_value: float
    lead: Callable[[float], float]
    simplify: Callable[[Regression], Fit]
    loss: Callable[[Floats], Floats]
    estimate_error: Callable[[float, float, int], float]
    estimate_subtree: Callable[[Estimate, Estimate], Estimate]
    cuts_back: Callable[[float, float, float], bool]


def _inflate_published(error: float, n: float, n_parameters: int) -> float:
    """Return the mean absolute error times (n + v) / (n - v), infinite where v >= n."""
    # Quinlan 1992, error estimates: times (n + v) / (n - v), n cases and v parameters
    # Paper is silent on v >= n: with as many parameters as rows, nothing is known of the error.
    return error * (n + n_parameters) / (n - n_parameters) if n > n_parameters else math.inf


def _estimate_subtree_published(left: Estimate, right: Estimate) -> Estimate:
    """Average the children's errors, each weighted by its share of the rows."""
    n = left.weight + right.weight
    # Wang & Witten 1997, subtreeError: each branch counts by its share of the instances
    error = (left.weight * left.error + right.weight * right.error) / n
    return Estimate(n, left.loss + right.loss, left.n_parameters + right.n_parameters, error)


def _cuts_back_published(model_error: float, subtree_error: float, deviation: float) -> bool:
    """Tell whether the model is no worse than the subtree."""
    # Departs from Wang & Witten 1997, prune: a tie, to 1e-9 sd, goes to the model. Where a line fits all rows
    # both errors are rounding, and as printed (subtreeError > error) the last bit would decide.
    return model_error <= subtree_error + ROUNDING * deviation


def _inflate_weka(mean_square: float, n: float, n_parameters: int) -> float:
    """Return the root mean square error times (n + 2v) / (n - v), or times 10 where v >= n."""
    error = math.sqrt(mean_square)
    # Weka M5P: each parameter counts twice in the numerator
    return error * (n + 2 * n_parameters) / (n - n_parameters) if n > n_parameters else 10.0 * error


def _estimate_subtree_weka(left: Estimate, right: Estimate) -> Estimate:
    """Estimate the error of the subtree as one model: its leaves' squares together, and their parameters."""
    n, loss = left.weight + right.weight, left.loss + right.loss
    # Weka M5P: the test itself counts as one more parameter
    n_parameters = left.n_parameters + right.n_parameters + 1
    return Estimate(n, loss, n_parameters, _inflate_weka(loss / n, n, n_parameters))


def _cuts_back_weka(model_error: float, subtree_error: float, deviation: float) -> bool:
    """Tell whether the model is no worse than the subtree, or next to perfect."""
    # Weka M5P: also where the model's estimate is below 1e-5 of the sd of the whole target
    return model_error <= subtree_error or model_error < 1e-5 * deviation


PUBLISHED = Variant(
    spread=np.sqrt,
    smallest_side=lambda n: 0.0,
    same_value=float(np.nextafter(0.0, 1.0)),
    lead=lambda spread: ROUNDING * spread,  # the papers are silent on ties; rounding does not decide
    simplify=partial(simplify_published, inflate=_inflate_published),
    loss=np.abs,
    estimate_error=_inflate_published,
    estimate_subtree=_estimate_subtree_published,
    cuts_back=_cuts_back_published,
)

WEKA = Variant(
    spread=lambda variance: variance**0.2,
    smallest_side=lambda n: max(1.0, n // 5) + 1.0,
    same_value=1e-10,
    lead=lambda spread: 1e-6,
    simplify=simplify_weka,
    loss=np.square,
    estimate_error=_inflate_weka,
    estimate_subtree=_estimate_subtree_weka,
    cuts_back=_cuts_back_weka,
)

VARIANTS = {"weka": WEKA, "published": PUBLISHED}
