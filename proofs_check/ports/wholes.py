"""Whole rankers of a port: iGBRT, COCR, LambdaRank's gradient; new rows, ties and missing values. All are values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby, pairwise
from math import exp, fsum, log2, nan
from statistics import fmean, median

import numpy as np
from hypothesis import strategies as st

from proofs_check.engine import naive_boosting
from proofs_check.engine.naive_boosting import CloseCuts
from proofs_check.engine.strategies import REALS, SWEPT, Data, many, some_data, tables, wide
from proofs_check.ports.boosting import (
    LARGE,
    LEAVES,
    MANY_LEAVES,
    NU,
    NUS,
    PARTED,
    RISING,
    ROUNDS,
    ROUNDS_DRAWN,
    WEIGHTED,
    ZEROS,
    alike,
    rounds_of,
)
from proofs_check.ports.check import Claim, PortCheck
from proofs_check.ports.metrics import CUT_NEARLY_TIED, CUT_OFFS, CUT_SWEEP, RANKED, STEPS, Ranked, naive_dcg, positive

TIES = ("stable", "worst", "best", "averaged")
SUBSTITUTES = ("zero", "mean", "median", "-inf", "inf")
OF_SUMS = 1e-12  # 150 terms, each rounded, may be some 60 times as large as their sum
BEYOND = 2.0**60  # stands for infinity: no value of an instance is as large


def new_rows(tree_at: Callable, data: Data, n_leaves: int) -> Iterator[Claim]:
    x, y, w = data
    # the training rows backwards, rows mixed of the values of two, and values beyond all
    mixed = [[a if f % 2 else b for f, (a, b) in enumerate(zip(*rows, strict=True))] for rows in pairwise(x)]
    new = [*x[::-1], *mixed, [BEYOND] * len(x[0]), [-BEYOND] * len(x[0])]
    try:
        right = naive_boosting.tree_at(x, y, n_leaves, w, new)
    except CloseCuts:
        return
    answers = np.asarray(tree_at(x, y, w, n_leaves, new), dtype=float)
    yield Claim(list(answers.shape), "==", [len(new)], what="the shape of the predictions of new rows")
    decided = [i for i, value in enumerate(right) if value is not None]
    yield from alike(answers[decided], [right[i] for i in decided], "the predictions of new rows")


def boosted(
    boost: Callable[..., np.ndarray], data: Data, nu: float, max_depth: int, n_rounds: int, start: list
) -> Iterator[Claim]:
    x, y, _ = data
    answers = np.asarray(boost(x, y, n_rounds, max_depth, nu), dtype=float)
    yield Claim(list(answers.shape), "==", [n_rounds + 1, len(y)], what="the shape of the predictions")
    for m, right in enumerate(rounds_of(naive_boosting.gbrt(x, y, start, max_depth, Fraction(nu)), n_rounds + 1)):
        yield from alike(answers[m], right, f"the predictions after round {m}")


def gbrt_values(gbrt: Callable, data: Data, nu: float, max_depth: int, n_rounds: int) -> Iterator[Claim]:
    yield from boosted(gbrt, data, nu, max_depth, n_rounds, [0] * len(data[1]))


def igbrt_values(igbrt: Callable, data: Data, nu: float, max_depth: int, n_rounds: int) -> Iterator[Claim]:
    start = [((5 * i + n_rounds) % 17 - 8) / 3 for i in range(len(data[1]))]  # what a forest may predict
    yield from boosted(lambda x, y, *more: igbrt(x, y, start, *more), data, nu, max_depth, n_rounds, start)


def cocr_values(cocr: Callable, n_features: int, max_grade: int, seed: int) -> Iterator[Claim]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 16)) * (n_features + 1) + max_grade
    m = int(rng.integers(1, 140))
    # new rows are also far from the training rows, and some grades may be absent
    x, new = rng.integers(-8, 9, (n, n_features)) / 4, rng.integers(-8, 9, (m, n_features)) / 4 * rng.choice((1, 9))
    grades = rng.permutation(max_grade + 1)[: rng.integers(2, max_grade + 2) if seed % 2 else None]
    y = rng.permutation(np.r_[grades, rng.choice(grades, n - len(grades))])
    right = np.zeros(m)
    for k in range(1, max_grade + 1):
        # COCR Eq. 13, 5 and 1: |(2^y - 2^k)^2 - (2^y - 2^(k-1))^2|, and whether y >= k
        root = np.sqrt(abs((2.0**y - 2**k) ** 2 - (2.0**y - 2 ** (k - 1)) ** 2))
        design = np.c_[np.ones(n), x] * root[:, None]
        if np.linalg.cond(design) > 1e3:
            return
        coefficients = np.linalg.lstsq(design, root * (y >= k), rcond=None)[0]
        right += np.c_[np.ones(m), new] @ coefficients  # COCR Eq. 6
    yield from alike(cocr(x, y, max_grade, new), right, "the soft ranks of new rows")


def lambda_values(lambdas: Callable, ranked: Ranked, k: int) -> Iterator[Claim]:
    labels, place = ranked[:2]
    n, score = len(labels), ranked.scores
    ideal = naive_dcg(sorted(labels, reverse=True), range(n), k)
    discount = [1 / log2(i + 2) if i < k else 0.0 for i in place]
    right = [0.0] * n
    for i in range(n):
        for j in range(n):
            if labels[i] > labels[j]:
                # Burges 2010 Sec. 4
                change = abs((2 ** labels[i] - 2 ** labels[j]) * (discount[i] - discount[j])) / ideal
                step = change / (1 + exp(min(score[i] - score[j], 700)))
                right[i] -= step
                right[j] += step
    yield from alike(lambdas(score, np.array(labels), k), right, f"the gradient by NDCG@{k}", OF_SUMS)


def tied_values(
    dcg_tied: Callable, documents: list[tuple[int, int]], k: int, ties: str, step: float = 0.3, middle: float = 0
) -> Iterator[Claim]:
    labels = np.array([y for y, _ in documents])
    score = np.array([middle + s * step or (-0.0 if y % 2 else 0.0) for y, s in documents])
    unit_dcg = float(dcg_tied(np.array([1]), np.array([0.0]), 1, ties))
    yield positive(unit_dcg)
    gains: list[float] = []
    for _, group in groupby(sorted(documents, key=lambda document: -document[1]), key=lambda document: document[1]):
        tied = [2**y - 1 for y, _ in group]
        if ties == "averaged":
            tied = [fmean(tied)] * len(tied)
        gains += tied if ties in ("stable", "averaged") else sorted(tied, reverse=ties == "best")
    right = fsum(gain / log2(i + 2) for i, gain in enumerate(gains[:k])) * unit_dcg
    yield from alike([dcg_tied(labels, score, k, ties)], [right], f"DCG@{k} with ties {ties}", OF_SUMS)


# ---- missing values ----


def substitutes(x: Sequence[Sequence[float]], missing: str) -> list[float]:
    """Choose what stands in for NaN in each feature (iGBRT Sec. 7); 0 where no row has the feature."""
    if missing.endswith("inf"):
        return [BEYOND if missing == "inf" else -BEYOND] * len(x[0])
    present = [[v for v in column if v == v] for column in zip(*x, strict=True)]
    choose = {"zero": lambda values: 0.0, "mean": fmean, "median": median}[missing]
    return [choose(values) if values else 0.0 for values in present]


def filled_values(fill_values: Callable, x: list[list[float]], missing: str) -> Iterator[Claim]:
    right = substitutes(x, missing)
    yield from alike(fill_values(x, missing), right, f"what stands in for NaN by {missing!r}", OF_SUMS)


def missing_values(tree_missing: Callable, data: Data, holes: int, missing: str, n_leaves: int) -> Iterator[Claim]:
    x, y, _ = data
    rows = [
        [nan if (i + 2 * f) % holes == 0 or f == holes else v for f, v in enumerate(row)] for i, row in enumerate(x)
    ]
    fill = substitutes(rows, missing)
    full = [[fill[f] if v != v else v for f, v in enumerate(row)] for row in rows]
    try:
        right = naive_boosting.tree(full, y, n_leaves)
    except CloseCuts:
        return
    yield from alike(tree_missing(rows, y, missing, n_leaves), right, f"the predictions with NaN by {missing!r}")


DEEP = {"data": some_data(max_n=10), "nu": NU, "max_depth": st.integers(1, 6), "n_rounds": ROUNDS_DRAWN}
WIDE_DEEP = wide(nu=NUS, max_depth=range(1, 8), n_rounds=(1, 3, ROUNDS))
DEEP_FIRST = tuple({"data": RISING, "nu": nu, "max_depth": depth, "n_rounds": 3} for nu, depth in ((0.5, 1), (1.0, 2)))
# groups of a few documents and of many
DOCUMENTS = st.one_of(many(st.tuples(st.integers(0, grade), st.integers(-3, 3))) for grade in (4, 40))
TIED = [(0, 1), (9, 1), (1, -2), (4, -2), (2, 1), (0, -2), (1, 2)]
HOLES = [[1.0, nan, nan], [2.0, 7.0, nan], [6.0, nan, nan], [5.0, nan, nan]]
COLUMNS = [[37 * v % 151, -v, v * v % 7] for v in SWEPT]
QUARTERS = st.integers(-9, 20).map(lambda v: v / 4)
MARKERS = st.sampled_from((-1.0, 0.0, 99.0, -999.0, 9999.0, -99999999.0, 1e9))  # that other programs read as missing
CHECKS = (
    PortCheck(
        "trees.histogram_is_exact_split, new rows",
        "a tree predicts new rows by the leaves into which they fall",
        ("tree_at",),
        {"data": WEIGHTED, "n_leaves": LEAVES},
        new_rows,
        ({"data": PARTED, "n_leaves": 3}, {"data": LARGE, "n_leaves": 20}, {"data": ZEROS, "n_leaves": 3}),
        wide=wide(weighted=True, n_leaves=MANY_LEAVES),
    ),
    PortCheck(
        "losses.ls_boosting, gbrt",
        "the predictions are those of iGBRT Alg. 2",
        ("gbrt",),
        DEEP,
        gbrt_values,
        DEEP_FIRST,
        wide=WIDE_DEEP,
    ),
    PortCheck(
        "losses.ls_boosting, igbrt",
        "the predictions are those of iGBRT Alg. 3",
        ("igbrt",),
        DEEP,
        igbrt_values,
        DEEP_FIRST,
        wide=WIDE_DEEP,
    ),
    PortCheck(
        "cocr.costs, whole",
        "COCR over least squares ranks new rows by the sum of its answers",
        ("cocr",),
        {"n_features": st.integers(1, 6), "max_grade": st.integers(1, 7), "seed": st.integers(0, 9999)},
        cocr_values,
        tuple({"n_features": n_features, "max_grade": 12, "seed": 0} for n_features in (1, 2, 3)),
    ),
    PortCheck(
        "losses.lambdarank",
        "LambdaRank's gradient is the sum of -Delta NDCG / (1 + exp(s_i - s_j)) over pairs",
        ("lambdas",),
        {"ranked": RANKED, "k": CUT_OFFS},
        lambda_values,
        CUT_SWEEP,
        CUT_NEARLY_TIED,
    ),
    PortCheck(
        "mcrank.dcg, ties",
        "documents that tie keep their order, or come in ascending or descending order, or share their gains",
        ("dcg_tied",),
        {"documents": DOCUMENTS, "k": CUT_OFFS, "ties": st.sampled_from(TIES), "step": st.sampled_from(STEPS)},
        tied_values,
        (
            *({"documents": TIED, "k": k, "ties": ties} for ties in TIES for k in (2, 35)),
            # in one group, two or three
            *(
                {"documents": [(i % 5, i % (1 + n % 3) - 1) for i in range(n)], "k": n, "ties": TIES[n % 4]}
                for n in SWEPT
            ),
        ),
        tuple({"documents": TIED, "k": 3, "ties": ties, "step": 2.0**-40, "middle": 1.0} for ties in TIES),
    ),
    PortCheck(
        "trees.monotone_transforms, substitutes",
        "what stands in for missing values is 0, the mean or the median of those present, or beyond all",
        ("fill_values",),
        {
            "x": tables(1, 9, *(numbers | st.just(nan) for numbers in (QUARTERS, MARKERS, *REALS))),
            "missing": st.sampled_from(("median", "mean", "zero")),
        },
        filled_values,
        (
            *({"x": HOLES, "missing": rule} for rule in SUBSTITUTES[:3]),
            *({"x": COLUMNS[:n], "missing": rule} for n in SWEPT for rule in SUBSTITUTES[1:3]),
        ),
    ),
    PortCheck(
        "trees.monotone_transforms, missing values",
        "a tree with substitutes for missing values is that of the filled features",
        ("tree_missing",),
        {
            "data": some_data(max_n=10),
            "holes": st.integers(2, 5),
            "missing": st.sampled_from(SUBSTITUTES),
            "n_leaves": LEAVES,
        },
        missing_values,
        (
            *({"data": RISING, "holes": 3, "missing": rule, "n_leaves": 3} for rule in SUBSTITUTES),
            {"data": LARGE, "holes": 2, "missing": "mean", "n_leaves": 20},
        ),
        wide=wide(holes=range(2, 6), missing=SUBSTITUTES, n_leaves=MANY_LEAVES),
    ),
)
