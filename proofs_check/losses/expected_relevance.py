"""McRank, end to end, with the paper's ranking: by the expected relevance s_i = sum_k k p_ik (Eq. 5).

For class probabilities p_i and e_i = 1 - p_{i,y_i}, and any non-increasing c,

    DCG_g - DCG_pi <= K 2^(K-1) (c_1 - c_n) sum_i e_i,

where the ranking by expected gain has 2^K - 1 (losses.class_proba): 32 and 15 for the papers' grades.

Proof. Let phi be 2^s - 1 at integers, and linear in between: it increases, so pi sorts by phi(s), and lines 1 and 3 of
losses.class_proba hold with phi(s_i) for v_i. The remaining line, with z_i = 2^y_i - 1:

    5  s_i = y_i + sum_k p_ik (k - y_i) is at most y_i e_i below y_i, and the slope of phi there at most 2^(y_i - 1), so
       phi(s_i) is at most K 2^(K-1) e_i below z_i. As s_i is at most (K - y_i) e_i above y_i, and the chord of phi to K
       has the slope (2^K - 2^y_i)/(K - y_i), phi(s_i) is at most (2^K - 1) e_i above z_i

Attained for every n by a document of grade K with p_K = 1 - 1/K and p_0 = 1/K, behind correctly predicted documents of
grade K - 1: its s is also K - 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.exact import relevance_gain
from proofs_check.engine.instances import Cases
from proofs_check.engine.probabilities import expected_relevance, left_over, parts_of
from proofs_check.engine.records import OURS, Line, table
from proofs_check.engine.search import settle_cases
from proofs_check.losses.class_proba import PROOF, alone, attained, by, dcg_bound, err_bound, of_gain


def of_relevance(max_grade: int) -> int:
    """Compute K 2^(K-1)."""
    return int(max_grade * 2 ** (max_grade - 1))


def interpolated(p: np.ndarray, parts: int) -> np.ndarray:
    """Compute phi(s) for expected relevances s, times parts: 2^s - 1 at integers, linear in between."""
    whole, rest = np.divmod(expected_relevance(p), parts)
    return parts * relevance_gain(whole) + rest * 2**whole


def of_one_relevance(case: Cases) -> Iterator[Comparison]:
    y, p, parts, max_grade = parts_of(case)
    apart = (parts * relevance_gain(y) - interpolated(p, parts))[:, 0]
    yield Comparison(apart, of_relevance(max_grade) * left_over(case)[:, 0], unit=parts, label="below")
    yield Comparison(-apart, of_gain(max_grade) * left_over(case)[:, 0], unit=parts, label="above")


def perfect_behind_second(n: int) -> Iterator[Cases]:
    """Yield n - 1 documents of grade K - 1, predicted for sure, and one of grade K that is 0 with probability 1/K."""
    for max_grade in (1, 2, 3, 4):
        y, p = np.full((1, n), max_grade - 1), np.zeros((1, n, max_grade + 1), dtype=int)
        p[0, :-1, max_grade - 1] = max_grade
        y[0, -1], p[0, -1, 0], p[0, -1, max_grade] = max_grade, 1, max_grade - 1
        yield Cases({"y": y, "p": p}, {"p": max_grade})


ROWS = table("losses.class_proba", "new",
    Line("step5", "2^y - 1 - phi(s) is between -15 (1 - p_y) and 32 (1 - p_y), s the expected relevance",
     "one document, by expected relevance", alone(of_one_relevance)),
    Line("variant-expected-relevance", "DCG_g - DCG_pi <= 32 (c_1 - c_n) sum (1 - p_{i,y_i}), pi by expected relevance",
     "as McRank ranks", by(expected_relevance, partial(dcg_bound, of_relevance))),
    Line("variant-expected-relevance-attained", "attained for every n", "tightness",
     settle_cases(partial(attained, of_relevance), perfect_behind_second, 12, smallest=2)),
    Line("variant-expected-relevance-15", "DCG_g - DCG_pi <= 15 (c_1 - c_n) sum (1 - p_{i,y_i}), by expected relevance",
     "the smaller constant", by(expected_relevance, partial(dcg_bound, of_gain))),
    Line("variant-expected-relevance-err", "ERR_g - ERR_pi <= 2 (1 - 1/n) sum (1 - p_{i,y_i}), by expected relevance",
     "ERR", by(expected_relevance, partial(err_bound, of_relevance))),
    source=OURS, proof=PROOF,
)  # fmt: skip
