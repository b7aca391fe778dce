"""Why one document ranks above another: the parts of the difference of their scores, and what would swap them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats, Matrix
from refrank.checks import check_numbers, check_shape
from refrank.inspection.page import write_page
from refrank.inspection.style import shorten
from refrank.inspection.sums import TreeSum, list_trees
from refrank.inspection.svg import draw_bars
from refrank.trees.model.tree import LEAF

Score = Callable[[Matrix], Floats]
MOST_NAMED = 5  # parts in the sentence
DOCUMENTS = ("a", "b")


@dataclass(frozen=True)
class Swap:
    """A change of one feature of one document that puts the lower document above the other."""

    document: str  # "a" or "b"
    feature: int
    name: str
    low: float  # with a value from here, and below `high`, the documents have changed places
    high: float
    falls: bool  # whether the value must fall
    n_cuts: int  # the cuts that it passes, of those of the model on this feature

    def describe(self, higher: str) -> str:
        """Write the condition; the document is named unless it is the higher one."""
        owner = "" if self.document == higher else f" of {self.document}"
        return f"{self.name}{owner} {f'< {self.high:.6g}' if self.falls else f'>= {self.low:.6g}'}"


@dataclass(frozen=True, eq=False)
class PairExplanation:
    """The difference between the scores of two documents, a and b, explained; `print` writes one sentence."""

    names: Sequence[str]  # (n_features,)
    scores: tuple[float, float]  # of a and of b
    parts: Floats  # (n_features,): contributions to the score of a, less those to the score of b
    swap: Swap | None  # the nearest; None if no change of one feature suffices, or the scores are equal

    @property
    def higher(self) -> str:
        """The document with the higher score: "a", also if they are equal, or "b"."""
        return DOCUMENTS[self.scores[1] > self.scores[0]]

    def list_parts(self) -> list[tuple[str, float]]:
        """List names and parts beyond rounding, the largest first; positive ones favour the higher document."""
        sign, sizes = 1.0 if self.higher == "a" else -1.0, np.abs(self.parts)
        order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes > 1e-12 * sizes.max(initial=0.0))]
        return [(str(self.names[f]), sign * float(self.parts[f])) for f in order]

    def __str__(self) -> str:
        """Return the sentence."""
        lower = DOCUMENTS[self.higher == "a"]
        difference = abs(self.scores[0] - self.scores[1])
        parts = self.list_parts()
        others = parts[MOST_NAMED:] if len(parts) > MOST_NAMED + 1 else []
        words = [f"{name} {part:+.2g}" for name, part in parts[: len(parts) - len(others)]]
        if others:
            words.append(f"{len(others)} others {sum(part for _, part in others):+.2g}")
        text = f"{self.higher} above {lower} by {difference:.2g}" if difference else "a and b have the same score"
        text += f": {', '.join(words)}" if words else ""
        if not difference:
            return text
        if self.swap is None:
            return f"{text}; no change of one feature would swap them"
        return f"{text}; would swap if {self.swap.describe(self.higher)}"

    def _repr_html_(self) -> str:
        """Draw the parts as bars, below the sentence."""
        parts = self.list_parts()[:20]
        bars = draw_bars([shorten(name) for name, _ in parts], [part for _, part in parts])
        return write_page(str(self), bars)


def check_document(name: str, features: ArrayLike, n_features: int) -> Floats:
    """Return the features of a document as float64; refuse another number of them than (n_features,).

    >>> check_document("a", [1, 2, 3], 2)
    Traceback (most recent call last):
    ValueError: a has shape (3,): it must have shape (n_features,), one document, here (2,)
    """
    row = check_numbers(name, features, "features must be numbers")
    check_shape(name, row, (n_features,), "(n_features,), one document")
    return row


def list_cuts(sums: Sequence[TreeSum], n_features: int) -> list[Floats]:
    """List the cuts on each feature, rising, without those at infinity, which part missing entries."""
    held: list[list[Floats]] = [[np.empty(0)] for _ in range(n_features)]
    for tree in list_trees(sums):
        inner = (tree.feature != LEAF) & np.isfinite(tree.cut)
        for feature in np.unique(tree.feature[inner]):
            held[feature % n_features].append(tree.cut[inner & (tree.feature == feature)])
    return [np.unique(np.concatenate(cuts)) for cuts in held]


def find_swap(
    cuts: Sequence[Floats], rows: Matrix, score: Score, names: Sequence[str], marker: float | None
) -> Swap | None:
    """Find the change of one feature of a or of b, rows 0 and 1 of (2, n_features), that swaps them.

    The score is constant between two cuts, so a value between each two of them is tried: the search is exhaustive, and
    nearest is the change that passes the fewest cuts; among equals that of the higher document, of the first feature,
    and the fall. Missing entries, NaN or the `marker`, keep missing.
    """
    scores = score(rows)
    if scores[0] == scores[1]:
        return None
    nearest: Swap | None = None
    for document in np.argsort(-scores, kind="stable").tolist():
        for feature, at in enumerate(cuts):
            x = float(rows[document, feature])
            if not len(at) or np.isnan(x) or x == marker:
                continue
            low, high = np.append(-np.inf, at), np.append(at, np.inf)
            place = int(np.searchsorted(at, x, side="right"))
            values = np.append(at[0] - max(1e-6, 1e-6 * abs(at[0])), at)
            values[values == marker] = np.nextafter(values[values == marker], np.inf)
            values[place] = x
            changed = np.repeat(rows[document : document + 1], len(values), axis=0)
            changed[:, feature] = values
            others = scores[1 - document]
            swapped = (score(changed) < others) if scores[document] > others else (score(changed) > others)
            candidates = np.flatnonzero(swapped & (values < high))
            n_cuts = np.abs(candidates - place)
            if len(candidates) and (nearest is None or n_cuts.min() < nearest.n_cuts):
                to = int(candidates[np.argmin(n_cuts)])
                span = float(low[to]), float(high[to])
                nearest = Swap(DOCUMENTS[document], feature, str(names[feature]), *span, to < place, abs(to - place))
    return nearest
