"""`refrank reproduce igbrt`: runs against the estimators, tables, cells, the whole command."""

from dataclasses import replace

import joblib
import numpy as np
import pytest

from refrank import GBRTRanker, IGBRTRanker, RandomForestRanker
from refrank.datasets import LetorData
from refrank.datasets.layouts import SPLITS
from refrank.igbrt.missing_values import SUBSTITUTES
from refrank.metrics import PRESETS, err, ndcg, rmse
from refrank.reproduce.artificial import make_heavy_tailed_fold, remove_features
from refrank.reproduce.cells import CellStore
from refrank.reproduce.igbrt import reproduction, runs, tables
from refrank.reproduce.igbrt.runs import PreparedFold, Sizes, compare_missing, run_boosting, run_forest
from refrank.reproduce.run import Reproduction
from tests.reproduce.igbrt_cases import make_run, results_of
from tests.strategies import rng_of

TINY = Sizes("tiny", (2, 4), 6, 4, 2, (0.1, 0.5), n_queries=(8, 4, 5))


@pytest.fixture(scope="module")
def fold():
    return remove_features(make_heavy_tailed_fold((8, 4, 5), seed=1), 0.4)


@pytest.fixture(scope="module")
def data(fold):
    return PreparedFold(fold, 1)


def split_values(forest, place):
    """Predictions of a forest of one of its sizes, from which boosting starts."""
    return {split: forest[f"values_{split}"][place] for split in SPLITS}


def reproduce(folder, data):
    return reproduction.reproduce(TINY, Reproduction(folder, data, n_threads=1))


def metrics(rows, scores, data) -> list[float]:
    """ERR, NDCG@10 and RMSE, and the first two once more by the other convention."""
    ours, other = (
        [err(rows.y, scores, rows.qid, None, convention), ndcg(rows.y, scores, rows.qid, 10, convention)]
        for convention in (data.convention, data.other)
    )
    return [*ours, rmse(rows.y, scores), *other]


def clip(fold, highest):
    """The fold with no label above the highest."""
    return replace(fold, **{s: replace(getattr(fold, s), y=np.minimum(getattr(fold, s).y, highest)) for s in SPLITS})


@pytest.mark.paper("iGBRT Sec. 7", at="PreparedFold")
@pytest.mark.parametrize(
    ("short", "setting", "highest"), [("R", "regression", 4), ("C", "classification", 4), ("C", "classification", 1)]
)
def test_runs_are_those_of_the_estimators_to_the_bit(fold, short, setting, highest):
    """Trees that are used and let go, or a ranker that holds them: the same forests, rounds, and metrics.

    One problem of classification, y < 1, is not regression: its answer is no score.
    """
    fold = clip(fold, highest)
    data = PreparedFold(fold, 1)
    assert len(data.list_targets(short)) == (1 if short == "R" else highest)
    X = {split: np.nan_to_num(getattr(fold, split).X) for split in SPLITS}
    forest = run_forest(data, short, replace(TINY, forest_sizes=(2, 5), seed=3))
    common = {"setting": setting, "binning": "exact", "random_state": 3, "n_threads": 1}
    assert forest["steps"].tolist() == [2, 5]
    for place, n in enumerate((2, 5)):
        ranker = RandomForestRanker(n_trees=n, **common).fit(X["train"], fold.train.y)
        for split, rows in (("valid", fold.valid), ("test", fold.test)):
            assert forest[split][place].tolist() == metrics(rows, ranker.predict(X[split]), data)
    boosting = {"n_rounds": 6, "learning_rate": 0.3} | common
    starts = data.make_zeros(short), split_values(forest, 1)
    for start, ranker in zip(starts, (GBRTRanker(**boosting), IGBRTRanker(n_trees=5, **boosting)), strict=True):
        run = run_boosting(data, short, start, range(2, 7, 2), 0.3)
        assert run["steps"].tolist() == [2, 4, 6]
        staged = list(ranker.fit(X["train"], fold.train.y).staged_predict(X["test"]))
        expected = [metrics(fold.test, staged[m - 1], data) for m in (2, 4, 6)]
        assert run["test"].tolist() == expected


def test_seconds_are_of_training_alone(data, monkeypatch):
    """A clock that goes on by one at each look, and by 1,000 at each measurement."""
    clock = [0.0]

    def tick(step=1.0):
        clock[0] += step
        return clock[0]

    monkeypatch.setattr(runs, "perf_counter", tick)
    monkeypatch.setattr(PreparedFold, "measure", lambda *_: runs.Reached(tick(1000.0), 0.0))
    assert run_boosting(data, "R", data.make_zeros("R"), range(2, 7, 2), 0.3)["seconds"].tolist() == [1, 2, 3]
    # problem after problem: its first look, one for two trees, one for four
    assert run_forest(data, "C", TINY)["seconds"].tolist() == [4 * 1, 4 * 2]


