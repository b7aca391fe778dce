"""The contract for ports: every default and every constant that figures or bits depend on is written out here."""

import difflib

import numpy as np
import pytest

from refrank.cocr import costs
from refrank.cocr.m5p import weights
from refrank.trees.growth import mean_leaves
from tests.meta import constants
from tests.meta.defaults import FILE, list_defaults
from tests.regenerate import renew_with


def compare(pinned, listed):
    """To change a line on purpose, renew the file, and say so in the changelog."""
    lines = pinned.read_text(encoding="utf-8").splitlines()
    return [*difflib.unified_diff(lines, listed, pinned.name, "refrank", n=0, lineterm="")]


def test_every_default_is_the_one_that_is_written_down():
    changed = compare(FILE, [*list_defaults()])
    assert not changed, "\n".join([renew_with("tests/meta/defaults.txt"), *changed])


def test_every_constant_is_the_one_that_is_written_down():
    listed = [*constants.list_constants()]
    changed = compare(constants.FILE, listed)
    assert not changed, "\n".join([renew_with("tests/meta/constants.txt"), *changed])
    assert len(listed) > 100
    names = {line.split(" = ")[0].rpartition(".")[2] for line in listed}
    assert {"COEFFICIENTS", "LOWEST", "PRESETS"} <= names  # the series of exp; the conventions of metrics


def test_a_constant_is_written_with_all_its_digits():
    assert constants.write_value({"a": (0.1, [1]), 2: np.array([1e-9])}) == "{'a': (0.1, (1)), 2: float64 (1e-09)}"
    with pytest.raises(TypeError, match="neither a number nor a word"):
        constants.write_value((1, len))


def test_the_ways_of_missing_and_weighing_are_these():
    assert {name: way.flag for name, way in mean_leaves.THREE_WAY.items()} == {"parting": 1, "rt-rank": 2}
    assert [*costs.COSTS] == ["absolute", "squared", "oerr"]
    assert [*weights.WEIGHTINGS] == ["importance", "weka", "counts"]
