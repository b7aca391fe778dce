"""McRank Section 4: multiple ordinal classification, by boosting the cumulative binary problems.

    symbol            in code             shape
    Pr(y <= k)        cumulative_proba    (n_samples, n_classes - 1), k = 0..K-2
    p_k               class_proba         (n_samples, n_classes)
    F of problem k    scores              (n_samples, 2): class 0 is {y <= k}, class 1 is {y > k}

The problems are learned separately, so nothing holds Pr(y <= k) >= Pr(y <= k - 1) in every row: the class probabilities
of Eq. 8 can be negative. They still add up to 1, and are left as they are: with T(k) = k the expected relevance is
sum_k Pr(y > k), where the sign of a single p_k plays no part (docs/errata.md, McRank Sec. 4).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from refrank.mcrank.softmax_boosting import (
    Grow,
    Round,
    boost_class,
    class_proba,
    read_only,
    softmax,
    softmax_boosting_sequential,
)
from refrank.trees.tree import Tree, add_predictions

BinaryBoosting = Callable[
    [NDArray[np.integer], Grow, int, float, NDArray[np.float64] | None],
    Iterator[Round],
]


@dataclass(frozen=True)
class OrdinalRound:
    """One round of every cumulative problem, k = 0..K-2."""

    number: int  # m, from 1
    trees: tuple[tuple[Tree, ...], ...]  # (n_classes - 1,), each of 2 trees, of 1 (mirrored), or of 0 (one-sided)
    cumulative_proba: NDArray[np.float64]  # (n_samples, n_classes - 1)


def ordinal_boosting(
    y: NDArray[np.int64],
    n_classes: int,
    grow: Grow,
    n_rounds: int,
    learning_rate: float,
    weight: NDArray[np.float64] | None = None,
    *,
    binary: BinaryBoosting,
) -> Iterator[OrdinalRound]:
    """Learn Pr(y <= k) for k = 0..K-2, all problems a round at a time.

    Parameters are those of `softmax_boosting_sequential`, and

    binary : function
        `binary_sequential` (two trees a problem and round, as printed) or `binary_mirrored` (one).

    Yields
    ------
    OrdinalRound
    """
    cumulative_proba = np.empty((len(y), n_classes - 1), order="F")
    problems: dict[int, Iterator[Round]] = {}
    for k, constant in enumerate(one_sided_constants(y, n_classes)):
        if constant is None:
            # McRank Sec. 4: "partition the training data points into two groups"
            above = (y > k).astype(np.int8)
            problems[k] = binary(above, grow, n_rounds, learning_rate, weight)
        else:
            cumulative_proba[:, k] = constant
    for m in range(1, n_rounds + 1):
        trees: list[tuple[Tree, ...]] = [()] * (n_classes - 1)
        for k, problem in problems.items():
            turn = next(problem)
            trees[k] = turn.trees
            cumulative_proba[:, k] = class_proba(turn.scores, 0)
        yield OrdinalRound(m, tuple(trees), read_only(cumulative_proba))


def one_sided_constants(y: NDArray[np.int64], n_classes: int) -> tuple[float | None, ...]:
    """Return Pr(y <= k) for each k = 0..K-2 whose problem has an empty group, None for the others.

    Examples
    --------
    >>> one_sided_constants(np.array([1, 1, 2]), 5)
    (0.0, None, 1.0, 1.0)
    """
    # Paper is silent: a problem with one group empty has nothing to learn. Pr(y <= k) is the constant 0 or 1.
    lowest, highest = int(y.min()), int(y.max())
    return tuple(0.0 if lowest > k else 1.0 if highest <= k else None for k in range(n_classes - 1))


def binary_sequential(
    y: NDArray[np.integer], grow: Grow, n_rounds: int, learning_rate: float, weight: NDArray[np.float64] | None
) -> Iterator[Round]:
    """One cumulative problem by Algorithm 1 as printed, with K = 2: two trees a round."""
    # McRank Sec. 4: "exactly the same boosting tree algorithm"
    return softmax_boosting_sequential(y, 2, grow, n_rounds, learning_rate, weight)


def binary_mirrored(
    y: NDArray[np.integer], grow: Grow, n_rounds: int, learning_rate: float, weight: NDArray[np.float64] | None
) -> Iterator[Round]:
    """One cumulative problem with p renewed once a round: one tree a round.

    With K = 2 and one p for both classes, the second residual is the first with its sign turned, so the second tree is
    the first one's mirror: equal regions, opposite beta, F_1 = -F_0. It need not be grown.
    """
    scores = np.zeros((len(y), 2), order="F")
    for m in range(1, n_rounds + 1):
        proba = class_proba(scores, 0)
        # Departs from McRank Sec. 4: one tree in place of two that mirror each other
        tree = boost_class(scores[:, 0], y == 0, proba, 2, grow, learning_rate, weight)
        scores[:, 1] = -scores[:, 0]
        yield Round(m, (tree,), read_only(scores))


def class_proba_from_cumulative(cumulative_proba: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute Eq. 8, p_k = Pr(y <= k) - Pr(y <= k - 1), with Pr(y <= -1) = 0 and Pr(y <= K - 1) = 1.

    Parameters
    ----------
    cumulative_proba : float64 array of shape (n_samples, n_classes - 1)

    Returns
    -------
    float64 array of shape (n_samples, n_classes)
        Entries may be negative where the cumulative probabilities cross.

    Examples
    --------
    >>> class_proba_from_cumulative(np.array([[0.25, 0.75], [0.75, 0.5]]))
    array([[ 0.25,  0.5 ,  0.25],
           [ 0.75, -0.25,  0.5 ]])
    """
    n_samples = len(cumulative_proba)
    bounded = np.hstack([np.zeros((n_samples, 1)), cumulative_proba, np.ones((n_samples, 1))])
    # McRank Eq. 8
    # Paper is silent: what a negative p_k means. It is left as it is.
    return np.diff(bounded, axis=1)


