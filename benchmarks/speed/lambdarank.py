"""Speed of LambdaRank and RankNet on data of the size of McRank Sec. 6.1, in documents per second.

    python -m benchmarks.speed.lambdarank [n_queries]

It uses one thread, 10,000 queries (by default) of 50 documents with 50 features, and 10 hidden units. The last
column is the factor by which the pair-by-pair gradient of `tests/oracles/lambdarank.py` is slower than the one in use,
on 20 queries in the same run. It evaluates the measure twice per pair, and ERR in exact fractions.
"""

import sys
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.side_by_side import take_turns, time_call
from refrank.datasets import cubic_polynomial
from refrank.estimators.lambdarank import choose_gradient
from refrank.mcrank.lambdarank import has_worsened, lambdarank
from refrank.mcrank.two_layer_net import compute_standardization
from tests.oracles import lambdarank as naive

N_DOCS, MAX_GRADE, TRUNCATION = 50, 4, 10
SETTINGS = {"hidden": 10, "learning_rate": 0.001, "decay": 1.0, "n_epochs": 3, "seed": 0}
NAIVE_MEASURES = {"ndcg": partial(naive.ndcg, truncation=TRUNCATION), "err": partial(naive.err, max_grade=MAX_GRADE)}


def compute_naive_gradient(objective: str, scores: list[float], y: list[int]) -> list[float]:
    if objective == "ranknet":
        return naive.lambdas(scores, y, lambda i, j: 1.0)
    measure = NAIVE_MEASURES[objective]
    return naive.lambdas(scores, y, lambda i, j: abs(float(naive.swap_change(scores, y, i, j, measure))))


def measure_gradient_ratio(objective: str, y: np.ndarray) -> float:
    """Divide the seconds of the pair-by-pair gradient by those of the one in use, on the first 20 queries."""
    gradient = choose_gradient(objective, TRUNCATION, MAX_GRADE)
    queries = y[: 20 * N_DOCS].reshape(20, N_DOCS)
    scores = np.random.default_rng(0).normal(size=queries.shape)
    fast = take_turns(20, lambda: [gradient(s, grades) for s, grades in zip(scores, queries, strict=True)]).min()
    listed = list(zip(scores.tolist(), queries.tolist(), strict=True))
    slow, _ = time_call(lambda: [compute_naive_gradient(objective, s, grades) for s, grades in listed])
    return slow / fast


def main(n_queries: int) -> None:
    data = cubic_polynomial(n_queries, N_DOCS)
    X, y = data.X.astype(np.float64), data.y.astype(np.intp)
    print(f"{n_queries:,} queries x {N_DOCS} documents x {X.shape[1]} features, one thread")
    print(f"standardisation, once: {time_call(compute_standardization, X)[0]:.2f} s")
    print(f"{'objective':9}  {'s/epoch':>8}  {'documents/s':>12}  {'pair by pair':>12}")
    for objective in ("ranknet", "ndcg", "err"):
        gradient = choose_gradient(objective, TRUNCATION, MAX_GRADE)
        epochs = lambdarank(X, y, data.qid, gradient, shrinks=has_worsened, **SETTINGS)
        next(epochs)  # with the standardisation
        best = take_turns(SETTINGS["n_epochs"] - 1, partial(next, epochs)).min()
        print(f"{objective:9}  {best:8.2f}  {len(y) / best:12,.0f}  {measure_gradient_ratio(objective, y):10.0f} x")


if __name__ == "__main__":
    with threadpool_limits(1, user_api="blas"):
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
