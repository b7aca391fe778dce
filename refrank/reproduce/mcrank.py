"""McRank Sec. 6 on the artificial data: the first row of Table 1, and Figure 1's panel.

Rankers and seeds make cells; a finished cell is kept as a file, so that an interrupted run goes on where it stopped.
A cell made with another setting, convention or release is made again.
"""

import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

import matplotlib.figure
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from refrank.datasets import LetorData, cubic_polynomial
from refrank.estimators import LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.estimators.mcrank import BoostRanker
from refrank.metrics import PRESETS, Summary, ndcg, paired_test, summarize, unpaired_test
from refrank.reproduce.mcrank_printed import TABLE_1

RANKERS: dict[str, Callable[..., BoostRanker]] = {  # the columns of Table 1
    "ordinal": OrdinalBoostRanker,
    "classification": SoftmaxBoostRanker,
    "regression": LSBoostRanker,
}
TRUNCATIONS = range(1, 11)  # L
CONVENTION = PRESETS["paper"]


@dataclass(frozen=True)
class Setting:
    """Sizes and parameters of a run."""

    name: str
    n_train: int  # queries
    n_valid: int
    n_test: int
    n_rounds: int  # M
    seeds: tuple[int, ...]
    n_leaves: int = 10  # J
    learning_rate: float = 0.05  # nu


SMALL = Setting("small", 1_000, 500, 1_000, 200, (0, 1, 2))
# McRank Sec. 6.1 and 6.2
FULL = Setting("full", 10_000, 5_000, 10_000, 1_000, (0,))


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
    draw_figure_1(pooled(cells, "test"), setting, figure)
    text = "\n".join([*table_1(cells, setting), "", f"Figure 1, artificial data: {figure}"])
    (folder / f"table1-{setting.name}.txt").write_text(text + "\n", encoding="utf-8")
    return text


def run_cells(setting: Setting, folder: Path, n_threads: int | None) -> Iterator[Cell]:
    """Yield each cell: from its file where it was finished before in the same way, else trained now."""
    way = {"setting": asdict(setting), "convention": str(CONVENTION), "refrank": metadata.version("refrank")}
    made_with = json.dumps(way, sort_keys=True)
    places = [(seed, name) for seed in setting.seeds for name in RANKERS]
    for seed, name in tqdm(places, "cells", unit="cell", disable=None):
        kept = folder / f"{setting.name}-{name}-{seed}.npz"
        cell = finished_cell(kept, made_with, name, seed)
        if cell is None:
            cell = run_cell(setting, name, seed, n_threads)
            unfinished = kept.with_suffix(".part.npz")
            np.savez(unfinished, valid=cell.valid, test=cell.test, made_with=made_with)
            unfinished.replace(kept)
        yield cell


