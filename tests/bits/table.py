"""The table of digests: one small model per ranker, whose every bit each IEEE-754 machine must reproduce.

A digest is that of the bytes of an array, so it tells 0.0 from -0.0. The data are integers of SplitMix64
(`refrank.trees.numbers.draws`), scaled by single rounded operations; the labels come from comparisons of integers.
They depend on no machine, and on no version of NumPy.

    trees          every field of every tree, and the start of each sum
    scores, proba  of the test rows
    ndcg, err      NDCG@10 and ERR of each test query, and their means
    X              the features that a file of decimal numbers holds
"""

import hashlib
import json
import warnings
from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from refrank import (
    ABCLogitBoostRanker,
    COCRRanker,
    GBRTRanker,
    HuberBoostRanker,
    IGBRTRanker,
    LADBoostRanker,
    LambdaMARTRanker,
    LSBoostRanker,
    OrdinalBoostRanker,
    RandomForestRanker,
    RobustLogitBoostRanker,
    SoftmaxBoostRanker,
)
from refrank.cocr.reduction import COCRModel
from refrank.datasets import load_letor
from refrank.estimators.base import Ranker
from refrank.estimators.base_learners import SoftClassifier
from refrank.estimators.mcrank_losses import LossBoostRanker
from refrank.estimators.registry import RANKERS
from refrank.metrics import PRESETS, err, ndcg, rmse
from refrank.trees.numbers.draws import draw

COMMITTED = Path(__file__).with_name("digests.json")
N_DOCS, N_FEATURES = 20, 10
LEFT_OUT = {  # docs/reference/numerics.md, "What the contract leaves out"
    "cocr over linear, m5p, bagging-m5p": "least squares: sums of floats by BLAS and LAPACK",
    "lambdarank": "a neural net: sums of floats by BLAS",
}
OTHER_LOSSES = [  # the loop of the others, and a loss whose test asks for the bits of an oracle in plain Python
    name
    for name, kind in RANKERS.items()
    if issubclass(kind, LossBoostRanker) and kind not in (LSBoostRanker, LADBoostRanker, HuberBoostRanker)
]

Row = dict[str, str]  # a digest per quantity


