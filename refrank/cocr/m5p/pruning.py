"""Pruning: fit a model to every node, and cut the tree back from its leaves (Quinlan 1992; Wang & Witten 1997).

From the leaves up, a node's linear model and the subtree below it each get an estimate of their error on new data: the
training error times a factor that grows with the number of parameters. The better one stays.

    symbol    in code         meaning
    n         weight          weight of the rows that reach the node
    v         n_parameters    of a model: its terms and the constant; Weka: also of a subtree
    error     error           the estimate
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from refrank.cocr.m5p.cuts import ROUNDING
from refrank.cocr.m5p.growth import GrownTree
from refrank.cocr.m5p.least_squares import Fit, Regression, set_up_regression
from refrank.cocr.m5p.linear_models import Floats, LinearModel, fit_constant
from refrank.cocr.m5p.tree import M5Tree


@dataclass(frozen=True)
class Estimate:
    """How well a model, or a subtree, does on its n rows.

    Attributes
    ----------
    weight : float
        n.
    loss : float
        Weighted training loss, summed: of squares in Weka, of absolute values as published.
    n_parameters : int
        v.
    error : float
        The estimated error of one new row.
    """

    weight: float
    loss: float
    n_parameters: int
    error: float


@dataclass(frozen=True)
class PruningRule:
    """The part of pruning in which the variants differ.

    Parameters
    ----------
    loss : function of an array of residuals
        Training loss of each row.
    estimate_error : function of (mean loss, n, v)
        Error of a model on new data.
    estimate_subtree : function of two `Estimate`
        Estimate of a node's subtree from those of its children.
    cuts_back : function of (model's error, subtree's error, sd of the whole training target)
        Whether the model replaces the subtree.
    """

    loss: Callable[[Floats], Floats]
    estimate_error: Callable[[float, float, int], float]
    estimate_subtree: Callable[[Estimate, Estimate], Estimate]
    cuts_back: Callable[[float, float, float], bool]

    def estimate_model(self, residual: Floats, weight: Floats, n_parameters: int) -> Estimate:
        """Estimate the error of a node's model.

        Parameters
        ----------
        residual, weight : float64 array of shape (n_rows,)
        n_parameters : int

        Returns
        -------
        Estimate
        """
        n, loss = float(weight.sum()), float(weight @ self.loss(residual))
        return Estimate(n, loss, n_parameters, self.estimate_error(loss / n, n, n_parameters))


def prune(
    X: Floats,
    y: Floats,
    weight: Floats,
    grown: GrownTree,
    simplify: Callable[[Regression], Fit],
    rule: PruningRule,
) -> M5Tree:
    """Give every node its model, and turn nodes into leaves where the model is no worse than the subtree.

    Parameters
    ----------
    X : float64 array of shape (n_samples, n_features)
        Finite.
    y, weight : float64 array of shape (n_samples,)
        Target; weights, positive.
    grown : GrownTree
        From the same data.
    simplify : function of a Regression
        Fits a node's model and drops terms of it.
    rule : PruningRule
        The variant.

    Returns
    -------
    M5Tree
        Of the nodes that remain, level by level; its predictions are not smoothed yet.
    """
    is_leaf = grown.feature < 0
    models: dict[int, LinearModel] = {}
    estimates: dict[int, Estimate] = {}
    tested: dict[int, frozenset[int]] = {}
    # Wang & Witten 1997, prune: first the children, then the node
    for node in reversed(range(len(grown.feature))):
        rows, left, right = grown.rows[node], int(grown.left[node]), int(grown.right[node])
        node_X, node_y, node_weight = X[rows], y[rows], weight[rows]
        if left < 0:
            models[node], tested[node] = fit_constant(node_y, node_weight), frozenset()  # nothing is tested below
        else:
            # Wang & Witten 1997, linear models: only the attributes tested in the subtree below the node
            tested[node] = tested[left] | tested[right] | {int(grown.feature[node])}
            features = np.array(sorted(tested[node]), np.int64)
            models[node] = simplify(set_up_regression(node_X, node_y, node_weight, features)).to_model()
        residual = node_y - models[node].predict(node_X)
        estimates[node] = rule.estimate_model(residual, node_weight, models[node].n_parameters)
        if left < 0:
            continue
        # Wang & Witten 1997, prune: if subtreeError(node) > error(node) then the node becomes a leaf
        subtree = rule.estimate_subtree(estimates[left], estimates[right])
        if rule.cuts_back(estimates[node].error, subtree.error, grown.deviation):
            is_leaf[node] = True
        else:
            estimates[node] = subtree
    return _keep_reachable(grown, is_leaf, weight, models)


def _keep_reachable(
    grown: GrownTree, is_leaf: NDArray[np.bool_], weight: Floats, models: dict[int, LinearModel]
) -> M5Tree:
    """Number the nodes that can still be reached, level by level, and leave out the others."""
    kept = [0]
    for node in kept:  # grows as it goes
        if not is_leaf[node]:
            kept += [int(grown.left[node]), int(grown.right[node])]
    leaf, number = is_leaf[kept], np.full(len(is_leaf), -1)
    number[kept] = np.arange(len(kept))
    return M5Tree(
        feature=np.where(leaf, -1, grown.feature[kept]),
        threshold=np.where(leaf, np.nan, grown.threshold[kept]),
        left=np.where(leaf, -1, number[grown.left[kept]]),
        right=np.where(leaf, -1, number[grown.right[kept]]),
        weight=np.array([float(weight[grown.rows[node]].sum()) for node in kept]),
        models=tuple(models[node] for node in kept),
    )


def inflate_published(error: float, n: float, n_parameters: int) -> float:
    """Return the error on the training rows times (n + v) / (n - v), infinite where v >= n.

    Parameters
    ----------
    error, n : float
        Mean absolute residual; weight of the rows.
    n_parameters : int

    Returns
    -------
    float

    Examples
    --------
    >>> inflate_published(1.0, 10, 2), inflate_published(0.0, 2, 2)
    (1.5, inf)
    """
    # Quinlan 1992, error estimates: times (n + v) / (n - v), n cases and v parameters
    # Paper is silent on v >= n: with as many parameters as rows, nothing is known of the error.
    return error * (n + n_parameters) / (n - n_parameters) if n > n_parameters else math.inf


def estimate_subtree_published(left: Estimate, right: Estimate) -> Estimate:
    """Average the children's errors, each weighted by its share of the rows."""
    n = left.weight + right.weight
    # Wang & Witten 1997, subtreeError: each branch counts by its share of the instances
    error = (left.weight * left.error + right.weight * right.error) / n
    return Estimate(n, left.loss + right.loss, left.n_parameters + right.n_parameters, error)


