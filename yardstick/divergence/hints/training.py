"""Hints from a record and its training: another choice, another draw, another convention."""

from dataclasses import replace
from typing import Any

import numpy as np

from refrank.igbrt.random_forest import bootstrap_counts
from refrank.metrics import PRESETS, err, ndcg
from refrank.trees.numbers.draws import BOOTSTRAP, below_each, draw, tree_key
from yardstick.divergence.consequences.evidence import Evidence
from yardstick.divergence.consequences.forest import find_seed
from yardstick.divergence.consequences.growth import rank_cuts_of
from yardstick.divergence.consequences.losses import choose_loss
from yardstick.divergence.judging import LAWFUL, Judgement
from yardstick.traces.contest import Contest
from yardstick.traces.stages import Place


def find_stale(judgement: Judgement, evidence: Evidence) -> str | None:
    """Find numbers of the previous round, or probabilities from the beginning of the round."""
    place, actual = judgement.place, judgement.actual
    if place.round is None or actual is None:
        return None
    if place.round > 1:
        before = evidence.array(judgement.stage, place._replace(round=place.round - 1), judgement.field)
        if np.array_equal(before, actual):
            return "these are the numbers of the round before: they were not renewed"
    if judgement.stage != "proba":
        return None
    if evidence.ranker.algorithm in ("softmax", "ordinal") and place.output:
        trained: Any = evidence.ranker
        parameters = trained.get_params(deep=False)
        other = {"sequential": "simultaneous", "simultaneous": "sequential"}[parameters["update"]]
        ranker = type(trained)(**{**parameters, "update": other})
        compute = choose_loss(Evidence(ranker, evidence.golden, evidence.theirs)).proba
        if compute is not None and np.array_equal(compute(place.round, place.output), actual):
            return f'these are the probabilities of update="{other}"'
    return None


def find_rows_on_cuts(judgement: Judgement, evidence: Evidence) -> str | None:
    """Find rows on a cut that go to the wrong side."""
    if judgement.stage != "bins" or judgement.field != "codes" or judgement.index is None:
        return None
    expected, actual, X = judgement.expected, judgement.actual, evidence.data("X")
    assert expected is not None
    assert actual is not None
    offsets, cuts = evidence.array("bins", Place(), "offsets"), evidence.array("bins", Place(), "cuts")
    wrong = np.argwhere(expected != actual)
    on_cut = 0
    for row, f in wrong:
        own = cuts[int(offsets[f]) - f : int(offsets[f + 1]) - f - 1]
        on_cut += bool((own == X[row, f]).any())
    if on_cut == len(wrong):
        return "all of these rows lie on a cut: x = cut belongs to the bin above it"
    return None


def find_other_cut(judgement: Judgement, evidence: Evidence) -> str | None:
    """Find a cut that another rule chooses."""
    if judgement.stage != "cut" or judgement.index is None or judgement.field not in ("cut", "split_gain"):
        return None
    expected, actual = judgement.expected, judgement.actual
    assert expected is not None
    assert actual is not None
    at = judgement.index[0]
    if judgement.field == "split_gain":
        wrong, right = actual[at], expected[at]
        if right > 0 and 0 < abs(wrong - right) <= 2.0**-40 * right:
            return "the gain is off by rounding: another order of operations, or a fused multiply-add"
        return None
    contest: Contest = rank_cuts_of(evidence, judgement.place, at)
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


def find_other_tree(judgement: Judgement, evidence: Evidence) -> str | None:
    """Find a tree of a forest that another choice of equal cuts grows."""
    if (judgement.stage, judgement.verdict) != ("tree", LAWFUL):
        return None
    return "cuts tie in this tree, and another of them is taken: the rule is the lowest feature, then the lowest bin"


def find_other_draws(judgement: Judgement, evidence: Evidence) -> str | None:
    """Find draws of another tree, or from another place in the stream."""
    if judgement.stage != "draws" or judgement.actual is None or judgement.place.tree is None:
        return None
    actual, output = judgement.actual, judgement.place.output or 0
    seed, n_samples = find_seed(evidence, output), len(judgement.actual)
    if int(actual.sum()) != n_samples:
        return f"{int(actual.sum())} rows are drawn: as many as there are rows, {n_samples}, should be"
    key = tree_key(seed, judgement.place.tree, BOOTSTRAP)
    later = below_each(draw(key, np.arange(1, n_samples + 1, dtype=np.uint64)), n_samples)
    if np.array_equal(actual, np.bincount(later, minlength=n_samples)):
        return "these are numbers 1 to n of the stream: numbers count from 0"
    for t in range(judgement.place.tree + 3):
        if t != judgement.place.tree and np.array_equal(actual, bootstrap_counts(seed, t, n_samples)):
            return f"these are the draws of tree {t}: trees count from 0"
    return None


def find_other_convention(judgement: Judgement, evidence: Evidence) -> str | None:
    """Find a metric by another convention, or with another highest grade."""
    if judgement.stage != "metric" or judgement.field not in ("ndcg", "err") or judgement.actual is None:
        return None
    rows = evidence.array("order", Place(), "rows")
    position = np.zeros(len(rows))
    position[rows] = np.arange(len(rows))
    y, scores, qid = evidence.data("y"), -position, evidence.data("qid")
    if judgement.field == "err":
        for grade in range(int(evidence.data("y").max()), 9):
            if np.array_equal(err(y, scores, qid, None, "paper", max_grade=grade, per_query=True), judgement.actual):
                return f"this is ERR with highest grade {grade}"
        return None
    base = PRESETS["paper"]
    others = {
        "with gain y": replace(base, name="other", gain="y"),
        "with discount ln(1 + i)": replace(base, name="other", discount="ln(1+i)"),
        **{f"by the convention {name}": spec for name, spec in PRESETS.items() if name != "paper"},
    }
    for difference, spec in others.items():
        if np.array_equal(ndcg(y, scores, qid, 10, spec, per_query=True), judgement.actual, equal_nan=True):
            return f"this is NDCG@10 {difference}"
    for k in range(1, 51):
        if k != 10 and np.array_equal(ndcg(y, scores, qid, k, base, per_query=True), judgement.actual):
            return f"this is NDCG@{k}"
    if np.array_equal(ndcg(y, scores, qid, None, base, per_query=True), judgement.actual):
        return "this is NDCG without a cut-off"
    return None
