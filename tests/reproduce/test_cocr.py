"""`refrank reproduce cocr`: the printed sizes, each cell against the estimators, the tables' arithmetic, resuming."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression

from refrank import COCRRanker, GBRTRanker, M5PRegressor
from refrank.cocr import user_costs
from refrank.cocr.costs import oerr
from refrank.datasets import LetorData, cubic_polynomial
from refrank.datasets.folds import Fold
from refrank.metrics import err, ndcg
from refrank.reproduce.artificial import make_artificial_fold
from refrank.reproduce.cocr.printed import MAX_GRADE, SETS, YAHOO_DOCUMENTS
from refrank.reproduce.cocr.proxies import correlate_ranks, join_folds
from refrank.reproduce.cocr.rankers import WAYS, ScaledFold, Setting, run_fold
from refrank.reproduce.cocr.reproduction import FULL, SMALL, reproduce
from refrank.reproduce.cocr.tables import Results, compare_ways, judge
from refrank.reproduce.igbrt.printed import TABLE_2
from refrank.reproduce.run import Run

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
        patch.setattr(Run, "load", lambda run: iter([fold(0), fold(1)]))
        text = reproduce(TINY, Run(folder, folder / "data"))
    cells = {}
    for number in (0, 1):
        for name, way, arrays in run_fold(TINY, fold(number), Run(folder)):
            cells.setdefault((name, way), []).append(arrays)
    return text, cells, folder


# --- what the paper prints of its data (docs/errata.md, COCR)


@pytest.mark.paper("COCR Sec. 5.4", "COCR Sec. 5.5", "COCR Sec. 5.6", at="Setting")
def test_the_settings_are_the_papers():
    assert FULL.min_instances == (4, 256, 512, 1024, 2048)
    assert (FULL.n_rounds, FULL.max_depth, FULL.steps) == (1000, 4, (0.1, 0.05, 0.02))
    assert FULL.bag_share == 0.1
    assert MAX_GRADE == 4


@pytest.mark.paper("COCR Sec. 5.1", at="SETS")
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
    data = ScaledFold(fold()).train
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
    scaled = ScaledFold(fold(0))
    train, test = scaled.train, scaled.test
    for way in WAYS:
        ranker = base if way == "direct" else COCRRanker(base, cost=way, n_classes=5)
        scores = ranker.fit(train.X, train.y).predict(test.X)
        found = cells[name, way][0]
        assert found["test_err"].tolist() == err(test.y, scores, test.qid, max_grade=4, per_query=True).tolist()
        assert found["test_ndcg"].tolist() == ndcg(test.y, scores, test.qid, 10, per_query=True).tolist()
        grades = np.clip(np.rint(scores), 0, 4) if way == "direct" else ranker.predict_rank(test.X)
        by_row = oerr(test.y, 4)[np.arange(len(grades)), grades.astype(int)]
        assert found["cost_oerr"].tolist() == [by_row[test.qid == q].sum() for q in dict.fromkeys(test.qid.tolist())]
        assert found["ideal_err"].tolist() == err(test.y, test.y, test.qid, max_grade=4, per_query=True).tolist()


@pytest.mark.paper("COCR Sec. 5.1", at="ScaledFold")
def test_features_are_scaled_by_the_training_rows():
    scaled = ScaledFold(fold())
    assert scaled.train.X.min(axis=0) == pytest.approx([0.0] * 4, abs=1e-15)  # x / range - min / range
    assert scaled.train.X.max(axis=0) == pytest.approx([1.0] * 4, abs=1e-15)  # MinMaxScaler multiplies by 1 / range
    assert scaled.test.X.min() < 0 or scaled.test.X.max() > 1


def test_an_m_above_the_rows_has_no_cell(ran):
    _, cells, _ = ran
    assert [name for name, way in cells if way == "direct"] == ["linear", "m5p-4", "m5p-64", "gbrt-0.5", "bagging"]
    assert [n for n in (63, 64) if "m5p-64" in TINY.make_bases(n)] == [64]


def test_bagging_after_each_round_is_bagging_with_so_many_rounds(ran):
    from sklearn.ensemble import BaggingRegressor

    _, cells, _ = ran
    scaled = ScaledFold(fold(0))
    assert len(cells["bagging", "oerr"][0]["test_err"]) == 2
    assert len(cells["bagging", "direct"][0]["test_err"]) == 2 * 4  # T K, for Fig. 2b
    for way, rounds in (("oerr", 2), ("direct", 8)):
        base = BaggingRegressor(M5PRegressor(), max_samples=0.5, n_estimators=rounds, random_state=0)
        ranker = base if way == "direct" else COCRRanker(base, cost=way, n_classes=5)
        ranker.fit(scaled.train.X, scaled.train.y)
        expected = err(scaled.test.y, ranker.predict(scaled.test.X), scaled.test.qid, max_grade=4, per_query=True)
        # sums against means of trees: where two rows tie to the last bit, the order may differ; here none does
        assert cells["bagging", way][0]["test_err"][-1].tolist() == expected.tolist()


def test_threads_are_those_of_the_boosters():
    made = TINY.make_bases(200, n_threads=3)
    assert [name for name, base in made.items() if getattr(base, "n_threads", None) == 3] == ["gbrt-0.5"]


def test_the_highest_grade_is_that_of_all_three_parts():
    data = fold()
    for part, top in ((data.train, 2), (data.valid, 3), (data.test, 1)):
        np.clip(part.y, 0, top, out=part.y)
        part.y[:2] = [0, top]
    assert ScaledFold(data).max_grade == 3


def test_a_new_cost_adds_no_column(monkeypatch, tmp_path):
    """The tables are the paper's: its three costs, and direct regression."""
    monkeypatch.setitem(user_costs.COSTS, "new", user_costs.COSTS["squared"])
    assert WAYS == ("direct", "absolute", "squared", "oerr")
    small = replace(TINY, n_rounds=1, min_instances=(), n_bags=1)
    cells = [*run_fold(small, fold(), Run(tmp_path))]
    assert [way for base, way, _ in cells if base == "linear"] == [*WAYS]
    assert {name for name in cells[0][2] if name.startswith("cost_")} == {f"cost_{way}" for way in WAYS[1:]}


