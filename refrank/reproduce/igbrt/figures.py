"""iGBRT Figures 1 and 2: RMSE, ERR and NDCG over the rounds, one line a learning rate, the forest's in black."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib.figure
import numpy as np
from numpy.typing import NDArray

from refrank.reproduce.igbrt_runs import METRICS, BoostRun


def draw_traces(
    runs: Mapping[float, BoostRun], forest: NDArray[np.float64], title: str, path: Path, far_off: int
) -> None:
    """Draw one panel a metric; the worst of the first `far_off` measurements may lie outside, all others are seen."""
    figure = matplotlib.figure.Figure(figsize=(7, 8), layout="constrained")
    panels = figure.subplots(3, 1, sharex=True)
    for panel, metric in zip(panels, ("RMSE", "ERR", "NDCG"), strict=True):
        column = METRICS.index(metric)
        for alpha, run in runs.items():
            panel.plot(run.rounds, run.metrics["test"][:, column], linewidth=1, label=f"alpha = {alpha}")
        panel.axhline(forest[column], color="black", linewidth=2.5, label="random forest")
        panel.set_ylabel("NDCG@10" if metric == "NDCG" else metric)
        traces = [run.metrics["test"][:, column] for run in runs.values()]
        panel.set_ylim(limits(traces, forest[column], metric, far_off))
        panel.grid(alpha=0.3)
    panels[0].set_title(title, fontsize=10)
    panels[2].set_xlabel("rounds of boosting")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", fontsize=8, ncols=3)
    figure.savefig(path, dpi=130)


def limits(traces: Sequence[NDArray[np.float64]], forest: float, metric: str, far_off: int) -> tuple[float, float]:
    """Choose the range of an axis: all values but the worst of the first ones, and the forest's."""
    all_values, late = np.concatenate(traces), np.concatenate([trace[far_off:] for trace in traces])
    low, high = (all_values.min(), late.max()) if metric == "RMSE" else (late.min(), all_values.max())
    low, high = min(low, forest), max(high, forest)
    margin = 0.08 * (high - low)
    return float(low - margin), float(high + margin)