def test_the_convention_is_the_paper_s(data):
    assert data.convention == replace(PRESETS["paper"], max_grade=4)


def read_words(lines):
    """Lines with one space between two words."""
    return [" ".join(line.split()) for line in lines]


@pytest.mark.paper("iGBRT Sec. 7", at="choose")
def test_the_validation_set_chooses():
    """The largest validation ERR; of equal ones the smaller rate, then fewer rounds; the test set is only read."""
    flat = make_run([2, 4], [[1, 2, 3], [4, 5, 6]], [0.2, 0.2])
    peak = make_run([2, 4], [[7, 8, 9], [0, 1, 2]], [0.1, 0.3])

    for boosted, at_most, expected in (
        ({0.5: flat, 0.1: flat}, 4, ([1, 2, 3], 2, 0.1)),
        ({0.1: flat, 0.5: peak}, 4, ([0, 1, 2], 4, 0.5)),
        ({0.1: flat, 0.5: peak}, 3, ([1, 2, 3], 2, 0.1)),  # round 4 is not asked
    ):
        metrics, *chosen, _ = results_of({("R", 0): boosted}).choose("R", 0, at_most)
        assert (metrics[:3].tolist(), *chosen) == expected


@pytest.mark.paper("iGBRT Table 1", at="write_table_1")
@pytest.mark.paper("iGBRT Table 3", at="write_table_3")
@pytest.mark.paper("iGBRT Table 4", at="write_table_4")
def test_table_3_keeps_to_the_rounds_of_igbrt_and_table_1_does_not():
    """Sec. 5: up to M_B = 1000; Sec. 7: M_B = 500 for iGBRT. Here 4 and 2, and validation prefers the fourth round."""
    gbrt = make_run([2, 4], [[0.11, 0.12, 0.13], [0.21, 0.22, 0.23]], [0.1, 0.2], [1, 2])
    igbrt = make_run([2, 4], [[0.31, 0.32, 0.33], [0.41, 0.42, 0.43]], [0.1, 0.2], [8, 16])
    forest = make_run([3, 5], [[0.61, 0.62, 0.63], [0.51, 0.52, 0.53]], seconds=[60.0, 100.0])
    sizes = Sizes("s", (3, 5), n_rounds=4, n_rounds_from_forest=2, every=2, learning_rates=(0.1,))
    boosted = {(s, size): {0.1: gbrt if size == 0 else igbrt} for s in "RC" for size in (0, 3, 5)}
    results = results_of(boosted, forests={"R": forest, "C": forest})
    assert read_words(tables.write_table_1(results, sizes))[1:] == [
        "M_RF 0 3 5",
        "RMSE 0.23000 0.43000 0.43000",
        "ERR 0.21000 0.41000 0.41000",
        "NDCG 0.22000 0.42000 0.42000",
        "ERR, yahoo 0.61000 0.81000 0.81000",
        "NDCG, yahoo 0.62000 0.82000 0.82000",
        "chosen alpha 0.1 0.1 0.1",
        "chosen rounds 4 4 4",
    ]
    three = read_words(tables.write_table_3([results, results], sizes))
    assert [line for line in three if " C " in line] == [
        "GBRT C 0.21000 0.21000 0.21000",
        "RF C 0.51000 0.51000 0.51000",
        "iGBRT C 0.31000 0.31000 0.31000",
        "GBRT C 0.22000 0.22000 0.22000",
        "RF C 0.52000 0.52000 0.52000",
        "iGBRT C 0.32000 0.32000 0.32000",
        "GBRT C 0.61000 0.61000 0.61000",
        "RF C 0.91000 0.91000 0.91000",
        "iGBRT C 0.71000 0.71000 0.71000",
        "GBRT C 0.62000 0.62000 0.62000",
        "RF C 0.92000 0.92000 0.92000",
        "iGBRT C 0.72000 0.72000 0.72000",
        "GBRT C 0.1 / 4 0.1 / 4",
        "iGBRT C 0.1 / 2 0.1 / 2",
    ]
    other = replace(results, forests={"R": forest, "C": forest | {"test": forest["test"] + 0.3}})
    assert "RF C 0.51000 0.81000 0.66000" in read_words(tables.write_table_3([results, other], sizes))
    four = read_words(tables.write_table_4(results, sizes))
    assert {"RF 3 RF 5 GBRT 4 iGBRT 5/2", "C 60.0 100.0 2.0 108.0"} < {*four}  # the forest, and 8 s for two rounds


