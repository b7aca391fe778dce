"""The tables of iGBRT as text, the paper's own numbers beside ours where the data are the paper's."""

from collections.abc import Iterable, Sequence
from statistics import fmean

import numpy as np

from refrank.igbrt.missing_values import SUBSTITUTES
from refrank.reproduce.igbrt.missing import METHODS as MISSING_METHODS
from refrank.reproduce.igbrt.printed import COLUMNS, RANKLIB, TABLE_1, TABLE_2, TABLE_3, TABLE_4, check_claims
from refrank.reproduce.igbrt.results import Choice, FoldResults
from refrank.reproduce.igbrt.runs import METRICS, TASKS, Sizes
from refrank.reproduce.tables import Row, write_table


def lay_out(title: str, rows: Iterable[Row]) -> str:
    """Write a table with its title."""
    return "\n".join([title, *write_table(rows, 26, 17)])


def format_five(values: Iterable[float]) -> list[str]:
    """Write numbers as the paper does, to five places."""
    return [f"{value:.5f}" for value in values]


def find_printed_column(result: FoldResults) -> int | None:
    """Find the column of the paper's tables with so many training documents; None if the data are others."""
    documents, n = TABLE_2["train"]["documents"], result.statistics["train"].n_documents
    return documents.index(n) if n in documents else None


def is_set_2(result: FoldResults) -> bool:
    """Tell whether the data are Yahoo!'s Set 2, of which the paper prints Tables 1 and 4."""
    column = find_printed_column(result)
    return column is not None and COLUMNS[column] == "Set 2"


def is_mq2008_fold_1(result: FoldResults) -> bool:
    """Tell by its sizes whether the data are MQ2008's first fold."""
    train, test = result.statistics["train"], result.statistics["test"]
    return (train.n_features, train.n_documents, test.n_documents) == (46, 9630, 2874)


def read_printed(results: Sequence[FoldResults], values: Sequence[object]) -> list[str]:
    """Read the paper's number for each fold from a row of its tables; none at all if no fold is the paper's."""
    columns = [find_printed_column(result) for result in results]
    cells = ["" if column is None else str(values[column]) for column in columns]
    return cells if any(cells) else []


def write_table_1(result: FoldResults, sizes: Sizes) -> str:
    """Write what iGBRT (R) reaches from forests of different sizes; below, the paper's numbers of its Set 2."""
    forest_sizes, names = (0, *sizes.forest_sizes), ("RMSE", "ERR", "NDCG")
    chosen = [result.choose("R", size, sizes.n_rounds) for size in forest_sizes]
    rows: list[Row] = [
        ("M_RF", [str(size) for size in forest_sizes]),
        *((name, format_five(choice.metrics[METRICS.index(name)] for choice in chosen)) for name in names),
        ("chosen alpha", [str(choice.learning_rate) for choice in chosen]),
        ("chosen rounds", [str(choice.n_rounds) for choice in chosen]),
    ]
    if is_set_2(result):
        rows.append(("paper, M_RF", [str(size) for size in TABLE_1["trees"]]))
        rows += [(f"  {name}", format_five(TABLE_1[name])) for name in names]
    return lay_out(f"iGBRT Table 1: iGBRT (R) from forests of M_RF trees, test set of {result.name}", rows)


def write_table_2(results: Sequence[FoldResults]) -> str:
    """Write statistics of the data sets; "missing" counts absent features, "or 0" those that are 0 too."""
    rows: list[Row] = [("", [result.name for result in results])]
    for split in ("train", "test"):
        sets = [result.statistics[split] for result in results]
        rows += [
            (f"{split}: features", [str(data.n_features) for data in sets]),
            (f"{split}: documents", [str(data.n_documents) for data in sets]),
            (f"{split}: queries", [str(data.n_queries) for data in sets]),
            (f"{split}: documents per query", [f"{data.n_documents / data.n_queries:.3f}" for data in sets]),
            (f"{split}: missing", format_five(data.missing for data in sets)),
            (f"{split}: missing or 0", format_five(data.missing_or_zero for data in sets)),
        ]
        printed = ((name, read_printed(results, values)) for name, values in TABLE_2[split].items())
        rows += [(f"  paper, {name}", cells) for name, cells in printed if cells]
    return lay_out("iGBRT Table 2: training and test sets", rows)


