"""A ranker in a notebook: its parameters, sizes and rounds, and the features that gain most, on one static card."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from refrank.arrays import Floats
from refrank.inspection.page import write_note, write_page, write_table
from refrank.inspection.style import shorten
from refrank.inspection.svg import draw_bars, draw_curve

MOST_BARS = 10
Lines = Sequence[tuple[str, object]]


class Curve(NamedTuple):
    """A measure after each round."""

    values: Sequence[float]
    best: int  # from 1
    name: str


def write_card(
    heading: str,
    changed: Lines,
    unchanged: Lines,
    sizes: Lines,
    importances: Floats | None = None,
    names: Sequence[str] | None = None,
    curve: Curve | None = None,
) -> str:
    """Write the card of a ranker.

    `changed` and `unchanged` are its parameters by whether they differ from their defaults; `importances`, and `names`,
    are (n_features,).
    """
    pieces = [write_table([(name, repr(value)) for name, value in changed])]
    pieces.append(write_note("parameters at their defaults", write_table([(name, repr(v)) for name, v in unchanged])))
    if sizes:
        pieces.append(write_note(", ".join(f"{value} {word}" for word, value in sizes)))
    if curve is not None:
        pieces.append(draw_curve(*curve))
    if importances is not None and importances.any():
        order = [f for f in np.argsort(-importances, kind="stable")[:MOST_BARS] if importances[f] > 0]
        labels = [shorten(f"x{f}" if names is None else names[f]) for f in order]
        pieces += [write_note("share of the gain of all cuts"), draw_bars(labels, importances[order].tolist())]
    return write_page(heading, *pieces)
