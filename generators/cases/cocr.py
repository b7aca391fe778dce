"""Cases of COCR: costs, the reduction to weighted problems, and ranks from their answers."""

import warnings
from math import fsum
from typing import Any

import numpy as np

from generators.cases.making import Cases, Family, Named
from refrank.cocr.costs import COSTS, is_convex, is_v_shaped
from refrank.cocr.rankers import soft_rank
from refrank.cocr.reduction import COCRModel, Constant, cocr, make_problems, to_mean_one, weights
from refrank.cocr.user_costs import cost_shape, cost_table
from yardstick.vectors.own import OWN

FAMILY = Family("cocr", "Costs, the reduction to weighted binary problems, and ranks from their answers.")

GRADES = {"y": "grades, int64, (n,)", "max_grade": "K, an integer from 1 to 31"}
COST = {"cost": '"absolute", "squared" or "oerr"'}
ANSWERS = {"answers": "h_k(x), float64, (n, max_grade); not clipped"}
TABLE = {"costs": "float64 or int64, (n, n_classes)"}
COSTS_OF = FAMILY.function(
    "costs",
    "c_n[k]: |y - k|, (y - k)^2, or (2^y - 2^k)^2.",
    "COCR Eq. 3, 4 and 13",
    {**GRADES, **COST},
    {"costs": "int64, (n, max_grade + 1)"},
    lambda y, max_grade, cost: COSTS[cost](y, max_grade),
)
WEIGHTS = FAMILY.function(
    "oerr_weights",
    "Weights of the binary problems for the cost oERR: |c[k] - c[k-1]| with c[k] = (2^y - 2^k)^2.",
    "COCR Eq. 5 and 13",
    GRADES,
    {"weights": "int64, (n, max_grade)"},
    lambda y, max_grade: weights(COSTS["oerr"](y, max_grade)),
)
REDUCTION = FAMILY.function(
    "reduction",
    "Right answer (is y >= k?) and weight of each document in the problems k = 1..K.",
    "COCR Eq. 1 and 5",
    {**GRADES, **COST, "sample_weight": "float64, (n,), or null"},
    {"answers": "float64, (n, max_grade)", "weights": "float64, (n, max_grade)"},
    lambda **input: reduce(**input),
)
SCALE = FAMILY.function(
    "to_mean_one",
    "The weights of a problem, scaled to the number of rows, or to the sum of the sample weights; sums are exact.",
    "docs/reference/departures.md",
    {"weight": "float64, (n,)", "sample_weight": "float64, (n,), or null"},
    {"weight": "float64, (n,)"},
    to_mean_one,
)
MEANS = FAMILY.function(
    "cocr_means",
    "The answers of the simplest base, which ignores the features: the mean of each problem's answers, by its weights, "
    "scaled to mean one; sums are exact.",
    "COCR Alg. 1",
    {
        **GRADES,
        "cost": f"{COST['cost']}; or a table, (n_classes, n_classes)",
        "sample_weight": "float64, (n,), or null",
    },
    {"answers": "float64, (max_grade,)"},
    lambda **input: average(**input),
)
HARD = FAMILY.function(
    "hard_rank", "Number of answers of 1/2 or more.", "COCR Eq. 2", ANSWERS, {"rank": "int64, (n,)"}, OWN["hard_rank"]
)
SOFT = FAMILY.function(
    "soft_rank",
    "Sum of the answers, in their order.",
    "COCR Eq. 6",
    ANSWERS,
    {"rank": "float64, (n,)"},
    OWN["soft_rank"],
)
PROBA = FAMILY.function(
    "grade_proba",
    "P_k = h_k - h_(k+1), with h_0 = 1 and h_(K+1) = 0.",
    "COCR Sec. 3.2",
    ANSWERS,
    {"grade_proba": "float64, (n, max_grade + 1)"},
    OWN["grade_proba"],
)
SHAPE = FAMILY.function(
    "cost_shape",
    "Of each cost vector: whether it is V-shaped around its grade, and whether it is convex.",
    "COCR Sec. 3.1",
    {**TABLE, "y": "grades, int64, (n,)"},
    {"v_shaped": "0 or 1, (n,)", "convex": "0 or 1, (n,)"},
    lambda costs, y: (is_v_shaped(costs, y), is_convex(costs)),
)
USER = FAMILY.function(
    "cost_table",
    "The table of a cost, by name or as it is, row y and column k; and whether any hard answers are covered.",
    "COCR Sec. 3.1",
    {
        "cost": '"absolute", "squared", "oerr", or a table, float64 or int64, (n_classes, n_classes)',
        "n_classes": "integer",
    },
    {"table": "(n_classes, n_classes)", "covers_any": "1 where every row is convex, else 0"},
    lambda cost, n_classes: tabulate(cost, n_classes),
)


