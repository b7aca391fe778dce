"""McRank Table 1 and Figure 1: on the artificial data of Sec. 6.1, and on folds of LETOR, MSLR, Yahoo! or your own.

The paper's Web-1, Web-2 and Web-3 are not public, but their parameters are (Sec. 6.2); a run on folds uses those of one
of them. Web-3 was cross-validated: each query is tested in one fold, and mean, deviation and p-values are over all its
queries. The unlabelled URLs of Web-2, label -1 in a file, "were assigned the level 0" (Sec. 6.1): "zero".
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from refrank.arrays import Floats
from refrank.datasets import LetorData
from refrank.datasets.layouts import name_folder
from refrank.metrics import Summary, ndcg, paired_test, summarize, unpaired_test
from refrank.reproduce.artificial import describe_queries, make_artificial_fold
from refrank.reproduce.intervals import compute_t_interval
from refrank.reproduce.mcrank.claims import write_claims
from refrank.reproduce.mcrank.figures import draw_figure_1
from refrank.reproduce.mcrank.hidden_units import compare_hidden_units, describe_choice, list_nets
from refrank.reproduce.mcrank.rankers import BESIDE, CONVENTION, RANKERS, Name, Parameters, add_seconds, join_queries
from refrank.reproduce.run import Reproduction
from refrank.reproduce.tables import format_mean, format_p_value, write_table


class PrintedRow(NamedTuple):
    """One row of Table 1: test NDCG at L = 10 in percent, and one-sided p-values."""

    name: str
    p_values: tuple[float, float]  # of ordinal (Web-2: plain) classification against regression and LambdaRank
    summaries: list[Summary | None]  # of ordinal classification, classification, regression, LambdaRank


# McRank Table 1. Web-3 is averaged over five folds, in which each of its 26,000 queries is tested once (Sec. 6.1).
TABLE_1 = tuple(
    PrintedRow(name, p_values, [cell and Summary(*cell, n_queries) for cell in cells])
    for name, n_queries, p_values, cells in (
        ("Artificial", 10_000, (0.0, 0.0), [(85.0, 9.5), (83.7, 9.9), (82.9, 10.2), (74.9, 12.6)]),
        ("Web-1", 10_000, (0.021, 0.0002), [(72.4, 24.1), (72.2, 24.1), (71.7, 24.4), (71.2, 24.5)]),
        ("Web-2", 3_800, (0.023, 0.003), [None, (75.8, 23.8), (74.7, 24.4), (74.3, 24.3)]),
        ("Web-3", 26_000, (0.017, 3.8e-7), [(72.5, 26.5), (72.4, 27.3), (72.0, 27.6), (71.3, 28.8)]),
    )
)
SPREAD = "mean (standard deviation over queries)"


@dataclass(frozen=True)
class TableSetting:
    """Sizes and parameters of a run on the artificial data."""

    name: str
    n_queries: tuple[int, int, int]  # of training, validation and test
    seeds: tuple[int, ...]  # one draw of the data per seed; the table is over the queries of all
    parameters: Parameters
    left_out: str = ""  # the line of the heading that names what the run leaves out


N_BINS = 2**16  # McRank App. I
# A tenth of the queries, and 256 bins: about four minutes, better spent on the paper's M than on more queries
WIDE = TableSetting("wide", (1_000, 500, 1_000), (0, 1, 2), Parameters(n_rounds=1_000, n_classes=5))
# One polynomial, and the nets that take seconds: about a minute
LEFT_OUT = "left out: two of three polynomials, and nets of 50 and 100 hidden units; --wide runs them, in minutes"
SMALL = replace(WIDE, name="small", seeds=(0,), parameters=replace(WIDE.parameters, hidden=(10, 25)), left_out=LEFT_OUT)
# McRank Sec. 6.1 and 6.2
FULL = TableSetting("full", (10_000, 5_000, 10_000), (0, 1, 2), Parameters(n_rounds=1_000, n_bins=N_BINS, n_classes=5))
# McRank Sec. 6.2
PAPER = {
    "web-1": Parameters(n_rounds=1000, n_leaves=10, learning_rate=0.05, n_bins=N_BINS),
    "web-2": Parameters(n_rounds=2000, n_leaves=40, learning_rate=0.02, n_bins=N_BINS),
    "web-3": Parameters(n_rounds=1500, n_leaves=20, learning_rate=0.02, n_bins=N_BINS),
}
# A fifth of the rounds and epochs, and 256 bins: minutes on MQ2008
FIFTH = {
    like: replace(of, n_rounds=of.n_rounds // 5, n_epochs=of.n_epochs // 5, n_bins=256) for like, of in PAPER.items()
}

Test = dict[str, Floats]  # ranker -> NDCG of test queries, (n_queries, 10), or at L = 10 only


def reproduce(setting: TableSetting, run: Reproduction) -> str:
    """Compute the missing cells, write Table 1's first row and Figure 1, and return the text."""
    parameters, cells, nets, by_chance, paper = setting.parameters, [], [], [], TABLE_1[0]
    added = run.check_added((f"artificial {seed}" for seed in setting.seeds), (*RANKERS, *BESIDE))
    for seed in setting.seeds:
        # McRank Sec. 6.1: three draws of documents labelled by one polynomial
        fold = make_artificial_fold(setting.n_queries, seed)
        of_seed = replace(parameters, seed=seed)
        nets.append(of_seed.measure_nets(list_nets(of_seed), fold, run))
        cells.append(of_seed.measure_rankers(fold, run))
        by_chance.append(measure_random(fold.test))
    figure, printed = run.place(f"figure1-{setting.name}.png"), dict(zip(RANKERS, paper.summaries, strict=True))
    data = f"artificial data, {setting.name} run"
    draw_figure_1(join_queries(cells, "test"), f"its {data}", parameters, figure, printed)
    heading = [
        f"McRank Table 1, artificial data: NDCG at L = 10 in percent, {SPREAD}",
        f"convention {CONVENTION}",
        f"{setting.name}: {describe_queries(setting.n_queries)}; seeds {', '.join(map(str, setting.seeds))}",
        f"boosters: {parameters.describe()}",
        f"LambdaRank: {parameters.describe_net()};",
        "  its figure depends on the number of hidden units, which the paper does not give (docs/learn/lambdarank.md)",
        describe_choice({f"seed {seed}": of for seed, of in zip(setting.seeds, cells, strict=True)}),
        *filter(None, [setting.left_out]),
    ]
    valid, test = (take_level_10(join_queries(cells, split)) for split in ("valid", "test"))
    seconds = {name: f"{of:.1f}" for name, of in add_seconds(cells).items()}
    names = (*RANKERS, *BESIDE)
    table = [
        ("", names),
        ("refrank, validation", [format_mean(valid[name]) for name in names]),
        ("refrank, test", [format_mean(test[name]) for name in names]),
        ("paper, test", [format_mean(cell) if (cell := printed.get(name)) else "-" for name in names]),
        ("refrank, seconds", [seconds[name] for name in names]),
    ]
    means: dict[Name, float] = {name: cell.mean for name, cell in printed.items() if cell}
    curve = run.place(f"hidden-units-{setting.name}.png")
    units = compare_hidden_units(cells, nets, means, data, curve)
    beside = [
        *write_table([(f"added, {name}", [format_mean(test[name])]) for name in added]),
        f"hidden units: {curve}",
        f"Figure 1, artificial data: {figure}",
    ]
    runs = [join_queries([cell], "test") for cell in cells]
    seeds = write_seeds(setting.seeds, [take_level_10(levels) for levels in runs], float(np.mean(by_chance)))
    p_values = write_p_values(test, paper, added)
    blocks = write_table(table), seeds, write_claims(runs, "polynomials"), p_values, units, beside
    return run.write(f"table1-{setting.name}.txt", heading, *blocks)


