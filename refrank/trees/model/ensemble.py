"""A sum of trees per output: the form of every boosted model and every forest.

symbol     in code         shape
F_c(x)     scores          (n_samples, n_outputs): F_c = initial_c + learning_rate * sum_m T_{m,c}(x)
T_{m,c}    rounds[m][c]    one tree per round and output
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import islice
from typing import Any

import numpy as np

from refrank.arrays import Floats, Matrix
from refrank.checks import LARGEST_SUMMED, check_entries, check_number
from refrank.trees.engine import Engine
from refrank.trees.model.packed import PackedRounds, pack_rounds
from refrank.trees.model.tree import Tree, add_predictions, check_trees


@dataclass(frozen=True, repr=False)
class Ensemble:
    """Trees, round by round, and the start of their sum; a prefix of the rounds is an ensemble too."""

    initial: tuple[float, ...]  # F of each output before the first round
    rounds: tuple[tuple[Tree, ...], ...]  # (n_rounds, n_outputs)
    learning_rate: float  # factor of each tree; 1 in a forest

    def staged_scores(
        self, X: Matrix, engine: Engine, every: int = 1, rounds: Iterator[tuple[Tree, ...]] | None = None
    ) -> Iterator[Floats]:
        """Yield F, (n_samples, n_outputs), after every `every` rounds and after the last.

        Every stage is the same array, which the next stage writes to. Without rounds, yield F once as it starts. Other
        `rounds` than the ensemble's can be given one by one, while they are trained.
        """
        scores = np.full((len(X), len(self.initial)), self.initial, order="F")
        if rounds is not None:
            while some := [*islice(rounds, every)]:
                for c in range(len(self.initial)):
                    add_predictions([trees[c] for trees in some], X, self.learning_rate, scores[:, c], engine)
                yield scores
            return
        n_rounds = len(self.rounds)
        for first in range(0, n_rounds, every):
            self.pack(X.shape[1]).add_to(scores, X, first, min(first + every, n_rounds), engine)
            yield scores
        if not n_rounds:
            yield scores

    def scores(self, X: Matrix, engine: Engine) -> Floats:
        """Compute F after the last round, (n_samples, n_outputs)."""
        return next(self.staged_scores(X, engine, every=max(1, len(self.rounds))))

    def pack(self, n_features: int) -> PackedRounds:
        """Pack the one or more rounds for rows of so many features; the first call does, and checks the trees."""
        packed: PackedRounds | None = vars(self).get("_packed")
        if packed is None or n_features < packed.n_features:
            packed = pack_rounds(self.rounds, len(self.initial), self.learning_rate, n_features)
            vars(self)["_packed"] = packed
        return packed

    def __getstate__(self) -> dict[str, Any]:
        """Leave packed rounds out of copies and pickles."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __repr__(self) -> str:
        """Return the ensemble's size; its trees are in `rounds`."""
        return f"Ensemble({len(self.rounds)} rounds, {len(self.initial)} outputs, learning_rate={self.learning_rate})"


def check_ensemble(ensemble: Ensemble, n_features: int) -> None:
    """Refuse an ensemble that does not turn every row of n_features features into n_outputs numbers."""
    for value in ensemble.initial:
        check_number("initial", value)
    check_number("learning_rate", ensemble.learning_rate, above=0, at_most=1)
    n_outputs = len(ensemble.initial)
    for number, trees in enumerate(ensemble.rounds):
        if len(trees) != n_outputs:
            raise ValueError(f"rounds[{number}] has {len(trees)} trees: it must have {n_outputs}, one per output")
    held = [tree for trees in ensemble.rounds for tree in trees]
    if not held:
        return
    check_trees(held, n_features)
    for name, is_wrong, rule in (
        ("cut", lambda cut: np.isnan(cut), "it must not be NaN"),
        (
            "value",
            lambda value: ~(np.abs(value) <= LARGEST_SUMMED),
            f"it must be finite, and at most {LARGEST_SUMMED:g}",
        ),
        ("split_gain", lambda gain: ~(gain >= 0), "it must be at least 0"),
        ("n_node_samples", lambda counts: counts < 0, "it must be at least 0"),
    ):
        column = np.concatenate([getattr(tree, name) for tree in held])
        check_entries(name, column, is_wrong(column), rule)
