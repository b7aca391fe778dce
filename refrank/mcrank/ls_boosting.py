"""McRank Algorithm 2: least-squares boosted trees, which regress on a transform of the labels (Sec. 5).

    symbol         in code                    shape
    y~             target                     (n_samples,) float64, by default 2^y - 1
    M, nu          n_rounds, learning_rate    int, float
    J              inside `grow`              grow(residual, weight) -> tree, leaves
    S              scores                     (n_samples,)
    R_j, beta_j    leaves, values             (n_leaves,)

    McRank Alg. 2    in our words
    line 0           y~ = 2^y - 1, in `refrank/estimators/mcrank_losses.py`
    line 1           all scores S start at the mean of y~
    line 2           for each round m = 1..M
    line 3               grow a tree of J leaves on the residuals y~ - S
    line 4               beta of a leaf: the mean of its residuals
    line 5               add nu times the beta of its leaf to the S of each document

docs/learn/by_hand.md carries it out on four documents. `LS` is the same algorithm as a loss of
`refrank/mcrank/loss_boosting.py`, bit-for-bit; `LSBoostRanker` runs it.
"""

from collections.abc import Iterator

import numpy as np

from refrank.arrays import Floats
from refrank.mcrank.loss_boosting import Loss, LossRound
from refrank.trees.growth.grower import Grower
from refrank.trees.model.tree import quotient, read_only, with_values
from refrank.trees.numbers.grid import exact_mean


def ls_boosting(
    target: Floats,
    grow: Grower,
    n_rounds: int,
    learning_rate: float,
    weight: Floats | None = None,
    start: Floats | None = None,
) -> Iterator[LossRound]:
    """Run Algorithm 2 as printed. The first record, number 0, holds the mean of line 1.

    Arguments and records are those of `boost` in `refrank/mcrank/loss_boosting.py`, except the loss.

    Examples
    --------
    >>> from refrank.trees.bins.binning import bin_features
    >>> from refrank.trees.engine import default_engine
    >>> from refrank.trees.growth.grower import Grower
    >>> target = np.array([0.0, 1.0, 5.0])
    >>> grow_3 = Grower(bin_features(target[:, np.newaxis], 256, engine=default_engine()), n_leaves=3)
    >>> [turn.scores.tolist() for turn in ls_boosting(target, grow_3, 2, learning_rate=0.5)]
    [[2.0, 2.0, 2.0], [1.0, 1.5, 3.5], [0.5, 1.25, 4.25]]
    """
    # McRank Alg. 2, line 1
    scores = np.full(len(target), exact_mean(target, weight))
    yield LossRound(0, None, read_only(scores.copy()))
    if start is not None:
        scores = np.array(start)
    # McRank Alg. 2, line 2
    for m in range(1, n_rounds + 1):
        # McRank Alg. 2, line 3
        tree, leaves = grow(target - scores, weight)
        # McRank Alg. 2, line 4
        values = quotient(leaves.residual_sum, leaves.weight_sum)
        # McRank Alg. 2, line 5
        leaves.add_to(scores, learning_rate, values)
        yield LossRound(m, with_values(tree, leaves, values), read_only(scores))


LS = Loss(
    start=exact_mean,
    fitted=lambda residual, weight: residual,
    step=lambda leaves, residual, weight: quotient(leaves.residual_sum, leaves.weight_sum),
)
