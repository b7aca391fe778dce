"""What Table 1's LambdaRank column hangs on: test NDCG over the hidden units of the net, on the artificial data.

The paper took the column from the source of LambdaRank (caption of Table 1), and does not say how many hidden units its
nets had. The curve shows all nets that Table 1 chooses from, and RankNet with as many units as the largest of them,
between the boosters.
"""

from pathlib import Path

import numpy as np

from refrank.metrics import summarize
from refrank.reproduce.cells import Arrays
from refrank.reproduce.figures import make_panels, save_figure
from refrank.reproduce.mcrank.rankers import CONVENTION, Net, NetName, Parameters
from refrank.reproduce.tables import Row, format_mean, write_table

Cells = list[dict[str, Arrays]]  # the rankers of Table 1, for each seed
Nets = list[dict[Net, Arrays]]  # the nets, for each seed
BOOSTERS = ("ordinal", "classification", "regression")  # "LambdaRank" is in no booster's colour
COLOURS = dict(zip((*BOOSTERS, "LambdaRank", "RankNet"), ("C0", "C1", "C2", "C3", "C4"), strict=True))


def list_nets(parameters: Parameters) -> list[Net]:
    """List the nets of the curve: LambdaRank of each size, and RankNet of the largest."""
    nets: list[Net] = [("LambdaRank", hidden) for hidden in parameters.hidden]
    return [*nets, ("RankNet", max(parameters.hidden))]


def describe_choice(folds: dict[str, dict[str, Arrays]]) -> str:
    """Say how many hidden units the validation queries of each fold chose."""
    chosen = (f"{rankers['LambdaRank']['hidden']} ({name})" for name, rankers in folds.items())
    return f"  hidden units chosen: {', '.join(chosen)}"


def compare_hidden_units(cells: Cells, nets: Nets, paper: dict[str, float], data: str, path: Path) -> list[str]:
    """Draw the curve, and write a row per net: NDCG over the queries of all seeds, and the range of the seeds' means.

    Parameters
    ----------
    cells : list of dict
        The cells of Table 1's rankers, for each seed.
    nets : list of dict
        The cells of the nets, for each seed.
    paper : dict
        The means of Table 1 by the names of its rankers, in percent.
    data : str
        What the title says of the data.
    path : Path
        Of the figure.

    Returns
    -------
    list of str
        The lines of the table.
    """
    draw_hidden_units(cells, nets, paper, data, path)
    rows: list[Row] = [("", ["validation", "test", "test, seeds", "seconds"])]
    for name, hidden in sorted(nets[0]):
        of_seeds = [of_seed[name, hidden] for of_seed in nets]
        values = (100 * np.concatenate([cell[split][:, -1] for cell in of_seeds]) for split in ("valid", "test"))
        means = compute_means(of_seeds)
        seconds = sum(float(cell["seconds"].sum()) for cell in of_seeds)
        told = [*map(format_mean, values), f"{min(means):.1f} to {max(means):.1f}", f"{seconds:.1f}"]
        rows.append((f"{name}, {hidden}", told))
    return ["beside Table 1, nets by hidden units:", *write_table(rows)]


def compute_means(of_seeds: list[Arrays]) -> list[float]:
    """Compute the mean of each seed's test queries at L = 10, in percent."""
    return [100 * summarize(cell["test"][:, -1]).mean for cell in of_seeds]


def draw_hidden_units(cells: Cells, nets: Nets, paper: dict[str, float], data: str, path: Path) -> None:
    """Draw test NDCG over hidden units, between the values of the boosters (dashed) and of the paper (dotted)."""
    figure, panel = make_panels((1, 1), (8, 5), grid="")
    panel.grid(alpha=0.3)
    sizes = sorted({hidden for _, hidden in nets[0]})
    styles: dict[NetName, str] = {"LambdaRank": "o-", "RankNet": "s"}
    for name, style in styles.items():
        hidden = [units for units in sizes if (name, units) in nets[0]]
        seeds = np.array([compute_means([of_seed[name, units] for of_seed in nets]) for units in hidden])
        mean = seeds.mean(axis=1)  # (n_sizes,), of (n_sizes, n_seeds)
        spread = [mean - seeds.min(axis=1), seeds.max(axis=1) - mean]
        panel.errorbar(hidden, mean, spread, fmt=style, color=COLOURS[name], capsize=4, label=name)
    for booster in BOOSTERS:
        level = np.mean(compute_means([of_seed[booster] for of_seed in cells]))
        panel.axhline(level, color=COLOURS[booster], linestyle="--", label=booster)
    for ranker, value in paper.items():
        panel.axhline(value, color=COLOURS[ranker], linestyle=":", label=f"{ranker}, paper")
    panel.set_xscale("log", base=2)
    panel.set(xlabel="hidden units of the net", xticks=sizes, xticklabels=sizes, ylabel="NDCG at L = 10 (%)")
    panel.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.suptitle(f"The number of hidden units decides LambdaRank's place: {data}")
    seeds_told = f"mean, lowest and highest of {len(nets)} seeds" if len(nets) > 1 else "one seed"
    save_figure(figure, path, f"convention {CONVENTION}\ntest queries; {seeds_told}")
