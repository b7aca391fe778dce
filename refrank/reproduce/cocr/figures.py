"""COCR Fig. 1 (the parameter M of M5P), Fig. 2 (rounds and trees of bagged M5P), and the proxies beyond the paper."""

from pathlib import Path

import numpy as np

from refrank.metrics import summarize
from refrank.reproduce.cells import Arrays
from refrank.reproduce.cocr.rankers import CONVENTION, COSTS, MEASURES, Results, Way
from refrank.reproduce.figures import make_panels, save_figure

STYLES = {"train": ("^:", "training"), "valid": ("s--", "validation"), "test": ("o-", "test")}
SHOWN: dict[Way, str] = {"direct": "(a) direct regression", "oerr": "(b) COCR, oERR"}
NOTE = f"convention {CONVENTION!r}, ERR with K the highest grade of the data"


def draw_min_instances(results: Results, path: Path) -> None:
    """Draw Fig. 1: training, validation and test ERR over M, (a) direct regression, (b) COCR with the oERR cost."""
    from matplotlib.ticker import NullLocator

    figure, panels = make_panels((1, 2), (9, 4), sharey=True)
    there = [m for m in results.setting.min_instances if (f"m5p-{m}", "direct") in results.cells]
    for panel, (way, title) in zip(panels, SHOWN.items(), strict=True):
        for split, (style, label) in STYLES.items():
            columns = [results.join(f"m5p-{m}", f"{split}_err") for m in there]
            panel.plot(there, [summarize(column[way]).mean for column in columns], style, label=label)
        panel.set_xscale("log", base=2)
        panel.set(xlabel="M, least rows of a node that is cut", title=title, xticks=there, xticklabels=map(str, there))
        panel.xaxis.set_minor_locator(NullLocator())
        panel.tick_params(axis="x", labelsize=8)
    panel.legend()
    figure.supylabel("ERR", fontsize=10)
    save_figure(figure, path, NOTE)


def draw_bagging(results: Results, path: Path) -> None:
    """Draw Fig. 2: test ERR of bagged M5P over (a) rounds and (b) trees in all."""
    from matplotlib.ticker import MaxNLocator

    figure, (rounds, trees) = make_panels((1, 2), (9, 4), sharey=True)
    direct, oerr = (average_rounds(results.cells["bagging", way]) for way in SHOWN)
    n_problems = len(direct) // len(oerr)  # K
    for curve, trees_per_round, style, label in ((direct, 1, "s--", "direct"), (oerr, n_problems, "o-", "COCR, oERR")):
        rounds.plot(range(1, len(oerr) + 1), curve[: len(oerr)], style, ms=3, label=label)
        trees.plot(trees_per_round * np.arange(1, len(curve) + 1), curve, style, ms=3, label=label)
    rounds.set(xlabel="rounds T", ylabel="test ERR", title="(a) equal rounds")
    trees.set(xlabel="trees in all", title="(b) equal trees")
    for panel in (rounds, trees):
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    trees.legend()
    save_figure(figure, path, NOTE)


def average_rounds(folds: list[Arrays]) -> list[float]:
    """Average test ERR over the queries of all folds, after each round that every fold has."""
    n_rounds = min(len(arrays["test_err"]) for arrays in folds)
    return [summarize(np.concatenate([arrays["test_err"][t] for arrays in folds])).mean for t in range(n_rounds)]


def draw_correlations(found: dict[tuple[str, str], list[float]], path: Path) -> None:
    """Draw one box per cost, side by side for each error."""
    figure, panels = make_panels((1, 2), (8, 4), grid="y", sharey=True)
    for panel, (measure, name) in zip(panels, MEASURES.items(), strict=True):
        panel.boxplot([found[measure, cost] for cost in COSTS], tick_labels=[*COSTS], widths=0.5, showfliers=False)
        for place, cost in enumerate(COSTS, start=1):
            values = found[measure, cost]
            panel.plot(place + np.linspace(-0.15, 0.15, len(values)), sorted(values), "o", ms=3, alpha=0.5)
        panel.set(title=f"{name} error", xlabel="cost, summed over a query")
        panel.axhline(0, color="grey", lw=0.8)
    figure.supylabel("rank correlation with the error, one dot per ranker", fontsize=10)
    save_figure(figure, path)
