"""Robust LogitBoost: McRank's Algorithm 1 with trees that see second derivatives (not in the three papers).

Li 2010 is "Robust LogitBoost and Adaptive Base Class (ABC) LogitBoost", UAI 2010. It minimises the loss of McRank's
Eq. 7, sum_i sum_k -log(p_{i,k}) 1[y_i = k], as Algorithm 1 does, and its leaves take the same Newton steps. Only the
trees differ: a cut minimises the second-order approximation of the loss. With r = y~_k - p_k, w = p_k (1 - p_k), and
G = (sum r)^2 / (sum w) of some rows, its gain is

    G of the rows on the left  +  G of those on the right  -  G of all,

where Algorithm 1 has the number of rows in the place of sum w. LogitBoost (Friedman, Hastie and Tibshirani 2000) fits
r / w with the weights w: the same gain, but a division by numbers near 0. To add up r and w alone is robust.

    symbol         in code                    shape
    y              y                          (n_samples,) integers 0..K-1
    K              n_classes                  int
    M, nu          n_rounds, learning_rate    int, float
    F              scores                     (n_samples, n_classes)
    p              proba                      (n_samples, n_classes)
    r              residual                   (n_samples,), of one class
    w              curvature                  (n_samples,), of one class
    R_j, beta_j    leaves, values             (n_leaves,)

    Li 2010 robust LogitBoost    in our words
    step 1                       all scores F start at 0, so each p is 1/K
    step 2                       for each round m = 1..M
    step 3                           for each class k = 0..K-1
    step 4                               grow a tree of J leaves on r, with the weights w: the gain above
    step 5                               beta of a leaf: (K-1)/K times its sum of r, over its sum of w
    step 6                               add nu times the beta of its leaf to the F_k of each document
    step 7                           p: softmax of the K scores of each document

p is computed once per round, as in `softmax_boosting_simultaneous`; McRank's line 4 prints it inside the loop.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from refrank.arrays import Floats, Labels
from refrank.mcrank.softmax_boosting import Round, compute_curvature, compute_residual, softmax
from refrank.trees.engine import Engine
from refrank.trees.growth.grower import Grower
from refrank.trees.growth.roots import Root
from refrank.trees.growth.sharing import divide_tasks
from refrank.trees.model.tree import Tree, quotient, read_only, with_values
from refrank.trees.numbers.grid import weigh


def robust_logitboost(
    y: Labels,
    n_classes: int,
    grow: Grower,
    n_rounds: int,
    learning_rate: float,
    weight: Floats | None = None,
    start: Floats | None = None,
) -> Iterator[Round]:
    """Run robust LogitBoost; arguments and records are those of `softmax_boosting_sequential`.

    Examples
    --------
    >>> from refrank.trees.bins.binning import bin_features
    >>> from refrank.trees.engine import default_engine
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 2])
    >>> binned = bin_features(X, 256, engine=default_engine())
    >>> *_, last = robust_logitboost(y, 3, Grower(binned, n_leaves=3), n_rounds=50, learning_rate=0.1)
    >>> softmax(last.scores).argmax(axis=1)
    array([0, 0, 1, 2])
    """
    # Li 2010 robust LogitBoost, step 1
    scores = np.zeros((len(y), n_classes), order="F") if start is None else np.array(start, order="F")
    # Li 2010 robust LogitBoost, step 2
    for m in range(1, n_rounds + 1):
        # Li 2010 robust LogitBoost, step 7: of the round before
        proba = softmax(scores, grow.engine)
        trees: list[Tree] = []
        # Li 2010 robust LogitBoost, step 3
        for classes in divide_tasks(grow.engine, n_classes, len(y)):
            roots = grow.make_newton_roots(compute_derivatives(y, k, proba[:, k], weight, grow.engine) for k in classes)
            columns = [scores[:, k] for k in classes]
            trees += step_classes(grow, roots, columns, (n_classes - 1) / n_classes, learning_rate)
        yield Round(m, tuple(trees), read_only(scores))


def compute_derivatives(
    y: Labels, k: int, proba: Floats, weight: Floats | None, engine: Engine
) -> tuple[Floats, Floats]:
    """Compute r and w of class k, (n_samples,) each, given its column of p, times the weights of the rows."""
    return weigh(compute_residual(y, k, proba, engine), weight), weigh(compute_curvature(proba, engine), weight)


def step_classes(
    grow: Grower, roots: Sequence[Root], columns: Sequence[Floats], factor: float, learning_rate: float
) -> list[Tree]:
    """Grow the trees of classes, and add their Newton steps, times `factor`, to the columns of F, in place.

    Returns the trees, whose leaves hold beta.
    """
    trees = []
    # Li 2010 robust LogitBoost, step 4
    for (tree, leaves), class_scores in zip(grow.grow_all(roots), columns, strict=True):
        # Li 2010 robust LogitBoost, step 5
        values = quotient(factor * leaves.residual_sum, leaves.weight_sum)
        # Li 2010 robust LogitBoost, step 6
        leaves.add_to(class_scores, learning_rate, values)
        trees.append(with_values(tree, leaves, values))
    return trees
