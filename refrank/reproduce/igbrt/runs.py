"""Training of the three methods on one fold, in both settings, with measurements on the way; missing values compared.

GBRT is iGBRT from a forest of no trees. Trees are used and dropped, so a forest of 10,000 is never in memory. The
result of a run is a cell:

    array          shape
    steps          (n_steps,)                        trees or rounds so far
    valid, test    (n_steps, 5)                      ERR, NDCG@10, RMSE; ERR and NDCG@10 by the other convention
    test_queries   (n_steps, 2, n_queries)           ERR, NDCG@10 of each test query
    seconds        (n_steps,)                        of training so far, without measuring
    values_train   (n_steps, n_problems, n_rows)     predictions of a forest; values_valid, values_test

A cell of the comparison of missing values holds only the last step, on the validation set: `metrics`, (5,), and
`valid_queries`, (2, n_queries).
"""

from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from time import perf_counter
from typing import Literal, NamedTuple

import numpy as np

from refrank.arrays import Floats, Matrix
from refrank.datasets.folds import Fold
from refrank.datasets.layouts import SPLITS
from refrank.estimators.binning import choose_binning
from refrank.estimators.forest_workers import choose_map
from refrank.estimators.igbrt import choose_n_candidates
from refrank.igbrt.classification import binary_target, problem_seeds
from refrank.igbrt.igbrt import igbrt
from refrank.igbrt.missing_values import SUBSTITUTES, fill_missing, fill_values
from refrank.igbrt.random_forest import random_forest
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.mcrank.ordinal_boosting import class_proba
from refrank.metrics import PRESETS, err, ndcg, rmse
from refrank.metrics.averaging import mean_of_queries
from refrank.reproduce.cells import Arrays, CellStore
from refrank.reproduce.run import get_splits
from refrank.reproduce.unfinished import Unfinished, fetch_resumed
from refrank.trees.bins.binning import MOST_BINS
from refrank.trees.engine import default_engine
from refrank.trees.growth.forest_growth import grow_forest_tree
from refrank.trees.growth.grower import Grower
from refrank.trees.model.tree import add_predictions

METRICS = ("ERR", "NDCG", "RMSE")
Convention = Literal["paper", "yahoo"]
OTHER: dict[Convention, Convention] = {"paper": "yahoo", "yahoo": "paper"}  # the authors' evaluation is "yahoo"
OF_OTHER = (3, 4)  # columns of ERR and NDCG by the other convention
Measured = Literal["valid", "test"]
MEASURED: tuple[Measured, ...] = ("valid", "test")  # the splits that are measured
Task = Literal["R", "C"]  # regression on y, or classification: one problem y < c per grade
TASKS: tuple[Task, ...] = ("R", "C")
MISSING_METHODS = ("RF", "GBRT")
Values = dict[str, Floats]  # split -> (n_problems, n_rows)
Comparison = dict[tuple[str, str], Floats]  # (method, substitute) -> (5,), as in `Reached`


@dataclass(frozen=True)
class Sizes:
    """Sizes of a reproduction."""

    name: str
    forest_sizes: tuple[int, ...]  # M_RF, increasing; the last one is Table 3's
    n_rounds: int  # M_B of GBRT; and of iGBRT in Table 1 and Figure 2
    n_rounds_from_forest: int  # M_B of iGBRT in Tables 3 and 4
    every: int  # rounds between two measurements
    # iGBRT Sec. 7: "we used learning rates"
    learning_rates: tuple[float, ...] = (0.1, 0.2, 0.3, 0.4, 0.5)
    max_depth: int = 4  # in cuts; the authors' -d 4 counts the root, and is 3 here
    n_bins: int | None = None  # quantiles; None cuts exactly, as the authors' program does
    convention: Convention = "paper"  # chooses rates and rounds; the other one is shown beside it
    seed: int = 0
    n_queries: tuple[int, int, int] = (200, 100, 200)  # of the artificial data

    def describe(self) -> str:
        """Describe the sizes in one line."""
        sizes, rates = (", ".join(map(str, numbers)) for numbers in (self.forest_sizes, self.learning_rates))
        rounds = f"{self.n_rounds} rounds of GBRT, {self.n_rounds_from_forest} of iGBRT"
        rule = f"{rounds}, measured every {self.every} rounds"
        cuts = f"depth {self.max_depth}, {f'{self.n_bins} quantile bins' if self.n_bins else 'exact cuts'}"
        return f"sizes {self.name}: forests of {sizes} trees; {rule}; learning rates {rates}; {cuts}; seed {self.seed}"


