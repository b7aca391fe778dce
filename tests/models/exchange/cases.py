"""Inputs of the tests of `refrank.models.exchange`: cuts at awkward places, rows beside those cuts, runtimes."""

import numpy as np
import pytest

from refrank import GBRTRanker, LSBoostRanker
from refrank.estimators import registry
from refrank.models.exchange.formats import FORMATS
from refrank.trees.model.ensemble import Ensemble
from refrank.trees.model.tree import LEAF, Tree
from tests.models.kinds import HOLES, SMALL, Y

TREE_KINDS = (
    *(name for name in registry.RANKERS if name not in ("abc-logitboost", "cocr", "lambdarank")),
    *("mirrored", "own target", "no forest", "cuts midway", "cut in three"),
    *("forest of classes", "gbrt of classes", "igbrt of classes", "means for holes", "cocr over gbrt"),
    "cocr over forest of refrank",
)
NEEDS = {"lightgbm": ["lightgbm"], "treelite": ["treelite"], "onnx": ["onnx", "onnxruntime"], "xgboost": ["xgboost"]}
CUTS = (
    *(0.0, 0.1, -0.1, 1 / 3, np.nextafter(1.0, 2.0), 5e-324, -5e-324, 1e-40, -1e-40, 2.0**-1022, 1e-35, 3e-35),
    *(float(np.float32(1e-35)), 16777217.0, 1e300, -1e300, float(np.finfo(np.float32).max), np.finfo(float).max),
)
LARGE32 = float(np.finfo(np.float32).max)

formats = pytest.mark.parametrize("to", [name for name in FORMATS if FORMATS[name].RUNTIME])


def need(to):
    """Skip a test where the programs of a format are not installed."""
    for name in NEEDS[to]:
        pytest.importorskip(name, reason=f"{name} is not installed: pip install 'refrank[exchange]'")


def make_tree(feature, cut, left, right):
    """A tree of one cut."""
    return Tree(
        feature=np.array([feature, LEAF, LEAF], np.int32),
        bin=np.zeros(3, np.int32),
        cut=np.array([cut, 0.0, 0.0]),
        left=np.array([1, 0, 0], np.int32),
        right=np.array([2, 0, 0], np.int32),
        split_gain=np.array([1.0, 0.0, 0.0]),
        n_node_samples=np.array([4, 3, 1], np.int64),
        value=np.array([0.0, left, right]),
    )


def with_cuts(cuts=CUTS):
    """A ranker with one tree per cut: the bits of a score say at which cuts a row went right."""
    trees = [make_tree(0, cut, 0.0, 2.0**-place) for place, cut in enumerate(cuts)]
    ranker = LSBoostRanker(n_rounds=1, learning_rate=1.0).fit([[0.0], [1.0]], [0, 1])
    ranker.model_ = Ensemble((0.0,), tuple((tree,) for tree in trees), 1.0)
    return ranker


def beside(cuts=CUTS):
    """Rows at each cut and one step beside it, in float64 and in float32, of both signs."""
    given = np.array([*cuts, -0.0, 1e-36, 1e-38, 2.0**-149])
    with np.errstate(over="ignore"):
        narrow = given.astype(np.float32)
        values = [given, *(np.nextafter(given, way) for way in (-np.inf, np.inf))]
        values += [narrow, *(np.nextafter(narrow, np.float32(way)) for way in (-np.inf, np.inf))]
    rows = np.unique(np.concatenate([np.concatenate([part, -part]).astype(np.float64) for part in values]))
    return np.concatenate([rows[np.isfinite(rows)], [-0.0]])[:, None]


def missing_kinds():
    """Rankers that know missing entries, one per substitute; each marks them by NaN, or by another number."""
    for missing in ("zero", "-inf", "inf", "mean", "median", "three-way"):
        yield f"missing={missing}", GBRTRanker(**SMALL["gbrt"], missing=missing).fit(HOLES, Y), HOLES
    marked = np.where(np.isnan(HOLES), -7.1, HOLES)
    yield "marked by -7.1", GBRTRanker(**SMALL["gbrt"], missing="mean", missing_value=-7.1).fit(marked, Y), marked
    zeros = np.nan_to_num(HOLES)
    yield "marked by 0", GBRTRanker(**SMALL["gbrt"], missing="inf", missing_value=0).fit(zeros, Y), zeros
