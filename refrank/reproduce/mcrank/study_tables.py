"""What McRank's side studies found, as text: bins, scoring functions, classes as a ranking, J, nu and M."""

from numpy.typing import ArrayLike

from refrank.datasets.folds import SPLITS
from refrank.metrics import paired_test, summarize
from refrank.reproduce.artificial import describe_queries
from refrank.reproduce.cells import Arrays
from refrank.reproduce.mcrank.figures import draw_figure_2, draw_figure_3
from refrank.reproduce.mcrank.rankers import CONVENTION
from refrank.reproduce.mcrank.studies import SCORINGS, TIES, Model, Models, StudySetting, run_models
from refrank.reproduce.run import Run
from refrank.reproduce.tables import Row, format_mean, write_table


def reproduce_studies(setting: StudySetting, run: Run) -> str:
    """Train the models that are not there yet, draw Figures 2 and 3, write the tables, and return the text."""
    models = run_models(setting, run)
    figures = run.place("figure2.png"), run.place(f"figure3-{setting.name}.png")
    draw_figure_2(figures[0])
    draw_figure_3(setting, models, figures[1])
    lines = [
        "McRank's side studies: multiple classification on the artificial data, NDCG at L = 10 in percent",
        f"convention {CONVENTION}",
        f"{setting.name}: {describe_queries(setting.n_queries)}, seed {setting.seed}",
        f"M = {setting.n_rounds}; J = 10, nu = 0.05, B = 256 except where they are varied",
        "",
        *write_bins(setting, models),
        "",
        *write_scorings(models[Model()]),
        "",
        *write_classes(models[Model()]),
        "",
        *write_parameters(setting, models),
        "",
        *(f"Figure {number}: {figure}" for number, figure in zip((2, 3), figures, strict=True)),
    ]
    return run.write(f"studies-{setting.name}.txt", lines)


def average(values: ArrayLike) -> float:
    """Compute the mean in percent."""
    return 100 * summarize(values).mean


def write_bins(setting: StudySetting, models: Models) -> list[str]:
    """Write Figure 3(a)(b): bins and NDCG loss, relative to the largest B."""
    largest = models[Model(n_bins=2 ** setting.exponents[-1])]
    rows: list[Row] = [("     B", ["bins", "relative", *(f"loss, {split}" for split in SPLITS)])]
    for exponent in setting.exponents:
        arrays = models[Model(n_bins=2**exponent)]
        losses = [f"{average(largest[f'{s} k'][-1]) - average(arrays[f'{s} k'][-1]):.2f}" for s in SPLITS]
        share = f"{100 * arrays['bins'] / largest['bins']:.2f}%"
        rows.append((f"{f'2^{exponent}':>6}", [f"{int(arrays['bins']):,}", share, *losses]))
    title = f"number of bins, relative to that of B = 2^{setting.exponents[-1]}, and NDCG lost against it"
    return [f"Figure 3(a)(b): {title}", *write_table(rows, 6, 14)]


def write_scorings(arrays: Arrays) -> list[str]:
    """Write Figure 3(c) and Sec. 3.3: expected relevance, expected gain and T(k) = 2^k after the last round."""
    rows: list[Row] = [("  T(k)", [*SPLITS, "k not behind, test"])]
    for scoring in SCORINGS:
        pairs = zip(arrays["test k"], arrays[f"test {scoring}"], strict=True)
        looks = [average(k) >= average(other) for k, other in pairs]
        cells = [f"{average(arrays[f'{split} {scoring}'][-1]):.2f}" for split in SPLITS]
        rows.append((f"{scoring:>6}", [*cells, "" if scoring == "k" else f"{sum(looks)} of {len(looks)} looks"]))
    p_value = paired_test(arrays["test k"][-1], arrays["test 2^k"][-1], "two-sided").p_value
    return [
        "Figure 3(c) and Sec. 3.3: scoring functions, after the last round",
        *write_table(rows, 6, 20),
        f"  k against 2^k on the test queries, paired t-test, two-sided: {p_value:.2g}",
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
    for J in setting.leaves:
        for nu in setting.rates:
            test = models[Model(n_leaves=J, learning_rate=nu)]["test k"]
            rows.append((f"{J:6}{nu:8}", [f"{average(test[stage]):.2f}" for stage in shown]))
    return ["Sec. 6.2: J, nu and M, test queries", *write_table(rows, 14, 12)]
