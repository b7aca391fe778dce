"""What the runs on one fold give, and the parameters that its validation set chooses."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from refrank.datasets import Fold
from refrank.reproduce.igbrt_runs import BoostRun, ForestRun


class Chosen(NamedTuple):
    """What a method reaches on the test set, and the parameters that the validation set chose."""

    metrics: NDArray[np.float64]  # (3,) ERR, NDCG@10, RMSE
    n_rounds: int
    learning_rate: float


@dataclass(frozen=True, eq=False)
class FoldResults:
    """What one fold gives to the tables."""

    fold: Fold
    forests: dict[str, ForestRun]  # of each setting
    boosted: dict[tuple[str, int], dict[float, BoostRun]]  # of setting and forest size, by learning rate

    def chosen(self, method: str, setting: str, size: int) -> Chosen:
        """Choose rounds and learning rate by validation ERR, and read off what they give on the test set."""
        forest = self.forests[setting]
        if method == "RF":
            place = forest.sizes.index(size)
            return Chosen(forest.metrics["test"][place], 0, 0.0)
        # iGBRT Sec. 7: "the parameter settings that best performed on the validation sets"
        best = max(
            (
                (run.metrics["valid"][stage, 0], -alpha, -stage)
                for alpha, run in self.boosted[setting, size].items()
                for stage in range(len(run.rounds))
            )
        )
        alpha, stage = -best[1], -best[2]
        run = self.boosted[setting, size][alpha]
        return Chosen(run.metrics["test"][stage], int(run.rounds[stage]), alpha)
