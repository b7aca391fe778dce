"""Made-up results of a bench."""

import numpy as np

from refrank.metrics import parse_measure
from refrank.reproduce.bench.result import BenchResult, Choice

SYSTEMS = ("mcrank", "lambdamart", "lightgbm")


def make_result(values=None, systems=SYSTEMS, n_folds=3, n_rounds=120, measures=("ndcg@10",)):
    """A result of these values, (n_systems, n_queries), by each measure; by default, a system is .05 below the last."""
    values = np.asarray(draw_values(len(systems), 60) if values is None else values, dtype=np.float64)
    n_queries = values.shape[1]
    choice = Choice({"n_leaves": 10, "learning_rate": 0.1}, 4, 0.512, n_rounds)
    return BenchResult(
        "MQ2008",
        tuple(systems),
        tuple(map(parse_measure, measures)),
        tuple(f"Fold{fold + 1}" for fold in range(n_folds)),
        np.sort(np.arange(n_queries) % n_folds),
        tuple(f"q{query}" for query in range(n_queries)),
        dict.fromkeys(measures, values),
        {name: (choice,) * n_folds for name in systems},
    )


def draw_values(n_systems, n_queries, gap=0.05):
    rng = np.random.default_rng(0)
    values = rng.uniform(0.4, 0.7, n_queries) + rng.normal(0, 0.08, (n_systems, n_queries))
    return np.clip(values - gap * np.arange(n_systems)[:, np.newaxis], 0, 1)
