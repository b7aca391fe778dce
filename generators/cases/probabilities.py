"""Cases of class probabilities, and of the scores computed from them: McRank Eq. 5 and 8."""

from typing import Any

import numpy as np

from generators.cases.making import Cases, Family, Named
from refrank.mcrank.expected_relevance import check_increasing, transform_table
from refrank.mcrank.ordinal_boosting import class_proba
from yardstick.vectors.own import OWN

FAMILY = Family("probabilities", "Class probabilities from cumulative ones, and expected relevance.")

CLASS_PROBA = FAMILY.function(
    "class_proba",
    "p_k = Pr(y <= k) - Pr(y <= k - 1), with Pr(y <= -1) = 0 and Pr(y <= K - 1) = 1.",
    "McRank Eq. 8",
    {"cumulative_proba": "float64, (n, n_classes - 1)"},
    {"class_proba": "float64, (n, n_classes)"},
    OWN["class_proba"],
)
RELEVANCE = FAMILY.function(
    "expected_relevance",
    "S = sum over k of p_k T(k), in the order of the classes.",
    "McRank Eq. 5",
    {"class_proba": "float64, (n, n_classes)", "transform": 'T: "k", "2^k" or "2^k-1"; null: "k"'},
    {"scores": "float64, (n,)"},
    OWN["expected_relevance"],
)
TABLE = FAMILY.function(
    "transform_table",
    "T(0), ..., T(K - 1), which must increase.",
    "McRank Sec. 3.3",
    {"transform": '"k", "2^k" or "2^k-1", or the table, float64, (n_classes,)', "n_classes": "K, an integer"},
    {"relevance": "float64, (n_classes,)"},
    lambda transform, n_classes: tabulate(transform, n_classes),
)


def tabulate(transform: Any, n_classes: int) -> Any:
    """Tabulate T, and refuse one that does not increase."""
    table = transform_table(transform, n_classes)
    check_increasing(table)
    return table


@FAMILY.part
def list_cases() -> Cases:
    """Yield the cases of probabilities and of scores."""
    clear = {"cumulative_proba": [[0.1, 0.4, 0.9], [0.0, 0.0, 1.0]]}
    yield from CLASS_PROBA.valid("ascending", clear, "Rows add up to 1.", mutants="one-class-short")
    crossed = {"cumulative_proba": [[0.75, 0.5], [0.25, 0.75]]}
    lawful: Named = {
        "negative-kept": class_proba,
        "clipped": clip,
        "clipped-and-scaled": clip_and_scale,
        "sorted": sort_first,
    }
    said = "Cumulative probabilities that cross make p_1 negative; the paper is silent."
    yield from CLASS_PROBA.acceptable("crossing", crossed, said, lawful)
    proba = {"class_proba": [[0.5, 0.25, 0.25], [0.1, 0.2, 0.7], [0.0, 1.0, 0.0], [0.75, -0.25, 0.5]]}
    for name, transform in (("expected-grade", "k"), ("power", "2^k"), ("expected-gain", "2^k-1")):
        said = f"T(k) = {transform}; a negative probability counts as it is."
        yield from RELEVANCE.valid(
            name, {**proba, "transform": transform}, said, mutants="most-probable-class classes-from-1"
        )
        yield from TABLE.valid(name, {"transform": transform, "n_classes": 5}, said)
    yield from TABLE.valid("own", {"transform": [0.0, 0.5, 4.0], "n_classes": 3}, "A table of one's own.")
    yield from TABLE.refused("falling", {"transform": [0.0, 2.0, 1.0], "n_classes": 3}, "T must increase.")
    yield from RELEVANCE.valid("default", {**proba, "transform": None}, "By default T(k) = k.")
    yield from TABLE.refused("unknown", {"transform": "k^2", "n_classes": 3}, "The transform has no such name.")
    yield from TABLE.refused("infinite", {"transform": "2^k", "n_classes": 1030}, "2^1029 is not a float64.")


def clip(cumulative_proba: Any) -> Any:
    """Make negative probabilities 0."""
    return np.maximum(class_proba(cumulative_proba), 0.0)


def clip_and_scale(cumulative_proba: Any) -> Any:
    """Set negative probabilities to 0, and scale rows to add up to 1."""
    clipped = clip(cumulative_proba)
    total = np.zeros(len(clipped))
    for k in range(clipped.shape[1]):
        total += clipped[:, k]
    return clipped / total[:, np.newaxis]


def sort_first(cumulative_proba: Any) -> Any:
    """Make the cumulative probabilities ascending."""
    return class_proba(np.sort(cumulative_proba, axis=1))