@pytest.mark.paper("iGBRT Table 2", at="write_table_2")
def test_table_2_tells_missing_from_zero(fold):
    assert tables.count_statistics(fold.train)["missing"] == pytest.approx(0.4, abs=0.01)  # of 20,000 draws
    data = LetorData(np.array([[0.0, np.nan, 2.0], [1.0, np.nan, np.nan]]), np.array([0, 1]), np.array([7, 7]), ())
    assert [*tables.count_statistics(data).values()] == [3, 2, 1, 2.0, 3 / 6, 4 / 6]
    lines = tables.write_table_2([results_of({})])
    assert [line.split()[-1] for line in lines[2:8]] == ["3", "30", "3", "10.000", "0.50000", "0.75000"]
    assert [line.split()[-1] for line in lines[8:]] == ["3", "30", "3", "10.000", "0.00000", "1.00000"]


def test_the_table_of_missing_values_has_a_row_per_method_and_metric():
    ways = [*enumerate(SUBSTITUTES)]
    compared = {(m, way): np.array([0.1, 0.2, 0.3]) + i + d for m, d in (("RF", 0), ("GBRT", 5)) for i, way in ways}
    lines = read_words(tables.write_missing(replace(results_of({}), missing=compared)))
    assert lines[1:3] == [" ".join(SUBSTITUTES), "RF ERR 0.10000 1.10000 2.10000 3.10000 4.10000 5.10000"]
    assert lines[6:] == [
        "GBRT NDCG 5.20000 6.20000 7.20000 8.20000 9.20000 10.20000",
        "GBRT RMSE 5.30000 6.30000 7.30000 8.30000 9.30000 10.30000",
    ]


@pytest.mark.paper("iGBRT Sec. 5", at="run_fold")
def test_table_1_and_figure_2_boost_as_long_as_gbrt(fold, data, tmp_path):
    """Of the fold that is shown, iGBRT (R) from every forest; elsewhere, iGBRT's own rounds from the largest."""
    sizes = replace(TINY, seed=3, max_depth=1)
    for shown in (True, False):
        results = reproduction.run_fold(fold, sizes, Reproduction(tmp_path, n_threads=1), shown)
        longest = {key: {int(run["steps"][-1]) for run in runs.values()} for key, runs in results.boosted.items()}
        from_forests = {("R", 2): {6}, ("R", 4): {6}} if shown else {("R", 4): {4}}
        assert longest == {("R", 0): {6}, ("C", 0): {6}, ("C", 4): {4}, **from_forests}
        # what is kept is what a run gives: from its own forest, in its own setting
        expected = compare_missing(data, sizes, CellStore(tmp_path / "other", fold, {}, "")) if shown else None
        np.testing.assert_equal(results.missing, expected)
        forest = run_forest(data, "R", sizes)
        assert results.forests["R"]["test"].tolist() == forest["test"].tolist()
        for size, place in ((2, 0), (4, 1)) if shown else ((4, 1),):
            run = run_boosting(data, "R", split_values(forest, place), range(2, 5, 2), 0.5, max_depth=1)
            assert results.boosted["R", size][0.5]["test"][:2].tolist() == run["test"].tolist()


def test_a_fold_whose_labels_are_all_equal_is_named(fold):
    same = replace(fold, train=replace(fold.train, y=np.zeros_like(fold.train.y)))
    with pytest.raises(ValueError, match=r"artificial 1: y is 0 in every training row: a ranker needs"):
        PreparedFold(same, 1)


def test_the_missing_value_comparison_is_that_of_the_estimators(fold, data, tmp_path):
    sizes = Sizes("s", (3, 9), 9, n_rounds_from_forest=4, every=2, seed=2)
    compared = compare_missing(data, sizes, CellStore(tmp_path, fold, {}, ""))
    X = {split: np.nan_to_num(getattr(fold, split).X) for split in ("train", "valid")}
    for way in SUBSTITUTES:
        common = {"missing": way, "missing_value": 0, "binning": "exact", "random_state": 2, "n_threads": 1}
        forest, gbrt = RandomForestRanker(n_trees=3, **common), GBRTRanker(n_rounds=4, **common)
        for method, ranker in (("RF", forest), ("GBRT", gbrt)):
            scores = ranker.fit(X["train"], fold.train.y).predict(X["valid"])
            assert compared[method, way].tolist() == metrics(fold.valid, scores, data)


