"""COCR's three cost vectors: the definition in Python integers, the shapes. Their doctests are the paper's example."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.cocr.costs import absolute, is_convex, is_v_shaped, oerr, squared

DEFINITIONS = {
    absolute: lambda y, k: abs(y - k),
    squared: lambda y, k: (y - k) * (y - k),
    oerr: lambda y, k: (2**y - 2**k) ** 2,
}


@pytest.mark.paper("COCR Eq. 13", at="oerr")
@pytest.mark.paper("COCR Eq. 3", "COCR Eq. 4", "COCR Sec. 4.3")
@pytest.mark.parametrize(("cost", "definition"), DEFINITIONS.items())
def test_every_entry_is_the_definition(cost, definition):
    for max_grade in range(1, 32):  # up to (2^31 - 1)^2, the largest that fits int64
        y = range(max_grade + 1)
        table = cost(y, max_grade)
        assert table.dtype == np.int64
        assert table.tolist() == [[definition(grade, k) for k in y] for grade in y]


@pytest.mark.parametrize("cost", DEFINITIONS)
def test_grades_may_come_as_whole_floats_or_not_at_all(cost):
    assert np.array_equal(cost(np.array([0.0, 2.0]), 4), cost([0, 2], 4))
    assert np.array_equal(cost(np.array([0, 2], dtype=np.uint8), 4), cost([0, 2], 4))
    assert cost([], 4).shape == (0, 5)


@pytest.mark.parametrize("max_grade", range(1, 9))
def test_shapes_of_the_three_costs(max_grade):
    y = np.arange(max_grade + 1)
    for cost in DEFINITIONS:
        assert is_v_shaped(cost(y, max_grade), y).all()
    assert is_convex(absolute(y, max_grade)).all()
    assert is_convex(squared(y, max_grade)).all()
    # Eq. 13 has c[k] - c[k-1] = 3 * 4^(k-1) - 2^(y+k): from k = 1 to k = 2 it falls when 2^(y+1) > 9, y > 2
    assert is_convex(oerr(y, max_grade)).tolist() == [grade <= 2 for grade in y]


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=6), st.data())
def test_shape_checks_are_their_definitions(vector, data):
    y = data.draw(st.integers(0, len(vector) - 1))
    falls = all(vector[k] <= vector[k - 1] for k in range(1, y + 1))
    rises = all(vector[k] >= vector[k - 1] for k in range(y + 1, len(vector)))
    assert is_v_shaped([vector], [y]).tolist() == [falls and rises]
    middle = range(1, len(vector) - 1)
    assert is_convex([vector]).tolist() == [all(2 * vector[k] <= vector[k - 1] + vector[k + 1] for k in middle)]


def test_unsigned_costs_do_not_wrap():
    table = np.array([[1, 0, 1]], dtype=np.uint8)
    assert is_v_shaped(table, [1]).all()
    assert is_convex(table).all()


@pytest.mark.parametrize("cost", DEFINITIONS)
@pytest.mark.parametrize(
    ("y", "max_grade", "message"),
    [
        ([0, 5], 4, "y at row 1 is 5: labels must be integers from 0 to 4"),
        ([[]], 4, r"y has shape \(1, 0\)"),
        (3, 4, r"y has shape \(\): it must have shape \(n_samples,\)"),
        ([True], 4, "y has type bool: labels must be integers from 0 to 4"),
        ([0], 0, "max_grade is 0: it must be an integer from 1 to 31"),
        ([0], 32, "max_grade is 32"),
    ],
)
def test_bad_grades_are_named(cost, y, max_grade, message):
    with pytest.raises(ValueError, match=message):
        cost(y, max_grade)


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([1, 0], r"costs has shape \(2,\)"),
        ([[0]], r"costs has shape \(1, 1\)"),
        ([[0, float("inf")]], "costs at row 0, column 1 is inf: costs must be finite"),
        ([["a", "b"]], "costs has type <U1: costs must be numbers"),
    ],
)
def test_bad_tables_are_named(costs, message):
    with pytest.raises(ValueError, match=message):
        is_convex(costs)
    with pytest.raises(ValueError, match=message):
        is_v_shaped(costs, [0])


def test_a_grade_for_each_row():
    with pytest.raises(ValueError, match=r"y has shape \(1,\): .*one grade per row of costs, here \(2,\)"):
        is_v_shaped([[0, 1], [0, 1]], [0])
    with pytest.raises(ValueError, match="y at row 0 is 2"):
        is_v_shaped([[0, 1]], [2])
