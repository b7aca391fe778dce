"""LambdaMART and its lambdas: pair by pair from the definitions, and line by line; test_boosters.py has more."""

import ctypes
import math
from functools import partial
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy._core._multiarray_umath import __cpu_features__
from numpy.testing import assert_allclose

from refrank.mcrank import query_lambdas
from refrank.mcrank.query_lambdas import prepare_queries
from refrank.trees import splitting
from refrank.trees.engine import Engine
from refrank.trees.numbers.exponential import exp
from tests.conftest import require
from tests.libraries import NEEDS_COMPILER, run_compiler
from tests.mcrank.boosters import LAMBDAMART, fixed_case, oracle_newton_tree
from tests.oracles import lambdarank as naive
from tests.oracles.trees import grid_total
from tests.strategies import SEEDS, THREADS, ranking_cases, rng_of
from tests.strategies.lambdarank import QUERY, arrays

pytestmark = pytest.mark.kernel

BREAKS = """
Burges 2010 LambdaMART, line 1 at refrank/mcrank/lambdamart.py::lambdamart
- np.zeros(len(preferences.gains))
+ np.arange(float(len(preferences.gains)))

Burges 2010 LambdaMART, line 2 at refrank/mcrank/lambdamart.py::lambdamart
- for m in range(1, n_rounds + 1):
+ for m in range(1, n_rounds):

Burges 2010 LambdaMART, line 3 at refrank/mcrank/lambdamart.py::lambdamart
- preferences.compute_lambdas(scores, grow.engine.n_threads)
+ preferences.compute_lambdas(-scores, grow.engine.n_threads)

Burges 2010 LambdaMART, line 4 at refrank/mcrank/lambdamart.py::lambdamart
- tree, leaves = grow.grow_from(root)
+ tree, leaves = type(grow)(grow.binned, 2).grow_from(root)

Burges 2010 LambdaMART, line 5 at refrank/mcrank/lambdamart.py::lambdamart
- values = quotient(leaves.residual_sum, leaves.weight_sum)
+ values = leaves.residual_sum

Burges 2010 LambdaMART, line 6 at refrank/mcrank/lambdamart.py::lambdamart
- leaves.add_to(scores, learning_rate, values)
+ leaves.add_to(scores, 1.0, values)

Burges 2010 Sec. 4 at refrank/mcrank/query_lambdas.py::Preferences.compute_lambdas
- self.sigma * self.sigma * curvature
+ self.sigma * curvature
"""
TIED = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 2.0]), st.integers(0, 3)), min_size=2, max_size=5)
SIGMAS = st.sampled_from([0.5, 1.0, 3.0])
TRUNCATIONS = st.integers(1, 12)


def compute_lambdas(scores, y, qid=None, truncation=10, sigma=1.0, n_threads=1):
    return prepare_queries(np.asarray(y), qid, truncation, sigma).compute_lambdas(np.asarray(scores), n_threads)


def mean_change(scores, y, i, j, truncation):
    """The mean of |Delta NDCG| over all orders of tied documents: all permutations that descend in the scores."""
    orders = [o for o in permutations(range(len(y))) if all(scores[a] >= scores[b] for a, b in pairwise(o))]
    places = [[o.index(d) for d in range(len(y))] for o in orders]
    evaluate = partial(naive.ndcg, truncation=truncation)
    return math.fsum(abs(naive.swap_change([-p for p in place], y, i, j, evaluate)) for place in places) / len(orders)


@pytest.mark.paper("Burges 2010 Sec. 4", at="compute_lambdas")
@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.5, 2.0]), st.integers(0, 3)), min_size=2, max_size=5),
    TRUNCATIONS,
    SIGMAS,
)
def test_lambdas_pair_by_pair_with_the_mean_over_the_orders_of_ties(query, truncation, sigma):
    scores, y = [score for score, _ in query], [grade for _, grade in query]
    expected = np.zeros((2, len(y)))
    for i in range(len(y)):
        for j in range(len(y)):
            if y[i] > y[j]:
                change = mean_change(scores, y, i, j, truncation)
                rho = 1 / (1 + math.exp(sigma * (scores[i] - scores[j])))
                expected[0, i] += sigma * change * rho
                expected[0, j] -= sigma * change * rho
                expected[1, [i, j]] += sigma * sigma * change * rho * (1 - rho)
    # A term is rounded to 2^-47 or so, and its factors a few times.
    assert_allclose(compute_lambdas(scores, y, None, truncation, sigma), expected, rtol=0, atol=1e-12)


