"""McRank's side studies on the artificial data: bins (App. I, II), scoring functions (Sec. 3.3, App. II), parameters.

    Figure 3(a)(b)   number of bins and NDCG loss for B = 2^3, ..., 2^8, 2^16
    Figure 3(c)      expected relevance, T(k) = k, against expected gain, T(k) = 2^k - 1, over the rounds
    Sec. 3.3         T(k) = k against 2^k; the classes of Lemma 1 as a ranking, "highly unstable"
    Sec. 6.2         J, nu and M are "not sensitive"

All of them train multiple classification (Algorithm 1). The paper's Figure 3 is of Web-1, which is not public. A cell
is one model.
"""

from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from tqdm.auto import tqdm

from refrank.datasets import Fold
from refrank.datasets.folds import SPLITS
from refrank.estimators import SoftmaxBoostRanker
from refrank.mcrank.expected_relevance import expected_relevance, transform_table
from refrank.mcrank.softmax_boosting import softmax
from refrank.metrics import ndcg
from refrank.reproduce.artificial import make_artificial_fold
from refrank.reproduce.cells import Arrays, CellStore
from refrank.reproduce.mcrank.rankers import CONVENTION
from refrank.reproduce.run import Run
from refrank.trees.binning import bin_features
from refrank.trees.engine import default_engine

SCORINGS = ("k", "2^k-1", "2^k")  # T of Eq. 5
# how a ranking by classes may turn out
TIES: tuple[Literal["averaged", "worst", "best"], ...] = ("averaged", "worst", "best")
N_CLASSES = 5


@dataclass(frozen=True)
class StudySetting:
    """Sizes and parameters of a run.

    Parameters
    ----------
    name : str
    n_queries : tuple of three ints
        Of training, validation and test.
    n_rounds : int
        M.
    seed : int, default 0
        Seed of the data.
    stages : int, default 20
        At how many rounds each model is measured.
    exponents, leaves, rates : tuples of numbers
        The models to try: exponents of 2 for B (App. II), J and nu.
    """

    name: str
    n_queries: tuple[int, int, int]
    n_rounds: int
    seed: int = 0
    stages: int = 20
    exponents: tuple[int, ...] = (3, 4, 5, 6, 7, 8, 16)
    leaves: tuple[int, ...] = (5, 10, 20)
    rates: tuple[float, ...] = (0.025, 0.05, 0.1)

    @property
    def every(self) -> int:
        """Rounds from one measurement of a model to the next."""
        return max(1, self.n_rounds // self.stages)


SMALL = StudySetting("small", (500, 250, 500), 100)
FULL = StudySetting("full", (10_000, 5_000, 10_000), 1_000)  # McRank Sec. 6.1 and 6.2


@dataclass(frozen=True)
class Model:
    """The parameters of one cell.

    Parameters
    ----------
    n_leaves, learning_rate, n_bins
        J, nu and B.
    """

    n_leaves: int = 10
    learning_rate: float = 0.05
    n_bins: int = 256


Models = dict[Model, Arrays]


def run_models(setting: StudySetting, run: Run) -> Models:
    """Train the models of all studies that have no cell yet, and return the cells of all."""
    fold = make_artificial_fold(setting.n_queries, setting.seed)
    rounds = {"n_rounds": setting.n_rounds, "every": setting.every}
    models = [Model(), *(Model(n_bins=2**exponent) for exponent in setting.exponents)]
    models += [Model(n_leaves=J, learning_rate=nu) for J in setting.leaves for nu in setting.rates]
    store = CellStore(run.folder, fold, rounds, CONVENTION)
    found = {}
    for model in tqdm(dict.fromkeys(models), "models", unit="model", disable=None):
        name = f"study-J{model.n_leaves}-nu{model.learning_rate}-B{model.n_bins}"
        ranker = SoftmaxBoostRanker(
            **asdict(model), n_rounds=setting.n_rounds, n_classes=N_CLASSES, n_threads=run.n_threads, verbose=1
        )
        found[model] = store.fetch(name, partial(run_model, ranker, fold, setting.every))
    return found


def run_model(ranker: SoftmaxBoostRanker, fold: Fold, every: int) -> Arrays:
    """Train one model, and measure it on all splits after each `every` rounds and the last.

    Parameters
    ----------
    ranker : SoftmaxBoostRanker
    fold : Fold
    every : int

    Returns
    -------
    dict of arrays
        `rounds`, of shape (n_stages,); for each split and T `train k`, ...: NDCG at L = 10 of each query after these
        rounds, (n_stages, n_queries); for the last round, `test averaged`, ...: NDCG of the classes as a ranking,
        (n_queries,), with ties averaged, at their worst and at their best; `bins`, the number of bins of all features.
    """
    train, n_rounds, engine = fold.train, ranker.n_rounds, default_engine(ranker.n_threads)
    ranker.fit(train.X, train.y, train.qid)
    n_bins = bin_features(train.X, ranker.n_bins, engine=engine).offsets[-1]
    arrays: Arrays = {"rounds": np.array([*range(every, n_rounds, every), n_rounds]), "bins": np.array(n_bins)}
    for split in SPLITS:
        data = getattr(fold, split)
        measure = partial(ndcg, data.y, qid=data.qid, k=10, per_query=True)
        stages = [softmax(F) for F in ranker.model_.staged_scores(data.X, engine, every)]
        for scoring in SCORINGS:
            scores = [expected_relevance(class_proba, transform_table(scoring, N_CLASSES)) for class_proba in stages]
            arrays[f"{split} {scoring}"] = np.array([measure(score, spec=CONVENTION) for score in scores])
    # McRank Lemma 1: "a classifier assigns a relevance level", by which the documents are ranked
    classes = np.argmax(stages[-1], axis=1).astype(np.float64)  # (n_samples,) of the test split
    for ties in TIES:
        arrays[f"test {ties}"] = np.asarray(measure(classes, spec=replace(CONVENTION, ties=ties)))
    return arrays
