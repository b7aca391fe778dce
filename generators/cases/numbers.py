"""Cases of exp, softmax, and sums on a grid: docs/reference/numerics.md, rules 1 and 5.

q = rint(value * 2**e),   e = 53 - L - E,   n_samples <= 2**L,   max |value| < 2**E
"""

import numpy as np

from generators.cases.making import Cases, Family, Named, change, find_mutant
from refrank.mcrank.softmax_boosting import softmax
from refrank.trees.engine import SPECIFICATION
from refrank.trees.numbers.grid import find_exponent
from yardstick.vectors.own import OWN

FAMILY = Family(
    "numbers", "exp and softmax by fixed operations, and sums on a grid, which do not depend on the order of the rows."
)

RULE_1, RULE_5 = "docs/reference/numerics.md, rule 1", "docs/reference/numerics.md, rule 5"
EXP = FAMILY.function(
    "exp",
    "exp of each number, by the operations of refrank/trees/numbers/exponential.py and refrank/kernel/exp.h.",
    RULE_5,
    {"x": "float64, (n,); not nan"},
    {"exp": "float64, (n,)"},
    OWN["exp"],
)
SOFTMAX = FAMILY.function(
    "softmax",
    "p_k = exp(F_k - highest F) over the sum of these, added in the order of the classes.",
    "McRank Alg. 1, line 4",
    {"scores": "F, float64, (n, n_classes)"},
    {"proba": "float64, (n, n_classes)"},
    OWN["softmax"],
)
EXPONENT = FAMILY.function(
    "grid_exponent",
    "e, the exponent of a quantity's grid; 0 where all values are 0.",
    RULE_1,
    {"value": "float64, (n,), finite"},
    {"exponent": "integer"},
    lambda value: find_exponent(value, SPECIFICATION),
)
TO_GRID = FAMILY.function(
    "to_grid",
    "rint(value * 2^e), of two integers as near the even one, and e.",
    RULE_1,
    {"value": "float64, (n,), finite"},
    {"integers": "int64, (n,)", "exponent": "integer"},
    OWN["to_grid"],
)
ROUND = FAMILY.function(
    "round_to_grid",
    "rint(value * 2^exponent), of two integers as near the even one.",
    RULE_1,
    {"value": "float64, (n,)", "exponent": "integer"},
    {"integers": "int64, (n,)"},
    OWN["round_to_grid"],
)
SUM = FAMILY.function(
    "grid_sum",
    "Sum of all values on their grid: the sum of the integers, times 2^-e.",
    RULE_1,
    {"value": "float64, (n,), finite"},
    {"sum": "float64"},
    OWN["grid_sum"],
)
MEAN = FAMILY.function(
    "grid_mean",
    "Sum on the grid over the number of values; with weights, the sum of weight times value over the sum of weights.",
    RULE_1,
    {"value": "float64, (n,), finite", "weight": "float64, (n,), or null"},
    {"mean": "float64"},
    OWN["grid_mean"],
)


TINY = 5e-324
X = [0.0, -0.0, 1.0, -1.0, 0.5, -0.25, 1e-17, -1e-17, 0.1, 2.0, -3.7, 20.0, -20.0, 88.7, -88.7, 700.0, -700.0]
ENDS = [709.782712893384, 709.7827128933841, -708.3964185322641, -745.1332191019411, -745.1332191019412, 1e300]
VALUES = [0.1, -0.2, 0.3, 1e-9, -2.5]


@FAMILY.part
def list_cases() -> Cases:
    """Yield the cases of exp, softmax and grids."""
    yield from EXP.valid("plain", {"x": X}, "A normal result is within one unit in the last place.")
    said = "The last finite and the first infinite result, the last above 0 and the first 0."
    yield from EXP.valid("ends", {"x": [*ENDS, -np.inf, np.inf]}, said)
    steps = [(i - 40) / 8 for i in range(81)]
    yield from EXP.valid("steps", {"x": steps}, "On both sides of each multiple of ln 2.", mutants="fused-multiply-add")
    yield from list_softmax_cases()
    yield from list_grid_cases()
    yield from list_sum_cases()


