"""The size of a trace before it is written: how many records, and about how many bytes at most.

Histograms take most of it: with entries, each evaluated node has one number per bin and column.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Matrix
from refrank.estimators import COCRRanker, GBRTRanker, LambdaRanker
from refrank.estimators.base import Ranker
from refrank.estimators.mcrank_losses import LossBoostRanker
from refrank.estimators.tree_ranker import TreeRanker, has_classes
from yardstick.traces.writer import ALWAYS, Values

RECORD, SMALL = 350, 70  # bytes: of a record without entries, and of one entry of a small field, in decimal and in hex
ENTRY = {"digests": 0, "json": 30, "safetensors": 8}  # bytes of one entry of a large field
RECORDS_PER_TREE = 10
FIT_IN_JSON = 2**24  # bytes: a trace up to this size is written wholly in JSON, unless the user chooses otherwise


class Size(NamedTuple):
    """Upper estimate of the size of a trace."""

    n_records: int
    n_bytes: int


class Trees(NamedTuple):
    """Numbers of the trees that a ranker grows on all rows, and in its forest."""

    n_boosted: int
    n_looked: int  # nodes of a boosted tree whose best cut is computed
    n_forest: int


def predict_size(ranker: Ranker, X: Matrix, y: NDArray[Any], values: Values) -> Size:
    """Predict the size of a trace.

    Parameters
    ----------
    ranker : Ranker
    X, y : arrays of shape (n_samples, n_features), (n_samples,)
    values : "digests", "json" or "safetensors"

    Returns
    -------
    Size

    Examples
    --------
    >>> from refrank import LSBoostRanker
    >>> X, y = np.zeros((1000, 5)), np.arange(1000) % 3
    >>> predict_size(LSBoostRanker(n_rounds=10), X, y, "digests").n_records
    110
    """
    n_samples, n_features = X.shape
    n_classes = int(np.max(y, initial=0)) + 1
    trees = count_trees(ranker, n_samples, n_classes)
    n_others = n_classes + getattr(ranker, "n_epochs", 0)  # answers of problems, scores after epochs
    n_bins = min(getattr(ranker, "n_bins", 256), n_samples)
    n_columns, of_rows = 2, 5  # entries of a histogram; fields of a round with an entry per row
    large = trees.n_boosted * (trees.n_looked * n_features * n_bins * n_columns + of_rows * n_samples)
    large += trees.n_forest * (n_samples + 8 * 2 * n_samples) + n_samples * (2 * n_features + 6 + n_others)
    small = trees.n_boosted * (14 * trees.n_looked + 40) + trees.n_forest * ALWAYS
    small += (of_rows * trees.n_boosted + 6 + n_others) * n_samples if n_samples <= ALWAYS else 0
    n_records = 7 + n_others + RECORDS_PER_TREE * trees.n_boosted + 2 * trees.n_forest
    return Size(n_records, n_records * RECORD + small * SMALL + large * ENTRY[values])


def count_trees(ranker: Ranker, n_samples: int, n_classes: int) -> Trees:
    """Count the trees of a ranker, and the nodes of each."""
    if isinstance(ranker, LambdaRanker):
        return Trees(0, 0, 0)
    if isinstance(ranker, COCRRanker):
        base = ranker.base
        if not isinstance(base, GBRTRanker):
            return Trees(0, 0, 0)
        return Trees((n_classes - 1) * base.n_rounds, count_nodes(base, n_samples), 0)
    any_ranker: Any = ranker
    n_outputs = n_classes
    if isinstance(ranker, TreeRanker):
        n_outputs = n_classes - 1 if has_classes(ranker) else 1
    elif isinstance(ranker, LossBoostRanker):
        n_outputs = 1
    elif ranker.algorithm == "ordinal":
        n_outputs = (n_classes - 1) * (2 if any_ranker.update == "sequential" else 1)
    n_boosted = getattr(ranker, "n_rounds", 0) * n_outputs
    return Trees(n_boosted, count_nodes(any_ranker, n_samples), getattr(ranker, "n_trees", 0) * n_outputs)


def count_nodes(ranker: Any, n_samples: int) -> int:
    """Bound the number of nodes of a boosted tree that need their best cut."""
    n_leaves = getattr(ranker, "n_leaves", None)
    if n_leaves is not None:
        return min(2 * int(n_leaves) - 1, 2 * n_samples)
    return min(2 ** min(getattr(ranker, "max_depth", 0), 40), 2 * n_samples)


def choose_values(predict: Callable[[Values], Size]) -> Values:
    """Choose the contents of a trace by its size: all entries of a small case, digests of a large one."""
    return "json" if predict("json").n_bytes <= FIT_IN_JSON else "digests"
