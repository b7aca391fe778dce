"""The rankers of McRank Sec. 6, trained and measured on one fold: the columns of Table 1, and LAD beside them."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import partial
from operator import itemgetter
from time import perf_counter
from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed
from tqdm.auto import tqdm

from refrank.arrays import Floats
from refrank.datasets import Fold, LetorData
from refrank.estimators import LADBoostRanker, LambdaRanker, LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.kernel import resolve_threads
from refrank.metrics import PRESETS, ndcg, summarize
from refrank.reproduce.cells import Arrays, CellStore
from refrank.reproduce.run import Reproduction

Name = Literal["ordinal", "classification", "regression", "LambdaRank", "LAD"]
RANKERS: tuple[Name, ...] = ("ordinal", "classification", "regression", "LambdaRank")  # the columns of Table 1
# McRank Sec. 5: "considerably worse than the least-square tree boost"
BESIDE: tuple[Name, ...] = ("LAD",)
BOOSTERS: dict[str, type[Any]] = {
    "ordinal": OrdinalBoostRanker,
    "classification": SoftmaxBoostRanker,
    "regression": LSBoostRanker,
    "LAD": LADBoostRanker,  # McRank Sec. 5: "the LAD boosting tree algorithm"
}
NetName = Literal["LambdaRank", "RankNet"]
# objective, and the share of the learning rate, since RankNet's gradient of a query is that much longer
NETS: dict[NetName, tuple[str, float]] = {"LambdaRank": ("ndcg", 1.0), "RankNet": ("ranknet", 0.1)}
Net = tuple[NetName, int]  # and hidden units
TRUNCATIONS = range(1, 11)  # McRank Sec. 6.4: L
CONVENTION = PRESETS["paper"]


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """Parameters of the boosters (Sec. 6.2) and of LambdaRank's net, for which the paper gives none."""

    n_rounds: int  # M
    n_leaves: int = 10  # J
    learning_rate: float = 0.05  # nu
    n_bins: int = 256  # B
    n_classes: int | None = None  # K; None: the highest training label plus 1
    hidden: tuple[int, ...] = (10, 25, 50, 100)  # hidden units to choose from; this and the rest: LambdaRank's net
    net_learning_rate: float = 0.001
    n_epochs: int = 100
    seed: int = 0

    def describe(self) -> str:
        """Describe the parameters of the boosters."""
        return f"M = {self.n_rounds}, J = {self.n_leaves}, nu = {self.learning_rate}, B = {self.n_bins:,}"

    def describe_in_words(self) -> str:
        """Describe the parameters of the boosters in words, for a reader who does not know their letters."""
        trees = f"{self.n_rounds:,} rounds, trees of {self.n_leaves} leaves, learning rate {self.learning_rate}"
        return f"{trees}, at most {self.n_bins:,} bins per feature"

    def describe_net(self) -> str:
        """Describe the parameters of LambdaRank."""
        units = f"{', '.join(map(str, self.hidden))} hidden units, first learning rate {self.net_learning_rate}"
        return f"{units}, {self.n_epochs} epochs; units and epoch by validation"

    def make_booster(self, name: Name, n_threads: int | None = None) -> Any:
        """Make a booster, without random draws or choices by the validation set (Sec. 6.2)."""
        trees = {"n_rounds": self.n_rounds, "n_leaves": self.n_leaves, "learning_rate": self.learning_rate}
        # Departs from McRank App. I, B = 2^16: 256 in the runs of minutes; --full has the paper's
        bins: dict[str, Any] = {"binning": "app-i", "n_bins": self.n_bins}
        return BOOSTERS[name](**trees, **bins, n_classes=self.n_classes, n_threads=n_threads, verbose=1)

    def make_net(self, hidden: int, name: NetName = "LambdaRank") -> LambdaRanker:
        """Make a net with this number of hidden units."""
        # Paper is silent: on hidden units, learning rate, schedule and epochs
        objective, share = NETS[name]
        rate = share * self.net_learning_rate
        net: dict[str, Any] = {"objective": objective, "learning_rate": rate, "n_epochs": self.n_epochs}
        return LambdaRanker(**net, hidden=hidden, schedule="cost", random_state=self.seed)

    def measure_rankers(self, fold: Fold, run: Reproduction) -> dict[str, Arrays]:
        """Train the rankers that have no cell yet, and return the cells of all; an added one has only test queries."""
        added = {ranker.name: {"test": measure_levels(fold.test, ranker.read(fold))} for ranker in run.added}
        store = self.open_store(fold, run)
        cells = {
            name: store.fetch(f"{fold.name}-{name}", partial(run_cell, self.make_booster(name, run.n_threads), fold))
            for name in tqdm(BOOSTERS, fold.name, unit="cell", disable=None)
        }
        nets = self.measure_nets([("LambdaRank", hidden) for hidden in self.hidden], fold, run)
        cells["LambdaRank"] = choose_hidden({hidden: cell for (_, hidden), cell in nets.items()})
        return {name: cells[name] for name in (*RANKERS, *BESIDE)} | added

    def open_store(self, fold: Fold, run: Reproduction) -> CellStore:
        """Open the cells of a fold, which do not depend on the candidate sizes of LambdaRank's net."""
        setting = {name: value for name, value in asdict(self).items() if name != "hidden"}
        return CellStore(run.folder, fold, setting, CONVENTION)

    def measure_nets(self, nets: Iterable[Net], fold: Fold, run: Reproduction) -> dict[Net, Arrays]:
        """Train the nets that have no cell yet, several in parallel since each has one thread; return all cells."""
        store = self.open_store(fold, run)
        cells = {
            (name, hidden): (f"{fold.name}-{name}-{hidden}", partial(run_cell, self.make_net(hidden, name), fold))
            for name, hidden in sorted(nets, key=itemgetter(1), reverse=True)  # the longest trainings first
        }
        missing = [cell for cell in cells.values() if store.read(store.place(cell[0])) is None]
        at_once = min(resolve_threads(run.n_threads), len(missing)) or 1
        tasks = (delayed(store.fetch)(*cell) for cell in missing)
        side_by_side = Parallel(at_once, return_as="generator")(tasks)
        for _ in tqdm(side_by_side, f"{fold.name}, nets", len(missing), unit="cell", disable=None):
            pass
        return {net: store.fetch(*cell) for net, cell in cells.items()}


