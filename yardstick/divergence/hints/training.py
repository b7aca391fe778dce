"""Hints from a record and its training: another choice, another draw, another convention."""

from dataclasses import replace
from typing import Any

import numpy as np

from refrank.igbrt.classification import problem_seeds
from refrank.igbrt.random_forest import bootstrap_counts
from refrank.mcrank.softmax_boosting import proba_of_class
from refrank.metrics import PRESETS, err, ndcg
from refrank.trees.numbers.draws import BOOTSTRAP, below_each, draw, tree_key
from yardstick.divergence.hints.evidence import Evidence
from yardstick.divergence.hints.numbers import COUNTED
from yardstick.divergence.judging import LAWFUL
from yardstick.traces.contest import compare_cuts
from yardstick.traces.stages import Place


def find_stale(evidence: Evidence) -> str | None:
    """Find numbers of the previous round, or probabilities from the beginning of the round."""
    place = evidence.place
    if place.round is None or evidence.stage in COUNTED:  # trees of two rounds may well have equal cuts
        return None
    before = place._replace(round=place.round - 1)
    if place.round > 1 and np.array_equal(evidence.array(evidence.stage, evidence.field, before), evidence.actual):
        return "these are the numbers of the round before: they were not renewed"
    if evidence.stage != "proba" or not place.output:
        return None
    first = place.output - place.output % 2 if evidence.ranker.algorithm == "ordinal" else 0
    other = {"sequential": "simultaneous", "simultaneous": "sequential"}[evidence.ranker.update]
    scores = evidence.judge.inputs["scores"].copy()
    for k in range(scores.shape[1]):
        at = Place(
            round=place.round if other == "sequential" and first + k < place.output else before.round, output=first + k
        )
        scores[:, k] = (
            evidence.array("scores", "values", at)
            if at.round
            else evidence.array("start", "values", Place())[first + k]
        )
    if np.array_equal(proba_of_class(scores, place.output - first), evidence.actual):
        return f'these are the probabilities of update="{other}"'
    return None


def find_rows_on_cuts(evidence: Evidence) -> str | None:
    """Find rows on a cut that go to the wrong side."""
    if evidence.stage != "bins" or evidence.field != "codes" or evidence.at is None:
        return None
    expected, actual, X = evidence.expected, evidence.actual, evidence.data("X")
    offsets, cuts = evidence.array("bins", "offsets", Place()), evidence.array("bins", "cuts", Place())
    wrong = np.argwhere(expected != actual)
    on_cut = 0
    for row, f in wrong:
        own = cuts[int(offsets[f]) - f : int(offsets[f + 1]) - f - 1]
        on_cut += bool((own == X[row, f]).any())
    if on_cut == len(wrong):
        return "all of these rows lie on a cut: x = cut belongs to the bin above it"
    return None


def find_other_cut(evidence: Evidence) -> str | None:
    """Find a cut that another rule chooses."""
    if evidence.stage != "cut" or evidence.at is None or evidence.field not in ("cut", "split_gain"):
        return None
    expected, actual = evidence.expected, evidence.actual
    at = evidence.at[0]
    if evidence.field == "split_gain":
        wrong, right = actual[at], expected[at]
        if right > 0 and 0 < abs(wrong - right) <= 2.0**-40 * right:
            return "the gain is off by rounding: another order of operations, or a fused multiply-add"
        return None
    numbers, sums = (evidence.judge.expected["histogram", evidence.place][name] for name in ("nodes", "sums"))
    [node] = np.flatnonzero(numbers == evidence.array("cut", "nodes")[at])
    offsets = evidence.array("bins", "offsets", Place()).astype(np.int64)
    ranker: Any = getattr(evidence.ranker, "base", evidence.ranker)
    features = np.arange(len(offsets) - 1, dtype=np.int32)
    contest = compare_cuts(np.ascontiguousarray(sums[node], np.int64), offsets, features, ranker.min_samples_leaf)
    feature, bin = int(actual[at, 0]), int(actual[at, 1])
    if expected[at, 0] < 0:
        return "a cut that gains nothing is made: split_gain must be above 0, and both sides large enough"
    if feature < 0:
        return "a cut that gains is not made"
    if contest.holds(feature, bin):
        last = contest.tied[-1]
        if (feature, bin) == (int(last[0]), int(last[2])):
            return "the last of the cuts that tie is taken: the rule is the lowest feature, then the lowest bin"
        return "another of the cuts that tie is taken"
    if (feature, bin) == contest.runner_up:
        return "the second best cut is taken"
    if feature == expected[at, 0] and abs(bin - expected[at, 1]) == 1:
        return "the neighbouring bin: off by one"
    return "a cut that gains less: the gain is computed by another formula, or the best is not kept"


def find_other_tree(evidence: Evidence) -> str | None:
    """Find a tree of a forest that another choice of equal cuts grows."""
    if (evidence.stage, evidence.verdict) != ("tree", LAWFUL):
        return None
    return "cuts tie in this tree, and another of them is taken: the rule is the lowest feature, then the lowest bin"


def find_other_draws(evidence: Evidence) -> str | None:
    """Find draws of another tree, or from another place in the stream."""
    if evidence.stage != "draws" or evidence.place.tree is None:
        return None
    actual, output = evidence.actual, evidence.place.output or 0
    ranker: Any = evidence.ranker
    seed, n_samples = problem_seeds(ranker.random_state, output + 1)[output], len(evidence.actual)
    if int(actual.sum()) != n_samples:
        return f"{int(actual.sum())} rows are drawn: as many as there are rows, {n_samples}, should be"
    key = tree_key(seed, evidence.place.tree, BOOTSTRAP)
    later = below_each(draw(key, np.arange(1, n_samples + 1, dtype=np.uint64)), n_samples)
    if np.array_equal(actual, np.bincount(later, minlength=n_samples)):
        return "these are numbers 1 to n of the stream: numbers count from 0"
    for t in range(evidence.place.tree + 3):
        if t != evidence.place.tree and np.array_equal(actual, bootstrap_counts(seed, t, n_samples)):
            return f"these are the draws of tree {t}: trees count from 0"
    return None


def find_other_convention(evidence: Evidence) -> str | None:
    """Find a metric by another convention, or with another highest grade."""
    if evidence.stage != "metric" or evidence.field not in ("ndcg", "err"):
        return None
    rows = evidence.array("order", "rows", Place())
    position = np.zeros(len(rows))
    position[rows] = np.arange(len(rows))
    y, scores, qid = evidence.data("y"), -position, evidence.data("qid")
    if evidence.field == "err":
        for grade in range(int(evidence.data("y").max()), 9):
            if np.array_equal(err(y, scores, qid, None, "paper", max_grade=grade, per_query=True), evidence.actual):
                return f"this is ERR with highest grade {grade}"
        return None
    base = PRESETS["paper"]
    others = {
        "with gain y": replace(base, name="other", gain="y"),
        "with discount ln(1 + i)": replace(base, name="other", discount="ln(1+i)"),
        **{f"by the convention {name}": spec for name, spec in PRESETS.items() if name != "paper"},
    }
    for difference, spec in others.items():
        if np.array_equal(ndcg(y, scores, qid, 10, spec, per_query=True), evidence.actual, equal_nan=True):
            return f"this is NDCG@10 {difference}"
    for k in range(1, 51):
        if k != 10 and np.array_equal(ndcg(y, scores, qid, k, base, per_query=True), evidence.actual):
            return f"this is NDCG@{k}"
    if np.array_equal(ndcg(y, scores, qid, None, base, per_query=True), evidence.actual):
        return "this is NDCG without a cut-off"
    return None
