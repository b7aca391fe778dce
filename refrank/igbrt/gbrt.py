"""iGBRT Algorithm 2: gradient boosted regression trees, with the squared loss.

    symbol    in code          shape
    r         residual         (n_samples,)
    alpha     learning_rate    float
    M_B       n_rounds         int
    d         inside `grow`    grow(residual, weight) -> tree, leaves: CART of depth d with all features
    T_t       tree             -
    T         scores           (n_samples,): `refrank.trees.ensemble.Ensemble` adds up the trees

    iGBRT Alg. 2    in our words
    line 1          the residuals r start at y
    line 2          for each round t = 1..M_B
    line 3              grow a tree of depth d on r, with all features
    line 5              take alpha times the prediction of the tree off the r of each row
    line 8          T: alpha times the sum of the trees, in `refrank/estimators/igbrt.py`

The paper prints no line numbers: they count from 1 below "Input" (docs/papers.md).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from refrank.trees.growth import Grower
from refrank.trees.splitting import Floats
from refrank.trees.tree import Tree, read_only


@dataclass(frozen=True)
class GBRTRound:
    """One turn of the loop over trees."""

    number: int  # t, from 1
    tree: Tree  # the leaves hold the mean residual, before the step alpha
    residual: Floats  # (n_samples,): a read-only view, which the next round writes to


def gbrt(
    target: Floats, grow: Grower, n_rounds: int, learning_rate: float, weight: Floats | None = None
) -> Iterator[GBRTRound]:
    """Run Algorithm 2, which starts at F = 0: the first tree is fitted to the target itself.

    Parameters
    ----------
    target : float64 array of shape (n_samples,)
        y; or y - F, to start from another F (the mean, a forest).
    grow : Grower
        Fits a regression tree to (residual, weight).
    n_rounds : int
        M_B.
    learning_rate : float
        alpha.
    weight : float64 array of shape (n_samples,), optional
        A row of weight w counts w times in every sum.

    Yields
    ------
    GBRTRound

    Examples
    --------
    >>> from refrank.trees.binning import bin_features
    >>> from refrank.trees.engine import default_engine
    >>> from refrank.trees.growth import Grower
    >>> target = np.array([0.0, 4.0])
    >>> grow_4 = Grower(bin_features(target[:, np.newaxis], 256, engine=default_engine()), max_depth=4)
    >>> [turn.residual.tolist() for turn in gbrt(target, grow_4, 2, learning_rate=0.5)]
    [[0.0, 2.0], [0.0, 1.0]]
    """
    # iGBRT Alg. 2, line 1
    residual = target.astype(np.float64)
    # iGBRT Alg. 2, line 2
    for t in range(1, n_rounds + 1):
        # iGBRT Alg. 2, line 3
        tree, leaves = grow(residual, weight)
        # iGBRT Alg. 2, line 5
        leaves.add_to(residual, -learning_rate * tree.value[leaves.nodes])
        yield GBRTRound(t, tree, read_only(residual))
