"""`refrank reproduce igbrt`: runs against the estimators, tables, figures, cells, the whole command."""

from dataclasses import replace

import joblib
import numpy as np
import pytest

from refrank import GBRTRanker, IGBRTRanker, RandomForestRanker
from refrank.cli import main
from refrank.datasets import LetorData
from refrank.igbrt.missing_values import SUBSTITUTES
from refrank.metrics import err, ndcg, rmse
from refrank.reproduce.artificial import make_artificial_fold, remove_features
from refrank.reproduce.cells import CellStore
from refrank.reproduce.igbrt import reproduction, runs
from refrank.reproduce.igbrt.reproduction import draw_figures, draw_traces
from refrank.reproduce.igbrt.runs import PreparedFold, Sizes, compare_missing, run_boosting, run_forest
from refrank.reproduce.igbrt.tables import (
    STATISTICS,
    FoldResults,
    count_statistics,
    write_missing,
    write_table_1,
    write_table_2,
    write_table_3,
    write_table_4,
)
from refrank.reproduce.run import Run

TINY = Sizes("tiny", (2, 4), 6, 4, 2, (0.1, 0.5), n_queries=(8, 4, 5))
SPLITS = ("train", "valid", "test")


@pytest.fixture(scope="module")
def fold():
    return remove_features(make_artificial_fold((8, 4, 5), seed=1), 0.4)


def split_values(forest, place):
    """What a forest of one of its sizes predicts, which boosting starts from."""
    return {split: forest[f"values_{split}"][place] for split in SPLITS}


def reproduce(folder, data=None, sizes=TINY):
    return reproduction.reproduce(sizes, Run(folder, data, n_threads=1))


def metrics(data, scores, convention) -> list[float]:
    found = err(data.y, scores, data.qid, None, convention), ndcg(data.y, scores, data.qid, 10, convention)
    return [*found, rmse(data.y, scores)]


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
    common = {"setting": setting, "random_state": 3, "n_threads": 1}
    assert forest["steps"].tolist() == [2, 5]
    for place, n in enumerate((2, 5)):
        ranker = RandomForestRanker(n_trees=n, **common).fit(X["train"], fold.train.y)
        for split in ("valid", "test"):
            expected = metrics(getattr(fold, split), ranker.predict(X[split]), data.convention)
            assert forest[split][place].tolist() == expected
    for start, ranker in (
        (data.make_zeros(short), GBRTRanker(n_rounds=6, learning_rate=0.3, **common)),
        (split_values(forest, 1), IGBRTRanker(n_trees=5, n_rounds=6, learning_rate=0.3, **common)),
    ):
        run = run_boosting(data, short, start, 6, 0.3, every=2)
        assert run["steps"].tolist() == [2, 4, 6]
        staged = list(ranker.fit(X["train"], fold.train.y).staged_predict(X["test"]))
        expected = [metrics(fold.test, staged[m - 1], data.convention) for m in (2, 4, 6)]
        assert run["test"].tolist() == expected


def test_seconds_are_of_training_alone(fold, monkeypatch):
    """A clock that goes on by one at each look, and by 1,000 at each measurement."""
    time = [0.0]

    def tick(step=1.0):
        time[0] += step
        return time[0]

    monkeypatch.setattr(runs, "perf_counter", tick)
    monkeypatch.setattr(PreparedFold, "measure", lambda *_: (tick(1000.0), 0.0, 0.0))
    data = PreparedFold(fold, 1)
    assert run_boosting(data, "R", data.make_zeros("R"), 6, 0.3, every=2)["seconds"].tolist() == [1, 2, 3]
    # problem after problem: its first look, one for two trees, one for four
    assert run_forest(data, "C", TINY)["seconds"].tolist() == [4 * 1, 4 * 2]


def test_err_takes_the_highest_label_of_the_data(fold):
    three = clip(fold, 2)
    assert PreparedFold(replace(three, test=fold.test), 1).convention.max_grade == 4  # wherever it is
    assert PreparedFold(three, 1).convention.max_grade == 2


