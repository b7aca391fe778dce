"""`refrank.trees.ensemble`: a sum of trees per output, every prefix of which is one too."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees.ensemble import Ensemble
from refrank.trees.tree import add_predictions
from tests.strategies import ENGINE, NORMAL, tree_cases

pytestmark = pytest.mark.kernel


@dataclass(frozen=True)
class Sum:
    """An ensemble, and rows to score."""

    ensemble: Ensemble
    X: np.ndarray

    def staged(self, every=1, engine=ENGINE) -> list[bytes]:
        """Each stage; all of them are one array: a reader that keeps a stage copies it."""
        stages, arrays = [], []
        for scores in self.ensemble.staged_scores(self.X, engine, every):
            assert scores.shape == (len(self.X), len(self.ensemble.initial))
            stages.append(scores.tobytes("C"))
            arrays.append(scores)
        assert all(scores is arrays[0] for scores in arrays)
        return stages

    def prefix(self, m: int) -> bytes:
        shorter = replace(self.ensemble, rounds=self.ensemble.rounds[:m])
        return shorter.scores(self.X, ENGINE).tobytes("C")


@st.composite
def sums(draw):
    """A few trees of one case, in any order, for several outputs that start anywhere."""
    case = draw(tree_cases(max_samples=12, residual_kinds=("dyadic", "normal")))
    trees = [replace(case, residual=case.residual * factor, n_leaves=n).grow()[0] for factor, n in ((1, 2), (-3, 5))]
    n_outputs, n_rounds = draw(st.integers(1, 3)), draw(st.integers(0, 5))
    of_round = st.tuples(*[st.sampled_from(trees)] * n_outputs)
    initial = draw(st.tuples(*[st.sampled_from([0.0, *NORMAL[:3].tolist()])] * n_outputs))
    rounds = draw(st.lists(of_round, min_size=n_rounds, max_size=n_rounds))
    return Sum(Ensemble(initial, tuple(rounds), draw(st.sampled_from([1.0, 0.1]))), case.X)


@given(sums())
def test_each_output_is_its_start_and_its_trees_in_order(case):
    scores = case.ensemble.scores(case.X, ENGINE)
    for c, start in enumerate(case.ensemble.initial):
        expected = np.full(len(case.X), start)
        for trees in case.ensemble.rounds:
            add_predictions([trees[c]], case.X, case.ensemble.learning_rate, expected, ENGINE)
        assert scores[:, c].tobytes() == expected.tobytes()


@given(sums(), st.integers(1, 6))
def test_stages_are_shorter_ensembles(case, every):
    """Every so many rounds, and after the last; where there is no round, what the outputs start from."""
    n_rounds = len(case.ensemble.rounds)
    ends = [min(m, n_rounds) for m in range(every, n_rounds + every, every)] or [0]
    assert case.staged(every) == [case.prefix(m) for m in ends]
