"""COCR Sec. 5: each ranker of the tables on one fold, as a cell that is kept.

A ranker is a base (Sec. 5.2) and a way: direct regression on y, or COCR with one of the costs.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.ensemble import BaggingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.preprocessing import MinMaxScaler

from refrank.cocr.user_costs import COSTS
from refrank.datasets import LetorData
from refrank.datasets.folds import SPLITS, Fold
from refrank.estimators import COCRRanker, GBRTRanker, M5PRegressor
from refrank.metrics import err, ndcg
from refrank.metrics.queries import group_rows
from refrank.reproduce.cells import Arrays, checksum, kept_cell

Cells = dict[tuple[str, str], list[Arrays]]  # by base and way, one entry a fold
DIRECT = "direct"
WAYS = (DIRECT, *COSTS)  # the columns of the tables
CONVENTION = "paper"  # but for the highest grade of ERR, which is that of the data


@dataclass(frozen=True)
class Setting:
    """Parameters of a run; the defaults are the paper's, but for `n_bags`, which it does not print."""

    name: str
    n_rounds: int = 1000  # COCR Sec. 5.6
    max_depth: int = 4
    steps: tuple[float, ...] = (0.1, 0.05, 0.02)
    min_instances: tuple[int, ...] = (4, 256, 512, 1024, 2048)  # COCR Sec. 5.4
    bag_share: float = 0.1  # COCR Sec. 5.5
    n_bags: int = 20  # T, of COCR; direct regression gets T K for Fig. 2b


def bases(setting: Setting, n_rows: int, n_threads: int | None = None) -> dict[str, Any]:
    """List the bases of Sec. 5.3, 5.4 and 5.6; an M above the number of rows has no tree. Threads change no bit."""
    linear: dict[str, Any] = {"linear": LinearRegression()}
    trees = {f"m5p-{m}": M5PRegressor(min_instances=m) for m in setting.min_instances if m <= n_rows}
    gbrt = GBRTRanker(n_rounds=setting.n_rounds, max_depth=setting.max_depth, n_threads=n_threads)
    boosted = {f"gbrt-{step}": clone(gbrt).set_params(learning_rate=step) for step in setting.steps}
    return linear | trees | boosted


def run_fold(
    setting: Setting, fold: Fold, folder: Path, n_threads: int | None = None
) -> Iterator[tuple[str, str, Arrays]]:
    """Yield base, way and what came out, for every cell of a fold: kept before, or computed now."""
    max_grade = int(max(getattr(fold, part).y.max() for part in SPLITS))
    scaled = unit_interval(fold)
    way_made = {"setting": asdict(setting), "convention": CONVENTION, "max_grade": max_grade, "data": checksum(fold)}
    jobs: dict[str, Callable[[str], Arrays]] = {
        name: partial(run_cell, base, scaled, max_grade)
        for name, base in bases(setting, len(fold.train.y), n_threads).items()
    }
    jobs["bagging"] = partial(run_bagging, setting, scaled, max_grade)
    for name, job in jobs.items():
        for way in WAYS:
            kept = folder / f"{setting.name}-{fold.name}-{name}-{way}.npz"
            yield name, way, kept_cell(kept, way_made, partial(job, way))


def run_cell(base: Any, fold: Fold, max_grade: int, way: str) -> Arrays:
    """Train one ranker and measure it."""
    if way == DIRECT:
        ranker = clone(base).fit(fold.train.X, fold.train.y.astype(np.float64))
        scores = {part: ranker.predict(getattr(fold, part).X) for part in SPLITS}
        # Paper is silent: direct regression has no grades. Its nearest grade stands for them where costs are added up.
        grades = np.clip(np.rint(scores["test"]), 0, max_grade).astype(np.int64)
    else:
        ranker = COCRRanker(base, cost=way, n_classes=max_grade + 1).fit(fold.train.X, fold.train.y)
        scores = {part: ranker.predict(getattr(fold, part).X) for part in SPLITS}
        grades = ranker.predict_rank(fold.test.X)
    measured: Arrays = {}
    for part in SPLITS:
        measured |= quality(part, getattr(fold, part), scores[part], max_grade)
    ideal = quality("ideal", fold.test, fold.test.y, max_grade)
    return measured | ideal | cost_sums(fold.test, grades, max_grade)


def run_bagging(setting: Setting, fold: Fold, max_grade: int, way: str) -> Arrays:
    """Train bagged M5P trees (Sec. 5.5), and measure the test ranking after each round, (n_rounds, n_queries)."""
    base = BaggingRegressor(M5PRegressor(), max_samples=setting.bag_share, n_estimators=setting.n_bags, random_state=0)
    if way == DIRECT:
        base.set_params(n_estimators=setting.n_bags * max_grade)
        bags = [base.fit(fold.train.X, fold.train.y.astype(np.float64))]
    else:
        ranker = COCRRanker(base, cost=way, n_classes=max_grade + 1).fit(fold.train.X, fold.train.y)
        bags = [h.regressor for h in ranker.model_.soft_classifiers if hasattr(h, "regressor")]
    totals, rows = np.zeros(len(fold.test.y)), []
    for t in range(base.n_estimators):  # the mean over rounds ranks as the sum does, and one-sided answers play no part
        for bag in bags:
            totals = totals + bag.estimators_[t].predict(fold.test.X)
        rows.append(quality("test", fold.test, totals, max_grade))
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def quality(part: str, data: LetorData, scores: ArrayLike, max_grade: int) -> Arrays:
    """Measure ERR and NDCG@10 of each query, (n_queries,) each; ERR's 2^K has the highest grade of the data (Eq. 8)."""
    return {
        f"{part}_err": np.asarray(err(data.y, scores, data.qid, None, CONVENTION, max_grade, per_query=True)),
        f"{part}_ndcg": np.asarray(ndcg(data.y, scores, data.qid, 10, CONVENTION, per_query=True)),
    }


def cost_sums(data: LetorData, grades: NDArray[np.int64], max_grade: int) -> Arrays:
    """Add up each cost over the documents of a query, (n_queries,) each."""
    queries = group_rows(data.qid, len(data.y))
    sums: Arrays = {}
    for name, cost in COSTS.items():
        costs = np.asarray(cost(data.y, max_grade))[np.arange(len(grades)), grades]  # (n_samples,)
        sums[f"cost_{name}"] = np.add.reduceat(costs[queries.rows], queries.starts)
    return sums


def unit_interval(fold: Fold) -> Fold:
    """Scale each feature to [0, 1]."""
    # COCR Sec. 5.1: "we normalize the features to [0, 1]"
    # Paper is silent: by which rows. By all training rows at once, not query by query.
    scaler = MinMaxScaler().fit(fold.train.X.astype(np.float64))
    scaled = {part: scaler.transform(getattr(fold, part).X.astype(np.float64)) for part in SPLITS}
    return replace(fold, **{part: replace(getattr(fold, part), X=X) for part, X in scaled.items()})
