"""Compare GBRT and iGBRT with RT-Rank 1.5, the program of the paper's authors, which you build yourself.

    python -m benchmarks.accuracy.rt_rank PROGRAM [--data DIR] [--folds 2] [--rounds 100]

PROGRAM is the executable `rtrank`. DIR holds the folds of a collection, such as MQ2008; without it, the data are drawn.
Both programs learn from the same rows and score the same rows. Options that correspond:

    RT-Rank          refrank
    -d d             max_depth = d - 1: it counts the root
    -z               a feature that is absent, or 0, is stored as -99999999
    exact cuts       binning="exact", cut_at="midpoint"
    F = 0            initial="zero"

It prints six digits. GBRT runs in one call, without and with weights. For iGBRT, a process fits one tree per round to
the targets that it receives, as in the authors' script, and starts from the scores of refrank's forest. RT-Rank's own
forest draws other rows and features in each run, so only its quality can be compared.
"""

import argparse
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from refrank import GBRTRanker, IGBRTRanker, RandomForestRanker
from refrank.datasets import cubic_polynomial, load_folds
from refrank.metrics import err, ndcg

MISSING = -99999999.0
RATE, DEPTH = 0.1, 4  # -a and -d
MIDWAY = {"binning": "exact", "cut_at": "midpoint"}
Scores = tuple[np.ndarray, np.ndarray]  # of training rows, and of test rows


@dataclass(frozen=True)
class Data:
    """Training and test rows."""

    name: str
    X: np.ndarray  # (n_samples, n_features), float64
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    qid_test: np.ndarray

    def score(self, ranker: Any) -> Scores:
        """Score both parts with a ranker that is fitted here."""
        return tuple(ranker.predict(mark_missing(X)) for X in (self.X, self.X_test))

    def fit(self, ranker: Any, weight: np.ndarray | None = None) -> Scores:
        """Fit a ranker to the rows as RT-Rank stores them, and score both parts."""
        return self.score(ranker.fit(mark_missing(self.X), self.y, sample_weight=weight))


def mark_missing(X: np.ndarray) -> np.ndarray:
    """Return X as RT-Rank holds it with -z."""
    return np.where(X == 0, MISSING, X)


def list_data(folder: Path | None, n_folds: int) -> Iterator[Data]:
    """Yield folds of a collection; without one, McRank's artificial data with a third of the features left out."""
    if folder is not None:
        for number, fold in zip(range(1, n_folds + 1), load_folds(folder, dtype=np.float64), strict=False):
            train, test = fold.train, fold.test
            yield Data(f"{folder.name} fold {number}", train.X, train.y, test.X, test.y, test.qid)
        return
    train, test = (cubic_polynomial(n, random_state=seed) for n, seed in ((60, 0), (60, 1)))
    rows = [(part.X.astype(np.float64) + 1).round(3) for part in (train, test)]
    holes = [np.random.default_rng(len(part)).random(part.shape) < 1 / 3 for part in rows]
    X, X_test = (np.where(hole, 0.0, part) for hole, part in zip(holes, rows, strict=True))
    yield Data("artificial", X, train.y, X_test, test.y, test.qid)


def write_rows(path: Path, X: np.ndarray, y: np.ndarray) -> None:
    """Write rows in the format of SVMlight, with all digits; zeros are left out."""
    lines = []
    for label, row in zip(y.tolist(), X.tolist(), strict=True):
        features = " ".join(f"{f}:{value!r}" for f, value in enumerate(row, start=1) if value)
        lines.append(f"{label} qid:1 {features}\n")
    path.write_text("".join(lines))


