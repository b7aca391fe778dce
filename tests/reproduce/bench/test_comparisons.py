"""The comparisons of a bench: Holm's method by its definition, and each figure by that of the metrics' room."""

from itertools import combinations

import numpy as np
import pytest

from refrank.metrics import bootstrap_interval, count_needed_queries, paired_test, randomization_test
from refrank.reproduce.bench.comparisons import compare_measures
from tests.reproduce.bench.made_up import draw_values, make_result


def reject_by_holm(p_values, level):
    """The hypotheses that Holm rejects: smallest p-value first, each at `level` over those that are left."""
    rejected, left = set(), sorted(p_values, key=p_values.get)
    while left and p_values[left[0]] < level / len(left):
        rejected.add(left.pop(0))
    return rejected


def test_each_test_is_adjusted_over_all_pairs_by_holm_s_method():
    values = draw_values(4, 60, 0.02)
    (comparison,) = compare_measures(make_result(values, "abcd"))
    rows = dict(zip("abcd", values, strict=True))
    assert {frozenset((pair.a, pair.b)) for pair in comparison.pairs} == {*map(frozenset, combinations("abcd", 2))}
    for test, adjusted in ((paired_test, "p_t"), (randomization_test, "p_randomization")):
        raw = {pair: test(rows[pair.a], rows[pair.b]).p_value for pair in comparison.pairs}
        for level in (0.5, 0.1, 0.05, 0.01):
            found = {pair for pair in comparison.pairs if getattr(pair, adjusted) < level}
            assert found == reject_by_holm(raw, level)


def test_holm_by_hand():
    """Of three p-values, the smallest counts three times, the second twice, and none is below one before it."""
    values = np.array([[0.4, 0.4, 0.4, 0.4], [0.3, 0.3, 0.3, 0.2], [0.3, 0.4, 0.2, 0.2]])
    (comparison,) = compare_measures(make_result(values))
    pairs = {(pair.a, pair.b): pair for pair in comparison.pairs}
    p_values = [of.compared.randomization.p_value for of in pairs.values()]
    assert p_values == [1 / 8, 1 / 4, 1.0]
    assert [of.p_randomization for of in pairs.values()] == [3 / 8, 1 / 2, 1.0]


def test_the_first_of_a_pair_has_the_higher_mean_and_the_best_is_first_in_each_of_its_pairs():
    (comparison,) = compare_measures(make_result(draw_values(4, 20)[::-1], "abcd"))
    assert comparison.best == "d"
    assert [system.name for system in comparison.systems] == [*"abcd"]
    assert all(pair.compared.difference.mean > 0 for pair in comparison.pairs)
    assert [pair.a for pair in comparison.pairs if "d" in (pair.a, pair.b)] == ["d"] * 3
    assert (comparison.find_pair("a", "d"), comparison.find_pair("a", "a")) == (comparison.pairs[2], None)


def test_a_system_has_mean_interval_and_means_of_folds():
    values = draw_values(3, 60)
    system = compare_measures(make_result(values))[0].systems[1]
    assert (system.summary.mean, system.summary.sd) == pytest.approx((values[1].mean(), values[1].std(ddof=1)))
    assert system.interval == bootstrap_interval(values[1], np.zeros(60))
    assert system.fold_means == pytest.approx([values[1, at : at + 20].mean() for at in (0, 20, 40)])


def test_a_pair_resolves_what_its_queries_need_in_the_first_step_of_holm_s_method():
    for n_systems in (2, 4):
        values = draw_values(n_systems, 50)
        pair = compare_measures(make_result(values, "abcd"[:n_systems]))[0].pairs[0]
        n_pairs = n_systems * (n_systems - 1) / 2
        sd = (values[0] - values[1]).std(ddof=1)
        assert count_needed_queries(pair.resolved * (1 - 1e-9), sd, level=0.05 / n_pairs) == 51
        assert count_needed_queries(pair.resolved * (1 + 1e-9), sd, level=0.05 / n_pairs) == 50


def test_systems_differ_where_both_tests_say_so():
    (comparison,) = compare_measures(make_result(np.vstack([draw_values(2, 60), draw_values(2, 60)[1] + 1e-4])))
    assert [pair.differs for pair in comparison.pairs] == [True, True, False]
    assert [comparison.is_close(name) for name in ("mcrank", "lambdamart", "lightgbm")] == [False] * 3
    (few,) = compare_measures(make_result([[0.3, 0.4, 0.5], [0.1, 0.2001, 0.2999]], "ab"))
    (pair,) = few.pairs  # the t-test alone finds it: of three queries, no randomization test can
    assert (pair.p_t < 0.001, pair.p_randomization, pair.differs, few.is_close("b")) == (True, 0.25, False, True)


def test_skipped_queries_are_skipped_in_every_figure():
    values = draw_values(3, 60)
    (short,) = compare_measures(make_result(values[:, 20:], n_folds=2))
    values[:, :20] = np.nan
    (skipped,) = compare_measures(make_result(values))
    assert np.isnan(skipped.systems[0].fold_means[0])
    assert skipped.pairs == short.pairs
    assert [of.summary for of in skipped.systems] == [of.summary for of in short.systems]
    assert skipped.systems[0].interval == short.systems[0].interval
    values[1, 7] = 0.5
    with pytest.raises(ValueError, match=r"at query 7 .*: both must skip"):
        compare_measures(make_result(values))


def test_equal_systems_do_not_differ_and_the_first_is_the_best():
    values = draw_values(1, 60)
    (comparison,) = compare_measures(make_result(np.vstack([values, values]), "ab"))
    (pair,) = comparison.pairs
    assert comparison.best == "a"
    assert (pair.p_t, pair.p_randomization, pair.resolved, pair.counts) == (1.0, 1.0, 0.0, (0, 0, 60))


def test_queries_are_counted_above_below_and_equal():
    pair = compare_measures(make_result([[0.9, 0.5, 0.5, 0.2, np.nan], [0.1, 0.5, 0.4, 0.3, np.nan]], "ab"))[0].pairs[0]
    assert pair.counts == (2, 1, 1)


@pytest.mark.parametrize(("values", "systems"), [([[0.5], [0.25]], "ab"), ([[0.5, 0.25]], "a")])
def test_a_query_or_a_system_alone_has_no_pair(values, systems):
    (comparison,) = compare_measures(make_result(values, systems, n_folds=1))
    assert (comparison.pairs, comparison.best) == ((), "a")
    assert (comparison.systems[0].interval is None) == (len(values[0]) == 1)
    assert [comparison.is_close(name) for name in systems] == [False, True][: len(systems)]
