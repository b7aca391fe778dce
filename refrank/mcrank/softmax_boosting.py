"""McRank Algorithm 1: boosted trees for multiple classification (Sec. 3.4).

It minimises the surrogate loss of Eq. 7, sum_i sum_k -log(p_{i,k}) 1[y_i = k], by Newton steps on the leaves of one
regression tree per class and round.

    symbol         in code                    shape
    y              y                          (n_samples,) integers 0..K-1
    K              n_classes                  int
    M, nu          n_rounds, learning_rate    int, float
    J              inside `grow`              grow(residual, weight) -> tree, leaves
    F              scores                     (n_samples, n_classes)
    p              proba                      (n_samples, n_classes), or one column of it
    y~ - p         residual                   (n_samples,)
    R_j, beta_j    leaves, values             (n_leaves,)

    McRank Alg. 1    in our words
    line 0           y~_{i,k} is 1 where document i has grade k, and 0 elsewhere
    line 1           all scores F start at 0
    line 2           for each round m = 1..M
    line 3               for each class k = 0..K-1
    line 4                   p: softmax of the K scores of each document
    line 5                   grow a tree of J leaves on y~_k - p_k
    line 6                   beta of a leaf: (K-1)/K times its sum of y~_k - p_k, over its sum of p_k (1 - p_k)
    line 7                   add nu times the beta of its leaf to the F_k of each document

docs/learn/by_hand.md carries it out on four documents, and derives the factor (K-1)/K.

The paper prints line 4 inside the loop over classes: p is recomputed before each class (`softmax_boosting_sequential`).
Friedman's Algorithm 6, which it cites, computes p once per round (`softmax_boosting_simultaneous`). Both are here.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from refrank.arrays import Floats, Labels
from refrank.kernel import KERNEL
from refrank.trees.engine import SPECIFICATION, Engine
from refrank.trees.events import ProbaMade
from refrank.trees.growth.grower import Grower
from refrank.trees.growth.sharing import divide_tasks
from refrank.trees.model.tree import Leaves, Tree, quotient, read_only, with_values
from refrank.trees.numbers.grid import weigh


@dataclass(frozen=True)
class Round:
    """One turn of the outer loop, line 2."""

    number: int  # m, from 1
    trees: tuple[Tree, ...]  # one per class; the leaves hold beta, before the shrinkage nu
    scores: Floats  # F, (n_samples, n_classes): a read-only view, which the next round writes to


def softmax_boosting_sequential(
    y: Labels,
    n_classes: int,
    grow: Grower,
    n_rounds: int,
    learning_rate: float,
    weight: Floats | None = None,
    start: Floats | None = None,
) -> Iterator[Round]:
    """Run Algorithm 1 as printed: the tree of each class sees those of the classes before it in the same round.

    A class may be empty. The engine of `grow` computes the probabilities too. A row of weight w, (n_samples,), counts w
    times in every sum. `start`, (n_samples, n_classes), is F after the rounds of an earlier run, to continue it; 0 by
    default.

    Examples
    --------
    >>> from refrank.trees.bins.binning import bin_features
    >>> from refrank.trees.engine import default_engine
    >>> from refrank.trees.growth.grower import Grower
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 2])
    >>> binned = bin_features(X, 256, engine=default_engine())
    >>> *_, last = softmax_boosting_sequential(y, 3, Grower(binned, n_leaves=3), n_rounds=50, learning_rate=0.1)
    >>> softmax(last.scores).argmax(axis=1)
    array([0, 0, 1, 2])
    """
    # McRank Alg. 1, line 1
    scores = np.zeros((len(y), n_classes), order="F") if start is None else np.array(start, order="F")
    # McRank Alg. 1, line 2
    for m in range(1, n_rounds + 1):
        trees = []
        # McRank Alg. 1, line 3
        for k in range(n_classes):
            # McRank Alg. 1, line 4
            proba = proba_of_class(scores, k, grow.engine)
            # McRank Alg. 1, line 5
            tree, leaves = grow(compute_residual(y, k, proba, grow.engine), weight)
            trees.append(take_step(tree, leaves, scores[:, k], proba, n_classes, learning_rate, weight))
        yield Round(m, tuple(trees), read_only(scores))


def softmax_boosting_simultaneous(
    y: Labels,
    n_classes: int,
    grow: Grower,
    n_rounds: int,
    learning_rate: float,
    weight: Floats | None = None,
    start: Floats | None = None,
) -> Iterator[Round]:
    """Run Algorithm 1 as in Friedman's Algorithm 6: all trees of a round are fitted to the same p.

    Arguments and records are those of `softmax_boosting_sequential`.
    """
    scores = np.zeros((len(y), n_classes), order="F") if start is None else np.array(start, order="F")
    for m in range(1, n_rounds + 1):
        trees = boost_classes(y, scores, grow, learning_rate, weight)
        yield Round(m, trees, read_only(scores))


def boost_classes(
    y: Labels, scores: Floats, grow: Grower, learning_rate: float, weight: Floats | None
) -> tuple[Tree, ...]:
    """Run one round for all classes at once; it adds to F, (n_samples, n_classes), in place."""
    n_classes = scores.shape[1]
    # Departs from McRank Alg. 1, line 4: p is computed once per round, before the loop over classes.
    proba = softmax(scores, grow.engine)
    trees: list[Tree] = []
    for classes in divide_tasks(grow.engine, n_classes, len(y)):
        residuals = (compute_residual(y, k, proba[:, k], grow.engine) for k in classes)
        columns = [(scores[:, k], proba[:, k]) for k in classes]
        trees += boost_together(grow, residuals, columns, n_classes, learning_rate, weight)
    return tuple(trees)


def boost_together(
    grow: Grower,
    residuals: Iterable[Floats],
    columns: Sequence[tuple[Floats, Floats]],
    n_classes: int,
    learning_rate: float,
    weight: Floats | None,
) -> list[Tree]:
    """Run lines 5 to 7 for columns of F and p, (n_samples,) each, side by side: no tree depends on another."""
    grown = grow.grow_all(grow.make_roots(residuals, weight))
    return [
        take_step(tree, leaves, F, p, n_classes, learning_rate, weight)
        for (tree, leaves), (F, p) in zip(grown, columns, strict=True)
    ]


def compute_residual(y: Labels, k: int, proba: Floats, engine: Engine = SPECIFICATION) -> Floats:
    """Compute y~_k - p_k, (n_samples,), to which the tree of class k is fitted; `proba` is the class's column of p."""
    if engine.splitter is KERNEL and y.dtype.kind == "i":
        return cast(Any, KERNEL).compute_residual(y, k, proba, engine.n_threads)
    # McRank Alg. 1, line 0
    # McRank Eq. 7: its derivative by F_{i,k} is minus this
    return (y == k) - proba