def boost_run(rounds, valid_err, test_metrics, seconds=()):
    """A run that never was."""
    valid = np.column_stack([valid_err, np.zeros(len(rounds)), np.zeros(len(rounds))])
    test = np.array(test_metrics, float)
    return {"steps": np.array(rounds), "valid": valid, "test": test, "seconds": np.array(seconds)}


def forest_run(sizes, test, seconds=None):
    """A forest that never was."""
    return {"steps": np.array(sizes), "test": np.array(test, float), "seconds": np.array(seconds)}


def results_of(boosted, name="Fold1", sizes=None, forests=None) -> FoldResults:
    """What a fold gives, with sizes of one's own: features, documents of the training and of the test set."""
    n_features, n_train, n_test = sizes or (3, 30, 30)
    train, test = (n_features, n_train, 3, n_train / 3, 0.5, 0.75), (n_features, n_test, 3, n_test / 3, 0.0, 1.0)
    counted = {part: dict(zip(STATISTICS, of, strict=True)) for part, of in (("train", train), ("test", test))}
    return FoldResults(name, "", counted, forests or {"R": None}, boosted)


def split_words(lines):
    return [line.split() for line in lines]


@pytest.mark.paper("iGBRT Sec. 7", at="choose")
def test_the_validation_set_chooses():
    """The largest validation ERR; of equal ones the smaller rate, then fewer rounds; the test set is only read."""
    flat = boost_run([2, 4], [0.2, 0.2], [[1, 2, 3], [4, 5, 6]])
    peak = boost_run([2, 4], [0.1, 0.3], [[7, 8, 9], [0, 1, 2]])

    def chosen(runs, at_most=4):
        found = results_of({("R", 0): runs}).choose("R", 0, at_most)
        return found.metrics.tolist(), found.n_rounds, found.learning_rate

    assert chosen({0.5: flat, 0.1: flat}) == ([1, 2, 3], 2, 0.1)
    assert chosen({0.1: flat, 0.5: peak}) == ([0, 1, 2], 4, 0.5)
    assert chosen({0.1: flat, 0.5: peak}, at_most=3) == ([1, 2, 3], 2, 0.1)  # round 4 is not asked


def test_table_3_keeps_to_the_rounds_of_igbrt_and_table_1_does_not():
    """Sec. 5: up to M_B = 1000; Sec. 7: M_B = 500 for iGBRT. Here 4 and 2, and validation prefers the fourth round."""
    gbrt = boost_run([2, 4], [0.1, 0.2], [[0.11, 0.12, 0.13], [0.21, 0.22, 0.23]], [1, 2])
    igbrt_run = boost_run([2, 4], [0.1, 0.2], [[0.31, 0.32, 0.33], [0.41, 0.42, 0.43]], [8, 16])
    forest = forest_run((3, 5), [[0.61, 0.62, 0.63], [0.51, 0.52, 0.53]], [60.0, 100.0])
    sizes = Sizes("s", (3, 5), n_rounds=4, n_rounds_from_forest=2, every=2, learning_rates=(0.1,))
    boosted = {(s, size): {0.1: gbrt if size == 0 else igbrt_run} for s in "RC" for size in (0, 3, 5)}
    results = results_of(boosted, forests={"R": forest, "C": forest})
    one = split_words(write_table_1(results, sizes))
    for row in ("M_RF 0 3 5", "ERR 0.21000 0.41000 0.41000", "NDCG 0.22000 0.42000 0.42000", "chosen rounds 4 4 4"):
        assert row.split() in one
    assert ["RMSE", "0.23000", "0.43000", "0.43000"] in one
    three = [words for words in split_words(write_table_3([results, results], sizes)) if words[1:2] == ["C"]]
    assert [" ".join(words) for words in three] == [
        "GBRT C 0.21000 0.21000 0.21000",
        "RF C 0.51000 0.51000 0.51000",
        "iGBRT C 0.31000 0.31000 0.31000",
        "GBRT C 0.22000 0.22000 0.22000",
        "RF C 0.52000 0.52000 0.52000",
        "iGBRT C 0.32000 0.32000 0.32000",
        "GBRT C 0.1 / 4 0.1 / 4",
        "iGBRT C 0.1 / 2 0.1 / 2",
    ]
    other = replace(results, forests={"R": forest, "C": forest | {"test": forest["test"] + 0.3}})
    assert ["RF", "C", "0.51000", "0.81000", "0.66000"] in split_words(write_table_3([results, other], sizes))
    four = split_words(write_table_4(results, sizes))
    assert ["RF", "3", "RF", "5", "GBRT", "4", "iGBRT", "5/2"] in four
    assert ["C", "60.0", "100.0", "2.0", "108.0"] in four  # the forest, and eight seconds for two rounds


