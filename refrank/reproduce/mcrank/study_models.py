"""The models of McRank's side studies: multiple classification (Algorithm 1), one model per cell."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import product, starmap
from typing import Any

import numpy as np
from tqdm.auto import tqdm

from refrank.datasets import Fold
from refrank.estimators import SoftmaxBoostRanker
from refrank.mcrank.expected_relevance import expected_relevance, transform_table
from refrank.mcrank.softmax_boosting import softmax
from refrank.metrics import ndcg
from refrank.metrics.spec import Ties
from refrank.reproduce.artificial import make_artificial_fold
from refrank.reproduce.cells import Arrays, CellStore
from refrank.reproduce.mcrank.rankers import CONVENTION
from refrank.reproduce.run import Reproduction, get_splits
from refrank.trees.bins.binning import bin_features
from refrank.trees.bins.cuts import APP_I
from refrank.trees.engine import default_engine

SCORINGS = ("k", "2^k-1", "2^k")  # T of Eq. 5
TIES: tuple[Ties, ...] = ("averaged", "worst", "best")  # possible results of a ranking by classes
N_CLASSES = 5


@dataclass(frozen=True)
class StudySetting:
    """Sizes and parameters of a run."""

    name: str
    n_queries: tuple[int, int, int]  # of training, validation and test
    n_rounds: int  # M
    seed: int = 0  # of the artificial data
    seeds: tuple[int, ...] = (0, 1, 2)  # of the artificial data of `losses`
    stages: int = 20  # number of rounds at which each model is measured
    exponents: tuple[int, ...] = (3, 4, 5, 6, 7, 8, 16)  # exponents of 2 for B (App. II)
    leaves: tuple[int, ...] = (5, 10, 20)  # J
    rates: tuple[float, ...] = (0.025, 0.05, 0.1)  # nu

    @property
    def every(self) -> int:
        """Rounds between two measurements of a model."""
        return max(1, self.n_rounds // self.stages)


@dataclass(frozen=True)
class Model:
    """The parameters of one cell."""

    n_leaves: int = 10  # J
    learning_rate: float = 0.05  # nu
    n_bins: int = 256  # B


Models = dict[Model, Arrays]


def find_data(setting: StudySetting, run: Reproduction, seeds: tuple[int, ...]) -> Iterator[Fold]:
    """Load the folds of the collection one after another, or draw the artificial data of each seed."""
    if run.data is not None:
        return run.load()
    return (make_artificial_fold(setting.n_queries, seed) for seed in seeds)


def run_models(setting: StudySetting, run: Reproduction) -> Models:
    """Train the models of all studies that have no cell yet, and return all cells, joined over the folds."""
    models = [Model(), *(Model(n_bins=2**exponent) for exponent in setting.exponents)]
    models += starmap(Model, product(setting.leaves, setting.rates))
    common: dict[str, Any] = {"binning": "app-i", "n_rounds": setting.n_rounds, "n_threads": run.n_threads}
    common |= {"n_classes": None if run.data else N_CLASSES, "verbose": 1}
    of_model: dict[Model, list[Arrays]] = {model: [] for model in models}
    for fold in find_data(setting, run, (setting.seed,)):
        store = CellStore(run.folder, fold, {"n_rounds": setting.n_rounds, "every": setting.every}, CONVENTION)
        for model, cells in tqdm(of_model.items(), fold.name, unit="model", disable=None):
            name = f"{fold.name}-study-J{model.n_leaves}-nu{model.learning_rate}-B{model.n_bins}"
            ranker = SoftmaxBoostRanker(**asdict(model), **common)
            cells.append(store.fetch(name, partial(run_model, ranker, fold, setting.every)))
    return {model: join_folds(cells) for model, cells in of_model.items()}


def join_folds(cells: list[Arrays]) -> Arrays:
    """Join the queries of all folds, the last axis, and add up their bins."""
    joined = {name: np.concatenate([cell[name] for cell in cells], axis=-1) for name in cells[0] if " " in name}
    return joined | {"rounds": cells[0]["rounds"], "bins": np.sum([cell["bins"] for cell in cells], axis=0)}


def run_model(ranker: SoftmaxBoostRanker, fold: Fold, every: int) -> Arrays:
    """Train one model, and measure it after each `every` rounds and the last: at `rounds`, (n_stages,).

    `train k`, ...: NDCG at L = 10 by split and T, (n_stages, n_queries). `test averaged`, ...: NDCG of the classes as
    a ranking in the last round, by each rule for ties, (n_queries,). `bins`: number of bins of all features.
    """
    train, n_rounds, engine = fold.train, ranker.n_rounds, default_engine(ranker.n_threads)
    ranker.fit(train.X, train.y, train.qid)
    n_bins = bin_features(train.X, ranker.n_bins, APP_I, engine=engine).offsets[-1]
    arrays: Arrays = {"rounds": np.array([*range(every, n_rounds, every), n_rounds]), "bins": np.array(n_bins)}
    for split, data in get_splits(fold).items():
        measure = partial(ndcg, data.y, qid=data.qid, k=10, per_query=True)
        stages = [softmax(F) for F in ranker.model_.staged_scores(data.X, engine, every)]
        for scoring in SCORINGS:
            scores = [
                expected_relevance(class_proba, transform_table(scoring, ranker.n_classes_)) for class_proba in stages
            ]
            arrays[f"{split} {scoring}"] = np.array([measure(score, spec=CONVENTION) for score in scores])
    # McRank Lemma 1: "a classifier assigns a relevance level", by which the documents are ranked
    classes = np.argmax(stages[-1], axis=1).astype(np.float64)  # (n_samples,) of the test split
    for ties in TIES:
        arrays[f"test {ties}"] = np.asarray(measure(classes, spec=replace(CONVENTION, ties=ties)))
    return arrays
