"""How Table 1's LambdaRank column depends on the size of the net: test NDCG over its hidden units, artificial data.

The paper took the column from the source of LambdaRank (caption of Table 1), and does not give the number of hidden
units. The curve shows all nets that Table 1 chooses from, and RankNet with as many units as the largest of them,
beside the boosters.
"""

from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from refrank.inspection.style import BROWN
from refrank.metrics import summarize
from refrank.reproduce.cells import Arrays
from refrank.reproduce.figures import draw_panels
from refrank.reproduce.mcrank.figures import STYLES
from refrank.reproduce.mcrank.rankers import CONVENTION, Name, Net, NetName, Parameters
from refrank.reproduce.tables import Row, format_mean, write_table

Cells = list[dict[str, Arrays]]  # the rankers of Table 1, for each seed
Nets = list[dict[Net, Arrays]]  # the nets, for each seed
BOOSTERS: tuple[Name, ...] = ("ordinal", "classification", "regression")
# Line, marker and colour, as in `STYLES`, which lacks RankNet
NET_STYLES: dict[NetName, Any] = {"LambdaRank": STYLES["LambdaRank"], "RankNet": ("none", "*", BROWN)}


def list_nets(parameters: Parameters) -> list[Net]:
    """List the nets of the curve: LambdaRank of each size, and RankNet of the largest."""
    nets: list[Net] = [("LambdaRank", hidden) for hidden in parameters.hidden]
    return [*nets, ("RankNet", max(parameters.hidden))]


def describe_choice(folds: dict[str, dict[str, Arrays]]) -> str:
    """Describe how many hidden units the validation queries of each fold chose."""
    chosen = (f"{rankers['LambdaRank']['hidden']} ({name})" for name, rankers in folds.items())
    return f"  hidden units chosen: {', '.join(chosen)}"


def compare_hidden_units(cells: Cells, nets: Nets, paper: dict[Name, float], data: str, path: Path) -> list[str]:
    """Draw the curve, and write a row per net: NDCG over the queries of all seeds, and the range of the seeds' means.

    `paper` holds the means of Table 1 in percent; `data` is the name of the data in the title.
    """
    draw_hidden_units(cells, nets, paper, data, path)
    rows: list[Row] = [("", ["validation", "test", "test, seeds", "seconds"])]
    for name, hidden in sorted(nets[0]):
        of_seeds = [of_seed[name, hidden] for of_seed in nets]
        values = (100 * np.concatenate([cell[split][:, -1] for cell in of_seeds]) for split in ("valid", "test"))
        means = compute_means(of_seeds)
        seconds = sum(float(cell["seconds"].sum()) for cell in of_seeds)
        row = [*map(format_mean, values), f"{min(means):.1f} to {max(means):.1f}", f"{seconds:.1f}"]
        rows.append((f"{name}, {hidden}", row))
    return ["beside Table 1, nets by hidden units:", *write_table(rows)]


def compute_means(of_seeds: list[Arrays]) -> list[float]:
    """Compute the mean of each seed's test queries at L = 10, in percent."""
    return [100 * summarize(cell["test"][:, -1]).mean for cell in of_seeds]


def draw_hidden_units(cells: Cells, nets: Nets, paper: dict[Name, float], data: str, path: Path) -> None:
    """Draw test NDCG over hidden units, between the values of the boosters (thick lines) and of the paper (thin)."""
    means = {net: compute_means([of_seed[net] for of_seed in nets]) for net in sorted(nets[0])}
    boosters = {name: compute_means([of_seed[name] for of_seed in cells]) for name in BOOSTERS}
    levels = {name: float(np.mean(of_seeds)) for name, of_seeds in boosters.items()}
    sizes = sorted({units for _, units in means})
    seed_note = f"mean and range of {len(nets)} seeds, of a net as bars" if len(nets) > 1 else "one seed"
    note = f"test queries; {seed_note}; thin lines: the paper's Table 1\nconvention {CONVENTION}"
    title = f"{describe_places(means, levels)}\n{data}"
    with draw_panels(path, "a", (8, 5), title, note) as (panel,):
        panel.set_xscale("log", base=2)
        panel.set(xlabel="hidden units of the net", xticks=sizes, xticklabels=sizes)
        panel.set(ylabel="NDCG of the first 10 documents (%)")
        for net, (line, marker, colour) in NET_STYLES.items():
            hidden = [units for name, units in means if name == net]
            seeds = np.array([means[net, units] for units in hidden])
            mean = seeds.mean(axis=1)  # (n_sizes,), of (n_sizes, n_seeds)
            spread = [mean - seeds.min(axis=1), seeds.max(axis=1) - mean]
            style = {"linestyle": line, "marker": marker, "color": colour}
            curve, *_ = panel.errorbar(hidden, mean, spread, capsize=4, **style)
            curve.set_label(net)
        texts = {name: f"{name} {describe_range(of_seeds)}" for name, of_seeds in boosters.items()}
        of_paper = {name: f"{name}, paper {level:.1f}" for name, level in paper.items()}
        for group, labels, width in ((levels, texts, 2.0), (paper, of_paper, 0.8)):
            for name, level in group.items():
                line, _, colour = STYLES[name]
                panel.axhline(level, color=colour, linestyle=line, linewidth=width, label=labels[name])
        panel.set_xlim(sizes[0] / 1.07, sizes[-1] * 1.07)  # some versions count the ends of horizontal lines


def describe_range(means: list[float]) -> str:
    """Write the mean of the seeds and their range, if there are several.

    >>> describe_range([80.0, 82.0, 81.6]), describe_range([80.0])
    ('81.2 (80.0 to 82.0)', '80.0')
    """
    ends = f" ({min(means):.1f} to {max(means):.1f})" if len(means) > 1 else ""
    return f"{np.mean(means):.1f}{ends}"


def describe_places(means: dict[Net, list[float]], levels: dict[Name, float]) -> str:
    """Describe how many boosters have a higher mean than each net; group sizes with equal counts."""
    ahead = {net: sum(level > np.mean(of_seeds) for level in levels.values()) for net, of_seeds in means.items()}
    parts = []
    for name in NET_STYLES:
        places = []
        for place, run in groupby((net for net in means if net[0] == name), key=ahead.__getitem__):
            units = [hidden for _, hidden in run]
            at = f"{units[0]} to {units[-1]}" if len(units) > 1 else f"{units[0]}"
            places.append(f"{place} of {len(levels)} at {at} units")
        parts.append(f"of {name}: {', '.join(places)}")
    return f"Boosters ahead {'; '.join(parts)}"