def test_the_statistics_of_table_2():
    data = LetorData(np.array([[0.0, np.nan, 2.0], [1.0, np.nan, np.nan]]), np.array([0, 1]), np.array([7, 7]), ())
    assert [*count_statistics(data).values()] == [3, 2, 1, 2.0, 3 / 6, 4 / 6]


@pytest.mark.paper("iGBRT Sec. 5", at="run_fold")
def test_table_1_and_figure_2_boost_as_long_as_gbrt(fold, tmp_path):
    """Of the fold that is shown, iGBRT (R) from every forest; elsewhere, iGBRT's own rounds from the largest."""
    sizes = replace(TINY, seed=3)
    for shown in (True, False):
        results = reproduction.run_fold(fold, sizes, Run(tmp_path, n_threads=1), shown)
        longest = {key: {int(run["steps"][-1]) for run in runs.values()} for key, runs in results.boosted.items()}
        from_forests = {("R", 2): {6}, ("R", 4): {6}} if shown else {("R", 4): {4}}
        assert longest == {("R", 0): {6}, ("C", 0): {6}, ("C", 4): {4}, **from_forests}
        # what is kept is what a run gives: from its own forest, in its own setting
        data = PreparedFold(fold, 1)
        if shown:
            expected = compare_missing(data, sizes, CellStore(tmp_path / "other", fold, {}, ""))
            assert {k: v.tolist() for k, v in results.missing.items()} == {k: v.tolist() for k, v in expected.items()}
        else:
            assert results.missing is None
        forest = run_forest(data, "R", sizes)
        assert results.forests["R"]["test"].tolist() == forest["test"].tolist()
        for size, place in ((2, 0), (4, 1)) if shown else ((4, 1),):
            run = run_boosting(data, "R", split_values(forest, place), 4, 0.5, every=2)
            assert results.boosted["R", size][0.5]["test"][:2].tolist() == run["test"].tolist()


def test_a_fold_whose_labels_are_all_equal_is_named(fold):
    same = replace(fold, train=replace(fold.train, y=np.zeros_like(fold.train.y)))
    with pytest.raises(ValueError, match=r"artificial 1: y is 0 in every training row: a ranker needs"):
        PreparedFold(same, 1)


@pytest.mark.parametrize("way", SUBSTITUTES)
def test_the_missing_value_comparison_is_that_of_the_estimators(fold, way, tmp_path):
    data, sizes = PreparedFold(fold, 1), Sizes("s", (3, 9), 9, n_rounds_from_forest=4, every=2, seed=2)
    found = compare_missing(data, sizes, CellStore(tmp_path, fold, {}, ""))
    X = {split: np.nan_to_num(getattr(fold, split).X) for split in ("train", "valid")}
    common = {"missing": way, "missing_value": 0, "random_state": 2, "n_threads": 1}
    for method, ranker in (("RF", RandomForestRanker(n_trees=3, **common)), ("GBRT", GBRTRanker(n_rounds=4, **common))):
        scores = ranker.fit(X["train"], fold.train.y).predict(X["valid"])
        assert found[method, way].tolist() == metrics(fold.valid, scores, data.convention)


