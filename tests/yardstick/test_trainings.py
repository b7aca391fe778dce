"""The trainings for comparing ports: what varies in them, and what their traces say of it."""

import numpy as np
import pytest

from refrank.estimators.registry import RANKERS
from refrank.trees.numbers.grid import to_grid
from tests.yardstick.trainings import OF_TREES
from yardstick.scorecard.trainings import train_golden
from yardstick.traces.reader import index_records
from yardstick.traces.stages import Place
from yardstick.traces.tracing import describe_parameter

OF_ALL = {
    "n_threads": "no bit depends on it",
    "n_jobs": "no bit depends on it",
    "verbose": "it shows the progress",
    "warm_start": "it continues an earlier fit",
    "oob_score": "no record holds the score",
}
OF_SOME = {
    ("gbrt", "random_state"): "GBRT draws nothing",
    ("cocr", "random_state"): "a base that takes weights gets every row",
    **{(name, "update"): "a round has one tree" for name in ("ls", "lad", "huber")},
}


@pytest.mark.parametrize("algorithm", sorted(RANKERS.keys() - {"lambdarank"}))
def test_every_parameter_takes_two_values(algorithm):
    rankers = [of.make_ranker() for of in OF_TREES.values() if of.algorithm == algorithm]
    told = [{name: repr(describe_parameter(value)) for name, value in r.get_params(False).items()} for r in rankers]
    single = {name for name in told[0] if len({parameters[name] for parameters in told}) == 1}
    exempt = OF_ALL.keys() | {name for of, name in OF_SOME if of == algorithm}
    assert single == exempt & told[0].keys()


def test_rows_hold_what_they_promise(tmp_path):
    _, y, _, weight = OF_TREES["ls, weight 0"].rows
    assert y[weight > 0].max() < y.max()
    high, close = OF_TREES["gbrt, high labels"].rows, OF_TREES["ls, close rows"].rows
    integers = to_grid(high.y * high.weight).integers
    assert 2**52 < integers.sum() < 2**53
    assert (integers % 2).any()
    cuts = index_records(train_golden(OF_TREES["ls, close rows"], tmp_path / "trace"))["bins", Place()].values("cuts")
    assert (cuts == 0.0).sum() > 1
    assert (cuts != cuts.astype(np.float32)).sum() > 5
    assert np.signbit(close.X[close.X == 0]).any()
