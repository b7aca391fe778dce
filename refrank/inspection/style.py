"""The house style of drawings: colours that are told apart with every kind of colour vision, and plain axes.

The first four colours are those of Okabe and Ito (2008). Violet and brown, for more lines than four, stand out from
white, as the other colours of those authors do not.
"""

import io
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, ORANGE, GREEN, PURPLE, VIOLET, BROWN = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#6d28d9", "#6b3410"
COLORS = (BLUE, ORANGE, GREEN, PURPLE, VIOLET, BROWN)  # of lines, in this order
INK, GREY, PALE = "#1b1b1b", "#7b8794", "#eaf3f9"
DARK: Mapping[str, str] = MappingProxyType(  # a colour on a dark page, by that on a light one
    {
        BLUE: "#56b4e9",
        ORANGE: "#ff9e4a",
        GREEN: "#35c79a",
        PURPLE: "#e5a8cb",
        VIOLET: "#9b6dff",
        BROWN: "#d1603f",
        INK: "#e8eaed",
        GREY: "#9aa5b1",
        PALE: "#17303f",
        "#000000": "#e8eaed",
        "#ffffff": "#131416",
    }
)
LONGEST_NAME = 28  # characters
RULES: Mapping[str, Any] = MappingProxyType(
    {
        "axes.edgecolor": GREY,
        "axes.labelcolor": INK,
        "axes.prop_cycle": f"cycler('color', {[*COLORS]})",
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlecolor": INK,
        "axes.titlelocation": "left",
        "axes.titlesize": 10,
        "figure.titlesize": 11,
        "font.size": 9,
        "grid.alpha": 0.3,
        "grid.color": GREY,
        "svg.fonttype": "none",  # text stays text
        "svg.hashsalt": "refrank",
        "text.color": INK,
        "xtick.color": INK,
        "ytick.color": INK,
    }
)


def shorten(name: object) -> str:
    """Shorten a long name.

    >>> shorten("the number of links to the page")
    'the number of links to the …'
    """
    text = str(name)
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


def load_pyplot() -> Any:
    """Import matplotlib; without it, an ImportError says how to install it."""
    try:
        return import_module("matplotlib.pyplot")
    except ModuleNotFoundError:
        absent = "plots need matplotlib, which is not installed; install it with: pip install matplotlib"
        raise ImportError(absent) from None


def follow_style() -> AbstractContextManager[None]:
    """Return the context in which matplotlib follows the rules of the house."""
    load_pyplot()
    rules: AbstractContextManager[None] = import_module("matplotlib").rc_context(dict(RULES))
    return rules


def make_dark(svg: str) -> str:
    """Give a drawing in the colours of the house those for a dark page.

    >>> make_dark('<text style="fill: #1b1b1b">')
    '<text style="fill: #e8eaed">'
    """
    return re.sub("#[0-9a-f]{6}", lambda color: DARK.get(color[0], color[0]), svg)


def save_picture(figure: Any, path: Path) -> None:
    """Write a figure as PNG, as SVG whose text stays text, and as SVG for a dark page: `path` with three endings."""
    from refrank.datasets.whole_file import replace_file  # with all of `refrank.datasets`, which rankers do without

    drawn, svg = io.BytesIO(), io.StringIO()
    with follow_style():
        figure.savefig(drawn, format="png", dpi=130)
        figure.savefig(svg, format="svg", transparent=True, metadata={"Date": None})
    light = svg.getvalue().replace("<svg ", f'<svg fill="{INK}" ', 1)  # of words without a colour of their own
    contents = {".png": drawn.getvalue(), ".svg": light.encode(), "_dark.svg": make_dark(light).encode()}
    for ending, content in contents.items():
        with replace_file(path.with_name(f"{path.stem}{ending}")) as file:
            file.write(content)


def open_axes(axes: "Axes | None", width: float, height: float) -> "Axes":
    """Return the given axes, or those of a new figure of this size, in inches."""
    if axes is not None:
        return axes
    with follow_style():
        made: Axes = load_pyplot().subplots(figsize=(width, height), layout="constrained")[1]
    return made
