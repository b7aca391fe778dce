"""The contract for ports: every default and every constant that figures or bits depend on is written out here."""

import difflib
import struct

import numpy as np
import pytest

from refrank.cocr import costs
from refrank.cocr.m5p import weights
from refrank.metrics import PRESETS
from refrank.trees.bins import cuts
from refrank.trees.growth import mean_leaves
from refrank.trees.numbers import exponential
from tests.meta import constants
from tests.meta.defaults import FILE, list_defaults
from tests.regenerate import renew_with


def test_every_default_is_the_one_that_is_written_down():
    """To change one on purpose, renew the file, and say so in the changelog."""
    pinned = FILE.read_text(encoding="utf-8").splitlines()
    changed = list(difflib.unified_diff(pinned, [*list_defaults()], "defaults.txt", "refrank", n=0, lineterm=""))
    assert not changed, "\n".join([renew_with("tests/meta/defaults.txt"), *changed])


def test_every_constant_is_the_one_that_is_written_down():
    """To change one on purpose, renew the file, and say so in the changelog."""
    pinned = constants.FILE.read_text(encoding="utf-8").splitlines()
    found = [*constants.list_constants()]
    changed = list(difflib.unified_diff(pinned, found, "constants.txt", "refrank", n=0, lineterm=""))
    assert not changed, "\n".join([renew_with("tests/meta/constants.txt"), *changed])
    assert len(found) > 100


def test_a_constant_is_written_with_all_its_digits():
    assert constants.write_value({"a": (0.1, [1]), 2: np.array([1e-9])}) == "{'a': (0.1, (1)), 2: float64 (1e-09)}"
    with pytest.raises(TypeError, match="neither a number nor a word"):
        constants.write_value((1, len))


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
