"""The tables of iGBRT as text, with the paper's own numbers beside ours if the data are the paper's."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from statistics import fmean
from typing import NamedTuple

import numpy as np

from refrank.arrays import Floats
from refrank.datasets import LetorData
from refrank.igbrt.missing_values import SUBSTITUTES
from refrank.metrics import paired_test
from refrank.reproduce.cells import Arrays
from refrank.reproduce.igbrt.printed import COLUMNS, RANKLIB, TABLE_1, TABLE_2, TABLE_3, TABLE_4, check_claims
from refrank.reproduce.igbrt.runs import METRICS, MISSING_METHODS, OF_OTHER, OTHER, TASKS, Comparison, Reached, Sizes
from refrank.reproduce.tables import Row, format_p_value, write_table

NAMED = {"paper": "convention paper", "yahoo": "convention yahoo, the authors' own"}

# The statistics of Table 2 and their formats; "missing" counts absent features, "or 0" also those that are 0
STATISTICS = dict.fromkeys(("features", "documents", "queries"), "d")
STATISTICS |= {"documents per query": ".3f", "missing": ".5f", "missing or 0": ".5f"}


def count_statistics(data: LetorData) -> dict[str, float]:
    """Count the statistics of Table 2."""
    absent, n_queries = np.isnan(data.X), len(np.unique(data.qid))
    sizes = (data.X.shape[1], len(data.y), n_queries, len(data.y) / n_queries)
    return dict(zip(STATISTICS, (*sizes, absent.mean(), (absent | (data.X == 0)).mean()), strict=True))


class ChosenRun(NamedTuple):
    """The parameters that the validation set chose, and their results on the test set."""

    metrics: Floats  # (5,), as in `Reached`
    n_rounds: int
    learning_rate: float
    queries: Floats | None  # (2, n_queries), as in `Reached`, until `keep_queries` has dropped them


@dataclass(frozen=True, eq=False)
class FoldResults:
    """The contribution of one fold to the tables, without its rows."""

    name: str
    convention: str
    statistics: dict[str, dict[str, float]]  # by split, "train" and "test"
    forests: dict[str, Arrays]  # task -> result of `run_forest`, without values
    boosted: dict[tuple[str, int], dict[float, Arrays]]  # task, forest size -> rate -> result of `run_boosting`
    missing: Comparison | None = None  # on the shown fold only
    shown: bool = False
    added: dict[str, Reached] = field(default_factory=dict)  # of external rankers, on the test set
    queries: dict[tuple[str, str], Floats] = field(default_factory=dict)  # of Table 3: (2, n_queries)

    def choose(self, task: str, size: int, at_most: int) -> ChosenRun:
        """Choose, by validation ERR, learning rate and at most `at_most` rounds after a forest of `size` trees or none.

        Among equal ERR, prefer the smaller learning rate, then fewer rounds.
        """
        # iGBRT Sec. 7: "the parameter settings that best performed on the validation sets"
        runs = self.boosted[task, size]
        reached = {
            (alpha, stage): run["valid"][stage, 0]
            for alpha, run in runs.items()
            for stage in np.flatnonzero(run["steps"] <= at_most).tolist()
        }
        alpha, stage = max(sorted(reached), key=reached.__getitem__)  # the first of the highest
        run = runs[alpha]
        queries = run["test_queries"][stage].copy() if "test_queries" in run else None  # not a view of all steps
        return ChosenRun(run["test"][stage], int(run["steps"][stage]), alpha, queries)

    def choose_for_table_3(self, sizes: Sizes) -> dict[tuple[str, str], ChosenRun]:
        """Choose the parameters of each method in both settings; a forest has none to choose."""
        chosen: dict[tuple[str, str], ChosenRun] = {}
        for task in TASKS:
            chosen["GBRT", task] = self.choose(task, 0, sizes.n_rounds)
            forest = self.forests[task]
            chosen["RF", task] = ChosenRun(forest["test"][-1], 0, 0.0, forest["test_queries"][-1])
            chosen["iGBRT", task] = self.choose(task, sizes.forest_sizes[-1], sizes.n_rounds_from_forest)
        return chosen

    def keep_queries(self, sizes: Sizes) -> "FoldResults":
        """Keep only Table 3's values of the test queries, since all of them would fill the memory."""
        chosen = self.choose_for_table_3(sizes).items()
        boosted = {
            start: {alpha: {name: run[name] for name in run if name != "test_queries"} for alpha, run in runs.items()}
            for start, runs in self.boosted.items()
        }
        queries = {key: choice.queries for key, choice in chosen if choice.queries is not None}
        return replace(self, boosted=boosted, queries=queries)

    def recognize(self) -> str:
        """Recognize a column of the paper's tables by its sizes, or "MQ2008" by its first fold; "" for other data."""
        train, test = self.statistics["train"], self.statistics["test"]
        if (train["features"], train["documents"], test["documents"]) == (46, 9630, 2874):
            return "MQ2008"
        return dict(zip(TABLE_2["train"]["documents"], COLUMNS, strict=True)).get(train["documents"], "")


