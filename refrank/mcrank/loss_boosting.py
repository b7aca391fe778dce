"""Boosted trees for a loss of one score: Friedman's Algorithm 1, "Gradient_Boost", with trees.

Friedman 2001 is McRank's [9], "Greedy function approximation: a gradient boosting machine". A loss is a record of three
functions, with its own parameters bound; this loop is the same for all: `LS` (`refrank/mcrank/ls_boosting.py`), `LAD`
(`refrank/mcrank/lad_boosting.py`), Huber's (`refrank/mcrank/huber_boosting.py`), and any other.

    symbol              in code                    shape
    y (Friedman's)      target                     (n_samples,) float64: McRank's y~, by default 2^y - 1
    F                   scores                     (n_samples,)
    y - F               residual                   (n_samples,)
    M, nu               n_rounds, learning_rate    int, float
    J (Friedman's L)    inside `grow`              grow(response, weight) -> tree, leaves
    R_j, gamma_j        leaves, values             (n_leaves,)

    Friedman 2001 Alg. 1    in our words
    line 1                  all scores F start at the constant of least loss
    line 2                  for each round m = 1..M
    line 3                      y~, the response: the slope down the loss at the F of each document
    line 4                      grow a tree of J leaves on y~
    line 5                      gamma of a leaf: the step of least loss
    line 6                      add nu times the gamma of its leaf to the F of each document
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from refrank.arrays import Floats
from refrank.mcrank.joint_statistics import Group
from refrank.trees.growth.grower import Grower
from refrank.trees.model.tree import Leaves, Tree, read_only, with_values


@dataclass(frozen=True)
class Loss:
    """A loss of one score; a row of weight w counts w times in each of its functions, in any order of the rows."""

    start: Callable[[Floats, Floats | None], float]  # (target, weight) -> F before the first round
    fitted: Callable[[Floats, Floats | None], Floats]  # (residual, weight) -> the response, (n_samples,)
    step: Callable[[Leaves, Floats, Floats | None], Floats]  # (leaves, residual, weight) -> gamma, (n_leaves,)


@dataclass(frozen=True)
class LossRound:
    """One turn of the outer loop, line 2."""

    number: int  # m, from 1; 0 is line 1, before any tree
    tree: Tree | None  # the leaves hold gamma, before the shrinkage nu; None in record 0
    scores: Floats  # F, (n_samples,): a read-only view, which the next round writes to


def boost(
    loss: Loss,
    target: Floats,
    grow: Grower,
    n_rounds: int,
    learning_rate: float,
    weight: Floats | None = None,
    start: Floats | None = None,
) -> Iterator[LossRound]:
    """Run Friedman's Algorithm 1, with his shrinkage. The first record, number 0, holds the constant of line 1.

    A row of weight w, (n_samples,), counts w times in every sum. `start`, (n_samples,), is F after the rounds of an
    earlier run, to continue it; the constant of line 1 by default.

    Examples
    --------
    >>> from refrank.mcrank.lad_boosting import LAD
    >>> from refrank.trees.bins.binning import bin_features
    >>> from refrank.trees.engine import default_engine
    >>> target = np.array([0.0, 1.0, 5.0])
    >>> grow_3 = Grower(bin_features(target[:, np.newaxis], 256, engine=default_engine()), n_leaves=3)
    >>> [turn.scores.tolist() for turn in boost(LAD, target, grow_3, 2, learning_rate=0.5)]
    [[1.0, 1.0, 1.0], [0.5, 1.0, 3.0], [0.25, 1.0, 4.0]]
    """
    # Friedman 2001 Alg. 1, line 1
    scores = np.full(len(target), loss.start(target, weight))
    yield LossRound(0, None, read_only(scores.copy()))
    if start is not None:
        scores = np.array(start)
    # Friedman 2001 Alg. 1, line 2
    for m in range(1, n_rounds + 1):
        residual = target - scores  # (n_samples,)
        # Friedman 2001 Alg. 1, line 3
        response = loss.fitted(residual, weight)
        # Friedman 2001 Alg. 1, line 4
        tree, leaves = grow(response, weight)
        # Friedman 2001 Alg. 1, line 5
        values = loss.step(leaves, residual, weight)
        # Friedman 2001 Alg. 1, line 6: times the shrinkage of his Sec. 5
        leaves.add_to(scores, learning_rate, values)
        yield LossRound(m, with_values(tree, leaves, values), read_only(scores))


def step_each_leaf(
    compute: Callable[[Sequence[Group]], Floats], leaves: Leaves, residual: Floats, weight: Floats | None
) -> Floats:
    """Compute gamma of each leaf, (n_leaves,), from the residuals and weights of its own rows."""
    rows_of_leaves = np.split(leaves.rows, leaves.starts[1:-1])
    return compute([(residual[rows], None if weight is None else weight[rows]) for rows in rows_of_leaves])
