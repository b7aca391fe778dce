"""Decrease of the loss per round of boosting, on the training part of MQ2008: docs/prove/boosting_rounds.md.

Here "error" is the promised decrease per round, and "bound" the decrease that was measured.
"""

import numpy as np

from benchmarks.theory.data import LEARNING_RATE, MAX_GRADE, N_LEAVES, N_ROUNDS, Figure, Trained
from refrank.bounds import newton_decrease
from refrank.mcrank.ls_boosting import ls_boosting
from refrank.mcrank.softmax_boosting import compute_residual, proba_of_class, take_step
from refrank.trees.bins.binning import bin_features
from refrank.trees.engine import default_engine
from refrank.trees.growth.grower import Grower

DIGITS = 9  # of a step: rows of one leaf differ in the last bits, as their scores do


def list_figures(data: Trained) -> list[Figure]:
    """Boost as the rankers do, and look at each round."""
    grow = Grower(bin_features(data.train.X, 65_536, engine=default_engine()), n_leaves=N_LEAVES)
    return [boost_softmax(grow, data.train.y), boost_least_squares(grow, data.train.y)]


def boost_softmax(grow: Grower, y: np.ndarray) -> Figure:
    """Sum the promises of all leaves of a round of Alg. 1, and compare Eq. 7 before and after."""
    n_classes = MAX_GRADE + 1
    scores, promised, fell = np.zeros((len(y), n_classes), order="F"), [], []
    loss = eq7(scores, y)
    for _ in range(N_ROUNDS):
        promise = 0.0
        for k in range(n_classes):
            p, before = proba_of_class(scores, k, grow.engine), scores[:, k].copy()
            residual = compute_residual(y, k, p)
            tree, leaves = grow(residual)
            take_step(tree, leaves, scores[:, k], p, n_classes, LEARNING_RATE, None)
            step, leaf = np.unique(np.round(scores[:, k] - before, DIGITS), return_inverse=True)
            g, h = np.bincount(leaf, residual), np.bincount(leaf, p * (1 - p))
            promise += sum(map(newton_decrease, g, h, step))
        after = eq7(scores, y)
        promised, fell, loss = [*promised, promise], [*fell, loss - after], after
    return Figure("losses.softmax_boosting", np.array(promised), np.array(fell))


def eq7(scores: np.ndarray, y: np.ndarray) -> float:
    """Compute the loss of McRank Eq. 7."""
    return float((np.logaddexp.reduce(scores, axis=1) - scores[np.arange(len(y)), y]).sum())


def boost_least_squares(grow: Grower, y: np.ndarray) -> Figure:
    """Compare nu (2 - nu) sum_R (sum r)^2 / |R| with the decrease of Alg. 2's loss."""
    gain = 2.0**y - 1
    promised, fell, before = [], [], None
    for turn in ls_boosting(gain, grow, N_ROUNDS, LEARNING_RATE):
        scores = turn.scores.copy()
        if before is not None:
            _, leaf = np.unique(np.round(scores - before, DIGITS), return_inverse=True)
            residual = gain - before
            taken = (np.bincount(leaf, residual) ** 2 / np.bincount(leaf)).sum()
            promised.append(LEARNING_RATE * (2 - LEARNING_RATE) * taken)
            fell.append((residual**2).sum() - ((gain - scores) ** 2).sum())
        before = scores
    return Figure("losses.ls_boosting", np.array(promised), np.array(fell))