def lay_out(title: str, rows: Iterable[Row]) -> list[str]:
    """Write a table with its title."""
    return [title, *write_table(rows, 26, 17)]


def format_five(values: Iterable[float]) -> list[str]:
    """Write numbers to five places, as the paper does."""
    return [f"{value:.5f}" for value in values]


def find_printed(name: str, results: Sequence[FoldResults], values: Iterable[object], data: Sequence[str]) -> list[Row]:
    """Make a row of the values that the paper prints for each fold's data; no row if it prints none."""
    printed = dict(zip(data, map(str, values), strict=True))
    cells = [printed.get(result.recognize(), "") for result in results]
    return [(name, cells)] if any(cells) else []


def write_table_1(result: FoldResults, sizes: Sizes) -> list[str]:
    """Write the results of iGBRT (R) from forests of different sizes, and below them the paper's numbers for Set 2."""
    forest_sizes, names = (0, *sizes.forest_sizes), ("RMSE", "ERR", "NDCG")
    chosen = [result.choose("R", size, sizes.n_rounds) for size in forest_sizes]
    rows: list[Row] = [
        ("M_RF", [str(size) for size in forest_sizes]),
        *((name, format_five(choice.metrics[METRICS.index(name)] for choice in chosen)) for name in names),
        *(
            (f"{name}, {OTHER[sizes.convention]}", format_five(choice.metrics[place] for choice in chosen))
            for name, place in zip(METRICS, OF_OTHER, strict=False)
        ),
        ("chosen alpha", [str(choice.learning_rate) for choice in chosen]),
        ("chosen rounds", [str(choice.n_rounds) for choice in chosen]),
    ]
    if result.recognize() == "Set 2":
        rows.append(("paper (yahoo), M_RF", [str(size) for size in TABLE_1["trees"]]))
        rows += [(f"  {name}", format_five(TABLE_1[name])) for name in names]
    title = f"iGBRT Table 1: iGBRT (R) from forests of M_RF trees, test set of {result.name}"
    return lay_out(f"{title}, {NAMED[sizes.convention]}", rows)


def write_table_2(results: Sequence[FoldResults]) -> list[str]:
    """Write statistics of the data sets."""
    rows: list[Row] = [("", [result.name for result in results])]
    for split, printed in TABLE_2.items():
        for name, form in STATISTICS.items():
            rows.append((f"{split}: {name}", [f"{result.statistics[split][name]:{form}}" for result in results]))
        for name, values in printed.items():
            rows += find_printed(f"  paper, {name}", results, values, COLUMNS)
    return lay_out("iGBRT Table 2: training and test sets", rows)