def reduce(y: Any, max_grade: int, cost: str, sample_weight: Any) -> Any:
    """Lay out the problems side by side, that of k in column k - 1."""
    problems = {problem.k: problem for problem in make_problems(y, COSTS[cost](y, max_grade), sample_weight)}
    ordered = [problems[k] for k in range(1, max_grade + 1)]
    return tuple(np.column_stack([getattr(problem, name) for problem in ordered]) for name in ("answer", "weight"))


def average(y: Any, max_grade: int, cost: Any, sample_weight: Any) -> Any:
    """Answer each problem by the weighted mean."""

    def mean(answer: Any, weight: Any, k: int) -> Constant:
        return Constant(fsum((weight * answer).tolist()) / fsum(weight.tolist()))

    costs = COSTS[cost](y, max_grade) if isinstance(cost, str) else cost[y]
    model = COCRModel(tuple(cocr(y, costs, mean, sample_weight)))
    return model.answers(np.zeros((1, 1)))[0]


def tabulate(cost: Any, n_classes: int) -> Any:
    """Make a cost table; for a name, use a function."""
    chosen = COSTS[cost] if isinstance(cost, str) and cost == "oerr" else cost  # a name, or the table of a named cost
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the cost is not V-shaped
        table = cost_table(chosen, n_classes)
    return table, int(cost_shape(table).covers == "any hard answers")


@FAMILY.part
def list_cost_cases() -> Cases:
    """Yield the cases of costs and weights."""
    grades = {"y": [0, 3, 4, 1, 2], "max_grade": 4}
    for cost in COSTS:
        yield from COSTS_OF.valid(cost, {**grades, "cost": cost}, f"The {cost} cost of each grade.")
    yield from WEIGHTS.valid(
        "five-grades", grades, "Steps of the cost.", mutants="weights-of-squared costs-for-weights weights-signed"
    )
    yield from WEIGHTS.valid("two-grades", {"y": [0, 1], "max_grade": 1}, "One problem, one weight.")
    yield from WEIGHTS.valid("largest", {"y": [31, 0], "max_grade": 31}, "(2^31 - 1)^2 needs 62 bits.")
    none = {"y": np.empty(0, np.int64), "max_grade": 4, "cost": "oerr"}
    yield from COSTS_OF.valid("no-rows", none, "Without a row, there is none.")
    yield from COSTS_OF.refused("too-many-grades", {"y": [0], "max_grade": 32, "cost": "oerr"}, "63 bits.")
    yield from COSTS_OF.refused("grade-too-high", {"y": [5], "max_grade": 4, "cost": "oerr"}, "5 is above 4.")


