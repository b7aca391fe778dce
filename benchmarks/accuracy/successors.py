"""Compare McRank's successors and LambdaMART with LightGBM, XGBoost and ABCBoost, at equal parameters.

    python -m benchmarks.accuracy.successors DATA [--abcboost FOLDER] [--rounds 200]

DATA is a collection of folds, such as MQ2008; one file, whose queries are parted into six, each ranked by what the
other five train, such as a sample of MSLR; or "heavy-tailed", four training sets of 1,000 queries of
`make_heavy_tailed_fold`, seeds 0 to 3, with 1,000 test queries each. FOLDER holds ABCBoost's executables, which you
build yourself; without it, its rows are left out.

All train on the training part of each fold, and rank its test part: NDCG@10 of each test query, by the convention
"paper". J = 10, nu = .05, no least number of rows or weight in a leaf, NDCG at 10, 256 bins. `lambdarank` and
`rank:ndcg` keep their normalisation, except where a row says so; `rank:ndcg` has lambdarank_pair_method="topk".
LightGBM needs 1e-9 of weight in a leaf, or it may end with an error.
ABCBoost's own bins have equal lengths, so it gets the labels of bins that end at quantiles; its base class is searched
in each round (-gap 0), among all classes ("best", -search 0) or the one of largest loss ("worst", -search 1).

Prints a table in Markdown: the mean over all test queries in percent, and its difference from the rival that a row
names, with a paired 95% interval over the queries. docs/learn/successors.md holds it.
"""

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy.abcboost import run_abcboost
from benchmarks.accuracy.agreement import TrainTest, label_bins
from refrank import ABCLogitBoostRanker, LambdaMARTRanker, RobustLogitBoostRanker, SoftmaxBoostRanker
from refrank.datasets import Fold, load_folds, load_letor
from refrank.datasets.held_out import take_rows
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.metrics import ndcg
from refrank.reproduce.artificial import make_heavy_tailed_fold
from refrank.reproduce.intervals import compute_difference

J, NU, L, N_BINS = 10, 0.05, 10, 256
N_SETS, N_QUERIES = 4, (1_000, 1, 1_000)  # of the heavy-tailed data: training, validation and test
N_PARTS = 6  # of a single file
Rank = Callable[[Any, Any, int], np.ndarray]  # (training part, test part, rounds) -> scores of the test rows


def load_data(data: str) -> Iterator[Fold]:
    """Load the folds of a collection, part a file by its queries, or draw the heavy-tailed data."""
    if data == "heavy-tailed":
        yield from (make_heavy_tailed_fold(N_QUERIES, seed) for seed in range(N_SETS))
    elif Path(data).is_dir():
        yield from load_folds(data)
    else:
        rows = load_letor(data)
        part = np.unique(rows.qid, return_inverse=True)[1] % N_PARTS
        for tested in range(N_PARTS):
            train, test = take_rows(rows, part != tested), take_rows(rows, part == tested)
            yield Fold(f"part {tested}", train, test, test)


def rank_with(Ranker: Any, train: Any, test: Any, n_rounds: int, **parameters: Any) -> np.ndarray:
    """Train one of refrank's rankers."""
    ranker = Ranker(n_rounds=n_rounds, n_leaves=J, learning_rate=NU, n_bins=N_BINS, **parameters)
    return ranker.fit(train.X, train.y, train.qid).predict(test.X)


def rank_with_lightgbm(train: Any, test: Any, n_rounds: int, **parameters: Any) -> np.ndarray:
    """Train LightGBM's lambdarank."""
    import lightgbm

    sizes = np.diff(np.flatnonzero(np.append(True, train.qid[1:] != train.qid[:-1])), append=len(train.y))
    given: dict[str, Any] = {
        "num_leaves": J,
        "learning_rate": NU,
        "max_bin": N_BINS - 1,
        "lambdarank_truncation_level": L,
    }
    given |= {"min_data_in_leaf": 1, "min_sum_hessian_in_leaf": 1e-9, "verbose": -1, "objective": "lambdarank"}
    data = lightgbm.Dataset(train.X, train.y, group=sizes)
    return np.asarray(lightgbm.train(given | parameters, data, n_rounds).predict(test.X))


