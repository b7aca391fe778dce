"""cubic: F is the recipe's, its moments are exact, and the splits share one polynomial and its cuts."""

from fractions import Fraction
from math import prod, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from refrank.datasets import cubic, cubic_polynomial, cubic_target
from refrank.datasets.cubic import draw_polynomial
from refrank.datasets.cubic_target import scale_term
from tests.datasets.inputs import traced

QUANTILES = (0.5, 0.75, 0.9, 0.97)
CHOICES = {"weights": None, "permutations": None, "term_weights": (1, 1, 1), "quantiles": QUANTILES, "n_reference": 100}


def polynomial_of(n_features, seed=0, **choices):
    return draw_polynomial(n_features, seed, **(CHOICES | choices))


def bits(data):
    return data.X.tobytes(), data.y.tobytes()


def mean_by_antiderivative(features):
    """Integrate a product of features over [-1, 1]^n, one feature after the other, and divide by the volume."""
    powers = [features.count(f) for f in set(features)]
    return prod((Fraction(1 ** (p + 1) - (-1) ** (p + 1), p + 1) / 2 for p in powers), start=Fraction(1))


def assert_moments_are_exact(coefficients, factors):
    """Multiply T, and T squared, out."""
    products = [(Fraction(c), list(features)) for c, features in zip(coefficients, factors, strict=True)]
    mean = sum(c * mean_by_antiderivative(m) for c, m in products)
    second = sum(c * d * mean_by_antiderivative(m + other) for c, m in products for d, other in products)
    term = scale_term(np.array(coefficients, float), np.array(factors))
    assert term.mean == float(mean)
    assert term.deviation == sqrt(float(second - mean**2))


@given(st.data())
def test_moments_are_exact(data):
    n_features = data.draw(st.integers(1, 7))  # few: fixed points, which make squares and cubes
    i = range(n_features)
    q, r = data.draw(st.permutations(i)), data.draw(st.permutations(i))
    weights = data.draw(st.lists(st.floats(0.125, 1), min_size=n_features, max_size=n_features))
    for factors in ([[f] for f in i], list(zip(i, q, strict=True)), list(zip(i, q, r, strict=True))):
        assert_moments_are_exact(weights, factors)


@pytest.mark.paper("McRank Sec. 6.1", at="draw_polynomial")
@given(st.data())
def test_target_is_the_recipe_term_by_term(data):
    X = data.draw(hnp.arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 6)), elements=st.floats(-1, 1)))
    n_features = X.shape[1]
    weights = np.linspace(-1, 0.75, n_features)
    q, r = (data.draw(st.permutations(range(n_features))) for _ in range(2))
    term_weights = (0.5, 2, -1)
    polynomial = polynomial_of(n_features, weights=weights, permutations=[q, r], term_weights=term_weights)
    for x, target, label in zip(X, polynomial.target(X), polynomial.labels(X), strict=True):
        linear = quadratic = cubic_sum = 0.0
        for i in range(n_features):
            linear += float(weights[i] * x[i])
            quadratic += float(x[i] * x[q[i]])
            cubic_sum += float(x[i] * x[q[i]] * x[r[i]])
        expected = 0.0
        terms = zip(term_weights, (linear, quadratic, cubic_sum), polynomial.terms, strict=True)
        for term_weight, total, term in terms:
            expected += term_weight * ((total - term.mean) / term.deviation)
        assert target == expected  # the same operations in the same order
        assert label == sum(expected > threshold for threshold in polynomial.thresholds)


def test_the_cuts_are_order_statistics_of_the_reference_sample():
    polynomial = polynomial_of(4, n_reference=1001, quantiles=(0.001, 0.3, 0.5, 0.999))
    rng = np.random.default_rng([cubic.REFERENCE, 0])
    reference = 2 * rng.random((1001, 4), dtype=np.float32) - 1
    target = np.sort(polynomial.target(reference))
    # The smallest t with a share of at least q at or below it: places 2, 301, 501 and 1000 of 1001.
    assert polynomial.thresholds.tolist() == target[[1, 300, 500, 999]].tolist()
    assert np.bincount(polynomial.labels(reference)).tolist() == [2, 299, 200, 499, 1]


def test_one_polynomial_many_splits():
    train, test = cubic_polynomial(30, random_state=0), cubic_polynomial(30, random_state=1)
    np.testing.assert_array_equal(cubic_polynomial(30).X, train.X)
    polynomial = polynomial_of(50, n_reference=2**18)
    for split in (train, test):
        assert split.y.tolist() == polynomial.labels(split.X).tolist()
    assert not {row.tobytes() for row in train.X} & {row.tobytes() for row in test.X}
    other = cubic_polynomial(30, random_state=0, polynomial_seed=1)
    assert other.X.tobytes() == train.X.tobytes()
    assert other.y.tolist() != train.y.tolist()


def test_a_polynomial_seed_draws_weights_permutations_and_reference():
    first, second = (polynomial_of(200, seed=seed) for seed in (0, 1))
    weights, cubic_factors = first.terms[0].coefficients, first.terms[2].factors
    assert weights.tolist() != second.terms[0].coefficients.tolist()
    assert (cubic_factors[:, 1:] != second.terms[2].factors[:, 1:]).any(axis=0).all()
    i, q, r = cubic_factors.T.tolist()
    assert sorted(q) == sorted(r) == i == list(range(200))
    assert i != q != r != i
    assert first.terms[1].factors.T.tolist() == [i, q]
    # Uniform on [-1, 1]: each tail of .1 is empty with chance .95^200 = 4e-5.
    assert -1 <= weights.min() < -0.9
    assert 0.9 < weights.max() < 1
    given = {"weights": weights, "permutations": cubic_factors[:, 1:].T}
    assert polynomial_of(200, seed=0, **given).thresholds.tolist() == first.thresholds.tolist()
    assert polynomial_of(200, seed=1, **given).thresholds.tolist() != first.thresholds.tolist()


