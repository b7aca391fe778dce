"""iGBRT Figures 1 and 2: RMSE, ERR and NDCG over the rounds, one line per learning rate, the forest's in black."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from refrank.reproduce.cells import Arrays
from refrank.reproduce.figures import make_panels, save_figure
from refrank.reproduce.igbrt.runs import METRICS, Sizes
from refrank.reproduce.igbrt.tables import FoldResults
from refrank.reproduce.run import Run


def draw_figures(result: FoldResults, sizes: Sizes, run: Run) -> Iterator[str]:
    """Draw Figures 1 and 2 of one fold, against its largest forest, and yield a line that names each."""
    largest = sizes.forest_sizes[-1]
    for number, size, method in ((1, 0, "GBRT"), (2, largest, "iGBRT")):
        path = run.place(f"figure{number}-{sizes.name}.png")
        title = f"{method} (R) against a forest of {largest:,} trees: {result.name}, test set"
        n_far_off = 0 if size else sizes.n_rounds // sizes.every // 8  # the first rounds from F = 0
        draw_traces(result.boosted["R", size], result.forests["R"]["test"][-1], title, path, n_far_off)
        yield f"Figure {number}: {path}"


def draw_traces(
    runs: Mapping[float, Arrays], forest: NDArray[np.float64], title: str, path: Path, n_far_off: int
) -> None:
    """Draw one panel per metric: the runs of each learning rate, and the forest's ERR, NDCG@10 and RMSE.

    Of the first `n_far_off` measurements, the worst may lie outside the panel; all others are seen.
    """
    figure, panels = make_panels((3, 1), (7, 8), sharex=True)
    for panel, metric in zip(panels, ("RMSE", "ERR", "NDCG"), strict=True):
        column = METRICS.index(metric)
        traces = [run["test"][:, column] for run in runs.values()]
        for (alpha, run), trace in zip(runs.items(), traces, strict=True):
            panel.plot(run["steps"], trace, linewidth=1, label=f"alpha = {alpha}")
        panel.axhline(forest[column], color="black", linewidth=2.5, label="random forest")
        panel.set_ylabel("NDCG@10" if metric == "NDCG" else metric)
        late = [trace[n_far_off:] for trace in traces]
        lows, highs = (traces, late) if metric == "RMSE" else (late, traces)
        low, high = min(forest[column], *map(np.min, lows)), max(forest[column], *map(np.max, highs))
        panel.set_ylim(low - 0.08 * (high - low), high + 0.08 * (high - low))
    panels[0].set_title(title, fontsize=10)
    panels[2].set_xlabel("rounds of boosting")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", fontsize=8, ncols=3)
    save_figure(figure, path, dpi=130, bbox_inches=None)
