"""Assertions of a property test about one instance, with the ratio of both sides as Hypothesis's target.

Instances that come nearer to breaking the claim are then drawn more often, as a climb would do.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Any

from hypothesis import settings, target

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.evidence import list_comparisons

searching = settings(max_examples=5 * settings().max_examples)  # with fewer, the target is hardly followed


def assert_holds(*claims: Comparison | Iterable[Comparison], label: str = "ratio") -> float:
    """Assert all comparisons of one instance, and return the largest ratio; one target per claim."""
    largest = 0.0
    for number, claim in zip(count(1), claims, strict=False):
        every = list(list_comparisons(claim))
        ratios = [comparison.compute_ratios() for comparison in every if comparison.relation == "<="]
        ratio = max((float(part.max(initial=0.0)) for part in ratios), default=None)
        if ratio is not None:
            target(ratio, label=f"{label} {number}")
            largest = max(largest, ratio)
        for comparison in every:
            assert not comparison.find_violations().any(), comparison.show(int(comparison.find_violations().argmax()))
    return largest


def assert_below(left: Any, right: Any, label: str = "ratio") -> float:
    """Assert left <= right of two numbers, and return their ratio, the target."""
    ratio = float(left / right) if right > 0 else 0.0
    target(ratio, label=label)
    assert left <= right, f"{left} > {right}"
    return ratio
