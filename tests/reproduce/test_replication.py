"""The claims of each paper on a training set: which rankers are subtracted, on tiny sizes."""

from dataclasses import replace

import numpy as np
import pytest

from refrank.reproduce.artificial import make_artificial_fold, make_heavy_tailed_fold, remove_features
from refrank.reproduce.cocr import replication as of_cocr
from refrank.reproduce.cocr.rankers import ScaledFold
from refrank.reproduce.igbrt import replication as of_igbrt
from refrank.reproduce.igbrt.reproduction import run_fold
from refrank.reproduce.mcrank import replication as of_mcrank
from refrank.reproduce.mcrank.claims import measure_claims
from refrank.reproduce.run import Reproduction
from tests.reproduce.test_igbrt import TINY as IGBRT
from tests.reproduce.texts import COCR, TABLE_1


@pytest.fixture
def run(tmp_path):
    return Reproduction(tmp_path, n_threads=1)


def test_mcrank_s_claims_are_measured_on_the_polynomial_of_the_seed(run):
    differences = of_mcrank.make_study(TABLE_1).measure(3, run)
    parameters = replace(TABLE_1.parameters, seed=3)
    cells = parameters.measure_rankers(make_artificial_fold(TABLE_1.n_queries, 3), run)
    expected = measure_claims({name: cell["test"] for name, cell in cells.items()})
    assert [*differences] == [*expected]
    for claim, difference in differences.items():
        assert np.array_equal(difference, expected[claim])


def test_igbrt_s_claims_are_differences_of_table_3(run):
    differences = of_igbrt.make_study(IGBRT).measure(2, run)
    fold = remove_features(make_heavy_tailed_fold(IGBRT.n_queries, 2), 0.4)
    queries = run_fold(fold, IGBRT, run, False, ("table-3",)).queries
    assert len(differences) == 18
    for claim, difference in differences.items():
        pair, metric = claim.split(", ")
        above, below = (queries[tuple(name.split())] for name in pair.split(" above "))
        assert np.array_equal(difference, (above - below)[("ERR", "NDCG@10").index(metric)])


def test_cocr_s_claims_are_differences_of_its_tables(run):
    differences = of_cocr.make_study(COCR).measure(1, run)
    assert len(differences) == 5 * 10  # bases, and pairs of ways by measure
    assert not [*run.folder.glob("*bagging*")]
    fold = ScaledFold(make_heavy_tailed_fold(COCR.n_queries, 1))
    base = COCR.make_bases(len(fold.train.y))["gbrt-0.5"]
    oerr, direct = (fold.run_ranker(base, way)["test_err"] for way in ("oerr", "direct"))
    assert np.array_equal(differences["GBRT 0.5: oerr above direct, ERR"], oerr - direct)
    assert not np.array_equal(oerr, direct)
