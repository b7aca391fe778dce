"""Draw docs/images/shards.svg: what three shards send for one tree, of docs/learn/shards.md.

python docs/images/shards.py
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from refrank import SoftmaxBoostRanker
from refrank.cluster.recording import Join, record_joins
from refrank.inspection.style import BLUE, GREEN, GREY, INK, ORANGE, PALE, VIOLET, follow_style, save_picture

N_SHARDS = 3
COLORS = {"grid": VIOLET, "root": BLUE, "histogram": GREEN, "leaves": ORANGE}
NAMES = {
    "grid": "rows, largest size",
    "root": "sums of\nthe root",
    "histogram": "histogram of a node",
    "leaves": "sums of the leaves",
}


def record_tree() -> list[Join]:
    """Record the joins of the first tree of a softmax boosting: 10 leaves, 136 features, 256 bins."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 136)).astype(np.float32), rng.integers(0, 5, 3000)
    with record_joins(N_SHARDS) as recording:
        shards = [(X[place::N_SHARDS], y[place::N_SHARDS]) for place in range(N_SHARDS)]
        SoftmaxBoostRanker(n_rounds=1, n_leaves=10).fit_shards(shards)
    joins = recording.list_joins()
    return joins[: 1 + [join.kind for join in joins].index("leaves")]


def draw_shards(axes: Axes) -> None:
    """Draw the shards, the join, and what goes between them."""
    box = {"boxstyle": "round,pad=0.6", "facecolor": PALE, "edgecolor": BLUE}
    for place in range(N_SHARDS):
        y = 0.85 - 0.35 * place
        axes.text(0.2, y, f"shard {place}\nits rows, labels, F", ha="center", va="center", bbox=box)
        arrow = {"arrowstyle": "<->", "color": GREY}
        axes.annotate("", (0.72, 0.5 + (y - 0.5) / 4), (0.41, y), arrowprops=arrow)
    join = {"boxstyle": "round,pad=0.8", "facecolor": "white", "edgecolor": INK}
    axes.text(0.84, 0.5, "join:\nintegers\nare added", ha="center", va="center", bbox=join)
    axes.set(xlim=(0, 1), ylim=(0, 1), title="Rows stay where they are; their sums travel")
    axes.axis("off")


def draw_joins(axes: Axes, joins: list[Join]) -> None:
    """Draw the bytes that each shard sends, join by join."""
    kilobytes = [join.joined.nbytes / 1000 for join in joins]
    axes.bar(range(len(joins)), kilobytes, color=[COLORS[join.kind] for join in joins])
    for kind, color in COLORS.items():
        places = [place for place, join in enumerate(joins) if join.kind == kind]
        place = places[(len(places) - 1) // 2]
        small = kilobytes[place] < 1
        where = {"ha": "center", "va": "bottom", "color": color, "rotation": 90 if small else 0}
        axes.text(place, kilobytes[place] + 12, NAMES[kind], **where)
    axes.set(xlabel="join", ylabel="kB sent by each shard", xticks=range(len(joins)), ylim=(0, 650))
    axes.set_title(f"One tree of 10 leaves, 136 features, 256 bins: {len(joins)} joins, {sum(kilobytes) / 1000:.2f} MB")


def main() -> None:
    """Draw both parts."""
    with follow_style():
        figure, (left, right) = plt.subplots(1, 2, figsize=(11, 3.8), layout="constrained", width_ratios=(1, 1.5))
        draw_shards(left)
        draw_joins(right, record_tree())
    save_picture(figure, Path(__file__))


if __name__ == "__main__":
    main()
