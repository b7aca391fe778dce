"""M5' model trees (Quinlan 1992; Wang & Witten 1997): COCR's third base learner, Sec. 5.2.

A regression tree whose leaves hold linear models. Four steps, one file each, in the papers' order:

    growth         cut until the target hardly varies, or few rows are left
    elimination    fit a linear model at every node (least_squares), drop the terms not worth a parameter
    pruning        from the leaves up, replace a subtree by its node's model where that is no worse
    smoothing      draw each leaf's model towards those above it

`variants` holds two ways to take these steps: as published, and as in Weka 3.6, which the COCR paper ran. `tree` holds
the result.

Sample weights are counts: everywhere, a row of weight 2 is that row twice, in |T|, n, means, deviations, error
estimates, M and the smoothing alike. So weights of one change nothing. M, the penalty for parameters and the smoothing
are relative to the sum of the weights: scale weights that are not counts to mean one first.
"""

from refrank.cocr.m5p.growth import grow
from refrank.cocr.m5p.linear_models import Floats
from refrank.cocr.m5p.pruning import prune
from refrank.cocr.m5p.smoothing import smooth
from refrank.cocr.m5p.tree import M5Tree, check_model_tree
from refrank.cocr.m5p.variants import PUBLISHED, VARIANTS, WEKA, Variant

__all__ = ["PUBLISHED", "VARIANTS", "WEKA", "M5Tree", "Variant", "check_model_tree", "model_tree"]


def model_tree(X: Floats, y: Floats, sample_weight: Floats, min_instances: float, variant: Variant) -> M5Tree:
    """Grow, prune and smooth one model tree of X, (n_samples, n_features), y and weights, (n_samples,).

    The weights are positive and add up to `min_instances`, the papers' M, at least; a node of less is not split.
    """
    # Wang & Witten 1997, MakeModelTree: SD = sd(instances); split(root); prune(root)
    grown = grow(X, y, sample_weight, min_instances, variant)
    return smooth(prune(X, y, sample_weight, grown, variant), X.shape[1])
