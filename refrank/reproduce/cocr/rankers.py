"""COCR Sec. 5: each ranker of the tables on one fold, as a cell.

A ranker is a base (Sec. 5.2) and a way: direct regression on y, or COCR with one of the paper's three costs.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats, Ints
from refrank.cocr.costs import absolute, oerr, squared
from refrank.datasets import LetorData
from refrank.datasets.folds import Fold
from refrank.datasets.layouts import SPLITS
from refrank.estimators import COCRRanker, GBRTRanker, M5PRegressor, WekaLinearRegressor
from refrank.estimators.binning import Binning
from refrank.metrics import PRESETS, err, ndcg, summarize
from refrank.metrics.queries import group_rows
from refrank.reproduce.cells import Arrays, CellStore
from refrank.reproduce.run import Reproduction, get_splits

Way = Literal["direct", "absolute", "squared", "oerr"]
WAYS: tuple[Way, ...] = ("direct", "absolute", "squared", "oerr")  # the columns of the paper's tables
COSTS = {"absolute": absolute, "squared": squared, "oerr": oerr}  # the paper's, without costs that are registered later
MEASURES = {"err": "ERR", "ndcg": "NDCG@10"}
CONVENTION = "paper"  # except for the highest grade of ERR, which is that of the data

Column = dict[str, Floats]  # (n_queries,) per way, and per added ranker for the test queries
Cells = dict[tuple[str, str], list[Arrays]]  # by base and way, one entry per fold; ("added", name) of added rankers


@dataclass(frozen=True)
class CocrSetting:
    """Parameters of a run; the defaults are the paper's, except `n_bags`, which it does not print."""

    name: str
    # COCR Sec. 5.6: rounds, depth and learning rates of GBRT
    n_rounds: int = 1000
    max_depth: int = 4
    steps: tuple[float, ...] = (0.1, 0.05, 0.02)
    # COCR Sec. 5.2 takes GBRT from RT-Rank, which cuts between any two values
    binning: Binning = "exact"
    min_instances: tuple[int, ...] = (4, 256, 512, 1024, 2048)  # COCR Sec. 5.4: the M of M5P to choose from
    bag_share: float = 0.1  # COCR Sec. 5.5: rows per bag
    n_bags: int = 20  # T of COCR over bagged M5P, 0 for none; direct regression gets T K for Fig. 2b
    n_queries: tuple[int, int, int] = (100, 50, 200)  # of the artificial data

    def make_bases(self, n_rows: int, n_threads: int | None = None) -> dict[str, Any]:
        """Make the bases of Sec. 5.3, 5.4 and 5.6; leave out an M above the number of rows."""
        from sklearn.linear_model import LinearRegression

        # COCR Sec. 5.2
        bases: dict[str, Any] = {"linear": WekaLinearRegressor(), "least squares": LinearRegression()}
        bases |= {f"m5p-{m}": M5PRegressor(min_instances=m) for m in self.min_instances if m <= n_rows}
        limits: dict[str, Any] = {"n_rounds": self.n_rounds, "max_depth": self.max_depth, "binning": self.binning}
        gbrt = partial(GBRTRanker, n_threads=n_threads, **limits)
        return bases | {f"gbrt-{step}": gbrt(learning_rate=step) for step in self.steps}


def run_fold(setting: CocrSetting, fold: Fold, run: Reproduction) -> Iterator[tuple[str, str, Arrays]]:
    """Yield base, way and arrays of each cell of a fold; a base is a name of `CocrSetting.make_bases`, or "bagging".

    The added rankers come first: "added", name, and the arrays of the test queries, which have no file.
    """
    scaled = ScaledFold(fold)
    for ranker in run.added:
        yield "added", ranker.name, scaled.measure_queries("test", scaled.test, ranker.read(fold))
    store = CellStore(run.folder, fold, asdict(setting), PRESETS[CONVENTION])
    bases = setting.make_bases(len(fold.train.y), run.n_threads)
    for name, way in product([*bases, *(["bagging"] if setting.n_bags else [])], WAYS):
        job = partial(scaled.run_ranker, bases[name]) if name in bases else partial(scaled.run_bagging, setting)
        yield name, way, store.fetch(f"{fold.name}-{name}-{way}", partial(job, way))


