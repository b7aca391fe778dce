"""Draw the figures of docs/prove/bounds.md, the same on every run: `python -m proofs_check.figures DIRECTORY`.

Random rankings have labels with the frequencies of MSLR-WEB10K (57, 28, 13, 1.5 and 0.3 percent for 0 to 4). Each
document is misrated by one grade with a given probability. The score is the predicted grade plus a uniform draw from
(-1/2, 1/2), which breaks ties.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from random import Random

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from proofs_check.engine.climbs import Climber, Point, as_rankings, draw_start, in_order, list_neighbours
from proofs_check.engine.instances import MAX_GRADE, Rankings
from refrank.bounds.report import DCG_BOUNDS, ERR_BOUNDS, BoundsReport, report_bounds
from refrank.reproduce.figures import save_figure

FREQUENCY = np.array([980, 492, 231, 26, 5]) / 1734
# distinguishable with colour-blindness, too
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
MARKERS = ("o", "s", "^", "D", "v", "P")
LABELS = {
    "mcrank_lemma1": "McRank Lemma 1",
    "dcg_by_errors": "Lemma 1, sharp (new)",
    "min_pairing": "minimal pairing (new)",
    "dcg_threshold": "thresholds (new)",
    "cossock_zhang_theorem2": "Cossock-Zhang Thm. 2",
    "regression_error": "Cossock-Zhang, sharp (new)",
    "igbrt_theorem1": "Mohan et al. Thm. 1",
    "err_by_errors": "Mohan et al., sharp (new)",
    "err_rr_dcg": "reciprocal-rank DCG (new)",
    "err_oerr": "root of oERR (new)",
    "err_threshold": "thresholds (new)",
    "cocr_theorem2": "COCR Thm. 2, as intended",
}
CONVENTION = "DCG: gain 2^y - 1, discount log2(1 + i), untruncated; ERR: highest grade 4; ties stable"
ATTAINED = 1 - 1e-9  # error / bound, from which on a bound is called attained: rounding
KINDS = (
    ("DCG", DCG_BOUNDS, "dcg_error", "largest_dcg_error"),
    ("ERR", ERR_BOUNDS, "err_error", "largest_err_error"),
)


def main(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    plt.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    draw_errors(directory / "bounds_error.png")
    draw_tightness(directory / "bounds_tightness.png")
    draw_informative(directory / "bounds_informative.png")


# ---- random rankings ----


def draw_rankings(n: int, misrated: float, n_queries: int, seed: int) -> BoundsReport:
    """Report the bounds of n_queries rankings of n documents with more than one label; DCG is untruncated."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(5, size=(4 * n_queries, n), p=FREQUENCY)
    labels = labels[labels.min(axis=1) < labels.max(axis=1)][:n_queries]
    step = np.where(labels == 0, 1, np.where(labels == 4, -1, rng.choice((-1, 1), size=labels.shape)))
    grades = labels + step * (rng.random(labels.shape) < misrated)
    score = grades + rng.uniform(-0.5, 0.5, size=labels.shape)
    qid = np.repeat(np.arange(len(labels)), n)
    return report_bounds(labels.ravel(), score.ravel(), qid)


# ---- figures ----


def draw_errors(file: Path) -> None:
    """Draw one panel per bound and one point per ranking; a point below the diagonal would refute the bound."""
    shares = (0.05, 0.2, 0.5)
    reports = [draw_rankings(10, share, 300, seed) for seed, share in enumerate(shares)]
    figure, axes = plt.subplots(2, 6, figsize=(13, 5.4), layout="constrained")
    below = 0  # points below a diagonal
    for row, (metric, names, error, largest) in zip(axes, KINDS, strict=True):
        for panel, name in zip(row, names, strict=False):
            x = np.concatenate([report.per_query[error] for report in reports])
            y = np.concatenate([report.per_query[name] for report in reports])
            says = y < np.concatenate([report.per_query[largest] for report in reports])
            below, n_says = below + np.count_nonzero(y < x - 1e-9), np.count_nonzero(says)
            panel.scatter(x[~says], y[~says], s=9, marker="x", linewidth=0.5, color="0.6")
            panel.scatter(x[says], y[says], s=5, color=COLOURS[0])
            end = max(x.max(), 1e-9) * 1.05
            panel.plot([0, end], [0, end], color="black", linewidth=0.8)
            panel.set_title(f"{LABELS[name]}:\n{n_says / len(says):.0%} below the trivial bound", fontsize=8)
            panel.set_xlabel(f"{metric} error")
            panel.set_xlim(0, np.quantile(x, 0.995) * 1.1)
            panel.set_ylim(0, np.quantile(y, 0.99) * 1.05)
        row[0].set_ylabel("bound")
    sizes = f"{len(x)} random rankings of 10 documents, 5, 20 and 50% misrated by one grade"
    figure.suptitle(f"Points below a diagonal, where an error exceeds its bound: {below}. {sizes}", fontsize=10)
    signs = "blue dots: below the trivial bound; grey crosses: not below"
    save_figure(figure, file, f"{signs}\n{CONVENTION}", dpi=130)
    plt.close(figure)


