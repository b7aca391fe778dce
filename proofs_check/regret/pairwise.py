"""Sun, Jin and Wang 2012: the regret of DCG is bounded by the regret of binary classifiers on pairs.

The gains z_i are random, with any dependence, and v_i = E z_i. A classifier answers for each pair of documents which of
them should come first; an answer costs the gain that it forgoes, max(z_j - z_i, 0) if i comes first. A document wins a
pair if the answer puts it first; pi sorts by the number of wins, ties in any order. The answers need not be transitive.
Then, for any non-increasing c (restated; the abstract: the ratio of both regrets is "at most 2 times the maximal
deviation of discounts between adjacent positions"),

    max_tau E DCG_tau - E DCG_pi <= 2 max_i (c_i - c_{i+1}) sum_{wrong} |v_i - v_j|,

over the pairs whose answer puts the document of the smaller v first: |v_i - v_j| is the regret of such an answer.

Proof:

    1  the answer "i first" costs E max(z_j - z_i, 0), the other one E max(z_i - z_j, 0): v_j - v_i less
    2  E DCG is the DCG of the gains v. Both sides are sums over t of those for [v_i >= t], so let v be 0 or 1, with P
       ones and N zeros. The left side is sum_L (c_L - c_{L+1}) e_L, e_L >= 0 the error for c = [i <= L]; so it is at
       most max_i (c_i - c_{i+1}) times its value I for c_i = n - i: the number of zeros before ones in pi
    3  let w be the number of wrong pairs, and F(L) the ones among the first L places of pi. The ones have C(P,2) wins
       over each other and P N - w over zeros. Let M be the least concave function with M >= F at L = 0, ..., n. By
       summation by parts, the ones have at most sum_L (M(L) - M(L-1)) (n - L) wins, as wins fall along pi, F <= M,
       and the first L documents have at most (n-1) + ... + (n-L) wins. The same sum with U(L) = min(L, P) in place of M
       is C(P,2) + P N. So w >= sum_L (U(L) - M(L)), and I = sum_L (U(L) - F(L))
    4  sum_L (M - F) <= sum_L (U - M): M is linear between corners; between two of them, with p ones and q zeros, F is
       at least the path with the zeros first, M is midway between this path and the one with the ones first, and these
       two are p q apart, in sum; U is at least the latter. So I <= 2 sum_L (U - M) <= 2 w

The factor 2 is needed: let three documents win one pair each, a cycle, with only the last of pi relevant; one of its
two answers is wrong (variant-factor-1). If the answers compare scores and pi sorts by these, w = I, and a factor 1 is
enough (variant-scores). LambdaRank's sum for the gains v is a bound, too: sum (c_i - c_j) (v_j - v_i) over the places
i < j with v_i < v_j (variant-places).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from itertools import combinations, permutations, product

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import integer_discounts, name
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import CITED, OURS, Line, table
from proofs_check.engine.search import settle_cases
from proofs_check.regret.ndcg import PARTS, expected_gain, gains, two_labels

LARGEST_GAIN = {2: 3, 3: 3, 4: 2, 5: 1}  # of v, by the number of documents


def tournaments(n: int) -> Iterator[Cases]:
    """Yield v and all answers, (m, n, n), 1 where the first document wins, in the order of a pi that sorts by wins."""
    pairs = list(combinations(range(n), 2))
    answers = np.array(list(product((0, 1), repeat=len(pairs))), dtype=np.int64)
    beats = np.zeros((len(answers), n, n), dtype=np.int64)
    for column, (i, j) in enumerate(pairs):
        beats[:, i, j], beats[:, j, i] = answers[:, column], 1 - answers[:, column]
    beats = beats[(np.diff(beats.sum(axis=2), axis=1) <= 0).all(axis=1)]
    v = np.array(list(product(range(LARGEST_GAIN[n] + 1), repeat=n)))
    a, b = (part.ravel() for part in np.indices((len(v), len(beats))))
    yield Cases({"v": v[a], "beats": beats[b]})


def linear(n: int) -> list[np.ndarray]:
    """List the discounts of `integer_discounts`, and n - i, whose steps are all 1."""
    return [*integer_discounts(n), np.arange(n - 1, -1, -1)]


def regret(v: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Compute max_tau E DCG_tau - E DCG_pi over all rankings tau, (m,)."""
    every = [(v[:, list(order)] * c).sum(axis=1) for order in permutations(range(len(c)))]
    return np.asarray(np.max(every, axis=0) - every[0])


def regret_of_pairs(v: np.ndarray, beats: np.ndarray) -> np.ndarray:
    """Compute sum |v_i - v_j| over the pairs whose answer puts the smaller first, (m,)."""
    return np.asarray((beats * np.maximum(v[:, np.newaxis] - v[:, :, np.newaxis], 0)).sum(axis=(1, 2)))


def largest_step(c: np.ndarray) -> int:
    return int((c[:-1] - c[1:]).max(initial=0))


def bound(factor: int, case: Cases) -> Iterator[Comparison]:
    v, beats = case.columns["v"], case.columns["beats"]
    for c in linear(v.shape[1]):
        right = factor * largest_step(c) * regret_of_pairs(v, beats)
        yield Comparison(regret(v, c), right, label=name(c))


def by_scores(case: Cases) -> Iterator[Comparison]:
    """Claim the bound without the factor 2 for the answers "the document in front wins"."""
    yield from bound(1, in_front(case))


def in_front(case: Cases) -> Cases:
    """Replace the answers by those of scores along pi."""
    n = case.columns["v"].shape[1]
    return Cases({"v": case.columns["v"], "beats": np.broadcast_to(np.triu(np.ones((n, n), int), 1), (case.m, n, n))})


