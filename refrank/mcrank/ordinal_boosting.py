"""McRank Section 4: multiple ordinal classification, by boosting the cumulative binary problems.

    symbol            in code             shape
    Pr(y <= k)        cumulative_proba    (n_samples, n_classes - 1), k = 0..K-2
    p_k               class_proba         (n_samples, n_classes)
    F of problem k    scores              (n_samples, 2): class 0 is {y <= k}, class 1 is {y > k}

    McRank    in our words
    Sec. 4    for each k = 0..K-2, partition the documents into {y <= k} and {y > k}
    Sec. 4        learn Pr(y <= k) by Algorithm 1 with these two classes
    Eq. 8     probability of a grade: p_k = Pr(y <= k) - Pr(y <= k - 1)
    Eq. 5     score of a document: sum_k p_k T(k), in `refrank/mcrank/expected_relevance.py`

The problems are learned separately, so nothing ensures Pr(y <= k) >= Pr(y <= k - 1) in every row: the class
probabilities of Eq. 8 can be negative. They still add up to 1, and are not changed: with T(k) = k the expected
relevance is sum_k Pr(y > k), in which the sign of a single p_k plays no part (docs/reference/errata.md, McRank Sec. 4).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from refrank.arrays import Floats, Ints, Labels
from refrank.cluster.communicator import find_span
from refrank.mcrank.softmax_boosting import (
    Round,
    boost_together,
    compute_residual,
    proba_of_class,
    softmax_boosting_sequential,
)
from refrank.trees.engine import SPECIFICATION, Engine
from refrank.trees.growth.grower import Grower
from refrank.trees.growth.sharing import divide, run_together
from refrank.trees.model.tree import Tree, read_only

Starts = Sequence[Floats | None]  # F of each problem, (n_samples, 2), to continue from; None: 0
BinaryBoosting = Callable[[list[Labels], Grower, int, float, Floats | None], Iterator[list[Round]]]


@dataclass(frozen=True)
class OrdinalRound:
    """One round of all cumulative problems, k = 0..K-2."""

    number: int  # m, from 1
    trees: tuple[tuple[Tree, ...], ...]  # two trees per problem, one (mirrored), or none (one-sided)
    problems: tuple[Floats | float, ...]  # F of each, a read-only view which the next round writes to; or the constant
    n_samples: int
    engine: Engine

    @property
    def cumulative_proba(self) -> Floats:
        """Compute Pr(y <= k) of the training rows as learned so far, (n_samples, n_classes - 1)."""
        cumulative_proba = np.empty((self.n_samples, len(self.problems)), order="F")
        for k, learned in enumerate(self.problems):
            cumulative_proba[:, k] = learned if isinstance(learned, float) else proba_of_class(learned, 0, self.engine)
        return read_only(cumulative_proba)


def ordinal_boosting(
    y: Ints,
    n_classes: int,
    grow: Grower,
    n_rounds: int,
    learning_rate: float,
    weight: Floats | None = None,
    *,
    binary: BinaryBoosting,
) -> Iterator[OrdinalRound]:
    """Learn Pr(y <= k) for k = 0..K-2, one round of all problems at a time.

    Arguments are those of `softmax_boosting_sequential`, and these.

    `binary` is `binary_sequential` (two trees per problem and round, as printed) or `binary_mirrored` (one); to
    continue an earlier run, with its `starts`: F of each problem that has two groups, (n_samples, 2).
    """
    constants = find_one_sided_constants(y, n_classes)
    # McRank Sec. 4: "partition the training data points into two groups"
    problems = {k: (y > k).astype(np.int8) for k, constant in enumerate(constants) if constant is None}
    rounds = binary([*problems.values()], grow, n_rounds, learning_rate, weight)
    for m in range(1, n_rounds + 1):
        turns = dict(zip(problems, next(rounds), strict=True))
        yield OrdinalRound(
            m,
            tuple(turns[k].trees if k in turns else () for k in range(n_classes - 1)),
            tuple(turns[k].scores if constant is None else constant for k, constant in enumerate(constants)),
            len(y),
            grow.engine,
        )


def find_one_sided_constants(y: Ints, n_classes: int) -> tuple[float | None, ...]:
    """Return Pr(y <= k) for each k = 0..K-2 whose problem has an empty group, None for the others.

    >>> find_one_sided_constants(np.array([1, 1, 2]), 5)
    (0.0, None, 1.0, 1.0)
    """
    # Paper is silent: a problem with one group empty has nothing to learn. Pr(y <= k) is the constant 0 or 1.
    lowest, highest = find_span(y)
    return tuple(0.0 if lowest > k else 1.0 if highest <= k else None for k in range(n_classes - 1))


def binary_sequential(
    problems: list[Labels],
    grow: Grower,
    n_rounds: int,
    learning_rate: float,
    weight: Floats | None,
    starts: Starts | None = None,
) -> Iterator[list[Round]]:
    """Learn cumulative problems by Algorithm 1 as printed, with K = 2: two trees per problem and round.

    The labels of a problem, (n_samples,), are 0 for {y <= k} and 1 for {y > k}.
    """
    learning = [
        # McRank Sec. 4: "exactly the same boosting tree algorithm"
        softmax_boosting_sequential(y, 2, grow.on(engine), n_rounds, learning_rate, weight, start)
        for y, engine, start in zip(
            problems, divide(grow.engine, len(problems)), starts or [None] * len(problems), strict=True
        )
    ]
    for _ in range(n_rounds):
        yield run_together(grow.engine, [partial(next, problem) for problem in learning])


def binary_mirrored(
    problems: list[Labels],
    grow: Grower,
    n_rounds: int,
    learning_rate: float,
    weight: Floats | None,
    starts: Starts | None = None,
) -> Iterator[list[Round]]:
    """Learn cumulative problems with p recomputed once per round: one tree per problem and round.

    With K = 2 and one p for both classes, the second residual is the negative of the first. The second tree therefore
    mirrors the first one: equal regions, opposite beta, F_1 = -F_0. It is not grown.
    """
    scores = [
        np.zeros((len(y), 2), order="F") if F is None else np.array(F, order="F")
        for y, F in zip(problems, starts or [None] * len(problems), strict=True)
    ]
    for m in range(1, n_rounds + 1):
        trees = boost_problems(problems, scores, grow, learning_rate, weight)
        yield [Round(m, (tree,), read_only(F)) for tree, F in zip(trees, scores, strict=True)]


def boost_problems(
    problems: list[Labels], scores: list[Floats], grow: Grower, learning_rate: float, weight: Floats | None
) -> list[Tree]:
    """Run one round of all problems, one tree each; it changes their F, (n_samples, 2) each, in place."""
    probas = [proba_of_class(F, 0, grow.engine) for F in scores]
    residuals = (compute_residual(y, 0, p, grow.engine) for y, p in zip(problems, probas, strict=True))
    columns = [(F[:, 0], p) for F, p in zip(scores, probas, strict=True)]
    trees = boost_together(grow, residuals, columns, 2, learning_rate, weight)
    # Departs from McRank Sec. 4: one tree in place of two that mirror each other
    for F in scores:
        F[:, 1] = -F[:, 0]
    return trees


def class_proba(cumulative_proba: Floats) -> Floats:
    """Compute Eq. 8, p_k = Pr(y <= k) - Pr(y <= k - 1), with Pr(y <= -1) = 0 and Pr(y <= K - 1) = 1.

    An entry is negative where the cumulative probabilities, (n_samples, n_classes - 1), cross.

    Examples
    --------
    >>> class_proba(np.array([[0.25, 0.75], [0.75, 0.5]]))
    array([[ 0.25,  0.5 ,  0.25],
           [ 0.75, -0.25,  0.5 ]])
    """
    n_samples = len(cumulative_proba)
    bounded = np.hstack([np.zeros((n_samples, 1)), cumulative_proba, np.ones((n_samples, 1))])
    # McRank Eq. 8
    # iGBRT Sec. 6: P(rel = r) = T^{r+1} - T^r, with "T^0 = 0 and T^5 = 1"
    # Paper is silent: what a negative p_k means. It is left as it is.
    return np.diff(bounded, axis=1)


def cumulative_proba_of(scores: Floats, constants: tuple[float | None, ...], engine: Engine = SPECIFICATION) -> Floats:
    """Compute Pr(y <= k), (n_samples, n_classes - 1), from the scores of the trained problems.

    The scores, (n_samples, n_outputs), are F of each problem that is not one-sided, problem after problem: both
    classes, or F_0 alone, with F_1 = -F_0. `constants` are those of `find_one_sided_constants`.
    """
    cumulative_proba = np.empty((len(scores), len(constants)), order="F")
    mirrored = scores.shape[1] == constants.count(None)
    outputs = iter(scores.T)
    for k, constant in enumerate(constants):
        if constant is None:
            F_0 = next(outputs)
            F_1 = -F_0 if mirrored else next(outputs)
            cumulative_proba[:, k] = proba_of_class(np.column_stack([F_0, F_1]), 0, engine)
        else:
            cumulative_proba[:, k] = constant
    return cumulative_proba
