"""Drawings of a bench as SVG: two systems query by query, and how far each system is from the best.

Shapes and places say all that colours say: points above the diagonal are blue, those below are orange, and a filled
mark is a difference that the tests find.
"""

from collections.abc import Sequence
from html import escape

import numpy as np

from refrank.arrays import Floats
from refrank.inspection.style import BLUE, GREY, INK, ORANGE, PALE, shorten
from refrank.inspection.svg import CHARACTER, draw_line, write_svg, write_text
from refrank.reproduce.bench.comparisons import MeasureComparison, SystemPair

SIDE, LEFT, TOP = 200.0, 48.0, 40.0  # of the square of a scatter
MOST_NAMED = 300  # points that say their query; of the others, those at the same place are drawn once
WIDTH, ROW = 560.0, 24.0  # of the axis of differences, and from system to system


def draw_scatter(pair: SystemPair, qid: Sequence[str], a: Floats, b: Floats) -> str:
    """Draw a point per query, (n_queries,), of which those that differ most say their query."""
    counted = np.flatnonzero(~np.isnan(a))
    a, b, qid = a[counted], b[counted], [qid[query] for query in counted.tolist()]
    low, high = min(0.0, a.min(), b.min()), max(a.max(), b.max(), 1e-9)
    xs = LEFT + SIDE * (b - low) / (high - low)
    ys = TOP + SIDE * (high - a) / (high - low)
    colors = np.array([GREY, BLUE, ORANGE])[np.sign(a - b).astype(int)]  # equal, above, below
    by_size = np.argsort(-np.abs(a - b), kind="stable")
    named, others = by_size[:MOST_NAMED], by_size[MOST_NAMED:]
    above, below, equal = pair.counts
    parts = [
        write_text(LEFT, 14, f"{shorten(pair.a)}, upwards", "start", BLUE),
        write_text(LEFT, 30, f"above {above:,}, below {below:,}, equal {equal:,}", "start"),
        draw_line([LEFT, LEFT, LEFT + SIDE], [TOP, TOP + SIDE, TOP + SIDE]),
        draw_line([LEFT, LEFT + SIDE], [TOP + SIDE, TOP]),
        write_text(LEFT - 6, TOP + 9, f"{high:.3g}", "end"),
        write_text(LEFT - 6, TOP + SIDE, f"{low:.3g}", "end"),
        write_text(LEFT, TOP + SIDE + 15, f"{low:.3g}"),
        write_text(LEFT + SIDE, TOP + SIDE + 15, f"{high:.3g}"),
        write_text(LEFT + SIDE, TOP + SIDE + 31, f"{shorten(pair.b)}, to the right", "end", ORANGE),
    ]
    for color in (GREY, BLUE, ORANGE):
        of = others[colors[others] == color]
        parts += draw_unnamed(xs[of], ys[of], color)
    for query in named[::-1]:  # the largest difference on top
        words = f"{qid[query]}: {a[query]:.4f} against {b[query]:.4f}"
        place = f'cx="{xs[query]:.1f}" cy="{ys[query]:.1f}" r="2.6" fill="{colors[query]}" fill-opacity=".55"'
        parts.append(f"<circle {place}><title>{escape(words)}</title></circle>")
    return write_svg(LEFT + SIDE + 24, TOP + SIDE + 40, parts)


def draw_unnamed(xs: Floats, ys: Floats, color: str) -> list[str]:
    """Draw points without a title, those at the same pixel once."""
    places = sorted({(round(x), round(y)) for x, y in zip(xs.tolist(), ys.tolist(), strict=True)})
    dots = "".join(f"M{x} {y}h.1" for x, y in places)
    rule = f'stroke="{color}" stroke-width="5" stroke-linecap="round" stroke-opacity=".35"'
    return [f'<path d="{dots}" fill="none" {rule}/>'] if dots else []


def draw_differences(comparison: MeasureComparison) -> str:
    """Draw how far each system is below the best, with the interval, in a band of what the queries do not resolve."""
    best, *others = (system.name for system in comparison.ranked)
    pairs = [pair for name in others if (pair := comparison.find_pair(best, name))]
    low = min(min(-pair.resolved, pair.compared.interval.low) for pair in pairs)
    high = max(max(pair.resolved, pair.compared.interval.high) for pair in pairs)
    left = max(len(shorten(name)) for name in others) * CHARACTER * 1.15 + 14  # in a wide font

    def place(value: float) -> float:
        return left + (value - low) / (high - low or 1.0) * WIDTH

    parts, height = [], ROW * len(pairs) + 30
    for row, pair in enumerate(pairs):
        y, mean, interval = ROW * row + 36, pair.compared.difference.mean, pair.compared.interval
        start, end = place(-pair.resolved), place(pair.resolved)
        band = f'fill="{PALE}" stroke="{BLUE}" stroke-opacity=".25"'
        fill, stroke = (BLUE, BLUE) if pair.differs else ("#fff", GREY)
        parts += [
            f'<rect x="{start:.1f}" y="{y - 9:.1f}" width="{end - start:.1f}" height="18" {band}/>',
            draw_line([place(interval.low), place(interval.high)], [y, y], INK),
            f'<circle cx="{place(mean):.1f}" cy="{y:.1f}" r="5" fill="{fill}" stroke="{stroke}"/>',
            write_text(left - 10, y + 4, shorten(pair.b), "end"),
            write_text(left + WIDTH + 10, y + 4, f"{mean:.4f}", "start"),
        ]
    zero = place(0.0)
    parts = [*parts, write_text(zero, 14, f"{shorten(best)} = 0"), draw_line([zero, zero], [20, height])]
    return write_svg(left + WIDTH + 70, height, parts)
