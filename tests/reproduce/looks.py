"""Write how the figures of all reproductions look: `python -m tests.reproduce.looks` writes looks.txt anew.

Each figure is drawn from made-up numbers, and every word, line, band, limit and legend in it becomes a line of text, so
that a change of a picture is a change of that file, in plain sight.
"""

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from refrank.datasets.layouts import SPLITS
from refrank.metrics import Summary
from refrank.reproduce import figures
from refrank.reproduce.cocr.figures import draw_bagging, draw_correlations, draw_min_instances
from refrank.reproduce.cocr.rankers import COSTS, MEASURES, WAYS, CocrSetting, Results
from refrank.reproduce.igbrt.figures import draw_traces
from refrank.reproduce.mcrank.figure_3 import draw_figure_3
from refrank.reproduce.mcrank.figures import draw_figure_1, draw_figure_2
from refrank.reproduce.mcrank.hidden_units import draw_hidden_units
from refrank.reproduce.mcrank.rankers import BESIDE, RANKERS, Parameters
from refrank.reproduce.mcrank.study_models import Model

FILE = Path(__file__).with_name("looks.txt")
NOWHERE = Path("none.png")


def spread(*shape: int, step: int = 37) -> Any:
    """Return numbers of 1/101, 2/101, ..., 1 that go up and down."""
    return (np.arange(np.prod(shape)) * step % 101 + 1).reshape(shape) / 101


# --- what is drawn


def mcrank_1() -> None:
    test = {name: spread(4, 10, step=7 + place) for place, name in enumerate((*RANKERS, *BESIDE))}
    printed = {"ordinal": Summary(85.0, 9.5, 10), "LambdaRank": None}
    draw_figure_1(test, "some data", Parameters(n_rounds=2, n_leaves=3, n_epochs=7), NOWHERE, printed)


def mcrank_3() -> None:
    models = {}
    for place, n_bins in enumerate((8, 32, 256, 512), start=1):
        columns = enumerate(product(SPLITS, ("k", "2^k-1")))
        ndcg = {f"{split} {T}": spread(2, 4, step=place + 5 * column) for column, (split, T) in columns}
        models[Model(n_bins=n_bins)] = {"rounds": np.array([2, 4]), "bins": np.array(5 * n_bins)} | ndcg
    draw_figure_3("some data", (3, 5, 9), models, NOWHERE)


def mcrank_nets() -> None:
    def make_cell(place: int, seed: int) -> dict[str, Any]:
        return {"test": spread(3, 10, step=3 + place + 5 * seed)}

    table = [{name: make_cell(place, seed) for place, name in enumerate((*RANKERS, *BESIDE))} for seed in (0, 1)]
    nets: Any = [("LambdaRank", 2), ("LambdaRank", 8), ("RankNet", 8)]
    of_seeds = [{net: make_cell(place, seed + 2) for place, net in enumerate(nets)} for seed in (0, 1)]
    draw_hidden_units(table, of_seeds, {"ordinal": 55.0, "regression": 45.0}, "some data", NOWHERE)


def igbrt() -> None:
    runs = {
        rate: {"steps": np.arange(2, 26, 2), "test": spread(12, 3, step=step), "errors": spread(12, 2) / 50}
        for rate, step in ((0.1, 5), (0.5, 8))
    }
    draw_traces(runs, np.array([0.3, 0.4, 0.6]), "some title", "some note", NOWHERE, n_far_off=2)


def make_cocr_results() -> Results:
    cells: Any = {("linear", way): [{}] for way in WAYS}
    for place, (m, way) in enumerate(product((4, 64, 256), WAYS)):
        cells[f"m5p-{m}", way] = [{f"{s}_err": spread(5, step=3 + place + len(s)) for s in SPLITS}]
    cells |= {("bagging", way): [{"test_err": spread(6 if way == "direct" else 3, 5)}] for way in WAYS}
    return Results(CocrSetting("some", min_instances=(4, 64, 256)), cells)


def cocr_proxies() -> None:
    pairs = enumerate(product(MEASURES, COSTS))
    draw_correlations({pair: spread(5, step=7 + place).tolist() for place, pair in pairs}, 2, NOWHERE)


DRAWINGS: dict[str, Callable[[], None]] = {
    "mcrank_1": mcrank_1,
    "mcrank_2": lambda: draw_figure_2(NOWHERE),
    "mcrank_3": mcrank_3,
    "mcrank_nets": mcrank_nets,
    "igbrt": igbrt,
    "cocr_1": lambda: draw_min_instances(make_cocr_results(), NOWHERE),
    "cocr_2": lambda: draw_bagging(make_cocr_results(), NOWHERE),
    "cocr_proxies": cocr_proxies,
}


