"""Evidence for the judgement of a record: the training rows, and the earlier records.

A record is judged by the port's own earlier numbers; refrank's replace those that the port left out. So an early
difference does not hide later ones: each stage is checked against its own input.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Ints
from refrank.checks import MOST_STATED_CLASSES
from refrank.estimators.base import Ranker
from yardstick.traces.models import TracedModel
from yardstick.traces.records import Key
from yardstick.traces.stages import Place, Record

Records = Mapping[Key, Record]
Arrays = Mapping[str, NDArray[Any]]


class Unknown(Exception):
    """A number that neither trace keeps."""


# errors raised when a port's arrays do not fit together
MISFITS = (Unknown, ValueError, IndexError, KeyError, TypeError, OverflowError, MemoryError)


@dataclass(frozen=True, eq=False)
class Evidence:
    """The records of both traces, and the training."""

    ranker: Ranker | TracedModel  # with the parameters of the golden trace, not fitted
    golden: Records
    theirs: Records

    def array(self, stage: str, place: Place, name: str) -> NDArray[Any]:
        """Return a field of a record: theirs, else the golden one; raise `Unknown` if neither keeps its entries."""
        for records in (self.theirs, self.golden):
            record = records.get((stage, place))
            values = None if record is None else record.values(name)
            if values is not None:
                return values
        raise Unknown

    def data(self, name: str) -> NDArray[Any]:
        """Return X, y or qid of the training rows."""
        return self.array("data", Place(), name)

    @property
    def weight(self) -> Floats | None:
        """The weights of the rows, (n_samples,), if there are any."""
        record = self.golden[("data", Place())]
        return self.data("weight") if "weight" in record.fields else None

    @property
    def n_rounds(self) -> int:
        """The rounds of the training: those that the port recorded, if these are the first ones, else all."""
        rounds = {place.round for _, place in self.theirs if place.round is not None}
        ranker: Any = self.ranker
        return len(rounds) if rounds and rounds == set(range(1, len(rounds) + 1)) else ranker.n_rounds

    @property
    def labels(self) -> Ints:
        """The labels of the rows, (n_samples,): a port may report labels that it was not given, and any number."""
        labels = self.data("y")
        if not ((labels >= 0) & (labels < MOST_STATED_CLASSES)).all():
            raise ValueError(f"a label is not from 0 to {MOST_STATED_CLASSES - 1}")
        return labels.astype(np.int64)
