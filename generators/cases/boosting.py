"""Cases of McRank's whole algorithms: from rows to the scores and trees after a few rounds."""

from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from generators.cases.growing import ALL_TREES, TABLE, concatenate, make_grower
from generators.cases.making import Cases, Family, Named
from refrank.mcrank import ordinal_boosting as ordinal
from refrank.mcrank.huber_boosting import make_huber_loss
from refrank.mcrank.lad_boosting import LAD as LAD_LOSS
from refrank.mcrank.loss_boosting import boost
from refrank.mcrank.ls_boosting import ls_boosting
from refrank.mcrank.ordinal_boosting import cumulative_proba_of, ordinal_boosting
from refrank.mcrank.softmax_boosting import softmax_boosting_sequential, softmax_boosting_simultaneous
from refrank.trees.model.ensemble import Ensemble

FAMILY = Family("boosting", "McRank's algorithms as a whole: a few rounds on twelve rows.")

SETTINGS = {
    "n_leaves": "J, an integer",
    "n_rounds": "M, an integer",
    "learning_rate": "nu, float64",
    "weight": "float64, (n,), or null",
}
CLASSES = {"y": "classes, int64, (n,)", "n_classes": "K, an integer"}
START = "scores of an earlier run, to go on from, or null: 0"
SOFTMAX = FAMILY.function(
    "softmax_boosting",
    "Algorithm 1: F of the training rows after the last round, and the trees of all classes, whose leaves hold beta.",
    "McRank Alg. 1",
    {**TABLE, **CLASSES, **SETTINGS, "update": '"sequential" or "simultaneous"', "start": START},
    {"scores": "float64, (n, n_classes)", **ALL_TREES},
    lambda **input: softmax_boosting(**input),
)
ORDINAL = FAMILY.function(
    "ordinal_boosting",
    "Sec. 4: Pr(y <= k) of the training rows after the last round, and the trees, problem by problem in each round.",
    "McRank Sec. 4",
    {
        **TABLE,
        **CLASSES,
        **SETTINGS,
        "trees": '"both" trees of a problem, or "one"; the other mirrors it',
        "start": START,
    },
    {"cumulative_proba": "float64, (n, n_classes - 1)", **ALL_TREES},
    lambda **input: boost_ordinal(**input),
)
REGRESSION = {"target": "y~, float64, (n,)", **SETTINGS, "start": START}
OUTCOME = {"initial": "float64", "scores": "float64, (n,)", **ALL_TREES}
LS = FAMILY.function(
    "ls_boosting",
    "Algorithm 2: the first score, the scores of the training rows after the last round, and the trees.",
    "McRank Alg. 2",
    {**TABLE, **REGRESSION},
    OUTCOME,
    lambda **input: regress(ls_boosting, **input),
)
LAD = FAMILY.function(
    "lad_boosting",
    "Least absolute deviation: the first score, the scores of the training rows after the last round, and the trees.",
    "Friedman 2001 Alg. 3",
    {**TABLE, **REGRESSION},
    OUTCOME,
    lambda **input: regress(partial(boost, LAD_LOSS), **input),
)
HUBER = FAMILY.function(
    "huber_boosting",
    "Huber's loss: the first score, the scores of the training rows after the last round, and the trees.",
    "Friedman 2001 Alg. 4",
    {**TABLE, **REGRESSION, "share": "alpha: the share of the rows whose residuals count squared, float64, in (0, 1]"},
    OUTCOME,
    lambda **input: regress_by_huber(**input),
)
CUMULATIVE = FAMILY.function(
    "cumulative_proba",
    "Pr(y <= k) from the scores of the problems that are learned, and the constants of the others.",
    "McRank Sec. 4",
    {
        "scores": "float64, (n, m): F of each learned problem, both classes, or F_0 alone, where F_1 = -F_0",
        "constants": "float64, (n_classes - 1,): 0 or 1 where a group is empty, nan where the problem is learned",
    },
    {"cumulative_proba": "float64, (n, n_classes - 1)"},
    lambda scores, constants: cumulative_proba_of(scores, tuple(None if c != c else c for c in constants.tolist())),
)


