"""Contributions add up to the score in every bit, and are those of a literal walk down the trees."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression

from refrank import COCRRanker, GBRTRanker, LambdaRanker, LSBoostRanker, RandomForestRanker, SoftmaxBoostRanker
from refrank.inspection.contributions import add_up, compute_contributions
from refrank.inspection.node_values import average_leaves
from refrank.inspection.weights import weigh_cumulative, weigh_ordinal, weigh_softmax
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.mcrank.ordinal_boosting import class_proba, cumulative_proba_of
from refrank.mcrank.softmax_boosting import softmax
from refrank.models.exchange.lightgbm import write
from refrank.models.exchange.lightgbm_reader import read
from refrank.models.exchange.packing import make_portable
from tests.estimators.cases import X, Y, each, fit, small, which
from tests.strategies import rng_of

IN_SUMS = which(lambda ranker: not {"n_epochs", "base"} & {*ranker.get_params()})
IN_SUMS |= {"cocr over gbrt": lambda: COCRRanker(small(GBRTRanker)), "few": lambda: small(LSBoostRanker, n_leaves=2)}
IN_SUMS |= {"clip": lambda: small(GBRTRanker, setting="classification", clip=True, learning_rate=1.0)}


def adds_up(table, scores):
    return [math.fsum(row) for row in table.tolist()] == scores.tolist()


@each(IN_SUMS)
def test_contributions_add_up_to_the_score_in_every_bit(make):
    ranker = fit(make())
    table = ranker.contributions(X)
    assert table.shape == (len(X), 7)
    assert adds_up(table, ranker.predict(X))
    assert np.ptp(table[:, -2]) < 1e-13  # the base, up to rounding
    assert (np.abs(table[:, -1]) <= 2.0**-51 * np.abs(table).sum(axis=1)).all()
    assert np.array_equal(table[7:9], ranker.contributions(X[7:9]))  # whatever the other rows are
    unused = ranker.feature_importances_ == 0
    assert not table[:, :-2][:, unused].any()


def mean_below(tree, node):
    """The mean of the leaves below a node, by their rows, as a fraction."""
    if tree.feature[node] < 0:
        return Fraction(float(tree.value[node]))
    sides = [(mean_below(tree, side[node]), int(tree.n_node_samples[side[node]])) for side in (tree.left, tree.right)]
    return sum(mean * n for mean, n in sides) / sum(n for _, n in sides)


def walk(tree, row):
    """The root's value, and the move of each cut on the way of a row."""
    node, moves = 0, []
    while tree.feature[node] >= 0:
        goes_left = row[tree.feature[node]] < tree.cut[node]
        child = int((tree.left if goes_left else tree.right)[node])
        moves.append((int(tree.feature[node]), mean_below(tree, child) - mean_below(tree, node)))
        node = child
    return mean_below(tree, 0), moves


@pytest.mark.parametrize("Ranker", [LSBoostRanker, GBRTRanker, RandomForestRanker])
def test_contributions_are_those_of_a_literal_walk(Ranker):
    ranker = small(Ranker).fit(X, Y)
    model = ranker.model_
    factor = Fraction(model.learning_rate) / (len(model.rounds) if Ranker is RandomForestRanker else 1)
    for row, contributions in zip(X[:20], ranker.contributions(X[:20]), strict=True):
        parts, base = [Fraction(0)] * 5, Fraction(model.initial[0])
        for (tree,) in model.rounds:
            root, moves = walk(tree, row)
            base += factor * root
            for feature, move in moves:
                parts[feature] += factor * move
        np.testing.assert_allclose(contributions[:-1], [*map(float, parts), float(base)], rtol=1e-12, atol=1e-14)


def test_missing_entries_go_where_their_substitutes_go():
    holes = np.where(rng_of(1).random(X.shape) < 0.3, np.nan, X)
    for missing in ("three-way", "median"):
        ranker = small(GBRTRanker, missing=missing).fit(holes, Y)
        assert adds_up(ranker.contributions(holes), ranker.predict(holes))
        imported = read(write(make_portable(ranker)).decode())
        table = imported.contributions(holes)
        assert adds_up(table, imported.predict(holes))
        np.testing.assert_allclose(table, ranker.contributions(holes), atol=1e-12)


def test_an_imported_softmax_has_the_same_contributions():
    ranker = small(SoftmaxBoostRanker).fit(X, Y)
    imported = read(write(make_portable(ranker)).decode())
    np.testing.assert_allclose(imported.contributions(X), ranker.contributions(X), atol=1e-12)


@given(st.lists(st.lists(st.floats(-1e290, 1e290), min_size=3, max_size=3), min_size=1, max_size=3), st.booleans())
@example([[0.001, -0.901, 5e-324]], False)
@example([[1e290, -1e290, 1e-290]], False)
def test_any_parts_add_up_to_any_score(rows, near):
    """Where the parts and the base are near the score, and where they are far from it."""
    rows = np.array(rows)
    parts, scores = rows[:, :2], rows[:, 2]
    if near:
        scores = parts.sum(axis=1) * (1 + 2.0**-40)
    table = add_up(parts, scores)
    assert [math.fsum(row) for row in table.tolist()] == scores.tolist()
    sizes = np.abs(parts).sum(axis=1) + np.abs(scores)
    assert (np.abs(table[:, :2] - parts) <= np.maximum(sizes * 2.0**-51, 5e-324)[:, np.newaxis]).all()


