"""Compare boosting with LightGBM on the same bins, leaf by leaf, without regularisation.

    python -m benchmarks.accuracy.lightgbm_bins [--data DIR] [--rounds 100] [--bins 64]

DIR is a collection of folds, such as MQ2008, of which the first is used; without it, the data are drawn. Features are
bin labels, from which LightGBM makes the same bins. Leaves, learning rate, rounds, at least one row per leaf, the start
at 0 and the steps of the leaves are equal. In regression, both choose the cut that reduces the squared error most;
LightGBM holds gradients in float32. In classification, LightGBM chooses cuts by Newton's gain, and McRank by the
squared error of the residuals, so only the quality is compared.
"""

import argparse
from pathlib import Path

import lightgbm
import numpy as np

from benchmarks.accuracy.agreement import TrainTest, compare_ndcg, describe, label_bins, load_rows
from refrank import SoftmaxBoostRanker
from refrank.igbrt.gbrt import gbrt
from refrank.trees.bins.binning import bin_features
from refrank.trees.bins.cuts import exact
from refrank.trees.engine import default_engine
from refrank.trees.growth.grower import Grower
from refrank.trees.model.ensemble import Ensemble

N_LEAVES, RATE = 10, 0.05
EQUAL = {
    "num_leaves": N_LEAVES,
    "learning_rate": RATE,
    "max_bin": 255,
    "min_data_in_bin": 1,
    "min_data_in_leaf": 1,
    "min_sum_hessian_in_leaf": 0.0,
    "lambda_l1": 0.0,
    "lambda_l2": 0.0,
    "feature_pre_filter": False,
    "boost_from_average": False,
    "deterministic": True,
    "force_col_wise": True,
    "verbose": -1,
}


def train_lightgbm(rows: TrainTest, n_rounds: int, **objective: object) -> lightgbm.Booster:
    """Train on the bin labels."""
    parameters = EQUAL | objective
    return lightgbm.train(parameters, lightgbm.Dataset(rows.X, rows.y, params=parameters), n_rounds)


def compare_regression(rows: TrainTest, n_rounds: int) -> None:
    """Print how far the scores differ after the first round, and after all."""
    booster = train_lightgbm(rows, n_rounds, objective="regression")
    binned = bin_features(rows.X, 256, exact, engine=default_engine())
    turns = gbrt(rows.y.astype(np.float64), Grower(binned, n_leaves=N_LEAVES), n_rounds, RATE)
    trees = [(turn.tree,) for turn in turns]
    for n in (1, 10, n_rounds):
        model = Ensemble((0.0,), tuple(trees[:n]), RATE)
        train, test = (model.scores(X, binned.engine)[:, 0] for X in (rows.X, rows.X_test))
        theirs = booster.predict(rows.X, num_iteration=n), booster.predict(rows.X_test, num_iteration=n)
        quality = compare_ndcg(rows, test, theirs[1])
        print(f"regression, {n} rounds: {describe((train, test), theirs)}; {quality}", flush=True)


def compare_classification(rows: TrainTest, n_rounds: int) -> None:
    """Print the quality of both, by expected relevance."""
    n_classes = int(rows.y.max()) + 1
    booster = train_lightgbm(rows, n_rounds, objective="multiclass", num_class=n_classes)
    theirs = booster.predict(rows.X_test) @ np.arange(n_classes)
    sizes = {"n_rounds": n_rounds, "n_leaves": N_LEAVES, "learning_rate": RATE}
    ours = SoftmaxBoostRanker(**sizes, binning="exact", update="simultaneous").fit(rows.X, rows.y)
    print(f"classification, {n_rounds} rounds: {compare_ndcg(rows, ours.predict(rows.X_test), theirs)}", flush=True)


def main() -> None:
    """Compare both."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--bins", type=int, default=64)
    args = parser.parse_args()
    rows = label_bins(load_rows(args.data), args.bins)
    compare_regression(rows, args.rounds)
    compare_classification(rows, args.rounds)


if __name__ == "__main__":
    main()
