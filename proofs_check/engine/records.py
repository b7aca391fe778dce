"""The parts of a statement: rows to check, comparisons of two sides, and findings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

HOLDS, VACUOUS, REFUTED, IDENTITY = "holds", "holds, vacuous", "refuted", "identity"


@dataclass(frozen=True)
class Effort:
    """The extent of a search: all instances up to `n_max` documents, then `climbs` hill climbs per larger n."""

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

    def violated(self) -> np.ndarray:
        """Find the instances where the claim fails, (m,)."""
        if self.relation == "<=":
            return np.asarray(self.left > self.right + self.slack, dtype=bool)
        if self.relation == "==":
            return np.asarray(abs(self.left - self.right) > self.slack, dtype=bool)
        raise ValueError(f"relation must be '<=' or '==', got {self.relation!r}")

    def only(self, where: np.ndarray) -> Comparison:
        """Keep the claim at the instances `where` a premise holds; both sides become 0 elsewhere."""
        left, right = (np.where(where, side, 0) for side in (self.left, self.right))
        return replace(self, left=left, right=right, ratio=None)

    def ratios(self) -> np.ndarray:
        """Compute left/right, 0 where the right side is not positive, (m,)."""
        if self.ratio is not None:
            return np.asarray(self.ratio, dtype=float)
        left, right = np.asarray(self.left, dtype=float), np.asarray(self.right, dtype=float)
        quotient = np.divide(left, right, out=np.zeros(np.broadcast(left, right).shape), where=right > 0)
        return np.sqrt(np.maximum(quotient, 0)) if self.squared else quotient

    def sides(self, row: int) -> str:
        """Show both sides at one instance, integers as exact fractions."""
        left, right = (np.broadcast_to(side, np.shape(self.left))[row] for side in (self.left, self.right))
        sign = {"<=": ">", "==": "!="}[self.relation] if self.violated()[row] else self.relation
        power = 2 if self.squared else 1
        shown = [f"{v:.6g}" if isinstance(v, float) else str(Fraction(int(v), self.unit**power)) for v in (left, right)]
        label = f"{self.label}, " if self.label else ""
        rounded = " (rounded down)" * self.floored
        return f"{label}{'squares: ' * self.squared}{shown[0]} {sign} {shown[1]}{rounded}"


@dataclass(frozen=True)
class Finding:
    """The result of checking one row. `exhaustive_n` is 0 if no size was exhausted."""

    verdict: str
    counterexample: str | None = None
    max_ratio: float | None = None
    ratio_at: str = ""
    exhaustive_n: int = 0
    instances: int = 0


@dataclass(frozen=True)
class Row:
    """One line of the table: a statement or a step of its proof, and the function that settles it.

    The row with the bare id of a statement, such as `mcrank.lemma1`, holds its verdict under the stated premises.
    The steps `mcrank.lemma1.step1`, `.step2` follow in printed order; weaker premises and other readings are
    `mcrank.lemma1.variant-...`.
    """

    id: str
    paper: str
    statement: str
    step: str
    check: Callable[[Effort], Finding]
    proof: str = ""

    def as_record(self, finding: Finding) -> dict[str, Any]:
        """Build the object that `--json` writes for this row."""
        own, found = ("id", "paper", "statement", "step"), ("verdict", "counterexample", "max_ratio", "exhaustive_n")
        return {name: getattr(self, name) for name in own} | {name: getattr(finding, name) for name in found}


def table(id: str, paper: str, *lines: Sequence[Any] | Row, proof: str = "") -> list[Row]:
    """Build the rows of one statement.

    Parameters
    ----------
    id : str
        The statement, such as "mcrank.lemma1".
    paper : str
        Where it is printed, such as "McRank".
    *lines : tuple (name, statement, step, check) or (name, statement, step, check, proof), or Row
        Fields of the rows: name is "" for the statement itself, otherwise "step1", "variant-..." and so on.
    proof : str, default ""
        Where to read the proof, for the lines that do not say.
    """
    rows = []
    for line in lines:
        if isinstance(line, Row):
            rows.append(line)
        else:
            name, statement, step, check, *more = line
            rows.append(Row(f"{id}.{name}" if name else id, paper, statement, step, check, *more or [proof]))
    return rows
