"""COCR of a port: Theorem 2 as it is meant, the costs of Eq. 3, 4 and 13, and the reduction of Lin and Li."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from proofs_check.cocr.theorem2 import intended
from proofs_check.engine.exact import unit
from proofs_check.engine.instances import Rankings, batch
from proofs_check.engine.strategies import some_ranking
from proofs_check.ports.check import Claim, PortCheck

TIGHTEST = batch(np.array([[0, 2]]), np.array([[1, 1]]), np.array([[2, 1]]))  # of Theorem 2, for two documents
LABELS = st.lists(st.integers(0, 4), min_size=1, max_size=12)
ANSWERS = st.lists(st.sampled_from((0, 1)), min_size=4, max_size=4)


def theorem2(err: Callable, r: Rankings) -> Iterator[Claim]:
    y = r.y[0].astype(np.int64)  # (n,), in the order of pi
    error = err(y, -r.g[0].astype(float)) - err(y, -np.arange(r.n, dtype=float))
    right = float(Fraction(int(intended(r).right[0]), unit(r.n, r.scale) ** 2))
    # ERR <= 1 is a sum of n products of n factors, each rounded: 4 n^2 roundings, the error twice that, its
    # square again twice; the right side is exact except for its last division
    yield Claim(max(error, 0.0) ** 2, "<=", right, 16 * r.n**2 * 2.0**-53, "the square of ERR_rho - ERR_pi")


def cost_of_every_row(oerr: Callable, r: Rankings) -> Iterator[Claim]:
    y, y_hat = r.y[0].astype(np.int64), r.y_hat[0].astype(np.int64)  # (n,)
    costs = np.asarray(oerr(y, 4))[np.arange(r.n), y_hat]  # (n,)
    right = [(2**a - 2**b) ** 2 for a, b in zip(y.tolist(), y_hat.tolist(), strict=True)]
    yield Claim(costs.tolist(), "==", right, what="the costs of the predictions")


def v_shaped(cost: Callable, y: list[int]) -> Iterator[Claim]:
    for label, costs in zip(y, np.asarray(cost(np.array(y), 4)).tolist(), strict=True):
        yield Claim(costs[label], "==", 0, what=f"the cost of label {label} itself")
        below, above = costs[label::-1], costs[label:]  # from the label outwards
        yield Claim(below, "==", sorted(below), what=f"the costs below label {label}, in ascending order")
        yield Claim(above, "==", sorted(above), what=f"the costs above label {label}, in ascending order")


def reduction(cost: Callable, y: int, g: list[int], place: int) -> Iterator[Claim]:
    labels = [0, 4, 2]
    labels[place] = y
    costs = np.asarray(cost(np.array(labels), 4))  # (3, 5)
    yield Claim(list(costs.shape), "==", [3, 5], what="the shape of the costs")
    own = costs[place].tolist()
    yield Claim(own[y], "==", 0, what="the cost of the label itself")
    yield Claim(own[sum(g)], "<=", weighted_errors(own, y, g), what="the cost of r_g and the weighted errors")


def weighted_errors(costs: Sequence[float], y: int, answers: Sequence) -> float:
    """Compute sum_k w_k |h_k - b_k| from Eq. 1 and 5."""
    steps = range(1, len(costs))
    return sum(abs(costs[k] - costs[k - 1]) * abs(answers[k - 1] - (1 if y >= k else 0)) for k in steps)


CHECKS = (
    PortCheck(
        "cocr.theorem2.variant-intended",
        "the ERR error is within Theorem 2, read with documents in place of positions",
        ("err",),
        {"r": some_ranking(min_n=2, max_n=30)},
        theorem2,
        first=({"r": TIGHTEST},),
    ),
    PortCheck(
        "cocr.oerr.variant-ndcg",
        "the oERR cost is (2^y - 2^k)^2",
        ("oerr",),
        {"r": some_ranking(min_n=1, max_n=20)},
        cost_of_every_row,
    ),
    *(
        PortCheck(
            f"cocr.oerr.variant-v-shaped, {name}",
            "a cost is 0 at the label, and never falls with the distance from it",
            (name,),
            {"y": LABELS},
            v_shaped,
        )
        for name in ("absolute", "squared", "oerr")
    ),
    *(
        PortCheck(
            f"lin_li.reduction.variant-{row}",
            f"the {name} cost of r_g is at most the weighted errors of {whose}",
            (name,),
            {"y": st.integers(0, 4), "g": answers, "place": st.integers(0, 2)},
            reduction,
        )
        for row, name, whose, answers in (
            ("absolute", "absolute", "any answers", ANSWERS),
            ("squared", "squared", "any answers", ANSWERS),
            ("rank-monotone", "oerr", "answers that do not rise", ANSWERS.map(lambda g: sorted(g, reverse=True))),
        )
    ),
)
