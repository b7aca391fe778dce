"""`refrank.trees.model.packed`: scores by packed trees are those of the specification, and a model stays what it is."""

import copy
import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from refrank.trees import splitting
from refrank.trees.engine import DEFAULT_SPLITTER, SPECIFICATION, Engine
from refrank.trees.model.ensemble import Ensemble
from refrank.trees.model.tree import Tree
from tests.strategies import ENGINE, rng_of
from tests.trees.test_splitting_kernel import SPECIAL, random_trees

pytestmark = pytest.mark.kernel

HALVES = np.arange(-9, 9) / 2
CUTS = [HALVES[:9], np.array([-0.0, 0.0, np.inf, -np.inf]), HALVES[:1] + 1e-9]
MANY_CUTS = [np.arange(-450, 450) / 2, *CUTS[1:]]  # of which a byte cannot number all
NAN_CUTS = [np.array([0.0, np.nan, 1.0]), *CUTS[1:]]
POOL = np.concatenate([HALVES, SPECIAL, CUTS[2]])
FORMS = {
    "float32": lambda X: np.ascontiguousarray(X, np.float32),
    "columns": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
}


def make_ensemble(sizes: list[int], cuts=CUTS, n_outputs: int = 2, seed: int = 3) -> Ensemble:
    """An ensemble of random trees of so many leaves each, output after output."""
    roots, *fields = random_trees(rng_of(seed), sizes, cuts)
    trees = []
    for columns in zip(*(np.split(field, roots[1:]) for field in fields), strict=True):
        feature, cut, left, right, value = columns
        zeros = np.zeros(len(feature))
        counts = zeros.astype(np.int64)
        trees.append(Tree(feature, counts.astype(np.int32), cut, left, right, zeros, counts, value))
    n_rounds = len(trees) // n_outputs
    rounds = [tuple(trees[c * n_rounds + m] for c in range(n_outputs)) for m in range(n_rounds)]
    return Ensemble((0.25, -1.0, 3.0)[:n_outputs], tuple(rounds), 0.1)


def score_plainly(ensemble: Ensemble, X, n_rounds: int) -> np.ndarray:
    """The specification, tree after tree, without packing."""
    scores = np.full((len(X), len(ensemble.initial)), ensemble.initial)
    for trees in ensemble.rounds[:n_rounds]:
        for c, tree in enumerate(trees):
            column = scores[:, c].copy()
            fields = tree.feature, tree.cut, tree.left, tree.right, ensemble.learning_rate * tree.value
            splitting.add_trees(X, np.zeros(1, np.int64), *fields, column, 1)
            scores[:, c] = column
    return scores


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("cuts", "sizes", "n_outputs"),
    [
        (CUTS, [10] * 45, 3),
        (CUTS, [1, 2, 3, 10, 32, 33, 34, 128, 129, 200] * 6, 2),  # on both sides of each limit
        (MANY_CUTS, [3, 64, 128, 200] * 12, 2),
        (NAN_CUTS, [4] * 40, 1),
        (CUTS, [1] * 40, 2),
        (CUTS, [300] * 34, 1),  # no small tree
        (CUTS, [10] * 20, 2),  # few trees
    ],
    ids=["small", "all sizes", "many cuts", "NaN", "leaves", "large", "few"],
)
def test_scores_are_those_of_the_specification(form, cuts, sizes, n_outputs):
    ensemble = make_ensemble(sizes, cuts, n_outputs)
    n_rounds = len(ensemble.rounds)
    rows = FORMS[form](rng_of(5).choice(POOL, (1000, 3)))
    expected = score_plainly(ensemble, rows, n_rounds)
    for n_samples in (0, 1, 2, 3, 15, 16, 17, 50, 255, 256, 257, 1000):
        for n_threads in (1, 2, 3):
            scores = ensemble.scores(rows[:n_samples], Engine(DEFAULT_SPLITTER, n_threads))
            assert scores.tobytes("C") == expected[:n_samples].tobytes("C")
    for last in (997, 998, 999):  # single rows, whose small trees answer in another way
        assert ensemble.scores(rows[last : last + 1], ENGINE).tobytes() == expected[last].tobytes()
    assert ensemble.scores(rows[:60], SPECIFICATION).tobytes("C") == expected[:60].tobytes("C")


