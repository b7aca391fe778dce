"""`refrank.mcrank.expected_relevance`: Eq. 5 and 6."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.mcrank.expected_relevance import check_increasing, expected_relevance, transform_table
from tests.oracles import mcrank as naive_mcrank
from tests.strategies import SEEDS, rng_of

TRANSFORMS = st.sampled_from(["k", "2^k", "2^k-1", np.sqrt])


@pytest.mark.paper("McRank Eq. 5")
@given(st.integers(1, 40), st.integers(2, 6), SEEDS, TRANSFORMS, st.sampled_from("CF"))
def test_scores_equal_equation_5(n_samples, n_classes, seed, transform, order):
    proba = np.array(rng_of(seed).dirichlet(np.ones(n_classes), n_samples), order=order)
    table = transform_table(transform, n_classes)
    expected = [naive_mcrank.equation_5(row, table.tolist()) for row in proba.tolist()]
    assert expected_relevance(proba, table).tolist() == expected
    if transform == "k":
        assert expected_relevance(proba).tolist() == expected


@pytest.mark.paper("McRank Eq. 6")
@given(st.integers(2, 30), st.integers(2, 6), SEEDS, st.integers(1, 9), st.integers(-9, 9))
def test_by_equation_6_the_ranking_sees_no_scale_and_no_shift(n_samples, n_classes, seed, a, b):
    """Probabilities of 10 bits that add up to 1 exactly, so that a S + b is exact, and ties stay ties."""
    cuts = np.sort(rng_of(seed).integers(0, 1025, (n_samples, n_classes - 1)), axis=1)
    proba = np.diff(cuts, axis=1, prepend=0, append=1024) / 1024
    table = transform_table("k", n_classes)
    S, moved = expected_relevance(proba, table), expected_relevance(proba, a * table + b)
    np.testing.assert_array_equal(moved, a * S + b)
    np.testing.assert_array_equal(np.argsort(-moved, kind="stable"), np.argsort(-S, kind="stable"))


@pytest.mark.paper("McRank App. II", at="TRANSFORMS")
@pytest.mark.paper("McRank Sec. 3.3", at="TRANSFORMS")
@pytest.mark.parametrize("n_classes", [1, 2, 5, 54])
def test_tables_hold_their_formulas(n_classes):
    levels = range(n_classes)
    assert transform_table("k", n_classes).tolist() == list(levels)
    assert transform_table("2^k", n_classes).tolist() == [2.0**k for k in levels]
    assert transform_table("2^k-1", n_classes).tolist() == [float(2**k - 1) for k in levels]
    assert transform_table([k / 2 for k in levels], n_classes).tolist() == [k / 2 for k in levels]


@pytest.mark.parametrize(
    ("transform", "n_classes", "message"),
    [
        ("k2", 3, "target is 'k2': it must be one of 'k', '2^k', '2^k-1'"),
        ([0.0, 1.0], 3, "target has shape (2,): it must have shape (n_classes,), one value per class, here (3,)"),
        (np.arange(4), 3, "target has shape (4,): it must have shape (n_classes,), one value per class, here (3,)"),
        ([0.0, np.nan, np.inf], 3, "target at row 1 is nan: the value of each class must be finite"),
        (lambda k: [0.0, 1.0, np.inf], 3, "target at row 2 is inf: the value of each class must be finite"),
        ("2^k", 1100, "target at row 1024 is inf: the value of each class must be finite"),
        ("2^k-1", 1100, "target at row 1024 is inf: the value of each class must be finite"),
    ],
)
def test_bad_transforms(transform, n_classes, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        transform_table(transform, n_classes, "target")


@pytest.mark.parametrize("values", [[-3.0], [-1.5e308, 0.0, 5e-324, 1.5e308], [-1.5e308, 1.5e308]])
def test_a_table_that_increases_is_taken(values):
    check_increasing(np.array(values))
    message = f"relevance at row {len(values)} is {values[-1]}: values must increase from class to class"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        check_increasing(np.array([*values, values[-1]]))
    with pytest.raises(ValueError, match="relevance at row 1 is -inf"):
        check_increasing(np.array([values[0], -np.inf, *values[1:]]))
