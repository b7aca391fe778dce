"""`refrank reproduce cocr`: the printed sizes, each cell against the estimators, the tables' arithmetic, resuming."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from refrank.reproduce.cocr_cells import DIRECT, WAYS, Setting
from refrank.reproduce.cocr_printed import MAX_GRADE, SETS, YAHOO_DOCUMENTS
from refrank.reproduce.igbrt_printed import TABLE_2
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression

from refrank import COCRRanker, GBRTRanker, M5PRegressor
from refrank.cli import main
from refrank.cocr.costs import oerr
from refrank.datasets import LetorData, cubic_polynomial
from refrank.datasets.folds import Fold
from refrank.metrics import err, ndcg
from refrank.reproduce import cocr, cocr_cells, cocr_proxies
from refrank.reproduce.artificial import artificial_fold

TINY = Setting("tiny", n_rounds=3, max_depth=2, steps=(0.5,), min_instances=(4, 64, 999), bag_share=0.5, n_bags=2)


def fold(seed=0):
    train, valid, test = (
        cubic_polynomial(n, n_docs=20, n_features=4, random_state=3 * seed + i, n_reference=2**12)
        for i, n in enumerate((8, 4, 6))
    )
    return Fold(f"Fold{seed + 1}", train, valid, test)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Two folds, all cells: the text, the cells and the folder."""
    folder = tmp_path_factory.mktemp("cocr")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cocr, "FULL", TINY)
        patch.setattr(cocr, "load_folds", lambda path, unlabelled: iter([fold(0), fold(1)]))
        text = cocr.reproduce(folder / "data", folder)
    cells = {}
    for number in (0, 1):
        for name, way, arrays in cocr_cells.run_fold(TINY, fold(number), folder):
            cells.setdefault((name, way), []).append(arrays)
    return text, cells, folder


# --- what the paper prints of its data (docs/errata.md, COCR)


def test_the_settings_are_the_papers():
    assert cocr.FULL.min_instances == (4, 256, 512, 1024, 2048)
    assert (cocr.FULL.n_rounds, cocr.FULL.max_depth, cocr.FULL.steps) == (1000, 4, (0.1, 0.05, 0.02))
    assert cocr.FULL.bag_share == 0.1
    assert MAX_GRADE == 4


def test_printed_sizes_against_igbrts_table_2():
    """Sec. 5.1 agrees with iGBRT but for LTRC2's 4,815 training documents: a lost digit, 34,815."""
    ltrc1, ltrc2, ms10k, ms30k = SETS
    train, test = TABLE_2["train"], TABLE_2["test"]
    assert (ltrc1.n_queries[0], ltrc1.n_queries[2]) == (train["queries"][0], test["queries"][0])
    assert (ltrc1.n_documents[0], ltrc1.n_documents[2]) == (train["documents"][0], test["documents"][0])
    assert (ltrc2.n_queries[0], ltrc2.n_queries[2]) == (train["queries"][1], test["queries"][1])
    assert ltrc2.n_documents[2] == test["documents"][1]
    assert train["documents"][1] - ltrc2.n_documents[0] == 30_000
    assert sum(ltrc1.n_documents) == YAHOO_DOCUMENTS[0]
    assert YAHOO_DOCUMENTS[1] - sum(ltrc2.n_documents) == 30_000
    per_query = [n / q for n, q in zip(ltrc2.n_documents, ltrc2.n_queries, strict=True)]
    assert [round(value, 1) for value in per_query] == [3.8, 27.6, 27.2]
    # a document of MSLR is in the training part of three folds, and in the test part of one
    assert sum(train["documents"][2:]) == 3 * ms10k.n_documents[0]
    assert sum(test["documents"][2:]) == 1_200_192 == ms10k.n_documents[0]
    assert sum(train["queries"][2:]) == 3 * ms10k.n_queries[0]
    assert round(ms10k.n_documents[0] / ms10k.n_queries[0], 1) == 120.0
    assert round(ms30k.n_documents[0] / ms30k.n_queries[0], 1) == 119.6


