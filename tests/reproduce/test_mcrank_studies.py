"""`refrank reproduce mcrank --studies`: Figures 2 and 3, scoring functions, classes as a ranking, J, nu and M."""

from dataclasses import asdict, replace

import numpy as np
import pytest

from refrank import LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.datasets import load_folds
from refrank.datasets.layouts import SPLITS
from refrank.metrics import ndcg, paired_test
from refrank.reproduce.artificial import make_artificial_fold
from refrank.reproduce.intervals import compute_difference
from refrank.reproduce.mcrank import labels, losses, studies
from refrank.reproduce.mcrank.rankers import CONVENTION
from refrank.reproduce.mcrank.study_models import SCORINGS, Model, StudySetting, run_model, run_models
from refrank.reproduce.mcrank.table_1 import TABLE_1
from refrank.reproduce.run import Reproduction, get_splits
from refrank.trees import splitting
from refrank.trees.bins.binning import bin_features
from refrank.trees.engine import Engine
from tests.reproduce.small_files import PARTS

TINY = StudySetting("tiny", (8, 4, 6), 6, seed=2, stages=3, exponents=(3, 9), leaves=(3, 10), rates=(0.05, 0.5))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return Reproduction(tmp_path_factory.mktemp("studies"), n_threads=1)


@pytest.fixture(scope="module")
def text(run):
    return studies.reproduce_studies(TINY, run)


@pytest.fixture(scope="module")
def models(text, run):
    return run_models(TINY, run)


# --- the models


@pytest.mark.paper("McRank Lemma 1", at="run_model")
@pytest.mark.parametrize("model", [Model(), Model(n_bins=8), Model(n_leaves=3, learning_rate=0.5), "odd"])
def test_a_model_is_looked_at_as_its_rounds_go_on(models, model):
    """The odd one: seven rounds looked at every second one; one training query, which has no document of grade 4."""
    setting, points = TINY, [2, 4, 6]
    if model == "odd":
        model, setting, points = Model(n_leaves=3), replace(TINY, n_queries=(1, 4, 6), n_rounds=7, seed=3), [2, 4, 6, 7]
    fold = make_artificial_fold(setting.n_queries, setting.seed)
    parameters = asdict(model) | {"binning": "app-i", "n_rounds": points[-1]}
    if setting is TINY:
        arrays = models[model]
    else:
        arrays = run_model(SoftmaxBoostRanker(**parameters, n_classes=5, n_threads=1), fold, setting.every)
    assert arrays["rounds"].tolist() == points
    train, test = fold.train, fold.test
    assert (train.y.max() == 3) == (setting is not TINY)
    for T in ("k", "2^k-1", "2^k"):
        ranker = SoftmaxBoostRanker(**parameters, n_classes=5, relevance=T).fit(train.X, train.y)
        for name, data in get_splits(fold).items():
            stages = [*ranker.staged_predict(data.X)]
            expected = [ndcg(data.y, stages[m - 1], data.qid, 10, "paper", per_query=True) for m in points]
            np.testing.assert_array_equal(arrays[f"{name} {T}"], expected)
    classes = ranker.predict_proba(test.X).argmax(axis=1)
    for ties in ("averaged", "worst", "best"):
        expected = ndcg(test.y, classes, test.qid, 10, replace(CONVENTION, ties=ties), per_query=True)
        np.testing.assert_array_equal(arrays[f"test {ties}"], expected)
    n_bins = [len(cut) + 1 for cut in bin_features(train.X, model.n_bins, engine=Engine(splitting)).cuts]
    assert arrays["bins"] == sum(n_bins) <= sum(min(model.n_bins, len(np.unique(column))) for column in train.X.T)


@pytest.mark.paper("McRank Sec. 6.1", at="studies.FULL")
def test_the_full_study_has_the_papers_sizes_and_exponents():
    full = studies.FULL
    assert (full.n_queries, full.n_rounds) == ((10_000, 5_000, 10_000), 1_000)
    assert full.exponents == studies.SMALL.exponents == (3, 4, 5, 6, 7, 8, 16)  # App. II
    for setting in (full, studies.SMALL):  # the points and the grid of docs/learn/mcrank.md
        assert (setting.n_rounds / setting.every, setting.seed) == (20, 0)
        assert (setting.leaves, setting.rates) == ((5, 10, 20), (0.025, 0.05, 0.1))
    assert replace(TINY, n_rounds=2).every == 1  # fewer rounds than points


# --- the tables


def average(values):
    return f"{100 * values.mean():.2f}"


