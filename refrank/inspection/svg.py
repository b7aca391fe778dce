"""Drawings of trees, bars and curves as SVG, written as text: for notebooks, without matplotlib and without scripts."""

from collections.abc import Sequence
from html import escape

from refrank.inspection.layout import PlacedNode
from refrank.inspection.style import BLUE, GREEN, GREY, INK, ORANGE, PALE

CHARACTER = 6.6  # estimated width, in pixels
LINE = 15  # height of a line of text
LEVEL = 46  # from the boxes of a level to those below


def write_svg(width: float, height: float, parts: Sequence[str]) -> str:
    """Write a drawing of this size, in pixels."""
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    style = f'style="background: #fff" font-family="sans-serif" font-size="12" fill="{INK}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>{"".join(parts)}</svg>'


def write_text(x: float, y: float, words: str, anchor: str = "middle", color: str = INK) -> str:
    """Write words, which are escaped, at a place."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}">{escape(words)}</text>'


def draw_line(xs: Sequence[float], ys: Sequence[float], color: str = GREY) -> str:
    """Draw a line through points."""
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True))
    return f'<polyline points="{points}" fill="none" stroke="{color}"/>'


def draw_tree(places: Sequence[PlacedNode]) -> str:
    """Draw a tree: a box per node, green for leaves, dashed where nodes below are left out."""
    lines = [[place.heading, *place.details] for place in places]
    column = max(len(line) for texts in lines for line in texts) * CHARACTER + 22
    row = 3 * LINE + 12 + LEVEL
    xs = [(place.x + 0.5) * column for place in places]
    tops = [4.0 + place.depth * row for place in places]
    heights = [len(texts) * LINE + 10 for texts in lines]
    edges, boxes = [], []
    for number, place in enumerate(places):
        x, top, height = xs[number], tops[number], heights[number]
        if place.above >= 0:
            x_above, bottom = xs[place.above], tops[place.above] + heights[place.above]
            for ends in ((0.0, 0.3), (0.7, 1.0)):  # the answer stands between
                across = [x_above + (x - x_above) * share for share in ends]
                edges.append(draw_line(across, [bottom + (top - bottom) * share for share in ends]))
            edges.append(write_text((x + x_above) / 2, (bottom + top) / 2 + 4, place.answer, color=INK))
        is_leaf = len(place.details) == 1
        dash = ' stroke-dasharray="4 3"' if place.is_end and not is_leaf else ""
        color = GREEN if is_leaf else BLUE
        width = column - 12
        boxes.append(
            f'<rect x="{x - width / 2:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height}" rx="5" '
            f'fill="{"#fff" if is_leaf else PALE}" stroke="{color}"{dash}/>'
        )
        for line, words in enumerate(lines[number]):
            boxes.append(write_text(x, top + 16 + line * LINE, words))
    n_ends = sum(place.is_end for place in places)
    lowest = max(top + height for top, height in zip(tops, heights, strict=True))
    return write_svg(n_ends * column, lowest + 4, edges + boxes)


def draw_bars(names: Sequence[str], values: Sequence[float]) -> str:
    """Draw a bar per name, to the right in blue if its value is positive, else to the left in orange."""
    left = max((len(name) for name in names), default=0) * CHARACTER + 12
    largest = max((abs(value) for value in values), default=0.0) or 1.0
    has_negative = any(value < 0 for value in values)
    space = 160.0
    zero = left + (space + 60 if has_negative else 0)
    parts = []
    for number, (name, value) in enumerate(zip(names, values, strict=True)):
        y, length = 4 + number * 20, abs(value) / largest * space
        start = zero if value >= 0 else zero - length
        color = BLUE if value >= 0 else ORANGE
        parts.append(write_text(left - 8, y + 12, name, "end"))
        parts.append(f'<rect x="{start:.1f}" y="{y}" width="{length:.1f}" height="15" fill="{color}"/>')
        end = zero + (length + 5) * (1 if value >= 0 else -1)
        parts.append(write_text(end, y + 12, f"{value:.3g}", "start" if value >= 0 else "end"))
    height = len(names) * 20 + 8
    parts.append(draw_line([zero, zero], [0, height]))
    return write_svg(zero + space + 70, height, parts)


def draw_curve(values: Sequence[float], best: int, name: str) -> str:
    """Draw a value per round, and mark the best round, counted from 1."""
    low, high = min(values), max(values)
    width, height, left = 320.0, 90.0, 10.0
    xs = [left + width * (m / max(1, len(values) - 1)) for m in range(len(values))]
    ys = [height - 8 - (height - 30) * ((value - low) / (high - low or 1.0)) for value in values]
    x, y = xs[best - 1], ys[best - 1]
    mark = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{ORANGE}"/>'
    words = f"{name}: best {values[best - 1]:.4g} in round {best:,} of {len(values):,}"
    return write_svg(width + 2 * left, height, [draw_line(xs, ys, BLUE), mark, write_text(left, 13, words, "start")])
