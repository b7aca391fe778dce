"""`refrank.trees.model.ensemble`: a sum of trees per output, every prefix of which is one too."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees.model.ensemble import Ensemble, check_ensemble
from refrank.trees.model.tree import Tree, add_predictions
from tests.strategies import ENGINE, NORMAL, tree_cases

pytestmark = pytest.mark.kernel


@st.composite
def sums(draw):
    """An ensemble of a few trees, in any order, for several outputs that start anywhere; and rows to score."""
    case = draw(tree_cases(max_samples=12, residual_kinds=("dyadic", "normal")))
    trees = [replace(case, residual=case.residual * factor, n_leaves=n).grow()[0] for factor, n in ((1, 2), (-3, 5))]
    n_outputs, n_rounds = draw(st.integers(1, 3)), draw(st.integers(0, 5))
    of_round = st.tuples(*[st.sampled_from(trees)] * n_outputs)
    initial = draw(st.tuples(*[st.sampled_from([0.0, *NORMAL[:3].tolist()])] * n_outputs))
    rounds = draw(st.lists(of_round, min_size=n_rounds, max_size=n_rounds))
    return Ensemble(initial, tuple(rounds), draw(st.sampled_from([1.0, 0.1]))), case.X


@given(sums())
def test_each_output_is_its_start_and_its_trees_in_order(drawn):
    ensemble, X = drawn
    scores = ensemble.scores(X, ENGINE)
    assert scores.shape == (len(X), len(ensemble.initial))
    for c, start in enumerate(ensemble.initial):
        expected = np.full(len(X), start)
        for trees in ensemble.rounds:
            add_predictions([trees[c]], X, ensemble.learning_rate, expected, ENGINE)
        assert scores[:, c].tobytes() == expected.tobytes()


def make_leaf(**changed) -> Tree:
    """A tree of one node."""
    node = {"feature": -1, "bin": 0, "cut": 0.0, "left": 0, "right": 0, "split_gain": 0.0, "n_node_samples": 1}
    return Tree(**{name: np.array([entry]) for name, entry in (node | {"value": 0.0} | changed).items()})


FAULTS = {
    "split_gain": (0.0, (-5e-324, np.nan), "at least 0"),
    "n_node_samples": (0, (-1,), "at least 0"),
    "value": (-1e290, (-1.1e290, np.inf, np.nan), "finite, and at most 1e\\+290"),
    "cut": (-np.inf, (np.nan,), "not be NaN"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_numbers_of_nodes_are_checked(name):
    good, bad, rule = FAULTS[name]
    check_ensemble(Ensemble((0.0,), ((make_leaf(**{name: good}),),), 1.0), 1)
    for entry in bad:
        with pytest.raises(ValueError, match=f"{name} at row 0 is {re.escape(str(entry))}: it must .*{rule}"):
            check_ensemble(Ensemble((0.0,), ((make_leaf(**{name: entry}),),), 1.0), 1)


@pytest.mark.parametrize("n_trees", [1, 3])
def test_a_round_has_a_tree_per_output(n_trees):
    tree = make_leaf()
    check_ensemble(Ensemble((0.0, 0.0), ((tree, tree),), 1.0), 1)
    with pytest.raises(ValueError, match=rf"rounds\[1\] has {n_trees} trees: it must have 2, one per output"):
        check_ensemble(Ensemble((0.0, 0.0), ((tree, tree), (tree,) * n_trees), 1.0), 1)


@given(sums(), st.integers(1, 6))
def test_stages_are_shorter_ensembles_in_one_array(drawn, every):
    """Every so many rounds, and after the last; without rounds, the start of each output."""
    ensemble, X = drawn
    n_rounds, arrays = len(ensemble.rounds), []
    ends = [min(m, n_rounds) for m in range(every, n_rounds + every, every)] or [0]
    for scores, m in zip(ensemble.staged_scores(X, ENGINE, every), ends, strict=True):
        assert scores.tobytes("C") == replace(ensemble, rounds=ensemble.rounds[:m]).scores(X, ENGINE).tobytes("C")
        arrays.append(scores)
    assert all(scores is arrays[0] for scores in arrays)
