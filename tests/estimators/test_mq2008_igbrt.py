"""MQ2008 fold 1, real data: figures of iGBRT's rankers (NDCG@10, convention "paper").

REFRANK_DATA names the folder that holds mq2008/S1.txt .. S5.txt. RankLib's random forest reaches .4676 by the same
convention (30 bags of one tree, 100 leaves, 30% of the features).
"""

import os
from pathlib import Path

import numpy as np
import pytest

from refrank import GBRTRanker, IGBRTRanker, RandomForestRanker
from refrank.datasets import load_folds
from refrank.reproduce import igbrt
from refrank.reproduce.igbrt_printed import RANKLIB

SMALL = igbrt.Setting("tiny", (20, 100), 40, 20, 5, (0.1, 0.3))


@pytest.fixture(scope="module")
def fold_1():
    if "REFRANK_DATA" not in os.environ:
        pytest.skip("REFRANK_DATA is not set: it names the folder that holds mq2008/")
    return next(load_folds(Path(os.environ["REFRANK_DATA"], "mq2008"), absent=np.nan))


@pytest.mark.parametrize("setting", ["regression", "classification"])
@pytest.mark.parametrize(
    "ranker",
    [RandomForestRanker(n_trees=300), GBRTRanker(n_rounds=50), IGBRTRanker(n_trees=300, n_rounds=10)],
    ids=["RF", "GBRT", "iGBRT"],
)
def test_ndcg_at_10(fold_1, ranker, setting):
    """.01 is a third of the standard error of a mean over 156 queries."""
    found = ranker.set_params(setting=setting).fit(np.nan_to_num(fold_1.train.X), fold_1.train.y)
    ndcg = found.score(np.nan_to_num(fold_1.test.X), fold_1.test.y, fold_1.test.qid)
    print(f"{type(ranker).__name__}, {setting}: NDCG@10 {ndcg:.4f}, RankLib's forest {RANKLIB['NDCG']}")
    assert ndcg >= RANKLIB["NDCG"] - 0.01


def test_averages_of_six_methods_are_printed_beside_ranklib_s_forest(fold_1, monkeypatch, tmp_path):
    """Five folds and their mean, whatever comes out; `pytest -s` shows the tables."""
    monkeypatch.setattr(igbrt, "SMALL", SMALL)
    print(text := igbrt.reproduce(Path(os.environ["REFRANK_DATA"], "mq2008"), False, tmp_path))
    for metric in ("ERR", "NDCG"):
        table = text.split(f"iGBRT Table 3: {metric}, test sets\n")[1].split("\n")
        assert table[0].split() == ["Fold1", "Fold2", "Fold3", "Fold4", "Fold5", "mean"]
        rows = {tuple(line.split()[:2]): [float(cell) for cell in line.split()[2:]] for line in table[1:7]}
        assert len(rows) == 6
        for *folds, mean in rows.values():
            assert len(folds) == 5
            assert abs(sum(folds) / 5 - mean) < 1.1e-5  # both printed to five places
        assert table[7].split() == ["RankLib's", "random", "forest", str(RANKLIB[metric])]


def test_labels_0_to_2_make_two_problems(fold_1):
    ranker = RandomForestRanker(n_trees=2, setting="classification").fit(np.nan_to_num(fold_1.train.X), fold_1.train.y)
    assert (ranker.n_classes_, len(ranker.models_)) == (3, 2)


def test_the_fold_is_the_one_described(fold_1):
    shapes = [part.X.shape for part in (fold_1.train, fold_1.valid, fold_1.test)]
    assert shapes == [(9630, 46), (2707, 46), (2874, 46)]
