"""Beyond the paper: how well the sum of each cost over a query tells the ranking errors that it stands for.

Over the test queries, for each ranker: Spearman's rank correlation between the sum of a cost over the query's documents
(at the hard ranks; at the nearest grade for direct regression) and the error of the ranking, ideal minus reached.
Queries without a relevant document have no error and are left out.
"""

from pathlib import Path

import matplotlib.figure
import numpy as np
from scipy import stats

from refrank.cocr.user_costs import COSTS
from refrank.metrics import summarize
from refrank.reproduce.cells import Arrays
from refrank.reproduce.cocr_cells import Cells

MEASURES = {"err": "ERR", "ndcg": "NDCG@10"}


def proxies(cells: Cells, path: Path) -> list[str]:
    """Draw the correlations of every ranker into a file, and return their medians as text."""
    found = {
        (measure, cost): [correlation(folds, measure, cost) for folds in rankers(cells)]
        for measure in MEASURES
        for cost in COSTS
    }
    draw(found, path)
    lines = [
        "",
        f"proxies: rank correlation, over queries, of summed cost and error; median over {len(rankers(cells))} rankers",
        f"{'':16}" + "".join(f"{cost:>20}" for cost in COSTS),
    ]
    for measure, name in MEASURES.items():
        medians = [float(np.median(found[measure, cost])) for cost in COSTS]
        lines.append(f"  {name:14}" + "".join(f"{median:>20.3f}" for median in medians))
    lines.append("between rankers, of mean cost and mean error:")
    for measure, name in MEASURES.items():
        between = [across_rankers(cells, measure, cost) for cost in COSTS]
        lines.append(f"  {name:14}" + "".join(f"{value:>20.3f}" for value in between))
    return [*lines, f"figure: {path}"]


def rankers(cells: Cells) -> list[list[Arrays]]:
    """List the rankers whose costs were added up: all but the bagged ones."""
    return [folds for (name, _), folds in cells.items() if name != "bagging"]


def correlation(folds: list[Arrays], measure: str, cost: str) -> float:
    """Correlate the ranks of one ranker's summed costs and errors over the queries of all folds."""
    costs, errors = costs_and_errors(folds, measure, cost)
    return float(stats.spearmanr(costs, errors).statistic)


def across_rankers(cells: Cells, measure: str, cost: str) -> float:
    """Correlate the ranks of the rankers by mean cost and by mean error."""
    pairs = [[summarize(values).mean for values in costs_and_errors(folds, measure, cost)] for folds in rankers(cells)]
    return float(stats.spearmanr(*np.array(pairs).T).statistic)


def costs_and_errors(folds: list[Arrays], measure: str, cost: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the summed cost and the error of each query that has a relevant document."""
    costs, ideal, reached, best = (
        np.concatenate([arrays[name] for arrays in folds])
        for name in (f"cost_{cost}", f"ideal_{measure}", f"test_{measure}", "ideal_err")
    )
    asked = best > 0
    return costs[asked], (ideal - reached)[asked]


def draw(found: dict[tuple[str, str], list[float]], path: Path) -> None:
    """Draw one box a cost, beside each other for each error."""
    figure = matplotlib.figure.Figure(figsize=(8, 4), layout="constrained")
    for panel, (measure, name) in zip(figure.subplots(1, 2, sharey=True), MEASURES.items(), strict=True):
        panel.boxplot([found[measure, cost] for cost in COSTS], tick_labels=[*COSTS], widths=0.5, showfliers=False)
        for place, cost in enumerate(COSTS, start=1):
            values = found[measure, cost]
            panel.plot(place + np.linspace(-0.15, 0.15, len(values)), sorted(values), "o", ms=3, alpha=0.5)
        panel.set(title=f"{name} error", xlabel="cost, summed over a query")
        panel.axhline(0, color="grey", lw=0.8)
        panel.grid(alpha=0.3, axis="y")
    figure.supylabel("rank correlation with the error, a dot a ranker", fontsize=10)
    figure.savefig(path, dpi=120, bbox_inches="tight")
