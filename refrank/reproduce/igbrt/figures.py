"""iGBRT Figures 1 and 2: test RMSE, ERR and NDCG over the rounds of boosting, a line per learning rate, and the forest.

A bar at a line is one standard error of its paired difference from the forest, over the test queries.
"""

from collections.abc import Iterator
from itertools import cycle
from math import ceil
from pathlib import Path

import numpy as np

from refrank.arrays import Floats
from refrank.inspection.style import COLORS, INK
from refrank.metrics import summarize
from refrank.reproduce.cells import Arrays
from refrank.reproduce.figures import draw_panels
from refrank.reproduce.igbrt.runs import METRICS, Sizes
from refrank.reproduce.igbrt.tables import FoldResults
from refrank.reproduce.run import Reproduction

Runs = dict[float, Arrays]  # learning rate -> result of `run_boosting`, with errors
N_BARS = 10  # per line, at points of its own, since bars of several lines at one point would hide each other
BARS = f"bars, at up to {N_BARS} points of each line: one standard error of the paired difference from the forest"
STYLES = (("-", "o"), ("--", "s"), ("-.", "^"), (":", "x"), ((0, (5, 1, 1, 1, 1, 1)), "D"))  # line, marker at a bar
METHODS = {"GBRT": "Boosted trees (GBRT)", "iGBRT": "Trees boosted from a forest (iGBRT)"}
PANELS = {
    "RMSE": "Root of the mean squared error of the score: lower is better",
    "ERR": "Expected reciprocal rank (ERR): higher is better",
    "NDCG": "NDCG of the first 10 documents: higher is better",
}


def add_errors(runs: Runs, forest: Arrays) -> None:
    """Add to each run the standard errors of its paired differences from the largest forest, (n_steps, 2)."""
    for run in runs.values():
        difference = run["test_queries"] - forest["test_queries"][-1]  # (n_steps, 2, n_queries)
        of_each = [[summarize(values) for values in of_step] for of_step in difference]
        run["errors"] = np.array([[of.sd / np.sqrt(of.n_queries) for of in of_step] for of_step in of_each])


def draw_figures(result: FoldResults, sizes: Sizes, run: Reproduction) -> Iterator[str]:
    """Draw Figures 1 and 2 of one fold, against its largest forest; yield a line of text that names each figure."""
    largest = sizes.forest_sizes[-1]
    # iGBRT Fig. 1
    # iGBRT Fig. 2
    for number, size, method in ((1, 0, "GBRT"), (2, largest, "iGBRT")):
        path = run.place(f"figure{number}-{sizes.name}.png")
        data = f"{run.collection}, {result.name}" if run.data else result.name
        title = f"{METHODS[method]} against a forest of {largest:,} trees: {data}, test queries"
        n_far_off = 0 if size else sizes.n_rounds // sizes.every // 8  # the first rounds from F = 0
        note = f"scores by regression; {BARS}\nconvention {result.convention}"
        draw_traces(result.boosted["R", size], result.forests["R"]["test"][-1], title, note, path, n_far_off)
        yield f"Figure {number}: {path}"


def draw_traces(runs: Runs, forest: Floats, title: str, note: str, path: Path, n_far_off: int) -> None:
    """Draw a panel per metric, a line per learning rate; the worst of the first `n_far_off` points may be outside."""
    with draw_panels(
        path, "a;b;c", (8.6, 9), f"{title}\n{describe_finding(runs, forest)}", note, sharex=True
    ) as panels:
        for panel, (metric, words) in zip(panels, PANELS.items(), strict=True):
            column, lower, upper = METRICS.index(metric), [], []
            for place, ((alpha, run), (line, marker), colour) in enumerate(
                zip(runs.items(), cycle(STYLES), cycle(COLORS))
            ):
                trace = run["test"][:, column]
                apart = ceil(len(trace) / N_BARS)  # points from bar to bar
                shown = (place * apart // len(runs), apart)
                bars = {"errorevery": shown, "elinewidth": 0.7, "capsize": 2, "marker": marker, "markevery": shown}
                style = {"linestyle": line, "linewidth": 1, "markersize": 4, "color": colour}
                error = None if metric == "RMSE" else run["errors"][:, column]
                lower.append(trace - (0 if error is None else error))
                upper.append(trace + (0 if error is None else error))
                curve, *_ = panel.errorbar(run["steps"], trace, error, **style, **bars)
                curve.set_label(f"rate {alpha}")
            panel.axhline(forest[column], color=INK, linewidth=2.5, label="forest")
            panel.set_title(words)
            far_low, far_high = (0, n_far_off) if metric == "RMSE" else (n_far_off, 0)  # the worst are high or low
            low = min(forest[column], *(np.min(edges[far_low:]) for edges in lower))
            high = max(forest[column], *(np.max(edges[far_high:]) for edges in upper))
            panel.set_ylim(low - 0.08 * (high - low), high + 0.08 * (high - low))
        panels[2].set_xlabel("rounds of boosting")


def describe_finding(runs: Runs, forest: Floats) -> str:
    """Describe at how many points, over all rates, boosting differs from the forest by more than a standard error.

    >>> run = {"test": np.array([[0.5, 0.7, 1.0], [0.6, 0.7, 1.0]]), "errors": np.array([[0.01, 0.1], [0.01, 0.1]])}
    >>> print(describe_finding({0.1: run}, np.array([0.55, 0.72, 1.0])))
    Beyond one standard error of the forest, of 2 points:
    ERR 1 above, 1 below; NDCG@10 0 above, 0 below
    >>> equal = {"test": np.array([[0.5, 0.7, 1.0]]), "errors": np.zeros((1, 2))}
    >>> print(describe_finding({0.1: equal}, equal["test"][0]))
    Beyond one standard error of the forest, of 1 points:
    ERR 0 above, 0 below; NDCG@10 0 above, 0 below
    """
    difference = np.concatenate([run["test"][:, :2] for run in runs.values()]) - forest[:2]  # (n_points, 2)
    errors = np.concatenate([run["errors"] for run in runs.values()])
    (err_above, ndcg_above), (err_below, ndcg_below) = (difference > errors).sum(0), (difference < -errors).sum(0)
    counts = f"ERR {err_above} above, {err_below} below; NDCG@10 {ndcg_above} above, {ndcg_below} below"
    return f"Beyond one standard error of the forest, of {len(errors)} points:\n{counts}"
