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

import numpy as np

from proofs_check.engine.climbs import Climber, Point, as_rankings, draw_start, in_order, list_neighbours
from proofs_check.engine.instances import MAX_GRADE, Rankings
from refrank.bounds.report import DCG_BOUNDS, ERR_BOUNDS, BoundsReport, report_bounds
from refrank.inspection.style import BLUE, COLORS, GREY, INK
from refrank.reproduce.figures import draw_panels

FREQUENCY = np.array([980, 492, 231, 26, 5]) / 1734
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
    bounds = [(metric, name, error, largest) for metric, names, error, largest in KINDS for name in names]
    columns = {name: np.concatenate([report.per_query[name] for report in reports]) for name in reports[0].per_query}
    n_below = sum(np.count_nonzero(columns[name] < columns[error] - 1e-9) for _, name, error, _ in bounds)
    n_rankings = len(columns["dcg_error"])
    title = f"Points below a line, where an error exceeds its bound: {n_below} of {len(bounds) * n_rankings:,}"
    sizes = (
        f"in each panel {n_rankings} random rankings of 10 documents, 5, 20 and 50% of them rated wrongly by one grade"
    )
    signs = "blue dots: below the trivial bound, the error of the worst ranking; grey crosses: not below"
    with draw_panels(file, "abc;def;ghi;jkl", (9, 9.4), title, f"{sizes}\n{signs}\n{CONVENTION}") as panels:
        for panel, (metric, name, error, largest) in zip(panels, bounds, strict=True):
            x, y, says = columns[error], columns[name], columns[name] < columns[largest]
            panel.scatter(x[~says], y[~says], s=9, marker="x", linewidth=0.5, color=GREY, rasterized=True)
            panel.scatter(x[says], y[says], s=5, color=BLUE, rasterized=True)
            end = max(x.max(), 1e-9) * 1.05
            panel.plot([0, end], [0, end], color=INK, linewidth=0.8)
            panel.set_title(f"{LABELS[name]}:\n{says.mean():.0%} below the trivial bound")
            panel.set(xlabel=f"{metric} error", ylabel="bound")
            panel.set_xlim(0, np.quantile(x, 0.995) * 1.1)
            panel.set_ylim(0, np.quantile(y, 0.99) * 1.05)
            panel.locator_params(nbins=4)


def draw_tightness(file: Path) -> None:
    """Draw error/bound by n: the largest that a hill climb finds, and the median of random rankings with an error."""
    sizes = (2, 3, 5, 8, 12, 20)
    title = "How much of each bound the error reaches"
    random = "dotted, hollow: median of random rankings, 20% of the documents rated wrongly by one grade"
    note = f"solid: largest found by hill climbing; {random}\n{CONVENTION}"
    with draw_panels(file, "a;b", (9, 9), title, note) as panels:
        for panel, (metric, names, error, _) in zip(panels, KINDS, strict=True):
            attained, medians = [], {}
            for name, colour, marker in zip(names, COLORS, MARKERS, strict=True):
                highest = [climb(name, error, n) for n in sizes]
                median = [compute_median_ratio(name, error, n) for n in sizes]
                style = {"marker": marker, "markersize": 5, "alpha": 0.8, "color": colour}
                panel.plot(sizes, highest, **style, label=LABELS[name])
                panel.plot(sizes, median, **style, linestyle=":", markerfacecolor="none")
                medians[LABELS[name]] = median[-1]
                if min(highest) > ATTAINED:
                    attained.append(LABELS[name])
            closest = max(medians, key=medians.__getitem__)
            reached = f"{metric}, reached at every size: {', '.join(attained)}"
            panel.set_title(f"{reached}\nclosest at random, {sizes[-1]} documents: {closest}, {medians[closest]:.2f}")
            panel.set(xscale="log", xlabel="documents", ylabel=f"{metric} error / bound", ylim=(-0.02, 1.04))
            panel.set_xticks(sizes, [str(n) for n in sizes])
            panel.minorticks_off()


def draw_informative(file: Path) -> None:
    """Draw the share of random rankings on which a bound is below the largest error that their labels allow."""
    shares = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0])
    reports = [draw_rankings(20, share, 400, 100 + seed) for seed, share in enumerate(shares)]
    shares, reports = shares[::-1], reports[::-1]  # the lines end where they differ
    title = "Rankings on which a bound is informative: below the error of the worst ranking"
    note = f"400 random rankings of 20 documents per point\n{CONVENTION}"
    with draw_panels(file, "ab", (9.5, 4.6), title, note) as panels:
        for panel, (metric, names, _, largest) in zip(panels, KINDS, strict=True):
            at_20 = {}
            for name, colour, marker in zip(names, COLORS, MARKERS, strict=True):
                below = [100 * measure_below_trivial(report, name, largest) for report in reports]
                panel.plot(
                    100 * shares, below, marker=marker, markersize=5, alpha=0.8, color=colour, label=LABELS[name]
                )
                at_20[LABELS[name]] = below[shares.tolist().index(0.2)]
            best = max(at_20, key=at_20.__getitem__)
            panel.set_title(f"{metric}: most often with 20% rated wrongly:\n{best}, {at_20[best]:.0f}%")
            panel.set(xlabel="documents rated wrongly by one grade (%)", ylabel="rankings (%)", ylim=(-2, 104))
            panel.invert_xaxis()


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
