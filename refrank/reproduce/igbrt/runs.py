"""Train the three methods on one fold, in both settings, and measure them along the way.

Trees are used and let go: a forest of 10,000 is never resident. GBRT is iGBRT from a forest of no trees.
"""

from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from refrank.datasets.folds import SPLITS, Fold
from refrank.estimators.igbrt import n_candidates, parallel_each
from refrank.igbrt.classification import binary_target, class_proba
from refrank.igbrt.igbrt import igbrt
from refrank.igbrt.random_forest import random_forest
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.metrics import PRESETS, MetricSpec, err, ndcg, rmse
from refrank.trees.binning import BinnedFeatures, bin_features
from refrank.trees.draws import draw
from refrank.trees.engine import DEFAULT_SPLITTER
from refrank.trees.forest_growth import grow_deep_tree
from refrank.trees.growth import grow_to_depth
from refrank.trees.tree import add_predictions

METRICS = ("ERR", "NDCG", "RMSE")
Values = dict[str, NDArray[np.float64]]  # of each split: (n_problems, n_rows)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A fold whose missing features are zero, binned; what all runs on it share."""

    fold: Fold
    X: dict[str, NDArray[np.floating]]
    binned: BinnedFeatures
    convention: MetricSpec
    n_threads: int

    def problems(self, setting: str) -> list[NDArray[np.float64]]:
        """List what is regressed on: y, or the labels of the problems y < c."""
        y = self.fold.train.y
        if setting == "R":
            return [y.astype(np.float64)]
        return [binary_target(y, c) for c in range(1, int(y.max()) + 1)]

    def zeros(self, setting: str) -> Values:
        """Return the scores of nothing learned yet."""
        n = len(self.problems(setting))
        return {split: np.zeros((n, len(self.X[split]))) for split in SPLITS}


def prepared(fold: Fold, n_threads: int) -> Prepared:
    """Put zeros for missing features, as the paper settled for, and bin the training rows.

    Raises
    ------
    ValueError
        Where all training labels are equal.
    """
    if fold.train.y.min() == fold.train.y.max():
        raise ValueError(
            f"{fold.name}: the label is {fold.train.y[0]} in every training row: a ranker needs at least two classes"
        )
    # iGBRT Sec. 7: "substituting zeros for missing values tends to outperform the alternative approaches"
    X = {split: np.nan_to_num(getattr(fold, split).X) for split in SPLITS}
    binned = bin_features(X["train"], 256, splitter=DEFAULT_SPLITTER, n_threads=n_threads)
    return Prepared(fold, X, binned, convention_of(fold), n_threads)


def convention_of(fold: Fold) -> MetricSpec:
    """Measure by the convention "paper", ERR with the highest label of the data."""
    return replace(PRESETS["paper"], max_grade=int(max(getattr(fold, split).y.max() for split in SPLITS)))


def measured(data: Prepared, setting: str, split: str, values: NDArray[np.float64]) -> tuple[float, float, float]:
    """Compute ERR, NDCG@10 and RMSE of what the problems predict, (n_problems, n_rows)."""
    truth = getattr(data.fold, split)
    scores = values[0] if setting == "R" else expected_relevance(class_proba(values.T))
    return (
        float(err(truth.y, scores, truth.qid, None, data.convention)),
        float(ndcg(truth.y, scores, truth.qid, 10, data.convention)),
        rmse(truth.y, scores),
    )


@dataclass(frozen=True, eq=False)
class ForestRun:
    """What a forest predicts after each of some numbers of trees."""

    sizes: tuple[int, ...]
    values: dict[str, NDArray[np.float64]]  # of each split: (n_sizes, n_problems, n_rows)
    metrics: dict[str, NDArray[np.float64]]  # of valid and test: (n_sizes, 3)
    seconds: NDArray[np.float64]  # (n_sizes,)


def run_forest(data: Prepared, setting: str, sizes: tuple[int, ...], seed: int) -> ForestRun:
    """Grow the forest of each problem, a tree at a time."""
    sums = data.zeros(setting)
    found = {split: np.zeros((len(sizes), *sums[split].shape)) for split in SPLITS}
    seconds = np.zeros(len(sizes))
    grow = partial(
        grow_deep_tree,
        data.binned,
        n_candidates=n_candidates(0.1, data.binned.n_features),
        splitter=DEFAULT_SPLITTER,
    )
    for c, target in enumerate(data.problems(setting)):
        started = perf_counter()
        key = seed if c == 0 else draw(seed, c) >> 1  # as the estimators draw
        for turn in random_forest(target, grow, max(sizes), key, each=parallel_each(data.binned, data.n_threads)):
            for split in SPLITS:
                add_predictions([turn.tree], data.X[split], 1.0, sums[split][c], DEFAULT_SPLITTER, data.n_threads)
            if turn.number + 1 in sizes:
                place = sizes.index(turn.number + 1)
                for split in SPLITS:
                    found[split][place, c] = sums[split][c] / (turn.number + 1)
                seconds[place] += perf_counter() - started
    metrics = {
        split: np.array([measured(data, setting, split, found[split][place]) for place in range(len(sizes))])
        for split in ("valid", "test")
    }
    return ForestRun(sizes, found, metrics, seconds)


@dataclass(frozen=True, eq=False)
class BoostRun:
    """Metrics of boosting along its rounds."""

    rounds: NDArray[np.int64]  # (n_stages,)
    metrics: dict[str, NDArray[np.float64]]  # of valid and test: (n_stages, 3)
    seconds: NDArray[np.float64]  # (n_stages,) up to each stage, without measuring


def run_boosting(
    data: Prepared, setting: str, start: Values, n_rounds: int, learning_rate: float, every: int, max_depth: int = 4
) -> BoostRun:
    """Boost from a forest's values, all problems a round at a time; measure after each `every` rounds."""
    scores = data.zeros(setting)  # what boosting adds to the start
    grow = partial(grow_to_depth, data.binned, max_depth=max_depth, splitter=DEFAULT_SPLITTER, n_threads=data.n_threads)
    runs = [
        igbrt(target, start["train"][c], grow, n_rounds, learning_rate)
        for c, target in enumerate(data.problems(setting))
    ]
    rounds: list[int] = []
    seconds: list[float] = []
    metrics: dict[str, list[tuple[float, ...]]] = {"valid": [], "test": []}
    since = perf_counter()
    for turns in zip(*runs, strict=True):
        for split in ("valid", "test"):
            for c, turn in enumerate(turns):
                add_predictions(
                    [turn.tree], data.X[split], learning_rate, scores[split][c], DEFAULT_SPLITTER, data.n_threads
                )
        if turns[0].number % every == 0:
            seconds.append(perf_counter() - since + (seconds[-1] if seconds else 0.0))
            rounds.append(turns[0].number)
            for split in ("valid", "test"):
                metrics[split].append(measured(data, setting, split, start[split] + scores[split]))
            since = perf_counter()
    measurements = {split: np.array(values) for split, values in metrics.items()}
    return BoostRun(np.array(rounds), measurements, np.array(seconds))