class RTRank:
    """The program, working on the files of one data set."""

    def __init__(self, program: Path, data: Data, folder: Path) -> None:
        self.data, self.folder = data, folder
        self.train, self.test = folder / "train.txt", folder / "test.txt"
        write_rows(self.train, data.X, data.y)
        write_rows(self.test, data.X_test, data.y_test)
        self.call = [str(program.resolve()), "-f", str(data.X.shape[1]), "-z"]

    def run(self, *options: str, sent: np.ndarray | None = None) -> Scores:
        """Train in one call; `sent` goes to its input."""
        outputs = [self.folder / "train.out", self.folder / "test.out"]
        files = [self.train, self.train, outputs[0], self.test, outputs[1]]  # the training rows are tested, too
        text = None if sent is None else "\n".join(map(repr, sent.tolist()))
        command = [*self.call, *options, *map(str, files)]
        subprocess.run(command, input=text, text=True, check=True, capture_output=True)
        return tuple(np.array([line.split()[0] for line in path.open()], np.float64) for path in outputs)

    def boost_from(self, start: Scores, n_rounds: int) -> Scores:
        """Send the residuals of each round, read the predictions of its tree."""
        scores = np.concatenate(start)
        command = [*self.call, "-R", "-d", str(DEPTH), "-r", str(n_rounds)]
        command += [str(self.train), str(self.test), "/dev/null"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        with subprocess.Popen(command, text=True, **pipes) as process:
            for _ in range(n_rounds):
                residual = self.data.y - scores[: len(self.data.y)]
                process.stdin.write("".join(f"{value!r}\n" for value in residual.tolist()))
                process.stdin.flush()
                scores += RATE * np.array([process.stdout.readline() for _ in scores], np.float64)
        return scores[: len(self.data.y)], scores[len(self.data.y) :]


def describe(ours: Scores, theirs: Scores) -> str:
    """Describe the largest differences of the scores."""
    train, test = (np.abs(own - peer) for own, peer in zip(ours, theirs, strict=True))
    beyond = np.mean(test > 1e-4)
    return f"training rows {train.max():.1e}, test rows {test.max():.1e}, {beyond:.2%} of them by more than 1e-4"


def measure(data: Data, scores: np.ndarray) -> str:
    """Compute mean NDCG@10 and ERR of the test rows."""
    args = data.y_test, scores, data.qid_test
    return f"NDCG@10 {ndcg(*args):.4f}, ERR {err(*args, max_grade=int(data.y.max())):.4f}"


def compare(program: Path, data: Data, n_rounds: int, n_trees: int) -> None:
    """Print the largest differences, and the quality of both forests."""
    boosting = {"max_depth": DEPTH - 1, "learning_rate": RATE, "n_rounds": n_rounds}
    weight = np.random.default_rng(0).choice([0.5, 1.0, 3.0], len(data.y))
    with tempfile.TemporaryDirectory() as folder:
        rt_rank = RTRank(program, data, Path(folder))
        call = ["-B", "-d", str(DEPTH), "-a", str(RATE), "-t", str(n_rounds)]
        plain, weighted = rt_rank.run(*call), rt_rank.run(*call, "-w", sent=weight)
        for name, cuts in (("exact bins", {"binning": "exact"}), ("midway", MIDWAY)):
            ranker = GBRTRanker(**boosting, **cuts)
            print(f"{data.name}, GBRT, {name}: {describe(data.fit(ranker), plain)}")
            print(f"{data.name}, GBRT with weights, {name}: {describe(data.fit(ranker, weight), weighted)}", flush=True)
        ours = IGBRTRanker(**boosting, **MIDWAY, n_trees=n_trees)
        scores = data.fit(ours)
        forest = data.fit(RandomForestRanker(**MIDWAY, n_trees=n_trees))  # the same one: it has the same seed
        print(f"{data.name}, iGBRT, midway: {describe(scores, rt_rank.boost_from(forest, n_rounds))}", flush=True)
        n_candidates = max(1, int(0.1 * data.X.shape[1]))
        _, theirs = rt_rank.run("-F", "-t", str(n_trees), "-k", str(n_candidates))
        print(f"{data.name}, forests: {measure(data, forest[1])}; RT-Rank's {measure(data, theirs)}", flush=True)


def main() -> None:
    """Compare on each data set."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--folds", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--trees", type=int, default=100)
    args = parser.parse_args()
    for data in list_data(args.data, args.folds):
        compare(args.program, data, args.rounds, args.trees)


if __name__ == "__main__":
    main()
