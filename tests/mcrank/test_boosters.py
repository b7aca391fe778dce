"""Properties of every boosting algorithm of `refrank.mcrank`, and which changes change no bit of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees import splitting
from refrank.trees.engine import DEFAULT_SPLITTER, Engine
from tests.mcrank.boosters import BOOSTERS, fixed_case
from tests.strategies import THREADS, ranking_cases, rng_of, weights

pytestmark = pytest.mark.kernel

boosters = pytest.mark.parametrize("booster", BOOSTERS.values(), ids=BOOSTERS)


@boosters
@given(case=ranking_cases(), n_threads=THREADS, data=st.data())
def test_kernel_and_specification_learn_the_same(kernel, booster, case, n_threads, data):
    weight = data.draw(weights(len(case.y), ("none", "whole", "with zeros", "any")))
    ours = booster(case, weight=weight, engine=Engine(splitting))
    assert ours.last == booster(case, weight=weight, engine=Engine(kernel, n_threads)).last


@boosters
@given(case=ranking_cases(), data=st.data(), power=st.integers(-90, 90))
def test_a_power_of_two_on_every_weight_changes_no_bit(booster, case, data, power):
    weight = data.draw(weights(len(case.y), ("whole", "with zeros", "any")))
    assert booster(case, weight=weight).last == booster(case, weight=np.ldexp(weight, power)).last


@boosters
@given(case=ranking_cases(), n_threads=THREADS, data=st.data())
def test_predictions_of_training_rows_are_what_was_learned_of_them_to_the_bit(booster, case, n_threads, data):
    boosted = booster(case, weight=data.draw(weights(len(case.y), ("none", "with zeros", "any"))))
    for every, stages in ((1, boosted.states), (2, boosted.states[1:]), (9, boosted.states[2:])):
        staged = boosted.ensemble.staged_scores(case.X, Engine(DEFAULT_SPLITTER, n_threads), every)
        for scores, state in zip(staged, stages, strict=True):
            assert booster.finish(scores, case).tobytes("C") == state.tobytes("C")


@pytest.mark.parametrize("name", [name for name in BOOSTERS if name != "LambdaMART"])  # two rows make more pairs
def test_a_row_of_weight_two_is_that_row_twice(name):
    """Exact where the first tree starts: p is 1/K, a power of two, or a half, and a mean of integers is one division.

    Later residuals round on grids that differ by a few steps. Tolerance 1e-11: as for the letter of the algorithms,
    with weights up to 3. The signs and medians of "lad" are exact throughout.
    """
    case = fixed_case(n_classes=4)
    weight = rng_of(1).integers(1, 4, len(case.y)).astype(np.float64)
    rows = np.repeat(np.arange(len(case.y)), weight.astype(int))
    weighed, twice = BOOSTERS[name](case, 6, weight=weight), BOOSTERS[name](case.take(rows), 6)
    if weighed.start is not None:
        np.testing.assert_array_equal(weighed.start[rows], twice.start)
    else:
        per_start = {"softmax, sequential": 4, "ordinal, sequential": 2}.get(name, 1)  # of these, the first sees 1/K
        for tree, same in list(zip(weighed.trees[0], twice.trees[0], strict=True))[::per_start]:
            np.testing.assert_array_equal(tree.value, same.value)
    atol = 0 if name == "lad" else 1e-11
    np.testing.assert_allclose(weighed.states[-1][rows], twice.states[-1], rtol=0, atol=atol)


@boosters
def test_rounds_are_numbered_and_later_rounds_leave_earlier_trees_and_the_start_alone(booster):
    case = fixed_case()
    turns = booster.turns(case, case.grower(), 3, 0.1, None)
    numbers, kept = [], []
    for turn in turns:
        numbers.append(turn.number)
        with pytest.raises(ValueError, match="read-only"):
            booster.state(turn)[0] = 1.0
        arrays = [tree.value for tree in booster.trees(turn)] if turn.number else [booster.state(turn)]
        kept += [(array, array.copy()) for array in arrays]
    assert numbers in ([1, 2, 3], [0, 1, 2, 3])
    for array, copy in kept:
        np.testing.assert_array_equal(array, copy)
