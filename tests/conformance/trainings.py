"""Small trainings of every kind, and traces of them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from refrank.conformance.scorecard.trainings import TRAININGS as OF_TREES
from refrank.conformance.scorecard.trainings import make_rows
from refrank.conformance.traces.reader import Trace, open_trace
from refrank.conformance.traces.stages import Record
from refrank.conformance.traces.tracing import describe_training, record_training
from refrank.conformance.traces.writer import TraceWriter, Values
from refrank.estimators import COCRRanker, GBRTRanker, M5PRegressor
from refrank.registry import RANKERS

DATA = make_rows()
X = DATA.X
WEIGHT = np.random.default_rng(0).integers(1, 4, len(X)) / 2.0

TRAININGS: dict[str, tuple[str, dict[str, Any]]] = {**OF_TREES, "lambdarank": ("lambdarank", {"n_epochs": 2})}
WITHOUT_WEIGHTS = ("lambdarank",)
OVER_OTHERS = {
    "cocr over gbrt": lambda: COCRRanker(GBRTRanker(n_rounds=2, max_depth=2)),
    "cocr over m5p": lambda: COCRRanker(M5PRegressor()),
}


def make(name: str) -> Any:
    """Make the ranker of a training."""
    if name in OVER_OTHERS:
        return OVER_OTHERS[name]()
    algorithm, parameters = TRAININGS[name]
    return RANKERS[algorithm](**parameters)


def record(
    folder: Path,
    ranker: Any,
    values: Values = "json",
    weight: Any = None,
    change: Callable[[Record, Any], Record] = lambda record, keep: record,
) -> Trace:
    """Write the trace of a training, each record changed, and open it."""
    with TraceWriter(folder, values, describe_training(ranker, X, DATA.qid)) as writer:
        record_training(
            ranker,
            X,
            DATA.y,
            DATA.qid,
            writer.keep,
            lambda one: writer.write(change(one, writer.keep)),
            sample_weight=weight,
        )
    return open_trace(folder)