class FirstFeature(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0]


def test_direct_regression_has_the_nearest_grade_for_its_costs():
    scores = np.array([-3.0, -0.6, 0.4, 0.6, 2.5, 3.5, 3.6, 4.4, 9.0])
    part = LetorData(scores[:, None], np.array([0] * 8 + [4]), np.arange(9), ("",) * 9)
    scaled = ScaledFold(Fold("f", part, part, part))
    scaled.test = part  # its feature as it is
    found = scaled.run_ranker(FirstFeature(), "direct")
    assert found["cost_absolute"].tolist() == [0, 0, 0, 1, 2, 4, 4, 4, 0]  # halves go to the even grade


# --- tables


def test_the_text_holds_means_tests_and_claims(ran):
    text, cells, folder = ran
    columns = {way: np.concatenate([arrays["test_err"] for arrays in cells["linear", way]]) for way in WAYS}
    p = stats.ttest_rel(columns["oerr"], columns["direct"]).pvalue
    mark = "" if p >= 0.05 else "*" if columns["oerr"].mean() > columns["direct"].mean() else "-"
    line = next(line for line in text.splitlines() if line.startswith("  ERR"))
    assert line.split()[1] == f"{columns['direct'].mean():.4f}"
    assert line.endswith(f"{columns['oerr'].mean():.4f}{mark} ({p:.2g})")
    against = stats.ttest_rel(columns["oerr"], columns["squared"]).pvalue
    assert f"squared {against:.2g}" in next(line for line in text.splitlines() if "(a) linear" in line)
    assert "claim 1" in text
    assert (folder / "tables-tiny.txt").read_text() == text + "\n"
    for name in ("figure1", "figure2", "proxies"):
        assert (folder / f"{name}-tiny.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.paper("COCR Sec. 5.4", at="choose_m")
@pytest.mark.paper("COCR Sec. 5.4", at="write_tables")
def test_m_is_chosen_by_the_validation_err_of_each_fold(ran):
    text, cells, _ = ran
    results = Results(TINY, cells)
    test = results.join_chosen("test_err")
    for way in WAYS:
        chosen = results.choose_m(way)
        for number, m in enumerate(chosen):
            means = {g: cells[f"m5p-{g}", way][number]["valid_err"].mean() for g in (4, 64)}
            assert means[m] == max(means.values())
        expected = np.concatenate([cells[f"m5p-{m}", way][i]["test_err"] for i, m in enumerate(chosen)])
        assert test[way].tolist() == expected.tolist()
    below_validation = [f"{test[way].mean():.4f}" for way in WAYS]
    (line,) = (line for line in text.splitlines() if "test, M chosen" in line)
    assert line.split()[3:] == below_validation


def test_verdicts():
    rng = np.random.default_rng(0)
    low = rng.random(200)
    assert judge(low + 0.1 + 0.01 * rng.random(200), low) == "yes*"
    assert judge(low, low + 0.1 + 0.01 * rng.random(200)) == "no*"
    assert judge(low, low) == "equal"
    noise = rng.normal(0, 1, 200)
    assert judge(low + noise - noise.mean() + 1e-3, low) == "yes"


def test_marks_say_which_way_a_significant_difference_goes():
    noise = np.random.default_rng(0).random((4, 200)) / 100
    columns = dict(zip(WAYS, noise + np.array([[0.5], [0.6], [0.4], [0.5]]), strict=True))
    ((_, cells),) = compare_ways({"err": columns})
    assert [re.sub(r"0\.\d{4}([*-]?).*", r"\1", cell) for cell in cells] == ["", "*", "-", ""]


def test_costs_are_added_up_by_query_whatever_the_order_of_rows():
    rows = LetorData(np.zeros((4, 1)), np.array([0, 2, 1, 2]), np.array([7, 8, 7, 8]), ("",) * 4)
    sums = ScaledFold(Fold("f", rows, rows, rows)).sum_costs(np.array([1, 2, 2, 0]))
    assert (sums["cost_absolute"].tolist(), sums["cost_oerr"].tolist()) == ([2, 2], [5, 9])


def test_proxies_correlate_cost_and_error_of_queries_with_a_relevant_document():
    arrays = {
        "cost_oerr": np.array([1.0, 5.0, 9.0, 100.0]),
        "ideal_err": np.array([0.5, 0.5, 0.5, 0.0]),
        "test_err": np.array([0.4, 0.3, 0.1, 0.0]),
        "train_err": np.zeros(9),
    }
    for reached, expected in ((arrays["test_err"], 1.0), (np.array([0.1, 0.3, 0.4, 0.0]), -1.0)):
        joined = join_folds([arrays | {"test_err": reached}])
        assert joined.keys() == {"cost_oerr", "ideal_err", "test_err"}
        found = correlate_ranks(joined["cost_oerr"], joined["ideal_err"] - joined["test_err"])
        assert found == pytest.approx(expected)


def test_the_artificial_fold_is_of_one_polynomial_and_three_draws():
    made = make_artificial_fold(SMALL.n_queries)
    assert [len(np.unique(part.qid)) for part in (made.train, made.valid, made.test)] == [100, 50, 200]
    assert isinstance(made.train, LetorData)
    assert not np.array_equal(made.train.X[:100], made.valid.X[:100])
