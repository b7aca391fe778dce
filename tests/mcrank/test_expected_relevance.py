"""`refrank.mcrank.expected_relevance`: Eq. 5 and 6."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.mcrank.expected_relevance import check_increasing, expected_relevance, transform_table
from tests.oracles import mcrank as naive_mcrank
from tests.strategies import SEEDS, rng_of

TRANSFORMS = st.sampled_from(["k", "2^k", "2^k-1", np.sqrt])


@given(st.integers(1, 40), st.integers(2, 6), SEEDS, TRANSFORMS, st.sampled_from("CF"))
def test_scores_equal_equation_5(n_samples, n_classes, seed, transform, order):
    proba = np.array(rng_of(seed).dirichlet(np.ones(n_classes), n_samples), order=order)
    table = transform_table(transform, n_classes)
    expected = [naive_mcrank.equation_5(row, table.tolist()) for row in proba.tolist()]
    assert expected_relevance(proba, table).tolist() == expected
    if transform == "k":
        assert expected_relevance(proba).tolist() == expected


@given(st.integers(2, 30), st.integers(2, 6), SEEDS, st.integers(1, 9), st.integers(-9, 9))
def test_by_equation_6_the_ranking_sees_no_scale_and_no_shift(n_samples, n_classes, seed, a, b):
    """Probabilities of 10 bits that add up to 1 exactly, so that a S + b is exact, and ties stay ties."""
    cuts = np.sort(rng_of(seed).integers(0, 1025, (n_samples, n_classes - 1)), axis=1)
    proba = np.diff(cuts, axis=1, prepend=0, append=1024) / 1024
    table = transform_table("k", n_classes)
    S, moved = expected_relevance(proba, table), expected_relevance(proba, a * table + b)
    np.testing.assert_array_equal(moved, a * S + b)
    np.testing.assert_array_equal(np.argsort(-moved, kind="stable"), np.argsort(-S, kind="stable"))


@pytest.mark.parametrize("n_classes", [1, 2, 5, 54])
def test_tables_hold_their_formulas(n_classes):
    levels = range(n_classes)
    assert transform_table("k", n_classes).tolist() == list(levels)
    assert transform_table("2^k", n_classes).tolist() == [2.0**k for k in levels]
    assert transform_table("2^k-1", n_classes).tolist() == [float(2**k - 1) for k in levels]
    assert transform_table([k / 2 for k in levels], n_classes).tolist() == [k / 2 for k in levels]


def test_bad_transforms():
    with pytest.raises(ValueError, match="target is 'k2': it must be one of k, 2\\^k, 2\\^k-1, a function or a table"):
        transform_table("k2", 3, "target")
    for table in ([0.0, 1.0], [0.0, 1.0, 2.0, 3.0]):
        with pytest.raises(
            ValueError, match=rf"relevance has shape \({len(table)},\): it needs one value for each of the 3"
        ):
            transform_table(table, 3)
    with pytest.raises(ValueError, match="relevance at class 1 is not finite"):
        transform_table([0.0, np.nan, np.inf], 3)
    with pytest.raises(ValueError, match=r"relevance must increase, but goes from 2.0 at class 0 to 1.0 at class 1"):
        check_increasing(np.array([2.0, 1.0, 3.0]))
    with pytest.raises(ValueError, match=r"relevance must increase, but goes from 2.0 at class 0 to 2.0 at class 1"):
        check_increasing(np.array([2.0, 2.0, 3.0]))


@pytest.mark.parametrize("name", ["2^k", "2^k-1"])
def test_a_formula_beyond_float64_is_refused(name):
    with pytest.raises(ValueError, match="relevance at class 1024 is not finite"):
        transform_table(name, 1100)
