"""The trees of an ensemble as prediction takes them: checked and joined once, for all later calls.

in code    shape
trees      what `add_trees` takes: output after output, and round after round in each
ends       (n_outputs * n_rounds + 1,): nodes of tree t are those from ends[t] up to ends[t + 1]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from refrank.arrays import Floats, Ints, Matrix
from refrank.kernel import KERNEL
from refrank.trees.engine import Engine
from refrank.trees.model.tree import JoinedTrees, Tree, check_trees, join_trees


@dataclass(frozen=True, eq=False)
class PackedRounds:
    """Rounds of trees, one per output and round."""

    n_features: int  # the fewest that rows may have
    n_rounds: int
    ends: Ints
    trees: JoinedTrees
    kernel_trees: Any  # the same trees, prepared by the kernel; None where it is not built

    def add_to(self, scores: Floats, X: Matrix, first: int, stop: int, engine: Engine) -> None:
        """Add rounds first to stop - 1 to the scores, (n_samples, n_outputs) in Fortran's order, in place."""
        if KERNEL is not None and engine.splitter is KERNEL:
            KERNEL.add_rounds(X, self.kernel_trees, first, stop, scores, engine.n_threads)
            return
        held = self.trees
        for c in range(scores.shape[1]):
            some = slice(c * self.n_rounds + first, c * self.n_rounds + stop)
            nodes = slice(self.ends[some.start], self.ends[some.stop])
            fields = held.feature[nodes], held.cut[nodes], held.left[nodes], held.right[nodes], held.value[nodes]
            engine.splitter.add_trees(X, held.roots[some] - nodes.start, *fields, scores[:, c], engine.n_threads)


def pack_rounds(
    rounds: Sequence[tuple[Tree, ...]], n_outputs: int, learning_rate: float, n_features: int
) -> PackedRounds:
    """Check and join the trees of one or more rounds, for rows of n_features features.

    Their arrays become read-only, since the packed trees would not follow a change.
    """
    by_output = [[trees[c] for trees in rounds] for c in range(n_outputs)]
    for of_output in by_output:
        check_trees(of_output, n_features)
    trees = [*chain(*by_output)]
    for tree in trees:
        for array in (tree.feature, tree.cut, tree.left, tree.right, tree.value):
            array.flags.writeable = False
    joined = join_trees(trees, learning_rate)
    ends = np.append(joined.roots, len(joined.feature))
    kernel_trees = None if KERNEL is None else KERNEL.PackedTrees(*joined, n_outputs)
    return PackedRounds(1 + int(joined.feature.max()), len(rounds), ends, joined, kernel_trees)
