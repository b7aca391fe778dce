"""`refrank.reproduce.mcrank.table_1.TABLE_1`: the p-values of Table 1 follow from its means and standard deviations."""

import math
from dataclasses import replace
from itertools import product

import pytest

from refrank.metrics import unpaired_test_of_summaries
from refrank.reproduce.mcrank.rankers import BESIDE, RANKERS
from refrank.reproduce.mcrank.table_1 import TABLE_1


def of_mcrank(row):
    """McRank's own column, which the p-values are about, regression and LambdaRank."""
    ordinal, classification, regression, lambdarank = row.summaries
    return ordinal or classification, regression, lambdarank  # Web-2 has no ordinal classification


@pytest.mark.parametrize("row", TABLE_1, ids=lambda row: row.name)
def test_printed_p_values_follow_from_printed_means(row):
    """Welch's one-sided test, over all means and standard deviations that round to the printed ones."""
    ours, *others = of_mcrank(row)
    for theirs, printed in zip(others, row.p_values, strict=True):
        # one decimal is printed, so each mean and each deviation may be .05 away
        reachable = [
            unpaired_test_of_summaries(
                replace(ours, mean=ours.mean + shift, sd=ours.sd + spread),
                replace(theirs, mean=theirs.mean - shift, sd=theirs.sd + spread),
                "greater",
            ).p_value
            for shift, spread in product((-0.05, 0.05), repeat=2)
        ]
        half_a_digit = 0.5 if printed == 0 else 0.5 * 10.0 ** math.floor(math.log10(printed) - 1)
        assert min(reachable) - half_a_digit <= printed <= max(reachable) + half_a_digit


@pytest.mark.paper("McRank Sec. 5", at="BESIDE")
def test_lad_stands_beside_the_columns_of_the_table():
    assert (RANKERS, BESIDE) == (("ordinal", "classification", "regression", "LambdaRank"), ("LAD",))


def test_the_recomputed_p_values_are_those_of_the_errata():
    """docs/reference/errata.md, at the printed means; "0" is printed for what is far below any digit."""
    artificial, *webs = [
        [unpaired_test_of_summaries(ours, other, "greater").p_value for other in others]
        for ours, *others in map(of_mcrank, TABLE_1)
    ]
    assert max(artificial) < 1e-40
    printed = " ".join(f"{p:.2e}" for row in webs for p in row)
    assert printed == "2.06e-02 2.40e-04 2.33e-02 3.29e-03 1.76e-02 3.84e-07"


@pytest.mark.paper("McRank Table 1", at="TABLE_1")
def test_the_table_is_the_printed_one():
    """McRank Table 1, read a second time: mean (standard deviation), then p-values and queries; sizes of Sec. 6.1."""
    rows = [
        " ".join([row.name, *(f"{cell.mean} ({cell.sd})" if cell else "-" for cell in row.summaries)])
        for row in TABLE_1
    ]
    assert rows == [
        "Artificial 85.0 (9.5) 83.7 (9.9) 82.9 (10.2) 74.9 (12.6)",
        "Web-1 72.4 (24.1) 72.2 (24.1) 71.7 (24.4) 71.2 (24.5)",
        "Web-2 - 75.8 (23.8) 74.7 (24.4) 74.3 (24.3)",
        "Web-3 72.5 (26.5) 72.4 (27.3) 72.0 (27.6) 71.3 (28.8)",
    ]
    assert [row.p_values for row in TABLE_1] == [(0, 0), (0.021, 0.0002), (0.023, 0.003), (0.017, 3.8e-7)]
    n_queries = [{cell.n_queries for cell in row.summaries if cell} for row in TABLE_1]
    assert n_queries == [{10_000}, {10_000}, {3_800}, {26_000}]
