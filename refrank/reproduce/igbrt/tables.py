"""The tables of iGBRT as text, the paper's own numbers beside ours where the data are the paper's."""

from collections.abc import Sequence
from statistics import fmean

from refrank.igbrt.missing_values import SUBSTITUTES
from refrank.reproduce.igbrt_printed import COLUMNS, METHODS, RANKLIB, TABLE_1, TABLE_2, TABLE_3, TABLE_4, claims
from refrank.reproduce.igbrt_results import FoldResults


def printed_column(result: FoldResults) -> int | None:
    """Find the column of the paper's tables that has so many training documents; None where the data are others."""
    documents, n = TABLE_2["train"]["documents"], result.statistics["train"].n_documents
    return documents.index(n) if n in documents else None


def table_2(results: Sequence[FoldResults]) -> str:
    """Write statistics of the data sets; "missing" counts absent features, "or 0" those that are 0 too."""
    columns = [printed_column(result) for result in results]
    lines = ["iGBRT Table 2: training and test sets", row("", [result.name for result in results])]
    for split in ("train", "test"):
        sets = [result.statistics[split] for result in results]
        lines += [
            row(f"{split}: features", [str(data.n_features) for data in sets]),
            row(f"{split}: documents", [str(data.n_documents) for data in sets]),
            row(f"{split}: queries", [str(data.n_queries) for data in sets]),
            row(f"{split}: documents a query", [f"{data.n_documents / data.n_queries:.3f}" for data in sets]),
            row(f"{split}: missing", [f"{data.missing:.5f}" for data in sets]),
            row(f"{split}: missing or 0", [f"{data.missing_or_zero:.5f}" for data in sets]),
        ]
        if any(at is not None for at in columns):
            for name, values in TABLE_2[split].items():
                lines.append(row(f"  paper, {name}", ["" if at is None else str(values[at]) for at in columns]))
    return "\n".join(lines)


def table_1(result: FoldResults, sizes: Sequence[int], n_rounds: int) -> str:
    """Write what iGBRT (R) reaches from forests of different sizes; below, the paper's numbers of its Set 2."""
    chosen = [result.chosen("iGBRT", "R", size, n_rounds) for size in (0, *sizes)]
    lines = [
        f"iGBRT Table 1: iGBRT (R) from forests of so many trees, test set of {result.name}",
        row("M_RF", [str(size) for size in (0, *sizes)]),
        row("RMSE", [f"{c.metrics[2]:.5f}" for c in chosen]),
        row("ERR", [f"{c.metrics[0]:.5f}" for c in chosen]),
        row("NDCG", [f"{c.metrics[1]:.5f}" for c in chosen]),
        row("chosen alpha", [str(c.learning_rate) for c in chosen]),
        row("chosen rounds", [str(c.n_rounds) for c in chosen]),
    ]
    if is_set_2(result):
        lines.append(row("paper, M_RF", [str(size) for size in TABLE_1["trees"]]))
        lines += [row(f"  {m}", [f"{x:.5f}" for x in TABLE_1[m]]) for m in ("RMSE", "ERR", "NDCG")]
    return "\n".join(lines)


def table_3(results: Sequence[FoldResults], size: int, n_rounds: int, n_rounds_from_forest: int) -> str:
    """Write ERR and NDCG of the three methods in both settings, their averages, and which claims hold."""
    columns = [printed_column(result) for result in results]
    names = [result.name for result in results]
    parameters = {"GBRT": (0, n_rounds), "RF": (size, 0), "iGBRT": (size, n_rounds_from_forest)}
    chosen = {
        (method, setting): [result.chosen(method, setting, *parameters[method]) for result in results]
        for setting in ("R", "C")
        for method in METHODS
    }
    lines = []
    for place, metric in enumerate(("ERR", "NDCG")):
        ours = {key: [float(cell.metrics[place]) for cell in found] for key, found in chosen.items()}
        lines += [f"iGBRT Table 3: {metric}, test sets", row("", [*names, "mean"])]
        for (method, setting), values in ours.items():
            lines.append(row(f"{method} {setting}", [f"{x:.5f}" for x in (*values, fmean(values))]))
            if any(at is not None for at in columns):
                printed = TABLE_3[metric][method, setting]
                lines.append(row("  paper", ["" if at is None else f"{printed[at]:.5f}" for at in columns]))
        if any(is_mq2008_fold_1(result) for result in results):
            known = [f"{RANKLIB[metric]:.4f}" if is_mq2008_fold_1(result) else "" for result in results]
            lines.append(row("RankLib's random forest", known))
        for who, results_of in (("here", ours), (f"in the paper's own table ({len(COLUMNS)} sets)", TABLE_3[metric])):
            lines += [
                f"  {claim}: true {who} of {sum(held)} in {len(held)}" for claim, held in claims(results_of).items()
            ]
    lines.append(row("chosen alpha / rounds", names))
    for (method, setting), cells in chosen.items():
        if method != "RF":
            lines.append(row(f"{method} {setting}", [f"{c.learning_rate} / {c.n_rounds}" for c in cells]))
    return "\n".join(lines)


def table_4(result: FoldResults, sizes: Sequence[int], n_rounds_from_forest: int, alpha: float) -> str:
    """Write seconds of training, which include the predictions that are added up."""
    lines = [f"iGBRT Table 4: seconds on {result.name}, one learning rate"]
    for setting in ("R", "C"):
        forest = result.forests[setting]
        gbrt, igbrt = (result.boosted[setting, size][alpha] for size in (0, sizes[-1]))
        stage = igbrt.rounds.tolist().index(n_rounds_from_forest)
        if setting == "R":
            last = [f"GBRT {gbrt.rounds[-1]}", f"iGBRT {sizes[-1]}/{n_rounds_from_forest}"]
            lines.append(row("", [*(f"RF {size}" for size in sizes), *last]))
        seconds = [*forest.seconds, gbrt.seconds[-1], forest.seconds[-1] + igbrt.seconds[stage]]
        lines.append(row(setting, [f"{second:.1f}" for second in seconds]))
    if is_set_2(result):
        lines.append(row("paper, minutes", [str(name) for name in TABLE_4["iterations"]]))
        lines += [row(f"  {setting}", [str(x) for x in TABLE_4[setting]]) for setting in ("R", "C")]
    return "\n".join(lines)


def is_set_2(result: FoldResults) -> bool:
    """Tell whether the data are Yahoo!'s Set 2, of which the paper prints Tables 1 and 4."""
    column = printed_column(result)
    return column is not None and COLUMNS[column] == "Set 2"


def is_mq2008_fold_1(result: FoldResults) -> bool:
    """Tell by its sizes whether the data are MQ2008's first fold."""
    train, test = result.statistics["train"], result.statistics["test"]
    return (train.n_features, train.n_documents, test.n_documents) == (46, 9630, 2874)


def table_of_missing(result: FoldResults) -> str:
    """Write the comparison of what stands in for missing features."""
    found = result.missing
    assert found is not None
    lines = [f"iGBRT Sec. 7, missing features: regression, validation set of {result.name}", row("", [*SUBSTITUTES])]
    for method in ("RF", "GBRT"):
        for place, metric in enumerate(("ERR", "NDCG", "RMSE")):
            lines.append(row(f"{method} {metric}", [f"{found[method, way][place]:.5f}" for way in SUBSTITUTES]))
    return "\n".join(lines)


def row(head: str, cells: Sequence[str]) -> str:
    """Write one line of a table."""
    return (f"{head:26}" + "".join(f"{cell:>17}" for cell in cells)).rstrip()