def test_absolute_costs_over_least_squares_are_direct_regression():
    """docs/errata.md, COCR Sec. 5.3: least squares is linear in its target, and sum_k [y >= k] = y."""
    data = cocr_cells.unit_interval(fold()).train
    ranker = COCRRanker(LinearRegression(), cost="absolute").fit(data.X, data.y)
    direct = LinearRegression().fit(data.X, data.y)
    # float64 least squares of 160 rows: rounding
    np.testing.assert_allclose(ranker.predict(data.X), direct.predict(data.X), atol=1e-12)
    assert (
        np.abs(
            COCRRanker(LinearRegression(), cost="squared").fit(data.X, data.y).predict(data.X) - direct.predict(data.X)
        ).max()
        > 0.01
    )


# --- cells


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("linear", LinearRegression()),
        ("m5p-64", M5PRegressor(min_instances=64)),
        ("gbrt-0.5", GBRTRanker(n_rounds=3, max_depth=2, learning_rate=0.5)),
    ],
)
def test_a_cell_is_the_ranker_measured(ran, name, base):
    _, cells, _ = ran
    scaled = cocr_cells.unit_interval(fold(0))
    train, test = scaled.train, scaled.test
    for way in WAYS:
        ranker = base if way == DIRECT else COCRRanker(base, cost=way, n_classes=5)
        scores = ranker.fit(train.X, train.y).predict(test.X)
        found = cells[name, way][0]
        assert found["test_err"].tolist() == err(test.y, scores, test.qid, max_grade=4, per_query=True).tolist()
        assert found["test_ndcg"].tolist() == ndcg(test.y, scores, test.qid, 10, per_query=True).tolist()
        grades = np.clip(np.rint(scores), 0, 4) if way == DIRECT else ranker.predict_rank(test.X)
        by_row = oerr(test.y, 4)[np.arange(len(grades)), grades.astype(int)]
        assert found["cost_oerr"].tolist() == [by_row[test.qid == q].sum() for q in dict.fromkeys(test.qid.tolist())]
        assert found["ideal_err"].tolist() == err(test.y, test.y, test.qid, max_grade=4, per_query=True).tolist()


def test_features_are_scaled_by_the_training_rows():
    scaled = cocr_cells.unit_interval(fold())
    assert scaled.train.X.min(axis=0) == pytest.approx([0.0] * 4, abs=1e-15)  # x / range - min / range
    assert scaled.train.X.max(axis=0) == pytest.approx([1.0] * 4, abs=1e-15)  # MinMaxScaler multiplies by 1 / range
    assert scaled.test.X.min() < 0 or scaled.test.X.max() > 1


def test_an_m_above_the_rows_has_no_cell(ran):
    _, cells, _ = ran
    assert [name for name, way in cells if way == DIRECT] == ["linear", "m5p-4", "m5p-64", "gbrt-0.5", "bagging"]
    assert [n for n in (63, 64) if "m5p-64" in cocr_cells.bases(TINY, n)] == [64]


def test_bagging_after_each_round_is_bagging_with_so_many_rounds(ran):
    from sklearn.ensemble import BaggingRegressor

    _, cells, _ = ran
    scaled = cocr_cells.unit_interval(fold(0))
    assert len(cells["bagging", "oerr"][0]["test_err"]) == 2
    assert len(cells["bagging", DIRECT][0]["test_err"]) == 2 * 4  # T K, for Fig. 2b
    for way, rounds in (("oerr", 2), (DIRECT, 8)):
        base = BaggingRegressor(M5PRegressor(), max_samples=0.5, n_estimators=rounds, random_state=0)
        ranker = base if way == DIRECT else COCRRanker(base, cost=way, n_classes=5)
        ranker.fit(scaled.train.X, scaled.train.y)
        expected = err(scaled.test.y, ranker.predict(scaled.test.X), scaled.test.qid, max_grade=4, per_query=True)
        # sums against means of trees: where two rows tie to the last bit, the order may differ; here none does
        assert cells["bagging", way][0]["test_err"][-1].tolist() == expected.tolist()


