"""The table "Limits" of docs/reference/numerics.md has the numbers of the code, in the order of its sentence."""

import re
from pathlib import Path

import pytest

from refrank import checks, kernel
from refrank.cocr.costs import LARGEST_MAX_GRADE
from refrank.estimators import base_learners, counted_bags, m5p
from refrank.mcrank.pairwise_gradients import MOST_PAIRS
from refrank.metrics import significance
from refrank.trees.bins.binning import MOST_BINS
from refrank.trees.bins.cuts import INITIAL_LENGTH
from refrank.trees.growth.grower import MOST_HELD
from refrank.trees.model.tree import MOST_LEAVES
from refrank.trees.numbers.draws import MASK

ROOT = Path(__file__).parents[2]
NUMBER = r"\d+\^\d+(?: - 1)?|1e-?\d+|\d(?:[\d,]*\d)?(?: [GM]i?B)?|\beight\b"
UNITS = {"GiB": 2**30, "MB": 10**6, "": 1}
INT32, GRADES = checks.LARGEST_COUNT, checks.MOST_STATED_CLASSES
SLOTS = re.search(r"MOST_SHARED = 1 << (\d+)", (ROOT / "refrank" / "kernel" / "root_sums.pxi").read_text())[1]
LIMITS = {
    "rows, columns": [INT32],
    "integers": [INT32, MOST_BINS, MOST_BINS],
    "leaves of a tree": [MOST_LEAVES, MOST_LEAVES, 2, 2 * MOST_LEAVES - 1],
    "seeds": [checks.LARGEST_SEED, MASK.bit_length(), checks.LARGEST_SEED.bit_length()],
    "classes": [checks.MOST_CLASSES - 1, GRADES, LARGEST_MAX_GRADE + 1, 10**9, 2 ** (GRADES - 1)],
    "threads": [kernel.MOST_PER_CORE],
    "memory of a tree's histograms": [MOST_HELD, 100_000, 256, round(100_000 * 256 * 16, -7)],
    "memory of the kernel's threads": [2 ** int(SLOTS), 32],
    "queries of RankNet and LambdaRank": [int(MOST_PAIRS**0.5), MOST_PAIRS],
    "targets of regression, and values of the leaves of a model file": [checks.LARGEST_SUMMED, INT32 + 1],
    "scores in `refrank.bounds`": [checks.LARGEST_SUMMED, INT32 + 1],
    "values of queries in tests of significance": [significance.LARGEST, float(f"{1 / significance.LARGEST:g}"), 0],
    "features of a net": [checks.LARGEST_SUMMED, float(f"{1 / checks.LARGEST_SUMMED:g}"), 0, INT32 + 1],
    "features and targets of M5P": [m5p.LARGEST],
    "features of trees": [INITIAL_LENGTH],
    "a pipe, a device, standard input": [],  # a tenth, in words
    "sample weights of COCR over scikit-learn's bags": [base_learners.MOST_COUNTED, counted_bags.BLOCK, 10],
    "the same, where the bag's estimator takes no weights, with `oob_score=True` or `bootstrap=False`, and over "
    "scikit-learn's forests": [base_learners.MOST_LISTED, 24],
}


def read_limits():
    """The rows of the table, by how they begin."""
    page = (ROOT / "docs" / "reference" / "numerics.md").read_text(encoding="utf-8")
    text = page.split("\n## Limits\n")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")][2:]
    return {row[0].split(", such as")[0]: " | ".join(row[1:]) for row in rows}


def read_number(text):
    """The number that a sentence writes."""
    if text == "eight":
        return 8
    if power := re.fullmatch(r"(\d+)\^(\d+)( - 1)?", text):
        return int(power[1]) ** int(power[2]) - bool(power[3])
    digits, _, unit = text.partition(" ")
    return float(digits) if "e" in digits else int(digits.replace(",", "")) * UNITS[unit]


def test_every_row_is_held():
    assert list(read_limits()) == list(LIMITS)


@pytest.mark.parametrize("row", LIMITS)
def test_the_numbers_of_a_row_are_those_of_the_code(row):
    sentence = re.sub(r"int32|float64", "", read_limits()[row])
    assert [read_number(one) for one in re.findall(NUMBER, sentence)] == LIMITS[row]
