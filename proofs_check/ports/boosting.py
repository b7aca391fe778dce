"""Trees and boosting of a port, from both sides: their values, where no two cuts gain nearly the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice

import numpy as np
from hypothesis import strategies as st

from proofs_check.engine import naive_boosting
from proofs_check.engine.naive_boosting import CloseCuts
from proofs_check.engine.strategies import Data, some_data, wide, wide_data
from proofs_check.ports.check import Claim, PortCheck

ROUNDS = 12  # at most
# what rounding does to 300 rows in 12 rounds is some 1e4 roundings of the values; a wrong formula shows at once
ROUNDING = 1e-9
DATA = some_data(max_n=10)
WEIGHTED = some_data(max_n=10, weighted=True)
RISING: Data = ([[0], [1], [2], [3], [4]], [0, 1, 5, 6, 9], None)
PARTED_LABELS: Data = (RISING[0], [0, 0, 0, 0.125, 0.125], None)  # 0 and 1 of two classes
FALLING: Data = (RISING[0], RISING[1][::-1], None)
ZEROS: Data = ([[0.0], [-0.0], [1.0]], [0, 8, 1], None)  # zeros are equal
FULL: Data = ([[v] for v in range(256)], [(v > 0) + 2 * (v > 254) for v in range(256)], None)  # cuts at both ends
# classes of 1, 1, 2, 4, ... rows
DOUBLED: Data = ([[v] for v in range(100)], [v.bit_length() / 8 for v in range(100)], None)
LARGE = wide_data(300, 11, seed=1)


def rounds_of(values: Iterator[list], n_rounds: int) -> Iterator[list]:
    """Yield the rounds in which no cuts are close."""
    try:
        yield from islice(values, n_rounds)
    except CloseCuts:
        return


def alike(answers: object, right: object, what: str, rounding: float = ROUNDING) -> Iterator[Claim]:
    """Claim that two arrays of numbers agree, at the entry that is furthest off."""
    ours, theirs = np.asarray(answers, dtype=float), np.array(right, dtype=float)
    yield Claim(list(ours.shape), "==", list(theirs.shape), what=f"the shape of {what}")
    if theirs.size:
        at = int(abs(ours - theirs).argmax())
        yield Claim(ours.flat[at], "==", theirs.flat[at], rounding * (1 + abs(theirs).max()), f"{what}, entry {at}")


def tree_values(tree: Callable, data: Data, n_leaves: int) -> Iterator[Claim]:
    x, y, w = data
    try:
        right = naive_boosting.tree(x, y, n_leaves, w)
    except CloseCuts:
        return
    yield from alike(tree(x, y, w, n_leaves), right, "the predictions of a tree")


def ls_values(ls_boosting: Callable, data: Data, nu: float, n_leaves: int, n_rounds: int) -> Iterator[Claim]:
    x, y, _ = data
    answers = np.asarray(ls_boosting(x, y, n_rounds, n_leaves, nu), dtype=float)
    yield Claim(list(answers.shape), "==", [n_rounds + 1, len(y)], what="the shape of the scores")
    for m, right in enumerate(rounds_of(naive_boosting.ls_boosting(x, y, n_leaves, Fraction(nu)), n_rounds + 1)):
        yield from alike(answers[m], right, f"the scores after round {m}")


def softmax_values(
    softmax_boosting: Callable, data: Data, nu: float, n_leaves: int, n_rounds: int, n_classes: int
) -> Iterator[Claim]:
    x, y, _ = data
    labels = [int(8 * label) % n_classes for label in y]
    answers = np.asarray(softmax_boosting(x, labels, n_classes, n_rounds, n_leaves, nu), dtype=float)
    yield Claim(list(answers.shape), "==", [n_rounds, len(y), n_classes], what="the shape of F")
    turns = rounds_of(naive_boosting.softmax_boosting(x, labels, n_classes, n_leaves, nu), n_rounds)
    for m, right in enumerate(turns):
        yield from alike(answers[m], right, f"F after round {m + 1}")


def ordinal_values(
    ordinal_boosting: Callable, data: Data, nu: float, n_leaves: int, n_rounds: int, n_classes: int
) -> Iterator[Claim]:
    x, y, _ = data
    labels = [int(8 * label) % n_classes for label in y]
    answers = np.asarray(ordinal_boosting(x, labels, n_classes, n_rounds, n_leaves, nu), dtype=float)
    yield Claim(list(answers.shape), "==", [n_rounds, len(y), n_classes - 1], what="the shape of P(y <= k)")
    for k in range(n_classes - 1):
        above = [int(label > k) for label in labels]
        if not 0 < sum(above) < len(above):  # nothing to learn: a port may take 0 or 1, or boost
            side = [0.5, 1.0] if not any(above) else [0.0, 0.5]
            yield Claim(side[0], "<=", answers[:, :, k].min(), what=f"{side[0]} and the lowest P(y <= {k})")
            yield Claim(answers[:, :, k].max(), "<=", side[1], what=f"the highest P(y <= {k}) and {side[1]}")
        else:
            turns = rounds_of(naive_boosting.softmax_boosting(x, above, 2, n_leaves, nu), n_rounds)
            for m, scores in enumerate(turns):
                right = [naive_boosting.softmax(row)[0] for row in scores]
                yield from alike(answers[m][:, k], right, f"P(y <= {k}) after round {m + 1}")


NUS = (0.125, 0.3, 0.5, 1.0)
NU = st.sampled_from(NUS)
MANY_LEAVES = (2, 4, 8, 20, 36, 50, 70)
ROUNDS_DRAWN = st.integers(1, 6)
LEAVES = st.integers(1, 4)
BOOSTED = {"data": DATA, "nu": NU, "n_leaves": st.integers(2, 3), "n_rounds": ROUNDS_DRAWN}
WIDE = wide(nu=NUS, n_leaves=(2, 3, 6, 20), n_rounds=(1, 3, 6, ROUNDS))
EXAMPLES = tuple(
    {"data": data, "nu": nu, "n_leaves": 2, "n_rounds": 3}
    for data, nu in ((RISING, 0.5), (RISING, 1.0), (FALLING, 1.0), (wide_data(30, 5, seed=1), 0.5))
)
CLASSES = {**BOOSTED, "n_classes": st.integers(2, 8)}
# five features at the most: the transcription takes a while for each class
WIDE_CLASSES = wide(131, 5, nu=NUS, n_leaves=(2, 3, 6), n_rounds=(1, 3, 6), n_classes=range(2, 9))
CLASS_EXAMPLES = (
    *({**example, "n_classes": k} for example in EXAMPLES for k in (3, 5)),
    {"data": PARTED_LABELS, "nu": 1.0, "n_leaves": 2, "n_rounds": 20, "n_classes": 2},  # p comes near 0 and 1
    {"data": DOUBLED, "nu": 1.0, "n_leaves": 3, "n_rounds": 3, "n_classes": 8},
)
PARTED: Data = ([[0, 1], [1, 1], [2, 0], [3, 0], [4, 1]], [0, 1, 5, 6, 9], [1, 3, 1, 0.5, 2])
CHECKS = (
    PortCheck(
        "trees.histogram_is_exact_split",
        "a tree predicts the means of the leaves that cut best",
        ("tree",),
        {"data": DATA, "n_leaves": LEAVES},
        tree_values,
        (
            *({"data": data, "n_leaves": 3} for data in (RISING, FALLING)),
            {"data": ZEROS, "n_leaves": 3},
            {"data": LARGE, "n_leaves": 70},
            {"data": FULL, "n_leaves": 3},
        ),
        wide=wide(n_leaves=MANY_LEAVES),
    ),
    PortCheck(
        "trees.histogram_is_exact_split, weights",
        "a tree on weighted rows predicts the weighted means of the leaves that cut best",
        ("tree",),
        {"data": WEIGHTED, "n_leaves": LEAVES},
        tree_values,
        tuple({"data": (*PARTED[:2], w), "n_leaves": 3} for w in (PARTED[2], [1, 1, 4, 2, 1])),
        wide=wide(weighted=True, n_leaves=MANY_LEAVES),
    ),
    PortCheck(
        "losses.ls_boosting",
        "the scores are those of Alg. 2",
        ("ls_boosting",),
        BOOSTED,
        ls_values,
        EXAMPLES,
        wide=WIDE,
    ),
    PortCheck(
        "losses.softmax_boosting",
        "F is that of Alg. 1 as printed",
        ("softmax_boosting",),
        CLASSES,
        softmax_values,
        CLASS_EXAMPLES,
        wide=WIDE_CLASSES,
    ),
    PortCheck(
        "mcrank.eq8.variant-separate",
        "P(y <= k) is learned by Alg. 1 with two classes, each k by itself",
        ("ordinal_boosting",),
        CLASSES,
        ordinal_values,
        CLASS_EXAMPLES,
        wide=WIDE_CLASSES,
    ),
)
