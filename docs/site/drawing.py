"""Figures of the stories: in the house style, as SVG within the page, whose ink they take in light and in dark."""

import io
import re
from html import escape
from typing import Any, NamedTuple

from refrank.inspection.style import INK, follow_style, load_pyplot


class Drawing(NamedTuple):
    """A figure that a notebook puts into its page."""

    svg: str

    def _repr_html_(self) -> str:
        return self.svg


def open_panels(n_columns: int = 1, width: float = 6.4, height: float = 3.0, **shared: Any) -> tuple[Any, Any]:
    """Open a figure of a size in inches with panels side by side: the figure, and its axes or an array of them."""
    with follow_style():
        figure, panels = load_pyplot().subplots(1, n_columns, figsize=(width, height), layout="constrained", **shared)
    return figure, panels


def draw(figure: Any, words: str) -> Drawing:
    """Draw a figure; `words` say what it shows to those who cannot see it."""
    file = io.StringIO()
    with follow_style():
        figure.savefig(file, format="svg", transparent=True, bbox_inches="tight", metadata={"Date": None})
    load_pyplot().close(figure)
    svg = file.getvalue()
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    named = set(re.findall(r'(?:url\(#|href="#)([^")]+)', svg))  # only what is referred to keeps its name
    svg = re.sub(r' id="([^"]*)"', lambda match: match[0] if match[1] in named else "", svg)
    label = f'<svg role="img" aria-label="{escape(words)}" fill="currentColor" style="max-width:100%;height:auto" '
    return Drawing(svg.replace(INK, "currentColor").replace("<svg ", label, 1))
