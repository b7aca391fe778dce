"""Cases of DCG, NDCG, ERR and RMSE of one query, under the convention of the papers.

symbol    in code      shape
y         y            (n,) integers, in the order of the file
F         score        (n,); the highest is ranked first, equal ones in the order of the file
L         k            integer, or null: all documents
K         max_grade    integer
"""

from functools import partial
from typing import Any

import numpy as np

from generators.cases.making import Cases, Family, Named
from refrank.metrics.discounts import tabulate_discounts
from yardstick.vectors.own import OWN

FAMILY = Family("metrics", "DCG, NDCG, ERR and RMSE of one query, as the papers define them.")

LABELS = "labels, integers of at least 0, (n,)"
QUERY = {
    "y": LABELS,
    "score": "scores, float64, (n,); the highest is ranked first, equal ones in the order of the file",
    "k": "truncation level, an integer of at least 1, or null: all documents",
}

DCG = FAMILY.function(
    "dcg",
    "Sum over the first k positions of (2^y - 1) / log2(1 + position).",
    "McRank Eq. 1 and 2",
    QUERY,
    {"dcg": "float64"},
    OWN["dcg"],
)
NDCG = FAMILY.function(
    "ndcg",
    "DCG over the largest DCG that the query can have; 0 where no document is relevant.",
    "McRank Eq. 3",
    QUERY,
    {"ndcg": "float64"},
    OWN["ndcg"],
)
ERR = FAMILY.function(
    "err",
    "Sum over the first k positions of 1/position times the probability that the user stops there.",
    "COCR Eq. 8; iGBRT Eq. 4 and 5",
    {**QUERY, "max_grade": "K of (2^y - 1) / 2^K, an integer of at least 1"},
    {"err": "float64"},
    OWN["err"],
)
RMSE = FAMILY.function(
    "rmse",
    "Root of the mean of the squared differences; the sum is exact before it is rounded.",
    "iGBRT Sec. 2",
    {"y": LABELS, "score": "scores, float64, (n,)"},
    {"rmse": "float64"},
    OWN["rmse"],
)


def literal_dcg(y: Any, score: Any, k: int | None, **choices: Any) -> float:
    """Compute DCG position by position; faults change its discounts, gains or order."""
    order = choices.get("order", in_file_order)(score)[:k]
    discount = choices.get("discount", tabulate_discounts)(len(y))
    gain = choices.get("gain", lambda label: float(2**label - 1))
    total = 0.0
    for position, document in enumerate(order):
        total += gain(int(y[document])) * float(discount[position])
    return total


def literal_ndcg(y: Any, score: Any, k: int | None, *, ideal_of: str = "all", **choices: Any) -> float:
    """Compute NDCG, with the same faults, or with the ideal order of only the first k documents."""
    best = np.sort(y)[::-1] if ideal_of == "all" else np.sort(y[in_file_order(score)[:k]])[::-1]
    ideal_choices = {name: choice for name, choice in choices.items() if name != "order"}
    ideal = literal_dcg(best, -np.arange(len(best)), k, **ideal_choices)
    return literal_dcg(y, score, k, **choices) / ideal if ideal else 0.0


def literal_err(y: Any, score: Any, k: int | None, max_grade: int, **choices: Any) -> float:
    """Compute ERR position by position, with faults."""
    scale = choices.get("scale", lambda top: float(2**top))(int(np.max(y)) if choices.get("from_data") else max_grade)
    total, examined = 0.0, 1.0
    for position, document in enumerate(choices.get("order", in_file_order)(score)[:k], start=1):
        stop = (2 ** int(y[document]) - 1) / scale
        if choices.get("included"):
            examined *= 1 - stop
        total += examined * stop / (position if choices.get("reciprocal", True) else 1)
        if not choices.get("included"):
            examined *= 1 - stop
    return total


def in_file_order(score: Any) -> Any:
    """Order by descending score, equal ones in the order of the file."""
    return np.argsort(-np.asarray(score), kind="stable")


def last_first(score: Any) -> Any:
    """Order by descending score, equal ones in the reverse order of the file."""
    return np.lexsort((-np.arange(len(score)), -np.asarray(score)))


def rising(score: Any) -> Any:
    """Order by ascending score."""
    return np.argsort(np.asarray(score), kind="stable")


GAIN_LINEAR = {"gain": float}
NATURAL = {"discount": lambda n: tabulate_discounts(n, None, "ln(1+i)")}
FROM_TWO = {"discount": lambda n: tabulate_discounts(n + 1)[1:]}
FAULTS = {
    "gain-linear": GAIN_LINEAR,
    "discount-ln": NATURAL,
    "discount-starts-at-2": FROM_TWO,
    "ties-last-first": {"order": last_first},
    "order-rising": {"order": rising},
}
ERR_FAULTS = {
    "max-grade-of-data": {"from_data": True},
    "stop-over-2^K-1": {"scale": lambda top: float(2**top - 1)},
    "examination-one-late": {"included": True},
    "reciprocal-missing": {"reciprocal": False},
    "ties-last-first": {"order": last_first},
    "order-rising": {"order": rising},
}


def bind_faults(literal: Any, table: dict[str, Any], names: str) -> dict[str, Any]:
    """Bind the named faults."""
    return {name: partial(literal, **table[name]) for name in names.split()}


