"""Small trainings of every algorithm that boosts or grows trees, for comparing whole ports.

Each parameter that can show in a record takes two values at least, next to others that it interacts with.
trainings.toml lists the trainings. Their rows hold edge cases:

rows          what they have
shared        values one unit in the last place apart with a cut between them, few values and many ties, zeros of both
              signs, a constant feature; 64 and 65 of them have another grid
few           neighbours nearer than the shortest bin, empty classes, fewer rows than leaves, equal rows with two
              labels, a query of one row, one without a relevant document; "irrelevant": the same, with nothing to learn
weighted      weights that are no sums of powers of two; "weight 0": some are 0, as are all of the highest class
missing       features that some rows, all rows, no row, all rows of a class or, in "missing more", rows of weight 0
              alone lack; NaN stands for the value that says so
close         neighbours in float32 and in float64, whose middle float32 does not hold; cuts at 0 from both sides
high          sums of the first residuals beyond 2^52 on their grid, with all bits
many          more than 256 values; a value that one row has alone
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from refrank.arrays import Floats
from refrank.datasets import cubic_polynomial
from refrank.estimators import GBRTRanker
from refrank.estimators.base import Ranker
from refrank.estimators.registry import RANKERS
from yardstick.traces.reader import Trace, open_trace
from yardstick.traces.stages import LabelledRows
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


def make_shared() -> LabelledRows:
    """Make the 150 rows of which most others are a part."""
    data = cubic_polynomial(3, random_state=4)
    X = data.X[:, :6].astype(np.float64)
    X[:, 1] = np.round(4 * X[:, 1]) - 1.0  # few values, and many ties
    X[::2, 1] = np.where(X[::2, 1] == 0.0, -0.0, X[::2, 1])
    X[:, 3] = np.where(X[:, 3] > 0, np.nextafter(0.5, 1), 0.5)  # a row on the cut between them
    X[::9, 3] = 2.0
    X[:, 5] = 7.0  # no cut
    return LabelledRows(X, data.y, data.qid)


def make_few() -> LabelledRows:
    """Make nine rows, of which the last two differ only in their labels."""
    high = np.nextafter(1e9, 2e9)
    columns = [0.0, 0.5, 0.5, 1e9, 1.0, 1.0, -2.0, high, high], [1.0, 1.0, -0.0, 0.0, 5e-324, 2.0, 2.0, 9.0, 9.0]
    y, qid = np.array([0, 3, 0, 3, 0, 0, 0, 3, 0]), np.array([0, 0, 0, 0, 1, 1, 1, 2, 3])
    return LabelledRows(np.column_stack(columns), y, qid)


def make_missing(rows: LabelledRows) -> tuple[LabelledRows, LabelledRows]:
    """Take features from rows; in the second ones, another feature from rows of weight 0."""
    X, i = rows.X.copy(), np.arange(len(rows.X))
    X[:, 0][i % 5 == 2] = X[:, 2][rows.y <= 1] = X[:, 3][i % 2 == 0] = X[:, 4] = X[7, 1] = np.nan
    X[:, 5][(rows.y == 2) | (i % 9 == 4)] = np.nan
    more, weight = X.copy(), np.where(i % 6 == 1, 0.0, 1.0 + i % 3)
    more[:, 1][weight == 0.0] = np.nan
    return rows._replace(X=X), rows._replace(X=more, weight=weight)


def make_close() -> LabelledRows:
    """Make 48 rows whose label depends on the order of neighbours."""
    place, least = np.arange(48) % 8, 5e-324
    single = np.float32(0.1)
    columns = [
        [-1.0, -least, -0.0, 0.0, least, 1e-310, 1.0, 1.0 + 2.0**-52],  # -0.0 and 0.0 are one value
        [1.0 + step * 2.0**-24 for step in range(8)],  # every second one is a float32
        [float(np.nextafter(single, np.float32(step > 3))) * (1 + step % 4 * 2.0**-26) for step in range(8)],
        [-4.0, -3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0],  # the middle is 0
    ]
    ranks = [(place * factor + np.arange(48) // 8) % 8 for factor in (1, 3, 5, 7)]
    X = np.column_stack([np.array(column)[rank] for column, rank in zip(columns, ranks, strict=True)])
    y = (ranks[0] > 2).astype(np.int64) + (ranks[1] > 4) + 2 * (ranks[2] % 4 > 1) + (ranks[3] > 3) * (ranks[0] > 5)
    return LabelledRows(X, np.minimum(y, 4), np.arange(48) // 16)


def make_rows() -> Mapping[str, LabelledRows]:
    """Make all rows, by their names."""
    shared, few, many = make_shared(), make_few(), cubic_polynomial(6, random_state=4)
    first, every_second = shared.keep(slice(64)), shared.keep(slice(None, None, 2))
    weight: Floats = np.arange(75) * 7 % 5 / 7.0 + 1.0 / 7.0
    absent = (np.arange(75) % 4 == 1) | (every_second.y == every_second.y.max())
    missing, more = make_missing(every_second.keep(slice(60)))
    columns = np.column_stack([many.X[:, :2], np.arange(300) != 7])
    sevens = np.where((first.X[:, 0] > 0) & (first.X[:, 3] > 0.5), 6, 7)
    return {
        "shared": shared,
        "64": first,
        "65": shared.keep(slice(65)),
        "few": few,
        "irrelevant": few._replace(y=np.zeros_like(few.y)),
        "weighted": every_second._replace(weight=weight),
        "weight 0": every_second._replace(weight=np.where(absent, 0.0, weight)),
        "missing": missing,
        "missing more": more,
        "close": make_close(),
        "high": first._replace(y=sevens, weight=1.0 - np.arange(64) / 1000.0),
        "many": LabelledRows(columns.astype(np.float64), many.y, many.qid),
    }


def read_trainings() -> Mapping[str, ScoredTraining]:
    """Read the list of trainings."""
    rows, listed = make_rows(), tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
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
    with TraceWriter(folder, "json", describe_training(ranker, rows)) as writer:
        record_training(ranker, rows, writer.keep, writer.write)
    return open_trace(folder)
