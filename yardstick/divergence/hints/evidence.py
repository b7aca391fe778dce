"""What a hint is found from: a judgement, its judge, and the ranker that was trained."""

from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Ints
from yardstick.divergence.judging import Judge
from yardstick.divergence.port_tree import find_ranges
from yardstick.traces.stages import Place


class Evidence(NamedTuple):
    """A record that does not agree: where, both sides of the field that differs, and where these come from."""

    stage: str
    place: Place
    verdict: str
    field: str
    expected: NDArray[Any]
    actual: NDArray[Any]
    at: tuple[int, ...] | None
    judge: Judge
    ranker: Any

    def pair_up(self) -> tuple[Floats, Floats]:
        """Return the expected and the found entries as floats of one shape."""
        if self.expected.shape != self.actual.shape:
            raise ValueError("shapes differ")
        return self.expected.astype(np.float64).reshape(-1), self.actual.astype(np.float64).reshape(-1)

    def array(self, stage: str, name: str, place: Place | None = None) -> NDArray[Any]:
        """Return a field of the same place, or of another."""
        return self.judge.array(stage, self.place if place is None else place, name)

    def data(self, name: str) -> NDArray[Any]:
        """Return X, y or qid of the training rows."""
        return self.array("data", name, Place())

    def count_classes(self) -> int:
        """Return K of the softmax; a binary problem has 2."""
        if self.ranker.algorithm != "softmax":
            return 2
        return int(self.ranker.n_classes or self.data("y").max() + 1)

    def find_starts(self) -> Ints:
        """Find where the rows of each leaf begin, (n_leaves + 1,)."""
        nodes, n_left = (self.array("partition", name).tolist() for name in ("nodes", "n_left"))
        ranges = find_ranges(nodes, n_left, len(self.array("partition", "rows")))
        lengths = sorted(own for node, own in enumerate(ranges) if node not in nodes)
        return np.array([0, *accumulate(stop - start for start, stop in lengths)])