def test_the_lines_of_a_figure(drawn, tmp_path):
    runs = {
        0.1: boost_run([2, 4, 6], [0] * 3, [[-3.0, 0.2, 9.0], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]]),
        0.5: boost_run([2, 4, 6], [0] * 3, [[0.95, 0.12, 0.13], [0.14, 0.15, 0.16], [0.17, 0.18, 0.19]]),
    }
    forest = np.array([0.3, 0.35, 0.65])
    draw_traces(runs, forest, "title", tmp_path / "figure.png", n_far_off=1)
    for panel, column in zip(drawn[0].axes, (2, 0, 1), strict=True):  # RMSE, ERR, NDCG
        *traces, line = panel.get_lines()
        for trace, run in zip(traces, runs.values(), strict=True):
            assert trace.get_xdata().tolist() == run["steps"].tolist()
            assert trace.get_ydata().tolist() == run["test"][:, column].tolist()
        assert set(line.get_ydata()) == {forest[column]}
    # of the first round, 9.0 (RMSE) and -3.0 (ERR) are far off; its best, 0.95 (ERR), is seen
    assert [panel.get_ylim()[1] > 9 for panel in drawn[0].axes] == [False] * 3
    low, high = drawn[0].axes[1].get_ylim()
    assert -3 < low < 0.14 < 0.95 < high
    draw_traces(runs, forest, "title", tmp_path / "figure.png", n_far_off=0)
    assert drawn[1].axes[0].get_ylim()[1] > 9


def test_figures_1_and_2_are_of_gbrt_and_igbrt_against_the_largest_forest(monkeypatch, tmp_path):
    shown = []
    monkeypatch.setattr(
        reproduction, "draw_traces", lambda runs, forest, _, path, n: shown.append((runs, forest, path, n))
    )
    runs = {(s, size): {0.1: (s, size)} for s in "RC" for size in (0, 2, 4)}
    forests = {s: {"test": np.arange(6.0).reshape(2, 3) + 10 * (s == "C")} for s in "RC"}
    lines = [*draw_figures(results_of(runs, forests=forests), replace(TINY, n_rounds=80), Run(tmp_path))]
    paths = [tmp_path / f"figure{number}-tiny.png" for number in (1, 2)]
    assert lines == [f"Figure {number}: {path}" for number, path in enumerate(paths, start=1)]
    assert [(runs, forest.tolist(), path, n_far_off) for runs, forest, path, n_far_off in shown] == [
        ({0.1: ("R", 0)}, [3, 4, 5], paths[0], 5),
        ({0.1: ("R", 4)}, [3, 4, 5], paths[1], 0),
    ]


def test_table_2_tells_missing_from_zero_and_averages_are_means():
    lines = split_words(write_table_2([results_of({})]))
    assert [line[-1] for line in lines if line[0] == "train:"] == ["3", "30", "3", "10.000", "0.50000", "0.75000"]
    assert [line[-1] for line in lines if line[0] == "test:"] == ["3", "30", "3", "10.000", "0.00000", "1.00000"]


def test_the_table_of_missing_values_has_a_row_a_method_and_metric():
    ways = [*enumerate(SUBSTITUTES)]
    found = {(m, way): np.array([0.1, 0.2, 0.3]) + i + d for m, d in (("RF", 0), ("GBRT", 5)) for i, way in ways}
    lines = split_words(write_missing(replace(results_of({}), missing=found)))
    assert lines[1] == list(SUBSTITUTES)
    assert lines[2] == ["RF", "ERR", *(f"{i}.10000" for i in range(5))]
    assert lines[6] == ["GBRT", "NDCG", *(f"{i}.20000" for i in range(5, 10))]
    assert lines[7] == ["GBRT", "RMSE", *(f"{i}.30000" for i in range(5, 10))]


def without_seconds(text: str) -> str:
    return text.split("iGBRT Table 4")[0]


def test_the_whole_run_and_its_cells(tmp_path):
    text = reproduce(tmp_path)
    assert text.startswith("sizes tiny: forests of 2, 4 trees; 6 rounds of GBRT, 4 of iGBRT, measured every 2 rounds; ")
    for heading in ("Table 1", "Table 2", "Table 3: ERR", "Table 3: NDCG", "Table 4", "missing features", "Figure 2"):
        assert heading in text
    cells = sorted(path.name for path in tmp_path.glob("*.npz"))
    assert len(cells) == 2 + 2 * 3 + 2 * 2 + 10  # forests; R from 0, 2, 4 and C from 0, 4 at two rates; missing values