@pytest.mark.paper("McRank App. II", at="write_bins")
def test_the_tables_hold_the_figures_of_the_cells(text, models):
    """B against the largest B, T after the last round, classes as a ranking, the grid of J and nu."""
    fixed, least, most = models[Model()], models[Model(n_bins=8)], models[Model(n_bins=512)]
    lost = [100 * (most[f"{split} k"][-1].mean() - least[f"{split} k"][-1].mean()) for split in SPLITS]
    share = f"{100 * least['bins'] / most['bins']:.2f}%"
    interval = compute_difference(100 * most["test k"][-1], 100 * least["test k"][-1])
    rows = [
        f"2^3 {int(least['bins']):,} {share} {' '.join(f'{loss:.2f}' for loss in lost)} "
        f"[{interval.low:+.2f}, {interval.high:+.2f}]",
        f"2^9 {int(most['bins']):,} 100.00% 0.00 0.00 0.00 [+0.00, +0.00]",
    ]
    for T in SCORINGS:
        ahead = sum(k.mean() >= other.mean() for k, other in zip(fixed["test k"], fixed[f"test {T}"], strict=True))
        means = " ".join(average(fixed[f"{split} {T}"][-1]) for split in SPLITS)
        rows.append(f"{T} {means}" + ("" if T == "k" else f" {ahead} of 3 points"))
    p_value = paired_test(fixed["test k"][-1], fixed["test 2^k"][-1], "two-sided").p_value
    rows.append(f"k against 2^k on the test queries, paired t-test, two-sided: {p_value:.2g}")
    difference = compute_difference(100 * fixed["test k"][-1], 100 * fixed["test 2^k"][-1])
    rows.append(f"k minus 2^k, paired 95% interval over the test queries: {difference}")
    of_classes = {f"classes, ties {ties}": fixed[f"test {ties}"] for ties in ("averaged", "worst", "best")}
    for name, values in ({"expected relevance": fixed["test k"][-1]} | of_classes).items():
        rows.append(f"{name} {average(values)} ({100 * values.std(ddof=1):.1f})")
    rows.append("J nu M = 6")  # of the points at 2, 4 and 6 rounds, a quarter of M: 6
    for J in TINY.leaves:
        rows += [f"{J} {nu} {average(models[Model(J, nu)]['test k'][-1])}" for nu in TINY.rates]
    lines = [" ".join(line.split()) for line in text.split("\n")]
    assert [line for line in lines if line in rows] == rows
    worst, averaged, best = (fixed[f"test {ties}"] for ties in ("worst", "averaged", "best"))
    assert ((worst <= averaged) & (averaged <= best)).all()


def test_a_point_at_which_both_are_level_counts_as_not_behind():
    level, ahead, behind = np.array([0.5, 0.7]), np.array([0.6, 0.7]), np.array([0.4, 0.7])
    arrays = {f"{split} {T}": np.array([level, level, level]) for split in SPLITS for T in SCORINGS}
    arrays |= {"test k": np.array([level, ahead, behind]), "rounds": np.array([1, 2, 3])}
    lines = studies.write_scorings(arrays)
    assert [line.split()[4:] for line in lines[2:5]] == [[], *2 * [["2", "of", "3", "points"]]]


def test_the_grid_shows_each_quarter_of_the_rounds():
    setting = replace(TINY, n_rounds=8, leaves=(3,), rates=(0.05,))
    stages = np.array([[0.1, 0.3], [0.3, 0.3], [0.5, 0.3], [0.5, 0.7], [0.9, 0.7]])
    arrays = {"rounds": np.array([2, 3, 4, 6, 8]), "test k": stages}
    lines = studies.write_parameters(setting, {Model(): arrays, Model(n_leaves=3): arrays})
    assert lines[1].split() == [*("J", "nu"), *(word for m in ("2", "4", "6", "8") for word in ("M", "=", m))]
    assert lines[2].split() == ["3", "0.05", "20.00", "40.00", "60.00", "80.00"]


# --- folds


def test_on_folds_the_queries_are_joined_and_the_bins_added_up(tmp_path, write_files):
    parts = write_files(tmp_path / "parts", PARTS)
    run = Reproduction(tmp_path / "out", parts, n_threads=1)
    text = studies.reproduce_studies(TINY, run)
    assert text.startswith("McRank's side studies on parts: NDCG at L = 10 in percent")
    assert "equal fifths" not in text  # the labels of files are their own
    assert {"studies-parts-tiny.txt", "figure3-parts-tiny.png"} < {path.name for path in run.folder.iterdir()}
    model, folds = Model(n_leaves=3), [*load_folds(parts)]
    cells = []
    for fold in folds:
        ranker = SoftmaxBoostRanker(**asdict(model), binning="app-i", n_rounds=6, n_threads=1)
        cells.append(run_model(ranker, fold, TINY.every))
    joined = run_models(TINY, run)[model]
    assert joined["bins"] == sum(cell["bins"] for cell in cells)
    assert joined["rounds"].tolist() == [2, 4, 6]
    for name in ("train k", "test 2^k"):
        np.testing.assert_array_equal(joined[name], np.hstack([cell[name] for cell in cells]))
    np.testing.assert_array_equal(joined["test worst"], np.concatenate([cell["test worst"] for cell in cells]))


