"""What McRank's side studies found, as text: bins, scoring functions, classes as a ranking, J, nu and M."""

from pathlib import Path

from refrank.datasets.folds import SPLITS
from refrank.metrics import paired_test, summarize
from refrank.reproduce.cells import Arrays
from refrank.reproduce.mcrank_figures import draw_figure_2, draw_figure_3
from refrank.reproduce.mcrank_rankers import CONVENTION
from refrank.reproduce.mcrank_studies import TIES, Model, StudySetting, run_models

Models = dict[Model, Arrays]


def reproduce_studies(setting: StudySetting, folder: Path, n_threads: int | None = None) -> str:
    """Run the models that are not done yet, draw Figures 2 and 3, write the tables, and return them."""
    models = run_models(setting, folder, n_threads)
    figures = folder / "figure2.png", folder / f"figure3-{setting.name}.png"
    draw_figure_2(figures[0])
    draw_figure_3(setting, models, figures[1])
    text = "\n".join(
        [
            "McRank's side studies: multiple classification on the artificial data, NDCG at L = 10 in percent",
            f"convention {CONVENTION}",
            f"{setting.name}: {setting.n_train:,} training, {setting.n_valid:,} validation and {setting.n_test:,} test "
            f"queries of 50 documents, seed {setting.seed}",
            f"M = {setting.n_rounds}; J = 10, nu = 0.05, B = 256 but where they are varied",
            *bins_table(setting, models),
            *scoring_table(models),
            *classes_table(models),
            *parameters_table(setting, models),
            "",
            *(f"Figure {number}: {figure}" for number, figure in zip((2, 3), figures, strict=True)),
        ]
    )
    (folder / f"studies-{setting.name}.txt").write_text(text + "\n", encoding="utf-8")
    return text


def percent(arrays: Arrays, split: str, scoring: str = "k", stage: int = -1) -> float:
    """Mean NDCG over the queries of a split, by T(k), after a stage."""
    return 100 * summarize(arrays[f"{split} {scoring}"][stage]).mean


def bins_table(setting: StudySetting, models: Models) -> list[str]:
    """Figure 3(a)(b): bins and NDCG loss, relative to the largest B."""
    largest = models[Model(n_bins=2 ** setting.exponents[-1])]
    lines = [
        "",
        f"Figure 3(a)(b): number of bins, relative to that of B = 2^{setting.exponents[-1]}, and NDCG lost against it",
        f"{'B':>6}{'bins':>12}{'relative':>12}" + "".join(f"{'loss, ' + split:>14}" for split in SPLITS),
    ]
    for exponent in setting.exponents:
        arrays = models[Model(n_bins=2**exponent)]
        losses = (percent(largest, split) - percent(arrays, split) for split in SPLITS)
        lines.append(
            f"{f'2^{exponent}':>6}{int(arrays['bins']):12,}{100 * arrays['bins'] / largest['bins']:11.2f}%"
            + "".join(f"{loss:14.2f}" for loss in losses)
        )
    return lines


def scoring_table(models: Models) -> list[str]:
    """Figure 3(c) and Sec. 3.3: expected relevance, expected gain and T(k) = 2^k after the last round."""
    arrays = models[Model()]
    lines = [
        "",
        "Figure 3(c) and Sec. 3.3: scoring functions, after the last round",
        f"{'T(k)':>6}" + "".join(f"{split:>10}" for split in SPLITS) + "    looks in which k is not behind, test",
    ]
    for scoring in ("k", "2^k-1", "2^k"):
        ahead = sum(
            percent(arrays, "test", "k", stage) >= percent(arrays, "test", scoring, stage)
            for stage in range(len(arrays["rounds"]))
        )
        figures = "".join(f"{percent(arrays, split, scoring):10.2f}" for split in SPLITS)
        lines.append(f"{scoring:>6}{figures}" + ("" if scoring == "k" else f"    {ahead} of {len(arrays['rounds'])}"))
    p_value = paired_test(arrays["test k"][-1], arrays["test 2^k"][-1], "two-sided").p_value
    lines.append(f"  k against 2^k on the test queries, paired t-test, two-sided: {p_value:.2g}")
    return lines


def classes_table(models: Models) -> list[str]:
    """Sec. 3.3: the most likely class as a score, against expected relevance."""
    arrays = models[Model()]
    soft = summarize(100 * arrays["test k"][-1])
    lines = ["", "Sec. 3.3: the most likely class as the score, test queries, mean (standard deviation over queries)"]
    lines.append(f"  expected relevance              {soft.mean:6.2f} ({soft.sd:.1f})")
    for ties in TIES:
        hard = summarize(100 * arrays[f"test {ties}"])
        lines.append(f"  classes, ties {ties:18}{hard.mean:6.2f} ({hard.sd:.1f})")
    return lines


def parameters_table(setting: StudySetting, models: Models) -> list[str]:
    """Sec. 6.2: test NDCG for J, nu and M."""
    rounds = models[Model()]["rounds"].tolist()
    shown = [stage for stage, m in enumerate(rounds) if m * 4 % setting.n_rounds == 0]
    lines = [
        "",
        "Sec. 6.2: J, nu and M, test queries",
        f"{'J':>6}{'nu':>8}" + "".join(f"{f'M = {rounds[stage]}':>12}" for stage in shown),
    ]
    for J in setting.leaves:
        for nu in setting.rates:
            arrays = models[Model(n_leaves=J, learning_rate=nu)]
            figures = "".join(f"{percent(arrays, 'test', 'k', stage):12.2f}" for stage in shown)
            lines.append(f"{J:6}{nu:8}" + figures)
    return lines
