"""What the figures of all papers share: panels in a row or column, and a note on the convention below them."""

from pathlib import Path
from typing import Any


def make_panels(shape: tuple[int, int], size: tuple[float, float], **shared: Any) -> tuple[Any, Any]:
    """Make a Matplotlib figure, and an array of its empty panels.

    Parameters
    ----------
    shape : tuple of two ints
        Rows and columns of panels.
    size : tuple of two floats
        Width and height in inches.
    **shared
        `sharex` and `sharey` of Matplotlib's `Figure.subplots`.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(*shape, **shared)


def save_figure(figure: Any, path: Path, note: str = "", **options: Any) -> None:
    """Write a figure to a file, with a note below it.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    path : Path
    note : str, default ""
        One line or two.
    **options
        Of Matplotlib's `Figure.savefig`, instead of `dpi=120, bbox_inches="tight"`.
    """
    if note:
        figure.text(0.5, -0.01 - 0.03 * len(note.split("\n")), note, ha="center", fontsize=7)
    figure.savefig(path, **({"dpi": 120, "bbox_inches": "tight"} | options))
