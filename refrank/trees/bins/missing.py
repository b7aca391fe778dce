"""Missing values in cuts: no feature may be missing, or cuts on some features go three ways (iGBRT Sec. 7).

symbol    in code    shape
-         flags      (n_features,) int8: 0, PARTED or NEEDS_CUT (refrank/trees/splitting.py), or None
"""

from dataclasses import dataclass, field

import numpy as np

from refrank.arrays import Flags, Ints
from refrank.trees.splitting import Split, take_apart


class TwoWays:
    """Cuts on features that no row lacks: each divides a node in two."""

    flags: Flags | None = None
    most = 2  # nodes into which a cut divides one

    def count_apart(self, n_features: int) -> Ints:
        """Count the last bins of each feature that hold rows that lack it, (n_features,)."""
        return np.zeros(n_features, np.int64)

    def take_apart(self, split: Split, n_bins: int, slots: Ints) -> list[Split]:
        """List the two-way cuts that make up a cut, given the sums of the node's rows in the bins of its feature."""
        return [split]


@dataclass(frozen=True, eq=False)
class ThreeWays(TwoWays):
    """Cuts that may separate the rows that lack the feature from the others, and cut the others."""

    flags: Flags = field()  # without a default
    most = 3

    def count_apart(self, n_features: int) -> Ints:
        """Count 1 where the last bin holds the rows that lack the feature."""
        return (self.flags > 0).astype(np.int64)

    def take_apart(self, split: Split, n_bins: int, slots: Ints) -> list[Split]:
        """List one cut, or two: the first sends the rows that lack the feature to the right."""
        return take_apart(split, n_bins, slots.sum(axis=0), slots[-1]) if self.flags[split.feature] else [split]