class Reached(NamedTuple):
    """Measured values of scores on one split."""

    metrics: Floats  # (5,) ERR, NDCG@10, RMSE; ERR and NDCG@10 by the other convention
    queries: Floats  # (2, n_queries) ERR, NDCG@10 of each query


class PreparedFold:
    """A fold with zeros for missing features, the paper's choice, and its training rows binned."""

    def __init__(
        self, fold: Fold, n_threads: int | None, n_bins: int | None = None, convention: Convention = "paper"
    ) -> None:
        if fold.train.y.min() == fold.train.y.max():
            rule = "a ranker needs labels of at least two classes"
            raise ValueError(f"{fold.name}: y is {fold.train.y[0]} in every training row: {rule}")
        self.name, self.splits, self.engine = fold.name, get_splits(fold), default_engine(n_threads)
        self.bin_rows = choose_binning("quantile", n_bins) if n_bins else choose_binning("exact", MOST_BINS)
        # iGBRT Sec. 7: "substituting zeros for missing values tends to outperform the alternative approaches"
        self.substitute({split: np.nan_to_num(data.X) for split, data in self.splits.items()})
        highest = max(int(data.y.max()) for data in self.splits.values())
        # ours uses the highest label of the data as ERR's highest grade; the authors' uses 4, or more if needed
        grades = {"paper": highest, "yahoo": max(highest, PRESETS["yahoo"].max_grade or 0)}
        conventions = {name: replace(PRESETS[name], max_grade=grade) for name, grade in grades.items()}
        self.convention, self.other = conventions[convention], conventions[OTHER[convention]]

    def substitute(self, X: dict[str, Matrix]) -> None:
        """Replace the features, of shape (n_rows, n_features) for each split, and bin the training rows."""
        self.X = X
        self.binned = self.bin_rows(X["train"], None, self.engine)

    def list_targets(self, task: Task) -> list[Floats]:
        """List the regression targets: y, or the labels of the problems y < c."""
        y = self.splits["train"].y
        return [y.astype(np.float64)] if task == "R" else [binary_target(y, c) for c in range(1, int(y.max()) + 1)]

    def make_zeros(self, task: Task) -> Values:
        """Return the values of an untrained model."""
        n_problems = len(self.list_targets(task))
        return {split: np.zeros((n_problems, len(X))) for split, X in self.X.items()}

    def measure(self, split: str, task: Task, values: Floats) -> Reached:
        """Measure the predictions of the problems for a split, of shape (n_problems, n_rows)."""
        return self.measure_scores(split, values[0] if task == "R" else expected_relevance(class_proba(values.T)))

    def measure_scores(self, split: str, scores: Floats) -> Reached:
        """Measure scores for a split, of shape (n_rows,)."""
        data, measured = self.splits[split], []
        for spec in (self.convention, self.other):
            of_err = err(data.y, scores, data.qid, None, spec, per_query=True)
            measured.append(np.array([of_err, ndcg(data.y, scores, data.qid, 10, spec, per_query=True)]))
        own, other = ([mean_of_queries(values) for values in of] for of in measured)
        return Reached(np.array([*own, rmse(data.y, scores), *other]), measured[0])


def run_forest(
    data: PreparedFold, task: Task, sizes: Sizes, by_query: Measured = "test", unfinished: Unfinished | None = None
) -> Arrays:
    """Grow the forest of each problem, tree by tree, and measure it at each of its sizes, one split query by query.

    The trees that an earlier run left in `unfinished` are not grown again.
    """
    at, targets, sums = sizes.forest_sizes, data.list_targets(task), data.make_zeros(task)
    means = {split: np.zeros((len(at), *sums[split].shape)) for split in SPLITS}
    seconds, spent, n_grown = np.zeros(len(at)), np.zeros(len(targets)), np.zeros(len(targets), np.int64)
    values = {f"values_{split}": mean for split, mean in means.items()}
    state: Arrays = {"seconds": seconds, "spent": spent, "n_grown": n_grown, **values}
    state |= {f"sums_{split}": sums[split] for split in SPLITS}
    if unfinished:
        unfinished.fill(state)
    grow_tree = partial(grow_forest_tree, data.binned, n_candidates=choose_n_candidates(0.1, data.binned.n_features))
    for c, (target, seed) in enumerate(zip(targets, problem_seeds(sizes.seed, len(targets)), strict=True)):
        started, first = perf_counter() - spent[c], int(n_grown[c])
        for turn in random_forest(target, grow_tree, at[-1], seed, each=choose_map(data.binned), first=first):
            for split in SPLITS:
                add_predictions([turn.tree], data.X[split], 1.0, sums[split][c], data.engine)
            if (n_trees := turn.number + 1) in at:
                for split in SPLITS:
                    means[split][at.index(n_trees), c] = sums[split][c] / n_trees
                seconds[at.index(n_trees)] += perf_counter() - started
            n_grown[c] = n_trees
            if unfinished and unfinished.is_due():
                spent[c] = perf_counter() - started
                unfinished.write(state)
    reached = {s: [data.measure(s, task, mean) for mean in means[s]] for s in MEASURED}
    metrics: Arrays = {s: np.array([look.metrics for look in reached[s]]) for s in MEASURED}
    metrics[f"{by_query}_queries"] = np.array([look.queries for look in reached[by_query]])
    return {"steps": np.array(at), **metrics, "seconds": seconds, **values}


