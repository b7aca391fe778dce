"""DCG, NDCG and ERR of a port, from both sides: their values, what an exchange adds, cut-offs, and attained bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import fsum, log2
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from proofs_check.engine import naive
from proofs_check.engine.discounts import logarithmic, swap_gain
from proofs_check.engine.strategies import SWEPT, many, with_order
from proofs_check.ports.check import Claim, PortCheck

STEPS = (0.3, 2.0**-20, 2.0**-40, 2.0**40, 2**20)  # between the scores of neighbours; the last makes integers


class Ranked(NamedTuple):
    """Documents of one query: labels, the place of each from 0, and scores a step apart, both signs about the middle.

    >>> Ranked([4, 0], [1, 0], 0.5).scores
    array([0. , 0.5])
    """

    labels: list[int]
    place: list[int]
    step: float = 0.3
    middle: float = 0

    @property
    def scores(self) -> np.ndarray:
        return self.middle + self.step * (len(self.labels) // 2 - np.array(self.place))

    def graded(self, max_grade: int) -> Ranked:
        """Bring the labels within 0..max_grade."""
        return self._replace(labels=[y % (max_grade + 1) for y in self.labels])


LABELS = many(st.integers(0, 4)) | many(st.sampled_from((0, 4))) | many(st.integers(0, 40))
RANKED = st.builds(lambda drawn, step: Ranked(*drawn, step), with_order(LABELS), st.sampled_from(STEPS))
FIRST = (
    Ranked([4, 0], [1, 0], 2.0**-20),
    Ranked([0, 2, 1], [2, 0, 1]),
    Ranked([2, 0, 1], [2, 0, 1]),  # as many documents and as large a sum
    Ranked([4, 3, 1, 2, 0], [4, 3, 2, 1, 0], 2**20),
    Ranked([2], [0]),
    Ranked([0, 0, 0], [1, 0, 2]),
    Ranked([3, 3, 3], [1, 0, 2]),
    Ranked([i % 5 for i in range(40)], [7 * i % 40 for i in range(40)]),
    Ranked([i % 2 for i in range(90)], [7 * i % 90 for i in range(90)]),
)
GRADED = (*FIRST, Ranked([9, 12, 0, 5, 7], [4, 2, 0, 3, 1]))  # ERR asks for its highest grade
SWEEP = tuple(Ranked([i % 2 for i in range(n)], [(i + n // 2) % n for i in range(n)]) for n in SWEPT)
NEAR = Ranked([2, 0, 4, 1], [3, 1, 0, 2], 2.0**-40, 1.0)  # one score in float32
# sums of at most 150 products of a few factors, each rounded: of the size of the value itself, 64 roundings
ROUNDING = 64 * 2.0**-53


ONE = Ranked([1], [0])  # its DCG is 1/log 2, whatever the base of the logarithm


def ask(metric: Callable, ranked: Ranked, *arguments: int) -> float:
    """Ask a port for the metric of documents."""
    return float(metric(np.array(ranked.labels), ranked.scores, *arguments))


def naive_dcg(labels: Sequence[int], place: Sequence[int], k: int | None = None) -> float:
    """Compute DCG with c_i = 1/log2(1+i), document by document; places from 0."""
    shown = [(y, i) for y, i in zip(labels, place, strict=True) if k is None or i < k]
    return fsum((2**y - 1) / log2(i + 2) for y, i in shown)


def positive(unit_dcg: float) -> Claim:
    """Claim that a document of label 1, alone, has a DCG above 0."""
    return Claim(2.0**-53, "<=", unit_dcg, what="0 and the DCG of one document of label 1")


def dcg_value(dcg: Callable, ranked: Ranked) -> Iterator[Claim]:
    unit_dcg = ask(dcg, ONE)
    yield positive(unit_dcg)
    value = naive_dcg(ranked.labels, ranked.place) * unit_dcg
    yield Claim(ask(dcg, ranked), "==", value, ROUNDING * (1 + value), "DCG")


def dcg_exchange(dcg: Callable, ranked: Ranked, which: tuple[int, int]) -> Iterator[Claim]:
    labels, place = ranked[:2]
    i, j = (number % len(labels) for number in which)
    exchanged = place.copy()
    exchanged[i], exchanged[j] = place[j], place[i]
    after = ask(dcg, ranked._replace(place=exchanged))
    apart = (1 / log2(place[i] + 2) - 1 / log2(place[j] + 2)) * (2 ** labels[j] - 2 ** labels[i])
    room = ROUNDING * (1 + sum(2**y for y in labels))  # the size of the sums before and after the exchange
    # not a difference: a side as large as the sums says how far float32 is off
    right = ask(dcg, ranked) + apart * ask(dcg, ONE)
    yield Claim(after, "==", right, room, "DCG and what the exchange of two documents adds")


def dcg_cut_off(dcg_at: Callable, ranked: Ranked, k: int) -> Iterator[Claim]:
    unit_dcg = ask(dcg_at, ONE, 1)
    yield positive(unit_dcg)
    value = naive_dcg(ranked.labels, ranked.place, k) * unit_dcg
    yield Claim(ask(dcg_at, ranked, k), "==", value, ROUNDING * (1 + value), f"DCG@{k}")


def ndcg_value(ndcg_at: Callable, ranked: Ranked, k: int) -> Iterator[Claim]:
    labels, place = ranked[:2]
    if any(labels):
        ideal = naive_dcg(sorted(labels, reverse=True), range(len(labels)), k)
        value = naive_dcg(labels, place, k) / ideal
        yield Claim(ask(ndcg_at, ranked, k), "==", value, 4 * ROUNDING, f"NDCG@{k}")


def dcg_attained(dcg: Callable, n: int, missed: int) -> Iterator[Claim]:
    missed = min(missed, n // 2)
    behind = Ranked([0] * (n - missed) + [4] * missed, [*range(n)])
    best = ask(dcg, behind._replace(place=behind.place[::-1]))
    right = ask(dcg, behind) + 15 * float(swap_gain(logarithmic(n), np.array(missed))) * ask(dcg, ONE)
    # two sums of at most 15 sum_i 1/log2(i+1) = 400
    yield Claim(best, "==", right, ROUNDING * 400, "DCG and the largest error of so many documents misrated")


# ---- ERR ----


def naive_err(ranked: Ranked, k: int | None = None, max_grade: int = 4) -> float:
    """Compute ERR of the first k documents in fractions."""
    by_place = sorted(zip(ranked.place, ranked.labels, strict=True))[:k]
    return float(naive.err_of([naive.relevance(y, max_grade) for _, y in by_place]))


def err_value(err: Callable, ranked: Ranked) -> Iterator[Claim]:
    graded = ranked.graded(4)
    yield Claim(ask(err, graded), "==", naive_err(graded), 4 * ROUNDING, "ERR")


def err_exchange(err: Callable, ranked: Ranked, at: int) -> Iterator[Claim]:
    """Exchange neighbours: places k and k + 1, from 1."""
    graded = ranked.graded(4)
    labels, place = graded[:2]
    if len(labels) == 1:
        return
    k = at % (len(labels) - 1)
    a, b = place.index(k), place.index(k + 1)
    exchanged = place.copy()
    exchanged[a], exchanged[b] = k + 1, k
    stop = [naive.relevance(y) for y in labels]
    looks = Fraction(1)
    for i, value in zip(place, stop, strict=True):
        looks *= 1 - value if i < k else 1
    added = ask(err, graded._replace(place=exchanged)) - ask(err, graded)
    right = float((Fraction(1, k + 1) - Fraction(1, k + 2)) * (stop[b] - stop[a]) * looks)
    yield Claim(added, "==", right, 8 * ROUNDING, "what the exchange of two neighbours adds")


def err_cut_off(err_at: Callable, ranked: Ranked, k: int, max_grade: int) -> Iterator[Claim]:
    graded = ranked.graded(max_grade)
    right = naive_err(graded, k, max_grade)
    yield Claim(ask(err_at, graded, k, max_grade), "==", right, 4 * ROUNDING, f"ERR@{k}")


def err_attained(err_at: Callable, n: int, max_grade: int) -> Iterator[Claim]:
    behind = Ranked([0] * (n - 1) + [max_grade], [*range(n)])
    error = ask(err_at, behind._replace(place=behind.place[::-1]), n, max_grade) - ask(err_at, behind, n, max_grade)
    right = float((1 - Fraction(1, 2**max_grade)) * (1 - Fraction(1, n)))
    yield Claim(error, "==", right, 8 * ROUNDING, "the largest ERR error of one document misrated")


RANKINGS = tuple({"ranked": ranked} for ranked in FIRST + SWEEP)
GRADED_RANKINGS = tuple({"ranked": ranked} for ranked in GRADED + SWEEP)
NEARLY_TIED = ({"ranked": NEAR},)
CUT_OFFS = st.integers(1, 12) | st.integers(1, 160) | st.sampled_from((255, 256, 2**15, 2**16, 2**31 - 1))
CUT_SWEEP = (
    *({"ranked": ranked, "k": k} for ranked in GRADED for k in (1, 2, 12, 13, 70, 256)),
    *({"ranked": ranked, "k": len(ranked.labels)} for ranked in SWEEP),
)
CUT_NEARLY_TIED = ({"ranked": NEAR, "k": 2},)
TO_GRADE = st.integers(1, 12) | st.integers(13, 40)
CHECKS = (
    PortCheck(
        "mcrank.dcg",
        "DCG is sum (2^y - 1)/log(1+i), whatever the base",
        ("dcg",),
        {"ranked": RANKED},
        dcg_value,
        GRADED_RANKINGS,
        NEARLY_TIED,
    ),
    PortCheck(
        "mcrank.dcg.variant-exchange",
        "exchanging documents at places i and j adds (c_i - c_j) (2^y_j - 2^y_i) to DCG",
        ("dcg",),
        {"ranked": RANKED, "which": st.tuples(st.integers(0, 149), st.integers(0, 149))},
        dcg_exchange,
        tuple({"ranked": ranked, "which": (0, 1)} for ranked in GRADED),
    ),
    PortCheck(
        "mcrank.dcg.variant-cut-off",
        "DCG@k counts the first k documents",
        ("dcg_at",),
        {"ranked": RANKED, "k": CUT_OFFS},
        dcg_cut_off,
        CUT_SWEEP,
        CUT_NEARLY_TIED,
    ),
    PortCheck(
        "mcrank.lemma1.variant-sharp-attained",
        "m documents of grade 4 behind those of grade 0 lose 15 S(m)",
        ("dcg",),
        {"n": st.integers(2, 150), "missed": st.integers(1, 75)},
        dcg_attained,
    ),
    PortCheck(
        "ndcg.by_ideal",
        "NDCG@k is DCG@k over that of the best ranking",
        ("ndcg_at",),
        {"ranked": RANKED, "k": CUT_OFFS},
        ndcg_value,
        CUT_SWEEP,
        CUT_NEARLY_TIED,
    ),
    PortCheck(
        "igbrt.err",
        "ERR is sum (1/i) R_i prod_{j<i} (1 - R_j)",
        ("err",),
        {"ranked": RANKED},
        err_value,
        RANKINGS,
        NEARLY_TIED,
    ),
    PortCheck(
        "new.err_below_rr_dcg.step1",
        "exchanging neighbours adds (1/k - 1/(k+1)) (R_b - R_a) prod_{j<k} (1 - R_j) to ERR",
        ("err",),
        {"ranked": RANKED, "at": st.integers(0, 148)},
        err_exchange,
        tuple({"ranked": ranked, "at": at} for ranked in FIRST for at in range(4)),
    ),
    PortCheck(
        "igbrt.err.variant-cut-off",
        "ERR@k counts the first k documents, with R = (2^y - 1)/2^K",
        ("err_at",),
        {"ranked": RANKED, "k": CUT_OFFS, "max_grade": TO_GRADE},
        err_cut_off,
        tuple({**example, "max_grade": grade} for example in CUT_SWEEP for grade in (1, 2, 5)),
        ({"ranked": NEAR, "k": 2, "max_grade": 4},),
    ),
    PortCheck(
        "igbrt.theorem1.variant-sharp",
        "one document of grade K behind those of grade 0 loses (1 - 2^-K) (1 - 1/n)",
        ("err_at",),
        {"n": st.integers(2, 150), "max_grade": TO_GRADE},
        err_attained,
    ),
)
