"""M5' model trees (Quinlan 1992; Wang & Witten 1997): COCR's third base learner, Sec. 5.2.

M5' grows a regression tree whose leaves hold linear models, in four steps, one file each, in the papers' order:

    growth         cut until the target hardly varies or few rows remain
    elimination    fit a linear model at every node (least_squares), drop the terms not worth a parameter
    pruning        from the leaves up, replace a subtree by its node's model if that is no worse
    smoothing      pull each leaf's model towards those above it

`variants` holds two versions of these steps: as published, and as in Weka 3.6, which the COCR paper used. `tree` holds
the result.

The papers have no sample weights. `weights` adds them in three ways: as costs, as in Weka 3.6, as counts.
"""

from refrank.arrays import Floats
from refrank.cocr.m5p.growth import grow
from refrank.cocr.m5p.pruning import prune
from refrank.cocr.m5p.smoothing import smooth
from refrank.cocr.m5p.tree import M5Tree, check_model_tree
from refrank.cocr.m5p.variants import PUBLISHED, VARIANTS, WEKA, Variant
from refrank.cocr.m5p.weights import WEIGHTINGS, Weights

__all__ = ["PUBLISHED", "VARIANTS", "WEIGHTINGS", "WEKA", "Variant", "Weights", "make_model_tree"]
__all__ += ["M5Tree", "check_model_tree"]


def make_model_tree(X: Floats, y: Floats, weights: Weights, min_instances: float, variant: Variant) -> M5Tree:
    """Grow, prune and smooth one model tree of X, (n_samples, n_features), y and weights, (n_samples,).

    The weights are positive, and there are at least `min_instances` rows, the papers' M; a node of fewer is not split.
    """
    # Wang & Witten 1997, MakeModelTree: SD = sd(instances); split(root); prune(root)
    grown = grow(X, y, weights, min_instances, variant)
    return smooth(prune(X, y, weights, grown, variant), X.shape[1])
