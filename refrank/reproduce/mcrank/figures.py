"""McRank Figures 1 and 2, drawn from the code itself: the rankers, the binning."""

from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from refrank.arrays import Floats
from refrank.inspection.style import BLUE, GREEN, ORANGE, PURPLE, VIOLET
from refrank.metrics import Summary, summarize
from refrank.reproduce.figures import draw_panels
from refrank.reproduce.mcrank.rankers import CONVENTION, TRUNCATIONS, Name, Parameters
from refrank.trees import splitting
from refrank.trees.bins.binning import bin_features
from refrank.trees.bins.cuts import APP_I, INITIAL_LENGTH
from refrank.trees.engine import Engine
from refrank.trees.growth.grower import Grower

STYLES: dict[Name, Any] = {  # line, marker and colour of each ranker, distinct even without colour
    "ordinal": ("-", "o", BLUE),
    "classification": ("--", "s", ORANGE),
    "regression": (":", "^", GREEN),
    "LambdaRank": ("-.", "x", PURPLE),
    "LAD": ((0, (6, 2, 1, 2, 1, 2)), "d", VIOLET),
}
MARKS = "band: the 95% interval of a mean over the queries; hollow marks: the paper's Table 1"
GROWTH = 2.0  # growth of the length of bins, as in `APP_I`

# Two groups of points with a gap between them: x, and the y that a split must separate.
POINTS_X = np.array([0.04, 0.09, 0.13, 0.2, 0.26, 0.31, 0.69, 0.74, 0.78, 0.83, 0.9, 0.95])
POINTS_Y = np.array([0.3, 0.22, 0.28, 0.18, 0.25, 0.2, 0.82, 0.72, 0.8, 0.7, 0.78, 0.74])
# Panel (c): values in clumps, and one far from the others.
CLUMPS_X = np.array([0.03, 0.04, 0.06, 0.07, 0.22, 0.23, 0.25, 0.48, 0.5, 0.51, 0.53, 0.9])


def draw_figure_1(
    test: dict[str, Floats],
    data: str,
    parameters: Parameters,
    path: Path,
    printed: Mapping[Name, Summary | None] | None = None,
) -> None:
    """Draw McRank Figure 1 of one data set, and LAD, from the NDCG of each ranker, of shape (n_queries, 10).

    The band around a mean is 1.96 standard errors over the queries. `printed` are Table 1's cells, at L = 10, since
    the paper's curves are pictures without numbers.
    """
    n_queries = len(next(iter(test.values())))
    title = f"{describe_leaders(test)}\nMcRank on {data}: {n_queries:,} test queries"
    rankers = f"boosters: {parameters.describe_in_words()}\nLambdaRank: {parameters.describe_net()}"
    note = f"{MARKS}\n{rankers}\nconvention {CONVENTION}"
    with draw_panels(path, "ab", (9.5, 4.8), title, note) as (means, deviations):
        means.set(ylabel="mean NDCG (%)")
        deviations.set(ylabel="standard deviation over the queries (%)")
        for name, (line, marker, colour) in STYLES.items():
            over_queries = [summarize(100 * at_level) for at_level in test[name].T]  # L = 1..10
            centre = np.array([summary.mean for summary in over_queries])
            spread = np.array([summary.sd for summary in over_queries])
            error = 1.96 * spread / np.sqrt(len(test[name]))
            means.fill_between(TRUNCATIONS, centre - error, centre + error, color=colour, alpha=0.15, linewidth=0)
            style = {"marker": marker, "color": colour}
            cell = printed and printed.get(name)
            for panel, values, of_paper in ((means, centre, "mean"), (deviations, spread, "sd")):
                panel.plot(TRUNCATIONS, values, linestyle=line, label=name, **style)
                if cell:
                    hollow = {"markerfacecolor": "none", "markersize": 9, "linestyle": "none"}
                    panel.plot([10.5], [getattr(cell, of_paper)], label=f"_{name}, paper", **style, **hollow)
        for panel in (means, deviations):
            panel.set(xlabel="documents that count, from the top (L)", xticks=TRUNCATIONS)
            panel.margins(y=0.1)