def compute_curvature(proba: Floats, engine: Engine = SPECIFICATION) -> Floats:
    """Compute p_k (1 - p_k), (n_samples,), the second derivative of Eq. 7 by F_{i,k}."""
    if engine.splitter is KERNEL:
        return cast(Any, KERNEL).compute_curvature(proba, engine.n_threads)
    return (1.0 - proba) * proba


def take_step(
    tree: Tree,
    leaves: Leaves,
    class_scores: Floats,
    proba: Floats,
    n_classes: int,
    learning_rate: float,
    weight: Floats | None,
) -> Tree:
    """Turn the leaves of a class's tree into Newton steps, and add them to the class's column of F, in place.

    `class_scores` and `proba`, (n_samples,) each, are the columns of F and p of the class. Returns the tree, whose
    leaves hold beta.
    """
    # McRank Alg. 1, line 6
    curvature = compute_curvature(proba, leaves.engine)  # p (1 - p), (n_samples,)
    denominator = leaves.sum_of(weigh(curvature, weight))
    # Paper is silent: a denominator of 0, where each p of a leaf is 0 or 1, or too near to tell on the grid: beta is 0.
    values = quotient((n_classes - 1) / n_classes * leaves.residual_sum, denominator)
    # McRank Alg. 1, line 7
    leaves.add_to(class_scores, learning_rate, values)
    return with_values(tree, leaves, values)


def proba_of_class(scores: Floats, k: int, engine: Engine = SPECIFICATION) -> Floats:
    """Compute one column of softmax(scores), (n_samples,)."""
    proba = np.empty((len(scores), 1), order="F")
    engine.splitter.softmax(np.asfortranarray(scores), k, proba, engine.n_threads)
    return engine.tell(ProbaMade(scores, k, proba)).proba[:, 0]


def softmax(scores: Floats, engine: Engine = SPECIFICATION) -> Floats:
    """Turn scores into class probabilities: p_k = exp(F_k) / sum_s exp(F_s).

    Scores and probabilities are (n_samples, n_classes), float64. The rows of the result add up to 1, to within
    rounding. The largest score is subtracted first, so that no exp overflows. The engine computes as
    `refrank.trees.numbers.exponential` specifies; no bit depends on it.

    Examples
    --------
    >>> softmax(np.array([[0.0, 0.0], [1000.0, 0.0]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    proba = np.empty(scores.shape, order="F")
    engine.splitter.softmax(np.asfortranarray(scores), 0, proba, engine.n_threads)
    return engine.tell(ProbaMade(scores, 0, proba)).proba
