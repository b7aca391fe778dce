"""McRank's side studies on the artificial data: bins (App. I, II), scoring functions (Sec. 3.3, App. II), parameters.

    Figure 3(a)(b)   number of bins and NDCG loss for B = 2^3, ..., 2^8, 2^16
    Figure 3(c)      expected relevance, T(k) = k, against expected gain, T(k) = 2^k - 1, over the rounds
    Sec. 3.3         T(k) = k against 2^k; the classes of Lemma 1 as a ranking, "highly unstable"
    Sec. 6.2         J, nu and M are "not sensitive"

All train multiple classification (Algorithm 1), one model per cell. The paper's Figure 3 is of Web-1: not public.
"""

from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import product, starmap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from tqdm.auto import tqdm

from refrank.datasets import Fold
from refrank.datasets.folds import SPLITS
from refrank.estimators import SoftmaxBoostRanker
from refrank.mcrank.expected_relevance import expected_relevance, transform_table
from refrank.mcrank.softmax_boosting import softmax
from refrank.metrics import ndcg, paired_test, summarize
from refrank.metrics.spec import Ties
from refrank.reproduce.artificial import describe_queries, make_artificial_fold
from refrank.reproduce.cells import Arrays, CellStore
from refrank.reproduce.figures import make_panels, save_figure
from refrank.reproduce.mcrank.figures import draw_figure_2
from refrank.reproduce.mcrank.rankers import CONVENTION
from refrank.reproduce.run import Run, get_splits
from refrank.reproduce.tables import Row, format_mean, write_table
from refrank.trees.binning import bin_features
from refrank.trees.cuts import APP_I
from refrank.trees.engine import default_engine

SCORINGS = ("k", "2^k-1", "2^k")  # T of Eq. 5
TIES: tuple[Ties, ...] = ("averaged", "worst", "best")  # how a ranking by classes may turn out
N_CLASSES = 5