def ignore_cut_off(literal: Any) -> Any:
    """Make the fault that ignores the truncation level."""
    return lambda k, **input: literal(k=None, **input)


INPUTS: dict[str, tuple[Any, Any, Any, str]] = {
    "three-documents": ([1, 2, 0], [3.0, 2.0, 1.0], 3, "Small enough for a pencil."),
    "cut-off": ([0, 1, 2, 3, 4], [5.0, 4.0, 3.0, 2.0, 1.0], 2, "The ideal list is cut, too, and holds the best two."),
    "cut-off-beyond": ([2, 0, 1], [0.5, 0.25, 0.75], 10, "A list shorter than k counts as it is."),
    "all-documents": ([3, 0, 1, 2], [0.1, 0.4, 0.2, 0.3], None, "Without a truncation level, every position counts."),
    "everything-tied": ([0, 2, 1, 2], [1.0, 1.0, 1.0, 1.0], 3, "Equal scores keep the order of the file."),
    "tie-in-the-middle": ([1, 0, 3, 2], [0.5, 2.0, 0.5, 0.5], 3, "Three equal scores across the truncation level."),
    "signed-zeros-tie": ([0, 1, 2], [0.0, -0.0, 0.0], 2, "0.0 and -0.0 are equal scores."),
    "one-ulp-apart": ([0, 1], [1.0, 1.0 + 2.0**-52], 1, "Scores that differ in the last bit are not tied."),
    "subnormal-scores": ([1, 0, 2], [5e-324, 1e-323, 0.0], 3, "Scores below the normal floats keep their order."),
    "infinite-scores": ([1, 0, 2], [-np.inf, 0.0, np.inf], 3, "Infinite scores have a place in a ranking."),
    "one-document": ([1], [0.0], 10, "One document is ranked best."),
    "none-relevant": ([0, 0, 0], [3.0, 2.0, 1.0], 3, "DCG and ERR are 0, and by convention NDCG is 0, too."),
    "long-list": (
        [(7 * i) % 5 for i in range(70)],
        [((29 * i) % 70) / 8 for i in range(70)],
        None,
        "More documents than the first table of discounts holds.",
    ),
}
OF_DCG = {
    "three-documents": "gain-linear discount-ln discount-starts-at-2 order-rising",
    "everything-tied": "ties-last-first",
    "tie-in-the-middle": "ties-last-first gain-linear",
    "signed-zeros-tie": "ties-last-first",
}
OF_NDCG = {**OF_DCG, "three-documents": "gain-linear discount-starts-at-2 order-rising"}
OF_ERR = {
    "three-documents": "max-grade-of-data stop-over-2^K-1 examination-one-late reciprocal-missing order-rising",
    "everything-tied": "ties-last-first max-grade-of-data",
}


@FAMILY.part
def list_cases() -> Cases:
    """Yield the cases of one query."""
    for name, (y, score, k, comment) in INPUTS.items():
        input = {"y": y, "score": score, "k": k}
        cut: Named = {"cut-off-ignored": ignore_cut_off} if name == "cut-off" else {}
        faults: Named = bind_faults(literal_dcg, FAULTS, OF_DCG.get(name, ""))
        faults |= {flag: make(literal_dcg) for flag, make in cut.items()}
        yield from DCG.valid(name, input, comment, faults=faults)
        faults = bind_faults(literal_ndcg, FAULTS, OF_NDCG.get(name, ""))
        if cut:
            faults["ideal-of-retrieved"] = partial(literal_ndcg, ideal_of="retrieved")
            faults["cut-off-ignored"] = ignore_cut_off(literal_ndcg)
        yield from NDCG.valid(name, input, comment, faults=faults)
        faults = bind_faults(literal_err, ERR_FAULTS, OF_ERR.get(name, ""))
        faults |= {flag: make(literal_err) for flag, make in cut.items()}
        yield from ERR.valid(name, {**input, "max_grade": 4}, comment, faults=faults)
    binary = {"y": [0, 1, 1], "score": [3.0, 2.0, 1.0], "k": None, "max_grade": 1}
    yield from ERR.valid("binary", binary, "K = 1: a relevant document stops half of the users.")
    high = {"y": [53, 52, 0], "score": [1.0, 3.0, 2.0], "k": 3}
    yield from NDCG.valid("highest-label", high, "2^53 - 1 is the last gain that float64 holds exactly.")
    rounding = {"y": [0, 2, 1], "score": [0.1, 1.7, 1e8]}
    yield from RMSE.valid("large-and-small", rounding, "The large square must not swallow the others.")
    yield from RMSE.valid("exact", {"y": [3, 1], "score": [3.0, 1.0]}, "No error at all.")
    bad = {"y": [1, 0], "score": [np.nan, 0.0], "k": 3}
    yield from NDCG.refused("nan-score", bad, "NaN has no place in a ranking.")
    yield from DCG.refused("negative-label", {"y": [-1, 0], "score": [1.0, 0.0], "k": 3}, "No such gain.")
    yield from DCG.refused("no-position", {"y": [1, 0], "score": [1.0, 0.0], "k": 0}, "k is at least 1.")
    high = {"y": [3, 0], "score": [1.0, 0.0], "k": None, "max_grade": 2}
    yield from ERR.refused("label-above-max-grade", high, "A stopping probability would pass 1.")
    yield from RMSE.refused("infinite", {"y": [1], "score": [np.inf]}, "No squared error is infinite.")
