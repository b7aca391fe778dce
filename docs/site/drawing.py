"""Figures of the stories: in the house style, drawn into the page, with its own ink in light and in dark."""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import Any, NamedTuple

from refrank.inspection.style import INK, follow_style, load_pyplot

OURS = {"text.color": INK, "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none"}


class Drawing(NamedTuple):
    """A figure as SVG, which a notebook puts into its page."""

    svg: str

    def _repr_html_(self) -> str:
        return self.svg


@contextmanager
def draw(words: str, width: float = 6.4, height: float = 3.2, n_columns: int = 1) -> Iterator[Any]:
    """Open axes of a size in inches; on leaving, show the figure. `words` say what it shows, to those who cannot see it."""
    pyplot = load_pyplot()
    with follow_style(), pyplot.rc_context(OURS):
        figure, axes = pyplot.subplots(1, n_columns, figsize=(width, height), layout="constrained")
        yield axes
        show(Drawing(write_svg(figure, words)))
        pyplot.close(figure)


def write_svg(figure: Any, words: str) -> str:
    """Write a figure as SVG: its ink is that of the page, and only what is referred to keeps its name."""
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    svg = file.getvalue()[file.getvalue().index("<svg") :].replace(INK, "currentColor")
    named = set(re.findall(r'(?:url\(#|href="#)([^")]+)', svg))
    svg = re.sub(r' id="([^"]*)"', lambda match: match[0] if match[1] in named else "", svg)
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{escape(words)}" style="max-width:100%;height:auto" ', 1)


def show(drawing: Drawing) -> None:
    """Display a drawing where a notebook runs; elsewhere nothing is to be seen."""
    try:
        from IPython.display import display
    except ModuleNotFoundError:
        return
    if hasattr(__builtins__, "__IPYTHON__"):
        display(drawing)
