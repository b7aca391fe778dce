"""McRank Figure 3: the cost of fewer bins, and two scoring functions; bands are paired 95% intervals over queries."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from refrank.metrics import summarize
from refrank.reproduce.cells import Arrays
from refrank.reproduce.figures import make_panels, save_figure
from refrank.reproduce.intervals import MeanDifference, compute_difference
from refrank.reproduce.mcrank.rankers import CONVENTION
from refrank.reproduce.mcrank.study_models import Model

STYLES = {  # by split: name, marker and colour, and the line of its curve and band in (b)
    "train": ("training", "o", "tab:blue", ":"),
    "valid": ("validation", "s", "tab:orange", "--"),
    "test": ("test", "^", "tab:green", "-"),
}
INTERVALS = "NDCG at L = 10; 95% intervals, paired, over the queries; significant: the interval excludes 0"
FORMULAS = (("k", "-", "T(k) = k"), ("2^k-1", "--", "T(k) = 2^k - 1"))


def draw_figure_3(data: str, exponents: tuple[int, ...], models: Mapping[Model, Arrays], path: Path) -> None:
    """Draw McRank Figure 3: (a) relative number of bins, (b) NDCG loss, (c) two scoring functions over the rounds."""
    figure, (a, b, c) = make_panels((1, 3), (13, 4.6))
    by_exponent = [models[Model(n_bins=2**exponent)] for exponent in exponents]
    bins, at_largest = [2**exponent for exponent in exponents], by_exponent[-1]
    shares = [100 * float(arrays["bins"] / at_largest["bins"]) for arrays in by_exponent]
    a.plot(bins, shares, "o-")
    a.set(yscale="log", ylabel="bins, relative to the largest B (%)")
    a.set_title(f"(a) B = 2^{exponents[-2]} leaves {shares[-2]:.2g}% of the bins", fontsize=9)
    for split, (name, marker, colour, line) in STYLES.items():
        pairs = [(100 * at_largest[f"{split} k"][-1], 100 * arrays[f"{split} k"][-1]) for arrays in by_exponent]
        losses = [compute_difference(*pair) for pair in pairs]
        b.plot(bins, [loss.mean for loss in losses], marker=marker, color=colour, linestyle=line, label=name)
        ends = [loss.low for loss in losses], [loss.high for loss in losses]
        b.fill_between(bins, *ends, color=colour, alpha=0.1, linewidth=0)
        for end in ends:
            b.plot(bins, end, color=colour, linestyle=line, linewidth=0.6)
    b.axhline(0, color="black", linewidth=0.5)
    b.set(ylabel=f"NDCG at B = 2^{exponents[-1]} minus NDCG at B (points)")
    b.set_title(f"(b) loss on the test queries at B = 2^{exponents[-2]}:\n{losses[-2]} points", fontsize=9)
    for panel in (a, b):
        panel.set_xscale("log", base=2)
        panel.set(xlabel="B, largest number of bins per feature", xticks=bins)
    arrays = models[Model()]
    for split, (name, marker, colour, _) in STYLES.items():
        for scoring, line, formula in FORMULAS:
            means = [average(stage) for stage in arrays[f"{split} {scoring}"]]
            hollow = colour if scoring == "k" else "none"
            style = {"linestyle": line, "marker": marker, "markersize": 4, "markerfacecolor": hollow, "color": colour}
            c.plot(arrays["rounds"], means, **style, label=f"{name}, {formula}")
    test = [100 * arrays[f"test {scoring}"] for scoring in ("k", "2^k-1")]
    differences = [compute_difference(*stages) for stages in zip(*test, strict=True)]
    centre = [average(stage) for stage in arrays["test 2^k-1"]]
    band = np.array([(mean + of.low, mean + of.high) for mean, of in zip(centre, differences, strict=True)]).T
    label = "interval of the difference, test"
    c.fill_between(arrays["rounds"], *band, color="tab:green", alpha=0.2, linewidth=0, label=label)
    c.set(xlabel="rounds", ylabel="NDCG (%)")
    c.set_title(f"(c) T(k) = k minus T(k) = 2^k - 1, test, last round:\n{differences[-1]} points", fontsize=9)
    for panel in (b, c):
        panel.legend(fontsize=7)
    title = f"{describe_finding(losses[:-1], differences)}\nMcRank Figure 3, classification on {data}"
    figure.suptitle(title, fontsize=11)
    save_figure(figure, path, f"{INTERVALS}\nconvention {CONVENTION}")


def describe_finding(losses: Sequence[MeanDifference], scorings: Sequence[MeanDifference]) -> str:
    """Describe how often the intervals of test NDCG exclude 0: of losses by B, and of scoring functions by rounds.

    >>> unclear, lost = MeanDifference(0.1, -0.2, 0.4), MeanDifference(0.5, 0.1, 0.9)
    >>> describe_finding([lost, unclear], [unclear])
    '1 of 2 smaller B changes test NDCG significantly; T(k) = k and 2^k - 1 differ significantly at 0 of 1 points'
    >>> describe_finding([unclear, unclear], [lost])
    'No smaller B changes test NDCG significantly; T(k) = k and 2^k - 1 differ significantly at 1 of 1 points'
    """
    n_changing, n_apart = (sum(loss.verdict != "not decided" for loss in group) for group in (losses, scorings))
    who = f"{n_changing} of {len(losses)}" if n_changing else "No"
    verb = "change" if n_changing > 1 else "changes"
    by_scoring = f"T(k) = k and 2^k - 1 differ significantly at {n_apart} of {len(scorings)} points"
    return f"{who} smaller B {verb} test NDCG significantly; {by_scoring}"


def average(values: ArrayLike) -> float:
    """Compute the mean in percent."""
    return 100 * summarize(values).mean
