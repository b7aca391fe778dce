"""Elimination: drop the terms of a node's linear model one by one (Quinlan 1992; Wang & Witten 1997).

There are two greedy loops, one per variant (`refrank.cocr.m5p.variants`).

    symbol             in code         meaning
    n                  n_rows          number of the node's rows (weights.py)
    v                  n_parameters    terms and the constant
    (n + v)/(n - v)    inflate         turns the error on the training rows into an estimate for other rows
"""

import math
from collections.abc import Callable

import numpy as np

from refrank.cocr.m5p.least_squares import Fit, Regression, choose_independent, drop_term, measure, solve

Inflate = Callable[[float, float, int], float]

WEKA_RIDGE = 1e-8  # on the standardised columns
WEKA_COLINEAR = 1.5  # a larger standardised coefficient is a sign of collinear columns


def simplify_weka(problem: Regression, ridge: float = WEKA_RIDGE) -> Fit:
    """Drop collinear terms, then the smallest ones, as Weka's M5P does; return the fit of the terms that remain."""
    everything = np.ones(len(problem.features), dtype=bool)
    squares = float(problem.target @ problem.target)
    if squares == 0.0:  # a constant target has no deviation to compare with, and needs no term
        return solve(problem, ~everything, ridge)
    fit = solve(problem, everything, ridge)
    n = problem.n_rows

    # Weka M5P: while a standardised coefficient is larger than 1.5, drop the largest
    while fit.used.any():
        size = np.abs(fit.coefficients) / math.sqrt(squares / problem.divisor)  # (n_terms,), 0 where dropped
        largest = int(np.argmax(size))
        if size[largest] <= WEKA_COLINEAR:
            break
        fit = drop_term(fit, largest)

    # Weka M5P: drop the smallest standardised coefficient while SSE / SSE_full * (n - v_full) + 2 v falls
    fit = measure(fit)
    full_loss = problem.criterion(fit)
    full_parameters = n_parameters = int(fit.used.sum()) + 1
    akaike = n + full_parameters
    while fit.used.any() and full_loss > 0.0:
        smallest = int(np.argmin(np.where(fit.used, np.abs(fit.coefficients), np.inf)))
        fewer = drop_term(fit, smallest)
        new_akaike = problem.criterion(fewer) / full_loss * (n - full_parameters) + 2 * (n_parameters - 1)
        if not new_akaike < akaike:
            break
        fit, n_parameters, akaike = fewer, n_parameters - 1, new_akaike
    return solve(problem, fit.used, ridge)  # afresh, so that no rounding of the updates remains


def simplify_published(problem: Regression, inflate: Inflate) -> Fit:
    """Drop the term whose removal gives the smallest error estimate, as long as the estimate falls.

    Return the fit of the terms that remain; `inflate` is a function of (error, n, v).
    """
    # Paper is silent on dependent columns: the terms begin as an independent set of them.
    fit = solve(problem, choose_independent(problem), 0.0)
    root, total, n = np.sqrt(problem.weight), problem.weight.sum(), problem.n_rows
    influence = problem.design @ fit.inverse  # (n_rows, n_terms)
    residual = fit.compute_residual()  # (n_rows,), times sqrt(w)
    n_parameters = int(fit.used.sum()) + 1
    # Quinlan 1992, error estimates: the average absolute residual, times (n + v) / (n - v)
    estimate = inflate(float(root @ np.abs(residual)) / total, n, n_parameters)
    while fit.used.any():
        terms = np.flatnonzero(fit.used)
        step = fit.coefficients[terms] / fit.inverse[terms, terms]  # (n_used,)
        residual_without = residual[:, None] + influence[:, terms] * step  # (n_rows, n_used)
        error_without = root @ np.abs(residual_without) / total  # (n_used,)
        at = int(np.argmin(error_without))
        # Wang & Witten 1997, linear models: terms go one by one, greedily, so long as the error estimate
        # decreases
        new_estimate = inflate(float(error_without[at]), n, n_parameters - 1)
        if not (new_estimate < estimate or math.isinf(estimate)):
            break
        term = int(terms[at])
        # Nearly dependent columns (inflation up to 1e9) keep 7 digits: enough to compare errors.
        influence -= np.outer(influence[:, term], fit.inverse[term] / fit.inverse[term, term])
        fit = drop_term(fit, term)
        residual = fit.compute_residual()
        n_parameters, estimate = n_parameters - 1, new_estimate
    return solve(problem, fit.used, 0.0)
