"""Rows for both sides of a comparison of predictions, and the difference of their scores."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from refrank.datasets import cubic_polynomial, load_folds
from refrank.metrics import ndcg


@dataclass(frozen=True)
class TrainTest:
    """Training and test rows."""

    X: np.ndarray  # (n_samples, n_features)
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    qid_test: np.ndarray


Scores = tuple[np.ndarray, np.ndarray]  # of training rows, and of test rows; class probabilities may stand for scores


def load_rows(folder: Path | None, n_queries: int = 100) -> TrainTest:
    """Load the first fold of a collection; without a folder, draw McRank's artificial data."""
    if folder is None:
        train, test = (cubic_polynomial(n_queries, random_state=seed) for seed in (0, 1))
    else:
        fold = next(load_folds(folder, dtype=np.float64))
        train, test = fold.train, fold.test
    return TrainTest(train.X.astype(np.float64), train.y, test.X.astype(np.float64), test.y, test.qid)


def label_bins(rows: TrainTest, n_bins: int) -> TrainTest:
    """Replace features by the labels of bins, 1 to at most `n_bins`, that end at quantiles and suit all programs.

    A test row outside the range of the training rows gets the nearest label.
    """
    shares = np.arange(1, n_bins) / n_bins
    train, test = [], []
    for column, others in zip(rows.X.T, rows.X_test.T, strict=True):
        cuts = np.unique(np.quantile(column, shares, method="lower"))
        labels = np.searchsorted(cuts, column)
        train.append(labels)
        test.append(np.clip(np.searchsorted(cuts, others), labels.min(), labels.max()))
    X, X_test = (1.0 + np.column_stack(columns) for columns in (train, test))
    return TrainTest(X, rows.y, X_test, rows.y_test, rows.qid_test)


def describe(ours: Scores, theirs: Scores) -> str:
    """Describe the largest differences of the scores, on training rows and on test rows."""
    train, test = (np.abs(own - peer).reshape(len(own), -1).max(axis=1) for own, peer in zip(ours, theirs, strict=True))
    beyond = np.mean(test > 1e-4)
    return f"training rows {train.max():.1e}, test rows {test.max():.1e}, {beyond:.2%} of them by more than 1e-4"


def compare_ndcg(rows: TrainTest, ours: np.ndarray, theirs: np.ndarray) -> str:
    """Compute mean NDCG@10 of the test rows for scores of both sides."""
    first, second = (ndcg(rows.y_test, scores, rows.qid_test) for scores in (ours, theirs))
    return f"NDCG@10 {first:.4f} and {second:.4f}"
