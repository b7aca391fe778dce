"""The absolute error as a loss, which McRank Sec. 5 mentions: Friedman's Algorithm 3, "LAD_TreeBoost".

"We also implemented the LAD boosting tree algorithm but we found the performance was considerably worse than the
least-square tree boost." It minimises sum_i |y_i - F_i|: trees are fitted to the signs of the residuals, leaves step to
the residuals' medians. Lines 2, 4 and 6 are those of Algorithm 1, in `refrank/mcrank/loss_boosting.py`, which has the
symbols.

    Friedman 2001 Alg. 3    in our words
    line 1                  all scores F start at the median of y
    line 3                  y~: the signs of the residuals y - F
    line 5                  gamma of a leaf: the median of its residuals

Where more than half of the target is one value, the first median is that value. A leaf takes no step where more than
half of its residuals are 0.
"""

from functools import partial

import numpy as np

from refrank.mcrank.loss_boosting import Loss, step_each_leaf
from refrank.mcrank.order_statistics import compute_medians, median

LAD = Loss(
    # Friedman 2001 Alg. 3, line 1
    start=median,
    # Friedman 2001 Alg. 3, line 3
    fitted=lambda residual, weight: np.sign(residual),
    # Friedman 2001 Alg. 3, line 5
    step=partial(step_each_leaf, compute_medians),
)
