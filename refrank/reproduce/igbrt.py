"""iGBRT Sec. 7 on any LETOR folds, or on artificial data: Tables 1 to 4, Figures 1 and 2, missing values.

Forests, and boosting from one with one learning rate, make cells; a finished cell is kept as a file, so that an
interrupted run goes on where it stopped. A cell made with other sizes, data or another release is made again.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from refrank.config import resolve_threads
from refrank.datasets import Fold, load_folds
from refrank.datasets.folds import SPLITS
from refrank.reproduce.artificial import artificial_fold, with_holes
from refrank.reproduce.cells import Arrays, Keep, checksum, keeper
from refrank.reproduce.igbrt_figures import draw_traces
from refrank.reproduce.igbrt_missing import compare_missing
from refrank.reproduce.igbrt_results import FoldResults
from refrank.reproduce.igbrt_runs import BoostRun, ForestRun, Prepared, prepared, run_boosting, run_forest
from refrank.reproduce.igbrt_tables import table_1, table_2, table_3, table_4, table_of_missing


@dataclass(frozen=True)
class Setting:
    """Sizes of a run."""

    name: str
    forest_sizes: tuple[int, ...]  # M_RF, rising; the last one is Table 3's
    n_rounds: int  # M_B of GBRT
    n_rounds_from_forest: int  # M_B of iGBRT
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
    setting = FULL if full else SMALL if data else ARTIFICIAL
    # a feature that a line does not list is NaN until it is said what stands in for it
    folds: Iterable[Fold] = (
        load_folds(data, absent=np.nan, unlabelled=unlabelled)
        if data
        else [with_holes(artificial_fold("artificial 0", ARTIFICIAL_QUERIES, seed=0), ARTIFICIAL_SHARE, seed=0)]
    )
    out.mkdir(parents=True, exist_ok=True)
    results: list[FoldResults] = []
    figures, missing, convention = [], None, ""
    for fold in folds:
        ready = prepared(fold, resolve_threads(n_threads))
        way = {"setting": asdict(setting), "convention": str(ready.convention), "data": checksum(fold)}
        keep = keeper(out, way)
        results.append(run_fold(ready, setting, keep, with_table_1=not results))
        if len(results) == 1:
            figures = [*draw_figures(results[0], setting, out)]
            missing = compare_missing(ready, keep, setting.forest_sizes[-2], setting.n_rounds_from_forest, setting.seed)
        convention = str(ready.convention)
    assert missing is not None
    text = "\n\n".join(
        [
            f"sizes {setting.name}: {asdict(setting)}\nconvention {convention}; NDCG is NDCG@10",
            table_2([result.fold for result in results]),
            table_1(results[0], setting.forest_sizes),
            table_3(results, setting.forest_sizes[-1]),
            table_4(results[0], setting.forest_sizes, setting.learning_rates[0]),
            table_of_missing(missing, results[0].fold.name),
            *(f"{title}: {path}" for title, path in figures),
        ]
    )
    (out / f"tables-{setting.name}.txt").write_text(text + "\n", encoding="utf-8")
    return text


def run_fold(data: Prepared, sizes: Setting, keep: Keep, with_table_1: bool) -> FoldResults:
    """Run all cells of a fold: the forests, GBRT, and iGBRT from the largest forest; for Table 1 from all, as R."""
    forests: dict[str, ForestRun] = {}
    boosted: dict[tuple[str, int], dict[float, BoostRun]] = {}
    name = data.fold.name.replace(" ", "-")
    for setting in ("R", "C"):
        forest = forests[setting] = kept_forest(data, setting, sizes, keep, f"{sizes.name}-{name}-{setting}-forest")
        all_sizes = sizes.forest_sizes if with_table_1 and setting == "R" else sizes.forest_sizes[-1:]
        for size in (0, *all_sizes):
            start = data.zeros(setting)
            if size:
                start = {split: forest.values[split][forest.sizes.index(size)] for split in SPLITS}
            n_rounds = sizes.n_rounds_from_forest if size else sizes.n_rounds
            boosted[setting, size] = {
                alpha: kept_boosting(
                    keep,
                    f"{sizes.name}-{name}-{setting}-from-{size}-rate-{alpha}",
                    partial(run_boosting, data, setting, start, n_rounds, alpha, sizes.every),
                )
                for alpha in sizes.learning_rates
            }
    return FoldResults(data.fold, forests, boosted)


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
        return {"rounds": made.rounds, "seconds": np.array(made.seconds), **made.metrics}

    found = keep(name, make)
    return BoostRun(found["rounds"], {split: found[split] for split in ("valid", "test")}, float(found["seconds"]))


def draw_figures(result: FoldResults, sizes: Setting, out: Path) -> Iterator[tuple[str, Path]]:
    """Draw Figures 1 and 2: metrics over rounds for each learning rate, against the forest's line."""
    forest = result.forests["R"].metrics["test"][-1]
    for number, size, method in ((1, 0, "GBRT"), (2, sizes.forest_sizes[-1], "iGBRT")):
        path = out / f"figure{number}-{sizes.name}.png"
        title = f"{method} (R) against a forest of {sizes.forest_sizes[-1]:,} trees: {result.fold.name}, test set"
        draw_traces(result.boosted["R", size], forest, title, path)
        yield f"Figure {number}", path
