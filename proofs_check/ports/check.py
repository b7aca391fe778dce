"""The parts of a check: a claim on the numbers of a port, a check of one statement, and its outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis.strategies import SearchStrategy

HOLDS, FAILS, RAISED, NOT_OFFERED = VERDICTS = "holds", "fails", "raised", "not offered"
FLOAT32 = 2.0**-12  # times 1 + its size: what a number of a port that computes in float32 may be off by
LONGEST = 300  # characters of an instance or of one side


@dataclass(frozen=True)
class Claim:
    """One comparison: left <= right + slack, or left == right, up to the slack if there is one.

    The sides of "==" may be lists if there is none. A side that is NaN makes the claim false.

    >>> str(Claim(3, "<=", 2, what="the error"))
    'the error: 3 <= 2 is false'
    """

    left: Any
    relation: str
    right: Any
    slack: float = 0.0  # rounding allowed; the reason stands where it is computed
    what: str = ""

    @property
    def holds(self) -> bool:
        """Whether the claim is true."""
        if self.relation == "<=":
            return bool(self.left <= self.right + self.slack)
        if self.relation == "==":
            return bool(abs(self.left - self.right) <= self.slack if self.slack else self.left == self.right)
        raise ValueError(f"relation is {self.relation!r}: it must be '<=' or '=='")

    def loosened(self, share: float) -> Claim:
        """Allow `share` times 1 + the size of the right side more; of lists, compare the entry that is furthest off.

        >>> Claim([1, 2.0], "==", [1, 2.0001]).loosened(FLOAT32).holds
        True
        """
        left, right = np.ravel(np.asarray(self.left, dtype=float)), np.ravel(np.asarray(self.right, dtype=float))
        if left.shape != right.shape or not left.size:
            return self
        at = int(abs(left - right).argmax())  # the first NaN, if there is one
        slack = self.slack + share * (1 + float(abs(right).max()))
        return replace(self, left=float(left[at]), right=float(right[at]), slack=slack)

    def __str__(self) -> str:
        """Describe both sides, and whether the claim is true."""
        what = f"{self.what}: " if self.what else ""
        sign = " + " if self.relation == "<=" else " +- "
        slack = f"{sign}{self.slack:.2g}" if self.slack else ""
        truth = "true" if self.holds else "false"
        return f"{what}{show(self.left)} {self.relation} {show(self.right)}{slack} is {truth}"


@dataclass(frozen=True, eq=False)
class PortCheck:
    """Claims of one statement about the functions of a port.

    Parameters
    ----------
    name : str
        A row of `proofs_check` that the check follows from, such as "mcrank.lemma1.variant-log"; each check
        has its own, with the function after a comma where several follow from one row.
    says : str
        The claim in words.
    needs : tuple of str
        The functions that it takes, by their names in `proofs_check.engine.implementation`.
    instances : mapping of str to strategy
        What else it takes, drawn by Hypothesis.
    claims : function
        Takes the functions in the order of `needs`, and an instance by keywords; yields the claims.
    first : tuple of mappings, default ()
        Instances that are tried before any is drawn, such as those that attain a bound.
    fine : tuple of mappings, default ()
        Those with numbers that float32 cannot tell apart; a port that computes in it is spared them.
    wide : function or None, default None
        Draws another instance from a generator of random numbers, too large for Hypothesis: it repeats itself, and
        keeps to the small ones.
    """

    name: str
    says: str
    needs: tuple[str, ...]
    instances: Mapping[str, SearchStrategy]
    claims: Callable[..., Iterable[Claim]]
    first: tuple[Mapping[str, Any], ...] = ()
    fine: tuple[Mapping[str, Any], ...] = ()
    wide: Callable[[np.random.Generator], Mapping[str, Any]] | None = None


@dataclass(frozen=True)
class PortOutcome:
    """Outcome of a check.

    holds          on every instance that was tried
    fails          the smallest instance found, and the claim that is false there
    raised         a function raised an error; the smallest instance found
    not offered    a function is absent, or raises NotImplementedError on every instance
    """

    name: str
    verdict: str
    why: str = ""  # the claim, the error, or the function that is absent
    instance: str = ""

    def __str__(self) -> str:
        """Return the outcome in one line."""
        why = f": {self.why}" if self.why else ""
        return f"{self.name} {self.verdict}{why}" + (f", at {self.instance}" if self.instance else "")


def show(side: Any) -> str:
    """Show one side: a float or an integer with all its digits, a long fraction as a float."""
    value = side.item() if hasattr(side, "item") and getattr(side, "size", 1) == 1 else side
    text = str(value)
    if isinstance(value, Fraction) and len(text) > 40:
        text = repr(float(value))
    return shorten(text)


def shorten(text: str) -> str:
    """Cut off what is beyond `LONGEST`."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
