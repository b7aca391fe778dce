"""Helpers for the figures of all papers: panels in a row or column, and a note on the convention below them."""

from pathlib import Path
from typing import Any


def make_panels(shape: tuple[int, int], size: tuple[float, float], grid: str = "both", **shared: Any) -> Any:
    """Make a Matplotlib figure of a size in inches with empty panels, (rows, columns); `grid` is "" for no grid."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(*shape, **shared)
    for panel in panels if grid else ():
        panel.grid(alpha=0.3, axis=grid)
    return figure, panels


def save_figure(figure: Any, path: Path, note: str = "", **options: Any) -> None:
    """Write a figure to a file, with a note of one or two lines below it."""
    if note:
        figure.text(0.5, -0.01, note, ha="center", va="top", fontsize=7)
    figure.savefig(path, **({"dpi": 120, "bbox_inches": "tight"} | options))