def draw_tightness(file: Path) -> None:
    """Draw error/bound by n: the largest that a hill climb finds, and the median of random rankings with an error."""
    sizes = (2, 3, 5, 8, 12, 20)
    figure, axes = plt.subplots(1, 2, figsize=(13, 4.6), layout="constrained")
    for panel, (metric, names, error, _) in zip(axes, KINDS, strict=True):
        attained, medians = [], {}
        for name, colour, marker in zip(names, COLOURS, MARKERS, strict=False):
            highest = [climb(name, error, n) for n in sizes]
            median = [compute_median_ratio(name, error, n) for n in sizes]
            style = {"marker": marker, "markersize": 5, "alpha": 0.8, "color": colour}
            panel.plot(sizes, highest, **style, label=LABELS[name])
            panel.plot(sizes, median, **style, linestyle=":", markerfacecolor="none")
            medians[LABELS[name]] = median[-1]
            if min(highest) > ATTAINED:
                attained.append(LABELS[name])
        closest = max(medians, key=medians.__getitem__)
        title = f"attained at every n: {', '.join(attained)}\nclosest at random, n = {sizes[-1]}: {closest}"
        panel.set_title(f"{title}, median {medians[closest]:.2f}", loc="left", fontsize=9)
        finish(panel, f"{metric}: error / bound", "documents n")
        panel.set_xscale("log")
        panel.set_xticks(sizes, [str(n) for n in sizes])
        panel.minorticks_off()
    random = "dotted, hollow: median of random rankings, 20% misrated by one grade"
    save_figure(figure, file, f"solid: largest found by hill climbing; {random}\n{CONVENTION}", dpi=130)
    plt.close(figure)


def draw_informative(file: Path) -> None:
    """Draw the share of random rankings on which a bound is below the largest error that their labels allow."""
    shares = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0])
    figure, axes = plt.subplots(1, 2, figsize=(13, 4.6), layout="constrained")
    reports = [draw_rankings(20, share, 400, 100 + seed) for seed, share in enumerate(shares)]
    for panel, (metric, names, _, largest) in zip(axes, KINDS, strict=True):
        at_20 = {}
        for name, colour, marker in zip(names, COLOURS, MARKERS, strict=False):
            below = [measure_below_trivial(report, name, largest) for report in reports]
            panel.plot(shares, below, marker=marker, markersize=5, alpha=0.8, color=colour, label=LABELS[name])
            at_20[LABELS[name]] = below[shares.tolist().index(0.2)]
        best = max(at_20, key=at_20.__getitem__)
        panel.set_title(f"most often informative with 20% misrated: {best}, {at_20[best]:.0%}", loc="left", fontsize=9)
        finish(panel, f"{metric}: share of rankings with an informative bound", "share of documents misrated")
    save_figure(figure, file, f"400 random rankings of 20 documents per point\n{CONVENTION}", dpi=130)
    plt.close(figure)


def finish(panel: Axes, y_label: str, x_label: str) -> None:
    panel.set_ylim(-0.02, 1.04)
    panel.set_ylabel(y_label)
    panel.set_xlabel(x_label)
    panel.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))


# ---- what they plot ----


def measure_below_trivial(report: BoundsReport, name: str, largest: str) -> float:
    """Compute the share of rankings with a misrated document whose bound is below the largest error."""
    wrong = report.n_errors > 0
    return float((report.per_query[name] < report.per_query[largest])[wrong].mean())


def compute_ratios(report: BoundsReport, name: str, error: str) -> np.ndarray:
    """Compute error/bound, 0 where the bound is 0, (n_queries,)."""
    bound = report.per_query[name]
    return np.divide(report.per_query[error], bound, out=np.zeros_like(bound), where=bound > 0)


def compute_median_ratio(name: str, error: str, n: int) -> float:
    report = draw_rankings(n, 0.2, 400, 500 + n)
    wrong = report.per_query[error] > 1e-9
    return float(np.median(compute_ratios(report, name, error)[wrong])) if wrong.any() else 0.0


def climb(name: str, error: str, n: int) -> float:
    """Find the largest error/bound by hill climbs, document by document in turn; predictions are grades."""
    best = 0.0
    for start in list_starts(n):
        climber = Climber(start, -1.0)
        for turn in cycle(range(n)):
            moves = [climber.point, *list_neighbours(climber.point, turn, MAX_GRADE)]
            climber = climber.step(moves, compute_ratios(report_group(as_rankings(moves, MAX_GRADE)), name, error))
            if climber.idle == n:
                break
        best = max(best, climber.ratio)
    return best


def list_starts(n: int) -> Iterator[Point]:
    """Yield two random rankings, one with a perfect document last, predicted 0, and two with half exchanged or tied."""
    random = Random(n)
    yield draw_start(random, n, MAX_GRADE)
    yield draw_start(random, n, MAX_GRADE)
    yield in_order([0] * (n - 1) + [4], [0] * n)
    exchanged = [0] * (n - n // 2) + [4] * (n // 2)
    yield in_order(exchanged, exchanged[::-1])
    yield in_order(exchanged, [3] * n)


def report_group(group: Rankings) -> BoundsReport:
    """Report each instance as a query; equal scores keep the order of the rows, which is the order of pi."""
    qid = np.repeat(np.arange(group.m), group.n)
    return report_bounds(group.y.ravel().astype(int), group.y_hat.ravel().astype(float), qid)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images"))