# --- how it is written


def write_number(value: float) -> str:
    """Write a number in four digits: what is left of rounding is below them."""
    return f"{value + 0.0:.4g}"


def write_points(points: Any) -> str:
    """Write points in a row."""
    return " ".join(f"({', '.join(map(write_number, map(float, point)))})" for point in points)


def write_label(artist: Any) -> str:
    """Write a label; those that Matplotlib makes up are of no legend."""
    return "" if artist.get_label().startswith("_") else repr(artist.get_label())


def describe_line(line: Any) -> str:
    """Describe a line with its markers."""
    look = f"{line.get_linestyle()} {write_number(line.get_linewidth())} {to_hex(line.get_color())}"
    filled = line.get_markerfacecolor()
    filled = filled if isinstance(filled, str) else to_hex(filled)
    marker = f"{line.get_marker()!r} {write_number(line.get_markersize())} {filled}"
    dashes = line._unscaled_dash_pattern[1]  # the getter says "--" of every pattern
    shown = f"every {line.get_markevery()} alpha {line.get_alpha()} dashes {dashes}"
    return f"line {write_label(line)} {look} marker {marker} {shown}: {write_points(line.get_xydata())}"


def describe_text(text: Any) -> str:
    """Describe words and their place."""
    place = write_points([getattr(text, "xy", text.get_position())])
    look = f"{text.get_ha()} {text.get_va()} {write_number(text.get_fontsize())} {to_hex(text.get_color())}"
    return f"text {text.get_text()!r} {place} {look}"


def describe_collection(collection: Any) -> str:
    """Describe a band, or the bars of a line."""
    vertices = sorted({tuple(np.round(v, 9)) for path in collection.get_paths() for v in path.vertices})
    colours = [to_hex(c, keep_alpha=True) for c in (*collection.get_facecolor(), *collection.get_edgecolor())]
    widths = [*map(write_number, collection.get_linewidth())]
    return f"band {write_label(collection)} {colours} {widths}: {write_points(vertices)}"


def describe_panel(panel: Any) -> Iterator[str]:
    """Yield a line per part of a panel."""
    panel.figure.canvas.draw()
    title = panel._left_title  # where the style of the house has it
    yield f"panel {title.get_text()!r} {write_number(title.get_fontsize())}"
    for name, axis in (("x", panel.xaxis), ("y", panel.yaxis)):
        limits = write_points([axis.get_view_interval()])
        low, high = axis.get_view_interval()
        labels = [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
        ticks = [(text.get_text(), write_number(text.get_fontsize())) for text in labels if text.get_visible()]
        grid = [line.get_alpha() for line in axis.get_gridlines()[:1] if line.get_visible()]
        minor = "minor ticks" if len(axis.get_minorticklocs()) else "no minor ticks"
        yield f"{name} {axis.get_label_text()!r} {axis.get_scale()} {limits} {ticks} grid {grid} {minor}"
    yield from map(describe_line, panel.lines)
    yield from map(describe_collection, panel.collections)
    for span in panel.patches:
        look = f"{to_hex(span.get_facecolor(), keep_alpha=True)}"
        yield f"span {look}: {write_points([(span.get_x(), span.get_y(), span.get_width(), span.get_height())])}"
    yield from map(describe_text, panel.texts)
    if legend := panel.get_legend():
        anchor = write_points(panel.transAxes.inverted().transform(legend.get_bbox_to_anchor().corners()))
        words = [(text.get_text(), write_number(text.get_fontsize())) for text in legend.get_texts()]
        yield f"legend {words} columns {legend._ncols} place {legend._loc} {anchor} handles {legend.handlelength}"


def describe_figure(figure: Figure) -> Iterator[str]:
    """Yield a line per part of a figure."""
    yield f"figure {write_points([figure.get_size_inches()])} {type(figure.get_layout_engine()).__name__}"
    yield from map(describe_text, figure.texts)
    for panel in figure.axes:
        yield from describe_panel(panel)


def catch(name: str) -> Figure:
    """Return the figure that a drawing would write."""
    caught = []

    def keep(figure: Figure, path: Path) -> None:
        assert path == NOWHERE
        caught.append(figure)

    with patch.object(figures, "save_picture", keep):
        DRAWINGS[name]()
    (figure,) = caught
    return figure


def describe(name: str) -> list[str]:
    """Return the lines of what is drawn."""
    return [f"# {name}", *describe_figure(catch(name))]


if __name__ == "__main__":
    FILE.write_text("\n\n".join("\n".join(describe(name)) for name in DRAWINGS) + "\n", encoding="utf-8")