def test_threads_are_those_of_the_boosters():
    made = cocr_cells.bases(TINY, 200, n_threads=3)
    assert [name for name, base in made.items() if getattr(base, "n_threads", None) == 3] == ["gbrt-0.5"]


def test_finished_cells_are_not_computed_again(ran, monkeypatch):
    _, _, folder = ran
    for name in ("run_cell", "run_bagging"):
        monkeypatch.setattr(cocr_cells, name, lambda *_: pytest.fail("computed again"))
    assert len(list(cocr_cells.run_fold(TINY, fold(0), folder))) == 5 * len(WAYS)


def test_other_data_or_another_setting_make_other_cells(monkeypatch, tmp_path):
    computed = []
    for name in ("run_cell", "run_bagging"):
        monkeypatch.setattr(cocr_cells, name, lambda *_: computed.append(1) or {"a": np.zeros(1)})

    def n_computed(setting, data):
        computed.clear()
        assert len(list(cocr_cells.run_fold(setting, data, tmp_path))) == 5 * len(WAYS)
        return len(computed)

    other = fold(0)
    other.train.y[0] = 4 - other.train.y[0]
    assert n_computed(TINY, fold(0)) == 20
    assert n_computed(TINY, fold(0)) == 0
    assert n_computed(TINY, other) == 20
    assert n_computed(replace(TINY, n_rounds=4), other) == 20


def test_the_highest_grade_is_that_of_all_three_parts(monkeypatch, tmp_path):
    seen = []
    monkeypatch.setattr(cocr_cells, "run_cell", lambda base, data, max_grade, way: seen.append(max_grade) or {})
    data = fold()
    for part, top in ((data.train, 2), (data.valid, 3), (data.test, 1)):
        np.clip(part.y, 0, top, out=part.y)
        part.y[:2] = [0, top]
    next(cocr_cells.run_fold(TINY, data, tmp_path))
    assert seen == [3]


class FirstFeature(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0]


def test_direct_regression_has_the_nearest_grade_for_its_costs():
    scores = np.array([-3.0, -0.6, 0.4, 0.6, 2.5, 3.5, 3.6, 4.4, 9.0])
    part = LetorData(scores[:, None], np.zeros(9, np.int64), np.arange(9), ("",) * 9)
    found = cocr_cells.run_cell(FirstFeature(), Fold("f", part, part, part), 4, DIRECT)
    assert found["cost_absolute"].tolist() == [0, 0, 0, 1, 2, 4, 4, 4, 4]  # halves go to the even grade


# --- tables


def test_the_text_holds_means_tests_and_claims(ran):
    text, cells, folder = ran
    columns = {way: np.concatenate([arrays["test_err"] for arrays in cells["linear", way]]) for way in WAYS}
    p = stats.ttest_rel(columns["oerr"], columns[DIRECT]).pvalue
    mark = "" if p >= 0.05 else "*" if columns["oerr"].mean() > columns[DIRECT].mean() else "-"
    line = next(line for line in text.splitlines() if line.startswith("  ERR"))
    assert line.split()[1] == f"{columns[DIRECT].mean():.4f}"
    assert line.endswith(f"{columns['oerr'].mean():.4f}{mark} ({p:.2g})")
    against = stats.ttest_rel(columns["oerr"], columns["squared"]).pvalue
    assert f"squared {against:.2g}" in next(line for line in text.splitlines() if "(a) linear" in line)
    assert "claim 1" in text
    assert (folder / "tables-tiny.txt").read_text() == text + "\n"
    for name in ("figure1", "figure2", "proxies"):
        assert (folder / f"{name}-tiny.png").read_bytes().startswith(b"\x89PNG")


