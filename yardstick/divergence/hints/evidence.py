"""Evidence for a hint: a judgement, its judge, and the ranker that was trained."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats
from yardstick.divergence.judging import Judge
from yardstick.divergence.port_tree import find_ranges
from yardstick.traces.stages import Place


class Evidence(NamedTuple):
    """A record that does not agree: its place, both sides of the field that differs, and where these come from."""

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

    def read_summed(self) -> Floats:
        """Return what is summed over the leaves, (n_samples,): residuals, or p (1 - p)."""
        if self.field == "numerator":
            return self.array("residual", "values")
        proba = self.array("proba", "values")
        return (1.0 - proba) * proba

    def list_leaves(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """List the values, (n_samples,), of the rows of each leaf, from left to right."""
        nodes, n_left, rows = (self.array("partition", name) for name in ("nodes", "n_left", "rows"))
        ranges = find_ranges(nodes.tolist(), n_left.tolist(), len(rows))
        leaves = sorted(own for node, own in enumerate(ranges) if node not in nodes)
        return [values[rows[start:stop]] for start, stop in leaves]
