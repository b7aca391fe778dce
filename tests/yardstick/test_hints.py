"""Hints, rule by rule: numbers that fit a pattern have its words, and those that nearly do have not."""

import math
from functools import cache

import numpy as np
import pytest

from refrank.igbrt.random_forest import bootstrap_counts
from refrank.metrics import err, ndcg
from tests.yardstick.trainings import DATA, X
from yardstick.divergence.comparison import Mode
from yardstick.divergence.findings import Findings, make_ranker
from yardstick.divergence.hints.finding import find_hint
from yardstick.divergence.judging import Judgement
from yardstick.traces.contest import compare_cuts
from yardstick.traces.records import index_records
from yardstick.traces.stages import Place

ROUND, TREE = Place(round=1, output=0), Place(tree=1, output=0)
ENTRIES = np.array([0.5, -3.0, 0.0, 7.25, 1.0])


@pytest.fixture(scope="module")
def evidence(golden_of):
    """The ranker of a training, and the judge of a port that tells nothing; made once for each."""

    def judge(name):
        golden = golden_of(name)
        findings = Findings(make_ranker(golden.manifest, name), {}, None, Mode())
        assert findings.repeat(index_records(golden))
        return findings

    return cache(judge)


def hint(findings, stage, expected, actual, place=ROUND, field="values", index=(0,)):
    judgement = Judgement(stage, place, "differs", field, expected, actual, index)
    return find_hint(judgement, findings.judge, findings.ranker)


# --- numbers alone ---------------------------------------------------------------------------------------------------

FACTORS = [  # the training, the stage, the factor, and what is said after "all values are ... times the expected ones"
    ("gbrt", "step", 0.1, ": the learning rate, 0.1, is applied twice"),
    ("gbrt", "prediction", 10.0, ": the learning rate, 0.1, is not applied"),
    ("gbrt", "residual", 10.0, ""),
    ("gbrt", "residual", -1.0, ": the sign is wrong"),
    ("gbrt", "step", -10.0, ": the learning rate, 0.1, is not applied, and the sign is wrong"),
    ("gbrt", "step", -7.0, ""),
    ("gbrt", "residual", 2.0, ": a factor 2 too many"),
    ("gbrt", "residual", 0.5, ": a factor 2 is missing"),
    ("gbrt", "metric", math.log(2), ": a logarithm to base 2 where the natural one belongs"),
    ("gbrt", "metric", 1 / math.log(2), ": a natural logarithm where that to base 2 belongs"),
    ("gbrt", "leaf_values", 4 / 5, ""),
    ("softmax", "leaf_values", 4 / 5, ": the factor (K - 1) / K = 4/5 is applied twice"),
    ("softmax", "step", 5 / 4, ": the factor (K - 1) / K = 4/5 is forgotten"),
    ("softmax", "scores", 5 / 4, ""),
    ("ordinal", "step", 2.0, ": the factor (K - 1) / K = 1/2 is forgotten"),
]


@pytest.mark.parametrize(("name", "stage", "times", "meaning"), FACTORS)
def test_a_factor_is_named(evidence, name, stage, times, meaning):
    given = evidence(name)
    given.ranker.set_params(learning_rate=0.1)
    words = hint(given, stage, ENTRIES, ENTRIES * times)
    assert words == f"all values are {times:.6g} times the expected ones{meaning}"


def test_what_is_not_one_factor_has_no_such_hint(evidence):
    given = evidence("gbrt")
    cases = [
        ("residual", ENTRIES, ENTRIES * [2, 2, 2, 3, 2]),
        ("residual", ENTRIES, np.array([1.0, -6.0, 0.5, 14.5, 2.0])),  # 0 has become another number
        ("residual", np.zeros(3), np.ones(3)),
        ("histogram", ENTRIES, ENTRIES * 2),
        ("residual", ENTRIES, np.where(ENTRIES == 0, 0, np.inf)),
    ]
    for stage, expected, actual in cases:
        with np.errstate(invalid="ignore"):
            assert "times" not in str(hint(given, stage, expected, actual))


