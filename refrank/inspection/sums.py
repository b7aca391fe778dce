"""The sums of trees that a ranker scores by, in one form for all of them.

    symbol      in code                  shape
    F_c(x)      sum of the TreeSums      (n_samples, n_outputs)
    T_{m,c}     ensemble.rounds[m][c]    one tree per round and output
    nu / n      factor                   learning rate over the number of trees of a forest

Each `TreeSum` adds (initial_c + learning_rate * sum_m T_{m,c}(x)) / divisor to every output F_c.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from refrank.arrays import Matrix
from refrank.trees.model.ensemble import Ensemble
from refrank.trees.model.tree import Tree


@dataclass(frozen=True, eq=False)
class TreeSum:
    """A sum of trees, as a part of the outputs of a ranker."""

    ensemble: Ensemble
    read: Callable[[Matrix], Matrix]  # from features to the columns that trees cut on: f + r n_features
    divisor: int = 1

    @property
    def factor(self) -> float:
        """The number that a tree is multiplied by."""
        return self.ensemble.learning_rate / self.divisor


def read_unchanged(X: Matrix) -> Matrix:
    """Return the features unchanged, (n_samples, n_features)."""
    return X


def list_trees(sums: Sequence[TreeSum]) -> Iterable[Tree]:
    """List all trees, output by output, and within an output sum by sum and round by round."""
    n_outputs = len(sums[0].ensemble.initial) if sums else 0
    rounds = [trees for part in sums for trees in part.ensemble.rounds]
    return chain.from_iterable((trees[c] for trees in rounds) for c in range(n_outputs))