def softmax_boosting(
    y: Any,
    n_classes: int,
    n_leaves: int,
    n_rounds: int,
    learning_rate: float,
    weight: Any,
    update: str,
    start: Any,
    **table: Any,
) -> Any:
    """Run Algorithm 1."""
    boost = softmax_boosting_sequential if update == "sequential" else softmax_boosting_simultaneous
    grow = make_grower(**table, weight=weight, n_leaves=n_leaves)
    turns = [
        (turn.trees, turn.scores.copy()) for turn in boost(y, n_classes, grow, n_rounds, learning_rate, weight, start)
    ]
    trees = Ensemble((0.0,) * n_classes, tuple(trees for trees, _ in turns), learning_rate)
    return {"scores": turns[-1][1], **concatenate(trees)}


def boost_ordinal(
    y: Any,
    n_classes: int,
    n_leaves: int,
    n_rounds: int,
    learning_rate: float,
    weight: Any,
    trees: str,
    start: Any,
    **table: Any,
) -> Any:
    """Run Sec. 4."""
    grow = make_grower(**table, weight=weight, n_leaves=n_leaves)
    binary = ordinal.binary_sequential if trees == "both" else ordinal.binary_mirrored
    binary = partial(binary, starts=None if start is None else [*start])
    run = ordinal_boosting(y, n_classes, grow, n_rounds, learning_rate, weight, binary=binary)
    turns = [(tuple(chain(*turn.trees)), turn.cumulative_proba.copy()) for turn in run]
    grown = Ensemble((0.0,) * len(turns[0][0]), tuple(trees for trees, _ in turns), learning_rate)
    return {"cumulative_proba": turns[-1][1], **concatenate(grown)}


def regress(
    boost: Any, target: Any, n_leaves: int, n_rounds: int, learning_rate: float, weight: Any, start: Any, **table: Any
) -> Any:
    """Run Algorithm 2, or Friedman's Algorithm 3."""
    grow = make_grower(**table, weight=weight, n_leaves=n_leaves)
    first, *turns = boost(target, grow, n_rounds, learning_rate, weight, start)
    trees = Ensemble((0.0,), tuple((turn.tree,) for turn in turns), learning_rate)
    return {"initial": first.scores[0], "scores": turns[-1].scores, **concatenate(trees)}


def regress_by_huber(share: float, **input: Any) -> Any:
    """Run Friedman's Algorithm 4."""
    return regress(partial(boost, make_huber_loss(share)), **input)


def alter(compute: Any, **changes: Any) -> Any:
    """Make a fault that replaces some inputs."""
    return lambda **input: compute(**{**input, **{name: change(input) for name, change in changes.items()}})


