"""Small trainings of every algorithm that boosts or grows trees, for comparing whole ports.

Each parameter that can show in a record takes two values at least, next to others that it interacts with.
trainings.toml lists the trainings, and training_rows.py has their rows.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from refrank.estimators import GBRTRanker
from refrank.estimators.base import Ranker
from refrank.estimators.registry import RANKERS
from yardstick.scorecard.training_rows import LabelledRows, make_all
from yardstick.traces.reader import Trace, open_trace
from yardstick.traces.tracing import describe_training, record_training
from yardstick.traces.writer import TraceWriter


class ScoredTraining(NamedTuple):
    """A training, and its rows."""

    algorithm: str  # of refrank.estimators.registry.RANKERS
    parameters: Mapping[str, Any]  # those that differ from the defaults
    rows: LabelledRows

    def make_ranker(self) -> Ranker:
        """Make the ranker that is trained."""
        return RANKERS[self.algorithm](**self.parameters)


def read_trainings() -> Mapping[str, ScoredTraining]:
    """Read the list of trainings."""
    rows, listed = make_all(), tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    trainings = {}
    for name, fields in listed.items():
        own = rows[fields.pop("rows", "shared")]
        X = np.where(np.isnan(own.X), fields.get("missing_value", np.nan), own.X)
        parameters = {key: read_parameter(value) for key, value in fields.items()}
        trainings[name] = ScoredTraining(name.partition(",")[0], parameters, own._replace(X=X))
    return MappingProxyType(trainings)


def read_parameter(value: Any) -> Any:
    """Read a parameter of a ranker: a list is a tuple, and a table a base of COCR."""
    if isinstance(value, list):
        return tuple(map(read_parameter, value))
    return GBRTRanker(**value) if isinstance(value, dict) else value


TRAININGS = read_trainings()


def train_golden(training: ScoredTraining, folder: Path) -> Trace:
    """Write the golden trace of a training to a new folder, with all its entries."""
    ranker, rows = training.make_ranker(), training.rows
    with TraceWriter(folder, "json", describe_training(ranker, rows.X, rows.qid)) as writer:
        record_training(ranker, rows.X, rows.y, rows.qid, writer.keep, writer.write, rows.weight)
    return open_trace(folder)
