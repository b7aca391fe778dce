"""The tables of COCR Sec. 5, on a collection in folds or on artificial data; `claims` judges its claims.

The available text lacks the bodies of the paper's tables, so ours appear without them, beside the claims of Sec. 5.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
from tqdm.auto import tqdm

from refrank.metrics import count_needed_queries, find_resolved_difference, summarize
from refrank.metrics.paired_comparison import POWER
from refrank.reproduce.artificial import make_heavy_tailed_fold
from refrank.reproduce.cells import Arrays
from refrank.reproduce.cocr.claims import LEVEL, compute_p_value, write_claims
from refrank.reproduce.cocr.figures import draw_bagging, draw_correlations, draw_min_instances
from refrank.reproduce.cocr.rankers import CONVENTION, COSTS, MEASURES, WAYS, CocrSetting, Column, Results, run_fold
from refrank.reproduce.run import Reproduction
from refrank.reproduce.tables import Row, write_table

FULL = CocrSetting("folds")
# On the artificial data, ERR of two ways differs from query to query by .06 over linear regression, by .08 to .09 over
# GBRT and by .15 over M5P: 12,000 test queries resolve .0015, .0020 to .0023 and .0040.
SMALL = CocrSetting("small", n_rounds=100, n_bags=5, n_queries=(1_000, 1_000, 12_000))
SMALLEST = 0.002  # the difference for which the needed queries are printed
Tables = dict[str, dict[str, Column]]  # by base and measure


def reproduce(setting: CocrSetting, run: Reproduction) -> str:
    """Compute the missing cells, draw the figures, write the tables, and return them as text."""
    results, names, stem = Results(setting, defaultdict(list)), [], run.make_stem(setting.name)
    run.check_added(["artificial"], WAYS)
    for fold in run.load() if run.data else [replace(make_heavy_tailed_fold(setting.n_queries), name="artificial")]:
        names.append(fold.name)
        for base, way, arrays in tqdm(run_fold(setting, fold, run), fold.name, unit="cell", disable=None):
            results.cells[base, way].append(arrays)
    named = []
    for number, draw in enumerate((draw_min_instances, draw_bagging), start=1):
        figure = run.place(f"figure{number}-{stem}.png")
        draw(results, figure)
        named.append(f"Figure {number}: {figure}")
    heading = [
        f"COCR Sec. 5 on {', '.join(names)}, setting {stem}",
        f"convention {CONVENTION!r}; ERR has the highest grade of the data for K (Eq. 8)",
        "means over the test queries of all folds; in parentheses p of two-tailed paired t-tests against direct",
        f"* significantly above it at the {1 - LEVEL:.0%} level, - significantly below: over the queries alone",
    ]
    proxies = compare_proxies(results, run.place(f"proxies-{stem}.png"))
    tables = collect_tables(results)
    blocks = heading, write_power(tables), write_tables(results, tables), proxies, named
    return run.write(f"tables-{stem}.txt", *blocks)


def lay_out(rows: Iterable[Row], columns: Iterable[str] = WAYS) -> list[str]:
    """Write rows below the names of the columns, if there are any rows."""
    heading: list[Row] = [("", list(columns))] if columns else []
    return write_table([*heading, *((f"  {name}", cells) for name, cells in rows)], 16, 20)


def collect_tables(results: Results) -> Tables:
    """Collect the values of all test queries by base and measure."""
    bases = {name: name for name in ("linear", "least squares")} | {"M5P": "m5p"}
    bases |= {f"GBRT {step}": f"gbrt-{step}" for step in results.setting.steps}
    return {name: {m: results.join(base, f"test_{m}") for m in MEASURES} for name, base in bases.items()}


def write_power(tables: Tables) -> list[str]:
    """Write how small a difference between two ways the test queries resolve, for each base.

    Each pair of ways has its own standard deviation over the queries; the largest one counts.
    """
    n_queries = len(tables["linear"]["err"]["direct"])
    rows: list[Row] = []
    for name, table in tables.items():
        cells = []
        for column in table.values():
            sd = max(summarize(column[a] - column[b]).sd for a, b in combinations(WAYS, 2))
            needed = count_needed_queries(SMALLEST, sd)
            cells += [f"{sd:.3f}", f"{find_resolved_difference(n_queries, sd):.4f}", f"{needed:,}"]
        rows.append((f"  {name}", cells))
    heading = [f"{name} {what}" for name in MEASURES.values() for what in ("sd", "resolves", f"{SMALLEST} needs")]
    return [
        f"What {n_queries:,} test queries resolve, given the training rows: a difference that a test at the "
        f"{1 - LEVEL:.0%} level finds with probability {POWER:.0%},",
        f"from the largest standard deviation of paired differences of two ways; and the queries that {SMALLEST} needs",
        *write_table([("", heading), *rows], 16, 21),
    ]


def write_tables(results: Results, tables: Tables) -> list[str]:
    """Write Tables 1 to 8, with a column per added ranker, and Sec. 5's claims beside each base."""
    columns = [*tables["linear"]["err"]]  # the ways, and the added rankers
    others = [name for name in columns if name not in ("direct", "oerr")]
    # The paper ran Weka, whose linear regression selects features; its Sec. 5.3 speaks of least squares.
    # COCR Table 1
    # COCR Table 2
    lines = ["Table 1 and 2, linear", *lay_out(compare_ways(tables["linear"]), columns)]
    lines += ["  plain least squares", *lay_out(compare_ways(tables["least squares"]), columns=())]
    # COCR Table 5
    # COCR Table 6
    lines += ["", "Table 5 and 6, M5P, M by validation", *lay_out(compare_ways(tables["M5P"]), columns)]
    # COCR Table 3
    lines += ["", "Table 3, p-values (two-tailed) of the oERR cost against the others, ERR"]
    for name in ("(a) linear", "(b) M5P"):
        column = tables[name[4:]]["err"]
        tests = [f"{way} {compute_p_value(column['oerr'], column[way]):.2g}" for way in others]
        lines.append(f"  {name:12}{', '.join(tests)}")
    validation = {f"M = {m}": results.join(f"m5p-{m}", "valid_err") for m in results.list_common_m()}
    # COCR Sec. 5.4: "the last row shows the test result when using the best model in validation"
    validation["test, M chosen"] = tables["M5P"]["err"]
    means = [(name, [f"{summarize(column[way]).mean:.4f}" for way in WAYS]) for name, column in validation.items()]
    # COCR Table 4
    lines += ["", "Table 4, M5P, validation ERR over M", *lay_out(means)]
    # COCR Table 7
    # COCR Table 8
    lines += ["", "Table 7 and 8, GBRT", *lay_out([], columns), "  (two-tailed tests as above)"]
    for step in results.setting.steps:
        lines += [f"  step {step}", *lay_out(compare_ways(tables[f"GBRT {step}"]), columns=())]
    return [*lines, "", *write_claims(results, tables)]


