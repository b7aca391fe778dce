"""COCR Fig. 1 (the parameter M of M5P), Fig. 2 (rounds and trees of bagged M5P), and proxies that the paper lacks."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from refrank.arrays import Floats
from refrank.inspection.style import BLUE, GREEN, GREY, INK, ORANGE
from refrank.metrics import summarize
from refrank.reproduce.cells import Arrays
from refrank.reproduce.cocr.rankers import CONVENTION, COSTS, MEASURES, Results, Way
from refrank.reproduce.figures import draw_panels

STYLES = {  # name, line with marker, and colour; the test split is last
    "train": ("training", "^:", BLUE),
    "valid": ("validation", "s--", ORANGE),
    "test": ("test", "o-", GREEN),
}
SHOWN: dict[Way, str] = {"direct": "(a) Direct regression", "oerr": "(b) COCR with the oERR cost"}
NOTE = f"convention {CONVENTION!r}, ERR with highest grade {{}}"
ERROR = "one standard error of the paired difference"


def draw_min_instances(results: Results, path: Path) -> None:
    """Draw COCR Fig. 1: training, validation and test ERR over M, (a) of direct regression, (b) of the oERR cost.

    The band is around the test ERR of the lowest M: inside it, an M differs by less than a standard error.
    """
    from matplotlib.ticker import NullLocator

    title = "Model trees (M5P): ERR, by the fewest rows of a node that is split"
    note = f"band: {ERROR} from the lowest M, test queries\n{NOTE.format(results.max_grade)}"
    there = [m for m in results.setting.min_instances if (f"m5p-{m}", "direct") in results.cells]
    common = results.list_common_m()  # the same queries
    with draw_panels(path, "ab", (9, 4.2), title, note, sharey=True) as panels:
        for panel, (way, words) in zip(panels, SHOWN.items(), strict=True):
            panel.set_xscale("log", base=2)
            for split, (label, style, colour) in STYLES.items():
                of_m = [results.join(f"m5p-{m}", f"{split}_err")[way] for m in there]
                means = average(of_m)
                panel.plot(there, means, style, color=colour, label=label)
            level = np.full(len(common), means[0])
            errors = fill_band(panel, common, level, [of - of_m[0] for of in of_m[: len(common)]])
            n_beyond = np.count_nonzero(np.abs(means[: len(common)] - means[0]) > errors)
            panel.set_title(f"{words}: test ERR\noutside the band at {n_beyond} of {len(common) - 1} larger M")
            panel.set(xlabel="fewest rows of a node that is split (M)", xticks=there, xticklabels=map(str, there))
            panel.xaxis.set_minor_locator(NullLocator())
        panels[0].set_ylabel("expected reciprocal rank (ERR)")


def draw_bagging(results: Results, path: Path) -> None:
    """Draw COCR Fig. 2: test ERR of bagged M5P over (a) rounds and (b) trees in all.

    The band is around direct regression: inside it, COCR differs by less than a standard error.
    """
    from matplotlib.ticker import MaxNLocator

    direct, oerr = (join_rounds(results.cells["bagging", way]) for way in SHOWN)  # (n_rounds, n_queries)
    n_rounds, n_problems = len(oerr), len(direct) // len(oerr)  # K
    title = "Bagged model trees (M5P): direct regression, and COCR with the oERR cost"
    note = f"band: {ERROR}, around direct regression\n{NOTE.format(n_problems)}"
    shown = (
        ("equal rounds", "rounds of bagging", 1, n_rounds),
        ("equal trees", "trees in all", n_problems, len(direct)),
    )
    with draw_panels(path, "ab", (9, 4.2), title, note, sharey=True) as panels:
        for panel, letter, (words, label, trees_per_round, n_direct) in zip(panels, "ab", shown, strict=True):
            places = trees_per_round * np.arange(1, n_rounds + 1)
            beside = direct[places - 1]
            panel.plot(range(1, n_direct + 1), average(direct[:n_direct]), "s--", color=BLUE, ms=3, label="direct")
            panel.plot(places, average(oerr), "o-", color=ORANGE, ms=3, label="COCR")
            fill_band(panel, places, average(beside), oerr - beside)
            n_above = np.count_nonzero(average(oerr) > average(beside))
            panel.set_title(
                f"({letter}) With {words}, COCR is above\ndirect regression at {n_above} of {n_rounds} points"
            )
            panel.set_xlabel(label)
            panel.xaxis.set_major_locator(MaxNLocator(integer=True))
        panels[0].set_ylabel("expected reciprocal rank (ERR), test queries")


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
    panel.fill_between(x, middle - errors, middle + errors, color=GREY, alpha=0.25, lw=0)
    return errors


def draw_correlations(within: dict[tuple[str, str], list[float]], max_grade: int, path: Path) -> None:
    """Draw one box per cost, side by side for each error, with the medians in the title, highest first."""
    n_rankers = len(next(iter(within.values())))
    title = "How closely the summed cost of a query follows its error: rank correlation, one dot per ranker"
    note = f"boxes: quartiles over {n_rankers} rankers\n{NOTE.format(max_grade)}"
    with draw_panels(path, "ab", (9, 4.2), title, note, sharey=True) as panels:
        for panel, (measure, name) in zip(panels, MEASURES.items(), strict=True):
            ink, middle = {"color": INK}, {"color": ORANGE, "linewidth": 2}
            looks = {"boxprops": ink, "whiskerprops": ink, "capprops": ink, "medianprops": middle}
            values = [within[measure, cost] for cost in COSTS]
            panel.boxplot(values, tick_labels=[*COSTS], widths=0.5, showfliers=False, **looks)
            for place, of_cost in enumerate(values, start=1):
                spread = place + np.linspace(-0.15, 0.15, len(of_cost))
                panel.plot(spread, sorted(of_cost), "o", color=BLUE, ms=3, alpha=0.5)
            medians = {cost: float(np.median(of_cost)) for cost, of_cost in zip(COSTS, values, strict=True)}
            ordered = sorted(medians, key=medians.__getitem__, reverse=True)
            best, *others = (f"{cost} {medians[cost]:.3f}" for cost in ordered)
            panel.set_title(f"{name} error, highest median: {best}\n({', '.join(others)})")
            panel.set_xlabel("cost, summed over a query")
            panel.axhline(0, color=GREY, lw=0.8)
        panels[0].set_ylabel("rank correlation with the error")