def finished_cell(kept: Path, made_with: str, name: str, seed: int) -> Cell | None:
    """Read a cell, if it is there, whole, and made in this way."""
    try:
        with open(kept, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            return Cell(name, seed, arrays["valid"], arrays["test"]) if str(arrays["made_with"]) == made_with else None
    except (FileNotFoundError, EOFError, KeyError, ValueError, zipfile.BadZipFile):
        return None


def run_cell(setting: Setting, name: str, seed: int, n_threads: int | None) -> Cell:
    """Train one ranker and rank the validation and test queries. Nothing is chosen by the validation set (Sec. 6.2)."""
    # McRank Sec. 6.1: three draws of documents labelled by one polynomial
    train, valid, test = (
        cubic_polynomial(n_queries, random_state=3 * seed + split, polynomial_seed=seed)
        for split, n_queries in enumerate((setting.n_train, setting.n_valid, setting.n_test))
    )
    ranker = RANKERS[name](
        n_rounds=setting.n_rounds,
        n_leaves=setting.n_leaves,
        learning_rate=setting.learning_rate,
        n_classes=5,
        n_threads=n_threads,
        verbose=1,
    )
    ranker.fit(train.X, train.y, train.qid)
    return Cell(name, seed, ndcg_at_each(valid, ranker.predict(valid.X)), ndcg_at_each(test, ranker.predict(test.X)))


def ndcg_at_each(data: LetorData, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute NDCG of each query at L = 1..10, (n_queries, 10)."""
    return np.column_stack([ndcg(data.y, scores, data.qid, k, CONVENTION, per_query=True) for k in TRUNCATIONS])


def pooled(cells: list[Cell], split: str) -> dict[str, NDArray[np.float64]]:
    """Join the queries of all seeds, (n_queries, 10) a ranker."""
    return {name: np.vstack([getattr(cell, split) for cell in cells if cell.ranker == name]) for name in RANKERS}


def table_1(cells: list[Cell], setting: Setting) -> list[str]:
    """Write the artificial row of McRank Table 1, ours above the paper's."""
    valid, test = (
        {name: 100 * values[:, -1] for name, values in pooled(cells, split).items()} for split in ("valid", "test")
    )
    printed = TABLE_1[0]
    rows: list[tuple[str, list[Summary | None]]] = [
        ("refrank, validation", [*map(summarize, valid.values()), None]),
        ("refrank, test", [*map(summarize, test.values()), None]),
        ("paper, test", [printed.ordinal, printed.classification, printed.regression, printed.lambdarank]),
    ]
    lines = [
        "McRank Table 1, artificial data: NDCG at L = 10 in percent, mean (standard deviation over queries)",
        f"convention {CONVENTION}",
        f"{setting.name}: {setting.n_train:,} training, {setting.n_valid:,} validation and {setting.n_test:,} test "
        f"queries of 50 documents; seeds {', '.join(map(str, setting.seeds))}; "
        f"M = {setting.n_rounds}, J = {setting.n_leaves}, nu = {setting.learning_rate}",
        "",
        " " * 20 + "".join(f"{name:>16}" for name in (*RANKERS, "LambdaRank")),
    ]
    for who, summaries in rows:
        texts = ["not built yet" if cell is None else f"{cell.mean:.1f} ({cell.sd:.1f})" for cell in summaries]
        lines.append(f"{who:20}" + "".join(f"{text:>16}" for text in texts))
    unpaired, paired = (
        run_test(test["ordinal"], test["regression"], "greater").p_value for run_test in (unpaired_test, paired_test)
    )
    return [
        *lines,
        "",
        "one-sided p-value, ordinal classification above regression, on the test queries:",
        f"  refrank  {unpaired:.2g} by the paper's test (two samples, unpaired), {paired:.2g} by the paired t-test",
        f"  paper    {printed.p_regression:g}",
    ]


def draw_figure_1(test: dict[str, NDArray[np.float64]], setting: Setting, path: Path) -> None:
    """Draw McRank Figure 1's panels of the artificial data: means above, standard deviations below, over L."""
    figure = matplotlib.figure.Figure(figsize=(9, 4), layout="constrained")
    means, deviations = figure.subplots(1, 2)
    for (name, values), style in zip(test.items(), ("o-", "s--", "^:"), strict=True):
        over_queries = [summarize(100 * at_level) for at_level in values.T]  # L = 1..10
        means.plot(TRUNCATIONS, [summary.mean for summary in over_queries], style, label=name)
        deviations.plot(TRUNCATIONS, [summary.sd for summary in over_queries], style, label=name)
    figure.suptitle(
        f"McRank on its artificial data, {setting.name} run: NDCG of {len(values):,} test queries, "
        f"M = {setting.n_rounds}, J = {setting.n_leaves}"
    )
    means.set(ylabel="mean (%)")
    deviations.set(ylabel="standard deviation (%)")
    for panel in (means, deviations):
        panel.set(xlabel="truncation level L", xticks=TRUNCATIONS)
        panel.grid(alpha=0.3)
        panel.legend()
    figure.text(0.5, -0.04, f"convention {CONVENTION}", ha="center", fontsize=7)
    figure.savefig(path, dpi=120, bbox_inches="tight")
