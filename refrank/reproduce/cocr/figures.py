"""COCR Fig. 1 (the parameter M of M5P), Fig. 2 (rounds and trees of bagged M5P), and proxies that the paper lacks."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from refrank.arrays import Floats
from refrank.metrics import summarize
from refrank.reproduce.cells import Arrays
from refrank.reproduce.cocr.rankers import CONVENTION, COSTS, MEASURES, Results, Way
from refrank.reproduce.figures import make_panels, save_figure

STYLES = {"train": ("^:", "training"), "valid": ("s--", "validation"), "test": ("o-", "test")}  # the test split is last
SHOWN: dict[Way, str] = {"direct": "(a) direct regression", "oerr": "(b) COCR, oERR"}
NOTE = f"convention {CONVENTION!r}, ERR with K = {{}}"


def draw_min_instances(results: Results, path: Path) -> None:
    """Draw COCR Fig. 1: training, validation and test ERR over M, (a) of direct regression, (b) of the oERR cost.

    The band is around the test ERR of the lowest M: inside it, an M differs by less than a standard error.
    """
    from matplotlib.ticker import NullLocator

    figure, panels = make_panels((1, 2), (9, 4), sharey=True)
    there = [m for m in results.setting.min_instances if (f"m5p-{m}", "direct") in results.cells]
    for panel, (way, title) in zip(panels, SHOWN.items(), strict=True):
        for split, (style, label) in STYLES.items():
            of_m = [results.join(f"m5p-{m}", f"{split}_err")[way] for m in there]
            means = average(of_m)
            panel.plot(there, means, style, label=label)
        common = results.list_common_m()  # the same queries
        errors = fill_band(panel, common, np.full(len(common), means[0]), [of - of_m[0] for of in of_m[: len(common)]])
        n_beyond = np.count_nonzero(np.abs(means[: len(common)] - means[0]) > errors)
        panel.set_xscale("log", base=2)
        panel.set_title(f"{title}:\ntest ERR outside the band at {n_beyond} of {len(common) - 1} larger M", fontsize=9)
        panel.set(xlabel="M, fewest rows of a node that is split", xticks=there, xticklabels=map(str, there))
        panel.xaxis.set_minor_locator(NullLocator())
        panel.tick_params(axis="x", labelsize=8)
        panel.legend(fontsize=8)
    figure.supylabel("ERR", fontsize=10)
    note = NOTE.format(results.max_grade)
    save_figure(figure, path, f"{note}; band: one standard error of the paired difference from the lowest M, test")


def draw_bagging(results: Results, path: Path) -> None:
    """Draw COCR Fig. 2: test ERR of bagged M5P over (a) rounds and (b) trees in all.

    The band is around direct regression: inside it, COCR differs by less than a standard error.
    """
    from matplotlib.ticker import MaxNLocator

    figure, panels = make_panels((1, 2), (9, 4), sharey=True)
    direct, oerr = (join_rounds(results.cells["bagging", way]) for way in SHOWN)  # (n_rounds, n_queries)
    n_rounds, n_problems = len(oerr), len(direct) // len(oerr)  # K
    shown = (("equal rounds", "rounds T", 1, n_rounds), ("equal trees", "trees in all", n_problems, len(direct)))
    for panel, letter, (title, label, trees_per_round, n_direct) in zip(panels, "ab", shown, strict=True):
        places = trees_per_round * np.arange(1, n_rounds + 1)
        beside = direct[places - 1]
        panel.plot(range(1, n_direct + 1), average(direct[:n_direct]), "s--", ms=3, label="direct")
        panel.plot(places, average(oerr), "o-", ms=3, label="COCR, oERR")
        fill_band(panel, places, average(beside), oerr - beside)
        n_above = np.count_nonzero(average(oerr) > average(beside))
        panel.set_title(f"({letter}) {title}: COCR is above direct at {n_above} of {n_rounds} points", fontsize=10)
        panel.set_xlabel(label)
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
        panel.legend(fontsize=8)
    panels[0].set_ylabel("test ERR")
    note = NOTE.format(n_problems)
    save_figure(figure, path, f"{note}; band: one standard error of the paired difference, around direct regression")


def join_rounds(folds: list[Arrays]) -> Floats:
    """Join test ERR over the queries of all folds, (n_rounds, n_queries), after each round that every fold has."""
    n_rounds = min(len(arrays["test_err"]) for arrays in folds)
    return np.concatenate([arrays["test_err"][:n_rounds] for arrays in folds], axis=1)


def average(by_query: Iterable[Floats]) -> Floats:
    """Average rows of values, (n_queries,) each, over the queries."""
    return np.array([summarize(values).mean for values in by_query])


def fill_band(panel: Any, x: Any, middle: Floats, difference: Iterable[Floats]) -> Floats:
    """Fill a band of one standard error of paired differences, (n_queries,) each, around a curve; return the errors."""
    errors = np.array([summarize(values).sd / np.sqrt(summarize(values).n_queries) for values in difference])
    panel.fill_between(x, middle - errors, middle + errors, color="grey", alpha=0.25, lw=0)
    return errors


def draw_correlations(within: dict[tuple[str, str], list[float]], max_grade: int, path: Path) -> None:
    """Draw one box per cost, side by side for each error, with the medians in the title, highest first."""
    figure, panels = make_panels((1, 2), (8, 4), grid="y", sharey=True)
    for panel, (measure, name) in zip(panels, MEASURES.items(), strict=True):
        panel.boxplot([within[measure, cost] for cost in COSTS], tick_labels=[*COSTS], widths=0.5, showfliers=False)
        for place, cost in enumerate(COSTS, start=1):
            values = within[measure, cost]
            panel.plot(place + np.linspace(-0.15, 0.15, len(values)), sorted(values), "o", ms=3, alpha=0.5)
        medians = {cost: float(np.median(within[measure, cost])) for cost in COSTS}
        ordered = sorted(medians, key=medians.__getitem__, reverse=True)
        best, *others = (f"{cost} {medians[cost]:.3f}" for cost in ordered)
        panel.set_title(f"{name} error, highest median: {best}\n({', '.join(others)})", fontsize=10)
        panel.set_xlabel("cost, summed over a query")
        panel.axhline(0, color="grey", lw=0.8)
    figure.supylabel("rank correlation with the error, one dot per ranker", fontsize=10)
    n_rankers = len(next(iter(within.values())))
    save_figure(figure, path, f"{NOTE.format(max_grade)}; boxes: quartiles over {n_rankers} rankers")
