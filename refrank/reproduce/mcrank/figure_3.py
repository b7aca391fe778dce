"""McRank Figure 3: the cost of fewer bins, and two scoring functions; bands are paired 95% intervals over queries."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from refrank.inspection.style import BLUE, GREEN, INK, ORANGE
from refrank.metrics import summarize
from refrank.reproduce.cells import Arrays
from refrank.reproduce.figures import draw_panels
from refrank.reproduce.intervals import MeanDifference, compute_difference
from refrank.reproduce.mcrank.rankers import CONVENTION
from refrank.reproduce.mcrank.study_models import Model

STYLES = {  # by split: name, marker and colour, and the line of its curve and band in (b)
    "train": ("training", "o", BLUE, ":"),
    "valid": ("validation", "s", ORANGE, "--"),
    "test": ("test", "^", GREEN, "-"),
}
INTERVALS = "bands: 95% intervals, paired, over the queries; significant: the interval excludes 0"
SCORES = "scores: the expected grade, T(k) = k, and the expected gain, T(k) = 2^k - 1 (dashed)"
FORMULAS = (("k", "-", "by grade"), ("2^k-1", "--", "by gain"))


def draw_figure_3(data: str, exponents: tuple[int, ...], models: Mapping[Model, Arrays], path: Path) -> None:
    """Draw McRank Figure 3: (a) relative number of bins, (b) NDCG loss, (c) two scoring functions over the rounds."""
    by_exponent = [models[Model(n_bins=2**exponent)] for exponent in exponents]
    bins, at_largest = [2**exponent for exponent in exponents], by_exponent[-1]
    losses = {
        split: [
            compute_difference(100 * at_largest[f"{split} k"][-1], 100 * of[f"{split} k"][-1]) for of in by_exponent
        ]
        for split in STYLES
    }
    arrays = models[Model()]
    test = [100 * arrays[f"test {scoring}"] for scoring in ("k", "2^k-1")]
    differences = [compute_difference(*stages) for stages in zip(*test, strict=True)]
    title = f"{describe_finding(losses['test'][:-1], differences)} (classification, {data})"
    note = f"NDCG of the first 10 documents; {INTERVALS}\n{SCORES}\nconvention {CONVENTION}"
    with draw_panels(path, "ab;cc", (9, 7.6), title, note) as (a, b, c):
        shares = [100 * float(of["bins"] / at_largest["bins"]) for of in by_exponent]
        a.plot(bins, shares, "o-")
        a.set(yscale="log", ylabel="share of the bins (%)")
        a.yaxis.set_major_formatter("{x:g}")
        a.set_title(f"(a) At most {bins[-2]:,} bins per feature\nleave {shares[-2]:.2g}% of all bins")
        for panel, places in ((a, [*bins[-2::-2], bins[-1]]), (b, bins[:-1])):
            panel.set_xscale("log", base=2)
            labels = [f"{n_bins:,}" for n_bins in places]
            panel.set(xlabel="largest number of bins per feature (B)", xticks=places, xticklabels=labels)
        for split, (name, marker, colour, line) in STYLES.items():
            lost = losses[split][:-1]  # the last one is 0
            b.plot(bins[:-1], [loss.mean for loss in lost], marker=marker, color=colour, linestyle=line, label=name)
            edges = [loss.low for loss in lost], [loss.high for loss in lost]
            b.fill_between(bins[:-1], *edges, color=colour, alpha=0.1, linewidth=0)
            for edge in edges:
                b.plot(bins[:-1], edge, color=colour, linestyle=line, linewidth=0.6)
        b.axhline(0, color=INK, linewidth=0.5)
        b.set(ylabel=f"NDCG lost against {bins[-1]:,} bins (points)")
        b.set_title(f"(b) Lost on the test queries with {bins[-2]:,} bins:\n{losses['test'][-2]} points")
        for split, (name, marker, colour, _) in STYLES.items():
            for scoring, line, target in FORMULAS:
                means = [average(stage) for stage in arrays[f"{split} {scoring}"]]
                hollow = colour if scoring == "k" else "none"
                style = {"linestyle": line, "marker": marker, "markersize": 4, "markerfacecolor": hollow}
                c.plot(arrays["rounds"], means, color=colour, **style, label=f"{name}, {target}")
        centre = [average(stage) for stage in arrays["test 2^k-1"]]
        band = np.array([(mean + of.low, mean + of.high) for mean, of in zip(centre, differences, strict=True)]).T
        c.fill_between(arrays["rounds"], *band, color=GREEN, alpha=0.2, linewidth=0)
        c.set(xlabel="rounds", ylabel="NDCG (%)")
        c.set_title(f"(c) Scores by grade minus scores by gain, test queries, last round: {differences[-1]} points")


def describe_finding(losses: Sequence[MeanDifference], scorings: Sequence[MeanDifference]) -> str:
    """Describe how often the intervals of test NDCG exclude 0: of losses by B, and of scoring functions by rounds.

    >>> unclear, lost = MeanDifference(0.1, -0.2, 0.4), MeanDifference(0.5, 0.1, 0.9)
    >>> print(describe_finding([lost, unclear], [unclear]))
    1 of 2 smaller numbers of bins changes test NDCG significantly;
    the two scores differ significantly at 0 of 1 points
    >>> print(describe_finding([unclear, unclear], [lost]))
    No smaller number of bins changes test NDCG significantly;
    the two scores differ significantly at 1 of 1 points
    """
    n_changing, n_apart = (sum(loss.verdict != "not decided" for loss in group) for group in (losses, scorings))
    who = f"{n_changing} of {len(losses)} smaller numbers" if n_changing else "No smaller number"
    verb = "change" if n_changing > 1 else "changes"
    by_scoring = f"the two scores differ significantly at {n_apart} of {len(scorings)} points"
    return f"{who} of bins {verb} test NDCG significantly;\n{by_scoring}"


def average(values: ArrayLike) -> float:
    """Compute the mean in percent."""
    return 100 * summarize(values).mean
