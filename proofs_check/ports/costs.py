"""COCR's costs, weights and ranks of a port, from both sides: Eq. 2 to 6 and 13 are exact in integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from proofs_check.engine.strategies import REALS, SWEPT, many, swept, tables
from proofs_check.ports.check import Claim, PortCheck

COSTS: dict[str, Callable[[int, int], int]] = {
    "absolute": lambda y, k: abs(y - k),
    "squared": lambda y, k: (y - k) ** 2,
    "oerr": lambda y, k: (2**y - 2**k) ** 2,
}
SIXTEENTHS = st.integers(-8, 24).map(lambda v: v / 16)


def table_of(name: str, cost: Callable, y: list[int], max_grade: int) -> Iterator[Claim]:
    labels = [min(label, max_grade) for label in y]
    right = [[COSTS[name](label, k) for k in range(max_grade + 1)] for label in labels]
    yield Claim(np.asarray(cost(np.array(labels), max_grade)).tolist(), "==", right, what="the costs")


def weights_of(weights: Callable, costs: list[list[int]]) -> Iterator[Claim]:
    right = [[abs(b - a) for a, b in pairwise(row)] for row in costs]
    yield Claim(np.asarray(weights(np.array(costs))).tolist(), "==", right, what="the weights")


def hard_ranks(hard_rank: Callable, answers: list[list[float]]) -> Iterator[Claim]:
    right = [sum(answer >= 0.5 for answer in row) for row in answers]
    yield Claim(np.asarray(hard_rank(np.array(answers))).tolist(), "==", right, what="the hard ranks")


def soft_ranks(soft_rank: Callable, answers: list[list[float]]) -> Iterator[Claim]:
    # of numbers of one kind, sums are exact
    yield Claim(
        np.asarray(soft_rank(np.array(answers))).tolist(), "==", [sum(row) for row in answers], what="the soft ranks"
    )


ANSWERS = tables(1, 12, SIXTEENTHS, *REALS)
HALVES = ({"answers": [[0.5, 1.0, 0.25], [0.0, -0.5, 1.5]]}, {"answers": [[0.5], [0.25], [1.0]]})
NEAR_HALF = [[0.5 - 2.0**-54, 0.5, 0.5 + 2.0**-53], [0.5 - 2.0**-40, 0.0, 1.0]]
COSTS_TOLD = tables(2, 12, st.integers(0, 99), *REALS)
SWEEP = tuple({"answers": table} for table in swept(1, 12))
CHECKS = (
    *(
        PortCheck(
            f"cocr.costs.variant-{name}",
            f"the {name} cost vectors are those of Eq. {number}",
            (name,),
            {
                "y": many(st.integers(0, 20)),
                "max_grade": st.integers(1, 6) | st.integers(7, 20),
            },
            partial(table_of, name),
            (
                *({"y": [*range(k + 1)] * n, "max_grade": k} for k, n in ((1, 50), (4, 1), (6, 9), (20, 1))),
                *({"y": [7 * i % 5 for i in range(n)], "max_grade": 4 + n % 3} for n in SWEPT),
            ),
        )
        for name, number in (("absolute", 3), ("squared", 4), ("oerr", 13))
    ),
    PortCheck(
        "cocr.costs",
        "the weights are |c[k] - c[k-1]|",
        ("weights",),
        {"costs": COSTS_TOLD},
        weights_of,
        (
            *({"costs": table} for table in swept(2, 13)),
            {"costs": [[3, 1, 0.5, 2, 9], [0, 4, 1, 1, 7]]},
            {"costs": [[0, 1], [2, 0]]},
        ),
    ),
    PortCheck(
        "lin_li.reduction",
        "the hard rank is the number of answers that are 1/2 or more",
        ("hard_rank",),
        {"answers": ANSWERS},
        hard_ranks,
        HALVES + SWEEP,
        ({"answers": NEAR_HALF},),
    ),
    PortCheck(
        "cocr.theorem1",
        "the soft rank is the sum of the answers",
        ("soft_rank",),
        {"answers": ANSWERS},
        soft_ranks,
        HALVES + SWEEP,
    ),
)
