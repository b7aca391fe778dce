"""Real rankings with which the bounds are compared: MQ2008, fold 1, training parts S1 to S3, test part S5."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from refrank import LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.datasets import LetorData, load_folds

MAX_GRADE = 2  # of MQ2008
N_ROUNDS, LEARNING_RATE, N_LEAVES = 100, 0.05, 10


@dataclass(frozen=True)
class Trained:
    """The two parts, and rankers that are trained once, when they are asked for."""

    train: LetorData
    test: LetorData

    @cached_property
    def softmax(self) -> SoftmaxBoostRanker:
        """McRank Alg. 1: `predict_proba(test.X)` are class probabilities, (n_samples, 3)."""
        return SoftmaxBoostRanker(n_rounds=N_ROUNDS, learning_rate=LEARNING_RATE, n_leaves=N_LEAVES).fit(
            self.train.X, self.train.y
        )

    @cached_property
    def ordinal(self) -> OrdinalBoostRanker:
        """McRank Sec. 4: expected relevances, on the scale of the labels."""
        return OrdinalBoostRanker(n_rounds=N_ROUNDS, learning_rate=LEARNING_RATE, n_leaves=N_LEAVES).fit(
            self.train.X, self.train.y
        )

    @cached_property
    def ls_boost(self) -> LSBoostRanker:
        """McRank Alg. 2: predictions of 2^y - 1."""
        return LSBoostRanker(n_rounds=N_ROUNDS, learning_rate=LEARNING_RATE, n_leaves=N_LEAVES).fit(
            self.train.X, self.train.y
        )

    def list_queries(self) -> Iterator[np.ndarray]:
        """Yield the rows of each query of the test part, (n,), in the order of the file."""
        qid = self.test.qid
        starts = np.flatnonzero(np.r_[True, qid[1:] != qid[:-1]])
        yield from np.split(np.arange(len(qid)), starts[1:])


@dataclass(frozen=True)
class Figure:
    """A bound on the test part, one entry per query.

    Parameters
    ----------
    id : str
        Row of `proofs_check`.
    error, bound : array of shape (n_queries,)
        Error (or loss) on the left side of the statement, and its right side.
    largest : array of shape (n_queries,), optional
        Largest error that the labels allow: the bound is informative where it is below. None: it has no such limit.
    """

    id: str
    error: np.ndarray
    bound: np.ndarray
    largest: np.ndarray | None = None

    def __str__(self) -> str:
        """Give the means, their ratio, and the share of informative queries among those with two labels."""
        error, bound = float(self.error.mean()), float(self.bound.mean())
        line = f"{self.id:50} {error:10.4f} {bound:10.4f} {error / bound:8.4f}"
        if self.largest is None:
            return line
        asked = self.largest > 0
        return f"{line} {float((self.bound < self.largest)[asked].mean()):11.1%}"


def collect(lines: list[dict[str, tuple[float, float, float]]]) -> list[Figure]:
    """Build a figure per statement from its error, its bound and its largest error, one dict per query."""
    return [Figure(id, *np.array([line[id] for line in lines]).T) for id in lines[0]]


def read_fold(folder: Path | None = None) -> Trained:
    """Read fold 1 of MQ2008 from a folder, by default `mq2008` in $REFRANK_DATA."""
    if folder is None:
        if "REFRANK_DATA" not in os.environ:
            raise SystemExit("MQ2008 is needed: set REFRANK_DATA to the folder that holds mq2008")
        folder = Path(os.environ["REFRANK_DATA"], "mq2008")
    fold = next(load_folds(folder, n_features=46))
    return Trained(fold.train, fold.test)
