"""Hints: the mistake that a port has made is named, in the words of the table, and no other one is."""

import numpy as np
import pytest

from refrank.trees import engine, splitting
from tests.yardstick.trainings import edit_at, make, put, record, rows_of
from yardstick.divergence.comparing import compare_traces
from yardstick.divergence.hints import find_pattern
from yardstick.divergence.judging import Judgement
from yardstick.planting import plant, read_table
from yardstick.traces.stages import Place

ROUND = Place(round=2, output=0)
SHOWN = [mistake for mistake in read_table() if mistake.find_note("of")]


@pytest.fixture(autouse=True)
def specification(monkeypatch):
    """Train on the specification, in which mistakes are planted."""
    monkeypatch.setattr(engine, "DEFAULT_SPLITTER", splitting)


def find(words):
    """The mistake whose words begin so."""
    [mistake] = [mistake for mistake in read_table() if mistake.words.startswith(words)]
    return mistake


@pytest.mark.usefixtures("mistakes")
@pytest.mark.parametrize("mistake", SHOWN, ids=lambda mistake: mistake.words)
def test_a_mistake_is_named_by_its_words(golden_of, tmp_path, mistake):
    name = mistake.find_note("of")
    with plant(mistake):
        theirs = record(tmp_path / "theirs", make(name), rows=rows_of(name))
    assert compare_traces(golden_of(name), theirs).first.hint == mistake.words


@pytest.mark.usefixtures("mistakes")
def test_two_mistakes_are_both_named(golden_of, tmp_path):
    exp, factor = find("each exp is rounded"), find("the factor (K-1)/K is applied twice")
    with plant(exp), plant(factor):
        theirs = record(tmp_path / "theirs", make("softmax"))
    findings = compare_traces(golden_of("softmax"), theirs).findings
    hints = {of.stage: of.hint for of in findings if of.verdict == "differs"}
    assert hints == {"proba": exp.words, "leaf_values": factor.words, "prediction": exp.words}


def test_a_mistake_in_the_bins_leaves_the_trees_right(golden_of, tmp_path):
    """Rows are ranked by their values, so the scores of the training are not those that rank them."""
    with plant(find("x on a cut belongs to the bin above")):
        theirs = record(tmp_path / "theirs", make("ls"))
    counts = compare_traces(golden_of("ls"), theirs).counts
    assert {stage for stage, of in counts.items() if not of.keys() <= {"agrees", "follows"}} == {"bins", "prediction"}


@pytest.mark.usefixtures("mistakes")
def test_a_mistake_that_other_records_contradict_is_not_named(tmp_path, compare):
    """One step has the numbers of a missing learning rate, and the others have not."""
    golden = record(tmp_path / "golden", make("gbrt").set_params(learning_rate=0.5))
    twice = edit_at("step", ROUND, put("values", ..., lambda values: values * 2))
    assert compare(golden, twice).first.hint == "all values are 2 times the expected ones"


ENTRIES = np.array([0.5, -3.0, 0.0, 7.25, 1.1])
NEAR = np.array([0.5, -8.0, 0.1, 7.25, 1.0])
BITS = "the numbers agree to about"
SUMS = np.array([[[2**50, 3], [-5, 7]]])  # (n, n_slots, 2)
PLACES = np.array([3, 1, 4, 2])


def off(bits):
    return NEAR + np.array([8 * 2.0**-bits, 0, 0, 0, 0])


RENEWED = "these are the numbers of the round before: they were not renewed"
PATTERNS = [  # the stage, both numbers, the words, and the numbers of the round before
    ("step", ENTRIES, ENTRIES * 0.1, "all values are 0.1 times the expected ones"),
    ("residual", ENTRIES, -ENTRIES, "all values are -1 times the expected ones: the sign is wrong"),
    ("residual", ENTRIES, ENTRIES * [2, 2, 2, 3, 2], None),
    ("residual", ENTRIES, ENTRIES * 2 + (ENTRIES == 0), None),  # 0 has become another number
    ("residual", np.zeros(3), np.ones(3), None),
    ("residual", ENTRIES, np.where(ENTRIES == 0, 0, np.inf), None),
    ("tree", ENTRIES, ENTRIES * 2, None),
    ("residual", NEAR, off(50), f"{BITS} 50 bits"),
    ("residual", NEAR, off(16), f"{BITS} 16 bits"),
    ("residual", NEAR, off(15), None),
    ("residual", NEAR, NEAR.astype(np.float32), "the expected values, rounded to float32"),
    ("residual", NEAR, NEAR.astype(np.float32) + 2.0**-20 * (NEAR == -8), f"{BITS} 23 bits: float32"),
    ("histogram", SUMS, SUMS + np.array([2**26, 0]), f"{BITS} 24 bits"),
    ("histogram", SUMS, SUMS + np.array([2**26, 1]), None),
    ("order", PLACES, np.array([4, 2, 5, 3]), "numbers are 1 too high: off by one"),
    ("order", PLACES, np.array([3, 0, 4, 1]), "numbers are 1 too low: off by one"),
    ("order", PLACES, np.array([4, 0, 4, 2]), None),
    ("order", PLACES, np.array([5, 1, 4, 2]), None),
    ("grid", PLACES, np.array([4, 2, 5, 3]), None),
    ("residual", np.zeros((2, 3)), np.zeros(6), None),
    ("cut", np.arange(3), np.array([0, 2]), "of node 1 there is nothing"),
    ("residual", None, ENTRIES, None),
    ("residual", ENTRIES, ENTRIES[::-1], RENEWED, ENTRIES[::-1]),
    ("residual", ENTRIES, ENTRIES[::-1], None, ENTRIES),
    ("cut", PLACES, PLACES[::-1], None, PLACES[::-1]),
]


@pytest.mark.parametrize("case", PATTERNS)
def test_numbers_that_are_alike_are_described(case):
    stage, expected, actual, words, *before = case
    field = {"histogram": "sums", "cut": "nodes"}.get(stage, "values")
    judgement = Judgement(stage, ROUND, "differs", field, expected, actual, (0,))
    assert find_pattern(judgement, *before or [None]) == words
