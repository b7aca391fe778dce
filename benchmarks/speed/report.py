"""Output of the comparisons: a table, a JSON file and a picture."""

import json
import math
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.side_by_side import MISSING, SECONDS, Pairing, Settings
from refrank.trees.engine import splitter_name

PACKAGES = (
    *("refrank", "numpy", "scipy", "scikit-learn", "lightgbm", "xgboost", "catboost", "treelite"),
    *("ranx", "ir-measures", "numba"),
)
VERDICTS = {True: "met", False: "not met", None: ""}
COLOURS = (
    *("#0b6e99", "#d9822b", "#6b4c9a", "#3d8b40", "#a8325e"),
    *("#7a6a4f", "#333333", "#3fb8af", "#c9a400", "#8c8c8c"),
)


def describe_machine(settings: Settings) -> dict[str, Any]:
    """Describe the machine, the versions and the settings of the run."""
    return {
        "cpu": read_cpu_model(),
        "date": date.today().isoformat(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "refrank runs on": splitter_name(),
        "load": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,  # of others, before the run
        "OMP_WAIT_POLICY": os.environ.get("OMP_WAIT_POLICY"),
        "versions": {name: version for name in PACKAGES if (version := find_version(name))},
        **asdict(settings),
    }


def name_machine(machine: Mapping[str, Any]) -> str:
    """Name the CPU, the cores, the day, and the load before the run, on a system that tells it."""
    load = f", load {machine['load'][0]:.1f}" if machine["load"] else ""
    return f"{machine['cpu']}, {machine['threads']} of {machine['cores']} cores, {machine['date']}{load}"


def read_cpu_model() -> str:
    """Read the model of the CPU from Linux, or ask Python."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def find_version(package: str) -> str | None:
    """Look a version up; None where a package is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def write_table(rows: Sequence[Pairing]) -> str:
    """Lay the comparisons out, one per line."""
    titles = ("", "work", "peer", "refrank", "peer's", "ratio", "min..max", "target", "", "quality: refrank's, peer's")
    cells = [titles, *(write_row(row) for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(titles))]
    right = {3, 4, 5, 6, 7}
    lines = [
        "  ".join(cell.rjust(width) if i in right else cell.ljust(width) for i, (cell, width) in enumerate(pairs))
        for pairs in ([*zip(line, widths, strict=True)] for line in cells)
    ]
    return "\n".join(line.rstrip() for line in lines)


def write_row(row: Pairing) -> tuple[str, ...]:
    """Write the cells of one comparison."""
    quality = ""
    if row.quality is not None:
        quality = f"{row.quality_name} {row.quality[0]:.4g}, {row.quality[1]:.4g}"
    return (
        row.work,
        row.what,
        row.peer,
        write_amount(row.ours, row.unit),
        write_amount(row.theirs, row.unit),
        f"{row.ratio:.2f}",
        f"{min(row.ratios):.2f}..{max(row.ratios):.2f}",
        "" if row.target is None else f"{row.target:.2f}",
        VERDICTS[row.is_met],
        quality,
    )


def write_amount(amount: float, unit: str) -> str:
    """Write seconds, in milliseconds or microseconds where there are few, or another unit.

    >>> write_amount(0.000123, "s"), write_amount(0.0123, "s"), write_amount(12.3, "s"), write_amount(123.4, "MB")
    ('123 us', '12.3 ms', '12.30 s', '123.4 MB')
    """
    if unit == SECONDS and amount < 1e-3:
        return f"{1e6 * amount:.0f} us"
    if unit == SECONDS:
        return f"{amount:.2f} s" if amount >= 1 else f"{1000 * amount:.1f} ms"
    return f"{amount:.1f} {unit}"


def write_json(path: Path, machine: dict[str, Any], rows: Sequence[Pairing], limits: dict[str, Any]) -> None:
    """Write everything to a file; what is not a number there is null."""
    listed = [asdict(row) | {"ratio": row.ratio, "is_met": row.is_met} for row in rows]
    document = {"machine": machine, "left_out": sorted(MISSING), "comparisons": listed, "limits": limits}
    path.write_text(json.dumps(replace_nan(document), indent=1, allow_nan=False) + "\n")


def replace_nan(value: Any) -> Any:
    """Replace NaN by None, which JSON can represent."""
    if isinstance(value, dict):
        return {key: replace_nan(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [replace_nan(held) for held in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def draw_picture(path: Path, rows: Sequence[Pairing], subtitle: str) -> None:
    """Draw one line per work, with a dot per peer at ours / peer's, its smallest and largest ratio, and the targets."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullLocator

    works = list(dict.fromkeys((row.work, row.what) for row in rows))
    families = list(dict.fromkeys(name_family(row.peer) for row in rows))
    colour_of = {family: COLOURS[i % len(COLOURS)] for i, family in enumerate(families)}
    figure = Figure(figsize=(11, 2 + 0.52 * len(works)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.axvline(1, color="black", linewidth=1)
    for line, work in enumerate(works):
        of_work = [row for row in rows if (row.work, row.what) == work]
        spread = 0.6 / max(1, len(of_work) - 1)
        for i, row in enumerate(of_work):
            height, colour = line - (0.3 if len(of_work) > 1 else 0) + spread * i, colour_of[name_family(row.peer)]
            marker = "s" if is_variant(row.peer) else "o"
            axes.plot([min(row.ratios), max(row.ratios)], [height] * 2, color=colour, linewidth=1.5, alpha=0.6)
            inside = "white" if row.is_met is False else colour
            axes.plot(row.ratio, height, marker, color=colour, markersize=6, markerfacecolor=inside)
            if row.target not in (None, 1):  # the line at 1 is drawn already
                axes.plot([row.target] * 2, [height - 0.13, height + 0.13], color=colour, linewidth=2.2)
        if line:
            axes.axhline(line - 0.5, color="0.9", linewidth=0.8)

    for family in families:
        axes.plot([], [], "o", color=colour_of[family], label=family)
    axes.plot([], [], "s", color="0.4", label="variant of a peer")
    axes.plot([], [], "o", color="0.4", markerfacecolor="white", label="target missed")
    axes.plot([], [], "|", color="0.4", markersize=11, markeredgewidth=2.2, label="target, where it is not 1")
    axes.set_xscale("log")
    ticks = choose_ticks(rows)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_yticks(range(len(works)), [f"{number}  {what}" for number, what in works])
    axes.set_ylim(len(works) - 0.45, -0.55)
    axes.grid(axis="x", color="0.9")
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("refrank / peer (below 1: refrank needs less); dot: median of the turns, line: their range")
    figure.suptitle(f"refrank against its peers\n{subtitle}", fontsize=11)
    figure.legend(loc="outside lower center", ncols=5, fontsize=9, frameon=False)
    figure.savefig(path, dpi=130)


def choose_ticks(rows: Sequence[Pairing]) -> list[float]:
    """Choose 1, 2, 5 times the powers of ten around all ratios, targets and 1."""
    values = [1.0, *(ratio for row in rows for ratio in row.ratios), *(row.target for row in rows if row.target)]
    candidates = [step * 10.0**power for power in range(-6, 7) for step in (1, 2, 5)]
    below = max(c for c in candidates if c <= min(values))
    above = min(c for c in candidates if c >= max(values))
    return [c for c in candidates if below <= c <= above]


def name_family(peer: str) -> str:
    """Name the library of a peer: its first word.

    >>> name_family("lightgbm 4.7.0, quantised"), name_family("HGB (scikit-learn 1.9.1)")
    ('lightgbm', 'scikit-learn')
    """
    return "scikit-learn" if "scikit-learn" in peer else peer.split(" ")[0].rstrip(",")


def is_variant(peer: str) -> bool:
    """Check whether a name denotes a mode or a part of a library instead of the library itself."""
    return "," in peer and not peer.startswith("goal")