@dataclass(frozen=True)
class Data:
    """Training or test rows."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    qid: NDArray[np.int64]
    weight: NDArray[np.float64] | None = None


def make_data(seed: int, n_queries: int) -> Data:
    """Make queries of N_DOCS documents, with labels 0..4."""
    n_samples = n_queries * N_DOCS
    grains = draw_integers(seed, 10, (n_samples, N_FEATURES))
    a, b, c, d, e, *_ = grains.T
    signal = 4 * a + 2 * b - c + np.where((d > 500) & (e > 250), 1500, 0) + draw_integers(seed + 1, 10, n_samples)
    y = (signal[:, np.newaxis] > np.array([2500, 4000, 5300, 6300])).sum(axis=1)  # (n_samples,)
    X = grains / 1024
    X[:, 1] /= 3  # one rounding, so that cuts are no short fractions
    return Data(X, y, np.repeat(np.arange(n_queries), N_DOCS))


def draw_integers(seed: int, n_bits: int, shape: Any) -> NDArray[np.int64]:
    """Draw integers of n_bits bits."""
    places = np.arange(np.prod(shape), dtype=np.uint64)
    return (draw(seed, places) >> np.uint64(64 - n_bits)).astype(np.int64).reshape(shape)


TRAIN, TEST = make_data(1, 20), make_data(1000, 10)
WEIGHTED = replace(TRAIN, weight=(draw_integers(7, 2, len(TRAIN.y)) + 1) * 0.37)
LACKING, TEST_LACKING = (
    replace(data, X=np.where(draw_integers(9, 3, data.X.shape) < 2, np.nan, data.X)) for data in (TRAIN, TEST)
)


def list_cases() -> dict[str, tuple[Ranker, Data]]:
    """Name each ranker of the table, with its training rows."""
    boost, trees = {"n_rounds": 6, "n_leaves": 8, "learning_rate": 0.3}, {"n_rounds": 4, "n_trees": 4}
    cases: dict[str, tuple[Ranker, Data]] = {}
    for kind in (SoftmaxBoostRanker, OrdinalBoostRanker, LSBoostRanker, LADBoostRanker, HuberBoostRanker):
        for update in ("sequential", "simultaneous") if hasattr(kind, "predict_proba") else ("sequential",):
            name = f"{kind.algorithm} {update}" if hasattr(kind, "predict_proba") else kind.algorithm
            cases[name] = kind(update=update, **boost), TRAIN
            cases[f"{name} weights"] = kind(update=update, **boost), WEIGHTED
    for kind in (GBRTRanker, RandomForestRanker, IGBRTRanker):
        sizes = {name: size for name, size in trees.items() if name in kind().get_params()}
        cases[f"{kind.algorithm} regression weights"] = kind(**sizes), WEIGHTED
        for setting in ("regression", "classification"):
            cases[f"{kind.algorithm} {setting}"] = kind(setting=setting, **sizes), TRAIN
            for missing in ("three-way", "mean", "median"):
                cases[f"{kind.algorithm} {setting} {missing}"] = (
                    kind(setting=setting, missing=missing, **sizes),
                    LACKING,
                )
    for base_class in ("best", "worst"):
        cases[f"abc-logitboost {base_class}"] = ABCLogitBoostRanker(base_class=base_class, **boost), TRAIN
    cases["abc-logitboost weights"] = ABCLogitBoostRanker(**boost), WEIGHTED
    for name, weighed in (("", TRAIN), (" weights", WEIGHTED)):
        cases[f"robust-logitboost{name}"] = RobustLogitBoostRanker(**boost), weighed
    cases["lambdamart"] = LambdaMARTRanker(**boost), TRAIN
    cases["gbrt regression initial mean"] = GBRTRanker(n_rounds=4, initial="mean"), WEIGHTED
    cases["rf regression out-of-bag"] = RandomForestRanker(n_trees=4, oob_score=True), TRAIN
    for cost in ("absolute", "squared", "oerr"):
        cases[f"cocr gbrt {cost}"] = COCRRanker(GBRTRanker(n_rounds=4), cost=cost), TRAIN
    cases["cocr gbrt oerr weights"] = COCRRanker(GBRTRanker(n_rounds=4), cost="oerr"), WEIGHTED
    for name, (ranker, data) in [*cases.items()]:
        binning = "base__binning" if isinstance(ranker, COCRRanker) else "binning"
        cases[f"{name} app-i"] = clone(ranker).set_params(**{binning: "app-i"}), data
    for kind, sizes in ((SoftmaxBoostRanker, boost), (GBRTRanker, {"n_rounds": 4})):
        cases[f"{kind.algorithm} exact"] = kind(binning="exact", **sizes), TRAIN
    return cases


def compute_table() -> dict[str, Row]:
    """Train every ranker of the table, and digest what it learned; then digest metrics and files."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = {name: digest_ranker(*case) for name, case in list_cases().items()}
    return dict(sorted({**table, **digest_metrics(), **digest_files()}.items()))


def digest_ranker(ranker: Ranker, data: Data) -> Row:
    """Train a ranker, and digest its model, its scores and their metrics."""
    test = TEST_LACKING if data is LACKING else TEST
    ranker.fit(data.X, data.y, data.qid, **({} if data.weight is None else {"sample_weight": data.weight}))
    scores = ranker.predict(test.X)
    row = {"trees": digest(*list_arrays(ranker)), "scores": digest(scores)}
    if hasattr(ranker, "predict_proba"):
        row["proba"] = digest(ranker.predict_proba(test.X))
    row |= digest_values(test, scores)
    if hasattr(ranker, "feature_importances_"):
        row["importances"] = digest(ranker.feature_importances_)
    if hasattr(ranker, "oob_prediction_"):
        row["oob"] = digest(ranker.oob_prediction_, np.array(ranker.oob_score_))
    return row


