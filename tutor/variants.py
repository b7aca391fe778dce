"""Cases of a student's own: toy inputs drawn from a hash of a key and the task, and the right answers to them.

Two students have other numbers, so that answers cannot be copied. The same key gives the same cases on every machine.
"""

import hashlib
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.trees.numbers.draws import draw
from tutor.answers.key import answer
from tutor.answers.solutions import leaf_values, softmax
from yardstick.vectors.case import Answer, Case, Signature, Value

N_CASES = 5


class Draws:
    """Numbers from a hash, in the order in which they are asked for."""

    def __init__(self, *words: str) -> None:
        self.seed = int.from_bytes(hashlib.sha256("\n".join(words).encode()).digest()[:8], "big")
        self.n_drawn = 0

    def choose(self, n: int) -> int:
        """Draw one of 0..n-1."""
        self.n_drawn += 1
        return draw(self.seed, self.n_drawn) * n >> 64

    def pick_grades(self, n: int, n_grades: int = 4) -> NDArray[Any]:
        """Draw n grades, of which two differ at least."""
        return np.array([0, n_grades - 1, *(self.choose(n_grades) for _ in range(n - 2))])[self.shuffle(n)]

    def shuffle(self, n: int) -> NDArray[Any]:
        """Draw an order of 0..n-1."""
        return np.argsort([self.choose(2**40) for _ in range(n)], kind="stable")

    def pick_reals(self, *shape: int) -> NDArray[Any]:
        """Draw numbers from -2 to 2 in steps of 1/64."""
        size = int(np.prod(shape))
        return np.array([(self.choose(257) - 128) / 64 for _ in range(size)]).reshape(shape)

    def pick_leaves(self, n: int, *columns: int) -> NDArray[Any]:
        """Draw the leaf of each row: two leaves per column, none of them empty."""
        drawn = [self.pick_grades(n, 2) for _ in range(columns[0] if columns else 1)]
        return np.column_stack(drawn) if columns else drawn[0]

    def pick_rate(self) -> NDArray[Any]:
        """Draw a learning rate."""
        return np.array((1 + self.choose(9)) / 16)


def draw_proba(draws: Draws, n: int, n_classes: int) -> NDArray[Any]:
    """Draw probabilities, (n, n_classes), in steps of 1/64."""
    edges = np.sort(np.array([[draws.choose(65) / 64 for _ in range(n_classes - 1)] for _ in range(n)]))
    return np.diff(edges, prepend=0.0, append=1.0)


def draw_bins(d: Draws) -> dict[str, Value]:
    """Draw rows of two features in bins."""
    codes = np.column_stack([d.pick_grades(7, 4), d.pick_grades(7, 3)])
    integers = np.array([d.choose(41) - 20 for _ in range(7)])
    return {"codes": codes, "offsets": np.array([0, 4, 7]), "rows": np.sort(d.shuffle(7)[:5]), "integers": integers}


def draw_sums(d: Draws) -> dict[str, Value]:
    """Draw the sums of a feature with five bins, of which one cut is better than all others."""
    gains = [Fraction(0)]
    while gains.count(max(gains)) != 1 or max(gains) == 0:
        slots = np.array([[d.choose(41) - 20, 1 + d.choose(3)] for _ in range(5)])
        left = np.cumsum(slots, axis=0)[:-1].tolist()
        total, n = slots.sum(axis=0).tolist()
        gains = [(Fraction(s, m) - Fraction(total - s, n - m)) ** 2 * Fraction(m * (n - m), n) for s, m in left]
    return {"sums": slots, "offsets": np.array([0, 5]), "min_samples_leaf": np.array(1), "missing": None}


def draw_list(d: Draws) -> dict[str, Value]:
    """Draw labels and scores without ties, and a truncation level."""
    return {"y": d.pick_grades(6), "score": d.pick_reals(1) + d.shuffle(6) / 8, "k": np.array(2 + d.choose(5))}


def draw_regression(d: Draws) -> dict[str, Value]:
    """Draw a round of regression."""
    given = {"target": d.pick_reals(6), "scores": d.pick_reals(6), "leaf": d.pick_leaves(6)}
    return {**given, "learning_rate": d.pick_rate(), "weight": None}


