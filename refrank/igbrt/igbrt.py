"""iGBRT Algorithm 3: gradient boosted regression trees that start from a random forest.

    symbol    in code          shape
    F         forest_scores    (n_samples,): the forest's predictions for the training rows
    r         residual         (n_samples,)
    T         -                (n_samples,): forest_scores plus the sum of the boosted trees

    iGBRT Alg. 3    in our words
    line 1          F: the random forest of Algorithm 1, in `refrank/estimators/igbrt.py`
    line 2          the residuals r start at y - F; lines 3 to 8 are lines 2 to 7 of Algorithm 2
    line 9          T: F plus alpha times the sum of the trees, in `refrank/estimators/igbrt.py`

The paper prints no line numbers: they count from 1 below "Input" (docs/reference/papers.md).
"""

from collections.abc import Iterator

from refrank.arrays import Floats
from refrank.igbrt.gbrt import GBRTRound, Hold, gbrt, keep
from refrank.trees.growth.grower import Grow


def igbrt(
    target: Floats,
    forest_scores: Floats,
    grow: Grow,
    n_rounds: int,
    learning_rate: float,
    weight: Floats | None = None,
    hold: Hold = keep,
) -> Iterator[GBRTRound]:
    """Run Algorithm 3 after its line 1, the forest: boost the residuals that the forest leaves.

    `forest_scores`, (n_samples,), are F(x_i) of the training rows; with 0 everywhere (no forest), this is Algorithm 2.
    The other arguments, and the records, are those of `refrank.igbrt.gbrt.gbrt`.
    """
    # iGBRT Alg. 3, line 2: from here on, lines 3 to 8 are lines 2 to 7 of Alg. 2
    yield from gbrt(target - forest_scores, grow, n_rounds, learning_rate, weight, hold)