def choose_hidden(nets: dict[int, Arrays]) -> Arrays:
    """Return the net of the highest validation NDCG at L = 10, the smallest of equals, and its number of units."""
    hidden = max(sorted(nets), key=lambda units: summarize(nets[units]["valid"][:, -1]).mean)
    return nets[hidden] | {"hidden": np.array(hidden)}


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


def measure_levels(data: LetorData, scores: Floats) -> Floats:
    """Compute the NDCG of each query at each truncation level, (n_queries, 10), by scores of shape (n_samples,)."""
    measure = partial(ndcg, data.y, scores, data.qid, spec=CONVENTION, per_query=True)
    return np.column_stack([measure(k=k) for k in TRUNCATIONS])


def join_queries(cells: list[dict[str, Arrays]], split: Literal["valid", "test"]) -> dict[str, Floats]:
    """Join the queries of all folds: one array of shape (n_queries, 10) per measured ranker."""
    return {name: np.vstack([fold[name][split] for fold in cells]) for name in cells[0] if split in cells[0][name]}


def add_seconds(cells: list[dict[str, Arrays]]) -> dict[str, float]:
    """Add up the training seconds of each ranker over all folds; an added one trained elsewhere."""
    ours = [name for name in cells[0] if "seconds" in cells[0][name]]
    return {name: float(sum(fold[name]["seconds"].sum() for fold in cells)) for name in ours}
