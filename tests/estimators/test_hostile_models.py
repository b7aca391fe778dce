"""Models that no fit made, by hand or from a pickle: refused by name, by every way to ask for scores."""

from dataclasses import replace

import numpy as np
import pytest

from refrank.trees.ensemble import Ensemble
from tests.estimators.cases import ESTIMATORS, X, each, fit, which

of_trees = which(lambda ranker: isinstance(fit(ranker).model_, Ensemble))


@each({name: make for name, make in ESTIMATORS.items() if name != "m5p"})  # whose tree reads one column here
def test_a_matrix_with_fewer_columns_than_the_model_reads_is_refused(make):
    estimator, narrow = fit(make()), X[:, :1].copy()
    with pytest.raises(ValueError, match=r"X has 1 features, but .* is expecting 5"):
        estimator.predict(narrow)
    estimator.n_features_in_ = 1
    for call in ("predict", "staged_predict", "predict_proba"):
        if hasattr(estimator, call):
            with pytest.raises(ValueError, match=r"feature|columns|shape"):
                list(getattr(estimator, call)(narrow))


@each(of_trees)
@pytest.mark.parametrize("name", ["forest_", "model_"])
def test_a_tree_that_reads_a_column_too_many_is_refused(make, name):
    """What else makes a tree hostile, the room of the trees tests."""
    ranker = fit(make())
    if name in vars(ranker):
        (first, *others), *rounds = getattr(ranker, name).rounds
        harmed = ((replace(first, feature=np.full_like(first.feature, 5)), *others), *rounds)
        setattr(ranker, name, replace(getattr(ranker, name), rounds=harmed))
        for call in ("predict", "staged_predict"):
            with pytest.raises(ValueError, match="feature of node 0 in tree 0 is 5: it must be -1"):
                list(getattr(ranker, call)(X))