def reproduce_folds(parameters: Parameters, run: Reproduction) -> str:
    """Compute the missing cells, write the table and Figure 1 of a collection, and return the text."""
    assert run.data is not None
    collection = name_folder(run.data)
    stem = run.make_stem(f"J{parameters.n_leaves}-nu{parameters.learning_rate}-M{parameters.n_rounds}")
    added = run.check_added((), (*RANKERS, *BESIDE))
    cells = {fold.name: parameters.measure_rankers(fold, run) for fold in run.load()}
    folds = {name: join_queries([of_fold], "test") for name, of_fold in cells.items()}
    # the folds of one collection test each query once; Yahoo!'s two sets are two collections
    join = len(folds) > 1 and next(iter(folds)).startswith("Fold")
    whole = {"all folds": join_queries([*cells.values()], "test")} if join else folds
    figures = []
    for name, test in whole.items():
        figure = run.place(f"figure1-{stem}-{name.replace(' ', '-')}.png")
        draw_figure_1(test, f"{collection}, {name}", parameters, figure)
        figures.append(f"Figure 1, {name}: {figure}")
    heading = [
        f"McRank Table 1 on {collection}: NDCG at L = 10 of the test queries in percent, {SPREAD}",
        f"convention {CONVENTION}",
        f"boosters: {parameters.describe()}; {run.reading.describe()}",
        f"LambdaRank: {parameters.describe_net()}",
        describe_choice(cells),
    ]
    names = (*RANKERS, *BESIDE, *added)
    at_10 = {name: take_level_10(test) for name, test in (folds | whole).items()}
    rows = [(name, [format_mean(of[ranker]) for ranker in names]) for name, of in at_10.items()]
    seconds = add_seconds([*cells.values()])
    rows.append(("seconds to train", [f"{seconds[ranker]:.1f}" for ranker in (*RANKERS, *BESIDE)]))
    p_values = [
        [f"{name}, {len(at_10[name]['ordinal']):,} queries:", *write_p_values(at_10[name], added=added)]
        for name in whole
    ]
    claims = [[f"{name}:", *write_claims([*folds.values()] if join else [whole[name]], "folds")] for name in whole]
    return run.write(f"{stem}.txt", heading, write_table([("", names), *rows]), *claims, *p_values, figures)


