"""The paired tests below iGBRT's Table 3: pairs, intervals, p-values, and how many queries would do."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from refrank.reproduce.igbrt.comparisons import PAIRS, compare, write_tests
from refrank.reproduce.igbrt.printed import METHODS
from refrank.reproduce.igbrt.runs import Sizes
from refrank.reproduce.igbrt.tables import FoldResults
from tests.strategies import SEEDS, rng_of

SIZES = Sizes("s", (5,), n_rounds=2, n_rounds_from_forest=2, every=2, learning_rates=(0.1,))


def make_fold(name, rng, n_queries):
    """A fold's contribution: per-query values, all different."""
    queries = {(method, task): rng.random((2, n_queries)) for method in METHODS for task in "RC"}
    return FoldResults(name, "", {}, {}, {}, queries=queries)


def pool(folds, method, task):
    return np.concatenate([fold.queries[method, task] for fold in folds], axis=1)


def read(cell):
    return [float(number) for number in re.findall(r"[-+\d.e]+", cell)]


@given(SEEDS, st.integers(3, 30))
def test_an_interval_is_that_of_the_paired_t_test(seed, n):
    a, b = rng_of(seed).random((2, n))
    tested = stats.ttest_rel(a, b)
    interval = tested.confidence_interval(0.95)
    expected = [(a - b).mean(), interval.low, interval.high]
    mean, low, high, p_value = read(compare(a, b))
    assert [mean, low, high] == pytest.approx(expected, abs=6e-5)
    assert p_value == pytest.approx(tested.pvalue, rel=0.06)
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
            for first, second in PAIRS:
                name = f"{' '.join(first)} - {' '.join(second)} "
                [row] = (line for line in group.split("\n") if line.startswith(name))
                of_first, of_second = pool(of_group, *first), pool(of_group, *second)
                cells = [compare(a, b) for a, b in zip(of_first, of_second, strict=True)]
                assert row.endswith(f"{cells[0]:>38}{cells[1]:>38}")
            largest = max(np.std(pool(of_group, *a)[0] - pool(of_group, *b)[0], ddof=1) for a, b in PAIRS)
            assert f"largest standard deviation of a difference in ERR is {largest:.3f}: " in group


def test_every_method_is_held_against_every_other_and_both_tasks_against_each_other():
    pairs = {frozenset(pair) for pair in PAIRS}
    assert {frozenset([(m, "C"), (m, "R")]) for m in METHODS} < pairs
    assert {frozenset([(m, t), (o, t)]) for t in "RC" for m in METHODS for o in METHODS if m != o} < pairs


def test_equal_rankings_have_no_interval():
    assert compare(np.array([0.5, 0.25]), np.array([0.25, 0.0])) == "+0.2500"


def test_of_the_queries_those_of_table_3_are_kept():
    """The largest forest, and of each booster the round that the validation set chooses."""
    rng, looks = rng_of(2), np.array([1, 2, 3])
    sizes = replace(SIZES, forest_sizes=(2, 5, 9), n_rounds=3, n_rounds_from_forest=3)

    def make_run(best):
        valid, test = rng.random((3, 5)) / 2, rng.random((3, 5))
        valid[best, 0] = 1.0  # the highest ERR
        return {"steps": looks, "valid": valid, "test": test, "test_queries": rng.random((3, 2, 4))}

    forests = {task: make_run(0) for task in "RC"}
    boosted = {(task, start): {0.1: make_run(1)} for task in "RC" for start in (0, 2, 5, 9)}
    kept = FoldResults("Fold1", "", {}, forests, boosted).keep_queries(sizes)
    for task in "RC":
        by_method = {method: kept.queries[method, task] for method in METHODS}
        np.testing.assert_array_equal(by_method["RF"], forests[task]["test_queries"][2])
        np.testing.assert_array_equal(by_method["GBRT"], boosted[task, 0][0.1]["test_queries"][1])
        np.testing.assert_array_equal(by_method["iGBRT"], boosted[task, 9][0.1]["test_queries"][1])
    assert not any("test_queries" in run for runs in kept.boosted.values() for run in runs.values())
