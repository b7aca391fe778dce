"""Rows of nasty numbers, dealt to shards at random: the outcome is that of one machine, be it a model or a fault.

`pytest --deep` deals 2,000 times.
"""

import re

import numpy as np
import pytest
from hypothesis import event, given, note
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone

from refrank import (
    COCRRanker,
    GBRTRanker,
    HuberBoostRanker,
    LADBoostRanker,
    LSBoostRanker,
    OrdinalBoostRanker,
    RobustLogitBoostRanker,
    SoftmaxBoostRanker,
)
from refrank.models import save_model
from tests.cluster.threads import deal, use_threads

pytestmark = pytest.mark.kernel
FEATURES = [0.0, -0.0, 1.0, 2.0, 3.0, -1.0, 5e-324, -5e-324, 2e-308, 4e-9, 1e300, -1e300, 1.7e308]
FLOAT32 = np.finfo(np.float32).min, np.finfo(np.float32).max
WEIGHTS = [*[0.0, 1.0, 2.0, 0.5, 3.0, 5e-324, 1e-300, 1e9, 1e300] * 4, 1e308]
RANKERS = [
    SoftmaxBoostRanker(n_rounds=2, n_leaves=4),
    SoftmaxBoostRanker(n_rounds=1, n_bins=3, update="simultaneous"),
    SoftmaxBoostRanker(n_rounds=1, n_bins=300, binning="app-i", growth=3.0),
    OrdinalBoostRanker(n_rounds=2, n_leaves=3, n_classes=4),
    LSBoostRanker(n_rounds=2, n_bins=4),
    LADBoostRanker(n_rounds=2, n_leaves=4),
    HuberBoostRanker(n_rounds=2, n_leaves=4, share=0.5),
    RobustLogitBoostRanker(n_rounds=2),
    GBRTRanker(n_rounds=2, binning="exact", cut_at="midpoint", initial="mean"),
    GBRTRanker(n_rounds=2, setting="classification", clip="each-round", max_depth=2, min_samples_leaf=2),
    COCRRanker(GBRTRanker(n_rounds=1, n_bins=3), cost="absolute"),
]
MISSING = ["zero", "-inf", "inf", "mean", "median", "three-way"]


@st.composite
def dealings(draw):
    """Draw a ranker, X, y, qid and weights, and the place of each row among shards."""
    n_rows, n_features = draw(st.integers(1, 24)), draw(st.integers(1, 3))
    ranker = draw(st.sampled_from(RANKERS))
    values = FEATURES
    if draw(st.booleans()) and not isinstance(ranker, COCRRanker):
        missing_value = draw(st.sampled_from([np.nan, np.inf, -np.inf, 0.0, 2.0]))
        ranker = clone(ranker).set_params(missing=draw(st.sampled_from(MISSING)), missing_value=missing_value)
        values = [*FEATURES, missing_value, missing_value]
    X = draw(arrays(float, (n_rows, n_features), elements=st.sampled_from(values), fill=st.nothing()))
    if draw(st.booleans()):
        X = np.clip(X, *FLOAT32, where=np.isfinite(X), out=X.copy()).astype(np.float32)
    y, qid = (draw(arrays(np.int64, n_rows, elements=st.integers(0, most), fill=st.nothing())) for most in (2, 4))
    weight = draw(st.none() | arrays(float, n_rows, elements=st.sampled_from(WEIGHTS), fill=st.nothing()))
    n_shards = draw(st.integers(1, 7))
    places = draw(arrays(np.int64, n_rows, elements=st.integers(0, n_shards - 1), fill=st.nothing()))
    return ranker, [X, y, qid, weight], places, n_shards


def train(fit, *given):
    """Return a model, or the sentence of a fault without the row: which is the first depends on the order."""
    try:
        ranker = fit(*given)
    except ValueError as fault:
        return re.sub(r"^shard \d \(number \d\): | at row [^:]*", "", str(fault))
    return ranker


@pytest.mark.filterwarnings("ignore")
@given(dealt=dealings())
def test_no_dealing_of_rows_changes_a_byte(dealt, tmp_path_factory):
    ranker, rows, places, n_shards = dealt
    folder = tmp_path_factory.getbasetemp()
    whole = train(clone(ranker).fit, *rows)
    with use_threads():
        cut = train(clone(ranker).fit_shards, deal(rows, places, n_shards))
    if isinstance(whole, str) or isinstance(cut, str):
        event(f"fault: {whole}"[:40])
        note(f"{whole}\n{cut}")
        assert whole == cut
        return
    save_model(whole, folder / "whole")
    save_model(cut, folder / "cut")
    assert (folder / "cut").read_bytes() == (folder / "whole").read_bytes()
