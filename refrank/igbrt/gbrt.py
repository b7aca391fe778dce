"""iGBRT Algorithm 2: gradient boosted regression trees, with the squared loss.

    symbol    in code          shape
    r         residual         (n_samples,)
    alpha     learning_rate    float
    M_B       n_rounds         int
    d         inside `grow`    grow(residual, weight) -> tree, leaves: CART of depth d with all features
    -         hold             hold(residual): what a round ends with; nothing, as printed
    T_t       tree             -
    T         scores           (n_samples,): `refrank.trees.model.ensemble.Ensemble` adds up the trees

    iGBRT Alg. 2    in our words
    line 1          the residuals r start at y
    line 2          for each round t = 1..M_B
    line 3              grow a tree of depth d on r, with all features
    line 5              take alpha times the prediction of the tree off the r of each row
    line 8          T: alpha times the sum of the trees, in `refrank/estimators/igbrt.py`

The paper prints no line numbers: they count from 1 below "Input" (docs/reference/papers.md).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from refrank.arrays import Floats
from refrank.trees.growth.grower import Grow
from refrank.trees.model.tree import Tree, read_only


@dataclass(frozen=True)
class GBRTRound:
    """One turn of the loop over trees."""

    number: int  # t, from 1
    tree: Tree  # the leaves hold the mean residual, before the step alpha
    residual: Floats  # (n_samples,): a read-only view, which the next round writes to


Hold = Callable[[Floats], object]


def keep(residual: Floats) -> None:
    """Leave a residual as it is."""


def gbrt(
    target: Floats,
    grow: Grow,
    n_rounds: int,
    learning_rate: float,
    weight: Floats | None = None,
    hold: Hold = keep,
) -> Iterator[GBRTRound]:
    """Run Algorithm 2, which starts at F = 0: the first tree is fitted to the target itself.

    `target`, (n_samples,), is y; or y - F, to start from another F (the mean, a forest). `grow` is a `Grower`, or a
    function that calls one. A row of weight w, (n_samples,), counts w times in every sum. `hold` changes the residual,
    in place, at the end of each round, so that F stays within bounds.

    Examples
    --------
    >>> from refrank.trees.bins.binning import bin_features
    >>> from refrank.trees.engine import default_engine
    >>> from refrank.trees.growth.grower import Grower
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
        # iGBRT Eq. 3: of the squared loss, the negative gradient is the residual
        tree, leaves = grow(residual, weight)
        # iGBRT Alg. 2, line 5
        # iGBRT Eq. 2
        leaves.add_to(residual, -learning_rate, tree.value[leaves.nodes])
        hold(residual)
        yield GBRTRound(t, tree, read_only(residual))
