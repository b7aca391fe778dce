"""Compare trees, forests and boosting with scikit-learn's, which cut exactly, or at equal bins.

    python -m benchmarks.accuracy.scikit_learn [--data DIR] [--rounds 100]

DIR is a collection of folds, such as MQ2008, of which the first is taken; without it, the data are drawn. Both sides
learn from the same rows, whose features are rounded to float32, as scikit-learn's trees hold them. Models that
correspond:

    scikit-learn                              refrank
    DecisionTreeRegressor(max_depth)          a round of GBRT with learning_rate=1
    the same, with sample_weight              the same, with weights
    GradientBoostingRegressor(init="zero")    GBRTRanker
    DecisionTreeRegressor on a bootstrap      a tree of RandomForestRanker, of the same rows and all features
    RandomForestRegressor                     RandomForestRanker; draws of its own: only the quality is compared
    HistGradientBoostingRegressor             Algorithm 2 with leaves instead of a depth, on bin labels

refrank has binning="exact" and cut_at="midpoint", except in the last line. Where two cuts gain the same, scikit-learn
takes the feature that it drew first, so such rows differ. Its HistGradientBoosting sums gradients in float32.
"""

import argparse
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

from benchmarks.accuracy.agreement import Scores, TrainTest, compare_ndcg, describe, label_bins, load_rows
from refrank import GBRTRanker, RandomForestRanker
from refrank.igbrt.gbrt import gbrt
from refrank.igbrt.random_forest import bootstrap_counts
from refrank.trees.bins.binning import bin_features
from refrank.trees.bins.cuts import exact
from refrank.trees.engine import default_engine
from refrank.trees.growth.forest_growth import grow_forest_tree
from refrank.trees.growth.grower import Grower
from refrank.trees.growth.midpoints import at_midpoints
from refrank.trees.model.ensemble import Ensemble

DEPTH, N_LEAVES, RATE = 4, 10, 0.1
MIDWAY: dict[str, Any] = {"binning": "exact", "cut_at": "midpoint"}


def fit(model: Any, rows: TrainTest, weight: np.ndarray | None = None) -> Scores:
    """Fit a model of either side, and score training and test rows."""
    model.fit(rows.X, rows.y, sample_weight=weight)
    return model.predict(rows.X), model.predict(rows.X_test)


def compare_trees(rows: TrainTest, n_rounds: int) -> None:
    """Print how far exact trees and boosting differ, without weights and with them."""
    weight = np.random.default_rng(0).choice([0.5, 1.0, 3.0], len(rows.y))
    for name, used in (("", None), (" with weights", weight)):
        for depth in (1, DEPTH, 8):
            ours = fit(GBRTRanker(n_rounds=1, max_depth=depth, learning_rate=1.0, **MIDWAY), rows, used)
            theirs = fit(DecisionTreeRegressor(max_depth=depth, random_state=0), rows, used)
            print(f"a tree of depth {depth}{name}: {describe(ours, theirs)}")
        ours = fit(GBRTRanker(n_rounds=n_rounds, max_depth=DEPTH, learning_rate=RATE, **MIDWAY), rows, used)
        peer = partial(GradientBoostingRegressor, init="zero", random_state=0)
        theirs = fit(peer(n_estimators=n_rounds, max_depth=DEPTH, learning_rate=RATE), rows, used)
        quality = compare_ndcg(rows, ours[1], theirs[1])
        print(f"GBRT, {n_rounds} rounds{name}: {describe(ours, theirs)}; {quality}", flush=True)


def compare_forests(rows: TrainTest, n_trees: int) -> None:
    """Print how far trees on the rows of a bootstrap differ, and the quality of whole forests."""
    binned, n_features = bin_features(rows.X, 65536, exact, engine=default_engine()), rows.X.shape[1]
    for depth in (DEPTH, 8):
        counts, limits = bootstrap_counts(0, 0, len(rows.y)), {"n_candidates": n_features, "key": 0, "max_depth": depth}
        tree = grow_forest_tree(binned, rows.y * 1.0, None, counts, **limits, cut_at=at_midpoints(rows.X))
        scores = [Ensemble((0.0,), ((tree,),), 1.0).scores(X, binned.engine)[:, 0] for X in (rows.X, rows.X_test)]
        drawn = fit(DecisionTreeRegressor(max_depth=depth, random_state=0), rows, counts.astype(np.float64))
        print(f"a tree of depth {depth} on a bootstrap: {describe((scores[0], scores[1]), drawn)}")
    ours = fit(RandomForestRanker(n_trees=n_trees, max_features=1 / 3, **MIDWAY), rows)
    theirs = fit(RandomForestRegressor(n_trees, max_features=1 / 3, random_state=0, n_jobs=-1), rows)
    print(f"forests of {n_trees} full trees: {compare_ndcg(rows, ours[1], theirs[1])}", flush=True)


def compare_histograms(rows: TrainTest, n_rounds: int, n_bins: int = 64) -> None:
    """Print how far boosting on the same bins differs."""
    labelled = label_bins(rows, n_bins)
    binned = bin_features(labelled.X, 256, exact, engine=default_engine())
    start = float(np.mean(rows.y))
    turns = gbrt(rows.y - start, Grower(binned, n_leaves=N_LEAVES), n_rounds, RATE)
    model = Ensemble((start,), tuple((turn.tree,) for turn in turns), RATE)
    train, test = (model.scores(X, binned.engine)[:, 0] for X in (labelled.X, labelled.X_test))
    sizes = {"max_iter": n_rounds, "max_leaf_nodes": N_LEAVES, "learning_rate": RATE, "min_samples_leaf": 1}
    theirs = fit(HistGradientBoostingRegressor(**sizes, max_bins=255, early_stopping=False), labelled)
    quality = compare_ndcg(rows, test, theirs[1])
    print(f"histograms of {n_bins} bins, {n_rounds} rounds: {describe((train, test), theirs)}; {quality}")


def main() -> None:
    """Compare everything."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--rounds", type=int, default=100)
    args = parser.parse_args()
    rows = load_rows(args.data)
    X, X_test = (part.astype(np.float32).astype(np.float64) for part in (rows.X, rows.X_test))
    rows = TrainTest(X, rows.y, X_test, rows.y_test, rows.qid_test)
    compare_trees(rows, args.rounds)
    compare_forests(rows, args.rounds)
    compare_histograms(rows, args.rounds)


if __name__ == "__main__":
    main()
