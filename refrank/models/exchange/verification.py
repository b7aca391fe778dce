"""Verification of an exported file: its format's program and refrank score the same rows, and the results are compared.

Programs read features in their own ways, which a format's `read_as` applies; refrank scores the result. The
difference of each output, and of the score, has a bound (`refrank.models.exchange.rounding`,
`refrank.models.exchange.heads`): 0 where the program adds the same numbers in the same order.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats, Matrix
from refrank.igbrt.missing_values import is_missing
from refrank.models.exchange.changed_pairs import ChangedPairs, count_changed_pairs
from refrank.models.exchange.formats import FORMATS, Format
from refrank.models.exchange.heads import Head
from refrank.models.exchange.portable import Portable
from refrank.models.exchange.runtimes import name_runtime
from refrank.trees.numbers.ulps import count_ulps


@dataclass(frozen=True)
class Discrepancy:
    """The largest difference between two columns of numbers."""

    largest: float  # NaN if one of them is not a number
    row: int  # from 0
    ulps: int | None  # from refrank's float64 to the program's; None if one is not finite
    bound: float

    @property
    def within(self) -> bool:
        """Whether the difference is at most the bound."""
        return self.largest <= self.bound


@dataclass(frozen=True)
class Verification:
    """Result of a verification."""

    runtime: str  # the program and its version
    reads: str  # what it changes in the features; "": nothing
    n_rows: int
    n_entries: int  # number of entries of the features
    n_read: int  # entries that it changes
    n_moved: int  # rows whose score in refrank changes with these entries
    outputs: tuple[Discrepancy, ...]  # one per output
    own_score: bool  # whether the score is the program's; else refrank computes it from the program's outputs
    score: Discrepancy
    pairs: ChangedPairs

    @property
    def within(self) -> bool:
        """Whether every difference is at most its bound."""
        return all(discrepancy.within for discrepancy in (*self.outputs, self.score))


def verify(content: bytes, to: str, portable: Portable, X: Matrix, qid: ArrayLike | None) -> Verification:
    """Score rows by a format's program, from the content of the written file, and by refrank; compare the results.

    X, (n_samples, n_features), marks missing entries as the ranker does. Raises a ValueError if the program is not
    installed or cannot read the features.
    """
    target = FORMATS[to]
    marker = portable.missing_value
    read, missing = target.read_as(X), np.zeros(X.shape, np.bool_)
    if marker is not None:
        missing = is_missing(X, marker) | is_missing(read, marker)  # an entry may be read as the marker, such as 0
        read = np.where(missing, np.nan, read)
    ours = portable.outputs(read if marker is None else np.where(missing, np.float64(marker), read))
    theirs, their_score = target.score(content, read, portable)
    errors = bound_errors(target, portable)
    outputs = tuple(compare(ours[:, c], theirs[:, c], error) for c, error in enumerate(errors.tolist()) if len(ours))
    score, as_given = portable.head(ours), portable.head(portable.outputs(X))
    made = their_score is None
    their_score = portable.head(theirs) if their_score is None else their_score
    return Verification(
        runtime=name_runtime(target.RUNTIME),
        reads=target.READS,
        n_rows=len(X),
        n_entries=X.size,
        n_read=int(np.count_nonzero((read != X) & ~missing)),
        n_moved=int(np.count_nonzero(as_given != score)),
        outputs=outputs,
        own_score=not made,
        score=compare(score, their_score, bound_score(portable.head, errors, ours, made)),
        pairs=count_changed_pairs(score, their_score, qid),
    )


def bound_errors(target: Format, portable: Portable) -> Floats:
    """Bound the difference of each output, (n_outputs,)."""
    if target.IN_ORDER and portable.in_order:
        return np.zeros(len(portable.sums.initial))
    return portable.rounding + target.bound_rounding(portable)


def bound_score(head: Head, errors: Floats, outputs: Floats, made: bool) -> float:
    """Bound the difference of the score; 0 if refrank computes it from outputs that must be equal."""
    if made and not errors.any():
        return 0.0
    largest = float(np.abs(outputs).max(initial=0.0) + errors.max())
    return head.bound(errors) + head.bound_rounding(largest)


def compare(ours: Floats, theirs: Floats, bound: float) -> Discrepancy:
    """Find the largest difference between two columns, (n_samples,).

    >>> compare(np.array([1.0, 2.0]), np.array([1.0, 2.0 + 2**-51]), 0.0)
    Discrepancy(largest=4.440892098500626e-16, row=1, ulps=1, bound=0.0)
    """
    difference = np.abs(ours - theirs)
    row = int(np.argmax(difference))  # a NaN counts as the largest
    return Discrepancy(float(difference[row]), row, count_ulps(float(ours[row]), float(theirs[row])), bound)
