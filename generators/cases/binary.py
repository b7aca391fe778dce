"""Cases of MAP, MRR, precision and recall on several queries.

Every choice is an input, as in the family conventions. Documents of score nan are left out of the ranking, but count
among the relevant ones.
"""

from typing import Any

import numpy as np

from generators.cases.conventions import BASE, DOCUMENTS, RULES, SCATTERED, SCORES, VALUES
from generators.cases.making import Cases, Family, Function
from refrank.metrics import MetricSpec, mean_average_precision, mean_reciprocal_rank, precision, recall

FAMILY = Family("binary", "MAP, MRR, precision and recall of several queries, of documents that are relevant or not.")

CHOICES = {
    **{name: RULES[name] for name in ("ties", "short")},
    "no_relevant": "MAP and recall of a query without a relevant document, float64; or as in conventions",
    "unranked": 'documents of score nan: "error", or left out: a query of these alone has a value, "as is", or "skip"',
    "relevant": "lowest label of a relevant document, an integer",
    "map_divisor": 'of MAP: "relevant", the relevant documents of a query, or "at most k", if that is less',
    "precision_divisor": 'of precision: "k", or "at most documents", the ranked ones, if these are fewer',
    "map_no_relevant": "MAP where no document is relevant, float64, or null",
}


def describe(name: str, measure: Any, text: str) -> Function:
    """Describe a measure."""

    def compute(y: Any, score: Any, qid: Any, k: Any, doc_id: Any, **rules: Any) -> tuple[Any, float]:
        given = {"qid": qid, "k": k, "spec": MetricSpec("vector", **rules), "doc_id": doc_id}
        return measure(y, score, per_query=True, **given), measure(y, score, **given)

    score = {"score": "scores, float64, (n,); nan: left out of the ranking"}
    return FAMILY.function(name, text, "of no paper here", {**DOCUMENTS, **score, **CHOICES}, VALUES, compute)


MAP = describe(
    "map",
    mean_average_precision,
    "Sum over the relevant documents among the first k of the share of relevant ones down to each, over all relevant.",
)
MRR = describe("mrr", mean_reciprocal_rank, "1 over the position of the first relevant document; 0 if that is below k.")
PRECISION = describe("precision", precision, "Share of relevant documents among the first k.")
RECALL = describe("recall", recall, "Share of the relevant documents that are among the first k.")

PLAIN = {
    **{**BASE, "ties": "stable", "no_relevant": 0.0, "short": "as is", "unranked": "error", "relevant": 1},
    **{"map_divisor": "relevant", "precision_divisor": "k", "map_no_relevant": None},
}
LEFT_OUT = [np.nan if i % 3 == 1 or 9 <= i < 12 else score for i, score in enumerate(SCORES)]  # a whole query, too
INPUTS: dict[str, tuple[dict[str, Any], str]] = {
    "plain": ({}, "Five queries, cut off at position 3."),
    "all-documents": ({"k": None}, "Every position counts; precision divides by the documents of a query."),
    "scattered": (
        {name: np.array(PLAIN[name])[SCATTERED] for name in ("y", "score", "qid")},
        "Rows of a query need not stand together.",
    ),
    "ties-averaged": ({"ties": "averaged", "score": [0.5 * (3 * s // 1) for s in SCORES]}, "The mean over all orders."),
    "all-tied": ({"ties": "averaged", "score": [0.0] * 21, "k": 2}, "Groups reach beyond k."),
    "relevant-from-2": ({"relevant": 2}, "Documents of label 1 are not relevant."),
    "no-relevant": ({"no_relevant": 1.0}, "MAP and recall of a query without a relevant document are 1."),
    "skipped": ({"no_relevant": "skip"}, "A query without a relevant document has no value."),
    "short": ({"short": "zero"}, "A query of fewer than k documents is 0."),
    "left-out": ({"unranked": "as is", "score": LEFT_OUT}, "What is left out has no position, and may be relevant."),
    "left-out-query": (
        {"unranked": "skip", "score": LEFT_OUT, "y": [1, 0, 2] * 7},
        "A query of which nothing is ranked has no value.",
    ),
}


@FAMILY.part
def list_cases() -> Cases:
    """Yield the cases of all measures, then those of rules that one of them has, and of what is refused."""
    for measure in (MAP, MRR, PRECISION, RECALL):
        for name, (change, comment) in INPUTS.items():
            fault = FAULTS.get((measure, name), "")
            yield from measure.valid(name, {**PLAIN, **change}, comment, mutants=fault)
        yield from measure.refused("left-out-refused", {**PLAIN, "score": LEFT_OUT}, "Documents without a score.")
    at_most = {**PLAIN, "map_divisor": "at most k", "k": 2}
    yield from MAP.valid("at-most-k", at_most, "Of more relevant documents than k, only k can be among the first k.")
    half = {**PLAIN, "map_no_relevant": 0.5}
    yield from MAP.valid("no-relevant-of-map", half, "MAP of a query without a relevant document, and of MAP alone.")
    few = {**PLAIN, "precision_divisor": "at most documents"}
    yield from PRECISION.valid("at-most-documents", few, "The query of one document is divided by 1.")
    below = {**PLAIN, "unranked": "as is", "score": [-np.inf, *LEFT_OUT[1:]]}
    yield from MAP.refused("below-all", below, "Below documents without a rank there is no place.")


FAULTS = {
    (MAP, "plain"): "map-of-at-most-k",
    (MAP, "ties-averaged"): "ties-as-they-come",
    (MRR, "ties-averaged"): "places-drawn-anew",
    (PRECISION, "plain"): "precision-of-short-lists",
    (RECALL, "plain"): "recall-of-at-most-k",
}
