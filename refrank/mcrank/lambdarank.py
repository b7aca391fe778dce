"""RankNet and LambdaRank training: stochastic gradient steps on a two-layer net, one query per step.

This is the pairwise baseline of McRank Sec. 6 and of the last column of its Table 1. The gradient is an argument that
selects RankNet or LambdaRank, and the measure (`pairwise_gradients`); the net is in `two_layer_net`. "Burges 2010" is
MSR-TR-2010-82, which collects the formulas of RankNet (2005) and LambdaRank (2006).

    symbol    in code          shape
    eta       learning_rate    float: length of a step relative to the gradient
    s         scores           (n_in_query,): the net's output for the documents of one query
    C         cost             float: cost of one query, or its mean over the queries of an epoch
    lambda    lambdas          (n_in_query,): dC/ds
    z         Z                (n_in_query, n_features): standardised features of one query

    Burges 2010    in our words
    -              for each epoch, and each query in an order drawn for the epoch
    Sec. 2             cost of a pair y_i > y_j: log(1 + exp(-(s_i - s_j))), in `refrank/mcrank/pairwise_gradients.py`
    Sec. 4             its slope by s_i, times the change of the measure if i and j swapped places: lambda_ij,
                       in `refrank/mcrank/pairwise_gradients.py`; RankNet leaves the change out
    Sec. 2.1           add up the lambda_ij of each document, over all pairs of the query; then take one step on the
                       weights of the net, down the gradient, with the rate eta
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats
from refrank.mcrank.pairwise_gradients import Gradient, Places
from refrank.mcrank.two_layer_net import TwoLayerNet, descend, draw_net
from refrank.metrics.queries import group_rows


@dataclass(frozen=True)
class Epoch:
    """One pass over the training queries."""

    epoch: int  # 1, 2, ..., n_epochs
    cost: float  # mean, over the queries with two grades or more, of the cost of each just before its step
    validation: float | None  # `validate(net)` after the pass; None without `validate`
    learning_rate: float  # the rate of this pass
    net: TwoLayerNet | None  # the net after the pass, its arrays read-only; None where it was not kept


def lambdarank(
    X: Floats,
    y: Places,
    qid: ArrayLike | None,
    gradient: Gradient,
    *,
    hidden: int,
    learning_rate: float,
    decay: float,
    n_epochs: int,
    seed: int,
    shrinks: Callable[[Sequence[Epoch]], bool],
    validate: Callable[[TwoLayerNet], float] | None = None,
    earlier: Sequence[Epoch] = (),
) -> Iterator[Epoch]:
    """Train a two-layer net, one gradient step per query; yield one record per epoch.

    Parameters
    ----------
    X : float64 array of shape (n_samples, n_features)
        Finite features.
    y : integer array of shape (n_samples,)
        Grades, at least 0.
    qid : array-like of shape (n_samples,) or None
        Query of each row, in any order; None: one query.
    gradient : function
        (scores, y) -> (cost, lambdas) for the documents of one query: `ranknet_gradient`, or `lambdarank_gradient`
        with its swap change bound.
    hidden : int
        Number of hidden units, at least 1.
    learning_rate : float
        Rate of the first epoch, above 0. The lambdas are sums over pairs, so long queries take long steps.
    decay : float
        Factor by which the rate shrinks, above 0 and at most 1.
    n_epochs : int
        Passes over the training queries, at least 1.
    seed : int
        Seed of the initial weights and of the orders of the queries, at least 0.
    shrinks : function
        epochs so far -> whether the rate shrinks before the next: `has_worsened`, or `has_stalled` with its
        patience bound.
    validate : function, optional
        net -> float, higher is better.
    earlier : sequence of Epoch, default ()
        The epochs of a run to continue; the last has its net.

    Yields
    ------
    Epoch
        One after each pass that is not among the earlier ones.

    Raises
    ------
    ValueError
        At the first record, if no query has two grades; later, if a weight or the cost is no longer finite. The second
        error names the epoch and the learning rate.

    Examples
    --------
    >>> from refrank.mcrank.pairwise_gradients import ranknet_gradient
    >>> X, y, qid = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 2]), [7, 7, 7]
    >>> settings = {"hidden": 2, "learning_rate": 0.1, "decay": 1.0, "n_epochs": 9, "seed": 0}
    >>> epochs = list(lambdarank(X, y, qid, ranknet_gradient, shrinks=has_worsened, **settings))
    >>> epochs[0].cost > epochs[-1].cost, np.argsort(epochs[-1].net.predict(X))
    (True, array([0, 1, 2]))
    """
    queries = list_trainable_queries(y, qid)
    if not queries:
        raise ValueError(f"y: no query has two grades (n_samples = {len(y)}), so there is no pair to learn from")
    net = draw_net(X, hidden, seed)
    standardized = [(net.standardize(X[rows]), y[rows]) for rows in queries]
    epochs = [*earlier]
    if earlier:
        net, learning_rate = earlier[-1].net or net, earlier[-1].learning_rate * (decay if shrinks(earlier) else 1)
    for epoch in range(len(earlier) + 1, n_epochs + 1):
        # Paper is silent: on the order of the queries; here each epoch has its own
        in_order = (standardized[query] for query in draw_query_order(len(queries), epoch, seed))
        cost, net = run_pass(net, in_order, gradient, learning_rate)
        if not (math.isfinite(cost) and net.is_finite()):
            fault = f"weights diverged in epoch {epoch} at learning_rate = {learning_rate} (mean cost {cost})"
            raise ValueError(f"{fault}: choose a lower learning_rate")
        validation = None if validate is None else validate(net)
        epochs.append(Epoch(epoch, cost, validation, learning_rate, net))
        yield epochs[-1]
        # Paper is silent: on the learning rate; here it shrinks by one of the two rules below
        learning_rate *= decay if shrinks(epochs) else 1


def has_worsened(epochs: Sequence[Epoch]) -> bool:
    """Return whether the last epoch validated below the one before; never without validation.

    On few validation queries, the measure varies by chance, so the rate may shrink while the net still learns.
    """
    measures = [epoch.validation for epoch in epochs[-2:] if epoch.validation is not None]
    return len(measures) == 2 and measures[1] < measures[0]


def has_stalled(epochs: Sequence[Epoch], patience: int) -> bool:
    """Return whether the last `patience` epochs, all at the present rate, cost no less than the cheapest before them.

    `patience` is at least 1. No validation set is needed.

    >>> net = draw_net(np.eye(2), hidden=1, seed=0)
    >>> epochs = [Epoch(m, cost, None, 0.1, net) for m, cost in enumerate((3.0, 2.0, 2.5, 2.0), start=1)]
    >>> [has_stalled(epochs[:m], patience=1) for m in (1, 2, 3, 4)]
    [False, False, True, True]
    >>> [has_stalled(epochs[:m], patience=2) for m in (1, 2, 3, 4)]
    [False, False, False, True]
    """
    before, last = epochs[:-patience], epochs[-patience:]
    if not before or last[0].learning_rate != last[-1].learning_rate:
        return False
    return min(epoch.cost for epoch in last) >= min(epoch.cost for epoch in before)


def run_pass(
    net: TwoLayerNet, queries: Iterable[tuple[Floats, Places]], gradient: Gradient, learning_rate: float
) -> tuple[float, TwoLayerNet]:
    """Take one step per query, given as standardised rows and grades; return the mean cost before each, and the net."""
    costs = []
    with np.errstate(over="ignore", invalid="ignore"):  # the caller checks that all numbers are finite
        for Z, y in queries:
            activation = net.activation(Z)  # (n_in_query, hidden)
            scores = activation @ net.output_weights  # (n_in_query,)
            # Burges 2010 Sec. 2.1: all pairs of the query first, as one lambda per document; then one step
            cost, lambdas = gradient(scores, y)
            net = descend(net, Z, activation, lambdas, learning_rate)
            costs.append(cost)
    return math.fsum(cost / len(costs) for cost in costs), net


def draw_query_order(n_queries: int, epoch: int, seed: int) -> Places:
    """Draw the order of the queries in one epoch, (n_queries,), which depends only on the arguments."""
    return np.random.default_rng((seed, epoch)).permutation(n_queries)


def list_trainable_queries(y: Places, qid: ArrayLike | None) -> list[Places]:
    """List the rows of each query that has two grades or more, by first appearance; others have no pair."""
    queries = group_rows(qid, len(y))
    parts = np.split(queries.rows, queries.starts[1:])
    return [rows for rows in parts if y[rows].min() < y[rows].max()]
