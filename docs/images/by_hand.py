"""Draw docs/images/by_hand.svg: the trees of round 1 of docs/learn/by_hand.md, with one p and as printed.

python docs/images/by_hand.py
"""

from collections.abc import Iterator
from fractions import Fraction
from math import log
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from refrank.inspection.style import BLUE, GREY, PALE, follow_style, save_picture
from refrank.mcrank.softmax_boosting import (
    compute_residual,
    softmax,
    softmax_boosting_sequential,
    softmax_boosting_simultaneous,
)
from refrank.trees.bins.binning import bin_features
from refrank.trees.engine import default_engine
from refrank.trees.growth.grower import Grower

# The example of docs/learn/by_hand.md: four documents, one feature, three grades.
X = np.array([[0.0], [1.0], [1.0], [2.0]])
Y = np.array([0, 1, 2, 2])
N_CLASSES, NU = 3, log(2)
ONE_P = "One p per round: all classes make the same cut"
AS_PRINTED = "As printed, p anew for each class: classes 1 and 2 see that class 0 has moved, and cut elsewhere"
UPDATES = {ONE_P: softmax_boosting_simultaneous, AS_PRINTED: softmax_boosting_sequential}  # by the title of their row


class Leaf(NamedTuple):
    """A leaf of a tree in the picture."""

    rows: np.ndarray  # (n_samples,), bool
    residual: float
    curvature: float
    beta: float


def list_leaves(update: str) -> Iterator[list[Leaf]]:
    """Yield the leaves of each class's tree in round 1."""
    grow = Grower(bin_features(X, 256, engine=default_engine()), n_leaves=2)
    turn = next(UPDATES[update](Y, N_CLASSES, grow, 1, NU))
    scores = np.zeros((len(Y), N_CLASSES))
    for k, tree in enumerate(turn.trees):
        proba = softmax(scores)[:, k]
        residual, left = compute_residual(Y, k, proba), X[:, 0] < tree.cut[0]
        yield [
            Leaf(rows, residual[rows].sum(), (proba * (1 - proba))[rows].sum(), tree.value[node])
            for rows, node in ((left, tree.left[0]), (~left, tree.right[0]))
        ]
        if update == AS_PRINTED:
            scores[:, k] = turn.scores[:, k]


def format_number(value: float) -> str:
    """Format a fraction as one, and any other number with four digits."""
    fraction = Fraction(value).limit_denominator(2_000)
    return str(fraction) if abs(float(fraction) - value) < 1e-12 else f"{value:.4f}"


def draw_tree(axes: Axes, k: int, leaves: list[Leaf]) -> None:
    """Draw a root and its two leaves."""
    box = {"boxstyle": "round,pad=0.5", "facecolor": PALE, "edgecolor": BLUE}
    highest = X[leaves[0].rows, 0].max()
    root = f"class {k}: r = {format_number(sum(leaf.residual for leaf in leaves))}\nx <= {highest:.0f}?"
    for place, leaf, answer in zip((0.24, 0.76), leaves, ("yes", "no"), strict=True):
        axes.plot([0.5, place], [0.82, 0.3], color=GREY, linewidth=1, zorder=0)
        axes.text((0.5 + place) / 2, 0.58, answer, ha="center", va="center", fontsize=8, backgroundcolor="white")
        names = " ".join(f"d{i + 1}" for i in np.flatnonzero(leaf.rows))
        sums = f"r = {format_number(leaf.residual)}\nh = {format_number(leaf.curvature)}"
        beta = rf"$\mathbf{{\beta = {format_number(leaf.beta)}}}$"
        axes.text(place, 0.24, f"{names}\n{sums}\n{beta}", ha="center", va="center", fontsize=9, bbox=box)
    axes.text(0.5, 0.85, root, ha="center", va="center", fontsize=9, bbox=box)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.axis("off")


def main() -> None:
    """Draw a row of trees per update, a column per class."""
    with follow_style():
        figure = plt.figure(figsize=(10, 5.6), layout="constrained")
        for row, update in zip(figure.subfigures(2, 1), UPDATES, strict=True):
            row.suptitle(update, x=0.01, ha="left", fontsize=11)
            for k, (axes, leaves) in enumerate(zip(row.subplots(1, N_CLASSES), list_leaves(update), strict=True)):
                draw_tree(axes, k, leaves)
    save_picture(figure, Path(__file__))


if __name__ == "__main__":
    main()
