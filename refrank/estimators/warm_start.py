"""Checks that a fit can continue the model of an earlier fit (`warm_start`).

The turns of the earlier fit are the first turns of the new one, whose model equals to the bit that of a fit without
interruption. So the rows must be the same, and so must the parameters, except for the number of turns.
"""

from collections.abc import Sequence
from dataclasses import replace
from reprlib import repr as short
from typing import Any

import numpy as np

from refrank.arrays import Ints, Matrix
from refrank.trees.engine import Engine
from refrank.trees.model.tree import LEAF, Tree, add_predictions


def require_same(name: str, value: Any, earlier: Any) -> None:
    """Refuse a value that differs from the model's."""
    if value != earlier:
        raise ValueError(f"{name} is {short(value)}: with warm_start it must be {short(earlier)}, as in the model")


def require_more(name: str, n_turns: int, n_known: int) -> None:
    """Refuse to train fewer turns than the model has."""
    if n_turns < n_known:
        raise ValueError(f"{name} is {n_turns}: with warm_start it must be at least {n_known}, as in the model")


def require_rows(first: Sequence[Tree], X: Matrix, engine: Engine, counts: Ints | None = None) -> None:
    """Refuse rows, (n_samples, n_features), whose counts in the leaves of the first tree differ from those of training.

    `counts`, (n_samples,), is how often each row was drawn for this tree, by default once. `first` is empty if a model
    has no tree.
    """
    for tree in first:
        numbered, node = replace(tree, value=np.arange(len(tree.value), dtype=np.float64)), np.zeros(len(X))
        add_predictions([numbered], X, 1.0, node, engine)
        n_node_samples = engine.shards.sum(np.bincount(node.astype(np.int64), counts, len(tree.value)).astype(np.int64))
        if (n_node_samples != tree.n_node_samples)[tree.feature == LEAF].any():
            raise ValueError("X is not what the model was trained on: warm_start needs the same rows")