@dataclass(frozen=True)
class StudySetting:
    """Sizes and parameters of a run."""

    name: str
    n_queries: tuple[int, int, int]  # of training, validation and test
    n_rounds: int  # M
    seed: int = 0  # of the data
    stages: int = 20  # at how many rounds each model is measured
    exponents: tuple[int, ...] = (3, 4, 5, 6, 7, 8, 16)  # of 2 for B (App. II)
    leaves: tuple[int, ...] = (5, 10, 20)  # J
    rates: tuple[float, ...] = (0.025, 0.05, 0.1)  # nu

    @property
    def every(self) -> int:
        """Rounds from one measurement of a model to the next."""
        return max(1, self.n_rounds // self.stages)


SMALL = StudySetting("small", (500, 250, 500), 100)
FULL = StudySetting("full", (10_000, 5_000, 10_000), 1_000)  # McRank Sec. 6.1 and 6.2


@dataclass(frozen=True)
class Model:
    """The parameters of one cell."""

    n_leaves: int = 10  # J
    learning_rate: float = 0.05  # nu
    n_bins: int = 256  # B


Models = dict[Model, Arrays]


def run_models(setting: StudySetting, run: Run) -> Models:
    """Train the models of all studies that have no cell yet, and return the cells of all."""
    fold, n_rounds = make_artificial_fold(setting.n_queries, setting.seed), setting.n_rounds
    models = [Model(), *(Model(n_bins=2**exponent) for exponent in setting.exponents)]
    models += starmap(Model, product(setting.leaves, setting.rates))
    store = CellStore(run.folder, fold, {"n_rounds": n_rounds, "every": setting.every}, CONVENTION)
    common: dict[str, Any] = {"binning": "app-i", "n_rounds": n_rounds, "n_classes": N_CLASSES}
    common |= {"n_threads": run.n_threads, "verbose": 1}
    found = {}
    for model in tqdm(dict.fromkeys(models), "models", unit="model", disable=None):
        name = f"study-J{model.n_leaves}-nu{model.learning_rate}-B{model.n_bins}"
        ranker = SoftmaxBoostRanker(**asdict(model), **common)
        found[model] = store.fetch(name, partial(run_model, ranker, fold, setting.every))
    return found


def run_model(ranker: SoftmaxBoostRanker, fold: Fold, every: int) -> Arrays:
    """Train one model, and measure it after each `every` rounds and the last: at `rounds`, (n_stages,).

    `train k`, ...: NDCG at L = 10 by split and T, (n_stages, n_queries). `test averaged`, ...: NDCG of the classes as
    a ranking in the last round, by each rule for ties, (n_queries,). `bins`: number of bins of all features.
    """
    train, n_rounds, engine = fold.train, ranker.n_rounds, default_engine(ranker.n_threads)
    ranker.fit(train.X, train.y, train.qid)
    n_bins = bin_features(train.X, ranker.n_bins, APP_I, engine=engine).offsets[-1]
    arrays: Arrays = {"rounds": np.array([*range(every, n_rounds, every), n_rounds]), "bins": np.array(n_bins)}
    for split, data in get_splits(fold).items():
        measure = partial(ndcg, data.y, qid=data.qid, k=10, per_query=True)
        stages = [softmax(F) for F in ranker.model_.staged_scores(data.X, engine, every)]
        for scoring in SCORINGS:
            scores = [expected_relevance(class_proba, transform_table(scoring, N_CLASSES)) for class_proba in stages]
            arrays[f"{split} {scoring}"] = np.array([measure(score, spec=CONVENTION) for score in scores])
    # McRank Lemma 1: "a classifier assigns a relevance level", by which the documents are ranked
    classes = np.argmax(stages[-1], axis=1).astype(np.float64)  # (n_samples,) of the test split
    for ties in TIES:
        arrays[f"test {ties}"] = np.asarray(measure(classes, spec=replace(CONVENTION, ties=ties)))
    return arrays


def reproduce_studies(setting: StudySetting, run: Run) -> str:
    """Train the models that are not there yet, draw Figures 2 and 3, write the tables, and return the text."""
    models = run_models(setting, run)
    fixed = models[Model()]
    figures = run.place("figure2.png"), run.place(f"figure3-{setting.name}.png")
    draw_figure_2(figures[0])
    draw_figure_3(setting, models, figures[1])
    heading = [
        "McRank's side studies: multiple classification on the artificial data, NDCG at L = 10 in percent",
        f"convention {CONVENTION}",
        f"{setting.name}: {describe_queries(setting.n_queries)}, seed {setting.seed}",
        f"M = {setting.n_rounds}; J = 10, nu = 0.05, B = 256 except where they are varied",
    ]
    return run.write(
        f"studies-{setting.name}.txt",
        heading,
        write_bins(setting, models),
        write_scorings(fixed),
        write_classes(fixed),
        write_parameters(setting, models),
        [f"Figure {number}: {figure}" for number, figure in enumerate(figures, start=2)],
    )


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
    for J, nu in product(setting.leaves, setting.rates):
        test = models[Model(J, nu)]["test k"]
        rows.append((f"{J:6}{nu:8}", [f"{average(test[stage]):.2f}" for stage in shown]))
    return ["Sec. 6.2: J, nu and M, test queries", *write_table(rows, 14, 12)]


def draw_figure_3(setting: StudySetting, models: Models, path: Path) -> None:
    """Draw McRank Figure 3: (a) relative number of bins, (b) NDCG loss, (c) two scoring functions over the rounds."""
    figure, (a, b, c) = make_panels((1, 3), (12, 4))
    by_exponent = [models[Model(n_bins=2**exponent)] for exponent in setting.exponents]
    places = range(len(setting.exponents))
    a.plot(places, [100 * arrays["bins"] / by_exponent[-1]["bins"] for arrays in by_exponent], "o-")
    a.set(yscale="log", ylabel="bins, relative to the largest B (%)", title="(a) number of bins")
    for split, style in zip(SPLITS, ("o-", "s--", "^:"), strict=True):
        means = [average(arrays[f"{split} k"][-1]) for arrays in by_exponent]
        b.plot(places, [means[-1] - mean for mean in means], style, label=split)
    b.axhline(0, color="black", linewidth=0.5)
    b.set(ylabel=f"NDCG at B = 2^{setting.exponents[-1]} less NDCG at B (%)", title="(b) NDCG loss by quantization")
    for panel in (a, b):
        panel.set(xlabel="exponent of B", xticks=places, xticklabels=setting.exponents)
    arrays = models[Model()]
    for split, colour in zip(SPLITS, ("tab:blue", "tab:orange", "tab:green"), strict=True):
        for scoring, line, name in (("k", "-", "expected relevance"), ("2^k-1", "--", "expected gain")):
            means = [average(stage) for stage in arrays[f"{split} {scoring}"]]
            c.plot(arrays["rounds"], means, line, color=colour, label=f"{split}, {name}")
    c.set(xlabel="rounds", ylabel="NDCG (%)", title="(c) scoring functions")
    for panel in (b, c):
        panel.legend(fontsize=7)
    sizes = f"{setting.n_queries[0]:,} training queries, M = {setting.n_rounds}"
    figure.suptitle(f"McRank Figure 3, on the artificial data: classification, {sizes}")
    save_figure(figure, path, f"convention {CONVENTION}")
