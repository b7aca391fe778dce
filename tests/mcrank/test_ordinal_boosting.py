"""`refrank.mcrank.ordinal_boosting`: Section 4, its two forms of the binary problem, and the negative p_k of Eq. 8."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.datasets import cubic_polynomial
from refrank.mcrank import ordinal_boosting as ordinal
from refrank.mcrank.softmax_boosting import softmax_boosting_simultaneous
from tests.mcrank.boosters import BINARY, binaries, fixed_case, oracle_tree, ordinal_booster
from tests.oracles import mcrank as naive_mcrank
from tests.oracles.exponential import exp
from tests.strategies import ENGINE, SEEDS, RankingCase, ranking_cases, rng_of

pytestmark = pytest.mark.kernel


def boost(case: RankingCase, binary: str, n_rounds=3):
    """Return the trees of all rounds, problem by problem, and Pr(y <= k) of the last."""
    turns = ordinal.ordinal_boosting(case.y, case.n_classes, case.grower(), n_rounds, 0.1, binary=BINARY[binary])
    *rounds, last = turns
    return [turn.trees for turn in (*rounds, last)], last.cumulative_proba


@pytest.mark.paper("McRank Sec. 4", at="binary_sequential")
@pytest.mark.paper("McRank Sec. 4", at="ordinal_boosting")
@binaries
@given(case=ranking_cases(max_samples=14), learning_rate=st.sampled_from([1.0, 0.1]))
def test_cumulative_proba_equals_the_transcription_of_section_4(binary, case, learning_rate):
    learned = ordinal_booster(binary)(case, 2, learning_rate).states[-1]
    settings = case.y.tolist(), case.n_classes, 2, learning_rate, oracle_tree(case), exp
    expected = naive_mcrank.section_4(*settings, sequential=binary == "sequential")
    assert learned.tolist() == expected


@binaries
@given(case=ranking_cases())
def test_each_problem_is_learned_by_itself_or_is_a_constant_without_trees(binary, case):
    trees, cumulative_proba = boost(case, binary)
    constants = ordinal.find_one_sided_constants(case.y, case.n_classes)
    assert {len(of_round) for of_round in trees} == {len(constants)} == {case.n_classes - 1}
    for k, constant in enumerate(constants):
        above = (case.y > k).astype(np.int64)
        if above.min() == above.max():
            assert constant == 1.0 - above[0]
            assert (cumulative_proba[:, k] == constant).all()
            assert [of_round[k] for of_round in trees] == [(), (), ()]
        else:
            assert constant is None
            alone = RankingCase(case.X, above, 2, case.n_leaves, case.n_bins)
            assert boost(alone, binary)[1][:, 0].tolist() == cumulative_proba[:, k].tolist()
            assert [len(of_round[k]) for of_round in trees] == [2 if binary == "sequential" else 1] * 3


# --- the mirror: why the simultaneous update grows one tree per problem ----------------------------------------------


@pytest.mark.paper("McRank Sec. 4", at="boost_problems")
@given(ranking_cases(n_classes=st.just(2)))
def test_in_round_one_the_second_tree_is_the_mirror_of_the_first_to_the_bit(case):
    """Both p are 1/2, so the residuals are each other with the sign turned, and rint is odd."""
    two = next(softmax_boosting_simultaneous(case.y, 2, case.grower(), 1, 0.1))
    (mirrored,) = next(ordinal.binary_mirrored([case.y], case.grower(), 1, 0.1, None))
    first, second = two.trees
    for name in ("feature", "bin", "cut", "left", "right", "split_gain", "n_node_samples"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    np.testing.assert_array_equal(first.value, -second.value)
    np.testing.assert_array_equal(first.value, mirrored.trees[0].value)
    np.testing.assert_array_equal(two.scores, mirrored.scores)


@pytest.mark.parametrize("seed", range(5))
def test_later_mirrors_are_near(seed):
    """From round two on p_0 + p_1 is 1 only to within 2**-53, so the second residual is the mirror to within as much.

    Hence closeness, not equality: atol 1e-12 is some thousand times 2**-53, for steps below 1 over ten rounds. On data
    with cuts that tie to within as much, the two trees of a round may differ altogether.
    """
    case = fixed_case(n_classes=2, seed=seed)
    *_, two = softmax_boosting_simultaneous(case.y, 2, case.grower(), 10, 0.1)
    *_, (mirrored,) = ordinal.binary_mirrored([case.y], case.grower(), 10, 0.1, None)
    np.testing.assert_allclose(two.scores, mirrored.scores, rtol=0, atol=1e-12)
    np.testing.assert_allclose(two.scores[:, 1], -two.scores[:, 0], rtol=0, atol=1e-12)
    assert (mirrored.scores[:, 1] == -mirrored.scores[:, 0]).all()


# --- Eq. 8 -----------------------------------------------------------------------------------------------------------


@pytest.mark.paper("McRank Eq. 8")
@pytest.mark.paper("iGBRT Sec. 6", at="class_proba")
@given(st.integers(1, 20), st.integers(2, 7), SEEDS)
def test_class_proba_equals_equation_8(n_samples, n_classes, seed):
    cumulative_proba = rng_of(seed).uniform(-0.2, 1.2, (n_samples, n_classes - 1))
    proba = ordinal.class_proba(cumulative_proba)
    assert proba.tolist() == [naive_mcrank.equation_8(row) for row in cumulative_proba.tolist()]


def test_negative_class_probabilities_do_occur():
    """Nothing in Sec. 4 holds Pr(y <= k) >= Pr(y <= k - 1): in some rows that boosting has not seen, they cross."""
    train, test = (cubic_polynomial(40, n_features=10, random_state=seed) for seed in (0, 1))
    case, booster = RankingCase(train.X, train.y.astype(np.int64), 5, 10, 256), ordinal_booster("sequential")
    proba = ordinal.class_proba(booster.finish(booster(case, 30).ensemble.scores(test.X, ENGINE), case))
    crossed = (proba < 0).any(axis=1)
    assert 0 < crossed.mean() < 0.9
    assert proba.min() < -1e-3  # no matter of rounding
    # Each p_k rounds by 2**-53 at most; five of them add up to 1 to within ten times that.
    np.testing.assert_allclose([math.fsum(row) for row in proba.tolist()], 1.0, rtol=0, atol=10 * 2**-53)
