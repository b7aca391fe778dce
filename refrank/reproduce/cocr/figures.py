"""COCR Fig. 1 (the parameter M of M5P) and Fig. 2 (rounds and trees of bagged M5P)."""

from pathlib import Path
from typing import Any

import matplotlib.figure
import numpy as np
from matplotlib.ticker import MaxNLocator, NullLocator

from refrank.datasets.folds import SPLITS
from refrank.metrics import summarize
from refrank.reproduce.cells import Arrays
from refrank.reproduce.cocr_cells import CONVENTION, DIRECT, Cells, Setting

STYLES = {"train": "^:", "valid": "s--", "test": "o-"}
NOTE = f"convention {CONVENTION!r}, ERR with K the highest grade of the data"


def draw_min_instances(cells: Cells, setting: Setting, path: Path) -> None:
    """Draw Fig. 1: training, validation and test ERR over M, (a) direct regression, (b) COCR with the oERR cost."""
    figure = matplotlib.figure.Figure(figsize=(9, 4), layout="constrained")
    for panel, way, title in zip(
        figure.subplots(1, 2, sharey=True), (DIRECT, "oerr"), ("(a) direct regression", "(b) COCR, oERR"), strict=True
    ):
        there = [m for m in setting.min_instances if (f"m5p-{m}", way) in cells]
        for part in SPLITS:
            values = [mean_of(cells[f"m5p-{m}", way], f"{part}_err") for m in there]
            panel.plot(there, values, STYLES[part], label={"train": "training", "valid": "validation"}.get(part, part))
        panel.set_xscale("log", base=2)
        panel.set(xlabel="M, least rows of a node that is cut", title=title, xticks=there, xticklabels=map(str, there))
        panel.xaxis.set_minor_locator(NullLocator())
        panel.tick_params(axis="x", labelsize=8)
        panel.grid(alpha=0.3)
    panel.legend()
    figure.supylabel("ERR", fontsize=10)
    finish(figure, path)


def draw_bagging(cells: Cells, setting: Setting, path: Path) -> None:
    """Draw Fig. 2: test ERR of bagged M5P over (a) rounds and (b) trees in all."""
    figure = matplotlib.figure.Figure(figsize=(9, 4), layout="constrained")
    rounds, trees = figure.subplots(1, 2, sharey=True)
    curves = {way: curve(cells["bagging", way]) for way in (DIRECT, "oerr")}
    n_rounds = len(curves["oerr"])
    n_problems = len(curves[DIRECT]) // n_rounds  # K
    for way, style, label in ((DIRECT, "s--", "direct"), ("oerr", "o-", "COCR, oERR")):
        rounds.plot(range(1, n_rounds + 1), curves[way][:n_rounds], style, ms=3, label=label)
        each = n_problems if way == "oerr" else 1
        trees.plot(each * np.arange(1, len(curves[way]) + 1), curves[way], style, ms=3, label=label)
    rounds.set(xlabel="rounds T", ylabel="test ERR", title="(a) equal rounds")
    trees.set(xlabel="trees in all", title="(b) equal trees")
    for panel in (rounds, trees):
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
        panel.grid(alpha=0.3)
    trees.legend()
    finish(figure, path)


def mean_of(folds: list[Arrays], measure: str) -> float:
    """Average over the queries of all folds."""
    return summarize(np.concatenate([arrays[measure] for arrays in folds])).mean


def curve(folds: list[Arrays]) -> list[float]:
    """Average test ERR over the queries of all folds, after each round that every fold has."""
    n_rounds = min(len(arrays["test_err"]) for arrays in folds)
    return [summarize(np.concatenate([arrays["test_err"][t] for arrays in folds])).mean for t in range(n_rounds)]


def finish(figure: Any, path: Path) -> None:
    """Add the convention, and write the picture."""
    figure.text(0.5, -0.04, NOTE, ha="center", fontsize=7)
    figure.savefig(path, dpi=120, bbox_inches="tight")