def test_m_is_chosen_by_the_validation_err_of_each_fold(ran):
    text, cells, _ = ran
    for way in WAYS:
        chosen = cocr.choose(cells, TINY, way)
        for number, m in enumerate(chosen):
            means = {g: cells[f"m5p-{g}", way][number]["valid_err"].mean() for g in (4, 64)}
            assert means[m] == max(means.values())
        expected = np.concatenate([cells[f"m5p-{m}", way][i]["test_err"] for i, m in enumerate(chosen)])
        assert cocr.picked(cells, chosen, way, "test_err").tolist() == expected.tolist()
    below_validation = [
        f"{cocr.picked(cells, cocr.choose(cells, TINY, way), way, 'test_err').mean():.4f}" for way in WAYS
    ]
    (line,) = (line for line in text.splitlines() if "test, M chosen" in line)
    assert line.split()[3:] == below_validation


def test_verdicts():
    rng = np.random.default_rng(0)
    low = rng.random(200)
    assert cocr.verdict(low + 0.1 + 0.01 * rng.random(200), low) == "yes*"
    assert cocr.verdict(low, low + 0.1 + 0.01 * rng.random(200)) == "no*"
    assert cocr.verdict(low, low) == "equal"
    noise = rng.normal(0, 1, 200)
    assert cocr.verdict(low + noise - noise.mean() + 1e-3, low) == "yes"


def test_marks_say_which_way_a_significant_difference_goes():
    noise = np.random.default_rng(0).random((4, 200)) / 100
    columns = dict(zip(WAYS, noise + np.array([[0.5], [0.6], [0.4], [0.5]]), strict=True))
    (line,) = cocr.rows({"err": columns})
    assert re.findall(r"0\.\d{4}([*-]?) \(", line) == ["*", "-", ""]


def test_costs_are_added_up_by_query_whatever_the_order_of_rows():
    rows = LetorData(np.zeros((4, 1)), np.array([0, 2, 1, 2]), np.array([7, 8, 7, 8]), ("",) * 4)
    sums = cocr_cells.cost_sums(rows, np.array([1, 2, 2, 0]), max_grade=2)
    assert (sums["cost_absolute"].tolist(), sums["cost_oerr"].tolist()) == ([2, 2], [5, 9])


def test_proxies_correlate_cost_and_error_of_queries_with_a_relevant_document():
    arrays = {
        "cost_oerr": np.array([1.0, 5.0, 9.0, 100.0]),
        "ideal_err": np.array([0.5, 0.5, 0.5, 0.0]),
        "test_err": np.array([0.4, 0.3, 0.1, 0.0]),
    }
    assert cocr_proxies.correlation([arrays], "err", "oerr") == pytest.approx(1.0)
    worse = arrays | {"test_err": np.array([0.1, 0.3, 0.4, 0.0])}
    assert cocr_proxies.correlation([worse], "err", "oerr") == pytest.approx(-1.0)


# --- the command


def test_the_command(monkeypatch, capsys, tmp_path):
    calls = []
    monkeypatch.setattr(cocr, "reproduce", lambda *given: calls.append(given) or "the text")
    assert main(["reproduce", "cocr", "--out", str(tmp_path)]) == 0
    assert main(["reproduce", "cocr", "--out", str(tmp_path), "--data", "folds"]) == 0
    assert main(["reproduce", "cocr", "--out", str(tmp_path), "--data", "folds", "--unlabelled", "zero"]) == 0
    assert main(["reproduce", "cocr", "--out", str(tmp_path), "--n-threads", "3"]) == 0
    assert calls == [
        (None, tmp_path / "cocr", None, "error"),
        (Path("folds"), tmp_path / "cocr", None, "error"),
        (Path("folds"), tmp_path / "cocr", None, "zero"),
        (None, tmp_path / "cocr", 3, "error"),
    ]
    assert capsys.readouterr().out == "the text\n" * 4
    assert main(["reproduce", "cocr", "--full"]) == 2
    assert main(["reproduce", "cocr", "--studies"]) == 2


def test_the_artificial_fold_is_of_one_polynomial_and_three_draws():
    made = artificial_fold("artificial", cocr.SMALL_QUERIES, seed=0)
    assert [len(np.unique(part.qid)) for part in (made.train, made.valid, made.test)] == [100, 50, 200]
    assert isinstance(made.train, LetorData)
    assert not np.array_equal(made.train.X[:100], made.valid.X[:100])