@given(QUERY, SIGMAS)
def test_lambdas_of_different_scores_are_those_of_lambdarank(query, sigma):
    scores, y = arrays(query)
    scores = scores + 1e-3 * np.arange(len(y))  # no two are equal, in all likelihood
    if len({*scores.tolist()}) == len(y) and y.max() > 0:
        evaluate = partial(naive.ndcg, truncation=10)
        change = lambda i, j: abs(naive.swap_change(scores, y, i, j, evaluate))  # noqa: E731
        expected = -sigma * np.array(naive.lambdas(sigma * scores, y, change))
        assert_allclose(compute_lambdas(scores, y, None, 10, sigma)[0], expected, rtol=0, atol=1e-12)


def test_w_is_minus_the_derivative_of_lambda():
    """While no two documents change places; truncation of the difference quotient: step^2, rounding: 2^-40 / step."""
    rng, step = rng_of(0), 2.0**-13
    scores, y = rng.normal(size=12), rng.integers(0, 4, 12)
    _, curvature = compute_lambdas(scores, y, None, 5, 2.0)
    for i in range(12):
        nudge = step * (np.arange(12) == i)
        above, below = (compute_lambdas(scores + way * nudge, y, None, 5, 2.0)[0][i] for way in (1, -1))
        assert_allclose((below - above) / (2 * step), curvature[i], rtol=0, atol=1e-7)


@given(st.integers(1, 40), st.sampled_from([0.0, 1.0, 10.0, None]), SEEDS, TRUNCATIONS, SIGMAS, THREADS)
def test_kernel_and_specification_add_up_the_same_pairs(n_queries, scale, seed, truncation, sigma, n_threads):
    """Where all scores tie, as in the first round, where some do, and where none do."""
    rng, extension = rng_of(seed), require(query_lambdas.COMPILED)
    qid = np.repeat(np.arange(n_queries), rng.integers(1, 30, n_queries))
    scores, y = rng.normal(size=len(qid)), rng.integers(0, 5, len(qid))
    scores = scores if scale is None else (scale * scores).round()
    of = prepare_queries(y, qid, truncation, sigma)
    given = scores, of.gains, np.append(of.queries.starts, len(qid)), of.discount, sigma, 45, n_threads
    sums = query_lambdas.sum_pairs(*given)
    assert sums.tobytes() == extension.sum_pairs(*given).tobytes()
    assert sums[:, 0].sum() == 0


LOOP = """
#include "../mcrank/pairs.h"
void add_pairs(double score, double gain, double mean, double sigma, double unit, const double *scores,
               const double *gains, const double *means, int64_t n, int64_t *sums);
void add_pairs(double score, double gain, double mean, double sigma, double unit, const double *scores,
               const double *gains, const double *means, int64_t n, int64_t *sums) {
    refrank_add_pairs(score, gain, mean, sigma, unit, scores, gains, means, n, sums + 1, sums + n + 2, sums,
                      sums + n + 1);
}
"""