@FAMILY.part
def list_problem_cases() -> Cases:
    """Yield the cases of the reduction."""
    grades = {"y": [0, 3, 2, 1, 2], "max_grade": 3, "sample_weight": None}
    for cost in COSTS:
        mutants = "question-above-k costs-over-2^2K" if cost == "oerr" else "question-above-k"
        said = f"Is the grade k or higher? Cost {cost}."
        yield from REDUCTION.valid(cost, {**grades, "cost": cost}, said, mutants=mutants)
        yield from MEANS.valid(cost, {**grades, "cost": cost}, "A weighted mean per problem.")
    weighted = {**grades, "cost": "oerr", "sample_weight": [1.0, 0.5, 0.0, 2.0, 0.1]}
    yield from REDUCTION.valid("weighted", weighted, "Row weights multiply the weights.")
    yield from MEANS.valid("weighted", weighted, "With row weights.")
    agreed = {"y": [1, 1, 2], "max_grade": 4, "cost": "squared", "sample_weight": None}
    yield from MEANS.valid("agreed", agreed, "Where all rows agree, that is the answer.")
    free = {**agreed, "max_grade": 2, "cost": [[0, 0, 1], [0, 0, 1], [2, 2, 0]]}
    yield from MEANS.valid("step-of-0", free, "No row counts where the cost does not change: the answer is 0.")
    alone = {**agreed, "sample_weight": [0.0, 1.0, 0.0]}
    yield from MEANS.valid("one-row-counts", alone, "Rows of weight 0 have no say.")
    yield from MEANS.valid("tiny-weights", {**agreed, "sample_weight": [5e-324, 5e-324, 5e-324]}, "Subnormal weights.")
    for name, weight, rows in (
        ("plain", [1.0, 3.0, 0.0, 4.0], None),
        ("sample-weights", [1.0, 3.0, 0.0, 4.0], [0.5, 1.0, 1.0, 2.0]),
        ("huge", [1e308, 1e308, 3e307], None),
    ):
        input = {"weight": weight, "sample_weight": rows}
        yield from SCALE.valid(name, input, "By a power of two first: no sum overflows.")
    none = {**grades, "cost": "oerr", "sample_weight": [0.0] * 5}
    yield from MEANS.refused("no-weight", none, "Some row must count.")


@FAMILY.part
def list_rank_cases() -> Cases:
    """Yield the cases of ranks."""
    answers = {"answers": [[0.9, 0.5, 0.1], [0.2, 0.8, -0.3], [1.5, float(np.nextafter(0.5, 0)), 0.7], [0.1, 0.2, 0.3]]}
    yield from HARD.valid("half", answers, "1/2 is a yes; one unit below it is a no.", mutants="half-is-no")
    crossed = {"answers": [[0.2, 0.8, 0.9], [0.9, 0.1, 0.8]]}
    yield from HARD.valid("crossing", crossed, "Yeses count, wherever they are.", mutants="until-the-first-no")
    yield from SOFT.valid("plain", answers, "Nothing is clipped.", mutants="hard-for-soft")
    lawful: Named = {"not-clipped": soft_rank, "answers-clipped": lambda answers: soft_rank(np.clip(answers, 0.0, 1.0))}
    said = "The paper takes the answers of a regressor for probabilities, and does not say whether they are clipped."
    yield from SOFT.acceptable("outside", {"answers": [[1.5, -0.25, 0.0]]}, said, lawful)
    yield from PROBA.valid("plain", answers, "An entry may be negative.")


@FAMILY.part
def list_shape_cases() -> Cases:
    """Yield the cases of the shapes of costs."""
    shapes = {"costs": [[3, 1, 0, 2], [0, 2, 1, 3], [4, 1, 0, 1], [0, 0, 0, 5]], "y": [2, 0, 2, 1]}
    yield from SHAPE.valid("integers", shapes, "V-shaped or not, convex or not.")
    floats = {"costs": [[0.0, 0.25, 1.0], [0.5, 0.0, 0.5]], "y": [0, 1]}
    yield from SHAPE.valid("floats", floats, "Costs may be floats.")
    for cost in COSTS:
        yield from USER.valid(cost, {"cost": cost, "n_classes": 4}, "A row per true grade.")
    own = {"cost": [[0.0, 1.0, 5.0], [2.0, 0.0, 2.0], [9.0, 4.0, 0.0]], "n_classes": 3}
    yield from USER.valid("own", own, "A table of one's own.")
    valley = {"cost": [[0.0, 3.0, 1.0], [2.0, 0.0, 2.0], [9.0, 4.0, 0.0]], "n_classes": 3}
    yield from USER.valid("not-v-shaped", valley, "Lawful, and worth a warning.")
    yield from USER.refused("negative", {"cost": [[0.0, -1.0], [1.0, 0.0]], "n_classes": 2}, "A cost is not negative.")
    right = {"cost": [[0.0, 1.0], [1.0, 1.0]], "n_classes": 2}
    yield from USER.refused("right-answer-costs", right, "The true grade costs nothing.")
