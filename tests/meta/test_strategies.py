"""The strategies of tests/strategies/__init__.py do reach the rare inputs that other tests count on."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from refrank.trees import splitting
from refrank.trees.bins.binning import bin_features
from refrank.trees.engine import Engine
from tests import strategies as inputs
from tests.strategies.igbrt import deep_cases

QUICK = settings(max_examples=300, phases=[Phase.generate], suppress_health_check=list(HealthCheck), derandomize=True)


def merges_bins(case):
    bins = bin_features(case.X, case.n_bins, engine=Engine(splitting))
    return any(1 < len(cuts) + 1 < len(np.unique(case.X[:, f])) for f, cuts in enumerate(bins.cuts))


def cuts_three_ways(case):
    """A node parts the rows that miss a feature, and its child cuts the others on the same feature."""
    tree = case.grow()
    parting = np.flatnonzero((tree.feature >= 0) & np.isinf(tree.cut))
    return case.flags and (tree.feature[tree.left[parting]] == tree.feature[parting]).any()


RARE = {
    inputs.features(): {
        "float32": lambda X: X.dtype == np.float32,
        "float64": lambda X: X.dtype == np.float64,
        "F-order": lambda X: X.flags.f_contiguous and not X.flags.c_contiguous,
        "C-order": lambda X: X.flags.c_contiguous and not X.flags.f_contiguous,
        "one-row": lambda X: X.shape[0] == 1,
        "two-groups": lambda X: X.shape[1] > 8,
        "constant": lambda X: len(X) > 3 and any(len(np.unique(column)) == 1 for column in X.T),
        "ties": lambda X: any(1 < len(np.unique(column)) < len(column) for column in X.T),
        "tiny": lambda X: any(0 < np.ptp(column) < 1e-8 for column in X.T.astype(float)),
        "huge": lambda X: any(np.ptp(column) > 1e25 for column in X.T.astype(float)),
        "both-zeros": lambda X: np.signbit(X[X == 0]).any() and not np.signbit(X[X == 0]).all(),
        "neighbours": lambda X: any(np.isin(np.nextafter(x, X.dtype.type(np.inf)), x).any() for x in X.T),
        "at-the-end": lambda X: any(np.isin(column + 1e-8, column).any() for column in X.T.astype(float)),
        "length-lost": lambda X: any((column + 1e-8 == column).any() for column in X.T.astype(float)),
        "repeated-rows": lambda X: len(X) > len(np.unique(X, axis=0)) > 1,
    },
    inputs.labels(12, 5): {
        "none-of-the-first-class": lambda y: 0 not in y,
        "none-of-the-last": lambda y: 4 not in y,
        "none-between": lambda y: 0 in y and 4 in y and 2 not in y,
        "every-class": lambda y: len(set(y)) == 5,
    },
    inputs.weights(9): {
        "no-weights": lambda w: w is None,
        "ones": lambda w: w is not None and (w == 1).all(),
        "some-zero": lambda w: w is not None and (w == 0).any() and (w > 0).sum() > 1,
        "one-positive": lambda w: w is not None and (w > 0).sum() == 1,
        "fractions": lambda w: w is not None and (w % 1 != 0).any(),
        "all-scales": lambda w: w is not None and w.max() / w[w > 0].min() > 1e20,
    },
    inputs.residuals(9): {
        "zero": lambda r: not r.any(),
        "minus-zero": lambda r: np.signbit(r[r == 0]).any(),
        "equal": lambda r: r.any() and (r == r[0]).all(),
        "signs": lambda r: set(r.tolist()) == {-1.0, 1.0},
        "tiny": lambda r: 0 < np.abs(r).max() < 1e-307,
        "huge": lambda r: np.abs(r).max() > 1e265,
        "one-large": lambda r: math.frexp(np.abs(r).max())[1] > 30 and np.abs(r[1:]).max() < 10,
    },
    inputs.qids(4): {
        one.__name__: lambda ids, one=one: isinstance(ids[0], one) for one in (int, str, float, bytes, tuple)
    },
    inputs.binned_cases(): {
        "one-byte": lambda case: case.codes.dtype == np.uint8 and case.n_features > 16,
        "two-bytes": lambda case: case.codes.dtype == np.uint16 and case.codes.max() > 60_000,
        "one-row": lambda case: case.n_samples == 1,
        "some-rows": lambda case: 1 < len(case.rows) < case.n_samples,
        "last-bin-empty": lambda case: max(inputs.columns_of(case)[0]) + 1 < case.offsets[1],
        "one-bin": lambda case: case.offsets[1] == 1,
    },
    inputs.tree_cases(): {
        "one-row": lambda case: len(case.X) == 1,
        "no-cut-fits": lambda case: case.min_samples_leaf > len(case.X),
        "some-weight-0": lambda case: case.weight is not None and (case.weight == 0).any(),
        "merged-bins": merges_bins,
    },
    deep_cases(): {"cuts-three-ways": cuts_three_ways},
    inputs.ranking_cases(): {
        "empty-class": lambda case: len(set(case.y.tolist())) < case.n_classes,
        "two-classes": lambda case: case.n_classes == 2,
    },
}


@pytest.mark.parametrize(
    ("strategy", "condition"),
    [pytest.param(drawn, holds, id=name) for drawn, conditions in RARE.items() for name, holds in conditions.items()],
)
def test_rare_inputs_occur(strategy, condition):
    find(strategy, condition, settings=QUICK)  # raises NoSuchExample where 300 draws bring none


@given(inputs.features())
def test_features_are_finite_and_not_empty(X):
    assert np.isfinite(X).all()
    assert X.size > 0


@given(st.integers(2, 6).flatmap(lambda n: inputs.labels(8, n).map(lambda y: (y, n))))
def test_labels_are_of_two_classes_at_least(drawn):
    y, n_classes = drawn
    assert len(set(y.tolist())) >= 2
    assert 0 <= y.min() <= y.max() < n_classes


@given(st.integers(1, 9).flatmap(inputs.weights))
def test_some_weight_is_above_zero_and_none_below(weight):
    assert weight is None or (weight.any() and (weight >= 0).all() and np.isfinite(weight).all())
