"""The house style of drawings: colours that are told apart with every kind of colour vision, and plain axes.

The colours are those of Okabe and Ito (2008).
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, ORANGE, GREEN, PURPLE = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
INK, GREY, PALE = "#1b1b1b", "#7b8794", "#eaf3f9"
LONGEST_NAME = 28  # characters
RULES: Mapping[str, Any] = MappingProxyType(
    {
        "axes.edgecolor": GREY,
        "axes.labelcolor": INK,
        "axes.prop_cycle": f"cycler('color', {[BLUE, ORANGE, GREEN, PURPLE]})",
        "axes.spines.right": False,
        "axes.spines.top": False,
        "font.size": 9,
        "svg.fonttype": "none",  # text stays text
        "svg.hashsalt": "refrank",
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


def open_axes(axes: "Axes | None", width: float, height: float) -> "Axes":
    """Return the given axes, or those of a new figure of this size, in inches."""
    if axes is not None:
        return axes
    with follow_style():
        made: Axes = load_pyplot().subplots(figsize=(width, height), layout="constrained")[1]
    return made
