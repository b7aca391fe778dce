"""Standard deviations and tests between two systems; McRank's printed p-values, recomputed."""

import math
import statistics
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import refrank
from refrank.metrics import (
    Summary,
    ndcg,
    paired_test,
    significance,
    summarize,
    unpaired_test,
    unpaired_test_of_summaries,
)

# McRank Table 1: mean and standard deviation of NDCG@10 in percent, and Sec. 6.1: queries of the test set.
MCRANK = [
    # ours, theirs, queries, recomputed one-sided p-value, as printed
    ("Web-1 regression", (72.4, 24.1), (71.7, 24.4), 10_000, "0.0206", "0.021"),
    ("Web-1 LambdaRank", (72.4, 24.1), (71.2, 24.5), 10_000, "0.00024", "0.0002"),
    ("Web-2 regression", (75.8, 23.8), (74.7, 24.4), 3_800, "0.0233", "0.023"),
    ("Web-2 LambdaRank", (75.8, 23.8), (74.3, 24.3), 3_800, "0.00329", "0.003"),
    ("Web-3 regression", (72.5, 26.5), (72.0, 27.6), 26_000, "0.0176", "0.017"),
    ("Web-3 LambdaRank", (72.5, 26.5), (71.3, 28.8), 26_000, "3.84e-7", "3.8e-7"),
]


@pytest.mark.parametrize(("row", "ours", "theirs", "n_queries", "recomputed", "printed"), MCRANK)
def test_mcrank_p_values_are_unpaired(row, ours, theirs, n_queries, recomputed, printed):
    """The printed ones are these, rounded or cut to one or two digits."""
    test = unpaired_test_of_summaries(Summary(*ours, n_queries), Summary(*theirs, n_queries), "greater")
    assert float(f"{test.p_value:.2e}") == float(recomputed)
    last_digit = Decimal(1).scaleb(Decimal(printed).as_tuple().exponent)
    assert abs(Decimal(test.p_value) - Decimal(printed)) < last_digit


@pytest.fixture
def values():
    rng = np.random.default_rng(7)
    a = rng.beta(2, 2, size=200)
    return a, np.clip(a + rng.normal(-0.02, 0.08, size=200), 0, 1)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_tests_are_those_of_scipy(values, alternative):
    a, b = values
    unpaired = stats.ttest_ind(a, b, equal_var=False, alternative=alternative)
    ours = unpaired_test(a, b, alternative)
    # SciPy takes means and variances by pairwise sums, the package correctly rounded ones.
    assert ours.statistic == pytest.approx(unpaired.statistic, rel=1e-12)
    assert ours.p_value == pytest.approx(unpaired.pvalue, rel=1e-10)
    assert ours.degrees_of_freedom == pytest.approx(unpaired.df, rel=1e-12)
    one_has_spread = (0.6, 0.2, 50), (0.5, 0.0, 9)
    expected = stats.ttest_ind_from_stats(*sum(one_has_spread, ()), equal_var=False, alternative=alternative)
    assert unpaired_test_of_summaries(*(Summary(*of) for of in one_has_spread), alternative).p_value == expected.pvalue
    paired = stats.ttest_rel(a, b, alternative=alternative)
    test = paired_test(a, b, alternative)
    assert (test.p_value, test.degrees_of_freedom) == (paired.pvalue, 199)
    assert ours.difference == pytest.approx(a.mean() - b.mean(), rel=1e-12)
    assert test.difference == pytest.approx(ours.difference, rel=1e-12)


def test_the_metrics_the_bounds_and_the_data_sets_load_numpy_only():
    """SciPy comes with the first test, scikit-learn with the first file. The rooms alone: refrank loads the rankers."""
    room = "import types; package = types.ModuleType('refrank'); package.__path__ = [sys.argv[1]]"
    loaded = "{name.split('.')[0] for name in sys.modules if 'cython' not in name}"  # the kernel's own, of no package
    loaded += " - {*sys.stdlib_module_names, '__main__', '__mp_main__'}"
    code = (
        f"import sys, numpy.random; before = {loaded}; {room}; sys.modules['refrank'] = package; "
        f"import refrank.bounds.printed, refrank.datasets, refrank.metrics; print(*sorted({loaded} - before))"
    )
    folder = Path(refrank.__file__).parent
    assert subprocess.check_output([sys.executable, "-c", code, str(folder)], text=True).split() == ["refrank"]


def test_summary_is_that_of_the_standard_library_and_one_query_has_no_standard_deviation(values):
    a, _ = values
    assert summarize(a) == Summary(math.fsum(a) / 200, statistics.stdev(a.tolist()), 200)
    summary = summarize([0.25, math.nan])
    assert (summary.mean, summary.n_queries) == (0.25, 1)
    assert math.isnan(summary.sd)


def test_skipped_queries_are_left_out_of_tests():
    rng = np.random.default_rng(1)
    y, qid = rng.choice(3, size=400, p=[0.7, 0.2, 0.1]), np.repeat(np.arange(80), 5)
    a, b = (ndcg(y, rng.normal(size=400), qid, spec="trec", per_query=True) for _ in range(2))
    counted = ~np.isnan(a)
    assert 0 < counted.sum() < 80
    assert paired_test(a, b) == paired_test(a[counted], b[counted])
    assert unpaired_test(a, b) == unpaired_test(a[counted], b[counted])
    assert summarize(a).n_queries == counted.sum()


@pytest.mark.parametrize(
    ("test", "arguments", "message"),
    [
        (paired_test, ([1, 2, 3], [1, 2]), r"b has shape \(2,\): .* one value per query, as a has, here \(3,\)"),
        (paired_test, ([[1, 2]], [[2, 1]]), r"a has shape \(1, 2\)"),
        (paired_test, ([1, math.nan, 3], [1, 2, 3]), r"a at query 1 is nan, b 2\.0: both must skip \(NaN\)"),
        (unpaired_test_of_summaries, (Summary(1, 2, 9), Summary(0, 1e200, 9)), r"sd at row 1 is 1e\+200: a value must"),
        (paired_test, ([1, 2, 3], [0, 1, 2]), "a - b is 1.0 for every query: there must be some spread"),
        (paired_test, ([1, math.nan], [2, math.nan]), "a has 1 counted queries: a test must have two or more"),
        (paired_test, ([1, 2], [2, 1], "bigger"), "alternative is 'bigger': it must be one of"),
        (unpaired_test, ([1, 2], [2, 1], "bigger"), "alternative is 'bigger': it must be one of"),
        (unpaired_test, ([1, math.nan], [1, 2]), "a has 1 counted queries: a test must have two or more"),
        (unpaired_test, ([1, 2], [1]), "b has 1 counted queries: a test must have two or more"),
        (unpaired_test, ([1, 1], [2, 2]), "sd of a and of b is 0"),
        (summarize, ([[1, 2], [3, 4]],), r"values has shape \(2, 2\)"),
        (summarize, ([math.nan],), "every query is skipped"),
    ],
)
def test_bad_input(test, arguments, message):
    with pytest.raises(ValueError, match=message):
        test(*arguments)


@pytest.mark.parametrize(("n_queries", "n_resamples"), [(1, 2**21), (2**20, 2), (2**21, 1), (2**22, 1)])
def test_resamples_are_drawn_in_batches_that_fit_in_memory(n_queries, n_resamples):
    assert significance._choose_batch(n_queries) == n_resamples