def list_softmax_cases() -> Cases:
    """Yield the cases of softmax."""
    scores = [[0.1, 0.2, 0.7, -1.5], [2.0, -2.0, 0.5, 0.25], [0.3, 0.3, 0.3, 0.1]]
    yield from SOFTMAX.valid(
        "four-classes", {"scores": scores}, "Plain scores.", mutants="float32-probabilities axis-swapped"
    )
    far = {"scores": [[1000.0, 0.0], [0.0, -1000.0], [-1000.0, -1000.0], [800.0, 800.0]]}
    said = "The highest score is taken off first: no exp overflows."
    yield from SOFTMAX.valid("far-apart", far, said, mutants="softmax-overflows")
    two = {"scores": [[0.3, -0.3], [5e-324, 0.0], [-0.0, 0.0]]}
    yield from SOFTMAX.valid("two-classes", two, "K = 2, with a subnormal score and signed zeros.")
    yield from SOFTMAX.valid("one-class", {"scores": [[3.0], [-1.0]]}, "The only class is certain.")
    many = [[((13 * i + 7 * k) % 31) / 7 for k in range(9)] for i in range(3)]
    said = "The sum over nine classes is a loop in index order."
    yield from SOFTMAX.valid("nine-classes", {"scores": many}, said, mutants="sum-backwards")


def list_grid_cases() -> Cases:
    """Yield the cases of exponents and of rounding."""
    for name, value, said in (
        ("plain", VALUES, "L = 3, E = 2."),
        ("power-of-two", [4.0, 1.0], "4 < 2^E asks for E = 3: the maximum itself must be below."),
        ("just-below", [float(np.nextafter(4.0, 0.0)), 1.0], "One unit below a power of two: E = 2."),
        ("one-row", [0.75], "L = 0."),
        ("five-rows", [1.0, 1.0, 1.0, 1.0, 1.0], "Five rows need L = 3."),
        ("zeros", [0.0, -0.0], "Without a value, e is 0."),
        ("subnormal", [TINY, -TINY], "Subnormal numbers have the exponent that frexp gives them."),
        ("huge", [1e308, -1e308], "The exponent is negative."),
    ):
        mutants = {"power-of-two": "exponent-by-logarithm", "plain": "exponent-one-high"}.get(name, "")
        yield from EXPONENT.valid(name, {"value": value}, said, mutants=mutants)
        yield from TO_GRID.valid(name, {"value": value}, said)
    halves = {"value": [0.5, 1.5, 2.5, -0.5, -1.5, 0.49999999999999994, 3.7], "exponent": 0}
    mutants = "halves-away-from-zero rounding-toward-zero"
    yield from ROUND.valid("halves", halves, "Halves go to the even integer.", mutants=mutants)
    yield from ROUND.valid("fine", {"value": [0.1, -0.1, 3e-16], "exponent": 52}, "2^52 steps to one.")
    yield from TO_GRID.refused("infinite", {"value": [1.0, np.inf]}, "It has no grid.")
    yield from TO_GRID.refused("nan", {"value": [np.nan, 1.0]}, "It has no grid.")


def list_sum_cases() -> Cases:
    """Yield the cases of sums and means."""
    wide = {"value": [1.0, 1e-16, 1e-16, 1e-16, 1e-16, -1.0]}
    said = "Each small value is below half a step of the grid: the sum is 0 in any order."
    yield from SUM.valid("below-the-grid", wide, said, mutants="kahan-sums")
    tenths = {"value": [0.1, 0.2, 0.3, 0.4, 0.7, 1e-3, -0.6]}
    yield from SUM.valid("order", tenths, "The same in any order of rows.", mutants="float64-sums float32-sums")
    large = {"value": [2.0**53, 1.0, 1.0, -(2.0**53)]}
    yield from SUM.valid("2-to-the-53", large, "Partial sums stay within 2^53 steps of the grid.")
    yield from MEAN.valid("plain", {"value": tenths["value"], "weight": None}, "One division.")
    weight = {"value": [0.5, 1.5, -0.25], "weight": [0.1, 3.0, 0.0]}
    said = "Weight times value has one grid, the weights have another."
    yield from MEAN.valid("weighted", weight, said, mutants="weights-ignored")
    shifted = {"scores": [[0.1, 0.4], [1.5, -0.5]]}
    lawful: Named = {
        "highest-taken-off": softmax,
        "as-printed": change(softmax, find_mutant("softmax-overflows", "softmax")),
    }
    said = "The paper prints no shift: either way is lawful where nothing overflows, and refrank takes the highest off."
    yield from SOFTMAX.acceptable("shift", shifted, said, lawful)