outputs = st.lists(st.floats(-800, 800), min_size=4, max_size=4).map(np.array)


def check_exact(weigh, score, base, F):
    """Weighed changes of the outputs are the change of the score."""
    weights = weigh(base, F[np.newaxis])
    change = score(F[np.newaxis])[0] - score(base[np.newaxis])[0]
    moved = (weights * (F - base)).sum()
    assert moved == pytest.approx(change, abs=1e-12 * (1 + (np.abs(weights) * np.abs(F - base)).sum()))
    return weights


@given(outputs, outputs)
def test_weights_of_a_softmax_are_exact(base, F):
    T = np.array([0.0, 1.0, 3.0, 7.0])
    weights = check_exact(lambda *at: weigh_softmax(*at, T), lambda F: expected_relevance(softmax(F), T), base, F)
    assert abs(weights.sum()) < 1e-14 * 7
    back = weigh_softmax(F, base[np.newaxis], T)
    np.testing.assert_allclose(weights, back, rtol=1e-12, atol=1e-300)


@given(outputs, outputs, st.booleans())
def test_weights_of_ordinal_problems_are_exact(base, F, mirrored):
    T, constants = np.array([0.0, 1.0, 3.0, 7.0]), (None, 1.0, None)
    base, F = (base[:2], F[:2]) if mirrored else (base, F)
    score = lambda F: expected_relevance(class_proba(cumulative_proba_of(F, constants)), T)  # noqa: E731
    check_exact(lambda *at: weigh_ordinal(*at, constants, T), score, base, F)


@given(st.lists(st.floats(-3, 3), min_size=6, max_size=6).map(np.array), st.booleans())
def test_weights_of_cumulative_problems_are_exact(values, clip):
    score = lambda P: expected_relevance(class_proba(np.clip(P, 0, 1) if clip else P))  # noqa: E731
    check_exact(lambda *at: weigh_cumulative(*at, clip), score, values[:3], values[3:])


def test_weights_of_probabilities_at_the_base():
    values = np.array([0.5, 2.0])
    assert weigh_cumulative(values, values[np.newaxis], clip=True).tolist() == [[-1.0, 0.0]]


def test_weights_near_the_base_are_the_derivative():
    base, T, h = np.array([0.5, -1.0, 2.0]), np.array([0.0, 1.0, 3.0]), 1e-5
    moved = base + h * np.array([1.0, -2.0, 0.5])
    p = softmax(base[np.newaxis])[0]
    np.testing.assert_allclose(weigh_softmax(base, moved[np.newaxis], T)[0], p * (T - p @ T), atol=1e-4)


def test_uncounted_rows_weigh_the_sides_alike():
    tree = small(LSBoostRanker).fit(X, Y).model_.rounds[0][0]
    counted = average_leaves(tree)
    assert counted[0] == pytest.approx(float(mean_below(tree, 0)))
    tree.n_node_samples[:] = 0
    left, right = tree.left[0], tree.right[0]
    uncounted = average_leaves(tree)
    assert uncounted[0] == pytest.approx((uncounted[left] + uncounted[right]) / 2)
    assert uncounted[0] != 0


def test_blocks_of_rows_change_nothing(monkeypatch):
    ranker = small(SoftmaxBoostRanker).fit(X, Y)
    whole = ranker.contributions(X)
    monkeypatch.setattr("refrank.inspection.contributions.BLOCK", 7 * 4 * 5)
    assert np.array_equal(ranker.contributions(X), whole)
    nothing = compute_contributions(ranker.list_sums(), X[:0], np.empty(0), lambda base, F: np.ones_like(F))
    assert nothing.shape == (0, 7)


REFUSED = {
    "LambdaRanker is not a sum of trees: refrank.inspection.permutation_importance": small(LambdaRanker),
    "COCR over LinearRegression is not a sum of trees": COCRRanker(LinearRegression()),
    "clip is 'each-round': it must be True or False": small(GBRTRanker, setting="classification", clip="each-round"),
}


@pytest.mark.parametrize(("sentence", "ranker"), REFUSED.items())
def test_other_rankers_are_refused(sentence, ranker):
    with pytest.raises(ValueError, match=sentence):
        fit(ranker).contributions(X)


def test_shap_values_of_the_exported_model_have_the_same_total():
    lightgbm = pytest.importorskip("lightgbm")
    ranker = small(LSBoostRanker).fit(X, Y)
    booster = lightgbm.Booster(model_str=write(make_portable(ranker)).decode())
    values, ours = booster.predict(X, pred_contrib=True), ranker.contributions(X)
    np.testing.assert_allclose(values.sum(axis=1), ranker.predict(X), rtol=1e-12)
    np.testing.assert_allclose(values[:, -1], ours[:, -2], rtol=1e-12)  # the base values
