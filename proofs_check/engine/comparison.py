"""Both sides of a claim on many instances, and where it fails."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np


@dataclass(frozen=True)
class Comparison:
    """Both sides of one claim on m instances.

    Parameters
    ----------
    left, right : array of shape (m,)
        The two sides. Integers (int64, or Python integers in an object array) are compared exactly.
    relation : {"<=", "=="}, default "<="
        What is claimed.
    slack : float or array of shape (m,), default 0
        Rounding error allowed between floats; it is derived where it is computed.
    ratio : array of shape (m,), optional
        left/right, which measures the tightness. Default: computed from the two sides.
    squared : bool, default False
        Whether both sides are squares, so that the ratio is the root of theirs.
    unit : int, default 1
        Denominator of integer sides, shown in a counterexample.
    label : str, default ""
        Whatever else defines the instance, such as the discount; shown in a counterexample.
    floored : bool, default False
        Whether an irrational right side was rounded down to an integer. No comparison with an integer changes.
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

    def find_violations(self) -> np.ndarray:
        """Find the instances where the claim fails, (m,)."""
        if self.relation == "<=":
            return np.asarray(self.left > self.right + self.slack, dtype=bool)
        if self.relation == "==":
            return np.asarray(abs(self.left - self.right) > self.slack, dtype=bool)
        raise ValueError(f"relation must be '<=' or '==', got {self.relation!r}")

    def keep_only(self, where: np.ndarray) -> Comparison:
        """Keep the claim at the instances `where` a premise holds; both sides become 0 elsewhere."""
        left, right = (np.where(where, side, 0) for side in (self.left, self.right))
        return replace(self, left=left, right=right, ratio=None)

    def compute_ratios(self) -> np.ndarray:
        """Compute left/right, 0 where the right side is not positive, (m,)."""
        if self.ratio is not None:
            return np.asarray(self.ratio, dtype=float)
        left, right = np.asarray(self.left, dtype=float), np.asarray(self.right, dtype=float)
        quotient = np.divide(left, right, out=np.zeros(np.broadcast(left, right).shape), where=right > 0)
        return np.sqrt(np.maximum(quotient, 0)) if self.squared else quotient

    def show(self, row: int) -> str:
        """Show both sides at one instance, integers as exact fractions."""
        left, right = (np.broadcast_to(side, np.shape(self.left))[row] for side in (self.left, self.right))
        sign = {"<=": ">", "==": "!="}[self.relation] if self.find_violations()[row] else self.relation
        power = 2 if self.squared else 1
        shown = [f"{v:.6g}" if isinstance(v, float) else str(Fraction(int(v), self.unit**power)) for v in (left, right)]
        label = f"{self.label}, " if self.label else ""
        rounded = " (rounded down)" * self.floored
        return f"{label}{'squares: ' * self.squared}{shown[0]} {sign} {shown[1]}{rounded}"
