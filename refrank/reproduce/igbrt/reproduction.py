"""iGBRT Sec. 7 on any LETOR folds, or on artificial data: Tables 1 to 4, Figures 1 and 2, missing values.

A cell is a forest, or boosting from one with one learning rate.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from joblib import Parallel, delayed

from refrank.checks import check_integer, check_number
from refrank.datasets import Fold
from refrank.datasets.layouts import SPLITS
from refrank.reproduce.artificial import make_heavy_tailed_fold, remove_features
from refrank.reproduce.cells import Arrays, CellStore
from refrank.reproduce.igbrt import tables
from refrank.reproduce.igbrt.comparisons import write_tests
from refrank.reproduce.igbrt.figures import add_errors, draw_figures
from refrank.reproduce.igbrt.printed import METHODS
from refrank.reproduce.igbrt.runs import TASKS, PreparedFold, Sizes, compare_missing, run_boosting, run_forest
from refrank.reproduce.igbrt.tables import FoldResults
from refrank.reproduce.run import Reproduction
from refrank.reproduce.unfinished import fetch_resumed
from refrank.trees.bins.binning import MOST_BINS

SMALL = Sizes("small", (10, 100, 300), 200, 100, 5)
# iGBRT Sec. 7, Table 1 and Table 4
FULL = Sizes("full", (100, 1_000, 10_000), 1_000, 500, 10)
ARTIFICIAL = Sizes("artificial", (10, 100, 300), 120, 60, 5, n_queries=(1_000, 1_000, 6_000))
# Sizes that a cell depends on beside its name: those of a forest, and of boosting from it
OF_FORESTS = ("forest_sizes", "n_bins", "seed")
OF_BOOSTING = (*OF_FORESTS, "n_rounds_from_forest", "every", "max_depth")
PARTS = ("table-1", "table-2", "table-3", "table-4", "missing", "figures")
# The settings of the authors' program: -d 4 counts the root, and its evaluation is "yahoo". The rates are those that
# COCR's authors used.
LIKE: dict[str, dict[str, Any]] = {
    "rt-rank": {"max_depth": 3, "learning_rates": (0.02, 0.05, 0.1), "convention": "yahoo"}
}


def change_sizes(
    sizes: Sizes,
    like: str | None = None,
    depth: int | None = None,
    learning_rates: Sequence[float] | None = None,
    n_bins: int | None = None,
) -> Sizes:
    """Change sizes by the flags; the name, which the files carry, lists the changes.

    >>> changed = change_sizes(SMALL, "rt-rank", n_bins=256)
    >>> changed.name, changed.max_depth, changed.n_bins
    ('small-rt-rank-bins-256', 3, 256)
    """
    changes: dict[str, Any] = dict(LIKE[like]) if like else {}
    name = [sizes.name, *([like] if like else [])]
    if depth is not None:
        changes["max_depth"] = check_integer("depth", depth, at_least=1)
        name.append(f"depth-{depth}")
    if learning_rates is not None:
        for rate in learning_rates:
            check_number("learning_rate", rate, above=0, at_most=1)
        changes["learning_rates"] = tuple(sorted(set(learning_rates)))
        name.append("-".join(["rate", *map(str, changes["learning_rates"])]))
    if n_bins is not None:
        changes["n_bins"] = check_integer("bins", n_bins, 2, MOST_BINS)
        name.append(f"bins-{n_bins}")
    return replace(sizes, **changes, name="-".join(name))


def reproduce(sizes: Sizes, run: Reproduction, only: Collection[str] = PARTS) -> str:
    """Compute the missing cells, draw the figures, write the tables, and return them as text.

    `only` lists the PARTS to make; no cell is computed for the others. Folds are joblib tasks, which run one after the
    other unless `joblib.parallel_config` sets workers.
    """
    sizes = replace(sizes, name=run.make_stem(sizes.name))
    run.check_added(["artificial 0"], (f"{method} {task}" for method in METHODS for task in TASKS))
    # a feature that a line does not list is NaN until a substitute replaces it
    folds: Iterable[Fold] = (
        run.load(tells_gaps=True) if run.data else [remove_features(make_heavy_tailed_fold(sizes.n_queries), 0.4)]
    )
    # iGBRT Sec. 2: "We use the smaller Set 2 for illustration throughout the paper"
    shown = "set2" if run.data and "set2" in run.reading.list_folds(run.data) else None
    tasks = (
        delayed(run_fold)(fold, sizes, run, fold.name == shown if shown else number == 0, only)
        for number, fold in enumerate(folds)
    )
    results: list[FoldResults] = Parallel(pre_dispatch="n_jobs")(tasks)
    example = next(result for result in results if result.shown)
    write: dict[str, Callable[[], list[list[str]]]] = {
        "table-2": lambda: [tables.write_table_2(results)],
        "table-1": lambda: [tables.write_table_1(example, sizes)],
        "table-3": lambda: [tables.write_table_3(results, sizes), write_tests(results, sizes)],
        "table-4": lambda: [tables.write_table_4(example, sizes)],
        "missing": lambda: [tables.write_missing(example)],
        "figures": lambda: [[line] for line in draw_figures(example, sizes, run)],
    }
    name = sizes.name if set(only) == set(PARTS) else "-".join([sizes.name, *(part for part in PARTS if part in only)])
    return run.write(
        f"tables-{name}.txt",
        [sizes.describe(), f"convention {example.convention}; NDCG is NDCG@10"],
        *(block for part in write if part in only for block in write[part]()),
    )


def run_fold(fold: Fold, sizes: Sizes, run: Reproduction, shown: bool, only: Collection[str] = PARTS) -> FoldResults:
    """Compute the cells of a fold that the parts in `only` read: the forests, GBRT, and iGBRT from the largest forest.

    Table 1 and Figure 2 are of the shown fold, and need iGBRT (R) from all forests, for the rounds of GBRT.
    """
    data = PreparedFold(fold, run.n_threads, sizes.n_bins, sizes.convention)  # in the process that runs the fold
    added = {ranker.name: data.measure_scores("test", ranker.read(fold)) for ranker in run.added}
    forest_store, store = (
        CellStore(run.folder, fold, {name: getattr(sizes, name) for name in names}, data.convention)
        for names in (OF_FORESTS, OF_BOOSTING)
    )
    whole_table, of_shown = "table-3" in only, shown and bool({"table-1", "figures"} & {*only})
    both_tasks = whole_table or (shown and "table-4" in only)
    forests: dict[str, Arrays] = {}
    boosted: dict[tuple[str, int], dict[float, Arrays]] = {}
    for task in TASKS if both_tasks else TASKS[:1] if of_shown else ():
        grow = partial(run_forest, data, task, sizes, "test")
        forest = fetch_resumed(forest_store, f"{fold.name}-{task}-forest", grow)
        in_table_1 = of_shown and task == "R"
        for size in (0, *(sizes.forest_sizes if in_table_1 else sizes.forest_sizes[-1:])):
            start = data.make_zeros(task)
            if size:
                start = {split: forest[f"values_{split}"][sizes.forest_sizes.index(size)] for split in SPLITS}
            # iGBRT Sec. 5: "chosen on a validation data set (up to M_B = 1000)"; Sec. 7: "we set M_B = 500"
            n_rounds = sizes.n_rounds if in_table_1 or not size else sizes.n_rounds_from_forest
            name = f"{fold.name}-{task}-from-{size}-{n_rounds}-rounds-rate"
            steps = range(sizes.every, n_rounds + 1, sizes.every)
            boost = partial(run_boosting, data, task, start, steps, max_depth=sizes.max_depth)
            boosted[task, size] = {
                alpha: store.fetch(f"{name}-{alpha}", partial(boost, alpha)) for alpha in sizes.learning_rates
            }
        forests[task] = {name: array for name, array in forest.items() if not name.startswith("values")}
        if in_table_1:
            for runs in boosted.values():
                add_errors(runs, forest)
    missing = compare_missing(data, sizes, store) if shown and "missing" in only else None
    counted = {split: tables.count_statistics(data.splits[split]) for split in ("train", "test")}
    results = FoldResults(fold.name, str(data.convention), counted, forests, boosted, missing, shown, added)
    return results.keep_queries(sizes) if whole_table else results