@dataclass(frozen=True)
class OrdinalModel:
    """The trained cumulative problems."""

    rounds: tuple[tuple[tuple[Tree, ...], ...], ...]  # (n_rounds, n_classes - 1) of 2, 1 or 0 trees
    constants: tuple[float | None, ...]  # (n_classes - 1,) Pr(y <= k) where problem k was one-sided, else None
    learning_rate: float

    def staged_cumulative_proba(
        self, X: NDArray[np.floating], splitter: ModuleType, n_threads: int, every: int = 1
    ) -> Iterator[NDArray[np.float64]]:
        """Yield Pr(y <= k), (n_samples, n_classes - 1), after each `every` rounds."""
        scores = [np.zeros((len(X), 2), order="F") for _ in self.constants]
        cumulative_proba = np.empty((len(X), len(self.constants)), order="F")
        for start in range(0, len(self.rounds), every):
            for k, constant in enumerate(self.constants):
                if constant is not None:
                    cumulative_proba[:, k] = constant
                    continue
                pairs = [trees[k] for trees in self.rounds[start : start + every]]
                for side in range(len(pairs[0])):
                    trees = [pair[side] for pair in pairs]
                    add_predictions(trees, X, self.learning_rate, scores[k][:, side], splitter, n_threads)
                if len(pairs[0]) == 1:  # mirrored
                    scores[k][:, 1] = -scores[k][:, 0]
                cumulative_proba[:, k] = softmax(scores[k])[:, 0]
            yield cumulative_proba

    def cumulative_proba(self, X: NDArray[np.floating], splitter: ModuleType, n_threads: int) -> NDArray[np.float64]:
        """Compute Pr(y <= k) after the last round, (n_samples, n_classes - 1)."""
        return next(self.staged_cumulative_proba(X, splitter, n_threads, every=len(self.rounds)))
