"""McRank of a port: Lemma 1, the largest DCG, and the expected relevance by Eq. 5 and 8."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from hypothesis import strategies as st

from proofs_check.engine.discounts import logarithmic
from proofs_check.engine.instances import Rankings, batch
from proofs_check.engine.strategies import some_ranking, swept, tables, with_order
from proofs_check.mcrank.lemma1 import slack, spread
from proofs_check.ports.check import Claim, PortCheck
from proofs_check.ports.metrics import positive

TIGHTEST = batch(np.array([[0, 4]]), np.array([[0, 0]]))  # of Lemma 1, for any discounts
LABELS = st.lists(st.integers(0, 4), min_size=1, max_size=12)
# sums are exact
ROWS = tables(1, 12, *(st.integers(0, n).map(lambda v, n=n: v / n) for n in (64, 2**40)))
FIRST = (
    *({"rows": [[0.25] * k, [1.0 - i / 8 for i in range(k)], [i / 8 for i in range(k)]]} for k in range(1, 7)),
    *({"rows": table} for table in swept(1, 12)),
)


def dcg_error(dcg: Callable, r: Rankings) -> float:
    """Compute DCG_g - DCG_pi by a port."""
    y = r.y[0].astype(np.int64)  # (n,), in the order of pi
    return dcg(y, y.astype(float)) - dcg(y, -np.arange(r.n, dtype=float))


def one_document(dcg: Callable) -> Claim:
    return positive(dcg(np.array([1]), np.array([0.0])))


def discounts_of(dcg: Callable, n: int) -> np.ndarray:
    """Compute c of a port, (n,): its logarithm may have any base, and 1/log 2 is the DCG of one label 1."""
    return logarithmic(n) * dcg(np.array([1]), np.array([0.0]))


def lemma1(dcg: Callable, r: Rankings) -> Iterator[Claim]:
    yield one_document(dcg)
    c = discounts_of(dcg, r.n)
    right = 450 * int(r.errors[0]) * spread(c)
    # both sides of Eq. 4 scale with the base of the logarithm; the slack is that of the floats in mcrank/lemma1.py
    yield Claim(dcg_error(dcg, r) ** 2, "<=", right, slack(c), "the square of DCG_g - DCG_pi")


def largest_by_label(dcg: Callable, ranked: tuple[list, list]) -> Iterator[Claim]:
    labels, order = ranked
    y = np.array(labels)  # (n,)
    # at most 12 products of numbers up to 15, each off by a few roundings
    yield Claim(dcg(y, np.array(order)), "<=", dcg(y, y), 12 * 15 * 10 * 2.0**-53, "DCG of a ranking")


def class_probabilities(class_proba: Callable, rows: list[list[float]]) -> Iterator[Claim]:
    # multiples of 2^-40 up to 78: every sum and product here is exact in floats
    answers = np.asarray(class_proba(np.array(rows)), dtype=float)
    yield Claim(list(answers.shape), "==", [len(rows), len(rows[0]) + 1], what="the shape of the class probabilities")
    for p, q in zip(answers, rows, strict=True):
        yield from class_probabilities_of(p, q)


def class_probabilities_of(p: np.ndarray, q: list[float]) -> Iterator[Claim]:
    yield Claim(len(p), "==", len(q) + 1, what="the number of classes")
    yield Claim(p.sum(), "==", 1, what="the sum of the class probabilities")
    yield Claim((np.arange(len(p)) * p).sum(), "==", sum(1 - v for v in q), what="sum k p_k")
    yield Claim(np.cumsum(p)[:-1].tolist(), "==", q, what="the sums p_0 + ... + p_k")


def relevance_of_sums(expected_relevance: Callable, rows: list[list[float]]) -> Iterator[Claim]:
    p = np.diff(np.array([[0.0, *q, 1.0] for q in rows]))  # (n, K), exact as above
    right = [sum(1 - v for v in q) for q in rows]
    yield Claim(np.asarray(expected_relevance(p)).tolist(), "==", right, what="the expected relevance")


CHECKS = (
    PortCheck(
        "mcrank.lemma1.variant-log",
        "the DCG error is within Lemma 1, whatever the base of the logarithm",
        ("dcg",),
        {"r": some_ranking(max_n=30)},
        lemma1,
        first=({"r": TIGHTEST},),
    ),
    PortCheck(
        "mcrank.lemma1.step2",
        "DCG is largest when documents are ranked by label",
        ("dcg",),
        {"ranked": with_order(LABELS)},
        largest_by_label,
    ),
    PortCheck(
        "mcrank.eq8.variant-sum",
        "class probabilities by Eq. 8 add up to Q_k and 1, and sum k p_k = sum (1 - Q_k), whether or not the Q_k cross",
        ("class_proba",),
        {"rows": ROWS},
        class_probabilities,
        FIRST,
    ),
    PortCheck(
        "mcrank.eq8.variant-abel",
        "the expected relevance is sum (1 - Q_k), whether or not the Q_k cross",
        ("expected_relevance",),
        {"rows": ROWS},
        relevance_of_sums,
        FIRST,
    ),
)