@pytest.fixture
def two_sets(tmp_path, write_files):
    """Yahoo!'s names; Set 1 comes first."""
    names = [f"set{k}.{split}.txt" for k in (1, 2) for split in ("train", "valid", "test")]
    return write_files(tmp_path / "yahoo", names)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_folds_are_joblib_tasks(two_sets, tmp_path, backend):
    alone = reproduce(tmp_path / "one", two_sets)
    with joblib.parallel_config(backend, n_jobs=2):
        other = reproduce(tmp_path / "other", two_sets)
    assert other.split("iGBRT Table 4")[0] == alone.split("iGBRT Table 4")[0]  # which has seconds


@pytest.mark.paper("iGBRT Sec. 2", at="reproduce")
def test_set_2_is_shown_where_it_is_there(two_sets, tmp_path):
    """Sec. 2: the paper's Tables 1 and 4 and its figures are of Set 2, whichever set comes first."""
    text = reproduce(tmp_path / "both", two_sets)
    assert text.startswith(
        "sizes yahoo-tiny: forests of 2, 4 trees; 6 rounds of GBRT, 4 of iGBRT, measured every 2 rounds; "
    )
    # 6 of 24 documents do not list the third feature; a listed 0 would not be missing
    assert {"train: missing 0.08333 0.08333", "train: missing or 0 0.08333 0.08333"} < {*read_words(text.split("\n"))}
    for heading in ("test set of set2", "Table 2", "Table 3", "seconds on set2", "validation set of set2"):
        assert heading in text
    for path in two_sets.glob("set2.*"):
        path.unlink()
    assert "test set of set1" in reproduce(tmp_path / "one", two_sets)


def write_one_run(*sizes):
    """Tables 1 to 4 of a fold of these sizes, on which everything gave the same."""
    run, forest = make_run([2], [[0.11, 0.12, 0.13]], [0.1], [1.0]), make_run([5], [[0.5, 0.5, 0.5]], seconds=[100.0])
    boosted = {(s, size): {0.1: run} for s in "RC" for size in (0, 5)}
    result, other = (results_of(boosted, of, {"R": forest, "C": forest}) for of in (sizes, (3, 30, 30)))
    small = Sizes("s", (5,), n_rounds=2, n_rounds_from_forest=2, every=2, learning_rates=(0.1,))
    first, second = tables.write_table_1(result, small), tables.write_table_2([result])
    third, fourth = tables.write_table_3([other, result], small), tables.write_table_4(result, small)
    return ["\n".join(lines) for lines in (first, second, third, fourth)]


@pytest.mark.parametrize(
    ("sizes", "printed"),
    [
        ((700, 34815, 1), ["0.63097", "0.67399", "0.46246 0.77591", "10000/500"]),  # Set 2, of Tables 1 and 4 too
        ((700, 723412, 1), ["", "0.37228", "0.36232 0.48366", ""]),  # MSLR's Fold1
        ((700, 473134, 1), ["", "0.68178", "0.46360 0.79672", ""]),  # Set 1
        ((46, 9630, 2874), ["", "", "0.2928 0.4676", ""]),  # MQ2008's first fold, of which RankLib's forest is known
        ((46, 9404, 2874), ["", "", "", ""]),
    ],
)
def test_the_numbers_printed_of_the_data_stand_beside_ours(sizes, printed):
    """A training set of 34,815 documents is Yahoo!'s Set 2; the numbers are in the column of their fold."""
    every = "0.63097 0.67399 0.37228 0.68178 0.46246 0.77591 0.36232 0.48366 0.46360 0.79672 0.2928 0.4676 10000/500"
    texts = write_one_run(*sizes)
    assert [[number for number in every.split() if number in text] for text in texts] == [w.split() for w in printed]
    beside = [line for line in texts[2].split("\n") if line.startswith(("  paper", "RankLib"))]
    assert {len(line) for line in beside} <= {26 + 2 * 17}


def test_the_highest_grade_of_err_is_that_of_the_data_and_by_the_authors_4_at_least(fold):
    """It may be in any part. The authors' convention has grades up to 4; a collection may have more."""
    three = clip(fold, 2)
    for low, grades in ((three, (2, 4)), (replace(three, test=fold.test), (4, 4))):
        data = PreparedFold(low, 1)
        assert (data.convention.max_grade, data.other.max_grade) == grades
    five = replace(fold, test=replace(fold.test, y=np.where(fold.test.y == 4, 5, fold.test.y)))
    assert five.test.y.max() == 5
    data = PreparedFold(five, 1)
    assert (data.convention.max_grade, data.other.max_grade) == (5, 5)
    scores = rng_of(0).random(len(five.test.y))
    assert data.measure_scores("test", scores).metrics.tolist() == metrics(five.test, scores, data)
