"""DCG, NDCG and ERR of a port, from both sides: their values, what an exchange adds, cut-offs, and attained bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import fsum, log2

import numpy as np
from hypothesis import strategies as st

from proofs_check.engine import naive
from proofs_check.engine.discounts import logarithmic, swap_gain
from proofs_check.engine.strategies import with_order
from proofs_check.ports.check import Claim, PortCheck

Ranked = tuple[list[int], list[int]]  # labels, and the place of each document, from 0
LABELS = st.lists(st.integers(0, 4), min_size=1, max_size=40)
RANKED = with_order(LABELS | st.lists(st.sampled_from((0, 4)), min_size=2, max_size=40))
FIRST: tuple[Ranked, ...] = (
    ([4, 0], [1, 0]),
    ([0, 2, 1], [2, 0, 1]),
    ([4, 3, 1, 2, 0], [4, 3, 2, 1, 0]),
    ([2], [0]),
    ([0, 0, 0], [1, 0, 2]),
    ([3, 3, 3], [1, 0, 2]),
    ([i % 5 for i in range(40)], [7 * i % 40 for i in range(40)]),
    ([i % 2 for i in range(90)], [7 * i % 90 for i in range(90)]),
)
GRADED: tuple[Ranked, ...] = (*FIRST, ([9, 12, 0, 5, 7], [4, 2, 0, 3, 1]))  # ERR asks for its highest grade
STEPS = (0.3, 2.0**-20, 2**20)  # between the scores of neighbours; the last makes integers
# sums of at most 40 products of a few factors, each rounded: of the size of the value itself, 64 roundings
ROUNDING = 64 * 2.0**-53


def ask(metric: Callable, labels: Sequence[int], place: Sequence[int], *arguments: int) -> float:
    """Ask a port for the metric of documents at these places, from 0."""
    return float(metric(np.array(labels), scores_of(labels, place), *arguments))


def scores_of(labels: Sequence[int], place: Sequence[int]) -> np.ndarray:
    """Choose scores of both signs for documents at these places, from 0: near each other or far apart, (n,)."""
    return STEPS[(len(labels) + sum(labels)) % 3] * (len(labels) // 2 - np.array(place))


def naive_dcg(labels: Sequence[int], place: Sequence[int], k: int | None = None) -> float:
    """Compute DCG with c_i = 1/log2(1+i), document by document; places from 0."""
    shown = [(y, i) for y, i in zip(labels, place, strict=True) if k is None or i < k]
    return fsum((2**y - 1) / log2(i + 2) for y, i in shown)


def positive(unit_dcg: float) -> Claim:
    """Claim that a document of label 1, alone, has a DCG above 0."""
    return Claim(2.0**-53, "<=", unit_dcg, what="0 and the DCG of one document of label 1")


def dcg_value(dcg: Callable, ranked: Ranked) -> Iterator[Claim]:
    labels, place = ranked
    unit_dcg = ask(dcg, [1], [0])  # 1/log 2, whatever the base of the logarithm
    yield positive(unit_dcg)
    value = naive_dcg(labels, place) * unit_dcg
    yield Claim(ask(dcg, labels, place), "==", value, ROUNDING * (1 + value), "DCG")


def dcg_exchange(dcg: Callable, ranked: Ranked, which: tuple[int, int]) -> Iterator[Claim]:
    labels, place = ranked
    i, j = (number % len(labels) for number in which)
    exchanged = place.copy()
    exchanged[i], exchanged[j] = place[j], place[i]
    added = ask(dcg, labels, exchanged) - ask(dcg, labels, place)
    apart = (1 / log2(place[i] + 2) - 1 / log2(place[j] + 2)) * (2 ** labels[j] - 2 ** labels[i])
    room = ROUNDING * (1 + sum(2**y for y in labels))  # the size of the sums before and after the exchange
    yield Claim(added, "==", apart * ask(dcg, [1], [0]), room, "what the exchange of two documents adds")


def dcg_cut_off(dcg_at: Callable, ranked: Ranked, k: int) -> Iterator[Claim]:
    labels, place = ranked
    unit_dcg = ask(dcg_at, [1], [0], 1)
    yield positive(unit_dcg)
    value = naive_dcg(labels, place, k) * unit_dcg
    yield Claim(ask(dcg_at, labels, place, k), "==", value, ROUNDING * (1 + value), f"DCG@{k}")


def ndcg_value(ndcg_at: Callable, ranked: Ranked, k: int) -> Iterator[Claim]:
    labels, place = ranked
    if any(labels):
        ideal = naive_dcg(sorted(labels, reverse=True), range(len(labels)), k)
        value = naive_dcg(labels, place, k) / ideal
        yield Claim(ask(ndcg_at, labels, place, k), "==", value, 4 * ROUNDING, f"NDCG@{k}")


def dcg_attained(dcg: Callable, n: int, missed: int) -> Iterator[Claim]:
    missed = min(missed, n // 2)
    labels = [0] * (n - missed) + [4] * missed
    error = ask(dcg, labels, range(n)[::-1]) - ask(dcg, labels, range(n))
    right = 15 * float(swap_gain(logarithmic(n), np.array(missed))) * ask(dcg, [1], [0])
    # two sums of at most 200
    yield Claim(error, "==", right, ROUNDING * 200, "the largest DCG error of so many documents misrated")


# ---- ERR ----


def err_value(err: Callable, ranked: Ranked) -> Iterator[Claim]:
    labels, place = ranked
    value = float(naive.err(labels, [i + 1 for i in place]))
    yield Claim(ask(err, labels, place), "==", value, 4 * ROUNDING, "ERR")


def err_exchange(err: Callable, ranked: Ranked, at: int) -> Iterator[Claim]:
    """Exchange neighbours: places k and k + 1, from 1."""
    labels, place = ranked
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
    added = ask(err, labels, exchanged) - ask(err, labels, place)
    right = float((Fraction(1, k + 1) - Fraction(1, k + 2)) * (stop[b] - stop[a]) * looks)
    yield Claim(added, "==", right, 8 * ROUNDING, "what the exchange of two neighbours adds")


def err_cut_off(err_at: Callable, ranked: Ranked, k: int, max_grade: int) -> Iterator[Claim]:
    labels, place = ranked
    capped = [min(y, max_grade) for y in labels]
    shown = [y if i < k else 0 for y, i in zip(capped, place, strict=True)]
    value = float(naive.err(shown, [i + 1 for i in place], max_grade))
    yield Claim(ask(err_at, capped, place, k, max_grade), "==", value, 4 * ROUNDING, f"ERR@{k}")


def err_attained(err_at: Callable, n: int, max_grade: int) -> Iterator[Claim]:
    labels = [0] * (n - 1) + [max_grade]
    error = ask(err_at, labels, range(n)[::-1], n, max_grade) - ask(err_at, labels, range(n), n, max_grade)
    right = float((1 - Fraction(1, 2**max_grade)) * (1 - Fraction(1, n)))
    yield Claim(error, "==", right, 8 * ROUNDING, "the largest ERR error of one document misrated")


RANKINGS = tuple({"ranked": ranked} for ranked in FIRST)
GRADED_RANKINGS = tuple({"ranked": ranked} for ranked in GRADED)
CUT_OFFS = st.integers(1, 12) | st.integers(1, 45)
CHECKS = (
    PortCheck(
        "mcrank.dcg",
        "DCG is sum (2^y - 1)/log(1+i), whatever the base",
        ("dcg",),
        {"ranked": RANKED},
        dcg_value,
        GRADED_RANKINGS,
    ),
    PortCheck(
        "mcrank.dcg.variant-exchange",
        "exchanging documents at places i and j adds (c_i - c_j) (2^y_j - 2^y_i) to DCG",
        ("dcg",),
        {"ranked": RANKED, "which": st.tuples(st.integers(0, 39), st.integers(0, 39))},
        dcg_exchange,
        tuple({"ranked": ranked, "which": (0, 1)} for ranked in GRADED),
    ),
    PortCheck(
        "mcrank.dcg.variant-cut-off",
        "DCG@k counts the first k documents",
        ("dcg_at",),
        {"ranked": RANKED, "k": CUT_OFFS},
        dcg_cut_off,
        tuple({"ranked": ranked, "k": k} for ranked in GRADED for k in (1, 2, 12, 13, 70)),
    ),
    PortCheck(
        "mcrank.lemma1.variant-sharp-attained",
        "m documents of grade 4 behind those of grade 0 lose 15 S(m)",
        ("dcg",),
        {"n": st.integers(2, 40), "missed": st.integers(1, 20)},
        dcg_attained,
    ),
    PortCheck(
        "ndcg.by_ideal",
        "NDCG@k is DCG@k over that of the best ranking",
        ("ndcg_at",),
        {"ranked": RANKED, "k": CUT_OFFS},
        ndcg_value,
        tuple({"ranked": ranked, "k": k} for ranked in GRADED for k in (1, 2, 13, 70)),
    ),
    PortCheck(
        "igbrt.err", "ERR is sum (1/i) R_i prod_{j<i} (1 - R_j)", ("err",), {"ranked": RANKED}, err_value, RANKINGS
    ),
    PortCheck(
        "new.err_below_rr_dcg.step1",
        "exchanging neighbours adds (1/k - 1/(k+1)) (R_b - R_a) prod_{j<k} (1 - R_j) to ERR",
        ("err",),
        {"ranked": RANKED, "at": st.integers(0, 38)},
        err_exchange,
        tuple({"ranked": ranked, "at": at} for ranked in FIRST for at in range(4)),
    ),
    PortCheck(
        "igbrt.err.variant-cut-off",
        "ERR@k counts the first k documents, with R = (2^y - 1)/2^K",
        ("err_at",),
        {"ranked": RANKED, "k": CUT_OFFS, "max_grade": st.integers(1, 12)},
        err_cut_off,
        tuple(
            {"ranked": ranked, "k": k, "max_grade": grade} for ranked in FIRST for k in (2, 70) for grade in (1, 2, 5)
        ),
    ),
    PortCheck(
        "igbrt.theorem1.variant-sharp",
        "one document of grade K behind those of grade 0 loses (1 - 2^-K) (1 - 1/n)",
        ("err_at",),
        {"n": st.integers(2, 40), "max_grade": st.integers(1, 5)},
        err_attained,
    ),
)
