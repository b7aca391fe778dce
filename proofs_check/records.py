"""What a statement is made of: rows to check, comparisons of two sides, and findings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

HOLDS, VACUOUS, REFUTED, IDENTITY = "holds", "holds, vacuous", "refuted", "identity"


@dataclass(frozen=True)
class Effort:
    """How far to look: every instance up to `n_max` documents, then `climbs` hill climbs at larger n."""

    n_max: int = 5
    climbs: int = 4
    climb_sizes: tuple[int, ...] = (6, 8, 12)
    seed: int = 20

    @property
    def deep(self) -> bool:
        return self.n_max > 5


CI = Effort()
DEEP = Effort(n_max=6, climbs=40, climb_sizes=(7, 10, 16, 24))


@dataclass(frozen=True)
class Comparison:
    """Both sides of one claim on m instances at once.

    `left` and `right` are (m,) arrays: integers (int64, or Python integers in an object array) are compared
    exactly; floats are compared up to `slack`, whose derivation stands where it is computed. `relation` is
    "<=" or "==". `ratio` (m,) is left/right for the tightness; leave it out and it is taken from the two
    sides. `squared` says that both sides are squares, so that the ratio is the root of theirs.

    In a counterexample, `unit` is the denominator of integer sides, `label` names what else defines the
    instance (the discount), and `floored` says that an irrational right side was rounded down to an integer,
    which changes no comparison with an integer.
    """

    left: np.ndarray
    right: np.ndarray
    relation: str = "<="
    slack: float | np.ndarray = 0
    ratio: np.ndarray | None = None
    squared: bool = False
    unit: int = 1
    label: str = ""
    floored: bool = False

    def violated(self) -> np.ndarray:
        """(m,) where the claim fails."""
        if self.relation == "<=":
            return np.asarray(self.left > self.right + self.slack, dtype=bool)
        if self.relation == "==":
            return np.asarray(abs(self.left - self.right) > self.slack, dtype=bool)
        raise ValueError(f"relation must be '<=' or '==', got {self.relation!r}")

    def ratios(self) -> np.ndarray:
        """(m,) left/right, 0 where the right side is not positive."""
        if self.ratio is not None:
            return np.asarray(self.ratio, dtype=float)
        left, right = np.asarray(self.left, dtype=float), np.asarray(self.right, dtype=float)
        quotient = np.divide(left, right, out=np.zeros(np.broadcast(left, right).shape), where=right > 0)
        return np.sqrt(np.maximum(quotient, 0)) if self.squared else quotient

    def sides(self, row: int) -> str:
        """Both sides at one instance: exact fractions for integers."""
        left, right = (np.broadcast_to(side, np.shape(self.left))[row] for side in (self.left, self.right))
        sign = {"<=": ">", "==": "!="}[self.relation] if self.violated()[row] else self.relation
        power = 2 if self.squared else 1
        shown = [
            f"{v:.6g}" if isinstance(v, float) else str(Fraction(int(v), self.unit**power))
            for v in (left, right)
        ]
        label = f"{self.label}, " if self.label else ""
        rounded = " (rounded down)" * self.floored
        return f"{label}{'squares: ' * self.squared}{shown[0]} {sign} {shown[1]}{rounded}"


@dataclass(frozen=True)
class Finding:
    """What the evidence says of one row. `exhaustive_n` is 0 where no size was exhausted."""

    verdict: str
    counterexample: str | None = None
    max_ratio: float | None = None
    ratio_at: str = ""
    exhaustive_n: int = 0
    instances: int = 0


@dataclass(frozen=True)
class Row:
    """One line of the table: a statement, or a step of its proof, and the function that settles it.

    The bare `id` of a statement carries its verdict under the stated premises; its steps are `id.step1`,
    `id.step2` in printed order, weaker premises and other readings `id.variant-...`.
    """

    id: str
    paper: str
    statement: str
    step: str
    check: Callable[[Effort], Finding]
    proof: str = ""

    def as_record(self, finding: Finding) -> dict[str, Any]:
        """The object that `--json` writes for this row."""
        return {
            "id": self.id,
            "paper": self.paper,
            "statement": self.statement,
            "step": self.step,
            "verdict": finding.verdict,
            "counterexample": finding.counterexample,
            "max_ratio": finding.max_ratio,
            "exhaustive_n": finding.exhaustive_n,
        }
