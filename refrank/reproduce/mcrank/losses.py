"""Comparison of losses, targets and updates, where McRank Sec. 6.3 compares two losses with one target each.

McRank's classification ranks by the expected relevance, T(k) = k; its regression learns 2^k - 1. Here each loss has
both targets, and sequential updates (Algorithm 1, line 4) are compared with simultaneous ones.

    cell              arrays, (n_queries,)                            trees of a round
    ordinal           `test k`, `test 2^k-1`: T of Eq. 5              2 or 1 per threshold
    classification    the same                                        1 per class
    regression        the same names: the target of Alg. 2, line 0    1
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from refrank.datasets import Fold
from refrank.estimators import LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.mcrank.expected_relevance import expected_relevance, transform_table
from refrank.metrics import ndcg, paired_test
from refrank.reproduce.cells import Arrays, CellStore
from refrank.reproduce.intervals import compute_difference
from refrank.reproduce.mcrank.rankers import CONVENTION
from refrank.reproduce.mcrank.study_models import N_CLASSES, StudySetting, find_data
from refrank.reproduce.run import Reproduction
from refrank.reproduce.tables import Row, format_mean, format_p_value, write_table

TARGETS = ("k", "2^k-1")
LOSSES: dict[str, tuple[Callable[..., Any], str]] = {
    "ordinal": (OrdinalBoostRanker, "sequential"),
    "classification": (SoftmaxBoostRanker, "sequential"),
    "regression": (LSBoostRanker, "sequential"),
    "ordinal, simultaneous": (OrdinalBoostRanker, "simultaneous"),
    "classification, simultaneous": (SoftmaxBoostRanker, "simultaneous"),
}
PAIRS = (  # what is compared, and (loss, target) of both sides
    ("as printed: classification on k, regression on 2^k-1", ("classification", "k"), ("regression", "2^k-1")),
    ("target alone: regression on k, on 2^k-1", ("regression", "k"), ("regression", "2^k-1")),
    ("target alone: classification by k, by 2^k-1", ("classification", "k"), ("classification", "2^k-1")),
    ("target alone: ordinal by k, by 2^k-1", ("ordinal", "k"), ("ordinal", "2^k-1")),
    ("loss alone, k: classification, regression", ("classification", "k"), ("regression", "k")),
    ("loss alone, k: ordinal, regression", ("ordinal", "k"), ("regression", "k")),
    ("loss alone, 2^k-1: classification, regression", ("classification", "2^k-1"), ("regression", "2^k-1")),
    ("loss alone, 2^k-1: ordinal, regression", ("ordinal", "2^k-1"), ("regression", "2^k-1")),
    ("update: ordinal sequential, simultaneous", ("ordinal", "k"), ("ordinal, simultaneous", "k")),
    ("update: classification likewise", ("classification", "k"), ("classification, simultaneous", "k")),
)
Runs = list[dict[str, Arrays]]  # one per polynomial or fold: loss -> its cell


def run_losses(setting: StudySetting, run: Reproduction) -> Runs:
    """Train each loss on each polynomial or fold that has no cell of it, and return the cells."""
    common: dict[str, Any] = {"binning": "app-i", "n_rounds": setting.n_rounds, "n_threads": run.n_threads}
    common |= {"n_leaves": 10, "learning_rate": 0.05, "n_classes": None if run.data else N_CLASSES, "verbose": 1}
    runs = []
    for fold in find_data(setting, run, setting.seeds):
        store, cells = CellStore(run.folder, fold, {"n_rounds": setting.n_rounds}, CONVENTION), {}
        for name, (ranker, update) in LOSSES.items():
            make = partial(ranker, **common, update=update)
            cells[name] = store.fetch(f"{fold.name}-loss-{name.replace(', ', '-')}", partial(run_loss, make, fold))
        runs.append(cells)
    return runs


def run_loss(make: Callable[..., Any], fold: Fold) -> Arrays:
    """Train one loss, and measure it with both targets; a classifier needs one model, regression one per target."""
    train, test = fold.train, fold.test
    if isinstance(ranker := make(), LSBoostRanker):
        rankers = [make(target=target).fit(train.X, train.y, train.qid) for target in TARGETS]
        scores, models = [fitted.predict(test.X) for fitted in rankers], rankers[:1]
    else:
        proba = ranker.fit(train.X, train.y, train.qid).predict_proba(test.X)
        tables = [transform_table(target, ranker.n_classes_) for target in TARGETS]
        scores, models = [expected_relevance(proba, table) for table in tables], [ranker]
    arrays: Arrays = {"trees": np.array(sum(len(turn) for turn in models[0].model_.rounds))}
    for target, score in zip(TARGETS, scores, strict=True):
        arrays[f"test {target}"] = ndcg(test.y, score, test.qid, 10, CONVENTION, per_query=True)
    return arrays


def write_losses(runs: Runs) -> list[str]:
    """Write each loss with both targets, and the paired differences over the test queries of all runs."""

    def join(loss: str, target: str) -> Any:
        return 100 * np.concatenate([cells[loss][f"test {target}"] for cells in runs])

    rows: list[Row] = [("", ["k", "2^k-1", "trees"])]
    for loss in LOSSES:
        trees = int(np.sum([cells[loss]["trees"] for cells in runs]))
        rows.append((f"  {loss}", [*(format_mean(join(loss, target), 2) for target in TARGETS), f"{trees:,}"]))
    compared: list[Row] = [("", ["difference, interval", "p", "positive in"])]
    for name, *sides in PAIRS:
        a, b = (join(*side) for side in sides)
        ahead = [np.subtract(*(cells[loss][f"test {target}"] for loss, target in sides)).mean() > 0 for cells in runs]
        p_value = format_p_value(paired_test, a, b, "two-sided")
        compared.append((f"  {name}", [str(compute_difference(a, b)), p_value, f"{sum(ahead)} of {len(runs)}"]))
    n_queries = len(join("regression", "k"))
    return [
        f"Sec. 6.3: loss by target, {n_queries:,} test queries of {len(runs)} runs, mean (standard deviation)",
        *write_table(rows, 34, 16),
        "differences, the first minus the second: paired 95% interval, paired t-test two-sided, runs",
        *write_table(compared, 56, 24),
    ]
