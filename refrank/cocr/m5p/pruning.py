"""Pruning: fit a model to every node, and cut back the tree from its leaves (Quinlan 1992; Wang & Witten 1997).

    symbol    in code            meaning
    n         Estimate.n_rows    number of rows that reach the node (weights.py)
    v         n_parameters       of a model: its terms and the constant; Weka: also of a subtree
    SD        deviation          standard deviation of the target over the whole training set

    Wang & Witten 1997    in our words
    prune                 from the leaves up: first the children, then the node
    linear models             fit a linear model to its rows, in the features that its subtree tests
    subtreeError              error of its subtree: that of its sides, by their share of rows, in
                              `refrank/cocr/m5p/variants.py`
    prune                     if the model's error is at most the subtree's, the node becomes a leaf

Both errors are estimates for new data: the training error times a factor that grows with the number of parameters.
"""

from collections.abc import Sequence

import numpy as np

from refrank.arrays import Floats
from refrank.cocr.m5p.cuts import compute_deviation
from refrank.cocr.m5p.growth import M5PNode
from refrank.cocr.m5p.least_squares import set_up_regression
from refrank.cocr.m5p.tree import LinearModel, M5Tree
from refrank.cocr.m5p.variants import Estimate, Variant
from refrank.cocr.m5p.weights import Weights


def prune(X: Floats, y: Floats, weights: Weights, grown: Sequence[M5PNode], variant: Variant) -> M5Tree:
    """Give every node its model, and turn a node into a leaf if its model is no worse than its subtree.

    X (n_samples, n_features), y and `weights` (n_samples,) are those that grew the tree. The remaining nodes are
    numbered level by level; predictions are not yet smoothed.
    """
    deviation = compute_deviation(y[grown[0].rows], weights.growth[grown[0].rows])
    nodes = list(grown)
    models: dict[int, LinearModel] = {}
    estimates: dict[int, Estimate] = {}
    tested: dict[int, set[int]] = {}
    # Wang & Witten 1997, prune: first the children, then the node
    for number, node in reversed(list(enumerate(grown))):
        node_X, node_y, node_weights = X[node.rows], y[node.rows], weights.take(node.rows)
        if node.cut is None:
            weight = node_weights.models
            mean = float((weight * node_y).sum() / weight.sum())
            models[number], tested[number] = LinearModel(np.empty(0, np.int64), np.empty(0), mean), set()
        else:
            # Wang & Witten 1997, linear models: only the attributes tested in the subtree below the node
            tested[number] = tested[node.left] | tested[node.right] | {node.cut.feature}
            problem = set_up_regression(node_X, node_y, node_weights, np.array(sorted(tested[number]), np.int64))
            models[number] = variant.simplify(problem).to_model()
        residual = node_y - models[number].predict(node_X)
        estimates[number] = estimate_model(residual, node_weights, models[number].n_parameters, variant)
        if node.cut is not None:
            # Wang & Witten 1997, prune: if subtreeError(node) > error(node) then the node becomes a leaf
            subtree = variant.estimate_subtree(estimates[node.left], estimates[node.right])
            if variant.cuts_back(estimates[number].error, subtree.error, deviation):
                nodes[number] = M5PNode(node.rows)
            else:
                estimates[number] = subtree
    return _keep_reachable(nodes, weights.count, models)


def estimate_model(residual: Floats, weights: Weights, n_parameters: int, variant: Variant) -> Estimate:
    """Estimate the error of a node's model on new data; `residual` and the weights are (n_rows,)."""
    weight, loss = float(weights.models.sum()), float(weights.models @ variant.loss(residual))
    error = variant.estimate_error(loss / weight, weights.n_rows, n_parameters)
    return Estimate(weights.n_rows, weight, loss, n_parameters, error)


def _keep_reachable(nodes: Sequence[M5PNode], count: Floats, models: dict[int, LinearModel]) -> M5Tree:
    """Number the reachable nodes level by level, and leave out the others."""
    kept = [0]
    for number in kept:  # grows in the loop
        if nodes[number].cut is not None:
            kept += [nodes[number].left, nodes[number].right]
    new = {number: place for place, number in enumerate(kept)} | {-1: -1}
    cuts = [nodes[number].cut for number in kept]
    return M5Tree(
        feature=np.array([-1 if cut is None else cut.feature for cut in cuts]),
        threshold=np.array([np.nan if cut is None else cut.threshold for cut in cuts]),
        left=np.array([new[nodes[number].left] for number in kept]),
        right=np.array([new[nodes[number].right] for number in kept]),
        weight=np.array([float(count[nodes[number].rows].sum()) for number in kept]),
        models=tuple(models[number] for number in kept),
    )
