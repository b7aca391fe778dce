"""The tables of iGBRT as text, the paper's own numbers beside ours where the data are the paper's."""

from collections.abc import Sequence

import numpy as np

from refrank.datasets import Fold
from refrank.igbrt.missing_values import SUBSTITUTES
from refrank.reproduce.igbrt_printed import COLUMNS, METHODS, TABLE_1, TABLE_2, TABLE_3, TABLE_4, claims
from refrank.reproduce.igbrt_results import FoldResults


def printed_column(fold: Fold) -> int | None:
    """Find the column of the paper's tables that has so many training documents; None where the data are others."""
    documents = TABLE_2["train"]["documents"]
    return documents.index(len(fold.train.y)) if len(fold.train.y) in documents else None


def table_2(folds: Sequence[Fold]) -> str:
    """Write statistics of the data sets; "missing" counts absent features, "or 0" those that are 0 too."""
    lines = ["iGBRT Table 2: training and test sets", row("", [fold.name for fold in folds])]
    for split in ("train", "test"):
        parts = [getattr(fold, split) for fold in folds]
        n_queries = [len(np.unique(part.qid)) for part in parts]
        lines += [
            row(f"{split}: features", [str(part.X.shape[1]) for part in parts]),
            row(f"{split}: documents", [str(len(part.y)) for part in parts]),
            row(f"{split}: queries", [str(n) for n in n_queries]),
            row(f"{split}: documents a query", [f"{len(p.y) / n:.3f}" for p, n in zip(parts, n_queries, strict=True)]),
            row(f"{split}: missing", [f"{np.isnan(part.X).mean():.5f}" for part in parts]),
            row(f"{split}: missing or 0", [f"{(np.isnan(part.X) | (part.X == 0)).mean():.5f}" for part in parts]),
        ]
        for name, values in TABLE_2[split].items():
            if any((at := printed_column(fold)) is not None for fold in folds):
                texts = ["" if (at := printed_column(fold)) is None else str(values[at]) for fold in folds]
                lines.append(row(f"  paper, {name}", texts))
    return "\n".join(lines)


def table_1(result: FoldResults, sizes: Sequence[int]) -> str:
    """Write what iGBRT (R) reaches from forests of different sizes."""
    chosen = [result.chosen("iGBRT", "R", size) for size in (0, *sizes)]
    lines = [
        f"iGBRT Table 1: iGBRT (R) from forests of so many trees, test set of {result.fold.name}",
        row("M_RF", [str(size) for size in (0, *sizes)]),
        row("RMSE", [f"{c.metrics[2]:.5f}" for c in chosen]),
        row("ERR", [f"{c.metrics[0]:.5f}" for c in chosen]),
        row("NDCG", [f"{c.metrics[1]:.5f}" for c in chosen]),
        row("chosen alpha", [str(c.learning_rate) for c in chosen]),
        row("chosen rounds", [str(c.n_rounds) for c in chosen]),
        row("paper, Yahoo Set 2:", [str(size) for size in TABLE_1["trees"]]),
    ]
    return "\n".join([*lines, *(row(f"  {m}", [f"{x:.5f}" for x in TABLE_1[m]]) for m in ("RMSE", "ERR", "NDCG"))])


def table_3(results: Sequence[FoldResults], size: int) -> str:
    """Write ERR and NDCG of the three methods in both settings, their averages, and which claims hold."""
    columns = [printed_column(result.fold) for result in results]
    names = [result.fold.name for result in results]
    chosen = {
        (method, setting): [result.chosen(method, setting, 0 if method == "GBRT" else size) for result in results]
        for setting in ("R", "C")
        for method in METHODS
    }
    lines = []
    for place, metric in enumerate(("ERR", "NDCG")):
        ours = {key: [float(cell.metrics[place]) for cell in found] for key, found in chosen.items()}
        lines += [f"iGBRT Table 3: {metric}, test sets", row("", [*names, "mean"])]
        for (method, setting), values in ours.items():
            lines.append(row(f"{method} {setting}", [f"{x:.5f}" for x in (*values, float(np.mean(values)))]))
            if any(at is not None for at in columns):
                printed = TABLE_3[metric][method, setting]
                lines.append(row("  paper", ["" if at is None else f"{printed[at]:.5f}" for at in columns]))
        for who, results_of in (("here", ours), (f"in the paper's own table ({len(COLUMNS)} sets)", TABLE_3[metric])):
            lines += [
                f"  {claim}: true {who} of {sum(held)} in {len(held)}" for claim, held in claims(results_of).items()
            ]
    lines.append(row("chosen alpha / rounds", names))
    for (method, setting), cells in chosen.items():
        if method != "RF":
            lines.append(row(f"{method} {setting}", [f"{c.learning_rate} / {c.n_rounds}" for c in cells]))
    return "\n".join(lines)


def table_4(result: FoldResults, sizes: Sequence[int], alpha: float) -> str:
    """Write seconds of training, which include the predictions that are added up."""
    lines = [f"iGBRT Table 4: seconds on {result.fold.name}, one learning rate", row("", [])]
    names = [*(f"RF {size}" for size in sizes), "GBRT", "iGBRT"]
    for setting in ("R", "C"):
        forest, boosted = result.forests[setting], result.boosted
        n_rounds = [int(boosted[setting, size][alpha].rounds[-1]) for size in (0, sizes[-1])]
        names[-2:] = [f"GBRT {n_rounds[0]}", f"iGBRT {sizes[-1]}/{n_rounds[1]}"]
        seconds = [*forest.seconds, boosted[setting, 0][alpha].seconds]
        seconds.append(forest.seconds[-1] + boosted[setting, sizes[-1]][alpha].seconds)
        lines.append(row(setting, [f"{second:.1f}" for second in seconds]))
    lines[1] = row("", names)
    lines.append(row("paper, minutes:", [str(name) for name in TABLE_4["iterations"]]))
    return "\n".join([*lines, *(row(f"  {setting}", [str(x) for x in TABLE_4[setting]]) for setting in ("R", "C"))])


def table_of_missing(found: dict[tuple[str, str], tuple[float, ...]], name: str) -> str:
    """Write the comparison of what stands in for missing features."""
    lines = [f"iGBRT Sec. 7, missing features: regression, validation set of {name}", row("", [*SUBSTITUTES])]
    for method in ("RF", "GBRT"):
        for place, metric in enumerate(("ERR", "NDCG", "RMSE")):
            lines.append(row(f"{method} {metric}", [f"{found[method, way][place]:.5f}" for way in SUBSTITUTES]))
    return "\n".join(lines)


def row(head: str, cells: Sequence[str]) -> str:
    """Write one line of a table."""
    return (f"{head:26}" + "".join(f"{cell:>17}" for cell in cells)).rstrip()
