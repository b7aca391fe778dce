"""Beyond the paper: how well the sum of each cost over a query tells the ranking errors that it stands for.

Over the test queries, for each ranker: Spearman's rank correlation between the sum of a cost over the query's documents
(at the hard ranks; at the nearest grade for direct regression) and the error of the ranking, ideal minus reached.
Queries without a relevant document have no error and are left out.
"""

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from refrank.metrics import summarize
from refrank.reproduce.cells import Arrays
from refrank.reproduce.cocr.rankers import COSTS
from refrank.reproduce.cocr.tables import MEASURES, Cells, lay_out
from refrank.reproduce.figures import make_panels, save_figure
from refrank.reproduce.tables import Row

Correlations = dict[tuple[str, str], list[float]]  # of measure and cost, one per ranker


def compare_proxies(cells: Cells, path: Path) -> list[str]:
    """Draw the correlations of every ranker into a file, and return their medians as text."""
    rankers = [join_folds(folds) for (base, _), folds in cells.items() if base != "bagging"]
    within: Correlations = {}
    medians: list[Row] = []
    between: list[Row] = []
    for measure, name in MEASURES.items():
        across = []
        for cost in COSTS:
            pairs = [(of[f"cost_{cost}"], of[f"ideal_{measure}"] - of[f"test_{measure}"]) for of in rankers]
            within[measure, cost] = [correlate_ranks(*pair) for pair in pairs]
            means = np.array([[summarize(values).mean for values in pair] for pair in pairs])
            across.append(correlate_ranks(*means.T))
        medians.append((name, [f"{np.median(within[measure, cost]):.3f}" for cost in COSTS]))
        between.append((name, [f"{correlation:.3f}" for correlation in across]))
    draw_correlations(within, path)
    return [
        f"proxies: rank correlation, over queries, of summed cost and error; median over {len(rankers)} rankers",
        *lay_out(medians, COSTS),
        "between rankers, of mean cost and mean error:",
        *lay_out(between, columns=()),
        f"figure: {path}",
    ]


def join_folds(folds: list[Arrays]) -> Arrays:
    """Join the test queries of all folds, without those that have no relevant document."""
    names = [name for name in folds[0] if name.startswith(("cost_", "ideal_", "test_"))]
    joined = {name: np.concatenate([arrays[name] for arrays in folds]) for name in names}
    return {name: values[joined["ideal_err"] > 0] for name, values in joined.items()}


def correlate_ranks(a: ArrayLike, b: ArrayLike) -> float:
    """Compute Spearman's rank correlation."""
    from scipy import stats

    return float(stats.spearmanr(a, b).statistic)


def draw_correlations(found: Correlations, path: Path) -> None:
    """Draw one box per cost, side by side for each error."""
    figure, panels = make_panels((1, 2), (8, 4), sharey=True)
    for panel, (measure, name) in zip(panels, MEASURES.items(), strict=True):
        panel.boxplot([found[measure, cost] for cost in COSTS], tick_labels=[*COSTS], widths=0.5, showfliers=False)
        for place, cost in enumerate(COSTS, start=1):
            values = found[measure, cost]
            panel.plot(place + np.linspace(-0.15, 0.15, len(values)), sorted(values), "o", ms=3, alpha=0.5)
        panel.set(title=f"{name} error", xlabel="cost, summed over a query")
        panel.axhline(0, color="grey", lw=0.8)
        panel.grid(alpha=0.3, axis="y")
    figure.supylabel("rank correlation with the error, one dot per ranker", fontsize=10)
    save_figure(figure, path)
