"""Cases of McRank's successors: from rows to the scores and trees after a few rounds."""

from typing import Any

from generators.cases.boosting import BASE, CLASSES, GRADES, SETTINGS, START, WEIGHT, Y, alter, softmax_boosting
from generators.cases.growing import ALL_TREES, TABLE, concatenate, make_grower
from generators.cases.making import Cases, Family
from refrank.mcrank.abc_logitboost import CHOOSE, make_abc_logitboost
from refrank.mcrank.lambdamart import lambdamart
from refrank.mcrank.query_lambdas import prepare_queries
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
ABC = FAMILY.function(
    "abc_logitboost",
    "ABC-LogitBoost: what each base class taught each other class, of the training rows, and the trees, with beta.",
    "Li 2010",
    {**TABLE, **CLASSES, **SETTINGS, "start": START, "base_class": '"best" or "worst"'},
    {"scores": "float64, (n, n_classes (n_classes - 1)): base class after base class", **ALL_TREES},
    lambda **input: boost_robustly(**input),
)
QUERIES = {"y": "grades, int64, (n,)", "qid": "query of each row, int64, (n,)"}
LAMBDAS = FAMILY.function(
    "query_lambdas",
    "lambda and w of each document: sums over the pairs of its query.",
    "Burges 2010 Sec. 4",
    {**QUERIES, "score": "s, float64, (n,)", "truncation": "L of NDCG, an integer", "sigma": "float64, above 0"},
    {"slope": "lambda, float64, (n,)", "curvature": "w, float64, (n,)"},
    lambda **input: compute_lambdas(**input),
)
LAMBDAMART = FAMILY.function(
    "lambdamart",
    "LambdaMART: the scores of the training rows after the last round, and the trees, whose leaves hold gamma.",
    "Burges 2010 LambdaMART",
    {
        **TABLE,
        **QUERIES,
        **{name: SETTINGS[name] for name in ("n_leaves", "n_rounds", "learning_rate")},
        "truncation": "L of NDCG, an integer",
        "sigma": "float64, above 0",
        "start": START,
    },
    {"scores": "float64, (n,)", **ALL_TREES},
    lambda **input: boost_lambdas(**input),
)


def compute_lambdas(y: Any, qid: Any, score: Any, truncation: int, sigma: float) -> Any:
    """Compute the lambdas of all documents."""
    slope, curvature = prepare_queries(y, qid, truncation, sigma).compute_lambdas(score, n_threads=1)
    return {"slope": slope, "curvature": curvature}


def boost_lambdas(
    y: Any,
    qid: Any,
    n_leaves: int,
    n_rounds: int,
    learning_rate: float,
    truncation: int,
    sigma: float,
    start: Any,
    **table: Any,
) -> Any:
    """Run LambdaMART."""
    grow = make_grower(**table, weight=None, n_leaves=n_leaves)
    turns = [*lambdamart(prepare_queries(y, qid, truncation, sigma), grow, n_rounds, learning_rate, start)]
    trees = Ensemble((0.0,), tuple((turn.tree,) for turn in turns if turn.tree), learning_rate)
    return {"scores": turns[-1].scores, **concatenate(trees)}


def boost_robustly(
    y: Any,
    n_classes: int,
    n_leaves: int,
    n_rounds: int,
    learning_rate: float,
    weight: Any,
    start: Any,
    base_class: str | None = None,
    **table: Any,
) -> Any:
    """Run robust LogitBoost, or ABC-LogitBoost."""
    grow = make_grower(**table, weight=weight, n_leaves=n_leaves)
    given = y, n_classes, grow, n_rounds, learning_rate, weight, start
    run = make_abc_logitboost(CHOOSE[base_class])(*given) if base_class else robust_logitboost(*given)
    turns = [(turn.trees, turn.scores.copy()) for turn in run]
    trees = Ensemble((0.0,) * len(turns[0][0]), tuple(trees for trees, _ in turns), learning_rate)
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


@FAMILY.part
def list_lambda_cases() -> Cases:
    """Yield the cases of LambdaMART."""
    qid = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2]
    of_queries = {"y": Y, "qid": qid, "truncation": 2, "sigma": 1.0}
    score = [0.5, 0.5, -1.0, 0.25, 3.0, 2.0, 2.0, 2.0, -0.5, -0.5, 0.0, 1.0]
    faults = {"sigma-missing": alter(compute_lambdas, sigma=lambda _: 1.0)}
    tied = {**of_queries, "score": score, "sigma": 2.0}
    yield from LAMBDAS.valid("tied", tied, "Equal scores: the mean over their orders.", faults=faults)
    faults = {"not-truncated": alter(compute_lambdas, truncation=lambda _: 12)}
    apart = {**of_queries, "score": [float((7 * i) % 12) / 4 for i in range(12)]}
    yield from LAMBDAS.valid("different", apart, "All scores differ.", faults=faults)
    scattered = {**of_queries, "score": score, "qid": [2, 7, 2, 7, 2, 7, 2, 7, 2, 7, 2, 7]}
    yield from LAMBDAS.valid("scattered", scattered, "The rows of a query are not adjacent.")
    rows = {name: value for name, value in {**BASE, **of_queries}.items() if name != "weight"}
    faults = {"not-truncated": alter(boost_lambdas, truncation=lambda _: 12)}
    yield from LAMBDAMART.valid("three-queries", rows, "Three queries, one of them of one row.", faults=faults)
    on = {**rows, "start": [0.25 * i for i in range(12)], "n_rounds": 1}
    yield from LAMBDAMART.valid("going-on", on, "It goes on from the scores of an earlier run.")


@FAMILY.part
def list_abc_cases() -> Cases:
    """Yield the cases of ABC-LogitBoost."""
    rows = {**GRADES, "y": [min(label, 2) for label in Y], "n_classes": 3, "n_rounds": 2}
    for base_class, other in (("best", "worst"), ("worst", "best")):
        input = {**rows, "base_class": base_class}
        faults = {f"base-{other}": alter(boost_robustly, base_class=lambda _, o=other: o)}
        yield from ABC.valid(base_class, input, f"Three classes; the base class is the {base_class}.", faults=faults)
        yield from ABC.valid(f"{base_class}-weighted", {**input, "weight": WEIGHT}, "Weights, one of them 0.")
    start = [[0.1 * c - 0.02 * i for c in range(6)] for i in range(12)]
    on = {**rows, "base_class": "best", "start": start, "n_rounds": 1}
    yield from ABC.valid("going-on", on, "It goes on from the outputs of an earlier run.")
