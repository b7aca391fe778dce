"""Taking the numbers of a training: a taker takes each stage, and says with which numbers the training goes on.

Here each stage becomes a record, and the training goes on as it is. A judge compares the stage with a port's record,
and has the training go on with the port's numbers (yardstick/divergence/judging.py).
"""

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from refrank.trees.model.tree import Tree
from yardstick.traces.stages import Field, Keep, Place, Record, make_record


class Taker:
    """Makes a record of each stage: `keep` makes a field from an array, and `write` takes each record."""

    def __init__(self, keep: Keep, write: Callable[[Record], None]) -> None:
        self.keep, self.write = keep, write

    def take(self, stage: str, place: Place, **arrays: Any) -> None:
        """Take the arrays of a stage, or fields made from them."""
        keep = self.keep_whole if stage == "data" else self.keep
        self.write(make_record(keep, stage, place, **arrays))

    def keep_whole(self, values: NDArray[Any]) -> Field:
        """Make a field with all entries: a training can be repeated from the trace alone."""
        return self.keep(values)._replace(values=values.copy())

    def adopt(
        self, stage: str, place: Place, name: str, values: NDArray[Any], below: int | None = None
    ) -> NDArray[Any]:
        """Return the array with which the training goes on, in place of one that it has computed.

        `below` bounds numbers of things that exist, which count from 0.
        """
        return values

    def adopt_tree(self, place: Place, tree: Tree, n_features: int) -> Tree:
        """Return the tree with which the training goes on; its cuts are on `n_features` features."""
        return tree

    def settle(self, stage: str, place: Place, values: NDArray[Any], name: str = "values") -> NDArray[Any]:
        """Take an array that is a whole stage, and return the one to go on with."""
        self.take(stage, place, **{name: values})
        return self.adopt(stage, place, name, values)
