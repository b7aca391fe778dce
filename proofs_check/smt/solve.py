"""A goal, which is the claim of one row for all reals at a few sizes, and the outcome of asking z3."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import z3

PROVED, REFUTED, UNKNOWN = "proved", "refuted", "unknown"
SECONDS = 20.0  # per case
Sized = Callable[[int], Iterable["Obligation"]]


@dataclass(frozen=True)
class Obligation:
    """One question: do the premises imply left <= right, or left == right?

    Parameters
    ----------
    what : str
        The fixed part, such as the order of the documents.
    premises : list of z3 formulas
    left, right : z3 expressions
    relation : {"<=", "=="}
    """

    what: str
    premises: list[Any]
    left: Any
    right: Any
    relation: str = "<="


@dataclass(frozen=True)
class Goal:
    """Claim of a row, for all reals.

    Parameters
    ----------
    row : str
        Its id.
    sizes : tuple of int
        The sizes that z3 settles within the time.
    obligations : function
        Takes a size and yields its obligations; the claim holds if it holds in all.
    every_size : bool, default False
        Whether they do not depend on the size, so that the claim is proved for every n ("smt").
    fails_at : int, optional
        The smallest size at which the row fails: those of `sizes` are proved, so no counterexample is as small.
    slow : tuple of int, default ()
        Further sizes, which take too long for tests: the command asks about them, but the row does not count them.
    """

    row: str
    sizes: tuple[int, ...]
    obligations: Sized
    every_size: bool = False
    fails_at: int | None = None
    slow: tuple[int, ...] = ()

    @property
    def kind(self) -> str:
        """Entry of the row in the table."""
        return "smt" if self.every_size else f"smt n <= {max(self.sizes)}"


@dataclass(frozen=True)
class GoalOutcome:
    """Outcome of a goal at one size.

    proved     z3 showed that no reals violate any case
    refuted    `detail` has reals that violate a case
    unknown    the time ran out for the case in `detail`
    """

    row: str
    size: int
    verdict: str
    n_cases: int
    seconds: float
    detail: str = ""

    def __str__(self) -> str:
        detail = f": {self.detail}" if self.detail else ""
        return f"{self.row:42} n = {self.size}  {self.verdict:8} {self.n_cases:4} cases {self.seconds:6.1f} s{detail}"


def settle(goal: Goal, size: int, seconds: float = SECONDS, share: tuple[int, int] = (1, 1)) -> GoalOutcome:
    """Ask z3 about all obligations of one size.

    Parameters
    ----------
    goal : Goal
    size : int
    seconds : float
        Time limit per case.
    share : (int, int), default (1, 1)
        The right side is multiplied by the first over the second: less than 1 plants a mistake.
    """
    start, count, unsure = time.perf_counter(), 0, ""
    for count, obligation in enumerate(goal.obligations(size), start=1):
        answer, detail = ask(obligation, seconds, share)
        if answer == z3.sat:
            return GoalOutcome(goal.row, size, REFUTED, count, time.perf_counter() - start, detail)
        if answer == z3.unknown and not unsure:
            unsure = detail
    spent = time.perf_counter() - start
    return GoalOutcome(goal.row, size, UNKNOWN if unsure else PROVED, count, spent, unsure)


def ask(obligation: Obligation, seconds: float, share: tuple[int, int]) -> tuple[Any, str]:
    """Look for reals that satisfy the premises and violate the claim; describe them, or the case that stays open."""
    solver = z3.Solver()
    solver.set("timeout", int(1000 * seconds))
    solver.add(*obligation.premises)
    left, right = obligation.left * share[1], obligation.right * share[0]
    solver.add(left > right if obligation.relation == "<=" else left != right)
    answer = solver.check()
    detail = f"{obligation.what}, {describe(solver.model())}" if answer == z3.sat else obligation.what
    return answer, detail


def describe(model: Any) -> str:
    """Show the numbers of a model, in the order of their names."""
    return ", ".join(f"{part} = {model[part]}" for part in sorted(model.decls(), key=str))


def walk(goals: Iterable[Goal], seconds: float = SECONDS) -> Iterator[GoalOutcome]:
    """Settle every size of every goal."""
    for goal in goals:
        for size in (*goal.sizes, *goal.slow):
            yield settle(goal, size, seconds)