class ScaledFold:
    """A fold with features scaled to [0, 1], for training and measuring rankers."""

    def __init__(self, fold: Fold) -> None:
        from sklearn.preprocessing import MinMaxScaler

        # COCR Sec. 5.1: "we normalize the features to [0, 1]"
        # Paper is silent: by which rows. By all training rows at once, not query by query.
        scaler, splits = MinMaxScaler().fit(fold.train.X.astype(np.float64)), get_splits(fold).values()
        scaled = (replace(data, X=scaler.transform(data.X.astype(np.float64))) for data in splits)
        self.train, self.valid, self.test = scaled
        self.max_grade = int(max(data.y.max() for data in splits))  # K of ERR (Eq. 8), the highest grade of any split

    def fit(self, base: Any, way: Way) -> Any:
        """Train direct regression on y, or COCR."""
        from sklearn.base import clone

        if way == "direct":
            return clone(base).fit(self.train.X, self.train.y.astype(np.float64))
        return COCRRanker(base, cost=way, n_classes=self.max_grade + 1).fit(self.train.X, self.train.y)

    def run_ranker(self, base: Any, way: Way) -> Arrays:
        """Train one ranker and measure it: `train_err`, ..., `ideal_ndcg`, `cost_absolute`, ..., each (n_queries,).

        `ideal` is the best ranking of the test queries; costs are sums over the documents of a test query.
        """
        ranker, test = self.fit(base, way), self.test
        if way == "direct":
            # Paper is silent: direct regression has no grades. Its nearest grade stands for them in sums of costs.
            grades = np.clip(np.rint(ranker.predict(test.X)), 0, self.max_grade).astype(np.int64)
        else:
            grades = ranker.predict_rank(test.X)
        measured = self.measure_queries("ideal", test, test.y) | self.sum_costs(grades)
        for split in SPLITS:
            data = getattr(self, split)
            measured |= self.measure_queries(split, data, ranker.predict(data.X))
        return measured

    def run_bagging(self, setting: CocrSetting, way: Way) -> Arrays:
        """Train bagged M5P trees (Sec. 5.5), and measure the test ranking after each round, (n_rounds, n_queries)."""
        from sklearn.ensemble import BaggingRegressor

        n_rounds = setting.n_bags * (self.max_grade if way == "direct" else 1)
        tree = M5PRegressor(weights="counts")  # the weights of a bag are the numbers of draws of each row
        # a share would be of the sum of the weights, which rounding can put below the number of rows
        n_drawn = max(1, int(setting.bag_share * len(self.train.y)))
        base = BaggingRegressor(tree, max_samples=n_drawn, n_estimators=n_rounds, random_state=0)
        ranker = self.fit(base, way)
        bags = [ranker]
        if way != "direct":
            bags = [h.regressor for h in ranker.model_.soft_classifiers if hasattr(h, "regressor")]
        totals, rounds = np.zeros(len(self.test.y)), []
        for t in range(n_rounds):  # the mean ranks as the sum does, and one-sided answers do not matter
            for bag in bags:
                totals = totals + bag.estimators_[t].predict(self.test.X)
            rounds.append(self.measure_queries("test", self.test, totals))
        return {name: np.array([measured[name] for measured in rounds]) for name in rounds[0]}

    def measure_queries(self, name: str, data: LetorData, scores: ArrayLike) -> Arrays:
        """Measure `NAME_err` and `NAME_ndcg`, ERR and NDCG@10 of each query, by scores of shape (n_samples,)."""
        return {
            f"{name}_err": err(data.y, scores, data.qid, None, CONVENTION, self.max_grade, per_query=True),
            f"{name}_ndcg": ndcg(data.y, scores, data.qid, 10, CONVENTION, per_query=True),
        }

    def sum_costs(self, grades: Ints) -> Arrays:
        """Add up each cost of predicted grades over the documents of each test query."""
        queries, sums = group_rows(self.test.qid, len(grades)), {}
        for name, cost in COSTS.items():
            costs = cost(self.test.y, self.max_grade)[np.arange(len(grades)), grades]  # (n_samples,)
            sums[f"cost_{name}"] = np.add.reduceat(costs[queries.rows], queries.starts)
        return sums


@dataclass(frozen=True, eq=False)
class Results:
    """The cells of all folds."""

    setting: CocrSetting
    cells: Cells

    @property
    def max_grade(self) -> int:
        """K, from the rounds of bagged M5P: direct regression has K for each of COCR's (`run_bagging`)."""
        direct, cocr = (self.cells["bagging", way] for way in ("direct", "oerr"))
        return max(len(a["test_err"]) // len(b["test_err"]) for a, b in zip(direct, cocr, strict=True))

    def join(self, base: str, measure: str) -> Column:
        """Join the queries of all folds; "m5p" without a number is M5P with the M chosen on each fold.

        Added rankers follow the ways if the queries are those of the test sets.
        """
        folds: dict[str, list[Arrays]] = {
            way: self.choose_m(way) if base == "m5p" else self.cells[base, way] for way in WAYS
        }
        if measure.startswith("test_"):
            folds |= {name: cells for (kind, name), cells in self.cells.items() if kind == "added"}
        return {way: np.concatenate([arrays[measure] for arrays in cells]) for way, cells in folds.items()}

    def list_common_m(self) -> list[int]:
        """List the M that every fold has enough rows for."""
        n_folds = len(self.cells["linear", "direct"])
        return [m for m in self.setting.min_instances if len(self.cells.get((f"m5p-{m}", "direct"), [])) == n_folds]

    def choose_m(self, way: Way) -> list[Arrays]:
        """Choose the M5P of each fold: the M of the highest validation ERR, the lowest M of equals."""
        # COCR Sec. 5.4: "pick the model that comes with the highest validation ERR"
        folds = zip(*(self.cells[f"m5p-{m}", way] for m in self.list_common_m()), strict=True)
        return [max(by_m, key=lambda arrays: summarize(arrays["valid_err"]).mean) for by_m in folds]