@NEEDS_COMPILER
@pytest.mark.parametrize("feature", [None, "AVX2", "AVX512F"])
def test_the_loop_over_pairs_has_the_same_bits_on_each_kind_of_processor(feature, tmp_path):
    if feature and not __cpu_features__.get(feature):
        pytest.skip(f"this processor has no {feature}")
    path, library = tmp_path / "loop.c", tmp_path / "libloop.so"
    path.write_text(LOOP)
    flags = "-O3", "-fno-trapping-math", "-fno-math-errno", "-DREFRANK_CLONES=", "-shared", "-o", str(library)
    run_compiler(*flags, str(path), *([f"-m{feature.lower()}"] if feature else []))
    add_pairs = ctypes.CDLL(str(library)).add_pairs
    doubles, integers = (np.ctypeslib.ndpointer(dtype) for dtype in (np.float64, np.int64))
    add_pairs.argtypes = [ctypes.c_double] * 5 + [doubles] * 3 + [ctypes.c_int64, integers]
    rng = rng_of(0)
    for n in range(40):
        scores, gains, means = -rng.exponential(5.0, n), rng.integers(0, 4, n) / 3.0, rng.random(n) / 2
        sums = rng.integers(-9, 9, 2 * n + 2)
        # as in `sum_query`, where the document has score .5, gain 1/3 and mean discount 1/4
        odds, more = exp(-(2.0 * (0.5 - scores))), 1.0 / 3.0 - gains
        change, share = np.abs(more) * np.abs(0.25 - means), 1.0 / (1.0 + odds)
        slope = np.rint(change * (np.where(more > 0, odds, 1.0) * share) * 2.0**45) * np.where(more > 0, 1, -1)
        curvature = np.rint(change * (odds * share * share) * 2.0**45)
        added = [slope.sum(), *-slope, curvature.sum(), *curvature]
        expected = sums + np.array(added, np.int64)
        add_pairs(0.5, 1.0 / 3.0, 0.25, 2.0, 2.0**45, scores, gains, means, n, sums)
        assert sums.tolist() == expected.tolist()


@given(st.integers(1, 6), SEEDS)
def test_the_order_of_rows_changes_no_bit_of_a_lambda_even_where_scores_tie(n_queries, seed):
    rng = rng_of(seed)
    n = 8 * n_queries
    qid, y, scores = rng.integers(0, n_queries, n), rng.integers(0, 4, n), rng.integers(0, 3, n).astype(np.float64)
    order = rng.permutation(n)
    for value, moved in zip(
        compute_lambdas(scores, y, qid), compute_lambdas(scores[order], y[order], qid[order]), strict=True
    ):
        assert value[order].tobytes() == moved.tobytes()


def burges_lambdamart(y, N, eta, tree, truncation=10):
    """F, (n_samples,), in plain loops; the rows are one query."""
    F = [0.0] * len(y)  # line 1
    for _k in range(1, N + 1):  # line 2
        slope, w = (values.tolist() for values in compute_lambdas(np.array(F), y, None, truncation))  # line 3
        for R_l in tree(slope, w):  # line 4
            total = grid_total(w, R_l)
            gamma = grid_total(slope, R_l) / total if total else 0.0  # line 5
            for i in R_l:
                F[i] = F[i] + eta * gamma  # line 6
    return F


@pytest.mark.paper(
    "Burges 2010 LambdaMART, line 1",
    "Burges 2010 LambdaMART, line 2",
    "Burges 2010 LambdaMART, line 3",
    "Burges 2010 LambdaMART, line 4",
    "Burges 2010 LambdaMART, line 5",
    "Burges 2010 LambdaMART, line 6",
)
@given(case=ranking_cases(max_samples=14), learning_rate=st.sampled_from([1.0, 0.1]))
def test_scores_equal_the_transcription(case, learning_rate):
    scores = LAMBDAMART(case, 3, learning_rate).states[-1]
    assert scores.tolist() == burges_lambdamart(case.y, 3, learning_rate, oracle_newton_tree(case))


@given(case=ranking_cases(), seed=SEEDS)
def test_the_order_of_rows_changes_no_bit(case, seed):
    order = rng_of(seed).permutation(len(case.y))
    assert LAMBDAMART(case.take(order)).last == LAMBDAMART(case).states[-1][order].tobytes()


def test_the_specification_learns_the_same(monkeypatch):
    case = fixed_case()
    ours = LAMBDAMART(case, 5)
    monkeypatch.setattr(query_lambdas, "COMPILED", None)
    assert LAMBDAMART(case, 5, engine=Engine(splitting)).last == ours.last


def test_queries_of_one_grade_and_queries_without_pairs_change_nothing():
    y, qid = np.array([0, 2, 1, 1, 0, 0, 3]), np.array([5, 5, 1, 1, 2, 2, 9])
    slope, curvature = compute_lambdas(np.zeros(7), y, qid)
    assert (slope != 0).tolist() == (curvature != 0).tolist() == [True, True] + [False] * 5
