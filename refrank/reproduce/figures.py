"""The frame of all papers' figures: panels in the style of the house, labels at the ends of lines, a note below."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from refrank.inspection.style import follow_style, save_picture

LABEL = 8  # size of labels and notes, in points
SPACING = 1.3  # from label to label, in sizes


@contextmanager
def draw_panels(
    path: Path, mosaic: str, size: tuple[float, float], title: str, note: str, **shared: Any
) -> Iterator[list[Any]]:
    """Open panels, a letter of `mosaic` each, as in "ab;cc", on a figure of a size in inches; then write the pictures.

    The title is above the panels; the note says below them under which convention their values are. A line that has
    a label gets it beside its end, in place of a legend.
    """
    with follow_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=size, layout="constrained")
        figure.suptitle(title, x=0.01, ha="left", wrap=True)
        figure.supxlabel(note, x=0.01, ha="left", fontsize=LABEL)
        panels = [*figure.subplot_mosaic(mosaic, **shared).values()]
        for panel in panels:
            panel.grid(axis="y")
        yield panels
        for panel in panels:
            label_ends(panel)
    save_picture(figure, path)


def label_ends(panel: Any) -> None:
    """Write the labels of a finished panel's lines to its right, moved apart where two would touch.

    A thin line in the colour leads from the end of a line to its label.
    """
    panel.figure.draw_without_rendering()  # which makes the layout
    to_panel = panel.transAxes.inverted().transform  # to shares of the panel's width and height
    lines = [line for line in panel.lines if not line.get_label().startswith("_")]
    ends = [to_panel(line.get_transform().transform(line.get_xydata()[-1])) for line in lines]
    height = panel.get_window_extent().height * 72 / panel.figure.dpi
    order = sorted(range(len(lines)), key=lambda i: float(ends[i][1]))
    places = move_apart([float(ends[i][1]) for i in order], SPACING * LABEL / height)
    for i, place in zip(order, places, strict=True):
        look = {"arrowstyle": "-", "linewidth": 0.8, "shrinkA": 1, "shrinkB": 0, "relpos": (0, 0.5)}
        panel.annotate(
            lines[i].get_label(),
            tuple(ends[i]),
            (1.03, place),
            "axes fraction",
            arrowprops=look | {"color": lines[i].get_color()},
            annotation_clip=False,
            va="center",
            fontsize=LABEL,
        )


def move_apart(places: list[float], apart: float) -> list[float]:
    """Move places, which rise from 0 to 1, as little as it takes for them to be apart and inside.

    >>> move_apart([0.25, 0.25, 0.75], 0.125)
    [0.1875, 0.3125, 0.75]
    >>> move_apart([0.0, 1.0, 1.0], 0.25)
    [0.0, 0.75, 1.0]
    """
    from scipy.optimize import isotonic_regression

    if not places:
        return []
    steps = apart * np.arange(len(places))
    moved = isotonic_regression(np.array(places) - steps).x
    return (np.clip(moved, 0, max(0, 1 - steps[-1])) + steps).tolist()
