"""The two variants of M5': the steps that differ, each as a function.

    step                      published                                 Weka
    score of a cut            SDR: standard deviation                   SDR: fifth root of the variance
    fewest rows on a side     none                                      max(1, floor(n / 5)) + 1
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

from refrank.arrays import Floats
from refrank.cocr.m5p.elimination import simplify_published, simplify_weka
from refrank.cocr.m5p.least_squares import Fit, Regression

ROUNDING = 1e-9  # two numbers this close, in units of the spread of the target, count as equal


@dataclass(frozen=True)
class Estimate:
    """The error of a model or a subtree on its n rows."""

    n_rows: float  # n
    weight: float  # of these rows
    loss: float  # weighted training loss, summed: of squares in Weka, of absolute values as published
    n_parameters: int  # v
    error: float  # estimated for one new row


@dataclass(frozen=True)
class Variant:
    """The steps in which the variants differ."""

    spread: Callable[[Floats], Floats]  # variances -> cost of sets of rows; a cut's score is the fall of this cost
    smallest_side: Callable[[float], float]  # n -> fewest rows on either side of a cut
    same_value: float  # no cut separates neighbouring values of a feature that differ by less than this
    lead: Callable[[float], float]  # spread(T) -> lead in score that a later feature needs to win
    simplify: Callable[[Regression], Fit]  # fit of a node's model, without the terms that are not worth a parameter
    loss: Callable[[Floats], Floats]  # residuals -> training loss of each row
    estimate_error: Callable[[float, float, int], float]  # (mean loss, n, v) -> error of a model on new data
    estimate_subtree: Callable[[Estimate, Estimate], Estimate]  # estimates of the children -> that of the subtree
    cuts_back: Callable[[float, float, float], bool]  # (model's error, subtree's, sd of all targets) -> replace it?


def _inflate_published(error: float, n: float, n_parameters: int) -> float:
    # Quinlan 1992, error estimates: times (n + v) / (n - v), n cases and v parameters
    # Paper is silent on v >= n: with as many parameters as rows, nothing is known of the error.
    return error * (n + n_parameters) / (n - n_parameters) if n > n_parameters else math.inf


def _estimate_subtree_published(left: Estimate, right: Estimate) -> Estimate:
    weight = left.weight + right.weight
    # Wang & Witten 1997, subtreeError: each branch counts by its share of the instances
    error = (left.weight * left.error + right.weight * right.error) / weight
    n_parameters = left.n_parameters + right.n_parameters
    return Estimate(left.n_rows + right.n_rows, weight, left.loss + right.loss, n_parameters, error)


PUBLISHED = Variant(
    spread=np.sqrt,
    smallest_side=lambda n: 0.0,
    same_value=float(np.nextafter(0.0, 1.0)),
    lead=lambda spread: ROUNDING * spread,  # the papers are silent on ties; rounding does not decide
    simplify=partial(simplify_published, inflate=_inflate_published),
    loss=np.abs,
    estimate_error=_inflate_published,
    estimate_subtree=_estimate_subtree_published,
    # Departs from Wang & Witten 1997, prune: a tie, to 1e-9 sd, goes to the model. Where a line fits all rows
    # both errors are rounding, and as printed (subtreeError > error) the last bit would decide.
    cuts_back=lambda model, subtree, deviation: model <= subtree + ROUNDING * deviation,
)


def _inflate_weka(mean_square: float, n: float, n_parameters: int) -> float:
    error = math.sqrt(mean_square)
    # Weka M5P: each parameter counts twice in the numerator; where v >= n, ten times the error
    return error * (n + 2 * n_parameters) / (n - n_parameters) if n > n_parameters else 10.0 * error


def _estimate_subtree_weka(left: Estimate, right: Estimate) -> Estimate:
    n, weight, loss = left.n_rows + right.n_rows, left.weight + right.weight, left.loss + right.loss
    # Weka M5P: the test itself counts as one more parameter
    n_parameters = left.n_parameters + right.n_parameters + 1
    return Estimate(n, weight, loss, n_parameters, _inflate_weka(loss / weight, n, n_parameters))


WEKA = Variant(
    spread=lambda variance: variance**0.2,
    smallest_side=lambda n: max(1.0, n // 5) + 1.0,
    same_value=1e-10,
    lead=lambda spread: 1e-6,
    simplify=simplify_weka,
    loss=np.square,
    estimate_error=_inflate_weka,
    estimate_subtree=_estimate_subtree_weka,
    # Weka M5P: also where the model's estimate is below 1e-5 of the sd of the whole target
    cuts_back=lambda model, subtree, deviation: model <= subtree or model < 1e-5 * deviation,
)

VARIANTS = {"weka": WEKA, "published": PUBLISHED}
