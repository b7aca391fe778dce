"""MQ2008, real data: the averages over five folds that stand beside RankLib's forest.

REFRANK_DATA names the folder that holds mq2008/S1.txt .. S5.txt.
"""

import os
from pathlib import Path

import pytest

igbrt = pytest.importorskip("refrank.reproduce.igbrt.reproduction", exc_type=ImportError)
from refrank.reproduce.igbrt.printed import RANKLIB  # noqa: E402
from refrank.reproduce.igbrt.runs import Sizes  # noqa: E402
from refrank.reproduce.run import Run  # noqa: E402


def test_averages_of_six_methods_are_printed_beside_ranklib_s_forest(tmp_path):
    """Five folds and their mean, whatever comes out; `pytest -s` shows the tables."""
    if "REFRANK_DATA" not in os.environ:
        pytest.skip("REFRANK_DATA is not set: it names the folder that holds mq2008/")
    tiny = Sizes("tiny", (20, 100), 40, 20, 5, (0.1, 0.3))
    print(text := igbrt.reproduce(tiny, Run(tmp_path, Path(os.environ["REFRANK_DATA"], "mq2008"))))
    for metric in ("ERR", "NDCG"):
        table = text.split(f"iGBRT Table 3: {metric}, test sets\n")[1].split("\n")
        assert table[0].split() == ["Fold1", "Fold2", "Fold3", "Fold4", "Fold5", "mean"]
        rows = {tuple(line.split()[:2]): [float(cell) for cell in line.split()[2:]] for line in table[1:7]}
        assert len(rows) == 6
        for *folds, mean in rows.values():
            assert len(folds) == 5
            assert abs(sum(folds) / 5 - mean) < 1.1e-5  # both printed to five places
        assert table[7].split() == ["RankLib's", "random", "forest", str(RANKLIB[metric])]