# --- losses


def test_each_loss_is_measured_with_both_targets(run):
    kinds = {"ordinal": OrdinalBoostRanker, "classification": SoftmaxBoostRanker}
    trees = {"ordinal": 8, "ordinal, simultaneous": 4, "regression": 1}
    trees |= dict.fromkeys(("classification", "classification, simultaneous"), 5)
    runs = losses.run_losses(replace(TINY, seeds=(0, 1)), run)
    for seed, cells in enumerate(runs):
        fold = make_artificial_fold(TINY.n_queries, seed)
        train, test = fold.train, fold.test
        common = {"binning": "app-i", "n_rounds": 6, "n_leaves": 10, "learning_rate": 0.05, "n_classes": 5}
        assert cells.keys() == trees.keys()
        for name, cell in cells.items():
            for target in ("k", "2^k-1"):
                if name == "regression":
                    ranker = LSBoostRanker(**common, target=target)
                else:
                    loss, _, update = name.partition(", ")
                    ranker = kinds[loss](**common, update=update or "sequential", relevance=target)
                scores = ranker.fit(train.X, train.y, train.qid).predict(test.X)
                expected = ndcg(test.y, scores, test.qid, 10, "paper", per_query=True)
                np.testing.assert_array_equal(cell[f"test {target}"], expected)
            assert cell["trees"] == 6 * trees[name]


def test_the_differences_are_paired_over_the_queries_of_all_runs():
    rng, runs = np.random.default_rng(0), []
    for n in (5, 7):
        runs.append({name: {f"test {T}": rng.random(n) for T in ("k", "2^k-1")} for name in losses.LOSSES})
        for cell in runs[-1].values():
            cell["trees"] = np.array(600)
    lines = losses.write_losses(runs)
    assert lines[0].startswith("Sec. 6.3: loss by target, 12 test queries of 2 runs")

    def join(loss, target):
        return 100 * np.concatenate([cells[loss][f"test {target}"] for cells in runs])

    for loss, line in zip(losses.LOSSES, lines[2:], strict=False):
        means = [f"{join(loss, T).mean():.2f} ({join(loss, T).std(ddof=1):.1f})" for T in ("k", "2^k-1")]
        assert line.removeprefix(f"  {loss}").split() == [*" ".join(means).split(), "1,200"]
    for (name, first, second), line in zip(losses.PAIRS, lines[-len(losses.PAIRS) :], strict=True):
        a, b = join(*first), join(*second)
        each = (cells[first[0]][f"test {first[1]}"] - cells[second[0]][f"test {second[1]}"] for cells in runs)
        ahead = sum(of_run.mean() > 0 for of_run in each)
        expected = f"{compute_difference(a, b)} {paired_test(a, b).p_value:.2g} {ahead} of 2"
        assert " ".join(line.removeprefix(f"  {name}").split()) == expected


def test_of_each_pair_one_thing_differs_but_in_the_printed_one():
    """Loss, target and update; the printed comparison changes loss and target at once."""
    for name, (first, target), (second, other_target) in losses.PAIRS:
        changed = {
            "target": target != other_target,
            "loss": first.split(",")[0] != second.split(",")[0],
            "update": ("simultaneous" in first) != ("simultaneous" in second),
        }
        expected = ["target", "loss"] if name.startswith("as printed") else [name.split()[0].removesuffix(":")]
        assert [what for what, is_so in changed.items() if is_so] == expected


# --- labels


@pytest.mark.paper("McRank Sec. 6.1", at="simulate_deviation")
def test_the_cuts_of_the_labels_fit_the_printed_deviations_and_equal_fifths_do_not():
    for (mean, printed), tolerance in zip(labels.PRINTED, (0.3, 0.3, 0.3, 0.5), strict=True):
        ours = labels.simulate_deviation((0.5, 0.75, 0.9, 0.97), mean, n_queries=1_500)
        assert abs(ours - printed) < tolerance
        assert labels.simulate_deviation((0.2, 0.4, 0.6, 0.8), mean, n_queries=1_500) < printed - 1.3


@pytest.mark.paper("McRank Table 1", at="PRINTED")
def test_the_printed_cells_are_those_of_table_1():
    assert tuple((cell.mean, cell.sd) for cell in TABLE_1[0].summaries) == labels.PRINTED
