"""LambdaMART: boosted trees that are fitted to the lambdas of a ranking measure (not in the three papers).

Burges 2010 is "From RankNet to LambdaRank to LambdaMART: An Overview", MSR-TR-2010-82. The optimization problem is that
of LambdaRank (`refrank/mcrank/pairwise_gradients.py`): to maximise the sum over pairs with y_i > y_j of
|Delta Z_ij| log P_ij, P_ij = 1 / (1 + exp(-sigma (F_i - F_j))), whose weights Delta Z follow the scores. Its slope and
second derivative are known for each document (`refrank/mcrank/query_lambdas.py`), which is all that boosting needs.

    symbol          in code                    shape
    lambda          slope                      (n_samples,): the slope up the utility
    w               curvature                  (n_samples,): minus the derivative of lambda
    N, eta          n_rounds, learning_rate    int, float
    L               inside `grow`              grow(residual, weight) -> tree, leaves
    F               scores                     (n_samples,)
    R_l, gamma_l    leaves, values             (n_leaves,)

    Burges 2010 LambdaMART    in our words
    line 1                    all scores F start at 0
    line 2                    for each round
    line 3                        lambda and w of each document, at its query's F
    line 4                        grow a tree of L leaves on lambda
    line 5                        gamma of a leaf: its sum of lambda, over its sum of w
    line 6                        add eta times the gamma of its leaf to the F of each document

The numbers of the lines are ours. L is a number of leaves there; here, L is the truncation of NDCG, as in McRank.
"""

from collections.abc import Iterator

import numpy as np

from refrank.arrays import Floats
from refrank.mcrank.loss_boosting import LossRound
from refrank.mcrank.query_lambdas import Preferences
from refrank.trees.growth.grower import Grower
from refrank.trees.model.tree import quotient, read_only, with_values


def lambdamart(
    preferences: Preferences,
    grow: Grower,
    n_rounds: int,
    learning_rate: float,
    start: Floats | None = None,
) -> Iterator[LossRound]:
    """Run LambdaMART. There is no record 0: all scores start at 0.

    `start`, (n_samples,), is F after the rounds of an earlier run, to continue it.

    Examples
    --------
    >>> from refrank.mcrank.query_lambdas import prepare_queries
    >>> from refrank.trees.bins.binning import bin_features
    >>> from refrank.trees.engine import default_engine
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([1, 0, 2])
    >>> grow_3 = Grower(bin_features(X, 256, engine=default_engine()), n_leaves=3)
    >>> *_, last = lambdamart(prepare_queries(y, None, 10, 1.0), grow_3, n_rounds=20, learning_rate=0.1)
    >>> np.argsort(-last.scores)
    array([2, 0, 1])
    """
    # Burges 2010 LambdaMART, line 1
    scores = np.zeros(len(preferences.gains)) if start is None else np.array(start)
    # Burges 2010 LambdaMART, line 2
    for m in range(1, n_rounds + 1):
        # Burges 2010 LambdaMART, line 3
        slope, curvature = preferences.compute_lambdas(scores, grow.engine.n_threads)
        # Departs from Burges 2010 LambdaMART, line 4: a cut gains by lambda and w, as a leaf steps
        [root] = grow.make_newton_roots([(slope, curvature)])
        tree, leaves = grow.grow_from(root)
        # Burges 2010 LambdaMART, line 5
        values = quotient(leaves.residual_sum, leaves.weight_sum)
        # Burges 2010 LambdaMART, line 6
        leaves.add_to(scores, learning_rate, values)
        yield LossRound(m, with_values(tree, leaves, values), read_only(scores))
