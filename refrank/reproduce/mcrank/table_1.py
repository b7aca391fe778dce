"""McRank Table 1 and Figure 1 on the artificial data of Sec. 6.1: the first row of the table, LAD beside it."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from refrank.metrics import paired_test, unpaired_test
from refrank.reproduce.artificial import describe_queries, make_artificial_fold
from refrank.reproduce.cells import Arrays
from refrank.reproduce.mcrank.figures import draw_figure_1
from refrank.reproduce.mcrank.printed import TABLE_1, PrintedRow
from refrank.reproduce.mcrank.rankers import BESIDE, CONVENTION, RANKERS, Parameters, join_queries
from refrank.reproduce.run import Run
from refrank.reproduce.tables import format_mean, write_table


@dataclass(frozen=True)
class Setting:
    """Sizes and parameters of a run on the artificial data.

    Parameters
    ----------
    name : str
    n_queries : tuple of three ints
        Of training, validation and test.
    seeds : tuple of ints
        One draw of the data per seed; the table is over the queries of all.
    parameters : Parameters
    """

    name: str
    n_queries: tuple[int, int, int]
    seeds: tuple[int, ...]
    parameters: Parameters


SMALL = Setting("small", (1_000, 500, 1_000), (0, 1, 2), Parameters(n_rounds=200, n_classes=5))
# McRank Sec. 6.1 and 6.2
FULL = Setting("full", (10_000, 5_000, 10_000), (0,), Parameters(n_rounds=1_000, n_classes=5))


def reproduce(setting: Setting, run: Run) -> str:
    """Compute the cells that are not there yet, write Table 1's first row and Figure 1, and return the text."""
    parameters, cells = setting.parameters, []
    for seed in setting.seeds:
        # McRank Sec. 6.1: three draws of documents labelled by one polynomial
        fold = make_artificial_fold(setting.n_queries, seed)
        cells.append(replace(parameters, seed=seed).measure_rankers(fold, run))
    figure = run.place(f"figure1-{setting.name}.png")
    draw_figure_1(join_queries(cells, "test"), f"its artificial data, {setting.name} run", parameters, figure)
    lines = [*write_table_1(cells, setting), "", f"Figure 1, artificial data: {figure}"]
    return run.write(f"table1-{setting.name}.txt", lines)


def write_table_1(cells: list[dict[str, Arrays]], setting: Setting) -> list[str]:
    """Write the artificial row of McRank Table 1, ours above the paper's, with LAD's below."""
    valid, test = (take_level_10(join_queries(cells, split)) for split in ("valid", "test"))
    paper = TABLE_1[0]
    return [
        "McRank Table 1, artificial data: NDCG at L = 10 in percent, mean (standard deviation over queries)",
        f"convention {CONVENTION}",
        f"{setting.name}: {describe_queries(setting.n_queries)}; seeds {', '.join(map(str, setting.seeds))}",
        f"boosters: {setting.parameters.describe()}",
        f"LambdaRank: {setting.parameters.describe_net()};",
        "  its figure depends on the number of hidden units, which the paper does not give (docs/lambdarank.md)",
        "",
        *write_table(
            [
                ("", RANKERS),
                ("refrank, validation", [format_mean(valid[name]) for name in RANKERS]),
                ("refrank, test", [format_mean(test[name]) for name in RANKERS]),
                ("paper, test", [format_mean(cell) for cell in paper.summaries if cell is not None]),
            ]
        ),
        "",
        *write_p_values(test, paper),
        "",
        'beside Table 1, least absolute deviation (Sec. 5, "considerably worse" than regression):',
        *write_table([("refrank, test", [format_mean(test[name]) for name in BESIDE])]),
    ]


def take_level_10(at_levels: dict[str, NDArray[np.float64]]) -> dict[str, NDArray[np.float64]]:
    """Return the NDCG at L = 10 in percent, of shape (n_queries,) for each ranker."""
    return {name: 100 * values[:, -1] for name, values in at_levels.items()}


def write_p_values(test: dict[str, NDArray[np.float64]], paper: PrintedRow | None = None) -> list[str]:
    """Write the one-sided p-values of ordinal classification above regression and above LambdaRank."""
    lines = ["one-sided p-values, ordinal classification above the others, on the test queries:"]
    printed = (None, None) if paper is None else (paper.p_regression, paper.p_lambdarank)
    for name, p_value in zip(("regression", "LambdaRank"), printed, strict=True):
        found = []
        for run_test in (unpaired_test, paired_test):
            try:
                found.append(f"{run_test(test['ordinal'], test[name], 'greater').p_value:.2g}")
            except ValueError:  # a small test set may leave no spread to test against
                found.append("none")
        lines.append(
            f"  {name:10}  refrank {found[0]} by the paper's test (two samples, unpaired), {found[1]} by the "
            "paired t-test" + ("" if p_value is None else f"; paper {p_value:g}")
        )
    return lines
