"""What the runs on one fold give, and the parameters that its validation set chooses."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from refrank.datasets import LetorData
from refrank.reproduce.igbrt_runs import BoostRun, ForestRun


class Statistics(NamedTuple):
    """What Table 2 says of a training or test set."""

    n_features: int
    n_documents: int
    n_queries: int
    missing: float  # share of the entries that no line lists
    missing_or_zero: float


def statistics(data: LetorData) -> Statistics:
    """Count what Table 2 counts."""
    absent = np.isnan(data.X)
    return Statistics(
        data.X.shape[1], len(data.y), len(np.unique(data.qid)), absent.mean(), (absent | (data.X == 0)).mean()
    )


class Chosen(NamedTuple):
    """What a method reaches on the test set, and the parameters that the validation set chose."""

    metrics: NDArray[np.float64]  # (3,) ERR, NDCG@10, RMSE
    n_rounds: int
    learning_rate: float


@dataclass(frozen=True, eq=False)
class FoldResults:
    """What one fold gives to the tables; its rows are let go."""

    name: str
    convention: str
    statistics: dict[str, Statistics]  # of train and test
    forests: dict[str, ForestRun]  # of each setting
    boosted: dict[tuple[str, int], dict[float, BoostRun]]  # of setting and forest size, by learning rate
    missing: dict[tuple[str, str], tuple[float, ...]] | None = None  # of method and substitute, on one fold only

    def chosen(self, method: str, setting: str, size: int, at_most: int) -> Chosen:
        """Choose learning rate and up to so many rounds by validation ERR; read off what they give on the test set."""
        forest = self.forests[setting]
        if method == "RF":
            place = forest.sizes.index(size)
            return Chosen(forest.metrics["test"][place], 0, 0.0)
        # iGBRT Sec. 7: "the parameter settings that best performed on the validation sets"
        best = max(
            (
                (run.metrics["valid"][stage, 0], -alpha, -stage)
                for alpha, run in self.boosted[setting, size].items()
                for stage in np.flatnonzero(run.rounds <= at_most).tolist()
            )
        )
        alpha, stage = -best[1], -best[2]
        run = self.boosted[setting, size][alpha]
        return Chosen(run.metrics["test"][stage], int(run.rounds[stage]), alpha)