def cuts_back_published(model_error: float, subtree_error: float, deviation: float) -> bool:
    """Tell whether the model is no worse than the subtree.

    Parameters
    ----------
    model_error, subtree_error : float
        Estimates.
    deviation : float
        sd of the whole training target.

    Returns
    -------
    bool
    """
    # Departs from Wang & Witten 1997, prune: a tie, to 1e-9 sd, goes to the model. Where a line fits all rows
    # both errors are rounding, and as printed (subtreeError > error) the last bit would decide.
    return model_error <= subtree_error + ROUNDING * deviation


def inflate_weka(mean_square: float, n: float, n_parameters: int) -> float:
    """Return the root of the mean square on the training rows times (n + 2v) / (n - v), times 10 where v >= n.

    Parameters
    ----------
    mean_square, n : float
        Mean squared residual; weight of the rows.
    n_parameters : int

    Returns
    -------
    float

    Examples
    --------
    >>> inflate_weka(1.0, 10, 2), inflate_weka(0.25, 2, 2)
    (1.75, 5.0)
    """
    error = math.sqrt(mean_square)
    # Weka M5P: each parameter counts twice in the numerator
    return error * (n + 2 * n_parameters) / (n - n_parameters) if n > n_parameters else 10.0 * error


def estimate_subtree_weka(left: Estimate, right: Estimate) -> Estimate:
    """Estimate the error of the subtree as one model: its leaves' squares together, and their parameters."""
    n, loss = left.weight + right.weight, left.loss + right.loss
    # Weka M5P: the test itself counts as one more parameter
    n_parameters = left.n_parameters + right.n_parameters + 1
    return Estimate(n, loss, n_parameters, inflate_weka(loss / n, n, n_parameters))


def cuts_back_weka(model_error: float, subtree_error: float, deviation: float) -> bool:
    """Tell whether the model is no worse than the subtree, or next to perfect.

    Parameters
    ----------
    model_error, subtree_error : float
        Estimates.
    deviation : float
        sd of the whole training target.

    Returns
    -------
    bool
    """
    # Weka M5P: also where the model's estimate is below 1e-5 of the sd of the whole target
    return model_error <= subtree_error or model_error < 1e-5 * deviation
