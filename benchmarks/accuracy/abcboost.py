"""Compare McRank's boosting with ABCBoost, a later program of McRank's first author, which you build yourself.

    python -m benchmarks.accuracy.abcboost FOLDER [--data DIR] [--rounds 200] [--bins 64]

FOLDER holds the executables `abcboost_train` and `abcboost_predict`. DIR is a collection of folds, such as MQ2008, of
which the first is used; without it, the data are drawn. Both programs get features that are bin labels already, 1 to
B, so both have the same bins. Options that correspond:

    ABCBoost                      refrank
    -method mart                  Algorithm 1 with simultaneous updates; a cut reduces the squared error
    -method regression            least squares from F = 0
    -J, -v, -iter                 n_leaves, learning_rate, n_rounds
    -tree_min_node_size           min_samples_leaf
    -data_max_n_bins              n_bins
    -tree_clip_value 1e9          Algorithm 1 does not limit the values of leaves (its default: 50)

Between two bins, it cuts in the middle of the empty bins of the node: `cut_at=at_midpoints(X)`. It prints five digits.
Its default for rows in a leaf, 10, is run as well. Its option `abcmart` is another algorithm, which is not in McRank.
"""

import argparse
import subprocess
import tempfile
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.accuracy.agreement import TrainTest, compare_ndcg, describe, label_bins, load_rows
from refrank.igbrt.gbrt import gbrt
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.mcrank.softmax_boosting import softmax, softmax_boosting_simultaneous
from refrank.trees.bins.binning import BinnedFeatures, bin_features
from refrank.trees.bins.cuts import exact
from refrank.trees.engine import default_engine
from refrank.trees.growth.grower import Grower
from refrank.trees.growth.midpoints import CutAt, at_bins, at_midpoints
from refrank.trees.model.ensemble import Ensemble
from refrank.trees.model.tree import Tree

N_LEAVES, RATE = 10, 0.05


def write_rows(path: Path, X: np.ndarray, y: np.ndarray) -> None:
    """Write rows in the format of LIBSVM."""
    lines = [
        f"{label} " + " ".join(f"{f}:{int(value)}" for f, value in enumerate(row, start=1))
        for label, row in zip(y, X, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")


def run_abcboost(
    programs: Path, rows: TrainTest, method: tuple[str, ...], n_rounds: int, n_bins: int, least: int
) -> list[np.ndarray]:
    """Train by a method, with its options, and read the predictions for training and test rows.

    They are class probabilities, or the scores of regression.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name, X, y in (("train", rows.X, rows.y), ("test", rows.X_test, rows.y_test)):
            write_rows(Path(folder, name), X, y)
        call = partial(subprocess.run, cwd=folder, check=True, capture_output=True)
        sizes = ["-J", str(N_LEAVES), "-v", str(RATE), "-iter", str(n_rounds), "-data_max_n_bins", str(n_bins + 1)]
        train = [programs / "abcboost_train", "-method", *method, "-data", "train", *sizes]
        call([*train, "-tree_min_node_size", str(least), "-tree_clip_value", "1e9"])
        [model] = Path(folder).glob("*.model")
        outputs = []
        for name in ("train", "test"):
            call([programs / "abcboost_predict", "-data", name, "-model", model.name, "-save_prob", "1"])
            kind = "prediction" if method[0] == "regression" else "probability"
            [written] = Path(folder).glob(f"{name}_*.{kind}")
            outputs.append(np.loadtxt(written))
        return outputs


def run_refrank(
    binned: BinnedFeatures, rows: TrainTest, method: str, n_rounds: int, least: int, cut_at: CutAt
) -> list[np.ndarray]:
    """Train on the same bins, and predict."""
    grow = Grower(binned, n_leaves=N_LEAVES, min_samples_leaf=least, cut_at=cut_at)
    n_outputs, rounds = 1, []
    if method == "regression":
        rounds = [(turn.tree,) for turn in gbrt(rows.y.astype(np.float64), grow, n_rounds, RATE)]
    else:
        n_outputs = int(rows.y.max()) + 1
        rounds = collect(softmax_boosting_simultaneous(rows.y, n_outputs, grow, n_rounds, RATE))
    model = Ensemble((0.0,) * n_outputs, tuple(rounds), RATE)
    scores = [model.scores(X, binned.engine) for X in (rows.X, rows.X_test)]
    return [output[:, 0] if method == "regression" else softmax(output) for output in scores]


def collect(turns: Iterable[object]) -> list[tuple[Tree, ...]]:
    """List the trees of each round."""
    return [turn.trees for turn in turns]


def main() -> None:
    """Print the largest differences, and NDCG@10 of both."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--bins", type=int, default=64)
    args = parser.parse_args()
    rows = label_bins(load_rows(args.data), args.bins)
    binned = bin_features(rows.X, 65536, exact, engine=default_engine())
    for method in ("mart", "regression"):
        for least in (1, 10):
            theirs = run_abcboost(args.programs.resolve(), rows, (method,), args.rounds, args.bins, least)
            for name, cut_at in (("between bins", at_bins), ("midway", at_midpoints(rows.X))):
                ours = run_refrank(binned, rows, method, args.rounds, least, cut_at)
                ranks = [part if method == "regression" else expected_relevance(part) for part in (ours[1], theirs[1])]
                print(
                    f"{method}, at least {least} rows in a leaf, cuts {name}: {describe(ours, theirs)}; "
                    f"{compare_ndcg(rows, *ranks)}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
