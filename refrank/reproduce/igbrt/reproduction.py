"""iGBRT Sec. 7 on any LETOR folds, or on artificial data: Tables 1 to 4, Figures 1 and 2, missing values.

A cell is a forest, or boosting from one with one learning rate.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from refrank.datasets import Fold
from refrank.datasets.folds import SPLITS, find_folds
from refrank.reproduce.artificial import make_artificial_fold, remove_features
from refrank.reproduce.cells import Arrays, CellStore
from refrank.reproduce.figures import make_panels, save_figure
from refrank.reproduce.igbrt import tables
from refrank.reproduce.igbrt.printed import METHODS
from refrank.reproduce.igbrt.runs import METRICS, TASKS, PreparedFold, Sizes, compare_missing, run_boosting, run_forest
from refrank.reproduce.igbrt.tables import FoldResults
from refrank.reproduce.run import Run

SMALL = Sizes("small", (10, 100, 300), 200, 100, 5)
# iGBRT Sec. 7, Table 1 and Table 4
FULL = Sizes("full", (100, 1_000, 10_000), 1_000, 500, 10)
ARTIFICIAL = Sizes("artificial", (10, 100, 300), 120, 60, 5)


def reproduce(sizes: Sizes, run: Run) -> str:
    """Compute the cells that are not there yet, draw the figures, write the tables, and return them as text.

    Folds are joblib tasks: one after the other, unless `joblib.parallel_config` says otherwise.
    """
    run.check_added(["artificial 0"], (f"{method} {task}" for method in METHODS for task in TASKS))
    # a feature that a line does not list is NaN until something stands in for it
    folds: Iterable[Fold] = (
        run.load(absent=np.nan) if run.data else [remove_features(make_artificial_fold(sizes.n_queries), 0.4)]
    )
    # iGBRT Sec. 2: "We use the smaller Set 2 for illustration throughout the paper"
    shown = "set2" if run.data and "set2" in find_folds(run.data) else None
    tasks = (
        delayed(run_fold)(fold, sizes, run, shown=fold.name == shown if shown else number == 0)
        for number, fold in enumerate(folds)
    )
    results: list[FoldResults] = Parallel(pre_dispatch="n_jobs")(tasks)
    example = next(result for result in results if result.missing is not None)
    return run.write(
        f"tables-{sizes.name}.txt",
        [sizes.describe(), f"convention {example.convention}; NDCG is NDCG@10"],
        tables.write_table_2(results),
        tables.write_table_1(example, sizes),
        tables.write_table_3(results, sizes),
        tables.write_table_4(example, sizes),
        tables.write_missing(example),
        *([line] for line in draw_figures(example, sizes, run)),
    )


def run_fold(fold: Fold, sizes: Sizes, run: Run, shown: bool) -> FoldResults:
    """Compute all cells of a fold: the forests, GBRT, and iGBRT from the largest forest.

    Table 1 and Figure 2 are of the fold that is shown: they need iGBRT (R) from all forests, for the rounds of GBRT.
    """
    data = PreparedFold(fold, run.n_threads)  # in the process that runs the fold
    added = {one.name: data.measure_scores("test", one.read(fold)) for one in run.added}
    store = CellStore(run.folder, fold, asdict(sizes), data.convention)
    forests: dict[str, Arrays] = {}
    boosted: dict[tuple[str, int], dict[float, Arrays]] = {}
    for task in TASKS:
        forest = store.fetch(f"{fold.name}-{task}-forest", partial(run_forest, data, task, sizes))
        in_table_1 = shown and task == "R"
        for size in (0, *(sizes.forest_sizes if in_table_1 else sizes.forest_sizes[-1:])):
            start = data.make_zeros(task)
            if size:
                start = {split: forest[f"values_{split}"][sizes.forest_sizes.index(size)] for split in SPLITS}
            # iGBRT Sec. 5: "chosen on a validation data set (up to M_B = 1000)"; Sec. 7: "we set M_B = 500"
            n_rounds = sizes.n_rounds if in_table_1 or not size else sizes.n_rounds_from_forest
            name = f"{fold.name}-{task}-from-{size}-{n_rounds}-rounds-rate"
            boost = partial(run_boosting, data, task, start, n_rounds, every=sizes.every)
            boosted[task, size] = {
                alpha: store.fetch(f"{name}-{alpha}", partial(boost, alpha)) for alpha in sizes.learning_rates
            }
        forests[task] = {name: array for name, array in forest.items() if not name.startswith("values")}
    missing = compare_missing(data, sizes, store) if shown else None
    counted = {split: tables.count_statistics(data.splits[split]) for split in ("train", "test")}
    results = FoldResults(fold.name, str(data.convention), counted, forests, boosted, missing, added)
    return results.keep_queries(sizes)


def draw_figures(result: FoldResults, sizes: Sizes, run: Run) -> Iterator[str]:
    """Draw Figures 1 and 2 of one fold, against its largest forest, and yield a line that names each."""
    largest = sizes.forest_sizes[-1]
    for number, size, method in ((1, 0, "GBRT"), (2, largest, "iGBRT")):
        path = run.place(f"figure{number}-{sizes.name}.png")
        title = f"{method} (R) against a forest of {largest:,} trees: {result.name}, test set"
        n_far_off = 0 if size else sizes.n_rounds // sizes.every // 8  # the first rounds from F = 0
        draw_traces(result.boosted["R", size], result.forests["R"]["test"][-1], title, path, n_far_off)
        yield f"Figure {number}: {path}"


def draw_traces(runs: dict[float, Arrays], forest: NDArray[np.float64], title: str, path: Path, n_far_off: int) -> None:
    """Draw a panel per metric, a line per learning rate; the worst of the first `n_far_off` looks may lie outside."""
    figure, panels = make_panels((3, 1), (7, 8), sharex=True)
    for panel, metric in zip(panels, ("RMSE", "ERR", "NDCG"), strict=True):
        column, traces = METRICS.index(metric), []
        for alpha, run in runs.items():
            traces.append(run["test"][:, column])
            panel.plot(run["steps"], traces[-1], linewidth=1, label=f"alpha = {alpha}")
        panel.axhline(forest[column], color="black", linewidth=2.5, label="random forest")
        panel.set_ylabel("NDCG@10" if metric == "NDCG" else metric)
        late = [trace[n_far_off:] for trace in traces]
        lows, highs = (traces, late) if metric == "RMSE" else (late, traces)
        low, high = min(forest[column], *map(np.min, lows)), max(forest[column], *map(np.max, highs))
        panel.set_ylim(low - 0.08 * (high - low), high + 0.08 * (high - low))
    panels[0].set_title(title, fontsize=10)
    panels[2].set_xlabel("rounds of boosting")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", fontsize=8, ncols=3)
    save_figure(figure, path, dpi=130, bbox_inches=None)
