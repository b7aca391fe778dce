"""iGBRT Sec. 7 on any LETOR folds, or on artificial data: Tables 1 to 4, Figures 1 and 2, missing values.

Forests, and boosting from one with one learning rate, make cells; a finished cell is kept as a file, so that an
interrupted run goes on where it stopped. A cell made with other sizes, data or another release is made again.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from refrank.datasets import Fold, load_folds
from refrank.datasets.folds import SPLITS, find_folds
from refrank.reproduce.artificial import artificial_fold, with_holes
from refrank.reproduce.cells import Arrays, Keep, checksum, keeper
from refrank.reproduce.igbrt_figures import draw_traces
from refrank.reproduce.igbrt_missing import compare_missing
from refrank.reproduce.igbrt_results import FoldResults, statistics
from refrank.reproduce.igbrt_runs import BoostRun, ForestRun, Prepared, prepared, run_boosting, run_forest
from refrank.reproduce.igbrt_tables import table_1, table_2, table_3, table_4, table_of_missing
from refrank.trees.engine import resolve_threads


@dataclass(frozen=True)
class Setting:
    """Sizes of a run."""

    name: str
    forest_sizes: tuple[int, ...]  # M_RF, rising; the last one is Table 3's
    n_rounds: int  # M_B of GBRT
    n_rounds_from_forest: int  # M_B of iGBRT in Tables 3 and 4; in Table 1 and Figure 2 it is GBRT's
    every: int  # rounds between two measurements
    # iGBRT Sec. 7: "we used learning rates"
    learning_rates: tuple[float, ...] = (0.1, 0.2, 0.3, 0.4, 0.5)
    seed: int = 0


SMALL = Setting("small", (10, 100, 300), 200, 100, 5)
# iGBRT Sec. 7, Table 1 and Table 4
FULL = Setting("full", (100, 1_000, 10_000), 1_000, 500, 10)
ARTIFICIAL = Setting("artificial", (10, 100, 300), 120, 60, 5)
ARTIFICIAL_QUERIES, ARTIFICIAL_SHARE = (200, 100, 200), 0.4


def reproduce(data: Path | None, full: bool, out: Path, n_threads: int | None = None, unlabelled: str = "error") -> str:
    """Run the cells that are not done yet, draw the figures into the folder, and return the tables as text.

    Folds are joblib tasks: one after the other, unless `joblib.parallel_config` says otherwise.

    Parameters
    ----------
    data : Path or None
        A collection in folds, as `load_folds` takes it; None: the artificial data, with holes.
    full : bool
        The paper's sizes, instead of small ones.
    out : Path
        Finished cells in it are kept.
    n_threads : int, optional
        As `resolve_threads` has it.
    unlabelled : "error" (default), "zero" or "drop"
        What `load_folds` does with rows of label -1.
    """
    sizes = FULL if full else SMALL if data else ARTIFICIAL
    # a feature that a line does not list is NaN until it is said what stands in for it
    folds: Iterable[Fold] = (
        load_folds(data, absent=np.nan, unlabelled=unlabelled)
        if data
        else [with_holes(artificial_fold("artificial 0", ARTIFICIAL_QUERIES, seed=0), ARTIFICIAL_SHARE, seed=0)]
    )
    # iGBRT Sec. 2: "We use the smaller Set 2 for illustration throughout the paper"
    shown = "set2" if data and "set2" in find_folds(data) else None
    out.mkdir(parents=True, exist_ok=True)
    tasks = (
        delayed(run_fold)(fold, sizes, out, n_threads, shown=fold.name == shown if shown else number == 0)
        for number, fold in enumerate(folds)
    )
    results: list[FoldResults] = Parallel(pre_dispatch="n_jobs")(tasks)
    example = next(result for result in results if result.missing is not None)
    figures = draw_figures(example, sizes, out)
    text = "\n\n".join(
        [
            f"sizes {sizes.name}: {asdict(sizes)}\nconvention {example.convention}; NDCG is NDCG@10",
            table_2(results),
            table_1(example, sizes.forest_sizes, sizes.n_rounds),
            table_3(results, sizes.forest_sizes[-1], sizes.n_rounds, sizes.n_rounds_from_forest),
            table_4(example, sizes.forest_sizes, sizes.n_rounds_from_forest, sizes.learning_rates[0]),
            table_of_missing(example),
            *(f"{title}: {path}" for title, path in figures),
        ]
    )
    (out / f"tables-{sizes.name}.txt").write_text(text + "\n", encoding="utf-8")
    return text


def run_fold(fold: Fold, sizes: Setting, out: Path, n_threads: int | None, shown: bool) -> FoldResults:
    """Run all cells of a fold: the forests, GBRT, and iGBRT from the largest forest.

    Of the fold that is shown, Table 1 and Figure 2 need iGBRT (R) from all forests and for as many rounds as GBRT.
    """
    data = prepared(fold, resolve_threads(n_threads))  # in the process that runs the fold
    way = {"setting": asdict(sizes), "convention": str(data.convention), "data": checksum(fold)}
    keep = keeper(out, way)
    forests: dict[str, ForestRun] = {}
    boosted: dict[tuple[str, int], dict[float, BoostRun]] = {}
    prefix = f"{sizes.name}-{fold.name.replace(' ', '-')}"
    for setting in ("R", "C"):
        forest = kept_forest(data, setting, sizes, keep, f"{prefix}-{setting}-forest")
        in_table_1 = shown and setting == "R"
        for size in (0, *(sizes.forest_sizes if in_table_1 else sizes.forest_sizes[-1:])):
            start = data.zeros(setting)
            if size:
                start = {split: forest.values[split][forest.sizes.index(size)] for split in SPLITS}
            # iGBRT Sec. 5: "chosen on a validation data set (up to M_B = 1000)"; Sec. 7: "we set M_B = 500"
            n_rounds = sizes.n_rounds if in_table_1 or not size else sizes.n_rounds_from_forest
            boosted[setting, size] = {
                alpha: kept_boosting(
                    keep,
                    f"{prefix}-{setting}-from-{size}-{n_rounds}-rounds-rate-{alpha}",
                    partial(run_boosting, data, setting, start, n_rounds, alpha, sizes.every),
                )
                for alpha in sizes.learning_rates
            }
        forests[setting] = replace(forest, values={})
    missing = None
    if shown:
        missing = compare_missing(data, keep, sizes.forest_sizes[-2], sizes.n_rounds_from_forest, sizes.seed)
    counted = {split: statistics(getattr(fold, split)) for split in ("train", "test")}
    return FoldResults(fold.name, str(data.convention), counted, forests, boosted, missing)


def kept_forest(data: Prepared, setting: str, sizes: Setting, keep: Keep, name: str) -> ForestRun:
    """Run a forest, or read what it gave."""

    def make() -> Arrays:
        run = run_forest(data, setting, sizes.forest_sizes, sizes.seed)
        measured = {f"metrics_{split}": values for split, values in run.metrics.items()}
        return {"seconds": run.seconds, **measured, **run.values}

    found = keep(name, make)
    metrics = {split: found[f"metrics_{split}"] for split in ("valid", "test")}
    return ForestRun(sizes.forest_sizes, {split: found[split] for split in SPLITS}, metrics, found["seconds"])


def kept_boosting(keep: Keep, name: str, run: Callable[[], BoostRun]) -> BoostRun:
    """Boost, or read what it gave."""

    def make() -> Arrays:
        made = run()
        return {"rounds": made.rounds, "seconds": made.seconds, **made.metrics}

    found = keep(name, make)
    return BoostRun(found["rounds"], {split: found[split] for split in ("valid", "test")}, found["seconds"])


def draw_figures(result: FoldResults, sizes: Setting, out: Path) -> Iterator[tuple[str, Path]]:
    """Draw Figures 1 and 2: metrics over rounds for each learning rate, against the forest's line."""
    forest = result.forests["R"].metrics["test"][-1]
    for number, size, method in ((1, 0, "GBRT"), (2, sizes.forest_sizes[-1], "iGBRT")):
        path = out / f"figure{number}-{sizes.name}.png"
        title = f"{method} (R) against a forest of {sizes.forest_sizes[-1]:,} trees: {result.name}, test set"
        far_off = 0 if size else sizes.n_rounds // sizes.every // 8  # the first rounds from F = 0
        draw_traces(result.boosted["R", size], forest, title, path, far_off)
        yield f"Figure {number}", path