def test_equal_seeds_share_no_documents():
    # A cut is F of one document of the reference sample; the split does not hold that document.
    polynomial = polynomial_of(50, seed=7, n_reference=4, quantiles=(0.5,))
    documents = cubic_polynomial(1, polynomial_seed=7, random_state=7, n_reference=4, quantiles=(0.5,))
    assert polynomial.thresholds[0] not in polynomial.target(documents.X)
    weights = polynomial.terms[0].coefficients
    assert np.abs(documents.X.reshape(-1, 1) - weights).min() > 2**-23  # nor, to float32, a number of w


def test_a_seed_gives_the_same_bits_and_a_prefix():
    long, again = (cubic_polynomial(40, 7, 5, random_state=9, n_reference=500) for _ in range(2))
    short = cubic_polynomial(11, 7, 5, random_state=9, n_reference=500)
    assert bits(long) == bits(again)
    assert bits(short) == (long.X[:77].tobytes(), long.y[:77].tobytes())


@pytest.mark.parametrize("chunk_rows", [1, 3, 64])
def test_chunks_of_rows_leave_no_seam(monkeypatch, chunk_rows):
    whole = cubic_polynomial(40, 7, 5, n_reference=500)
    monkeypatch.setattr(cubic, "CHUNK_ROWS", chunk_rows)
    monkeypatch.setattr(cubic_target, "CHUNK_ROWS", chunk_rows + 1)
    cut = cubic_polynomial(40, 7, 5, n_reference=500)
    assert bits(cut) == bits(whole)


def test_shapes_types_and_range():
    data = cubic_polynomial(600, 20, 6, n_reference=500)
    wide = cubic_polynomial(600, 20, 6, n_reference=500, dtype=np.float64)
    assert (data.X.shape, data.X.dtype, wide.X.dtype) == ((12000, 6), np.float32, np.float64)
    np.testing.assert_array_equal(wide.X, data.X)
    assert wide.y.tobytes() == data.y.tobytes()
    assert data.y.dtype == data.qid.dtype == np.int64
    assert data.qid.tolist() == [query for query in range(600) for _ in range(20)]
    assert data.comments == ("",) * 12000
    assert -1 <= data.X.min() < data.X.max() < 1
    # 72,000 uniform numbers: ten equal cells, each share within five standard errors.
    cells = np.histogram(data.X, bins=10, range=(-1, 1))[0] / data.X.size
    assert np.abs(cells - 0.1).max() < 5 * sqrt(0.1 * 0.9 / data.X.size)


def test_giving_one_draw_leaves_the_others():
    drawn = polynomial_of(9)
    given_weights = polynomial_of(9, weights=np.ones(9))
    for degree in (1, 2):
        assert given_weights.terms[degree].factors.tolist() == drawn.terms[degree].factors.tolist()


def test_memory_stays_near_the_result():
    cubic_polynomial(1, n_reference=1)  # what is imported at first use is not counted
    data, peak = traced(lambda: cubic_polynomial(2000, n_reference=2**17))
    # X, y, qid and comments; one chunk of 8192 rows as float32, as float64, and a dozen vectors of its rows.
    # A float64 copy of X would be 40 MB.
    chunk = 8192 * (50 * (4 + 8) + 12 * 8)
    assert peak < data.X.nbytes + (8 + 8 + 8) * len(data.y) + chunk

    polynomial = polynomial_of(50)
    target, peak = traced(lambda: polynomial.target(data.X))
    assert peak < target.nbytes + 8192 * (50 * 2 * 8 + 12 * 8)  # the last chunk's columns and the next one's


NAN, INFINITE = float("nan"), float("inf")
BAD = {
    "n_queries": (0, 2.0),
    "n_docs": (0,),
    "n_features": (0,),
    "n_reference": (0,),
    "random_state": (-1, None),
    "polynomial_seed": (-1, 0.5),
    "weights": ([1, 2], [0, 0, 0], [1, 2, NAN]),
    "permutations": ([0, 1, 2], [[0, 1, 2]], [[0, 1, 2], [1, 2, 3]], [[0, 1, 2], [0, 1, 1]]),
    "term_weights": ((1, 1), (0, 0, 0), (1, 1, INFINITE), (1, 1, "1")),
    "quantiles": ((), (0.5, 0.5), (0, 0.5), (0.5, 1), (0.5, NAN)),
    "dtype": (np.int64,),
}


@pytest.mark.parametrize(("argument", "value"), [(name, value) for name, values in BAD.items() for value in values])
def test_a_bad_argument_is_named(argument, value):
    good = {"n_queries": 2, "n_docs": 2, "n_features": 3, "n_reference": 10}
    with pytest.raises(ValueError, match=f"^{argument} (is|has shape|at row)"):
        cubic_polynomial(**(good | {argument: value}))


def test_the_smallest_data_are_one_document():
    data = cubic_polynomial(1, 1, 1, n_reference=1)
    assert (data.X.shape, data.qid.tolist()) == ((1, 1), [0])


def test_the_rule_of_permutations_names_the_last_feature():
    with pytest.raises(ValueError, match=r"it must be two permutations of the integers from 0 to 2$"):
        cubic_polynomial(2, 2, 3, permutations=[[0, 1, 2], [0, 1, 1]])
