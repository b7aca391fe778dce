"""McRank's side studies, on the artificial data or on folds: tables of bins, scoring functions, parameters, losses.

    Figure 3(a)(b)   number of bins and NDCG loss for B = 2^3, ..., 2^8, 2^16
    Figure 3(c)      expected relevance, T(k) = k, against expected gain, T(k) = 2^k - 1, over the rounds
    Sec. 3.3         T(k) = k against 2^k; the classes of Lemma 1 as a ranking, "highly unstable"
    Sec. 6.2         J, nu and M are "not sensitive"
    Sec. 6.3         which loss and target lead (`losses`)
    Sec. 6.1         which cuts the printed deviations fit (`labels`)

The paper's Figure 3 uses Web-1, which is not public.
"""

from itertools import product

from refrank.datasets.layouts import SPLITS
from refrank.metrics import paired_test
from refrank.reproduce.artificial import describe_queries
from refrank.reproduce.cells import Arrays
from refrank.reproduce.intervals import compute_difference
from refrank.reproduce.mcrank.figure_3 import average, draw_figure_3
from refrank.reproduce.mcrank.figures import draw_figure_2
from refrank.reproduce.mcrank.labels import write_labels
from refrank.reproduce.mcrank.losses import run_losses, write_losses
from refrank.reproduce.mcrank.rankers import CONVENTION
from refrank.reproduce.mcrank.study_models import SCORINGS, TIES, Model, Models, StudySetting, run_models
from refrank.reproduce.run import Reproduction
from refrank.reproduce.tables import Row, format_mean, format_p_value, write_table

SMALL = StudySetting("small", (500, 250, 500), 100)
FULL = StudySetting("full", (10_000, 5_000, 10_000), 1_000)  # McRank Sec. 6.1 and 6.2


def reproduce_studies(setting: StudySetting, run: Reproduction) -> str:
    """Train the missing models, draw Figures 2 and 3, write the tables, and return the text."""
    models = run_models(setting, run)
    fixed = models[Model()]
    if run.data is None:
        data, extra = "the artificial data", write_labels()
        sizes = f"{setting.name}: {describe_queries(setting.n_queries)}, seed {setting.seed}"
    else:
        data, extra = run.collection, []
        sizes = f"{setting.name}; {run.reading.describe()}; the queries of all folds"
    figures = run.place("figure2.png"), run.place(f"figure3-{run.make_stem(setting.name)}.png")
    draw_figure_2(figures[0])
    draw_figure_3(f"{data}, {setting.n_rounds:,} rounds", setting.exponents, models, figures[1])
    heading = [
        f"McRank's side studies on {data}: NDCG at L = 10 in percent; multiple classification where no ranker is named",
        f"convention {CONVENTION}",
        sizes,
        f"M = {setting.n_rounds}; J = 10, nu = 0.05, B = 256 except where they are varied",
    ]
    return run.write(
        f"studies-{run.make_stem(setting.name)}.txt",
        heading,
        write_bins(setting, models),
        write_scorings(fixed),
        write_classes(fixed),
        write_parameters(setting, models),
        write_losses(run_losses(setting, run)),
        *([extra] if extra else []),
        [f"Figure {number}: {figure}" for number, figure in enumerate(figures, start=2)],
    )


def write_bins(setting: StudySetting, models: Models) -> list[str]:
    """Write Figure 3(a)(b): bins and NDCG loss, relative to the largest B."""
    # McRank App. II: "the relative number of total bins", and the NDCG lost against the largest B
    largest = models[Model(n_bins=2 ** setting.exponents[-1])]
    heading = ["bins", "relative", *(f"loss, {split}" for split in SPLITS), "95% interval, test"]
    rows: list[Row] = [("     B", heading)]
    for exponent in setting.exponents:
        arrays = models[Model(n_bins=2**exponent)]
        losses = [f"{average(largest[f'{s} k'][-1]) - average(arrays[f'{s} k'][-1]):.2f}" for s in SPLITS]
        share = f"{100 * arrays['bins'] / largest['bins']:.2f}%"
        difference = compute_difference(100 * largest["test k"][-1], 100 * arrays["test k"][-1])
        cells = [f"{int(arrays['bins']):,}", share, *losses, f"[{difference.low:+.2f}, {difference.high:+.2f}]"]
        rows.append((f"{f'2^{exponent}':>6}", cells))
    title = f"number of bins, relative to that of B = 2^{setting.exponents[-1]}, and NDCG lost against it"
    return [f"Figure 3(a)(b): {title}", *write_table(rows, 6, 20)]


def write_scorings(arrays: Arrays) -> list[str]:
    """Write Figure 3(c) and Sec. 3.3: expected relevance, expected gain and T(k) = 2^k after the last round."""
    rows: list[Row] = [("  T(k)", [*SPLITS, "k not behind, test"])]
    for scoring in SCORINGS:
        pairs = zip(arrays["test k"], arrays[f"test {scoring}"], strict=True)
        ahead = [average(k) >= average(other) for k, other in pairs]
        cells = [f"{average(arrays[f'{split} {scoring}'][-1]):.2f}" for split in SPLITS]
        rows.append((f"{scoring:>6}", [*cells, "" if scoring == "k" else f"{sum(ahead)} of {len(ahead)} points"]))
    columns = 100 * arrays["test k"][-1], 100 * arrays["test 2^k"][-1]
    p_value = format_p_value(paired_test, *columns, "two-sided")
    return [
        "Figure 3(c) and Sec. 3.3: scoring functions, after the last round",
        *write_table(rows, 6, 20),
        f"  k against 2^k on the test queries, paired t-test, two-sided: {p_value}",
        f"  k minus 2^k, paired 95% interval over the test queries: {compute_difference(*columns)}",
    ]


def write_classes(arrays: Arrays) -> list[str]:
    """Write Sec. 3.3: the most likely class as a score, against expected relevance."""
    rows: list[Row] = [("  expected relevance", [format_mean(100 * arrays["test k"][-1], 2)])]
    rows += [(f"  classes, ties {ties}", [format_mean(100 * arrays[f"test {ties}"], 2)]) for ties in TIES]
    title = "Sec. 3.3: the most likely class as the score, test queries, mean (standard deviation over queries)"
    return [title, *write_table(rows, 26, 20)]


def write_parameters(setting: StudySetting, models: Models) -> list[str]:
    """Write Sec. 6.2: test NDCG for J, nu and each quarter of M."""
    rounds = models[Model()]["rounds"].tolist()
    shown = [stage for stage, m in enumerate(rounds) if m * 4 % setting.n_rounds == 0]
    rows: list[Row] = [(f"{'J':>6}{'nu':>8}", [f"M = {rounds[stage]}" for stage in shown])]
    for J, nu in product(setting.leaves, setting.rates):
        test = models[Model(J, nu)]["test k"]
        rows.append((f"{J:6}{nu:8}", [f"{average(test[stage]):.2f}" for stage in shown]))
    return ["Sec. 6.2: J, nu and M, test queries", *write_table(rows, 14, 12)]
