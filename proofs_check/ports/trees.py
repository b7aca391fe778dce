"""The trees of a port: predictions in range, copies and order of rows, and the training error of LS boost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from proofs_check.engine.strategies import Data, some_data, with_order
from proofs_check.ports.check import Claim, PortCheck
from proofs_check.trees.duplicated_rows import copies
from proofs_check.trees.ls_training_error import slack, sse

ROUNDS = 5
N_TREES = 5


def tree_in_range(tree: Callable, data: Data, n_leaves: int) -> Iterator[Claim]:
    x, y, w = data
    # integer labels and weights: sums are exact, and rounding a quotient is monotone
    yield from in_range(y, tree(x, y, w, n_leaves))


def forest_in_range(random_forest: Callable, data: Data, seed: int) -> Iterator[Claim]:
    x, y, _ = data
    yield from in_range(y, random_forest(x, y, N_TREES, seed))


def in_range(y: list[int], predicted: np.ndarray) -> Iterator[Claim]:
    """Claim that every prediction, (n,), is between the lowest label and the highest."""
    predictions = np.asarray(predicted, dtype=float)
    yield Claim(len(predictions), "==", len(y), what="the number of predictions")
    yield Claim(min(y), "<=", predictions.min(), what="the lowest label and the lowest prediction")
    yield Claim(predictions.max(), "<=", max(y), what="the highest prediction and the highest label")


def permuted_rows(tree: Callable, ranked: tuple[Data, list], n_leaves: int) -> Iterator[Claim]:
    (x, y, _), order = ranked
    once = predict(tree, x, y, None, n_leaves)
    moved = predict(tree, [x[i] for i in order], [y[i] for i in order], None, n_leaves)
    yield Claim(moved, "==", [once[i] for i in order], what="predictions of the rows in another order")


def twice(tree: Callable, data: Data, n_leaves: int) -> Iterator[Claim]:
    x, y, _ = data
    # powers of 2 scale every sum and every gain exactly: all rows twice and every row once give one tree
    two = [2] * len(y)
    once = predict(tree, x, y, None, n_leaves)
    answers = predict(tree, copies(x, two), copies(y, two), None, n_leaves)
    yield Claim(answers, "==", copies(once, two), what="predictions of all rows twice")


def weighted_by_two(tree: Callable, data: Data, n_leaves: int) -> Iterator[Claim]:
    x, y, _ = data
    # powers of 2 scale every sum and every gain exactly
    once = predict(tree, x, y, None, n_leaves)
    yield Claim(predict(tree, x, y, [2] * len(y), n_leaves), "==", once, what="predictions with all weights 2")


def predict(tree: Callable, *arguments: object) -> list[float]:
    """Predict the rows by a port's tree, (n,), as Python's floats."""
    return np.asarray(tree(*arguments), dtype=float).tolist()


def training_error(ls_boosting: Callable, data: Data, nu: float, n_leaves: int) -> Iterator[Claim]:
    x, y, _ = data
    scores = np.asarray(ls_boosting(x, y, ROUNDS, n_leaves, nu), dtype=float)  # (ROUNDS + 1, n)
    yield Claim(list(scores.shape), "==", [ROUNDS + 1, len(y)], what="the shape of the predictions")
    errors = [sse([Fraction(float(a)) - b for a, b in zip(s, y, strict=True)], [1] * len(y)) for s in scores]
    for m in range(ROUNDS):
        # twice the slack of refrank: an implementation may add its N residuals in floats
        room = 2 * slack(np.array(y, dtype=float), scores[m], scores[m + 1], nu)
        yield Claim(errors[m + 1] - errors[m], "<=", 0, room, f"the rise of the training error in round {m + 1}")


N_LEAVES = st.integers(1, 6)
CHECKS = (
    PortCheck(
        "trees.predictions_in_range",
        "a tree predicts between the lowest and the highest label",
        ("tree",),
        {"data": some_data(max_n=20), "n_leaves": N_LEAVES},
        tree_in_range,
    ),
    PortCheck(
        "trees.predictions_in_range.variant-weights",
        "a tree on weighted rows predicts between the lowest and the highest label",
        ("tree",),
        {"data": some_data(max_n=20, weighted=True), "n_leaves": N_LEAVES},
        tree_in_range,
    ),
    PortCheck(
        "trees.predictions_in_range.variant-forest",
        "a forest predicts between the lowest and the highest label",
        ("random_forest",),
        {"data": some_data(max_n=20), "seed": st.integers(0, 9)},
        forest_in_range,
    ),
    PortCheck(
        "trees.permuted_rows",
        "the order of the rows changes no bit of a tree",
        ("tree",),
        {"ranked": with_order(some_data(max_n=10), lambda data: len(data[1])), "n_leaves": st.integers(1, 5)},
        permuted_rows,
    ),
    PortCheck(
        "trees.duplicated_rows.variant-twice",
        "every row twice changes no bit of a tree",
        ("tree",),
        {"data": some_data(max_n=10), "n_leaves": st.integers(1, 5)},
        twice,
    ),
    PortCheck(
        "trees.duplicated_rows",
        "all weights 2 change no bit of a tree",
        ("tree",),
        {"data": some_data(max_n=10), "n_leaves": st.integers(1, 5)},
        weighted_by_two,
    ),
    PortCheck(
        "trees.ls_training_error",
        "no round of LS boost raises the training error, for learning rates up to 2",
        ("ls_boosting",),
        {
            "data": some_data(max_n=25),
            "nu": st.sampled_from((0.05, 0.5, 1.0, 1.9, 2.0)),
            "n_leaves": st.integers(2, 6),
        },
        training_error,
    ),
)
