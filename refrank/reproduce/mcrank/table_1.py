"""McRank Sec. 6 on the artificial data: the first row of Table 1, LAD's beside it, and Figure 1's panel.

Rankers and seeds make cells; a finished cell is kept as a file, so that an interrupted run goes on where it stopped.
A cell made with another setting, convention or release is made again.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from refrank.metrics import SignificanceTest, Summary, paired_test, summarize, unpaired_test
from refrank.reproduce.artificial import artificial_fold
from refrank.reproduce.cells import Arrays, kept_cell
from refrank.reproduce.mcrank_figures import draw_figure_1
from refrank.reproduce.mcrank_printed import TABLE_1, PrintedRow
from refrank.reproduce.mcrank_rankers import BESIDE, CONVENTION, RANKERS, Parameters, ndcg_at_each


@dataclass(frozen=True)
class Setting(Parameters):
    """Sizes and parameters of a run."""

    name: str
    n_train: int  # queries
    n_valid: int
    n_test: int
    seeds: tuple[int, ...]
    n_classes: int | None = field(default=5, kw_only=True)


SMALL = Setting("small", 1_000, 500, 1_000, (0, 1, 2), n_rounds=200)
# McRank Sec. 6.1 and 6.2
FULL = Setting("full", 10_000, 5_000, 10_000, (0,), n_rounds=1_000)


@dataclass(frozen=True)
class Cell:
    """One ranker on one seed."""

    ranker: str
    seed: int
    valid: NDArray[np.float64]  # (n_valid, 10) NDCG of each query at L = 1..10
    test: NDArray[np.float64]  # (n_test, 10)


def reproduce(setting: Setting, folder: Path, n_threads: int | None = None) -> str:
    """Run the cells that are not done yet, write Table 1's row and Figure 1 into the folder, and return the text."""
    folder.mkdir(parents=True, exist_ok=True)
    cells = list(run_cells(setting, folder, n_threads))
    figure = folder / f"figure1-{setting.name}.png"
    draw_figure_1(pooled(cells, "test"), f"its artificial data, {setting.name} run", setting, figure)
    text = "\n".join([*table_1(cells, setting), "", f"Figure 1, artificial data: {figure}"])
    (folder / f"table1-{setting.name}.txt").write_text(text + "\n", encoding="utf-8")
    return text


def run_cells(setting: Setting, folder: Path, n_threads: int | None) -> Iterator[Cell]:
    """Yield each cell: from its file where it was finished before in the same way, else trained now."""
    way = {"setting": asdict(setting), "convention": str(CONVENTION)}
    places = [(seed, name) for seed in setting.seeds for name in (*RANKERS, *BESIDE)]
    for seed, name in tqdm(places, "cells", unit="cell", disable=None):
        kept = folder / f"{setting.name}-{name}-{seed}.npz"
        arrays = kept_cell(kept, way, partial(run_cell, setting, name, seed, n_threads))
        yield Cell(name, seed, arrays["valid"], arrays["test"])


def run_cell(setting: Setting, name: str, seed: int, n_threads: int | None) -> Arrays:
    """Train one ranker, and return the NDCG of the validation and test queries at L = 1..10."""
    # McRank Sec. 6.1: three draws of documents labelled by one polynomial
    fold = artificial_fold("artificial", (setting.n_train, setting.n_valid, setting.n_test), seed)
    ranker = (RANKERS | BESIDE)[name](setting, fold.train, fold.valid, seed, n_threads)
    return {
        "valid": ndcg_at_each(fold.valid, ranker.predict(fold.valid.X)),
        "test": ndcg_at_each(fold.test, ranker.predict(fold.test.X)),
    }


def pooled(cells: list[Cell], split: str) -> dict[str, NDArray[np.float64]]:
    """Join the queries of all seeds, (n_queries, 10) a ranker."""
    names = dict.fromkeys(cell.ranker for cell in cells)
    return {name: np.vstack([getattr(cell, split) for cell in cells if cell.ranker == name]) for name in names}


def table_1(cells: list[Cell], setting: Setting) -> list[str]:
    """Write the artificial row of McRank Table 1, ours above the paper's, and LAD's beside it."""
    valid, test = (
        {name: 100 * values[:, -1] for name, values in pooled(cells, split).items()} for split in ("valid", "test")
    )
    printed = TABLE_1[0]
    printed_cells = [cell for cell in (getattr(printed, name.lower()) for name in RANKERS) if cell is not None]
    rows: list[tuple[str, list[Summary]]] = [
        ("refrank, validation", [summarize(valid[name]) for name in RANKERS]),
        ("refrank, test", [summarize(test[name]) for name in RANKERS]),
        ("paper, test", printed_cells),
    ]
    return [
        "McRank Table 1, artificial data: NDCG at L = 10 in percent, mean (standard deviation over queries)",
        f"convention {CONVENTION}",
        f"{setting.name}: {setting.n_train:,} training, {setting.n_valid:,} validation and {setting.n_test:,} test "
        f"queries of 50 documents; seeds {', '.join(map(str, setting.seeds))}",
        f"boosters: {setting.describe()}",
        f"LambdaRank: {setting.describe_net()};",
        "  its figure depends on the number of hidden units, which the paper does not give (docs/lambdarank.md)",
        "",
        *columns([*RANKERS], rows),
        "",
        *p_values(test, printed),
        "",
        'beside Table 1, least absolute deviation (Sec. 5, "considerably worse" than regression):',
        *columns([*BESIDE], [("refrank, test", [summarize(test[name]) for name in BESIDE])])[1:],
    ]


def columns(names: list[str], rows: list[tuple[str, list[Summary]]]) -> list[str]:
    """Write one column a ranker, under its name."""
    heading = " " * 20 + "".join(f"{name:>16}" for name in names)
    return [
        heading,
        *(f"{who:20}" + "".join(f"{f'{cell.mean:.1f} ({cell.sd:.1f})':>16}" for cell in cells) for who, cells in rows),
    ]


def p_values(test: dict[str, NDArray[np.float64]], printed: PrintedRow | None = None) -> list[str]:
    """Write the one-sided p-values of ordinal classification above regression and above LambdaRank."""
    lines = ["one-sided p-values, ordinal classification above the others, on the test queries:"]
    of_paper = {} if printed is None else {"regression": printed.p_regression, "LambdaRank": printed.p_lambdarank}
    for name in ("regression", "LambdaRank"):
        unpaired, paired = (p_value(test["ordinal"], test[name], by) for by in (unpaired_test, paired_test))
        lines.append(
            f"  {name:10}  refrank {unpaired} by the paper's test (two samples, unpaired), {paired} by the "
            "paired t-test" + (f"; paper {of_paper[name]:g}" if of_paper else "")
        )
    return lines


def p_value(ours: NDArray[np.float64], theirs: NDArray[np.float64], by: Callable[..., SignificanceTest]) -> str:
    """Write a one-sided p-value, or "none" where a small test set leaves no spread to test against."""
    try:
        return f"{by(ours, theirs, 'greater').p_value:.2g}"
    except ValueError:
        return "none"
