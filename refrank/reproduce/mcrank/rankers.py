"""The rankers of McRank Sec. 6, trained and measured on one fold: the columns of Table 1, and LAD beside them."""

from dataclasses import asdict, dataclass
from functools import partial
from time import perf_counter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from tqdm.auto import tqdm

from refrank.datasets import Fold, LetorData
from refrank.estimators import LADBoostRanker, LambdaRanker, LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.metrics import PRESETS, ndcg
from refrank.reproduce.cells import Arrays, CellStore
from refrank.reproduce.run import Run

Name = Literal["ordinal", "classification", "regression", "LambdaRank", "LAD"]
RANKERS: tuple[Name, ...] = ("ordinal", "classification", "regression", "LambdaRank")  # the columns of Table 1
# McRank Sec. 5: "considerably worse than the least-square tree boost"
BESIDE: tuple[Name, ...] = ("LAD",)
BOOSTERS: dict[str, type[Any]] = {
    "ordinal": OrdinalBoostRanker,
    "classification": SoftmaxBoostRanker,
    "regression": LSBoostRanker,
    "LAD": LADBoostRanker,
}
TRUNCATIONS = range(1, 11)  # L
CONVENTION = PRESETS["paper"]


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """Parameters of the boosters (Sec. 6.2) and of LambdaRank's net, for which the paper gives none."""

    n_rounds: int  # M
    n_leaves: int = 10  # J
    learning_rate: float = 0.05  # nu
    n_bins: int = 256  # B
    n_classes: int | None = None  # K; None: the highest training label plus 1
    hidden: int = 10  # and the others: of LambdaRank's net
    net_learning_rate: float = 0.001
    n_epochs: int = 100
    seed: int = 0

    def describe(self) -> str:
        """Describe the parameters of the boosters."""
        return f"M = {self.n_rounds}, J = {self.n_leaves}, nu = {self.learning_rate}, B = {self.n_bins:,}"

    def describe_net(self) -> str:
        """Describe the parameters of LambdaRank."""
        units = f"{self.hidden} hidden units, first learning rate {self.net_learning_rate}"
        return f"{units}, {self.n_epochs} epochs, the best of them by validation"

    def make_ranker(self, name: Name, n_threads: int | None = None) -> Any:
        """Make a ranker. Of a booster, nothing is drawn or chosen by the validation set (Sec. 6.2)."""
        if name == "LambdaRank":
            # Paper is silent: on hidden units, learning rate and epochs; these are the defaults of `LambdaRanker`.
            net: dict[str, Any] = {"hidden": self.hidden, "learning_rate": self.net_learning_rate}
            return LambdaRanker(**net, n_epochs=self.n_epochs, random_state=self.seed, verbose=1)
        trees = {"n_rounds": self.n_rounds, "n_leaves": self.n_leaves, "learning_rate": self.learning_rate}
        # Departs from McRank App. I, B = 2^16: 256 in the runs of minutes; --full has the paper's
        bins: dict[str, Any] = {"binning": "app-i", "n_bins": self.n_bins}
        return BOOSTERS[name](**trees, **bins, n_classes=self.n_classes, n_threads=n_threads, verbose=1)

    def measure_rankers(self, fold: Fold, run: Run) -> dict[str, Arrays]:
        """Train the rankers that have no cell yet, and return the cells of all; an added one has test queries only."""
        added = {one.name: {"test": measure_levels(fold.test, one.read(fold))} for one in run.added}
        store = CellStore(run.folder, fold, asdict(self), CONVENTION)
        return {
            name: store.fetch(f"{fold.name}-{name}", partial(run_cell, self.make_ranker(name, run.n_threads), fold))
            for name in tqdm((*RANKERS, *BESIDE), fold.name, unit="cell", disable=None)
        } | added


def run_cell(ranker: Any, fold: Fold) -> Arrays:
    """Train one ranker, and measure it: its cell.

    array          shape
    valid, test    (n_queries, 10)    NDCG@1, ..., NDCG@10 of each query
    seconds        (1,)               of training
    """
    valid, cell = fold.valid, {}
    held_out = {"X_val": valid.X, "y_val": valid.y, "qid_val": valid.qid} if isinstance(ranker, LambdaRanker) else {}
    start = perf_counter()
    ranker.fit(fold.train.X, fold.train.y, fold.train.qid, **held_out)
    cell["seconds"] = np.array([perf_counter() - start])
    for split, data in (("valid", valid), ("test", fold.test)):
        cell[split] = measure_levels(data, ranker.predict(data.X))
    return cell


def measure_levels(data: LetorData, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the NDCG of each query at each truncation level, (n_queries, 10), by scores of shape (n_samples,)."""
    measure = partial(ndcg, data.y, scores, data.qid, spec=CONVENTION, per_query=True)
    return np.column_stack([measure(k=k) for k in TRUNCATIONS])


def join_queries(cells: list[dict[str, Arrays]], split: Literal["valid", "test"]) -> dict[str, NDArray[np.float64]]:
    """Join the queries of all folds: for each ranker that was measured there, an array of shape (n_queries, 10)."""
    return {name: np.vstack([fold[name][split] for fold in cells]) for name in cells[0] if split in cells[0][name]}


def add_seconds(cells: list[dict[str, Arrays]]) -> dict[str, float]:
    """Add up the seconds that each ranker trained in all folds; an added one trained elsewhere."""
    ours = [name for name in cells[0] if "seconds" in cells[0][name]]
    return {name: float(sum(fold[name]["seconds"].sum() for fold in cells)) for name in ours}
