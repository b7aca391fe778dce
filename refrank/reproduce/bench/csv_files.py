"""A bench as CSV: each number is written so that it is read back to the bit; one that does not exist is empty."""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import astuple

from refrank.reproduce.bench.comparisons import MeasureComparison, SystemPair
from refrank.reproduce.bench.result import BenchResult

TESTS = ["difference", "difference_sd", "difference_low", "difference_high", "p_t", "p_randomization", "resolved"]


def write_means(result: BenchResult, comparisons: Sequence[MeasureComparison]) -> str:
    """Write a line per measure and system; the difference is that of the best minus the system."""
    ends, folds = ["mean", "sd", "n_queries", "low", "high"], [f"mean of {fold}" for fold in result.folds]
    rows: list[list[object]] = [["measure", "system", *ends, *TESTS, *folds]]
    for of in comparisons:
        for system in of.systems:
            interval, pair = system.interval, of.find_pair(of.best, system.name)
            bounds = (interval.low, interval.high) if interval else (math.nan, math.nan)
            tests = list_tests(pair) if pair else [math.nan] * len(TESTS)
            means = system.fold_means.tolist()
            rows.append([str(of.measure), system.name, *astuple(system.summary), *bounds, *tests, *means])
    return write_rows(rows)


def write_pairs(comparisons: Sequence[MeasureComparison]) -> str:
    """Write a line per measure and pair, with the p-values before Holm's method, too."""
    before = ["p_t_before", "p_randomization_before"]
    rows: list[list[object]] = [["measure", "a", "b", *TESTS, *before, "above", "below", "equal"]]
    for of in comparisons:
        for pair in of.pairs:
            t_test = pair.compared.t_test
            p_values = [t_test.p_value if t_test else math.nan, pair.compared.randomization.p_value]
            rows.append([str(of.measure), pair.a, pair.b, *list_tests(pair), *p_values, *pair.counts])
    return write_rows(rows)


def write_queries(result: BenchResult) -> str:
    """Write a line per query: its fold, its id, and its value by each measure of each system."""
    heads = [f"{measure}: {system}" for measure in result.measures for system in result.systems]
    columns = [column for measure in result.measures for column in result.values[str(measure)].tolist()]
    folds = [result.folds[fold] for fold in result.fold_of_query.tolist()]
    return write_rows([["fold", "qid", *heads], *zip(folds, result.qid, *columns, strict=True)])


def list_tests(pair: SystemPair) -> list[float]:
    """List the columns of `TESTS`; a - b without spread has no t-test."""
    compared = pair.compared
    p_t = pair.p_t if compared.t_test else math.nan
    difference = [compared.difference.mean, compared.difference.sd, compared.interval.low, compared.interval.high]
    return [*difference, p_t, pair.p_randomization, pair.resolved]


def write_rows(rows: Iterable[Iterable[object]]) -> str:
    """Write lines of CSV.

    >>> write_rows([["a", 0.1, float("nan"), 3], ['b "or" c', 1e-05, 0.0, 4]])
    'a,0.1,,3\\n"b ""or"" c",1e-05,0.0,4\\n'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(
        ["" if isinstance(cell, float) and math.isnan(cell) else cell for cell in row] for row in rows
    )
    return text.getvalue()
