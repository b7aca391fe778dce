"""McRank's side studies on the artificial data: bins (App. I, II), scoring functions (Sec. 3.3, App. II), parameters.

    Figure 3(a)(b)   number of bins and NDCG loss for B = 2^3, ..., 2^8, 2^16
    Figure 3(c)      expected relevance, T(k) = k, against expected gain, T(k) = 2^k - 1, over the rounds
    Sec. 3.3         T(k) = k against 2^k; the classes of Lemma 1 as a ranking, "highly unstable"
    Sec. 6.2         J, nu and M are "not sensitive"

All of them train multiple classification (Algorithm 1). The paper's Figure 3 is of Web-1, which is not public. A cell
is one model; a finished one is kept as a file, so that an interrupted run goes on where it stopped.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from refrank.datasets import LetorData
from refrank.datasets.folds import SPLITS
from refrank.estimators import SoftmaxBoostRanker
from refrank.mcrank.expected_relevance import expected_relevance, transform_table
from refrank.mcrank.softmax_boosting import softmax
from refrank.metrics import MetricSpec, ndcg
from refrank.reproduce.artificial import artificial_fold
from refrank.reproduce.cells import Arrays, kept_cell
from refrank.reproduce.mcrank_rankers import CONVENTION
from refrank.trees.binning import bin_features
from refrank.trees.engine import DEFAULT_SPLITTER, resolve_threads

SCORINGS = ("k", "2^k-1", "2^k")  # T of Eq. 5
# how a ranking by classes may turn out
TIES: tuple[Literal["averaged", "worst", "best"], ...] = ("averaged", "worst", "best")


@dataclass(frozen=True)
class StudySetting:
    """Sizes and parameters of a run."""

    name: str
    n_train: int  # queries
    n_valid: int
    n_test: int
    n_rounds: int  # M
    seed: int = 0
    stages: int = 20  # at how many rounds the models are looked at
    exponents: tuple[int, ...] = (3, 4, 5, 6, 7, 8, 16)  # of 2, for B (App. II)
    leaves: tuple[int, ...] = (5, 10, 20)  # J
    rates: tuple[float, ...] = (0.025, 0.05, 0.1)  # nu

    @property
    def every(self) -> int:
        """Rounds from one look at a model to the next."""
        return max(1, self.n_rounds // self.stages)


SMALL = StudySetting("small", 500, 250, 500, 100)
FULL = StudySetting("full", 10_000, 5_000, 10_000, 1_000)  # McRank Sec. 6.1 and 6.2


@dataclass(frozen=True)
class Model:
    """The parameters of one cell."""

    n_leaves: int = 10  # J
    learning_rate: float = 0.05  # nu
    n_bins: int = 256  # B


def run_models(setting: StudySetting, folder: Path, n_threads: int | None = None) -> dict[Model, Arrays]:
    """Train the models of all studies that are not done yet.

    Returns
    -------
    dict from the parameters of a model to its arrays
        `rounds`, (n_stages,); for each split and T `train k`, ...: NDCG at L = 10 of each query after these rounds,
        (n_stages, n_queries); for the last round, `test averaged`, ...: NDCG of the classes as a ranking,
        (n_queries,), its ties averaged, at their worst and at their best; `bins`, the number of bins of all features.
    """
    folder.mkdir(parents=True, exist_ok=True)
    models = [Model(), *(Model(n_bins=2**exponent) for exponent in setting.exponents)]
    models += [Model(n_leaves=J, learning_rate=nu) for J in setting.leaves for nu in setting.rates]
    found = {}
    for model in tqdm(dict.fromkeys(models), "models", unit="model", disable=None):
        path = folder / f"{setting.name}-J{model.n_leaves}-nu{model.learning_rate}-B{model.n_bins}.npz"
        # the grids say which models there are, not what one is
        sizes = asdict(replace(setting, exponents=(), leaves=(), rates=()))
        way = {"setting": sizes, "model": asdict(model), "convention": str(CONVENTION)}
        found[model] = kept_cell(path, way, partial(run_model, setting, model, n_threads))
    return found


def run_model(setting: StudySetting, model: Model, n_threads: int | None) -> Arrays:
    """Train one model, and score all splits as the rounds go on."""
    fold = artificial_fold("artificial", (setting.n_train, setting.n_valid, setting.n_test), setting.seed)
    train = fold.train
    ranker = SoftmaxBoostRanker(
        n_rounds=setting.n_rounds,
        n_leaves=model.n_leaves,
        learning_rate=model.learning_rate,
        n_bins=model.n_bins,
        n_classes=5,
        n_threads=n_threads,
        verbose=1,
    ).fit(train.X, train.y, train.qid)
    binned = bin_features(train.X, model.n_bins, splitter=DEFAULT_SPLITTER)
    rounds = [*range(setting.every, setting.n_rounds, setting.every), setting.n_rounds]
    arrays: Arrays = {"rounds": np.array(rounds), "bins": binned.offsets[-1]}
    for split in SPLITS:
        of = getattr(fold, split)
        stages = [class_proba.copy() for class_proba in staged_proba(ranker, of, setting.every, n_threads)]
        for scoring in SCORINGS:
            table = transform_table(scoring, 5)
            arrays[f"{split} {scoring}"] = np.array(
                [ndcg_at_10(of, expected_relevance(class_proba, table)) for class_proba in stages]
            )
    # McRank Lemma 1: "a classifier assigns a relevance level", by which the documents are ranked
    classes = np.argmax(stages[-1], axis=1).astype(np.float64)  # (n_samples,) of the test split
    for ties in TIES:
        arrays[f"test {ties}"] = ndcg_at_10(of, classes, replace(CONVENTION, ties=ties))
    return arrays


def staged_proba(
    ranker: SoftmaxBoostRanker, data: LetorData, every: int, n_threads: int | None
) -> Iterator[NDArray[np.float64]]:
    """Yield the class probabilities, (n_samples, n_classes), after each `every` rounds and the last."""
    for scores in ranker.model_.staged_scores(data.X, DEFAULT_SPLITTER, resolve_threads(n_threads), every):
        yield softmax(scores)


def ndcg_at_10(data: LetorData, scores: NDArray[np.float64], spec: MetricSpec = CONVENTION) -> NDArray[np.float64]:
    """Compute NDCG at L = 10 of each query, (n_queries,)."""
    return np.asarray(ndcg(data.y, scores, data.qid, 10, spec, per_query=True))
