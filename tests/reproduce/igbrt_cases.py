"""Runs that never were, and what a fold would give with them."""

import numpy as np

from refrank.reproduce.igbrt import tables


def make_run(steps, test, valid_err=(), seconds=()):
    """A forest, or boosting, that never was."""
    valid, test = np.column_stack([valid_err, valid_err, valid_err]), np.array(test)
    test = np.hstack([test, test[:, :2] + 0.4])  # by the other convention
    queries = test[:, :2, np.newaxis] + [-0.01, 0.01]  # of two queries
    arrays = {"valid": valid, "test": test, "test_queries": queries}
    return arrays | {"steps": np.array(steps), "seconds": np.array(seconds)}


def results_of(boosted, sizes=(3, 30, 30), forests=None) -> tables.FoldResults:
    """A fold's contribution, with sizes of one's own: features, documents of the training and of the test set."""
    n_features, n_train, n_test = sizes
    train, test = (n_features, n_train, 3, n_train / 3, 0.5, 0.75), (n_features, n_test, 3, n_test / 3, 0.0, 1.0)
    counted = {part: dict(zip(tables.STATISTICS, of, strict=True)) for part, of in (("train", train), ("test", test))}
    return tables.FoldResults("Fold1", "", counted, forests or {"R": None}, boosted)
