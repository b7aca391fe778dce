"""What the runs on one fold give, and the parameters that its validation set chooses."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from refrank.datasets import LetorData
from refrank.reproduce.cells import Arrays
from refrank.reproduce.igbrt.missing import Comparison


class Statistics(NamedTuple):
    """What Table 2 says of a training or test set."""

    n_features: int
    n_documents: int
    n_queries: int
    missing: float  # share of the entries that no line lists
    missing_or_zero: float


def count_statistics(data: LetorData) -> Statistics:
    """Count what Table 2 counts."""
    absent = np.isnan(data.X)
    return Statistics(
        data.X.shape[1], len(data.y), len(np.unique(data.qid)), absent.mean(), (absent | (data.X == 0)).mean()
    )


class Choice(NamedTuple):
    """The parameters that the validation set chose, and what they reach on the test set."""

    metrics: NDArray[np.float64]  # (3,) ERR, NDCG@10, RMSE
    n_rounds: int
    learning_rate: float


@dataclass(frozen=True, eq=False)
class FoldResults:
    """What one fold gives to the tables, without its rows.

    Parameters
    ----------
    name, convention : str
    statistics : dict from "train" and "test" to Statistics
    forests : dict from a task to arrays
        As `run_forest` returns them, without values.
    boosted : dict from (task, forest size) to a dict from a learning rate to arrays
        As `run_boosting` returns them.
    missing : dict or None, default None
        As `compare_missing` returns it, on one fold only.
    """

    name: str
    convention: str
    statistics: dict[str, Statistics]
    forests: dict[str, Arrays]
    boosted: dict[tuple[str, int], dict[float, Arrays]]
    missing: Comparison | None = None

    def read_forest(self, task: str, size: int) -> Choice:
        """Return what a forest of this size reaches on the test set."""
        forest = self.forests[task]
        return Choice(forest["test"][forest["steps"].tolist().index(size)], 0, 0.0)

    def choose(self, task: str, size: int, at_most: int) -> Choice:
        """Choose learning rate and number of rounds by validation ERR.

        Parameters
        ----------
        task : {"R", "C"}
        size : int
            Trees of the forest that boosting starts from; 0 for GBRT.
        at_most : int
            Rounds.

        Returns
        -------
        Choice
            Of equal ERR, the smaller learning rate, then fewer rounds.
        """
        # iGBRT Sec. 7: "the parameter settings that best performed on the validation sets"
        runs = self.boosted[task, size]
        _, alpha, stage = max(
            (run["valid"][stage, 0], -alpha, -stage)
            for alpha, run in runs.items()
            for stage in np.flatnonzero(run["steps"] <= at_most).tolist()
        )
        run = runs[-alpha]
        return Choice(run["test"][-stage], int(run["steps"][-stage]), -alpha)