def digest_metrics() -> dict[str, Row]:
    """Digest the metrics of scores with ties, under each convention."""
    scores = (4 * TEST.X[:, 0]).round()
    rows = {f"metrics {name}": digest_values(TEST, scores, name) for name in PRESETS}
    return rows | {"metrics rmse": {"rmse": digest(np.array(rmse(TEST.y, TEST.X[:, 1])))}}


def digest_files() -> dict[str, Row]:
    """Digest the features of a file whose decimal numbers have 1 to 19 digits."""
    size = 200, 4
    digits = draw_integers(11, 62, size) // 10 ** draw_integers(12, 4, size)
    powers = draw_integers(13, 6, size) - 50
    lines = (
        "0 qid:1 " + " ".join(f"{j + 1}:{digits[i, j]}e{powers[i, j]}" for j in range(size[1])) for i in range(size[0])
    )
    with TemporaryDirectory() as folder:
        path = Path(folder, "decimal.txt")
        path.write_text("\n".join(lines))
        return {f"file {kind}": {"X": digest(load_letor(path, dtype=kind).X)} for kind in ("float32", "float64")}


def digest_values(data: Data, scores: NDArray[np.float64], spec: str = "paper") -> Row:
    """Digest the NDCG@10 and the ERR of each query, and their means."""
    row = {}
    for name, metric in {"ndcg": ndcg, "err": lambda *args, **kwargs: err(*args, max_grade=4, **kwargs)}.items():
        given = data.y, scores, data.qid
        row[name] = digest(metric(*given, spec=spec, per_query=True), np.array(metric(*given, spec=spec)))
    return row


def list_arrays(ranker: Any) -> Iterator[NDArray[Any]]:
    """Yield all arrays of the trees of a ranker, and the start of each sum of trees."""
    if isinstance(ranker.model_, COCRModel):
        for h in ranker.model_.soft_classifiers:
            yield from list_arrays(h.regressor) if isinstance(h, SoftClassifier) else iter([np.array(h.value)])
        return
    for ensemble in (getattr(ranker, "forest_", None), ranker.model_):
        if ensemble is not None:
            yield np.array(ensemble.initial)
            for trees in ensemble.rounds:
                for tree in trees:
                    yield from astuple(tree)


def digest(*arrays: Any) -> str:
    """Digest the bytes of arrays, their types and their shapes, on any byte order."""
    found = hashlib.sha256()
    for array in map(np.asarray, arrays):
        stored = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        found.update(f"{stored.dtype.str} {array.shape} ".encode() + stored.tobytes())
    return found.hexdigest()[:12]


def read_table(path: Path = COMMITTED) -> dict[str, Row]:
    """Read the committed table."""
    held: dict[str, dict[str, Row]] = json.loads(path.read_text())
    return held["rankers"]


def write_table(table: dict[str, Row], path: Path = COMMITTED) -> None:
    """Write the table, one line per ranker."""
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in table.items())
    left_out = ",\n".join(f"  {json.dumps(name)}: {json.dumps(why)}" for name, why in LEFT_OUT.items())
    path.write_text(f'{{\n "rankers": {{\n{lines}\n }},\n "left out": {{\n{left_out}\n }}\n}}\n')


def list_differences(found: dict[str, Row], expected: dict[str, Row]) -> list[str]:
    """Name each ranker that differs, with the first of its quantities that does."""
    lines = []
    for name in sorted({*found, *expected}):
        ours, theirs = found.get(name, {}), expected.get(name, {})
        differing = (quantity for quantity in {**ours, **theirs} if ours.get(quantity) != theirs.get(quantity))
        if quantity := next(differing, None):
            lines.append(f"{name}: {quantity} is {ours.get(quantity)}, the table says {theirs.get(quantity)}")
    return lines
