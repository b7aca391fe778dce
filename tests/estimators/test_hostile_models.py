"""Models that no fit made, by hand or from a pickle: refused by name, and never followed out of bounds."""

import pickle
import re
from dataclasses import replace

import numpy as np
import pytest

from refrank.trees import engine
from refrank.trees.ensemble import Ensemble
from tests.estimators.cases import ESTIMATORS, X, each, fit, which

of_trees = which(lambda ranker: isinstance(fit(ranker).model_, Ensemble))


class Watched:
    """The default splitter; it fails on trees that lead out of X or in a circle."""

    def __init__(self):
        self.splitter, self.reached = engine.DEFAULT_SPLITTER, 0

    def __getattr__(self, name):
        return getattr(self.splitter, name)

    def add_trees(self, X, roots, feature, cut, left, right, *others):
        self.reached += 1
        assert feature.max() < X.shape[1]
        inner, size = feature >= 0, np.diff(roots, append=len(feature))
        place = np.arange(len(feature)) - np.repeat(roots, size)
        for child in (left, right):
            assert (place < child)[inner].all()
            assert (child < np.repeat(size, size))[inner].all()
        self.splitter.add_trees(X, roots, feature, cut, left, right, *others)


@pytest.fixture
def watched(monkeypatch) -> Watched:
    splitter = Watched()
    monkeypatch.setattr(engine, "DEFAULT_SPLITTER", splitter)
    return splitter


@each({name: make for name, make in ESTIMATORS.items() if name != "m5p"})  # whose tree reads one column here
def test_a_matrix_with_fewer_columns_than_the_model_reads_is_refused(make, watched):
    estimator, narrow = fit(make()), X[:, :1].copy()
    with pytest.raises(ValueError, match=r"X has 1 features, but .* is expecting 5"):
        estimator.predict(narrow)
    estimator.n_features_in_ = 1
    for call in ("predict", "staged_predict", "predict_proba"):
        if hasattr(estimator, call):
            with pytest.raises(ValueError, match=r"feature|columns|shape"):
                list(getattr(estimator, call)(narrow))


def with_root(tree, name, value):
    """A copy of a tree with another entry at the root, or with fewer entries."""
    array = getattr(tree, name).copy()
    if isinstance(value, int):
        array[0] = value
    return replace(tree, **{name: array[value] if isinstance(value, slice) else array})


HOSTILE = [
    ("left", 0, "left of node 0 in tree 0 is 0: it must be a later node"),  # a circle
    ("right", 2**30, "right of node 0 in tree 0 is 1073741824: it must be a later node"),
    ("left", -7, "left of node 0 in tree 0 is -7: it must be a later node"),
    ("feature", 5, "feature of node 0 in tree 0 is 5: it must be -1"),
    ("feature", -2, "feature of node 0 in tree 0 is -2: it must be -1"),
    ("value", slice(1), "value of tree 0 has shape (1,): it must have shape (n_nodes,), one entry per node"),
    ("feature", slice(0), "feature of tree 0 has shape (0,): it must have shape (n_nodes,), one entry per node"),
]


@each(of_trees)
@pytest.mark.parametrize(("entry", "value", "message"), HOSTILE)
def test_a_tree_that_leads_nowhere_is_refused(make, entry, value, message, watched):
    ranker = fit(make())
    for name in ("forest_", "model_"):
        if name in vars(ranker):
            watched.reached = 0
            hostile = pickle.loads(pickle.dumps(ranker))
            (first, *others), *rounds = getattr(hostile, name).rounds
            harmed = ((with_root(first, entry, value), *others), *rounds)
            setattr(hostile, name, replace(getattr(hostile, name), rounds=harmed))
            for call in ("predict", "staged_predict"):
                with pytest.raises(ValueError, match=re.escape(message)):
                    list(getattr(hostile, call)(X))
            assert watched.reached == (name == "model_" and hasattr(ranker, "forest_")) * 2 * len(ranker.model_.initial)