def compare_ways(table: dict[str, Column]) -> list[Row]:
    """Make the rows of ERR and NDCG@10: means, with marks and p-values against direct regression."""
    rows: list[Row] = []
    for measure, column in table.items():
        direct = summarize(column["direct"]).mean
        cells = [f"{direct:.4f}"]
        for way in [way for way in column if way != "direct"]:
            mean, p_value = summarize(column[way]).mean, compute_p_value(column[way], column["direct"])
            mark = "" if p_value >= LEVEL else "*" if mean > direct else "-"
            cells.append(f"{mean:.4f}{mark} ({p_value:.2g})")
        rows.append((MEASURES[measure], cells))
    return rows


def compare_proxies(results: Results, path: Path) -> list[str]:
    """Compare, beyond the paper, how well the sum of each cost over a query predicts the error that it approximates.

    The measure is Spearman's rank correlation, over the test queries with an error, between the cost at a ranker's hard
    ranks (at the nearest grade for direct regression) and its error, ideal minus reached.
    """
    from scipy import stats

    rankers = [join_folds(folds) for (base, _), folds in results.cells.items() if base not in ("bagging", "added")]
    within: dict[tuple[str, str], list[float]] = {}  # (measure, cost) -> one correlation per ranker
    medians, across = [], []  # the rows of the two tables
    for measure, name in MEASURES.items():
        between = []
        for cost in COSTS:
            pairs = [(of[f"cost_{cost}"], of[f"ideal_{measure}"] - of[f"test_{measure}"]) for of in rankers]
            within[measure, cost] = [float(stats.spearmanr(*pair).statistic) for pair in pairs]
            means = [[summarize(values).mean for values in pair] for pair in pairs]
            between.append(f"{stats.spearmanr(means).statistic:.3f}")
        medians.append((name, [f"{np.median(within[measure, cost]):.3f}" for cost in COSTS]))
        across.append((name, between))
    draw_correlations(within, results.max_grade, path)
    return [
        f"proxies: rank correlation, over queries, of summed cost and error; median over {len(rankers)} rankers",
        *lay_out(medians, COSTS),
        "between rankers, of mean cost and mean error:",
        *lay_out(across, columns=()),
        f"figure: {path}",
    ]


def join_folds(folds: list[Arrays]) -> Arrays:
    """Join the test queries of all folds that have a relevant document."""
    names = [name for name in folds[0] if name.startswith(("cost_", "ideal_", "test_"))]
    joined = {name: np.concatenate([arrays[name] for arrays in folds]) for name in names}
    return {name: values[joined["ideal_err"] > 0] for name, values in joined.items()}