def rank_with_xgboost(train: Any, test: Any, n_rounds: int, **parameters: Any) -> np.ndarray:
    """Train XGBoost's rank:ndcg."""
    import xgboost

    given: dict[str, Any] = {
        "max_leaves": J,
        "max_depth": 0,
        "grow_policy": "lossguide",
        "learning_rate": NU,
        "max_bin": N_BINS,
    }
    given |= {"tree_method": "hist", "min_child_weight": 0.0, "reg_lambda": 0.0, "objective": "rank:ndcg"}
    given |= {"lambdarank_pair_method": "topk", "lambdarank_num_pair_per_sample": L}
    qid = np.unique(train.qid, return_inverse=True)[1]
    order = np.argsort(qid, kind="stable")
    data = xgboost.DMatrix(train.X[order], train.y[order], qid=qid[order])
    return xgboost.train(given | parameters, data, n_rounds).predict(xgboost.DMatrix(test.X))


def rank_with_abcboost(
    train: Any, test: Any, n_rounds: int, *, programs: Path, method: str, search: tuple[str, ...] = ()
) -> np.ndarray:
    """Train ABCBoost on the labels of bins, and rank by the expected grade."""
    rows = label_bins(TrainTest(train.X, train.y, test.X, test.y, test.qid), N_BINS)
    return expected_relevance(run_abcboost(programs, rows, (method, *search), n_rounds, N_BINS, least=1)[1])


def list_systems(programs: Path | None) -> dict[str, tuple[Rank, str | None]]:
    """Name each system, with what ranks, and the system that it is compared with."""
    simultaneous: dict[str, Any] = {"update": "simultaneous"}
    systems: dict[str, tuple[Any, str | None]] = {
        "refrank lambdamart": (partial(rank_with, LambdaMARTRanker, truncation=L), None),
        "LightGBM lambdarank": (rank_with_lightgbm, "refrank lambdamart"),
        "LightGBM lambdarank, not normalised": (
            partial(rank_with_lightgbm, lambdarank_norm=False),
            "refrank lambdamart",
        ),
        "XGBoost rank:ndcg": (rank_with_xgboost, "refrank lambdamart"),
        "refrank softmax, simultaneous": (partial(rank_with, SoftmaxBoostRanker, **simultaneous), None),
        "refrank robust-logitboost": (partial(rank_with, RobustLogitBoostRanker), "refrank softmax, simultaneous"),
        "refrank abc-logitboost, worst": (
            partial(rank_with, ABCLogitBoostRanker, base_class="worst"),
            "refrank robust-logitboost",
        ),
        "refrank abc-logitboost, best": (
            partial(rank_with, ABCLogitBoostRanker, base_class="best"),
            "refrank robust-logitboost",
        ),
    }
    if programs is not None:
        abcboost: Any = partial(rank_with_abcboost, programs=programs.resolve())
        for base, size in (("worst", "1"), ("best", "0")):
            rank = partial(abcboost, method="abcrobustlogit", search=("-search", size, "-gap", "0"))
            systems[f"ABCBoost abcrobustlogit, {base}"] = rank, f"refrank abc-logitboost, {base}"
        systems["ABCBoost robustlogit"] = partial(abcboost, method="robustlogit"), "refrank robust-logitboost"
        systems["ABCBoost mart"] = partial(abcboost, method="mart"), "refrank softmax, simultaneous"
    return systems


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--abcboost", type=Path, help="the folder of abcboost_train and abcboost_predict")
    parser.add_argument("--rounds", type=int, default=200)
    options = parser.parse_args()
    folds = [*load_data(options.data)]
    measured: dict[str, np.ndarray] = {}
    print("| system | NDCG@10 | beside | difference, 95% |\n|---|---|---|---|")
    for name, (rank, rival) in list_systems(options.abcboost).items():
        ranked = [(fold.test, rank(fold.train, fold.test, options.rounds)) for fold in folds]
        values = [ndcg(test.y, scores, test.qid, per_query=True) for test, scores in ranked]
        measured[name] = 100.0 * np.concatenate(values)
        cells = ["", ""] if rival is None else [rival, str(compute_difference(measured[name], measured[rival]))]
        print("|", " | ".join([name, f"{measured[name].mean():.2f}", *cells]), "|", flush=True)


if __name__ == "__main__":
    main()
