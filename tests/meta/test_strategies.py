"""The strategies of tests/strategies/__init__.py do reach the rare inputs that other tests count on."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from refrank.trees import splitting
from refrank.trees.binning import bin_features
from refrank.trees.engine import Engine
from tests import strategies as inputs
from tests.strategies.igbrt import deep_cases

QUICK = settings(max_examples=300, phases=[Phase.generate], suppress_health_check=list(HealthCheck), derandomize=True)


def reaches(strategy, condition) -> None:
    """Find an example: raises NoSuchExample where 300 draws bring none."""
    find(strategy, condition, settings=QUICK)


FEATURES = {
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
    "neighbours": lambda X: any(np.isin(np.nextafter(column, X.dtype.type(np.inf)), column).any() for column in X.T),
    "at-the-end": lambda X: any(np.isin(column + 1e-8, column).any() for column in X.T.astype(float)),
    "length-lost": lambda X: any((column + 1e-8 == column).any() for column in X.T.astype(float)),
    "repeated-rows": lambda X: len(X) > len(np.unique(X, axis=0)) > 1,
}


@pytest.mark.parametrize("condition", FEATURES.values(), ids=FEATURES)
def test_features_reach(condition):
    reaches(inputs.features(), condition)


@given(inputs.features())
def test_features_are_finite_and_not_empty(X):
    assert np.isfinite(X).all()
    assert X.size > 0


@pytest.mark.parametrize("kind", inputs.COLUMN_KINDS)
@given(st.data())
def test_every_column_fits_float32(kind, data):
    with np.errstate(over="raise"):
        assert np.isfinite(data.draw(inputs.columns(kinds=(kind,))).astype(np.float32)).all()


def test_labels_reach_empty_classes_at_the_ends_and_between():
    drawn = inputs.labels(12, 5)
    reaches(drawn, lambda y: 0 not in y)
    reaches(drawn, lambda y: 4 not in y)
    reaches(drawn, lambda y: 0 in y and 4 in y and 2 not in y)
    reaches(drawn, lambda y: len(set(y)) == 5)


@given(st.integers(2, 6).flatmap(lambda n: inputs.labels(8, n).map(lambda y: (y, n))))
def test_labels_are_of_two_classes_at_least(drawn):
    y, n_classes = drawn
    assert len(set(y.tolist())) >= 2
    assert 0 <= y.min() <= y.max() < n_classes


def test_weights_reach():
    reaches(inputs.weights(9), lambda w: w is None)
    reaches(inputs.weights(9), lambda w: w is not None and (w == 1).all())
    reaches(inputs.weights(9), lambda w: w is not None and (w == 0).any() and (w > 0).sum() > 1)
    reaches(inputs.weights(9), lambda w: w is not None and (w > 0).sum() == 1)
    reaches(inputs.weights(9), lambda w: w is not None and (w % 1 != 0).any())
    reaches(inputs.weights(9), lambda w: w is not None and w.max() / w[w > 0].min() > 1e20)


@given(st.integers(1, 9).flatmap(inputs.weights))
def test_some_weight_is_above_zero_and_none_below(weight):
    assert weight is None or (weight.any() and (weight >= 0).all() and np.isfinite(weight).all())


def test_residuals_reach():
    reaches(inputs.residuals(9), lambda r: not r.any())
    reaches(inputs.residuals(9), lambda r: np.signbit(r[r == 0]).any())
    reaches(inputs.residuals(9), lambda r: r.any() and (r == r[0]).all())
    reaches(inputs.residuals(9), lambda r: set(r.tolist()) == {-1.0, 1.0})  # "signs"
    reaches(inputs.residuals(9), lambda r: 0 < np.abs(r).max() < 1e-307)
    reaches(inputs.residuals(9), lambda r: np.abs(r).max() > 1e265)
    reaches(inputs.residuals(9), lambda r: math.frexp(np.abs(r).max())[1] > 30 and np.abs(r[1:]).max() < 10)


def test_query_ids_reach_every_type():
    for one in (int, str, float, bytes, tuple):
        reaches(inputs.qids(4), lambda ids, one=one: isinstance(ids[0], one))


def test_binned_cases_reach():
    drawn = inputs.binned_cases()
    reaches(drawn, lambda case: case.codes.dtype == np.uint8 and case.n_features > 16)
    reaches(drawn, lambda case: case.codes.dtype == np.uint16 and case.codes.max() > 60_000)
    reaches(drawn, lambda case: case.n_samples == 1)
    reaches(drawn, lambda case: 1 < len(case.rows) < case.n_samples)
    reaches(drawn, lambda case: max(inputs.columns_of(case)[0]) + 1 < case.offsets[1])  # the last bin is empty
    reaches(drawn, lambda case: case.offsets[1] == 1)


def test_tree_cases_reach():
    drawn = inputs.tree_cases()
    reaches(drawn, lambda case: len(case.X) == 1)
    reaches(drawn, lambda case: case.min_samples_leaf > len(case.X))
    reaches(drawn, lambda case: case.weight is not None and (case.weight == 0).any())

    def merged(case):
        bins = bin_features(case.X, case.n_bins, engine=Engine(splitting))
        return any(1 < len(cuts) + 1 < len(np.unique(case.X[:, f])) for f, cuts in enumerate(bins.cuts))

    reaches(drawn, merged)


def test_deep_cases_reach_cuts_three_ways():
    """A node that parts the rows that miss a feature, and a child that cuts the others on the same feature."""

    def cuts_three_ways(case):
        tree = case.grow()
        parting = np.flatnonzero((tree.feature >= 0) & np.isinf(tree.cut))
        return case.flags and (tree.feature[tree.left[parting]] == tree.feature[parting]).any()

    reaches(deep_cases(), cuts_three_ways)


def test_ranking_cases_reach():
    reaches(inputs.ranking_cases(), lambda case: len(set(case.y.tolist())) < case.n_classes)
    reaches(inputs.ranking_cases(), lambda case: case.n_classes == 2)