BITS = "the numbers agree to about"
SUMS = [  # the stage, by how much of the largest entry another one is off, and what is said
    ("residual", 2.0**-50, f"{BITS} 50 bits"),
    ("residual", 2.0**-40, f"{BITS} 40 bits"),
    ("residual", 2.0**-39, f"{BITS} 39 bits"),
    ("residual", 2.0**-28, f"{BITS} 28 bits"),
    ("residual", 2.0**-27, f"{BITS} 27 bits"),
    ("residual", 2.0**-16, f"{BITS} 16 bits"),
    ("residual", 2.0**-15, None),
    ("residual", np.inf, None),
    ("bins", 2.0**-40, None),
]


@pytest.mark.parametrize(("stage", "off", "words"), SUMS)
def test_agreeing_bits_are_counted(evidence, stage, off, words):
    x = np.array([0.5, -8.0, 0.1, 7.25, 1.0])
    actual = x.copy()
    actual[0] += 8 * off
    assert hint(evidence("gbrt"), stage, x, actual) == words


def test_bits_of_a_histogram_are_those_of_its_residuals(evidence):
    sums = np.array([[[2**50, 3], [-5, 7]]])  # (n, n_slots, 2)
    for change, words in (([2**26, 0], f"{BITS} 24 bits: float32"), ([2**26, 1], None), ([0, 3], None)):
        actual = sums.copy()
        actual[0, 0] += change
        assert hint(evidence("gbrt"), "histogram", sums, actual, field="sums", index=(0, 0, 0)) == words


def test_rounding_to_float32_is_named(evidence):
    x = np.array([0.5, -8.0, 0.1, 7.25, 1.0])
    actual = x.astype(np.float32).astype(np.float64)
    assert hint(evidence("gbrt"), "residual", x, actual) == "the expected values, rounded to float32"


SHIFTS = [
    ("order", [3, 1, 4, 2], [4, 2, 5, 3], "all numbers are 1 too high: off by one"),
    ("order", [3, 1, 4, 2], [3, 0, 4, 1], "2 of 4 numbers are 1 too low: off by one"),
    ("order", [3, 1, 4, 2], [4, 0, 4, 2], None),
    ("order", [3, 1, 4, 2], [5, 1, 4, 2], None),
    ("order", [3, 1, 4, 2], [9, 3, 1, 4], "the expected numbers, one place further: off by one"),
    ("order", [3, 1, 4, 2], [1, 4, 2, 9], "the expected numbers, one place further: off by one"),
    ("grid", [3, 1, 4, 2], [4, 2, 5, 3], None),
    ("order", [3], [4], None),
]


@pytest.mark.parametrize(("stage", "expected", "actual", "words"), SHIFTS)
def test_numbers_off_by_one_are_counted(evidence, stage, expected, actual, words):
    assert hint(evidence("gbrt"), stage, np.array(expected), np.array(actual)) == words


def test_other_shapes_are_told(evidence):
    given = evidence("gbrt")
    assert hint(given, "residual", np.zeros((2, 3)), np.zeros(6)) == "shape (6,) in place of (2, 3)"
    words = hint(given, "partition", np.arange(3), np.arange(4), field="nodes")
    assert words == "the tree ends with 5 leaves, in place of 4"
    assert hint(given, "partition", np.arange(3), np.arange(4), field="rows") == "shape (4,) in place of (3,)"
    assert hint(given, "residual", None, ENTRIES) is None


# --- numbers beside a training ---------------------------------------------------------------------------------------


def test_numbers_of_the_round_before_are_named(evidence):
    given = evidence("gbrt")
    before, now = (given.judge.array("residual", Place(round=m, output=0), "values") for m in (1, 2))
    second = Place(round=2, output=0)
    words = "these are the numbers of the round before: they were not renewed"
    assert hint(given, "residual", now, before, second) == words
    assert hint(given, "residual", now, now[::-1].copy(), second) != words