X = [[float((5 * i) % 12), float((i * i) % 7), float(i // 4)] for i in range(12)]
Y = [0, 2, 1, 3, 0, 1, 2, 2, 0, 1, 3, 0]
WEIGHT = [1.0, 0.5, 2.0, 0.0, 1.0, 1.5, 0.25, 1.0, 3.0, 1.0, 0.1, 1.0]
BASE: dict[str, Any] = {
    **{"X": X, "n_bins": 256, "binning": "exact", "n_leaves": 3},
    **{"n_rounds": 3, "learning_rate": 0.1, "weight": None, "start": None},
}
GRADES = {**BASE, "y": Y, "n_classes": 4}
PLAIN = "shrinkage-missing leaves-one-more last-round-missing"


@FAMILY.part
def list_softmax_cases() -> Cases:
    """Yield the cases of Algorithm 1."""
    for update in ("sequential", "simultaneous"):
        input = {**GRADES, "update": update}
        other = {"sequential": "simultaneous", "simultaneous": "sequential"}[update]
        faults: Named = {f"updated-{other}": alter(softmax_boosting, update=lambda _, o=other: o)}
        yield from SOFTMAX.valid(update, input, f"Four classes, three rounds, {update}.", faults=faults, mutants=PLAIN)
        weighted = {**input, "weight": WEIGHT, "n_rounds": 2}
        faults = {"weights-ignored": alter(softmax_boosting, weight=lambda _: None)}
        yield from SOFTMAX.valid(f"{update}-weighted", weighted, "Weights, one of them 0.", faults=faults)
        start = [[0.1 * k - 0.02 * i for k in range(4)] for i in range(12)]
        on = {**input, "start": start, "n_rounds": 1}
        yield from SOFTMAX.valid(f"{update}-going-on", on, "It goes on from the scores of an earlier run.")
        two = {**input, "y": [int(label > 1) for label in Y], "n_classes": 2, "n_rounds": 2}
        yield from SOFTMAX.valid(f"{update}-two-classes", two, "K = 2.")
        empty = {**input, "n_classes": 5, "n_rounds": 2}
        yield from SOFTMAX.valid(f"{update}-empty-class", empty, "No row has class 4.")
    tied = {**GRADES, "X": [[1.0]] * 12, "update": "sequential", "n_rounds": 1}
    yield from SOFTMAX.valid("everything-tied", tied, "No feature parts the rows: roots only.")
    yield from SOFTMAX.valid("one-row", {**tied, "X": [[1.0]], "y": [2], "n_rounds": 2}, "One row.")


@FAMILY.part
def list_ordinal_cases() -> Cases:
    """Yield the cases of Sec. 4."""
    for trees in ("both", "one"):
        input = {**GRADES, "trees": trees}
        yield from ORDINAL.valid(trees, input, f"Three problems; trees: {trees}.", mutants=PLAIN)
        yield from ORDINAL.valid(f"{trees}-weighted", {**input, "weight": WEIGHT, "n_rounds": 2}, "With weights.")
        sided = {**input, "y": [2 if label == 3 else max(label, 1) for label in Y], "n_rounds": 2}
        yield from ORDINAL.valid(
            f"{trees}-empty-classes", sided, "Grades 0 and 3 do not occur: only y <= 1 is learned."
        )
        start = [[[0.01 * i, -0.01 * i] for i in range(12)] for _ in range(3)]
        on = {**input, "start": start, "n_rounds": 1}
        yield from ORDINAL.valid(f"{trees}-going-on", on, "It goes on from the scores of an earlier run.")
    nan = float("nan")
    both = {"scores": [[0.5, -0.5, 1.0, -0.25], [0.0, 0.0, -2.0, 2.0]], "constants": [0.0, nan, nan, 1.0]}
    yield from CUMULATIVE.valid("both", both, "Two problems are learned, with both classes.")
    single = {"scores": [[0.5, 1.0], [0.0, -2.0]], "constants": [nan, 0.0, nan]}
    yield from CUMULATIVE.valid("one", single, "F_0 alone: F_1 = -F_0.")


@FAMILY.part
def list_regression_cases() -> Cases:
    """Yield the cases of Algorithm 2 and of Friedman's Algorithm 3."""
    target = [float(2**label - 1) for label in Y]
    for function, algorithm, name in ((LS, ls_boosting, "ls"), (LAD, partial(boost, LAD_LOSS), "lad")):
        compute = partial(regress, algorithm)
        input = {**BASE, "target": target}
        yield from function.valid("plain", input, "Three rounds of three leaves.", mutants=f"{PLAIN} start-at-0")
        weighted = {**input, "weight": WEIGHT}
        faults: Named = {"weights-ignored": alter(compute, weight=lambda _: None)}
        yield from function.valid("weighted", weighted, "With weights.", faults=faults)
        on = {**input, "start": [0.25 * i for i in range(12)], "n_rounds": 1}
        yield from function.valid("going-on", on, "It goes on from the scores of an earlier run.")
        constant = {**input, "target": [0.3] * 12, "n_rounds": 1}
        yield from function.valid("constant-target", constant, "The first score is the target, up to the grid.")
        bad = {**input, "target": [np.inf, *target[1:]]}
        if name == "ls":
            yield from function.refused("infinite-target", bad, "No sum of it has a grid.")


@FAMILY.part
def list_huber_cases() -> Cases:
    """Yield the cases of Friedman's Algorithm 4."""
    input = {**BASE, "target": [float(2**label - 1) for label in Y], "share": 0.75}
    faults: Named = {"break-point-missing": alter(regress_by_huber, share=lambda _: 1.0)}
    yield from HUBER.valid("plain", input, "Three rounds of three leaves.", faults=faults, mutants=PLAIN)
    faults = {"weights-ignored": alter(regress_by_huber, weight=lambda _: None)}
    yield from HUBER.valid("weighted", {**input, "weight": WEIGHT}, "With weights.", faults=faults)
    yield from HUBER.valid("all-squared", {**input, "share": 1.0}, "Every residual counts squared.")
    flat = {**input, "target": [1.0] * 10 + [3.0, 7.0], "share": 0.5}
    yield from HUBER.valid("no-break-point", flat, "delta is 0: no tree is cut.")