def run_boosting(
    data: PreparedFold,
    task: Task,
    start: Values,
    steps: range,
    alpha: float,
    max_depth: int = 4,
    by_query: Measured = "test",
) -> Arrays:
    """Boost trees from the values of a forest, all problems round by round; from zeros, this is GBRT.

    Scores are measured after the rounds in `steps`.
    """
    boosted = data.make_zeros(task)  # the part that boosting adds to the start
    grow_tree = Grower(data.binned, max_depth=max_depth)
    targets = enumerate(data.list_targets(task))
    runs = [igbrt(target, start["train"][c], grow_tree, steps[-1], alpha) for c, target in targets]
    points, trained, since = [], 0.0, perf_counter()
    for turns in zip(*runs, strict=True):
        for split in MEASURED:
            for values, turn in zip(boosted[split], turns, strict=True):
                add_predictions([turn.tree], data.X[split], alpha, values, data.engine)
        if turns[0].number in steps:
            trained += perf_counter() - since
            reached = {split: data.measure(split, task, start[split] + boosted[split]) for split in MEASURED}
            metrics = (reached[split].metrics for split in MEASURED)
            points.append((turns[0].number, *metrics, reached[by_query].queries, trained))
            since = perf_counter()
    names = ("steps", *MEASURED, f"{by_query}_queries", "seconds")
    return dict(zip(names, map(np.array, zip(*points, strict=True)), strict=True))


def compare_missing(data: PreparedFold, sizes: Sizes, store: CellStore) -> Comparison:
    """Train a forest and GBRT with each substitute for missing features, and measure them on the validation set.

    iGBRT Sec. 7: "splitting three ways during tree construction and substituting [...] zeros, infinity, the mean or the
    median". The forest has the second largest size, GBRT the rounds of iGBRT.
    """
    sizes, n_rounds = replace(sizes, forest_sizes=sizes.forest_sizes[-2:-1]), sizes.n_rounds_from_forest

    def run(method: str, substitute: str, unfinished: Unfinished) -> Arrays:
        other, last = substitute_missing(data, substitute), range(n_rounds, n_rounds + 1)
        if method == "RF":
            cell = run_forest(other, "R", sizes, "valid", unfinished)
        else:
            cell = run_boosting(other, "R", other.make_zeros("R"), last, 0.1, sizes.max_depth, "valid")
        return {"metrics": cell["valid"][-1], "valid_queries": cell["valid_queries"][-1]}

    return {
        (method, way): fetch_resumed(store, f"{data.name}-missing-{method}-{way}", partial(run, method, way))["metrics"]
        for method, way in product(MISSING_METHODS, SUBSTITUTES)
    }


def substitute_missing(data: PreparedFold, substitute: str) -> PreparedFold:
    """Substitute other values than zeros for missing features: for absent ones and, as the paper counts them, zeros.

    Columns without a value in any training row are left out, since they have no mean.
    """
    present = np.any(data.X["train"] != 0, axis=0)
    train, other = data.X["train"][:, present], copy(data)
    fill = fill_values(train, substitute, 0.0)
    other.substitute({split: fill_missing(values[:, present], 0.0, fill) for split, values in data.X.items()})
    if substitute == "three-way":
        other.binned = replace(other.binned, missing=np.any(train == 0, axis=0).astype(np.int8))
    return other
