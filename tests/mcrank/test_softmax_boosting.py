"""`refrank.mcrank.softmax_boosting`: Algorithm 1, equal to its transcription and to itself however it is computed."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.mcrank import softmax_boosting as module
from refrank.mcrank.softmax_boosting import (
    SoftmaxModel,
    class_proba,
    exponential,
    softmax,
    softmax_boosting_sequential,
    softmax_boosting_simultaneous,
)
from refrank.trees import splitting
from refrank.trees.binning import bin_features
from refrank.trees.engine import DEFAULT_SPLITTER
from refrank.trees.growth import grow_best_first
from tests.oracles import mcrank as naive_mcrank
from tests.strategies import SEEDS, THREADS, RankingCase, columns_of, ranking_cases, rng_of, weights

pytestmark = pytest.mark.kernel

UPDATES = {"sequential": softmax_boosting_sequential, "simultaneous": softmax_boosting_simultaneous}
update = pytest.mark.parametrize("boosting", UPDATES.values(), ids=UPDATES)


def grower(case: RankingCase, splitter=DEFAULT_SPLITTER, n_threads: int = 1):
    binned = bin_features(case.X, case.n_bins, splitter=splitter)
    return partial(grow_best_first, binned, n_leaves=case.n_leaves, splitter=splitter, n_threads=n_threads)


def oracle_tree(case: RankingCase) -> naive_mcrank.Regions:
    return naive_mcrank.regions(columns_of(bin_features(case.X, case.n_bins, splitter=splitting)), case.n_leaves)


def numpy_exp(x: float) -> float:
    """Compute exp as NumPy does; math.exp may differ in the last bit. All that oracles take from NumPy."""
    return float(np.exp(np.array([x]))[0])


def boost(case: RankingCase, boosting, n_rounds=3, learning_rate=0.1, weight=None, **grow_arguments):
    """Return the trees of all rounds, and F."""
    grow = grower(case, **grow_arguments)
    *rounds, last = boosting(case.y, case.n_classes, grow, n_rounds, learning_rate, weight)
    return [turn.trees for turn in (*rounds, last)], last.scores


def fixed_case(n_samples=80, n_classes=4, seed=3) -> RankingCase:
    """Data without near-ties: labels follow two of three features, with noise."""
    rng = rng_of(seed)
    X = rng.normal(size=(n_samples, 3))
    y = np.clip(np.rint(X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.3 * rng.normal(size=n_samples) + 1), 0, n_classes - 1)
    return RankingCase(X, y.astype(np.int64), n_classes, n_leaves=5, n_bins=256)


# --- the algorithm ---------------------------------------------------------------------------------------------------


@update
@given(case=ranking_cases(max_samples=14), learning_rate=st.sampled_from([1.0, 0.1, 0.05]))
def test_scores_equal_the_transcription_of_algorithm_1(boosting, case, learning_rate):
    _, scores = boost(case, boosting, n_rounds=2, learning_rate=learning_rate)
    sequential = boosting is softmax_boosting_sequential
    expected = naive_mcrank.algorithm_1(
        case.y.tolist(), case.n_classes, 2, learning_rate, oracle_tree(case), numpy_exp, sequential=sequential
    )
    assert scores.tolist() == expected


@update
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_scores_are_near_the_letter_of_algorithm_1(boosting, seed):
    """Line 4 without taking the largest F off, math.exp, and sums without a grid.

    Tolerance 1e-12: a residual of size 1 moves by 2**(L - 53), 1e-14, on the grid; five rounds of steps below 1 add to
    less than a hundred times that. The data have no cuts that tie to within as much, or the trees would differ.
    """
    case = fixed_case(n_samples=40, seed=seed)
    _, scores = boost(case, boosting, n_rounds=5)
    expected = naive_mcrank.algorithm_1(
        case.y.tolist(),
        case.n_classes,
        5,
        0.1,
        oracle_tree(case),
        math.exp,
        sequential=boosting is softmax_boosting_sequential,
        total=naive_mcrank.plain_total,
        line_4=naive_mcrank.softmax_as_printed,
    )
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-12)


def test_the_two_updates_part_at_the_second_class_of_the_first_round():
    case = fixed_case()
    (one, *_), _ = boost(case, softmax_boosting_sequential, n_rounds=1)
    (other, *_), _ = boost(case, softmax_boosting_simultaneous, n_rounds=1)
    np.testing.assert_array_equal(one[0].value, other[0].value)
    assert one[1].value.tolist() != other[1].value.tolist()


@update
def test_rounds_are_numbered_and_later_rounds_leave_earlier_trees_alone(boosting):
    case = fixed_case()
    turns = boosting(case.y, case.n_classes, grower(case), 3, 0.1)
    first = next(turns)
    before = [tree.value.copy() for tree in first.trees]
    numbers = [first.number, *(turn.number for turn in turns)]
    assert numbers == [1, 2, 3]
    for tree, value in zip(first.trees, before, strict=True):
        np.testing.assert_array_equal(tree.value, value)
    with pytest.raises(ValueError, match="read-only"):
        first.scores[0, 0] = 1.0


@update
@given(case=ranking_cases())
def test_a_class_without_rows_gets_trees_that_only_lower_it(boosting, case):
    trees, _ = boost(case, boosting, n_rounds=2)
    for k in set(range(case.n_classes)) - set(case.y.tolist()):
        for of_round in trees:
            assert (of_round[k].value <= 0).all()


def test_the_training_loss_falls_over_the_rounds():
    """It need not fall in every round: only the first and the last are compared, on data that can be learned."""
    case = fixed_case()
    rows = np.arange(len(case.y))
    for boosting in UPDATES.values():
        losses = [
            -math.fsum(np.log(softmax(turn.scores)[rows, case.y]))
            for turn in boosting(case.y, case.n_classes, grower(case), 30, 0.1)
        ]
        assert losses[-1] < losses[0] / 2 < len(rows) * math.log(case.n_classes) / 2


# --- what changes no bit ---------------------------------------------------------------------------------------------


@update
@given(case=ranking_cases(), seed=SEEDS)
def test_the_order_of_rows_changes_no_bit(boosting, case, seed):
    rows = rng_of(seed).permutation(len(case.y))
    other = RankingCase(case.X[rows], case.y[rows], case.n_classes, case.n_leaves, case.n_bins)
    assert boost(case, boosting)[1][rows].tobytes() == boost(other, boosting)[1].tobytes()


@update
@given(case=ranking_cases(), n_threads=THREADS, data=st.data())
def test_kernel_and_specification_give_the_same_scores(kernel, boosting, case, n_threads, data):
    weight = data.draw(weights(len(case.y), ("none", "whole", "with zeros", "any")))
    ours = boost(case, boosting, weight=weight, splitter=splitting)[1]
    theirs = boost(case, boosting, weight=weight, splitter=kernel, n_threads=n_threads)[1]
    assert ours.tobytes() == theirs.tobytes()


@update
@given(case=ranking_cases())
def test_weights_of_one_change_no_bit(boosting, case):
    bare, weighed = boost(case, boosting)[1], boost(case, boosting, weight=np.ones(len(case.y)))[1]
    assert bare.tobytes() == weighed.tobytes()


@update
@given(case=ranking_cases(), data=st.data(), power=st.integers(-90, 90))
def test_a_power_of_two_on_every_weight_changes_no_bit(boosting, case, data, power):
    weight = data.draw(weights(len(case.y), ("whole", "with zeros", "any")))
    one, other = (boost(case, boosting, weight=w)[1] for w in (weight, np.ldexp(weight, power)))
    assert one.tobytes() == other.tobytes()


@update
def test_a_row_of_weight_two_is_that_row_twice(boosting):
    """Exact in the first tree where 1/K is a power of two; later residuals round on grids that differ by a few steps.

    Tolerance 1e-11: as for the letter of Algorithm 1, with weights up to 3.
    """
    case = fixed_case(n_classes=4)
    weight = rng_of(1).integers(1, 4, len(case.y)).astype(np.float64)
    rows = np.repeat(np.arange(len(case.y)), weight.astype(int))
    repeated = RankingCase(case.X[rows], case.y[rows], case.n_classes, case.n_leaves, case.n_bins)
    trees, scores = boost(case, boosting, n_rounds=6, weight=weight)
    other_trees, other_scores = boost(repeated, boosting, n_rounds=6)
    np.testing.assert_array_equal(trees[0][0].value, other_trees[0][0].value)
    np.testing.assert_allclose(scores[rows], other_scores, rtol=0, atol=1e-11)


@update
@given(case=ranking_cases(), n_threads=THREADS, data=st.data())
def test_predictions_of_training_rows_are_training_scores_to_the_bit(boosting, case, n_threads, data):
    weight = data.draw(weights(len(case.y), ("none", "with zeros", "any")))
    trees, scores = boost(case, boosting, weight=weight)
    model = SoftmaxModel(tuple(trees), case.n_classes, 0.1)
    assert model.scores(case.X, DEFAULT_SPLITTER, n_threads).tobytes() == scores.tobytes()
    staged = [F.copy() for F in model.staged_scores(case.X, DEFAULT_SPLITTER, n_threads)]
    grow = grower(case)
    for F, turn in zip(staged, boosting(case.y, case.n_classes, grow, 3, 0.1, weight), strict=True):
        assert F.tobytes() == turn.scores.tobytes()
    every_second = [F.copy() for F in model.staged_scores(case.X, DEFAULT_SPLITTER, n_threads, every=2)]
    assert [F.tobytes() for F in every_second] == [staged[1].tobytes(), staged[2].tobytes()]


def test_blocks_of_rows_change_no_bit(monkeypatch):
    case = fixed_case(n_samples=101)
    whole = boost(case, softmax_boosting_sequential)[1]
    monkeypatch.setattr(module, "BLOCK", 7)
    assert boost(case, softmax_boosting_sequential)[1].tobytes() == whole.tobytes()


# --- softmax ---------------------------------------------------------------------------------------------------------


@given(st.integers(1, 70), st.integers(2, 6), st.sampled_from([0.1, 3.0, 300.0, 1e5]), SEEDS, st.sampled_from("CF"))
def test_softmax_equals_the_definition_row_by_row(n_samples, n_classes, scale, seed, order):
    scores = np.array(rng_of(seed).normal(scale=scale, size=(n_samples, n_classes)), order=order)
    proba = softmax(scores)
    for i in range(n_samples):
        assert proba[i].tolist() == naive_mcrank.softmax(scores[i].tolist(), numpy_exp)
    for k in range(n_classes):
        assert class_proba(scores, k).tobytes() == np.ascontiguousarray(proba[:, k]).tobytes()
    # Each entry rounds by 2**-53 of itself or so (exp by 1 ulp, K - 1 additions, one division).
    np.testing.assert_allclose([math.fsum(row) for row in proba.tolist()], 1.0, rtol=0, atol=(n_classes + 2) * 2**-52)


def test_softmax_is_near_the_printed_line_4():
    """Relative tolerance 1e-14: a difference F - highest of size 10 rounds by 1e-15, and exp passes that on."""
    scores = rng_of(4).normal(scale=3.0, size=(50, 5))
    expected = [naive_mcrank.softmax_as_printed(row, math.exp) for row in scores.tolist()]
    np.testing.assert_allclose(softmax(scores), expected, rtol=1e-14, atol=0)


def test_exp_has_the_same_bits_wherever_a_number_stands():
    """What lets rows be computed in blocks, in any order, alone or together."""
    x = -np.abs(rng_of(5).normal(scale=20.0, size=203))
    whole = exponential(x)
    for i in range(len(x)):
        assert exponential(x[i:])[0] == exponential(x[: i + 1])[-1] == exponential(x[i : i + 1])[0] == whole[i]


@update
def test_separable_data_stay_finite_over_many_large_steps(boosting):
    """Probabilities reach 0 and 1: denominators become 0, and their leaves have value 0."""
    case = RankingCase(np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 2, 2]), 3, 6, 256)
    _, scores = boost(case, boosting, n_rounds=300, learning_rate=1.0)
    assert np.isfinite(scores).all()
    assert softmax(scores).argmax(axis=1).tolist() == case.y.tolist()