def take_level_10(at_levels: Test) -> Test:
    """Return the NDCG at L = 10 in percent, of shape (n_queries,) for each ranker."""
    # McRank Sec. 6.3: "evaluated at the truncation level L = 10"
    return {name: 100 * values[:, -1] for name, values in at_levels.items()}


def measure_random(data: LetorData) -> float:
    """Compute the expected NDCG at L = 10 of a random ranking, in percent: that of equal scores over all orders."""
    spec = replace(CONVENTION, ties="averaged")
    return 100 * ndcg(data.y, np.zeros(len(data.y)), data.qid, 10, spec)


def write_seeds(seeds: Iterable[int], tests: list[Test], by_chance: float) -> list[str]:
    """Write a row per polynomial, their mean and its interval, and the spread of the polynomials."""
    chance = f"A random ranking scores {by_chance:.1f}, which is the floor of every column."
    if len(tests) == 1:
        return [
            "One polynomial: on another, each mean may be some points higher or lower. Compare columns, not heights.",
            chance,
        ]
    names = (*RANKERS, *BESIDE)
    rows = [
        (f"polynomial {seed}", [format_mean(of[name]) for name in names]) for seed, of in zip(seeds, tests, strict=True)
    ]
    means = {name: [summarize(of[name]).mean for of in tests] for name in names}
    rows.append((f"mean of {len(tests)}", [f"{summarize(means[name]).mean:.1f}" for name in names]))
    ends = [compute_t_interval(means[name]) for name in names]
    rows.append(("95% interval by t", [f"{low:.1f} to {high:.1f}" for low, high in ends]))
    apart = max(max(means[name]) - min(means[name]) for name in names)
    return [
        "test, polynomial by polynomial:",
        *write_table([("", names), *rows]),
        f"The polynomial alone moves a mean by up to {apart:.1f} points here: compare columns, not heights.",
        chance,
    ]


def write_p_values(test: Test, paper: PrintedRow | None = None, added: Iterable[str] = ()) -> list[str]:
    """Write the one-sided p-values of ordinal classification above regression, LambdaRank and added rankers."""
    # McRank Sec. 6.3: "a one-sided t-test"
    lines = ["one-sided p-values, ordinal classification above the others, on the test queries:"]
    printed = dict(zip(("regression", "LambdaRank"), paper.p_values if paper else (None, None), strict=True))
    for name, p_value in (printed | dict.fromkeys(added)).items():
        columns = test["ordinal"], test[name]
        unpaired, paired = (format_p_value(run_test, *columns, "greater") for run_test in (unpaired_test, paired_test))
        ours = f"{unpaired} by the paper's test (two samples, unpaired), {paired} by the paired t-test"
        lines.append(f"  {name:10}  refrank {ours}" + ("" if p_value is None else f"; paper {p_value:g}"))
    return lines
