"""Cases of McRank's successors: from rows to the scores and trees after a few rounds."""

from typing import Any

from generators.cases.boosting import CLASSES, GRADES, SETTINGS, START, WEIGHT, alter, softmax_boosting
from generators.cases.growing import ALL_TREES, TABLE, concatenate, make_grower
from generators.cases.making import Cases, Family
from refrank.mcrank.robust_logitboost import robust_logitboost
from refrank.trees.model.ensemble import Ensemble

FAMILY = Family("successors", "McRank's successors as a whole: a few rounds on twelve rows.")

ROBUST = FAMILY.function(
    "robust_logitboost",
    "Robust LogitBoost: F of the training rows after the last round, and the trees of all classes, which hold beta.",
    "Li 2010",
    {**TABLE, **CLASSES, **SETTINGS, "start": START},
    {"scores": "float64, (n, n_classes)", **ALL_TREES},
    lambda **input: boost_robustly(**input),
)


def boost_robustly(
    y: Any, n_classes: int, n_leaves: int, n_rounds: int, learning_rate: float, weight: Any, start: Any, **table: Any
) -> Any:
    """Run robust LogitBoost."""
    grow = make_grower(**table, weight=weight, n_leaves=n_leaves)
    run = robust_logitboost(y, n_classes, grow, n_rounds, learning_rate, weight, start)
    turns = [(turn.trees, turn.scores.copy()) for turn in run]
    trees = Ensemble((0.0,) * n_classes, tuple(trees for trees, _ in turns), learning_rate)
    return {"scores": turns[-1][1], **concatenate(trees)}


@FAMILY.part
def list_robust_cases() -> Cases:
    """Yield the cases of robust LogitBoost."""
    faults = {"first-order": lambda **input: softmax_boosting(**input, update="simultaneous")}
    yield from ROBUST.valid("four-classes", GRADES, "Four classes, three rounds.", faults=faults)
    faults = {"weights-ignored": alter(boost_robustly, weight=lambda _: None)}
    yield from ROBUST.valid("weighted", {**GRADES, "weight": WEIGHT}, "Weights, one of them 0.", faults=faults)
    start = [[0.1 * k - 0.02 * i for k in range(4)] for i in range(12)]
    on = {**GRADES, "start": start, "n_rounds": 1}
    yield from ROBUST.valid("going-on", on, "It goes on from the scores of an earlier run.")
