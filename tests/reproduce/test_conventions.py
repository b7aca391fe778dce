"""The convention that each table names is the one its figures have: figures of oracles, whatever the code below says.

One query in three has no relevant document. It counts 0 by "paper" and .5 by "yahoo" in NDCG; ERR's highest grade is 2,
that of the data, by the one, and 4 by the other.
"""

from statistics import fmean

import numpy as np
import pytest

from refrank import LSBoostRanker, RandomForestRanker, WekaLinearRegressor
from refrank.datasets import load_folds
from refrank.metrics import PRESETS
from refrank.reproduce.cocr import tables as cocr
from refrank.reproduce.cocr.rankers import CocrSetting, ScaledFold
from refrank.reproduce.igbrt import reproduction as igbrt
from refrank.reproduce.igbrt.reproduction import change_sizes
from refrank.reproduce.igbrt.runs import Sizes
from refrank.reproduce.mcrank import table_1
from refrank.reproduce.mcrank.rankers import Parameters
from refrank.reproduce.run import Reproduction
from tests.oracles.metrics import err_per_query, ndcg_per_query
from tests.reproduce.small_files import PARTS

SIZES = Sizes("tiny", (2, 4), 4, 2, 2, (0.1, 0.5))


@pytest.fixture(scope="module")
def parts(tmp_path_factory, write_files):
    """Five parts; the last query of each has no relevant document."""
    folder = write_files(tmp_path_factory.mktemp("conventions"), PARTS)
    for path in folder.iterdir():
        lines = path.read_text().splitlines()
        path.write_text("\n".join([*lines[:16], *("0" + line[1:] for line in lines[16:])]) + "\n")
    return folder


def measure(test, scores, name, max_grade):
    """ERR and NDCG@10 of each query by the oracles, (2, n_queries)."""
    spec, y, scores, qid = PRESETS[name], test.y.tolist(), scores.tolist(), test.qid.tolist()
    return np.array([err_per_query(y, scores, qid, None, spec, max_grade), ndcg_per_query(y, scores, qid, 10, spec)])


def read_row(text, title, name):
    """The numbers of a row of the table below a title."""
    lines = text.split("\n")
    [start] = (place for place, line in enumerate(lines) if line.startswith(title))
    return next(line.strip()[len(name) :].split() for line in lines[start:] if line.strip().startswith(name))


@pytest.mark.parametrize("like", [None, "rt-rank"])
def test_igbrt_prints_each_figure_by_both_conventions(parts, tmp_path, like):
    """With --like rt-rank, the authors' convention is that of the tests and of Table 1 too."""
    sizes = change_sizes(SIZES, like, n_bins=256)
    assert change_sizes(SIZES, like, depth=1, n_bins=2).n_bins == 2  # the fewest
    text = igbrt.reproduce(sizes, Reproduction(tmp_path, parts, n_threads=1), ("table-1", "table-3"))
    forests = []
    for fold in load_folds(parts, absent=np.nan):
        ranker = RandomForestRanker(n_trees=4, n_threads=1).fit(np.nan_to_num(fold.train.X), fold.train.y)
        forests.append((fold.test, ranker.predict(np.nan_to_num(fold.test.X))))
    for name, max_grade, label in (("paper", 2, "paper"), ("yahoo", 4, "yahoo, the authors' own")):
        measured = [measure(test, scores, name, max_grade).mean(axis=1) for test, scores in forests]
        for metric, column in zip(("ERR", "NDCG"), np.transpose(measured).tolist(), strict=True):
            row = read_row(text, f"iGBRT Table 3: {metric}, test sets, convention {label}", "RF R")
            assert row == [f"{value:.5f}" for value in [*column, fmean(column)]]
    own, beside = ("yahoo", "paper") if like else ("paper", "yahoo")
    lines = {" ".join(line.split()).split(" 0.")[0] for line in text.split("\n")}
    assert {f"ERR, {beside}", f"NDCG, {beside}"} < lines
    assert f"15 test queries of all folds, convention {own}:" in text
    assert f"convention {PRESETS[own]}"[:20] in text


def test_mcrank_prints_figures_by_its_own_equations(parts, tmp_path):
    parameters = Parameters(n_rounds=2, n_leaves=3, learning_rate=0.3, n_epochs=2, hidden=(2,))
    text = table_1.reproduce_folds(parameters, Reproduction(tmp_path, parts, n_threads=1))
    assert "convention paper" in text
    for fold in load_folds(parts):
        ranker = LSBoostRanker(n_rounds=2, n_leaves=3, learning_rate=0.3, binning="app-i").fit(
            fold.train.X, fold.train.y
        )
        values = 100 * measure(fold.test, ranker.predict(fold.test.X), "paper", 2)[1]
        cell = [f"{values.mean():.1f}", f"({values.std(ddof=1):.1f})"]
        assert read_row(text, "McRank Table 1", fold.name)[4:6] == cell


def test_cocr_prints_figures_by_its_own_equations(parts, tmp_path):
    setting = CocrSetting("tiny", n_rounds=2, max_depth=2, steps=(0.5,), min_instances=(4,), bag_share=0.5, n_bags=1)
    text = cocr.reproduce(setting, Reproduction(tmp_path, parts, n_threads=1))
    assert "convention 'paper'; ERR has the highest grade of the data" in text
    measured = []
    for fold in load_folds(parts):
        scaled = ScaledFold(fold)
        ranker = WekaLinearRegressor().fit(scaled.train.X, scaled.train.y.astype(np.float64))
        measured.append(measure(fold.test, ranker.predict(scaled.test.X), "paper", 2))
    for metric, values in zip(("ERR", "NDCG@10"), np.hstack(measured), strict=True):
        assert read_row(text, "Table 1 and 2, linear", metric)[0] == f"{values.mean():.4f}"
