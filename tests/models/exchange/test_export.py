"""Every ranker by trees leaves for every format and scores alike there: to the bit, or within the bound."""

import numpy as np
import pytest

from refrank.models.exchange.formats import FORMATS
from refrank.models.exchange.packing import make_portable
from refrank.models.exchange.verification import verify
from tests.models.exchange.cases import (
    CUTS,
    LARGE32,
    NEEDS,
    TREE_KINDS,
    beside,
    formats,
    missing_kinds,
    need,
    with_cuts,
)
from tests.models.kinds import OTHER, QID, rows_for, train

MISSING = {name: (ranker, rows) for name, ranker, rows in missing_kinds()}
ROWS_QID = QID[: len(OTHER)]


def check(ranker, to, X, qid=None):
    """Export, score in the program of the format, and compare; return what was found."""
    need(to)
    portable = make_portable(ranker)
    verification = verify(FORMATS[to].write(portable), to, portable, X, qid)
    assert verification.within, verification
    return portable, verification


@formats
@pytest.mark.parametrize("name", TREE_KINDS)
def test_every_kind_scores_alike(name, to):
    X = rows_for(name)
    _, result = check(train(name), to, X, ROWS_QID)
    assert result.pairs.n_pairs == sum(n * (n - 1) // 2 for n in np.unique(ROWS_QID, return_counts=True)[1])
    if to in ("lightgbm", "treelite"):
        exact = name not in ("igbrt", "igbrt of classes")  # which adds two sums
        assert all(output.bound == 0 for output in result.outputs) == exact
        assert not exact or result.score.largest == result.pairs.reversed == result.pairs.tied_in_one == 0
    if to == "onnx":
        assert result.own_score
        assert max(output.bound for output in (*result.outputs, result.score)) < 1e-11
    if to == "xgboost":
        assert 0 < max(output.bound for output in result.outputs) < 1e-5


@formats
@pytest.mark.parametrize("name", MISSING)
def test_a_missing_feature_goes_the_way_of_its_substitute(name, to):
    ranker, X = MISSING[name]
    _, verification = check(ranker, to, X)
    assert verification.n_rows == len(X)


@formats
def test_rows_beside_a_cut_go_the_same_way(to):
    """At a cut, one float beside it, at zeros of both signs, subnormals, and the largest numbers."""
    X = beside()
    if to == "xgboost":
        X = X[np.abs(X[:, 0]) < LARGE32]
    portable, result = check(with_cuts(), to, X)
    assert result.score.largest <= (2.0**-23 if to == "xgboost" else 0.0)  # a sum of powers of two: all 18 bits fit
    if to in ("treelite", "onnx"):
        assert result.n_read == result.n_moved == 0
    else:
        assert result.n_read > 10
        assert result.n_moved > 0  # the features that the program reads otherwise lie beside cuts
    scores = portable.outputs(X)[:, 0]
    assert scores.tolist() == [sum(2.0**-i for i, cut in enumerate(CUTS) if not x < cut) for x in X[:, 0]]


@formats
def test_the_bytes_depend_on_the_model_alone(to):
    need(to)
    for name in ("softmax", "igbrt", "forest of classes"):
        portable = make_portable(train(name))
        assert FORMATS[to].write(portable) == FORMATS[to].write(make_portable(train(name)))


@pytest.mark.parametrize("n_rows", [1, 700])
def test_onnx_shares_out_trees_for_few_rows_and_rows_for_many(n_rows):
    check(train("softmax"), "onnx", np.resize(OTHER, (n_rows, 5)))
    many = with_cuts(np.linspace(-1, 1, 200))
    check(many, "onnx", np.linspace(-1, 1, n_rows)[:, None])


def test_xgboost_is_given_float32_alone():
    need("xgboost")
    with pytest.raises(ValueError, match=r"X at row 0, column 0 is inf: every feature must be finite"):
        check(with_cuts(), "xgboost", np.array([[1e39]]))


def test_leaves_beyond_float32_are_refused_for_xgboost():
    ranker = with_cuts((0.0, 1.0))
    ranker.model_.rounds[0][0].value[1] = 1.6e38
    FORMATS["xgboost"].write(make_portable(ranker))
    ranker.model_.rounds[1][0].value[1] = 2e37  # half of the largest float32 is 1.7e38
    with pytest.raises(ValueError, match=r"^output 0 may reach 1\.8e\+38: it must be at most 1\.7"):
        FORMATS["xgboost"].write(make_portable(ranker))
    ranker.model_.rounds[0][0].value[1] = 1e39
    message = r"^output 0 may reach 1\.02e\+39: it must be at most 1\.7.*, which float32 holds$"
    with pytest.raises(ValueError, match=message):
        FORMATS["xgboost"].write(make_portable(ranker))


def test_a_class_of_one_leaf_and_a_start_are_carried():
    """Trees that are leaves alone, and a start other than 0, in every format that is installed."""
    ranker = with_cuts((0.25,))
    ranker.model_ = type(ranker.model_)((0.3,), (), 0.05)
    for to in NEEDS:
        try:
            need(to)
        except pytest.skip.Exception:
            continue
        _, verification = check(ranker, to, np.array([[0.0], [1.0]]))
        assert verification.score.largest <= verification.score.bound <= 1e-7