def test_rows_on_a_cut_are_named(evidence):
    given = evidence("gbrt")
    codes, offsets, cuts = (given.judge.array("bins", Place(), name) for name in ("codes", "offsets", "cuts"))
    on_cut = [
        (row, f)
        for row, f in np.ndindex(X.shape)
        if X[row, f] in cuts[int(offsets[f]) - f : int(offsets[f + 1]) - f - 1]
    ]
    actual = codes.astype(np.int64)
    for at in on_cut[:2]:
        actual[at] -= 1
    words = "all of these rows lie on a cut: x = cut belongs to the bin above it"
    assert hint(given, "bins", codes.astype(np.int64), actual, Place(), "codes") == words
    actual[next(at for at in np.ndindex(X.shape) if at not in on_cut)] -= 1
    words = f"3 of {codes.size} numbers are 1 too low: off by one"
    assert hint(given, "bins", codes.astype(np.int64), actual, Place(), "codes") == words


def test_another_cut_is_named(evidence):
    given = evidence("gbrt")
    cut, gain = given.judge.array("cut", ROUND, "cut"), given.judge.array("cut", ROUND, "split_gain")
    sums, offsets = given.judge.array("histogram", ROUND, "sums")[0], given.judge.array("bins", Place(), "offsets")
    contest = compare_cuts(sums, offsets, np.arange(X.shape[1], dtype=np.int32), 1)
    f, b = cut[0, :2].tolist()

    def hint_of(feature, bin):
        actual = cut.copy()
        actual[0, :2] = feature, bin
        return hint(given, "cut", cut, actual, field="cut", index=(0, 0))

    assert hint_of(*contest.runner_up) == "the second best cut is taken"
    assert hint_of(-1, -1) == "a cut that gains is not made"
    beside = next(bin for bin in (b - 1, b + 1) if (f, bin) != contest.runner_up and not contest.holds(f, bin))
    assert hint_of(f, beside) == "the neighbouring bin: off by one"
    assert hint_of(f + 1, b + 1).startswith("a cut that gains less")
    assert hint_of(f, b + 2).startswith("a cut that gains less")
    none = cut.copy()
    none[0, 0] = -1
    assert hint(given, "cut", none, cut, field="cut", index=(0, 0)).startswith("a cut that gains nothing is made")
    off = gain.copy()
    off[0] = np.nextafter(off[0], np.inf)
    rounding = "the gain is off by rounding: another order of operations, or a fused multiply-add"
    assert hint(given, "cut", gain, off, field="split_gain") == rounding
    off[0] = gain[0] * (1 + 2.0**-30)
    assert hint(given, "cut", gain, off, field="split_gain") is None


def test_other_draws_are_named(evidence):
    given = evidence("rf")
    seed, n = given.ranker.random_state, len(X)
    right = given.judge.array("draws", TREE, "counts")
    assert right.tolist() == bootstrap_counts(seed, 1, n).tolist()
    for tree, words in ((0, "the draws of tree 0"), (2, "the draws of tree 2"), (3, "the draws of tree 3")):
        assert words in hint(given, "draws", right, bootstrap_counts(seed, tree, n), TREE, "counts")
    short = right.copy()
    short[np.flatnonzero(right)[0]] -= 1
    words = f"{n - 1} rows are drawn: as many as there are rows, {n}, should be"
    assert hint(given, "draws", right, short, TREE, "counts") == words


def test_other_conventions_are_named(evidence):
    given = evidence("gbrt")
    rows, y = given.judge.array("order", Place(), "rows"), DATA.y
    scores = np.zeros(len(y))
    scores[rows] = -np.arange(len(y))
    expected = given.judge.array("metric", Place(), "ndcg")

    def hint_of(actual, field="ndcg"):
        return hint(given, "metric", expected, actual, Place(), field)

    for k, words in ((5, "this is NDCG@5"), (9, "this is NDCG@9")):
        assert hint_of(ndcg(y, scores, DATA.qid, k, "paper", per_query=True)) == words
    for grade in (5, 8):
        actual = err(y, scores, DATA.qid, None, "paper", max_grade=grade, per_query=True)
        assert hint_of(actual, "err") == f"this is ERR with highest grade {grade}"
