"""The contract for ports: every default and every constant that figures or bits depend on is written out here."""

import difflib
import struct

import numpy as np
import pytest

from refrank import checks, kernel
from refrank.bounds import report
from refrank.cocr import costs
from refrank.cocr.m5p import elimination, growth, least_squares, smoothing, variants, weights
from refrank.datasets import letor_fault, letor_text, source, unzipped
from refrank.estimators import cocr, counted_bags, m5p
from refrank.mcrank import pairwise_gradients, two_layer_net
from refrank.metrics import PRESETS, discounts, logarithms, significance, spec
from refrank.model_file import archive, codec
from refrank.trees import binning, coarse, cuts, draws, exponential, mean_leaves, splitting, tree
from refrank.trees import growth as tree_growth
from tests.meta.defaults import FILE, list_defaults

CONSTANTS = {
    # numbers of streams, and the mixing of SplitMix64
    (draws, "MASK"): 18446744073709551615,
    (draws, "GOLDEN"): 11400714819323198485,
    (draws, "BOOTSTRAP"): 0,
    (draws, "FEATURES"): 1,
    (draws, "CHILDREN"): 2,
    # bins, cuts and nodes
    (splitting, "GROUP"): 8,
    (splitting, "PARTED"): 1,
    (splitting, "NEEDS_CUT"): 2,
    (splitting, "NO_SPLIT"): (-1, -1, 0.0, 0, 0, 0),
    (tree, "LEAF"): -1,
    (binning, "MOST_BINS"): 65536,
    (coarse, "N_COARSE"): 256,
    (cuts, "INITIAL_LENGTH"): 0.00000001,
    (cuts, "LOWEST"): -1.7976931348623157e308,
    (cuts, "SLOWEST_GROWTH"): 1.001,
    # exp
    (exponential, "INVERSE_LN_2"): 1.4426950408889634,
    (exponential, "UPPER"): 0.6931471805598903,
    (exponential, "LOWER"): 5.497923018708371e-14,
    # M5'
    (smoothing, "SMOOTHING"): 15.0,
    (growth, "STOP_FRACTION"): 0.05,
    (elimination, "WEKA_RIDGE"): 0.00000001,
    (elimination, "WEKA_COLINEAR"): 1.5,
    (least_squares, "DEPENDENT"): 0.000000001,
    (least_squares, "INFLATED"): 10000.0,
    (weights, "LEAST"): 1e-100,
    (variants, "ROUNDING"): 0.000000001,
    # measures, costs and bounds
    (spec, "HIGHEST_LABEL"): 53,
    (costs, "LARGEST_MAX_GRADE"): 31,
    (significance, "N_RESAMPLES"): 9999,
    (logarithms, "BITS"): 128,
    (discounts, "SHORTEST_TABLE"): 64,
    (report, "DCG_BOUNDS"): (
        *("mcrank_lemma1", "min_pairing", "dcg_threshold", "cossock_zhang_theorem2", "regression_error"),
    ),
    (report, "ERR_BOUNDS"): (
        *("igbrt_theorem1", "err_by_errors", "err_rr_dcg", "err_oerr", "err_threshold", "cocr_theorem2"),
    ),
    # limits: docs/numerics.md has them
    (checks, "MOST_CLASSES"): 64,
    (checks, "MOST_STATED_CLASSES"): 1024,
    (checks, "LARGEST_COUNT"): 2147483647,
    (checks, "LARGEST_SEED"): 340282366920938463463374607431768211455,
    (kernel, "MOST_PER_CORE"): 8,
    (pairwise_gradients, "MOST_PAIRS"): 1048576,
    (two_layer_net, "LARGEST_FEATURE"): 1e290,
    (m5p, "LARGEST"): 1e100,
    (m5p, "LARGEST_SUM"): 4.4942328371557893e307,
    (cocr, "MOST_LISTED"): 67108864,
    (cocr, "MOST_COUNTED"): 1099511627776,
    (counted_bags, "BLOCK"): 262144,
    (tree_growth, "MOST_HELD"): 1073741824,
    # of what is read
    (source, "KEPT_FREE"): 10,
    (source, "MOST_LINE_BYTES"): 16777216,
    (letor_text, "MOST_X_BYTES"): 64,
    (letor_text, "X_FLOOR"): 268435456,
    (letor_fault, "MAX_INDEX"): 2147483647,
    (letor_fault, "MAX_LABEL"): 9007199254740992,
    (unzipped, "MOST_UNPACKED"): 200,
    (unzipped, "UNPACKED_FLOOR"): 100000000,
    (archive, "MOST_DIGITS"): 1000,
    (codec, "MOST_JOBS"): 256,
    (codec, "DEEPEST"): 5,
}