def write_table_3(results: Sequence[FoldResults], sizes: Sizes) -> list[str]:
    """Write ERR and NDCG of the three methods in both settings, their averages, and which claims hold.

    The paper's figures are below ours by its own convention.
    """
    names, lines = [result.name for result in results], []
    of_folds = [result.choose_for_table_3(sizes) for result in results]
    chosen = {key: [of_fold[key] for of_fold in of_folds] for key in of_folds[0]}
    columns = [(sizes.convention, *at) for at in ((0, "ERR"), (1, "NDCG"))]
    columns += [(OTHER[sizes.convention], *at) for at in zip(OF_OTHER, ("ERR", "NDCG"), strict=True)]
    for convention, place, metric in columns:
        ours = {key: [float(choice.metrics[place]) for choice in choices] for key, choices in chosen.items()}
        rows: list[Row] = [("", [*names, "mean"])]
        for (method, setting), values in ours.items():
            rows.append((f"{method} {setting}", format_five([*values, fmean(values)])))
            if convention == "yahoo":
                rows += find_printed("  paper", results, format_five(TABLE_3[metric][method, setting]), COLUMNS)
        if convention == "paper":
            rows += find_printed("RankLib's random forest", results, [f"{RANKLIB[metric]:.4f}"], ["MQ2008"])
        rows += compare_added(results, place)
        lines += lay_out(f"iGBRT Table 3: {metric}, test sets, {NAMED[convention]}", rows)
        for where, table in (("here", ours), (f"in the paper's own table ({len(COLUMNS)} sets)", TABLE_3[metric])):
            for claim, held in check_claims(table).items():
                lines.append(f"  {claim}: true {where} in {sum(held)} of {len(held)}")
    rows = [("chosen alpha / rounds", names)]
    for (method, task), choices in chosen.items():
        if method != "RF":
            rows.append((f"{method} {task}", [f"{of.learning_rate} / {of.n_rounds}" for of in choices]))
    return [*lines, *write_table(rows, 26, 17)]


def compare_added(results: Sequence[FoldResults], place: int) -> list[Row]:
    """Make the rows of the added rankers: a metric, and two-sided paired p-values by query against each of our rows.

    In the column of means, the p-value is over the queries of all folds. The other convention has means only.
    """
    rows: list[Row] = []
    for name in results[0].added:
        values = [float(result.added[name].metrics[place]) for result in results]
        rows.append((name, format_five([*values, fmean(values)])))
        for ours in results[0].queries if place < OF_OTHER[0] else ():
            pairs = [(result.added[name].queries[place], result.queries[ours][place]) for result in results]
            pairs.append((np.concatenate([a for a, _ in pairs]), np.concatenate([b for _, b in pairs])))
            p_values = [format_p_value(paired_test, a, b, "two-sided") for a, b in pairs]
            rows.append((f"  p against {' '.join(ours)}", p_values))
    return rows


def write_table_4(result: FoldResults, sizes: Sizes) -> list[str]:
    """Write seconds of training at the first learning rate, including the predictions that are added up."""
    largest, n_rounds = sizes.forest_sizes[-1], sizes.n_rounds_from_forest
    heading = [*(f"RF {size}" for size in sizes.forest_sizes), f"GBRT {sizes.n_rounds}", f"iGBRT {largest}/{n_rounds}"]
    rows: list[Row] = [("", heading)]
    for task in TASKS:
        forest = result.forests[task]["seconds"]
        gbrt, igbrt = (result.boosted[task, size][sizes.learning_rates[0]] for size in (0, largest))
        boosting = igbrt["seconds"][np.flatnonzero(igbrt["steps"] == n_rounds)[0]]
        seconds = [*forest, gbrt["seconds"][-1], forest[-1] + boosting]
        rows.append((task, [f"{second:.1f}" for second in seconds]))
    if result.recognize() == "Set 2":
        rows.append(("paper, minutes", [str(name) for name in TABLE_4["iterations"]]))
        rows += [(f"  {task}", [str(minutes) for minutes in TABLE_4[task]]) for task in TASKS]
    return lay_out(f"iGBRT Table 4: seconds on {result.name}, one learning rate", rows)


def write_missing(result: FoldResults) -> list[str]:
    """Write the comparison of substitutes for missing features."""
    metrics = result.missing
    assert metrics is not None
    rows: list[Row] = [("", SUBSTITUTES)]
    for method, (place, metric) in product(MISSING_METHODS, enumerate(METRICS)):
        rows.append((f"{method} {metric}", format_five(metrics[method, way][place] for way in SUBSTITUTES)))
    return lay_out(f"iGBRT Sec. 7, missing features: regression, validation set of {result.name}", rows)