def test_threads_share_out_the_rows_of_many_trees():
    """Enough work for several threads, with blocks of less than 256 rows, and a last one of few."""
    ensemble = make_ensemble([10] * 900, n_outputs=3)
    for n_samples in (450, 513, 1025):
        X = rng_of(n_samples).choice(POOL, (n_samples, 3))
        alone = ensemble.scores(X, Engine(DEFAULT_SPLITTER, 1))
        assert np.array_equal(alone[:40], score_plainly(ensemble, X[:40], 300))
        for n_threads in (2, 3, 8):
            assert ensemble.scores(X, Engine(DEFAULT_SPLITTER, n_threads)).tobytes("C") == alone.tobytes("C")


@pytest.mark.parametrize("engine", [ENGINE, SPECIFICATION], ids=["default", "specification"])
@pytest.mark.parametrize("every", [1, 7, 16, 100])
def test_stages_are_prefixes(engine, every):
    ensemble, X = make_ensemble([5, 9, 1, 12] * 20), rng_of(1).choice(POOL, (20, 3))
    ends = [min(m, 40) for m in range(every, 40 + every, every)]
    for scores, end in zip(ensemble.staged_scores(X, engine, every), ends, strict=True):
        assert scores.tobytes("C") == score_plainly(ensemble, X, end).tobytes("C")


def test_callers_in_several_threads_get_the_same_scores():
    ensemble, X = make_ensemble([10] * 200), rng_of(2).choice(POOL, (50, 3))
    with ThreadPoolExecutor(8) as pool:
        results = [*pool.map(lambda _: ensemble.scores(X, ENGINE).tobytes("C"), range(64))]
    assert {*results} == {score_plainly(ensemble, X, 100).tobytes("C")}


@pytest.mark.parametrize("name", ["feature", "cut", "left", "right", "value"])
def test_a_packed_tree_cannot_be_changed(name):
    ensemble, X = make_ensemble([10] * 40), np.zeros((3, 3))
    getattr(ensemble.rounds[0][0], name)[-1] += 0  # before, it can be
    ensemble.scores(X, ENGINE)
    for trees in ensemble.rounds:
        for tree in trees:
            with pytest.raises(ValueError, match="read-only"):
                getattr(tree, name)[0] = 0


def test_copies_leave_the_packed_trees_out_and_can_be_changed():
    ensemble, X = make_ensemble([10] * 40), rng_of(4).choice(POOL, (30, 3))
    before, expected = pickle.dumps(ensemble), ensemble.scores(X, ENGINE)
    assert pickle.dumps(ensemble) == before
    for other in (copy.deepcopy(ensemble), pickle.loads(before)):
        assert vars(other).keys() == {"initial", "rounds", "learning_rate"}
        assert other.scores(X, ENGINE).tobytes() == expected.tobytes()
    other = copy.deepcopy(ensemble)
    for trees in other.rounds:
        for tree in trees:
            tree.value[:] = -tree.value
    assert np.array_equal(other.scores(X, ENGINE), score_plainly(other, X, 20))
    assert ensemble == replace(ensemble)  # what was packed is not compared


def test_rows_of_fewer_features_are_refused_after_those_of_more():
    ensemble, rule = make_ensemble([10] * 40), "it must be -1, or a feature below 2"
    wider = np.zeros((3, 9))
    assert np.array_equal(ensemble.scores(wider, ENGINE), ensemble.scores(wider[:, :3], ENGINE))
    for _ in range(2):
        with pytest.raises(ValueError, match=f"^feature of node .* is 2: {re.escape(rule)}$"):
            ensemble.scores(wider[:, :2], ENGINE)
    assert ensemble.scores(wider, ENGINE).shape == (3, 2)