def write_table_3(results: Sequence[FoldResults], sizes: Sizes) -> str:
    """Write ERR and NDCG of the three methods in both settings, their averages, and which claims hold."""
    chosen = choose_all(results, sizes)
    names, lines = [result.name for result in results], []
    for place, metric in enumerate(("ERR", "NDCG")):
        ours = {key: [float(choice.metrics[place]) for choice in choices] for key, choices in chosen.items()}
        rows: list[Row] = [("", [*names, "mean"])]
        for (method, task), values in ours.items():
            rows.append((f"{method} {task}", format_five([*values, fmean(values)])))
            if printed := read_printed(results, format_five(TABLE_3[metric][method, task])):
                rows.append(("  paper", printed))
        if any(map(is_mq2008_fold_1, results)):
            known = [f"{RANKLIB[metric]:.4f}" if is_mq2008_fold_1(result) else "" for result in results]
            rows.append(("RankLib's random forest", known))
        lines.append(lay_out(f"iGBRT Table 3: {metric}, test sets", rows))
        for where, table in (("here", ours), (f"in the paper's own table ({len(COLUMNS)} sets)", TABLE_3[metric])):
            for claim, held in check_claims(table).items():
                lines.append(f"  {claim}: true {where} in {sum(held)} of {len(held)}")
    boosted: list[Row] = [
        (f"{method} {task}", [f"{choice.learning_rate} / {choice.n_rounds}" for choice in choices])
        for (method, task), choices in chosen.items()
        if method != "RF"
    ]
    return "\n".join([*lines, *write_table([("chosen alpha / rounds", names), *boosted], 26, 17)])


def choose_all(results: Sequence[FoldResults], sizes: Sizes) -> dict[tuple[str, str], list[Choice]]:
    """Choose the parameters of each method and task on each fold."""
    largest = sizes.forest_sizes[-1]
    chosen: dict[tuple[str, str], list[Choice]] = {}
    for task in TASKS:
        chosen["GBRT", task] = [result.choose(task, 0, sizes.n_rounds) for result in results]
        chosen["RF", task] = [result.read_forest(task, largest) for result in results]
        chosen["iGBRT", task] = [result.choose(task, largest, sizes.n_rounds_from_forest) for result in results]
    return chosen


def write_table_4(result: FoldResults, sizes: Sizes) -> str:
    """Write seconds of training at the first learning rate, which include the predictions that are added up."""
    largest, n_rounds = sizes.forest_sizes[-1], sizes.n_rounds_from_forest
    heading = [*(f"RF {size}" for size in sizes.forest_sizes), f"GBRT {sizes.n_rounds}", f"iGBRT {largest}/{n_rounds}"]
    rows: list[Row] = [("", heading)]
    for task in TASKS:
        forest = result.forests[task]["seconds"]
        gbrt, igbrt = (result.boosted[task, size][sizes.learning_rates[0]] for size in (0, largest))
        boosting = igbrt["seconds"][np.flatnonzero(igbrt["steps"] == n_rounds)[0]]
        seconds = [*forest, gbrt["seconds"][-1], forest[-1] + boosting]
        rows.append((task, [f"{second:.1f}" for second in seconds]))
    if is_set_2(result):
        rows.append(("paper, minutes", [str(name) for name in TABLE_4["iterations"]]))
        rows += [(f"  {task}", [str(minutes) for minutes in TABLE_4[task]]) for task in TASKS]
    return lay_out(f"iGBRT Table 4: seconds on {result.name}, one learning rate", rows)


def write_missing(result: FoldResults) -> str:
    """Write the comparison of what stands in for missing features."""
    found = result.missing
    assert found is not None
    rows: list[Row] = [("", SUBSTITUTES)]
    for method in MISSING_METHODS:
        for place, metric in enumerate(METRICS):
            rows.append((f"{method} {metric}", format_five(found[method, way][place] for way in SUBSTITUTES)))
    return lay_out(f"iGBRT Sec. 7, missing features: regression, validation set of {result.name}", rows)