def describe_leaders(test: Mapping[str, Floats]) -> str:
    """Describe which ranker has the highest mean at which levels, from arrays of shape (n_queries, 10)."""
    best = {L: max(STYLES, key=lambda name: float(test[name][:, L - 1].mean())) for L in TRUNCATIONS}
    parts = []
    for name, run in groupby(TRUNCATIONS, key=best.__getitem__):
        levels = [*run]
        parts.append(f"{name} at L = {levels[0]}" + (f" to {levels[-1]}" if len(levels) > 1 else ""))
    return "Highest mean NDCG: " + "; ".join(parts)


def find_first_cut(n_bins: int) -> tuple[float, float]:
    """Return the best cut of the points on a number of bins, and its reduction of the squared error."""
    binned = bin_features(POINTS_X.reshape(-1, 1), n_bins, APP_I, engine=Engine(splitting))
    tree, _ = Grower(binned, n_leaves=2)(POINTS_Y)
    return float(tree.cut[0]), float(tree.split_gain[0])


def find_bins(values: Floats, n_bins: int) -> tuple[Floats, float]:
    """Return the starts of a feature's bins, and their length."""
    distinct, length = np.unique(values), INITIAL_LENGTH
    # McRank App. I: "we simply increment the bin length and re-do the quantization"
    while len(starts := splitting.bin_starts(distinct, length, n_bins)) == 0:
        length *= GROWTH
    return distinct[starts], length


def draw_figure_2(path: Path) -> None:
    """Draw McRank Figure 2: the range of a split point, two bins, adaptive bins."""
    (a_cut, a_gain), (b_cut, b_gain), n_bins = find_first_cut(256), find_first_cut(2), 6
    title = "Every cut between the same two values is equally good, and bins are needed only where data are"
    with draw_panels(path, "abc", (9.5, 3.6), title, "") as (a, b, c):
        # McRank Fig. 2(a): every s between s_L and s_R parts the same points
        s_left, s_right = POINTS_X[a_cut > POINTS_X].max(), POINTS_X[a_cut <= POINTS_X].min()
        a.plot(POINTS_X, POINTS_Y, "o", color=BLUE)
        a.axvspan(s_left, s_right, color=GREEN, alpha=0.2)
        for place, name, side in ((s_left, "lowest cut", "right"), (s_right, "highest cut", "left")):
            a.axvline(place, color=GREEN, linestyle="--")
            a.text(place + (0.015 if side == "left" else -0.015), 1.02, name, ha=side)
        a.set_title(f"(a) Any cut of the green range\nlowers the squared error by {a_gain:.4f}")
        # McRank Fig. 2(b): two bins, labels 0 and 1
        b.plot(POINTS_X, POINTS_Y, "o", color=BLUE)
        b.axvline(b_cut, color=GREEN, linestyle=":")
        b.text(b_cut + 0.015, 1.02, "cut")
        b.set_title(f"(b) Two bins, one cut:\nit lowers the squared error by {b_gain:.4f}")
        # McRank Fig. 2(c): bins only "where there are indeed data"
        c.plot(CLUMPS_X, np.full(len(CLUMPS_X), 0.5), "o", color=BLUE)
        for panel, values, at_most in ((b, POINTS_X, 2), (c, CLUMPS_X, n_bins)):
            starts, length = find_bins(values, at_most)
            for label, start in enumerate(starts):
                panel.axvspan(start, start + length, color=ORANGE, alpha=0.2 if label % 2 else 0.4, linewidth=0)
                panel.text(start + length / 2, 0.04, str(label), ha="center")
        doublings = round(np.log2(length / INITIAL_LENGTH))
        c.set_title(f"(c) At most {n_bins} bins: their length,\n1e-8 doubled {doublings} times, is {length:.3f}")
        for panel in (a, b, c):
            panel.set(xlim=(0, 1), ylim=(0, 1.1), xlabel="feature", ylabel="" if panel is c else "label", yticks=[])
