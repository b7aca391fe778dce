"""Evidence that a search has gathered on one claim, and the finding that follows from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.instances import Cases, Rankings
from proofs_check.engine.records import HOLDS, IDENTITY, REFUTED, VACUOUS, Finding

Group = Rankings | Cases
Claim = Callable[[Any], "Comparison | Iterable[Comparison]"]
ZERO_SIDED, NEVER_BINDS = "zero-sided", "never binds"
ALIKE = 1 + 1e-12  # ratios within this factor tie, and the first counts: the last bits of floats name no place


def list_comparisons(result: Comparison | Iterable[Comparison]) -> Iterable[Comparison]:
    return (result,) if isinstance(result, Comparison) else result


@dataclass
class ClaimEvidence:
    """The largest ratio and the violations among the instances of one highest grade."""

    claim: Claim
    largest: float = -np.inf
    place: str = ""
    relation: str = "<="
    seen: int = 0
    sizes: int = 0
    sum_of_ratios: float = 0.0
    n_ratios: int = 0
    right_is_positive: bool = False
    left_is_positive: bool = False
    bad: list[Group] = field(default_factory=list)

    def enumerate(self, n: int, groups: Iterable[Group]) -> None:
        """Look at every instance of size n."""
        before = self.seen
        for group in groups:
            self.seen += group.m
            for ratios in self.look_at(group):
                self.sum_of_ratios += float(ratios.sum())
                self.n_ratios += len(ratios)
        if self.seen > before:
            self.sizes = n

    def look_at(self, group: Group) -> list[np.ndarray]:
        """Compare both sides, keep the instances that violate the claim, and return the ratios of each comparison."""
        violated, every = np.zeros(group.m, dtype=bool), []
        for comparison in list_comparisons(self.claim(group)):
            violated |= comparison.find_violations()
            self.relation = comparison.relation
            ratios = comparison.compute_ratios()
            every.append(ratios)
            self.right_is_positive |= bool(np.any(comparison.right > 0))
            self.left_is_positive |= bool(np.any(comparison.left > 0))
            if len(ratios) and ratios.max() > max(self.largest, 0) * ALIKE:
                self.keep(group, float(ratios.max()), int((ratios * ALIKE >= ratios.max()).argmax()), comparison.label)
            elif len(ratios):
                self.largest = max(self.largest, float(ratios.max()))
        if violated.any():
            self.bad.append(group.take(np.flatnonzero(violated)))
        return every

    def keep(self, group: Group, ratio: float, row: int, label: str = "") -> None:
        self.largest, self.place = ratio, group.describe(row) + (f", {label}" if label else "")

    def conclude(self, is_vacuous: Callable[[], bool] | None = None) -> Finding:
        """Return the verdict; `is_vacuous` is asked if the claim holds."""
        finding = Finding(IDENTITY, exhaustive_n=self.sizes, instances=self.seen)
        if self.bad:
            finding = replace(finding, verdict=REFUTED, counterexample=show_counterexample(self.claim, self.bad))
        if self.relation == "==":
            return finding
        ratio = self.largest if self.place else None
        mean = self.sum_of_ratios / self.n_ratios if self.n_ratios else None
        finding = replace(finding, max_ratio=ratio, ratio_at=self.place, mean_ratio=mean)
        if self.bad:
            return finding
        verdict = VACUOUS if is_vacuous is not None and is_vacuous() else HOLDS
        return replace(finding, verdict=verdict, may_shrink=self.measure_room())

    def measure_room(self) -> float | str:
        """Return by what share the right side may shrink, as in `Finding.may_shrink`."""
        if not self.right_is_positive:
            return ZERO_SIDED
        return max(0.0, 1 - self.largest) if self.left_is_positive else NEVER_BINDS


def show_counterexample(claim: Claim, bad: list[Group]) -> str:
    """Show the violating instance with the fewest errors, then the lowest grades, in whatever order they were found."""
    candidates = []
    for group in bad:
        keys = group.size()
        row = int(np.lexsort(keys.T[::-1])[0])
        candidates.append((tuple(keys[row].tolist()), group.take(np.array([row]))))
    _, point = min(candidates, key=lambda candidate: candidate[0])
    broken = next(c for c in list_comparisons(claim(point)) if c.find_violations()[0])
    return f"{point.describe(0)}: {broken.show(0)}"