def test_every_default_is_the_one_that_is_written_down():
    """To change one on purpose, run `python -m tests.meta.defaults`, and say so in the changelog."""
    pinned = FILE.read_text(encoding="utf-8").splitlines()
    changed = list(difflib.unified_diff(pinned, [*list_defaults()], "defaults.txt", "refrank", n=0, lineterm=""))
    assert not changed, "\n".join(["defaults have changed:", *changed])


@pytest.mark.parametrize(("place", "name"), CONSTANTS, ids=[f"{module.__name__}.{name}" for module, name in CONSTANTS])
def test_every_constant_is_the_one_that_is_written_down(place, name):
    assert getattr(place, name) == CONSTANTS[place, name]


def test_the_series_of_exp_has_these_bits():
    bits = [struct.pack(">d", one).hex() for one in exponential.COEFFICIENTS]
    assert bits == [
        "3da93974a8c07c9d",
        "3de6124613a86d09",
        "3e21eed8eff8d898",
        "3e5ae64567f544e4",
        "3e927e4fb7789f5c",
        "3ec71de3a556c734",
        "3efa01a01a01a01a",
        "3f2a01a01a01a01a",
        "3f56c16c16c16c17",
        "3f81111111111111",
        "3fa5555555555555",
        "3fc5555555555555",
        "3fe0000000000000",
    ]


def test_the_ways_of_missing_and_weighing_are_these():
    assert {name: way.flag for name, way in mean_leaves.THREE_WAY.items()} == {"parting": 1, "rt-rank": 2}
    assert [*costs.COSTS] == ["absolute", "squared", "oerr"]
    assert [*weights.WEIGHTINGS] == ["importance", "weka", "counts"]


def test_the_conventions_of_metrics_are_these():
    names = ("gain", "discount", "max_grade", "ties", "no_relevant", "short")
    found = {name: tuple(getattr(one, field) for field in names) for name, one in PRESETS.items()}
    assert found == {
        "paper": ("2^y-1", "log2(1+i)", 4, "stable", 0.0, "as is"),
        "yahoo": ("2^y-1", "ln(1+i)", 4, "stable", 0.5, "as is"),
        "letor": ((0.0, 1.0, 3.0, 7.0, 15.0), "letor", None, "stable", 0.0, "zero"),
        "trec": ("2^y-1", "log2(1+i)", 4, "document id descending", "skip", "as is"),
        "trec_eval": ("y", "log2(1+i)", None, "document id descending", 0.0, "as is"),
        "ranklib": ("2^y-1", "log2(1+i)", 4, "stable", 0.0, "as is"),
        "lightgbm": ("2^y-1", "log2(1+i)", None, "stable", 1.0, "as is"),
        "xgboost": ("2^y-1", "log2(1+i)", None, "stable", 1.0, "as is"),
        "sklearn": ("y", "log2(1+i)", None, "averaged", 0.0, "as is"),
        "ranx": ("y", "log2(1+i)", None, "stable", 0.0, "as is"),
        "jforests": ("2^y-1", "log2(1+i)", None, "worst", 1.0, "as is"),
        "allrank": ("2^y-1", "log2(1+i)", None, "stable", 1.0, "as is"),
        "tfranking": ("2^y-1", "log2(1+i)", None, "stable", 0.0, "as is"),
        "catboost": ("y", "log2(1+i)", None, "worst", 1.0, "as is"),
        "mslr": ((0.0, 1.0, 3.0, 7.0, 15.0), "letor", None, "stable", 0.0, "zero"),
    }
    assert np.finfo(np.float64).max == -cuts.LOWEST