def by_places(case: Cases) -> Iterator[Comparison]:
    """Claim sum (c_i - c_j) (v_j - v_i) over the wrong pairs of places i < j."""
    v = case.columns["v"]
    for c in linear(v.shape[1]):
        pairs = combinations(range(len(c)), 2)
        right = sum((c[i] - c[j]) * np.maximum(v[:, j] - v[:, i], 0) for i, j in pairs) + 0 * v[:, 0]
        yield Comparison(regret(v, c), right, label=name(c))


def one_answer(case: Cases) -> Iterator[Comparison]:
    """Compare the difference of both costs of a pair with v_j - v_i, line 1; labels as in `regret.ndcg`."""
    (z, w), p = gains(case), case.columns["p"].astype(object)
    v, _ = expected_gain(case, np.empty(0))
    for i, j in permutations(range(z.shape[1]), 2):
        first, second = (
            p * np.maximum(z[:, b] - z[:, a], 0) + (PARTS - p) * np.maximum(w[:, b] - w[:, a], 0)
            for a, b in ((i, j), (j, i))
        )
        yield Comparison(first - second, v[:, j] - v[:, i], "==", unit=PARTS)


def zeros_before_ones(case: Cases) -> Comparison:
    """Compare the regret for c_i = n - i with the number of zeros before ones, line 2."""
    v = case.columns["v"]
    left = regret(v, linear(v.shape[1])[-1])
    return Comparison(left, sum((v[:, i] < v[:, j]).astype(int) for i, j in combinations(range(v.shape[1]), 2)), "==")


def wrong_answers(case: Cases) -> Comparison:
    """Claim sum_L (U(L) - M(L)) <= w, line 3, times lcm(1..n)."""
    v = case.columns["v"]
    unit, _, above, best = paths(v)
    return Comparison((best - above).sum(axis=1), unit * regret_of_pairs(v, case.columns["beats"]), unit=unit)


def halfway(case: Cases) -> Comparison:
    """Claim sum_L (M(L) - F(L)) <= sum_L (U(L) - M(L)), line 4, times lcm(1..n)."""
    unit, ones, above, best = paths(case.columns["v"])
    return Comparison((above - ones).sum(axis=1), (best - above).sum(axis=1), unit=unit)


def paths(v: np.ndarray) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """Compute lcm(1..n), and that many times F, M and U at L = 0, ..., n, (m, n + 1) each."""
    n = v.shape[1]
    unit = math.lcm(*range(1, n + 1))
    ones = unit * np.cumsum(np.pad(v, ((0, 0), (1, 0))), axis=1)
    above = ones.copy()
    for a, b in combinations(range(n + 1), 2):  # the highest chord at each L
        for place in range(a, b):
            chord = ones[:, a] + (ones[:, b] - ones[:, a]) // (b - a) * (place - a)
            above[:, place] = np.maximum(above[:, place], chord)
    return unit, ones, above, np.minimum(unit * np.arange(n + 1), ones[:, -1:])


def binary(n: int) -> Iterator[Cases]:
    for group in tournaments(n):
        yield group.take(np.flatnonzero(group.columns["v"].max(axis=1) <= 1))


def no_wrong_answer(case: Cases) -> Iterator[Comparison]:
    """Claim that pi has no regret where no answer is wrong."""
    v, beats = case.columns["v"], case.columns["beats"]
    right = regret_of_pairs(v, beats) == 0
    for c in linear(v.shape[1]):
        left = regret(v, c)
        yield Comparison(left, 0 * left, label=name(c)).keep_only(right)


over = partial(settle_cases, instances=tournaments, largest=max(LARGEST_GAIN), smallest=min(LARGEST_GAIN))
PROOF = "docs/prove/regret.md, Pairs in expectation"
WORDS = 'Sun et al. 2012, Abstract: "at most 2 times the maximal deviation of discounts between adjacent positions"'
ZERO = 'Sun et al. 2012, Abstract: "the minimal regret of zero for subset ranking is achievable"'
ROWS = table("regret.pairwise", "Sun et al.",
    Line("", "max_tau E DCG_tau - E DCG_pi <= 2 max (c_i - c_{i+1}) sum_{wrong} |v_i - v_j|, pi sorting by wins", "",
     over(partial(bound, 2))),
    Line("step1", "E max(z_j - z_i, 0) - E max(z_i - z_j, 0) = v_j - v_i", "one pair",
     settle_cases(one_answer, two_labels, 3, smallest=2), OURS),
    Line("step2", "v_i in {0, 1}, c_i = n - i: the regret is I, the number of zeros before ones", "line 2",
     over(zeros_before_ones, instances=binary), OURS),
    Line("step3", "sum_L (U(L) - M(L)) <= w", "line 3", over(wrong_answers, instances=binary), OURS),
    Line("step4", "sum_L (M(L) - F(L)) <= sum_L (U(L) - M(L))", "line 4", over(halfway, instances=binary), OURS),
    Line("variant-consistent", "no wrong answer: no regret", "consistency", over(no_wrong_answer), CITED, ZERO),
    Line("variant-factor-1", "the statement without the factor 2", "a cycle of three", over(partial(bound, 1))),
    Line("variant-scores", "the statement without the factor 2, the answers by the scores that pi sorts by", "scores",
     over(by_scores)),
    Line("variant-places", "max_tau E DCG_tau - E DCG_pi <= sum_{i < j, v_i < v_j} (c_i - c_j) (v_j - v_i)", "scores",
     over(by_places)),
    source=CITED, where=WORDS, proof=PROOF,
)  # fmt: skip
