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


def forest_of_copies(random_forest: Callable, labels: list[int], n_trees: int, seed: int) -> Iterator[Claim]:
    # 40 copies of each row: a bootstrap misses all copies of one of 6 rows with a probability below 6 e^-40
    x, y = [[i, -i] for i in range(len(labels)) for _ in range(40)], [label for label in labels for _ in range(40)]
    right = [label for label in labels for _ in range(40)]
    answers = np.asarray(random_forest(x, y, n_trees, seed), dtype=float).tolist()
    yield Claim(list(map(float, right)), "==", answers, what="the labels, and the predictions of their copies")


def forest_of_rows(random_forest: Callable, n: int, seed: int) -> Iterator[Claim]:
    # n rows of values and labels of their own, drawn by 20 trees: a row that a tree leaves out gets another label
    rng = np.random.default_rng(seed)
    x, y = rng.permutation(n)[:, None].tolist(), (1000 * np.arange(n) + rng.integers(100, size=n)).tolist()
    trees = [np.asarray(random_forest(x, y, 1, s), dtype=float) for s in (*range(seed, seed + 20), seed)]
    strange = [value for tree in trees for value in tree.tolist() if value not in y]
    yield Claim(strange, "==", [], what="what a tree of one row a leaf predicts, other than labels")
    yield Claim(trees[20].tolist(), "==", trees[0].tolist(), what="the forest of one seed, asked twice")
    drawn = np.array(trees[:20]) == y  # (20, n)
    yield Claim(int((drawn[0] != drawn[1]).any()), "==", 1, what="whether another seed draws other rows")
    # all of 20 trees miss one of 130 rows with a probability of 3e-7; the share has a deviation of .02 at the most
    yield Claim(1, "<=", int(drawn.sum(axis=0).min()), what="1 and how many of 20 trees draw the rarest row")
    yield Claim(drawn.mean(), "==", 1 - (1 - 1 / n) ** n, 0.14, "the share of the rows that a bootstrap draws")
    t = 4 + seed % 16
    many = np.asarray(random_forest(x, y, t, seed), dtype=float) * t
    # off by two roundings of sums of at most 19 labels, up to 2^22
    at = int(abs(many - np.rint(many)).argmax())
    yield Claim(many[at], "==", np.rint(many[at]), 2.0**-30, f"{t} times the mean of {t} trees, and a whole number")
    yield Claim(1, "<=", int((np.rint(many) % t != 0).sum()), what=f"1 and the rows for which {t} trees differ")


def forest_of_draws(random_forest: Callable, seed: int) -> Iterator[Claim]:
    # six rows that no feature parts: six times the prediction tells in base 7 how often a bootstrap draws each
    def predict_all(labels: list[int], n_trees: int, s: int) -> float:
        return float(np.asarray(random_forest([[0]] * len(labels), labels, n_trees, s), dtype=float)[0])

    seeds = range(seed, seed + 30)
    numbers = [int(np.rint(6 * predict_all([7**i for i in range(6)], 1, s))) for s in seeds]
    draws = {tuple(number // 7**i % 7 for i in range(6)) for number in numbers}
    totals = sorted({sum(counts) for counts in draws})
    yield Claim(totals, "==", [6], what="the numbers of rows that a bootstrap draws of 6")
    # thirty trees draw 25 of 462 multisets alike with a probability below 1e-9, miss a row with one of 1e-13, and draw
    # no row twice or thrice with one of 1e-12
    yield Claim(10, "<=", len(draws), what="10 and the different draws of 30 seeds")
    yield Claim(1, "<=", min(map(sum, zip(*draws, strict=True))), what="1 and how often the rarest row is drawn")
    yield Claim(3, "<=", max(map(max, draws)), what="3 and how often a tree draws its most frequent row")
    # 64 draws of two rows in 32 trees: their number is even for all of 30 seeds with a probability of 2^-30
    odd = sum(round(64 * predict_all([0, 1], 32, s)) % 2 for s in seeds)
    yield Claim(1, "<=", odd, what="1 and the seeds for which 32 trees draw one of two rows an odd number of times")
    for n in (23, 67, 131):  # primes: of another number of rows, a mean would be no multiple of 1/n
        counts = [n * predict_all([i % 2 for i in range(n)], 1, s) for s in seeds]
        # n roundings
        yield Claim(
            max(abs(count - round(count)) for count in counts),
            "<=",
            0,
            1e-9,
            f"{n} times the mean of {n} draws of 0 or 1",
        )


def forest_of_groups(random_forest: Callable, column: int, more: int, seed: int) -> Iterator[Claim]:
    # the best first cut parts the labels 0 and 1000, whichever rows are drawn: another feature, in random order, does
    # so with a probability below 1e-9
    rng, n = np.random.default_rng(seed), 60 + seed % 3
    x = [rng.permutation(n).tolist() for _ in range(column + 1 + more)]
    y = (1000 * (rng.permutation(n) % 2)).tolist()
    x[column] = y
    answers = np.asarray(random_forest(np.transpose(x).tolist(), y, 4, seed), dtype=float).tolist()
    yield Claim(answers, "==", list(map(float, y)), what="the predictions, and labels that one feature tells")


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
        "trees.predictions_in_range.variant-forest, copies",
        "a forest predicts the label of a row of which each bootstrap draws copies",
        ("random_forest",),
        {
            "labels": st.lists(st.integers(-9, 9), min_size=1, max_size=6),
            "n_trees": st.integers(1, 5),
            "seed": st.integers(0, 9),
        },
        forest_of_copies,
        ({"labels": [0, 9, 1], "n_trees": 4, "seed": 0},),
    ),
    PortCheck(
        "trees.permuted_rows.variant-forest, draws",
        "each tree of a forest draws its own rows from the seed, and the forest is their mean",
        ("random_forest",),
        {"n": st.integers(12, 40), "seed": st.integers(0, 99)},
        forest_of_rows,
        tuple({"n": n, "seed": 0} for n in (64, 130)),
    ),
    PortCheck(
        "trees.permuted_rows.variant-forest, n of n",
        "each tree of a forest draws n of n rows with replacement",
        ("random_forest",),
        {"seed": st.sampled_from((0, 5000))},  # few: each takes 150 forests
        forest_of_draws,
    ),
    PortCheck(
        "trees.permuted_features, forest",
        "each tree of a forest cuts best among all features",
        ("random_forest",),
        {"column": st.integers(0, 9), "more": st.integers(0, 3), "seed": st.integers(0, 99)},
        forest_of_groups,
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
