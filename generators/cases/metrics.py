"""Cases of DCG, NDCG, ERR and RMSE of one query, under the convention of the papers.

symbol    in code      shape
y         y            (n,) integers, in the order of the file
F         score        (n,); the highest is ranked first, equal ones in the order of the file
L         k            integer, or null: all documents
K         max_grade    integer
"""

from typing import Any

import numpy as np

from generators.cases.making import Cases, Family
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
        cut = "cut-off-ignored" if name == "cut-off" else ""
        yield from DCG.valid(name, input, comment, mutants=OF_DCG.get(name, cut))
        yield from NDCG.valid(name, input, comment, mutants=OF_NDCG.get(name, cut and f"ideal-of-retrieved {cut}"))
        yield from ERR.valid(name, {**input, "max_grade": 4}, comment, mutants=OF_ERR.get(name, cut))
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
    yield from ERR.refused("max-grade-0", {**high, "y": [0, 0], "max_grade": 0}, "K is at least 1.")
    yield from ERR.refused("label-above-max-grade", high, "A stopping probability would pass 1.")
    yield from RMSE.refused("infinite", {"y": [1], "score": [np.inf]}, "No squared error is infinite.")
