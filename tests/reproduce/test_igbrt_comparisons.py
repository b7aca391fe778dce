"""The paired tests below iGBRT's Table 3: pairs, intervals, p-values, and how many queries would do."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from refrank.reproduce.igbrt.comparisons import PAIRS, compare, count_needed, write_tests
from refrank.reproduce.igbrt.printed import METHODS
from refrank.reproduce.igbrt.runs import Sizes
from refrank.reproduce.igbrt.tables import FoldResults
from tests.strategies import SEEDS, rng_of

SIZES = Sizes("s", (5,), n_rounds=2, n_rounds_from_forest=2, every=2, learning_rates=(0.1,))


def make_fold(name, rng, n_queries):
    """What a fold gives: per-query values, all different."""

    def run():
        of_queries = rng.random((1, 2, n_queries))
        means = np.array([[*of_queries[0].mean(axis=1), 0.5, 0.5, 0.5]])
        return {"steps": np.array([2]), "valid": means, "test": means, "queries": of_queries}

    forests = {task: run() for task in "RC"}
    return FoldResults(name, "", {}, forests, {(task, size): {0.1: run()} for task in "RC" for size in (0, 5)})


def pool(folds, method, task):
    runs = [
        fold.forests[task] if method == "RF" else fold.boosted[task, 5 * (method == "iGBRT")][0.1] for fold in folds
    ]
    return np.concatenate([run["queries"][-1] for run in runs], axis=1)


def read(cell):
    return [float(number) for number in re.findall(r"[-+\d.e]+", cell)]


@given(SEEDS, st.integers(3, 30))
def test_an_interval_is_that_of_the_paired_t_test(seed, n):
    a, b = rng_of(seed).random((2, n))
    found = stats.ttest_rel(a, b)
    interval = found.confidence_interval(0.95)
    expected = [(a - b).mean(), interval.low, interval.high]
    mean, low, high, p_value = read(compare(a, b))
    assert [mean, low, high] == pytest.approx(expected, abs=6e-5)
    assert p_value == pytest.approx(found.pvalue, rel=0.06)
    assert read(compare(b, a)) == pytest.approx([-mean, -high, -low, p_value], abs=1e-12)


def test_folds_of_one_collection_are_joined_and_yahoos_sets_are_not():
    """Each pair, in its order, ERR and then NDCG, over the queries of all folds."""
    rng = rng_of(1)
    for names in (["Fold1", "Fold2"], ["set1", "set2"]):
        folds = [make_fold(name, rng, 9) for name in names]
        groups = [folds] if names[0] == "Fold1" else [[fold] for fold in folds]
        text = "\n".join(write_tests(folds, SIZES))
        assert text.count("Paired t-tests") == len(groups)
        for group, of_group in zip(text.split("Paired t-tests")[1:], groups, strict=True):
            assert f", {9 * len(of_group)} test queries" in group
            assert len({*PAIRS}) == 9
            for one, other in PAIRS:
                [row] = (line for line in group.split("\n") if line.startswith(f"{' '.join(one)} - {' '.join(other)} "))
                of_one, of_other = pool(of_group, *one), pool(of_group, *other)
                cells = [compare(a, b) for a, b in zip(of_one, of_other, strict=True)]
                assert row.endswith(f"{cells[0]:>38}{cells[1]:>38}")


def test_every_method_is_held_against_every_other_and_both_tasks_against_each_other():
    found = {frozenset(pair) for pair in PAIRS}
    assert {frozenset([(m, "C"), (m, "R")]) for m in METHODS} < found
    assert {frozenset([(m, t), (o, t)]) for t in "RC" for m in METHODS for o in METHODS if m != o} < found


def test_equal_rankings_have_no_interval():
    assert compare(np.array([0.5, 0.25]), np.array([0.25, 0.0])) == "+0.2500"


@pytest.mark.parametrize("spread", [0.05, 0.101])
def test_so_many_queries_tell_a_difference_of_two_thousandths(spread):
    """By simulation: four of five tests on as many queries are significant."""
    n = count_needed(spread)
    means = rng_of(3).normal(0.002, spread / np.sqrt(n), 100_000)
    assert (means / (spread / np.sqrt(n)) > stats.norm.ppf(0.975)).mean() == pytest.approx(0.8, abs=0.01)


def test_about_20_000_queries_at_the_spread_of_mq2008():
    assert 19_000 < count_needed(0.1) < 20_000