def test_a_feature_that_no_line_lists_is_missing_and_one_that_is_0_is_not(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(reproduction, "SMALL", TINY)
    rng = np.random.default_rng(0)
    for split in ("train", "vali", "test"):  # of three features, one is 0 and one is not listed
        rows = [f"{i % 3} qid:{i // 5} 1:{rng.normal() + i % 3:.6f} 2:0 # d\n" for i in range(30)]
        (tmp_path / f"{split}.txt").write_text("".join([*rows[:-1], rows[-1].replace("#", "3:1 #")]))
    assert main(["reproduce", "igbrt", "--data", str(tmp_path), "--out", str(tmp_path), "--n-threads", "1"]) == 0
    told = [line.split()[-1] for line in capsys.readouterr().out.split("\n") if line.startswith("train: missing")]
    assert told == [f"{29 / 90:.5f}", f"{59 / 90:.5f}"]


@pytest.fixture
def two_sets(tmp_path, write_files):
    """Yahoo!'s names; Set 1 comes first."""
    names = [f"set{k}.{split}.txt" for k in (1, 2) for split in ("train", "valid", "test")]
    return write_files(tmp_path / "yahoo", names)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_folds_are_joblib_tasks(two_sets, tmp_path, backend):
    one = reproduce(tmp_path / "one", two_sets)
    with joblib.parallel_config(backend, n_jobs=2):
        other = reproduce(tmp_path / "other", two_sets)
    assert without_seconds(other) == without_seconds(one)


@pytest.mark.paper("iGBRT Sec. 2", at="reproduce")
def test_set_2_is_shown_where_it_is_there(two_sets, tmp_path):
    """Sec. 2: the paper's Tables 1 and 4 and its figures are of Set 2, whichever set comes first."""
    text = reproduce(tmp_path / "both", two_sets)
    for heading in ("test set of set2", "seconds on set2", "validation set of set2"):
        assert heading in text
    for path in two_sets.glob("set2.*"):
        path.unlink()
    assert "test set of set1" in reproduce(tmp_path / "one", two_sets)


ONE = Sizes("s", (5,), n_rounds=2, n_rounds_from_forest=2, every=2, learning_rates=(0.1,))


def one_run_each(**sizes):
    """A fold on which everything gave the same."""
    run, forest = boost_run([2], [0.1], [[0.11, 0.12, 0.13]], [1.0]), forest_run((5,), [[0.5, 0.5, 0.5]], [100.0])
    boosted = {(s, size): {0.1: run} for s in "RC" for size in (0, 5)}
    return results_of(boosted, forests={"R": forest, "C": forest}, **sizes)


def test_the_paper_s_numbers_stand_beside_its_own_data():
    """A training set of 34,815 documents is Yahoo's Set 2, of which Tables 1 and 4 are; 723,412 are MSLR's Fold1."""
    for documents, column in ((34815, 1), (723412, 2), (473134, 0), (9630, None)):
        result = one_run_each(sizes=(700, documents, 1))
        assert result.find_printed_column() == column
        is_set_2 = column == 1
        assert ("0.67399" in "".join(write_table_2([result]))) == is_set_2
        assert ("0.63097" in "".join(write_table_1(result, ONE))) == is_set_2
        assert ("10000/500" in "".join(write_table_4(result, ONE))) == is_set_2
        three = "".join(write_table_3([result], ONE))
        assert all((text in three) == is_set_2 for text in ("0.46246", "0.77591"))  # iGBRT (C) of Set 2
        assert ("0.36232" in three) == (column == 2)


def test_ranklib_s_forest_stands_beside_mq2008_s_first_fold():
    first, second = (one_run_each(sizes=(46, n, 2874)) for n in (9630, 9404))
    three = write_table_3([second, first], ONE)
    assert [line.split()[-1] for line in three if line.startswith("RankLib")] == ["0.2928", "0.4676"]
    assert all(len(line) == 26 + 2 * 17 for line in three if line.startswith("RankLib"))  # in the second column
    assert "RankLib" not in "".join(write_table_3([second], ONE))