def draw_costs(d: Draws) -> dict[str, Value]:
    """Draw a problem of COCR."""
    cost = ("absolute", "squared", "oerr")[d.choose(3)]
    return {"y": d.pick_grades(5), "max_grade": np.array(3), "cost": cost, "sample_weight": None}


INPUTS: Mapping[str, Callable[[Draws], dict[str, Value]]] = {
    "softmax": lambda d: {"scores": d.pick_reals(4, 3)},
    "bootstrap": lambda d: {"seed": np.array(d.choose(10**6)), "tree": np.array(d.choose(9)), "n_samples": np.array(9)},
    "quantize": lambda d: {"x": np.append(d.pick_reals(6), [0.5, 1.0]), "cuts": np.array([-1.0, 0.5, 1.0])},
    "histogram": lambda d: draw_bins(d) | {"weights": None},
    "best_split": draw_sums,
    "leaf_values": lambda d: {
        **{"residual": d.pick_reals(6), "proba": draw_proba(d, 6, 3)[:, 0], "leaf": d.pick_leaves(6)},
        **{"n_classes": np.array(3 + d.choose(3)), "weight": None},
    },
    "softmax_round": lambda d: {
        **{"y": d.pick_grades(6, 3), "scores": d.pick_reals(6, 3), "leaf": d.pick_leaves(6, 3)},
        **{"learning_rate": d.pick_rate(), "weight": None},
    },
    "ordinal_round": lambda d: {
        "y": d.pick_grades(6), "n_classes": np.array(4), "leaf": d.pick_leaves(6, 3), "learning_rate": d.pick_rate()
    },
    "ls_round": draw_regression,
    "lad_round": draw_regression,
    "median": lambda d: {"values": d.pick_reals(5 + d.choose(2)), "weight": None},
    "class_proba": lambda d: {"cumulative_proba": np.cumsum(draw_proba(d, 4, 4), axis=1)[:, :3]},
    "expected_relevance": lambda d: {
        "class_proba": draw_proba(d, 4, 4), "transform": ("k", "2^k", "2^k-1")[d.choose(3)]
    },
    "igbrt_start": lambda d: {"y": d.pick_grades(5) * 1.0, "predictions": d.pick_reals(3, 5)},
    "binary_target": lambda d: {"y": d.pick_grades(6), "c": np.array(1 + d.choose(3))},
    "oerr_weights": lambda d: {"y": d.pick_grades(5), "max_grade": np.array(3)},
    "reduction": draw_costs,
    "hard_rank": lambda d: {"answers": np.append(d.pick_reals(4, 3), [[0.5, 0.25, 0.5]], axis=0)},
    "dcg": draw_list,
    "ndcg": draw_list,
    "err": lambda d: draw_list(d) | {"max_grade": np.array(4)},
    "lambda_gradients": lambda d: {"scores": d.pick_reals(5), "y": d.pick_grades(5), "truncation": np.array(5)},
}  # fmt: skip


def draw_cases(task: Signature, key: str) -> list[Case]:
    """Draw the cases of a task for a key.

    Where the papers leave a choice open, an answer is right by any of the lawful choices.
    """
    cases = []
    for i in range(N_CASES):
        given = INPUTS[task.name](Draws(key, task.name, str(i)))
        answers = [Answer(answer(task, given))]
        if task.name == "softmax_round":
            answers.append(Answer(answer_simultaneously(given), "simultaneous"))
        comment = f"Drawn from the key {key}."
        result = "valid" if len(answers) == 1 else "acceptable"
        cases.append(
            Case(f"variant/{task.name}/{i}", task.name, given, result, tuple(answers), task.paper, comment)  # type: ignore[arg-type]
        )
    return cases


def answer_simultaneously(given: dict[str, Any]) -> dict[str, Any]:
    """Answer softmax_round with p computed once per round, before all classes."""
    F, p, leaf = given["scores"].copy(), softmax(given["scores"]), given["leaf"]
    for k in range(F.shape[1]):
        beta = leaf_values((given["y"] == k) - p[:, k], p[:, k], leaf[:, k], F.shape[1], given["weight"])
        F[:, k] += given["learning_rate"] * beta[leaf[:, k]]
    return {"scores": F}
