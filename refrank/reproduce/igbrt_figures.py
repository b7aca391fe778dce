"""iGBRT Figures 1 and 2: RMSE, ERR and NDCG over the rounds, one line a learning rate, the forest's in black."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib.figure
import numpy as np
from numpy.typing import NDArray

from refrank.reproduce.igbrt_runs import METRICS, BoostRun


def draw_traces(runs: Mapping[float, BoostRun], forest: NDArray[np.float64], title: str, path: Path) -> None:
    """Draw one panel a metric."""
    figure = matplotlib.figure.Figure(figsize=(7, 8), layout="constrained")
    panels = figure.subplots(3, 1, sharex=True)
    for panel, metric in zip(panels, ("RMSE", "ERR", "NDCG"), strict=True):
        column = METRICS.index(metric)
        for alpha, run in runs.items():
            panel.plot(run.rounds, run.metrics["test"][:, column], linewidth=1, label=f"alpha = {alpha}")
        panel.axhline(forest[column], color="black", linewidth=2.5, label="random forest")
        panel.set_ylabel("NDCG@10" if metric == "NDCG" else metric)
        # the first rounds from F = 0 are far off: the axis shows where the lines come to, and the forest
        late = np.concatenate([run.metrics["test"][len(run.rounds) // 8 :, column] for run in runs.values()])
        low, high = min(late.min(), forest[column]), max(late.max(), forest[column])
        panel.set_ylim(low - 0.08 * (high - low), high + 0.08 * (high - low))
        panel.grid(alpha=0.3)
    panels[0].set_title(title, fontsize=10)
    panels[2].set_xlabel("rounds of boosting")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", fontsize=8, ncols=3)
    figure.savefig(path, dpi=130)
